/* SPDX-License-Identifier: Apache-2.0 */
/* laws.c -- springs of any law.  The names that a law has for what it acts on (l and ldot of a spring, q and u of a joint
   spring) are put in terms of measures, coordinates and speeds; the law is then the expression of an applied load along
   the spring, or of a motor. */
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
    return lwi_spec_fail(s, LW_E_MODEL, e->mark, "\"%.60s\": the law is too long", e->text), false;
  lwi_expr_free(&e->expr);
  e->expr = whole;
  return true;
}

bool lwi_law_names(lw_spec *s, double number, const lwi_law_name name[2])
{
  const int index = lwi_expr_index(number);
  if (index < 0 || index >= s->nexpr) return true;
  lwi_spec_expr *e = &s->expr[index];
  lwi_expr by[2] = {{0}, {0}};
  const lwi_expr **instead = calloc((size_t)e->expr.nname + 1, sizeof *instead);
  bool good = instead || (lwi_spec_no_memory(s), false), any = false;
  for (int i = 0; i < 2 && good; i++)
    good = parse(s, name[i].text, &by[i]);
  for (int k = 0; k < e->expr.nname && good; k++)
    for (int i = 0; i < 2; i++)
      if (strcmp(e->expr.name[k].text, name[i].name) == 0) instead[k] = &by[i], any = true;
  if (good && any) good = replace(s, e, instead);
  for (int i = 0; i < 2; i++)
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
  return lwi_law_names(s, number, (const lwi_law_name[2]){{"q", text[0]}, {"u", text[1]}});
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
  s->motors.item[s->motors.n - 1].along = sign;
}

bool lwi_add_tension(lw_spec *s, const lw_spring_desc *d)
{
  char quoted[LWI_QUOTED_SIZE], length[LWI_QUOTED_SIZE + 8], rate[LWI_QUOTED_SIZE + 8], name[300];
  const char *own = lwi_expr_write_name(d->name, quoted);
  snprintf(length, sizeof length, "length.%s", own);
  snprintf(rate, sizeof rate, "rate.%s", own);
  snprintf(name, sizeof name, "tension of %.200s", d->name);
  if (d->stiffness != 0 || d->damping != 0)
    return lwi_spec_fail(s, LW_E_MODEL, s->mark,
                         "force \"%s\": a spring has `tension`, or `stiffness` and `damping`",
                         d->name),
           false;
  lw_load_desc load = {.body = d->from, .force = {d->tension}};
  if (!lwi_law_names(s, d->tension, (const lwi_law_name[2]){{"l", length}, {"ldot", rate}}))
    return false;
  if (!lwi_spec_enter_name(s, "force", &s->force_names, name, &load.name)) return false;
  if (!LWI_SPEC_APPEND(s, loads, load)) return false;
  s->loads.item[s->loads.n - 1].along = s->springs.n;
  return true;
}
