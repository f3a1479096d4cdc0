/* SPDX-License-Identifier: Apache-2.0 */
/* measure.c -- finds measures and force elements by name. */
#include "model/model.h"

#include <string.h>

/* what comes before the first dot of a name */
static const struct {
  const char *prefix;
  lwi_measure_kind kind;
  int component, axis;
} measures[] = {
    {"x", LWI_MEASURE_POSITION, 0, 0},      {"y", LWI_MEASURE_POSITION, 1, 0},
    {"z", LWI_MEASURE_POSITION, 2, 0},      {"vx", LWI_MEASURE_VELOCITY, 0, 0},
    {"vy", LWI_MEASURE_VELOCITY, 1, 0},     {"vz", LWI_MEASURE_VELOCITY, 2, 0},
    {"wx", LWI_MEASURE_SPIN, 0, 0},         {"wy", LWI_MEASURE_SPIN, 1, 0},
    {"wz", LWI_MEASURE_SPIN, 2, 0},         {"xx", LWI_MEASURE_AXIS, 0, 0},
    {"xy", LWI_MEASURE_AXIS, 1, 0},         {"xz", LWI_MEASURE_AXIS, 2, 0},
    {"yx", LWI_MEASURE_AXIS, 0, 1},         {"yy", LWI_MEASURE_AXIS, 1, 1},
    {"yz", LWI_MEASURE_AXIS, 2, 1},         {"zx", LWI_MEASURE_AXIS, 0, 2},
    {"zy", LWI_MEASURE_AXIS, 1, 2},         {"zz", LWI_MEASURE_AXIS, 2, 2},
    {"length", LWI_MEASURE_LENGTH, 0, 0},   {"rate", LWI_MEASURE_LENGTH_RATE, 0, 0},
    {"tension", LWI_MEASURE_TENSION, 0, 0}, {"angle", LWI_MEASURE_ANGLE, 0, 0},
    {"dx", LWI_MEASURE_SHIFT, 0, 0},        {"dy", LWI_MEASURE_SHIFT, 1, 0},
    {"dz", LWI_MEASURE_SHIFT, 2, 0},        {"dvx", LWI_MEASURE_SHIFT_RATE, 0, 0},
    {"dvy", LWI_MEASURE_SHIFT_RATE, 1, 0},  {"dvz", LWI_MEASURE_SHIFT_RATE, 2, 0},
    {"rx", LWI_MEASURE_TURN, 0, 0},         {"ry", LWI_MEASURE_TURN, 1, 0},
    {"rz", LWI_MEASURE_TURN, 2, 0},         {"dwx", LWI_MEASURE_TURN_RATE, 0, 0},
    {"dwy", LWI_MEASURE_TURN_RATE, 1, 0},   {"dwz", LWI_MEASURE_TURN_RATE, 2, 0},
};

int lwi_frame_find(const lw_model *m, const char *name, size_t length)
{
  if (length == 6 && memcmp(name, "ground", 6) == 0) return 0;
  const int i = lwi_name_find(m->body_index, name, length);
  return i < 0 ? -1 : i + 1;
}

/* NAME, or NAME.in.NAME */
static bool find_frames(const lw_model *m, const char *name, lwi_measure *out)
{
  out->in = 0;
  out->of = lwi_frame_find(m, name, strlen(name));
  if (out->of >= 0) return true;
  for (const char *at = strstr(name, ".in."); at; at = strstr(at + 1, ".in.")) {
    out->of = lwi_frame_find(m, name, (size_t)(at - name));
    out->in = lwi_frame_find(m, at + 4, strlen(at + 4));
    if (out->of >= 0 && out->in >= 0) return true;
  }
  return false;
}

lwi_force_kind lwi_force_at(const lw_model *m, int number, int *own)
{
  *own = number;
  if (number < 0) return LWI_FORCE_KINDS;
#define AMONG(item, ...)                                                                           \
  if (*own < m->n##item) return LWI_FORCE_##item;                                                  \
  *own -= m->n##item;
  LWI_FORCE_LIST(AMONG)
#undef AMONG
  return LWI_FORCE_KINDS;
}

/* a spring, torsion or bushing; a rate belongs to the first two */
static bool find_element(const lw_model *m, const char *name, lwi_measure *out)
{
  const lwi_force_kind kind =
      lwi_force_at(m, lwi_name_find(m->force_index, name, strlen(name)), &out->of);
  if (kind == LWI_FORCE_torsion && out->kind == LWI_MEASURE_LENGTH_RATE)
    out->kind = LWI_MEASURE_ANGLE_RATE;
  return kind == (out->kind >= LWI_MEASURE_SHIFT   ? LWI_FORCE_bushing
                  : out->kind >= LWI_MEASURE_ANGLE ? LWI_FORCE_torsion
                                                   : LWI_FORCE_spring);
}

bool lwi_measure_find(const lw_model *m, const char *name, lwi_measure *out)
{
  const char *dot = strchr(name, '.');
  if (!dot) return false;
  for (size_t i = 0; i < sizeof measures / sizeof *measures; i++) {
    const size_t length = strlen(measures[i].prefix);
    if (length != (size_t)(dot - name) || memcmp(name, measures[i].prefix, length) != 0) continue;
    *out = (lwi_measure){
        .kind = measures[i].kind, .component = measures[i].component, .axis = measures[i].axis};
    if (out->kind < LWI_MEASURE_LENGTH) return find_frames(m, dot + 1, out);
    return find_element(m, dot + 1, out);
  }
  return false;
}
