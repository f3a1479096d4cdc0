/* SPDX-License-Identifier: Apache-2.0 */
/* column_measures.c -- result columns of measures, and accelerations of bodies and points: names,
   values, derivatives, magnitudes. */
#include "sim/output/column_measures.h"
#include "model/model.h"
#include "tree/loops/work.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ax.F: component of [angular; linear]; -1: another name */
static int acceleration_component(const char *name, size_t length)
{
  static const char *const prefix[6] = {"wdotx", "wdoty", "wdotz", "ax", "ay", "az"};
  for (int i = 0; i < 6; i++)
    if (strlen(prefix[i]) == length && memcmp(prefix[i], name, length) == 0) return i;
  return -1;
}

/* load.M, power.M; fx.F ... tz.F; load of joint springs and torsions; false: no such column */
static bool find_applied(const lw_model *m, const char *name, size_t length, lwi_column *out)
{
  static const char *const prefix[8] = {"load", "power", "tx", "ty", "tz", "fx", "fy", "fz"};
  int k = 0, own;
  while (k < 8 && !(strlen(prefix[k]) == length && memcmp(prefix[k], name, length) == 0))
    k++;
  if (k == 8 || !name[length]) return false;
  const int number = lwi_name_find(m->force_index, name + length + 1, strlen(name + length + 1));
  const lwi_force_kind kind = lwi_force_at(m, number, &own);
  if (k < 2 && kind == LWI_FORCE_motor)
    *out = (lwi_column){.kind = LWI_COLUMN_MOTOR, .id = 1 + own, .component = k};
  else if (k >= 2 && kind == LWI_FORCE_load && !m->load[own].carrier)
    *out = (lwi_column){.kind = LWI_COLUMN_APPLIED, .id = 1 + own, .component = k - 2};
  else if (k == 0 && (kind == LWI_FORCE_joint_spring || kind == LWI_FORCE_torsion))
    *out = (lwi_column){.kind = LWI_COLUMN_ELEMENT, .id = 1 + number};
  else if (k >= 2 && kind == LWI_FORCE_bushing)
    *out = (lwi_column){.kind = LWI_COLUMN_ELEMENT, .id = 1 + number, .component = k - 2};
  else
    return false;
  return true;
}

/* load.friction.J while J slides: that of the motor that is its friction then (joint_elements.c) */
static bool find_sliding(const lw_model *m, const char *name, lwi_column *out)
{
  static const char prefix[] = "load.friction.", of[] = "friction of ";
  if (strncmp(name, prefix, sizeof prefix - 1) != 0) return false;
  const char *coordinate = name + sizeof prefix - 1;
  for (int i = 0; i < m->nmotor; i++) {
    const char *motor = m->motor[i].name;
    if (strncmp(motor, of, sizeof of - 1) != 0) continue;
    const char *joint = motor + sizeof of - 1;
    const size_t length = strlen(joint);
    const lw_joint_info j = lw_get_joint(m, lw_find_joint(m, joint));
    if (!j.name || strncmp(coordinate, joint, length) != 0) continue;
    const char *dof = coordinate + length;
    const int k = *dof == '.' ? atoi(dof + 1) : 1;
    if ((*dof && *dof != '.') || m->motor[i].u != j.u_all + k - 1) continue;
    *out = (lwi_column){.kind = LWI_COLUMN_MOTOR, .id = 1 + i};
    return true;
  }
  return false;
}

bool lwi_column_find(const lw_model *m, const char *name, lwi_column *out)
{
  if (find_sliding(m, name, out)) return true;
  const size_t length = strcspn(name, ".");
  *out = (lwi_column){.kind = LWI_COLUMN_MEASURE};
  if (lwi_measure_find(m, name, &out->measure)) {
    out->id = 1 + out->measure.of;
    const bool tension = out->measure.kind == LWI_MEASURE_TENSION;
    const int law = tension ? m->spring[out->measure.of].law : 0;
    if (law) *out = (lwi_column){.kind = LWI_COLUMN_APPLIED, .id = law, .component = 3};
    return true;
  }
  if (find_applied(m, name, length, out)) return true;
  for (int i = 0; i < m->nstate; i++)
    if (m->state[i].hidden && strcmp(m->state[i].name, name) == 0) {
      *out =
          (lwi_column){.kind = LWI_COLUMN_STATE, .id = i + 1, .component = lwi_first_state(m) + i};
      return true;
    }
  const int k = name[length] ? acceleration_component(name, length) : -1;
  const int frame = k < 0 ? -1 : lwi_frame_find(m, name + length + 1, strlen(name + length + 1));
  if (frame < 0) return false;
  *out = (lwi_column){.kind = LWI_COLUMN_ACCELERATION, .id = 1 + frame, .component = k};
  return true;
}

double lwi_measure_value(const lw_model *m, const lw_work *w, const lwi_measure *e)
{
  return w->kernels->get_measure(m, w->tree, e);
}

double lwi_measure_scale(const lw_model *m, const lw_work *w, const lwi_measure *e)
{
  double sum = 0;
  if (e->kind == LWI_MEASURE_AXIS) return 1;
  if (e->kind == LWI_MEASURE_ANGLE || e->kind == LWI_MEASURE_ANGLE_RATE)
    return fmax(fabs(lwi_measure_value(m, w, e)), e->kind == LWI_MEASURE_ANGLE ? 1 : 0);
  if (e->kind >= LWI_MEASURE_LENGTH && e->kind <= LWI_MEASURE_TENSION) {
    const lwi_measure length = {.kind = LWI_MEASURE_LENGTH, .of = e->of};
    const double l = fabs(lwi_measure_value(m, w, &length));
    const double size = fabs(lwi_measure_value(m, w, e));
    return e->kind == LWI_MEASURE_TENSION ? size + fabs(m->spring[e->of].stiffness) * l
                                          : fmax(size, e->kind == LWI_MEASURE_LENGTH ? l : 0);
  }
  for (int k = 0; k < 3; k++) {
    lwi_measure one = *e;
    one.component = k;
    sum = fmax(sum, fabs(lwi_measure_value(m, w, &one)));
  }
  return sum;
}
