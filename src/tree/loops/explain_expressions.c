/* SPDX-License-Identifier: Apache-2.0 */
/* explain_expressions.c -- finds the expression of a motor, load or rate of a state that has no finite value or derivative
   (explain.h). */
#include "tree/loops/explain.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* an expression, and what it is, for messages */
typedef struct {
  const lwi_expr *e;
  lwi_mark mark;
  char what[160]; /* the value of motor "M" */
} law;

/* Number i of all; false: there are no more. */
static bool get_law(const lw_model *m, int i, law *out)
{
  if (i < m->nmotor) {
    out->e = &m->motor[i].value;
    out->mark = m->motor[i].mark;
    snprintf(out->what, sizeof out->what, "the value of motor \"%.100s\"", m->motor[i].name);
    return true;
  }
  i -= m->nmotor;
  if (i < 6 * m->nload) {
    const lwi_load *l = &m->load[i / 6];
    const int k = i % 6;
    out->e = k < 3 ? &l->force[k] : &l->torque[k - 3];
    out->mark = l->mark;
    snprintf(out->what, sizeof out->what, "component %d of the %s of force \"%.100s\"", k % 3 + 1,
             k < 3 ? "force" : "torque", l->name);
    return true;
  }
  i -= 6 * m->nload;
  if (i >= m->nstate) return false;
  out->e = &m->state[i].rate;
  out->mark = m->state[i].mark;
  snprintf(out->what, sizeof out->what, "the rate of state \"%.100s\"", m->state[i].name);
  return true;
}

bool lwi_explain_expressions(const lw_model *m, double t, const double *slot, lwi_failing_part *out)
{
  law x;
  for (int i = 0; get_law(m, i, &x); i++) {
    const char *why = "it is too large";
    lwi_fault_text text;
    size_t column = 0;
    if (x.e->nop == 0 || isfinite(lwi_expr_value(x.e, slot))) continue;
    lwi_expr_find_fault(x.e, slot, &column, &why, &text);
    snprintf(out->text, sizeof out->text, "%s is not finite at t = %.10g: %s", x.what, t, why);
    out->mark = lwi_expr_mark(x.e, column, x.mark);
    return true;
  }
  return false;
}

/* By one name of the state after the other; along: [nslot] zeros. */
static bool find_slope(const lw_model *m, const law *x, double t, const double *slot, double *along,
                       lwi_failing_part *out)
{
  const char *why = "it is too large";
  lwi_fault_text text;
  size_t column = 0;
  for (int k = 0; k < x->e->nname; k++) {
    const int at = x->e->name[k].slot;
    double value, slope;
    if (at < m->nparameter) continue;
    along[at] = 1;
    lwi_expr_dual(x->e, slot, 1, along, &value, &slope);
    const bool bad = !isfinite(slope);
    if (bad) lwi_expr_find_slope_fault(x->e, slot, along, &column, &why, &text);
    along[at] = 0;
    if (!bad) continue;
    snprintf(out->text, sizeof out->text, "%s has no derivative by %.60s at t = %.10g: %.120s",
             x->what, x->e->name[k].text, t, why);
    out->mark = lwi_expr_mark(x->e, column, x->mark);
    return true;
  }
  return false;
}

bool lwi_explain_slopes(const lw_model *m, lw_work *w, double t, const double q[], const double u[],
                        lwi_failing_part *out)
{
  law x;
  bool known = false;
  double *slot = lwi_expression_slots(m, w, t, q, u);
  double *along = calloc((size_t)m->nslot + 1, sizeof *along);
  for (int i = 0; slot && along && !known && get_law(m, i, &x); i++)
    known = x.e->nop > 0 && find_slope(m, &x, t, slot, along, out);
  free(slot);
  free(along);
  return known;
}
