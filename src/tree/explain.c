/* SPDX-License-Identifier: Apache-2.0 */
#include "tree/explain.h"
#include "base/fail.h"
#include "tree/closure.h"
#include "tree/work.h"
#include "linkwork/loops.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- names and places ---- */

lwi_mark lwi_mark_of(const lw_spec *spec, const char *name)
{
  for (int i = 0; spec && i < spec->joints.n; i++)
    if (strcmp(spec->joints.item[i].d.name, name) == 0) return spec->joints.item[i].mark;
  for (int i = 0; spec && i < spec->constraints.n; i++)
    if (strcmp(spec->constraints.item[i].d.name, name) == 0) return spec->constraints.item[i].mark;
  return (lwi_mark){0, 0};
}

static bool found(lwi_culprit *out, lwi_mark mark, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
static bool found(lwi_culprit *out, lwi_mark mark, const char *format, ...)
{
  va_list list;
  va_start(list, format);
  vsnprintf(out->text, sizeof out->text, format, list);
  va_end(list);
  out->mark = mark;
  return true;
}

/* name and place of a force: indices count in the spec as in the model */
#define NAME_OF(spec, list, i)                                                                     \
  ((spec) && (i) < (spec)->list.n && (spec)->list.item[i].d.name ? (spec)->list.item[i].d.name     \
                                                                 : "?")
#define MARK_OF(spec, list, i)                                                                     \
  ((spec) && (i) < (spec)->list.n ? (spec)->list.item[i].mark : (lwi_mark){0, 0})

/* ---- numbers that are not finite ---- */

/* the joint whose coordinate or speed it is */
static bool find_state(const lw_model *m, const lw_spec *spec, const double q[], const double u[],
                       lwi_culprit *out)
{
  for (int j = 1; j <= m->njoint; j++) {
    const lw_joint_info *i = &m->joint[j].info;
    if (i->cut) continue;
    for (int k = 0; k < i->nq; k++)
      if (!isfinite(q[i->q + k]))
        return found(out, lwi_mark_of(spec, i->name),
                     "a coordinate of joint \"%s\" is not finite: the motion has no bounds",
                     i->name);
    for (int k = 0; k < i->nu; k++)
      if (!isfinite(u[i->u + k]))
        return found(out, lwi_mark_of(spec, i->name),
                     "a speed of joint \"%s\" is not finite: the motion has no bounds", i->name);
  }
  return false;
}

/* values of the names in expressions; NULL: no memory */
static double *find_slots(const lw_model *m, lw_work *w, double t, const double q[],
                          const double u[])
{
  const int nq = lw_nq_all(m), nu = lw_nu_all(m);
  double *slot = malloc((size_t)(m->nslot + nq + nu + 1) * sizeof *slot);
  if (!slot) return NULL;
  double *all_q = slot + m->nslot, *all_u = all_q + nq;
  if (m->nq) memcpy(all_q, q, (size_t)m->nq * sizeof(double));
  if (m->nu) memcpy(all_u, u, (size_t)m->nu * sizeof(double));
  for (int i = m->nq; i < nq; i++)
    all_q[i] = 0;
  for (int i = m->nu; i < nu; i++)
    all_u[i] = 0;
  if (w && m->ncut > 0 && lw_kinematics(w, q, u) == LW_OK) lw_get_cut_joints(w, all_q, all_u, NULL);
  if (m->nparameter) memcpy(slot, m->parameter, (size_t)m->nparameter * sizeof(double));
  for (int i = m->nparameter; i < m->nslot; i++) {
    const lwi_slot s = m->slot[i - m->nparameter];
    slot[i] = s.kind == LWI_SLOT_TIME ? t : s.kind == LWI_SLOT_Q ? all_q[s.index] : all_u[s.index];
  }
  return slot;
}

static double load_value(const lwi_load *e, int k, const double *slot)
{
  return lwi_expr_value(k < 3 ? &e->force[k] : &e->torque[k - 3], slot);
}

static bool find_force(const lw_model *m, const lw_spec *spec, double t, const double *slot,
                       lwi_culprit *out)
{
  for (int i = 0; i < m->nmotor; i++) {
    const double value = lwi_expr_value(&m->motor[i].value, slot);
    if (!isfinite(value))
      return found(out, MARK_OF(spec, motors, i),
                   "the value of motor \"%s\" is not finite at t = %.10g", NAME_OF(spec, motors, i),
                   t);
  }
  for (int i = 0; i < m->nload; i++)
    for (int k = 0; k < 6; k++)
      if (!isfinite(load_value(&m->load[i], k, slot)))
        return found(out, MARK_OF(spec, loads, i),
                     "component %d of the %s of force \"%s\" is not finite at t = %.10g", k % 3 + 1,
                     k < 3 ? "force" : "torque", NAME_OF(spec, loads, i), t);
  return false;
}

static bool find_driver(const lw_model *m, const lw_spec *spec, double t, lwi_culprit *out)
{
  for (int c = 1; c <= m->nconstraint; c++) {
    const lwi_constraint *k = &m->constraint[c];
    double target[3];
    if (k->pair >= 0 || k->relation.type != LW_DRIVER) continue;
    lwi_relation_target(&k->relation, m->parameter, m->nparameter, 0, t, target);
    for (int i = 0; i < 3; i++)
      if (!isfinite(target[i]))
        return found(out, lwi_mark_of(spec, k->info.name),
                     "the %s of driver \"%s\" is not finite at t = %.10g",
                     i == 0   ? "value"
                     : i == 1 ? "rate"
                              : "second derivative",
                     k->info.name, t);
  }
  return false;
}

/* a speed so large that its square is no number */
static bool find_fastest(const lw_model *m, const lw_spec *spec, const double u[], lwi_culprit *out)
{
  const lw_joint_info *fastest = NULL;
  double most = 1e100;
  for (int j = 1; j <= m->njoint; j++) {
    const lw_joint_info *i = &m->joint[j].info;
    for (int k = 0; k < i->nu && !i->cut; k++)
      if (fabs(u[i->u + k]) > most) most = fabs(u[i->u + k]), fastest = i;
  }
  if (!fastest) return false;
  return found(out, lwi_mark_of(spec, fastest->name),
               "the motion has no bounds: joint \"%s\" has the speed %.3g", fastest->name, most);
}

/* ---- mass matrices ---- */

/* the last link, which is an outermost one, with a freedom that no inertia resists; 0: none */
static int find_link(const lw_model *m, lw_work *w, const double q[])
{
  memset(w->in, 0, (size_t)m->nu * sizeof(double));
  w->kernels->kinematics(m, w->tree, q, w->in);
  if (w->kernels->factor(m, w->tree, NULL)) return 0;
  w->kernels->pivots(m, w->tree, w->in);
  for (int i = m->nlink - 1; i > 0; i--) {
    const lwi_link *L = &m->link[i];
    for (int j = L->frozen; j < L->nu; j++) {
      const double mobility = w->in[L->column + j];
      if (!lwi_is_still(L, j) && !(mobility > 0 && mobility < 1e300)) return i;
    }
  }
  return 0;
}

/* The outermost joint whose articulated inertia vanishes.  Loops do not count here: what moves no mass in the tree is
   what a loop would have to hold. */
static bool find_light(const lw_model *m, const lw_spec *spec, lw_work *w, const double q[],
                       lwi_culprit *out)
{
  w->stage = LWI_STAGE_NOTHING;
  const int link = m->nu > 0 ? find_link(m, w, q) : 0;
  if (link == 0) return false;
  const lwi_joint *j = &m->joint[m->link[link].joint];
  const int body = j->reversed ? j->info.parent.id : j->info.child.id;
  return found(out, lwi_mark_of(spec, j->info.name),
               "the mass matrix is singular: joint \"%s\" lets body \"%s\" move in a way that no "
               "inertia resists",
               j->info.name, m->body[body].name);
}

/* ---- all together ---- */

bool lwi_explain(const lw_model *m, const lw_spec *spec, lw_work *w, double t, const double q[],
                 const double u[], lw_status status, lwi_culprit *out)
{
  *out = (lwi_culprit){0};
  if (status == LW_E_SINGULAR && w && find_light(m, spec, w, q, out)) return true;
  if (status != LW_E_NUMBER) return false;
  if (find_state(m, spec, q, u, out) || find_driver(m, spec, t, out)) return true;
  /* derivatives fail where values end: just behind t */
  for (int k = 0; k < 2; k++) {
    const double at = t + k * 1e-9 * (1 + fabs(t));
    double *slot = find_slots(m, w, at, q, u);
    const bool force = slot && find_force(m, spec, at, slot, out);
    free(slot);
    if (force) return true;
  }
  return find_fastest(m, spec, u, out);
}

lw_status lw_explain(lw_work *w, double t, const double q[], const double u[], lw_status status,
                     const char *what, lw_error *err)
{
  const lw_model *m = lwi_work_model(w);
  lwi_culprit why = {0};
  if ((unsigned)status >= LW_STATUS_COUNT) return LW_E_ARG;
  if (w && (!lwi_is_single(m, w) || (m->nq && !q))) return LW_E_ARG;
  double *still = u || !m ? NULL : calloc((size_t)m->nu + 1, sizeof *still);
  const bool known =
      m && (u || still) && lwi_explain(m, m->spec, w, t, q, u ? u : still, status, &why);
  free(still);
  lwi_fail(err, status, "%s%s%s", what ? what : "", what ? ": " : "",
           known ? why.text : lw_status_text(status));
  if (err) err->line = why.mark.line, err->column = why.mark.column;
  return status;
}

/* ---- forces that jump ---- */

/* How much an expression changes between two states, compared with its size. */
static double jump_of(const lwi_expr *e, const double *a, const double *b)
{
  const double x = lwi_expr_value(e, a), y = lwi_expr_value(e, b);
  const double size = fmax(fabs(x), fabs(y));
  return size > 0 ? fabs(x - y) / size : 0;
}

/* slots but for parameters and time, moved a little and to the other side of zero */
static void move_slots(const lw_model *m, int way, const double *from, double *to)
{
  memcpy(to, from, (size_t)m->nslot * sizeof(double));
  for (int i = m->nparameter; i < m->nslot; i++) {
    if (m->slot[i - m->nparameter].kind == LWI_SLOT_TIME) continue;
    const double d = 1e-6 * (1 + fabs(from[i]));
    to[i] += way == 0 ? d : way == 1 ? -d : (i % 2 ? d : -d);
  }
}

bool lwi_explain_jump(const lw_model *m, const lw_spec *spec, lw_work *w, double t,
                      const double q[], const double u[], lwi_culprit *out)
{
  double *slot = find_slots(m, w, t, q, u), *near = malloc((size_t)(m->nslot + 1) * sizeof *near);
  double most = 1e-3;
  *out = (lwi_culprit){0};
  for (int way = 0; slot && near && way < 3; way++) {
    move_slots(m, way, slot, near);
    for (int i = 0; i < m->nmotor; i++) {
      const double jump = jump_of(&m->motor[i].value, slot, near);
      if (jump <= most) continue;
      most = jump;
      found(out, MARK_OF(spec, motors, i), "motor \"%s\" jumps, or changes without bounds",
            NAME_OF(spec, motors, i));
    }
    for (int i = 0; i < m->nload; i++)
      for (int k = 0; k < 6; k++) {
        const lwi_load *e = &m->load[i];
        const double jump = jump_of(k < 3 ? &e->force[k] : &e->torque[k - 3], slot, near);
        if (jump <= most) continue;
        most = jump;
        found(out, MARK_OF(spec, loads, i), "force \"%s\" jumps, or changes without bounds",
              NAME_OF(spec, loads, i));
      }
  }
  free(slot);
  free(near);
  return out->text[0] != 0;
}

/* ---- speeds ---- */

/* names what is held or driven: the joints whose speeds cannot all be had */
lw_status lwi_contradictory_speeds(const lw_model *m, double left, lw_error *err)
{
  char names[200] = "";
  const char *first = NULL;
  for (int i = 1; i <= m->njoint + m->nconstraint; i++) {
    const bool joint = i <= m->njoint;
    const int c = i - m->njoint;
    if (joint ? !m->joint[i].hold : m->constraint[c].relation.type != LW_DRIVER) continue;
    if (!joint && m->constraint[c].pair >= 0) continue;
    const char *name = joint ? m->joint[i].info.name : m->constraint[c].info.name;
    const size_t used = strlen(names);
    snprintf(names + used, sizeof names - used, "%s%s \"%.60s\"", first ? ", " : "",
             joint ? "joint" : "driver", name);
    if (!first) first = name;
  }
  lwi_fail(err, LW_E_NOT_CONVERGED,
           "the speeds that are held or driven contradict the loops, by %.3g m/s: those of %s",
           left, first ? names : "the drivers");
  const lwi_mark mark = lwi_mark_of(m->spec, first ? first : "");
  if (err) err->line = mark.line, err->column = mark.column;
  return LW_E_NOT_CONVERGED;
}
