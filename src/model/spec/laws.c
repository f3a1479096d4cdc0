/* SPDX-License-Identifier: Apache-2.0 */
/* laws.c -- springs, bushings and torsions of any law.  The names that a law has for what it acts
   on (l and ldot of a spring, q and u of a joint spring) are put in terms of measures, coordinates
   and speeds; the law is then the expression of an applied load along the element, or of a
   motor. */
#include "model/spec/laws.h"
#include "base/quoted_name.h"
#include "model/expression/expr_lex.h"
#include "model/joint/joint.h"
#include "linkwork/reader.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Parses what stands for a name; false: a mistake was noted. */
static bool parse(lw_spec *s, const char *text, lwi_expr *out)
{
  if (lwi_expr_parse(text, strlen(text), out, NULL) == LWI_EXPR_OK) return true;
  return lwi_spec_no_memory(s), false;
}

static bool replace(lw_spec *s, lwi_spec_expr *e, const lwi_expr *const instead[])
{
  lwi_expr whole;
  const lwi_expr_status status = lwi_expr_inline(&e->expr, instead, &whole);
  if (status == LWI_EXPR_MEMORY) return lwi_spec_no_memory(s), false;
  if (status != LWI_EXPR_OK)
    return lwi_spec_fail(s, LW_E_MODEL, e->expr.at, "\"%.60s\": the law is too long", e->text),
           false;
  lwi_expr_free(&e->expr);
  e->expr = whole;
  return true;
}

bool lwi_law_names(lw_spec *s, double number, const lwi_law_name name[], int n)
{
  const int index = lwi_expr_index(number);
  if (index < 0 || index >= s->nexpr) return true;
  lwi_spec_expr *e = &s->expr[index];
  lwi_expr by[LWI_LAW_NAMES] = {{0}};
  const lwi_expr **instead = calloc((size_t)e->expr.nname + 1, sizeof *instead);
  bool good = instead || (lwi_spec_no_memory(s), false), any = false;
  for (int i = 0; i < n && good; i++)
    good = parse(s, name[i].text, &by[i]);
  for (int k = 0; k < e->expr.nname && good; k++)
    for (int i = 0; i < n; i++)
      if (strcmp(e->expr.name[k].text, name[i].name) == 0) instead[k] = &by[i], any = true;
  if (good && any) good = replace(s, e, instead);
  for (int i = 0; i < n; i++)
    lwi_expr_free(&by[i]);
  free(instead);
  return good;
}

bool lwi_joint_law_names(lw_spec *s, const lw_motor_desc *d, int sign, double number)
{
  char text[2][LWI_QUOTED_SIZE + 24];
  for (int i = 0; i < 2; i++) {
    char coordinate[LWI_QUOTED_SIZE + 16];
    lwi_coordinate_text(s, d->joint, d->dof, "qu"[i], coordinate, sizeof coordinate);
    snprintf(text[i], sizeof text[i], sign < 0 ? "(-%s)" : "%s", coordinate);
  }
  return lwi_law_names(s, number, (const lwi_law_name[2]){{"q", text[0]}, {"u", text[1]}}, 2);
}

void lwi_add_joint_law(lw_spec *s, const lw_motor_desc *d, int sign)
{
  if (!lwi_spec_good(s)) return;
  const lw_joint_type type = s->joints.item[d->joint.id - 1].d.type;
  if (!lwi_joint_has_rate_pair(type)) {
    lwi_spec_fail(s, LW_E_MODEL, s->mark,
                  "force \"%s\": the coordinates of a %s joint take no joint_spring", d->name,
                  lw_joint_type_name(type));
    return;
  }
  if (!lwi_joint_law_names(s, d, sign, d->value) || lw_add_motor(s, d).id < 0) return;
  s->motors.item[s->motors.n - 1].role.along = sign;
}

/* ---- loads along elements ---- */

/* the names of a law, and the measures of the element that they are */
typedef struct {
  int n;
  const char *const *name, *const *measure;
} law_words;

static bool name_all(lw_spec *s, const lw_load_desc *load, const char *element,
                     const law_words *words)
{
  char quoted[LWI_QUOTED_SIZE], text[LWI_LAW_NAMES][LWI_QUOTED_SIZE + 8];
  lwi_law_name name[LWI_LAW_NAMES];
  const char *own = lwi_expr_write_name(element, quoted);
  for (int i = 0; i < words->n; i++) {
    snprintf(text[i], sizeof text[i], "%s.%s", words->measure[i], own);
    name[i] = (lwi_law_name){words->name[i], text[i]};
  }
  for (int k = 0; k < 6; k++)
    if (!lwi_law_names(s, k < 3 ? load->force[k] : load->torque[k - 3], name, words->n))
      return false;
  return true;
}

static bool add_law(lw_spec *s, lw_load_desc *load, const char *element, lwi_carrier carrier,
                    int along, const law_words *words)
{
  char name[300];
  snprintf(name, sizeof name, "%s of %.200s", carrier == LWI_ALONG_SPRING ? "tension" : "law",
           element);
  if (!name_all(s, load, element, words)) return false;
  if (!lwi_spec_enter_name(s, "force", &s->force_names, name, &load->name)) return false;
  if (!LWI_SPEC_APPEND(s, loads, *load)) return false;
  s->loads.item[s->loads.n - 1].role = (lwi_role){.carrier = carrier, .along = along};
  return true;
}

static bool refuse_both(lw_spec *s, const char *name, const char *what, const char *law)
{
  return lwi_spec_fail(s, LW_E_MODEL, s->mark,
                       "force \"%s\": a %s has `%s`, or `stiffness` and `damping`", name, what,
                       law),
         false;
}

bool lwi_add_tension(lw_spec *s, const lw_spring_desc *d)
{
  static const char *const name[] = {"l", "ldot"}, *const measure[] = {"length", "rate"};
  lw_load_desc load = {.body = d->from, .force = {d->tension}};
  if (d->tension == 0) return true;
  if (d->stiffness != 0 || d->damping != 0) return refuse_both(s, d->name, "spring", "tension");
  return add_law(s, &load, d->name, LWI_ALONG_SPRING, s->springs.n - 1,
                 &(law_words){2, name, measure});
}

bool lwi_add_torsion_law(lw_spec *s, const lw_torsion_desc *d)
{
  static const char *const name[] = {"angle", "rate"};
  lw_load_desc load = {.body = d->parent, .torque = {d->load}};
  if (d->load == 0) return true;
  if (d->stiffness != 0 || d->damping != 0) return refuse_both(s, d->name, "torsion", "load");
  return add_law(s, &load, d->name, LWI_ALONG_TORSION, s->torsions.n - 1,
                 &(law_words){2, name, name});
}

bool lwi_add_bushing_law(lw_spec *s, const lw_bushing_desc *d)
{
  static const char *const name[] = {"dx", "dy", "dz", "dvx", "dvy", "dvz",
                                     "rx", "ry", "rz", "dwx", "dwy", "dwz"};
  lw_load_desc load = {.body = d->parent};
  bool any = false;
  for (int k = 0; k < 3; k++) {
    load.force[k] = d->force[k], load.torque[k] = d->torque[k];
    any = any || d->force[k] != 0 || d->torque[k] != 0;
  }
  return !any || add_law(s, &load, d->name, LWI_ALONG_BUSHING, s->bushings.n - 1,
                         &(law_words){LWI_LAW_NAMES, name, name});
}
