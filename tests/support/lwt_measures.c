/* SPDX-License-Identifier: Apache-2.0 */
/* lwt_measures.c -- forces whose expressions use random measures: positions, velocities, axes and spins of bodies and
   points seen from others, lengths and rates of springs. */
#include "lwt.h"
#include "lwt_measures.h"

#include "model/spec/spec_data.h"

#include <stdio.h>
#include <string.h>

enum { POINTS = 3, LOADS = 3 };

static void frame_name(lwt_random *r, const lw_spec *s, char *out, size_t size)
{
  const int i = lwt_pick(r, s->bodies.n + s->points.n + 1);
  const char *name = i == 0             ? "ground"
                     : i <= s->bodies.n ? s->bodies.item[i - 1].d.name
                                        : s->points.item[i - s->bodies.n - 1].d.name;
  snprintf(out, size, "%s", name);
}

static void measure_name(lwt_random *r, const lw_spec *s, char *out, size_t size)
{
  static const char *const prefix[] = {"x",  "y",  "z",  "vx", "vy", "vz", "wx", "wy", "wz",
                                       "xx", "xy", "xz", "yx", "yy", "yz", "zx", "zy", "zz"};
  char of[32], in[32];
  const int k = lwt_pick(r, 20);
  if (k >= 18 && s->springs.n > 0) {
    snprintf(out, size, "%s.%s", k == 18 ? "length" : "rate",
             s->springs.item[lwt_pick(r, s->springs.n)].d.name);
    return;
  }
  frame_name(r, s, of, sizeof of);
  frame_name(r, s, in, sizeof in);
  snprintf(out, size, "%s.%s%s%s", prefix[k % 18], of, lwt_pick(r, 2) ? ".in." : "", in);
  if (!strstr(out, ".in.")) out[strlen(prefix[k % 18]) + 1 + strlen(of)] = '\0';
}

/* a smooth function of three measures */
static double measured(lwt_random *r, lw_spec *s, double size)
{
  char a[80], b[80], c[80], text[400];
  measure_name(r, s, a, sizeof a);
  measure_name(r, s, b, sizeof b);
  measure_name(r, s, c, sizeof c);
  snprintf(text, sizeof text, "%.3g*(sin(%s + 0.3*t) + %.3g*tanh(%s)*cos(%s))", size, a,
           lwt_uniform(r, -1, 1), b, c);
  return lw_expr(s, text);
}

static void add_points(lwt_random *r, lw_spec *s)
{
  for (int i = 0; i < POINTS; i++) {
    char name[32];
    snprintf(name, sizeof name, "point%d", i);
    lw_point_desc d = {.name = name, .body = {lwt_pick(r, s->bodies.n + 1)}};
    for (int k = 0; k < (s->planar ? 2 : 3); k++)
      d.place.at[k] = lwt_uniform(r, -1, 1);
    d.place.orient.type = LW_ORIENT_RPY;
    for (int k = s->planar ? 2 : 0; k < 3; k++)
      d.place.orient.value[k] = lwt_uniform(r, -1, 1);
    lw_add_point(s, &d);
  }
}

void lwt_add_measured_forces(lw_spec *s, unsigned seed)
{
  lwt_random r = lwt_seed(seed);
  const int plane = s->planar ? 2 : 3;
  add_points(&r, s);
  lw_add_spring(s, &(lw_spring_desc){.name = "measured_spring",
                                     .to = {1 + lwt_pick(&r, s->bodies.n)},
                                     .from_at = {0.4, -0.7, 0},
                                     .to_at = {0.2, 0.1, 0},
                                     .stiffness = 2,
                                     .length = 0.3});
  for (int i = 0; i < LOADS; i++) {
    char name[32];
    snprintf(name, sizeof name, "measured_load%d", i);
    lw_load_desc d = {
        .name = name, .body = {1 + lwt_pick(&r, s->bodies.n)}, .body_axes = i % 2 == 1};
    for (int k = 0; k < plane; k++) {
      d.at[k] = lwt_uniform(&r, -0.5, 0.5);
      d.force[k] = measured(&r, s, 2);
    }
    for (int k = s->planar ? 2 : 0; k < 3; k++)
      d.torque[k] = measured(&r, s, 1);
    lw_add_load(s, &d);
  }
  for (int j = 1; j <= s->joints.n; j++) {
    const lw_joint_type type = s->joints.item[j - 1].d.type;
    if (type != LW_REVOLUTE && type != LW_PRISMATIC) continue;
    lw_add_motor(
        s, &(lw_motor_desc){.name = "measured_motor", .joint = {j}, .value = measured(&r, s, 1)});
    break;
  }
}
