/* SPDX-License-Identifier: Apache-2.0 */
/* many_states.c -- forward dynamics of a thousand states at once.  Coordinate i of state k is
   element [i*n + k], so that neighbouring states fill the lanes of one vector instruction. */
#include <linkwork/core.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { LINKS = 7, STATES = 1000 };

static lw_model *build_arm(lw_error *err)
{
  lw_spec *s = lw_spec_new();
  lw_body parent = {0};
  for (int i = 0; i < LINKS; i++) {
    char name[16];
    snprintf(name, sizeof name, "link%d", i + 1);
    const lw_body link = lw_add_body(
        s, &(lw_body_desc){
               .name = name, .mass = 2, .com = {0, 0, 0.15}, .inertia = {0.02, 0.02, 0.005}});
    snprintf(name, sizeof name, "J%d", i + 1);
    lw_add_joint(s, &(lw_joint_desc){.name = name,
                                     .type = LW_REVOLUTE,
                                     .parent = parent,
                                     .child = link,
                                     .place = {.at = {0, 0, i ? 0.3 : 0}},
                                     .axis = {i % 2, 0, (i + 1) % 2}});
    parent = link;
  }
  lw_model *m = lw_compile(s, err);
  lw_spec_free(s);
  return m;
}

int main(void)
{
  static double q[LINKS * STATES], u[LINKS * STATES], udot[LINKS * STATES];
  lw_error err;
  lw_model *m = build_arm(&err);
  if (!m) return fprintf(stderr, "%s\n", err.text), 1;
  for (int i = 0; i < LINKS * STATES; i++)
    q[i] = sin(i), u[i] = cos(3 * i);

  lw_work *many = lw_work_new_batch(m), *one = lw_work_new(m);
  lw_status st = many && one ? LW_OK : LW_E_MEMORY;
  if (st == LW_OK) st = lw_forward_dynamics_n(many, STATES, 0, q, u, NULL, udot);

  /* the last state again, by itself */
  double q1[LINKS], u1[LINKS], udot1[LINKS], gap = 0;
  for (int i = 0; i < LINKS; i++)
    q1[i] = q[i * STATES + STATES - 1], u1[i] = u[i * STATES + STATES - 1];
  if (st == LW_OK) st = lw_forward_dynamics(one, 0, q1, u1, NULL, udot1);
  for (int i = 0; i < LINKS && st == LW_OK; i++)
    gap = fmax(gap, fabs(udot1[i] - udot[i * STATES + STATES - 1]) / (1 + fabs(udot1[i])));
  if (st == LW_OK)
    printf("%d states, %d at a time; the last one alone differs by %.1e\n", STATES,
           lw_work_lanes(many), gap);
  else
    fprintf(stderr, "%s\n", lw_status_text(st));
  lw_work_free(many);
  lw_work_free(one);
  lw_model_free(m);
  return st != LW_OK || gap > 1e-9;
}
