/* SPDX-License-Identifier: Apache-2.0 */
/* column_units.c -- the units of result columns: SI, angles in radians.  Outputs have one where it
   follows from those of the columns that they are made of; plain numbers and parameters may have
   any. */
#include "model/expression/expr_dimension.h"
#include "model/expression/units.h"
#include "model/joint/joint.h"
#include "model/model.h"
#include "sim/output/columns_data.h"

#include <stdio.h>
#include <string.h>

/* The coordinates of a joint with a quaternion are positions, then the quaternion. */
static const char *coordinate_unit(const lw_model *m, const lwi_column *k)
{
  const lw_joint_info j = lw_get_joint(m, (lw_joint){k->id});
  const int i = k->component - j.q_all;
  if (j.nq > j.nu) return i >= j.nq - 4 ? "1" : "m";
  return lwi_joint_turns(j.type, m->planar, i) ? "rad" : "m";
}

static const char *speed_unit(const lw_model *m, const lwi_column *k)
{
  const lw_joint_info j = lw_get_joint(m, (lw_joint){k->id});
  const bool turns = lwi_joint_turns(j.type, m->planar, k->component - j.u_all);
  if (k->kind == LWI_COLUMN_U) return turns ? "rad/s" : "m/s";
  return turns ? "rad/s^2" : "m/s^2";
}

static const char *measure_unit(lwi_measure_kind kind)
{
  static const char *const unit[LWI_MEASURE_KINDS] = {
      [LWI_MEASURE_POSITION] = "m",       [LWI_MEASURE_VELOCITY] = "m/s",
      [LWI_MEASURE_SPIN] = "rad/s",       [LWI_MEASURE_AXIS] = "1",
      [LWI_MEASURE_LENGTH] = "m",         [LWI_MEASURE_LENGTH_RATE] = "m/s",
      [LWI_MEASURE_TENSION] = "N",        [LWI_MEASURE_ANGLE] = "rad",
      [LWI_MEASURE_ANGLE_RATE] = "rad/s", [LWI_MEASURE_SHIFT] = "m",
      [LWI_MEASURE_SHIFT_RATE] = "m/s",   [LWI_MEASURE_TURN] = "rad",
      [LWI_MEASURE_TURN_RATE] = "rad/s",
  };
  return unit[kind];
}

/* A load along speed number u of the model. */
static const char *load_unit(const lw_model *m, int u)
{
  for (int j = 1; j <= m->njoint; j++) {
    const lw_joint_info *i = &m->joint[j].info;
    if (u >= i->u_all && u < i->u_all + i->nu)
      return lwi_joint_turns(i->type, m->planar, u - i->u_all) ? "N m" : "N";
  }
  return "";
}

static const char *element_unit(const lw_model *m, const lwi_column *k)
{
  int own;
  switch (lwi_force_at(m, k->id - 1, &own)) {
  case LWI_FORCE_joint_spring: return load_unit(m, m->joint_spring[own].u);
  case LWI_FORCE_torsion: return "N m";
  default: return k->component < 3 ? "N m" : "N"; /* bushing: [torque; force] */
  }
}

/* Loads of relations are along their coordinates, N or N m, which may be several: none. */
static const char *unit_of(const lw_model *m, const lwi_column *k)
{
  const bool angular = k->component < 3; /* of [angular; linear] */
  switch (k->kind) {
  case LWI_COLUMN_TIME: return "s";
  case LWI_COLUMN_Q: return k->id > 0 ? coordinate_unit(m, k) : "";
  case LWI_COLUMN_U:
  case LWI_COLUMN_UDOT: return k->id > 0 ? speed_unit(m, k) : "";
  case LWI_COLUMN_POSE: return k->component < 3 ? "m" : "1";
  case LWI_COLUMN_VELOCITY: return angular ? "rad/s" : "m/s";
  case LWI_COLUMN_MEASURE: return measure_unit(k->measure.kind);
  case LWI_COLUMN_ACCELERATION: return angular ? "rad/s^2" : "m/s^2";
  case LWI_COLUMN_MOTOR: return k->component == 1 ? "W" : load_unit(m, m->motor[k->id - 1].u);
  case LWI_COLUMN_ELEMENT: return element_unit(m, k);
  case LWI_COLUMN_APPLIED:
  case LWI_COLUMN_LOAD:
  case LWI_COLUMN_CONSTRAINT_LOAD: return angular ? "N m" : "N";
  case LWI_COLUMN_FREEDOM: return "1";
  case LWI_COLUMN_ENERGY:
  case LWI_COLUMN_ENERGY_ERROR: return "J";
  default: return "";
  }
}

/* ---- outputs ---- */

/* "N m" is written N*m elsewhere. */
static void swap(char *text, char from, char to)
{
  for (; *text; text++)
    if (*text == from) *text = to;
}

/* "" of what is no column */
static const char *unit_of_name(const lw_columns *c, const char *name)
{
  const int at = lwi_name_find(&c->index, name, strlen(name));
  return at < 0 || lwi_find_parameter(c->m, name) >= 0 ? "" : unit_of(c->m, &c->column[at]);
}

static lwi_dimension dimension_of(const lw_columns *c, const char *name)
{
  lwi_unit unit = {0};
  char text[LWI_UNIT_SIZE];
  snprintf(text, sizeof text, "%s", unit_of_name(c, name));
  if (strcmp(text, "1") == 0) return (lwi_dimension){.known = 1};
  swap(text, ' ', '*');
  if (lwi_unit_read(text, strlen(text), &unit) == 0) return (lwi_dimension){0};
  return unit.dimension;
}

void lwi_output_unit(const lw_columns *c, int output, char unit[LWI_UNIT_SIZE])
{
  enum { MOST = 64 };
  lwi_dimension name[MOST];
  lwi_dimension_error unused = {0};
  const lwi_expr *e = &c->m->output[output].expr;
  unit[0] = 0;
  if (e->nname > MOST) return;
  if (e->nop == 1 && e->nname == 1) { /* rad/s stays what it is */
    snprintf(unit, LWI_UNIT_SIZE, "%s", unit_of_name(c, e->name[0].text));
    return;
  }
  for (int k = 0; k < e->nname; k++)
    name[k] = dimension_of(c, e->name[k].text);
  const lwi_dimension d = lwi_expr_dimension(e, name, &unused);
  static const lwi_dimension number;
  if (!d.known || unused.text[0] || memcmp(d.halves, number.halves, sizeof d.halves) == 0) return;
  snprintf(unit, LWI_UNIT_SIZE, "%s", lwi_dimension_name(d).text);
  swap(unit, '*', ' ');
}

const char *lw_columns_unit(const lw_columns *c, int index)
{
  if (!c || index < 0 || index >= c->shown) return NULL;
  for (int k = 0; k < c->noutput; k++)
    if (c->output[k].column == index) return c->output[k].unit;
  return unit_of(c->m, &c->column[index]);
}
