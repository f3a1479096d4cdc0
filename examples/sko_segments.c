/* SPDX-License-Identifier: Apache-2.0 */
/* A humanoid as a tree of serial segments: torso, head, two arms, two legs.  Every segment becomes
   one node of an aggregated model, whose forward dynamics must be that of the bodies.  Prints the
   segments, the pattern of the mass matrix that they predict, and the difference; fails if there
   is one. */
#include "linkwork/sko.h"
#include "linkwork/query.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static lw_body add_link(lw_spec *s, const char *side, const char *part, double mass, double length)
{
  char name[32];
  snprintf(name, sizeof name, "%s%s", side, part);
  return lw_add_body(s, &(lw_body_desc){.name = name,
                                        .solid = {.type = LW_SOLID_CYLINDER,
                                                  .mass = mass,
                                                  .radius = 0.05,
                                                  .length = length,
                                                  .at = {0, 0, -length / 2}}});
}

/* a joint at a place of the parent, at the upper end of the child */
static void add_hinge(lw_spec *s, const char *side, const char *joint, lw_joint_type type,
                      lw_body parent, lw_body child, const double at[3])
{
  char name[32];
  snprintf(name, sizeof name, "%s%s", side, joint);
  lw_add_joint(s, &(lw_joint_desc){.name = name,
                                   .type = type,
                                   .parent = parent,
                                   .child = child,
                                   .place = {.at = {at[0], at[1], at[2]}},
                                   .axis = {0, 1, 0},
                                   .axis2 = {1, 0, 0}});
}

/* upper part, lower part and end of an arm or a leg: 3 + 1 + 2 freedoms */
typedef struct {
  const char *part[3], *joint[3];
  double mass[3], length[3];
} limb;

static void add_limb(lw_spec *s, const limb *l, const char *side, lw_body torso, const double at[3])
{
  const lw_joint_type type[3] = {LW_SPHERICAL, LW_REVOLUTE, LW_UNIVERSAL};
  lw_body on = torso;
  for (int i = 0; i < 3; i++) {
    const double end[3] = {0, 0, i > 0 ? -l->length[i - 1] : 0};
    const lw_body b = add_link(s, side, l->part[i], l->mass[i], l->length[i]);
    add_hinge(s, side, l->joint[i], type[i], on, b, i > 0 ? end : at);
    on = b;
  }
}

static lw_model *humanoid(lw_error *err)
{
  const limb arm = {{"upper_arm", "forearm", "hand"},
                    {"shoulder", "elbow", "wrist"},
                    {2.0, 1.3, 0.5},
                    {0.3, 0.27, 0.15}};
  const limb leg = {
      {"thigh", "shank", "foot"}, {"hip", "knee", "ankle"}, {8.0, 3.7, 1.1}, {0.43, 0.43, 0.1}};
  lw_spec *s = lw_spec_new();
  if (!s) return NULL;
  lw_set_name(s, "humanoid");
  const lw_body torso = add_link(s, "", "torso", 35, 0.6); /* no joint: it floats */
  const lw_body head = add_link(s, "", "head", 5, 0.25);
  add_hinge(s, "", "neck", LW_SPHERICAL, torso, head, (double[]){0, 0, 0.25});
  add_limb(s, &arm, "left_", torso, (double[]){0, 0.2, -0.05});
  add_limb(s, &arm, "right_", torso, (double[]){0, -0.2, -0.05});
  add_limb(s, &leg, "left_", torso, (double[]){0, 0.1, -0.6});
  add_limb(s, &leg, "right_", torso, (double[]){0, -0.1, -0.6});
  lw_model *m = lw_compile(s, err);
  lw_spec_free(s);
  return m;
}

static void print_segments(const lw_sko *bodies, const lw_model *m, const lw_segments *g)
{
  for (int i = 0; i < g->nsegment; i++) {
    printf("segment %d, on %2d:", i, g->parent[i]);
    for (int b = 1; b <= lw_nbody(m); b++)
      if (g->segment_of[lw_sko_find_body(bodies, (lw_body){b}, NULL)] == i)
        printf(" %s,", lw_body_name(m, (lw_body){b}));
    printf("  mass matrix: ");
    for (int j = 0; j < g->nsegment; j++)
      putchar(lw_segments_block(g, LW_PATTERN_MASS, i, j) ? '#' : '.');
    putchar('\n');
  }
}

/* accelerations by the nodes of an SKO model, in the order of the mechanism's speeds */
static lw_status solve(lw_sko *k, lw_work *w, const double *q, const double *u, const double *tau,
                       double *udot)
{
  double *T = malloc(2 * (size_t)(lw_sko_nfreedom(k) + 1) * sizeof *T);
  if (!T) return LW_E_MEMORY;
  double *thdd = T + lw_sko_nfreedom(k);
  lw_status st = lw_kinematics(w, q, u);
  if (st == LW_OK) st = lw_sko_update(k, w);
  if (st == LW_OK) st = lw_sko_factor(k);
  lw_sko_from_speeds(k, tau, T);
  if (st == LW_OK) st = lw_sko_forward_dynamics(k, T, thdd, NULL);
  if (st == LW_OK) lw_sko_to_speeds(k, thdd, udot);
  free(T);
  return st;
}

/* some pose in motion: the largest relative difference between the two ways, or -1 */
static double compare(lw_sko *segments, const lw_model *m, lw_work *w)
{
  double q[64], u[64], tau[64], by_bodies[64], by_segments[64], largest = 0, difference = 0;
  lw_initial_state(m, q, u);
  for (int i = 0; i < lw_nq(m); i++)
    q[i] += 0.3 * sin(3.0 * i);
  for (int i = 0; i < lw_nu(m); i++)
    u[i] = cos(2.0 * i), tau[i] = 5 * sin(7.0 * i);
  if (lw_normalize(m, q) != LW_OK) return -1;
  if (lw_forward_dynamics(w, 0, q, u, tau, by_bodies) != LW_OK) return -1;
  if (solve(segments, w, q, u, tau, by_segments) != LW_OK) return -1;
  for (int i = 0; i < lw_nu(m); i++) {
    largest = fmax(largest, fabs(by_bodies[i]));
    difference = fmax(difference, fabs(by_bodies[i] - by_segments[i]));
  }
  return difference / largest;
}

int main(void)
{
  lw_error err = {.text = "out of memory"};
  double difference = -1;
  lw_model *m = humanoid(&err);
  if (!m) return fprintf(stderr, "sko_segments: %s\n", err.text), 1;
  lw_work *w = lw_work_new(m);
  lw_sko *bodies = lw_sko_from_model(m, NULL);
  lw_sko *segments = bodies ? lw_sko_aggregate_segments(bodies, NULL) : NULL;
  lw_segments *g = bodies ? lw_segments_new(lw_sko_tree(bodies), NULL) : NULL;
  if (w && segments && g) {
    printf("%s: %d bodies, %d freedoms, %d segments\n", lw_model_name(m), lw_sko_nnode(bodies),
           lw_sko_nfreedom(bodies), lw_sko_nnode(segments));
    print_segments(bodies, m, g);
    difference = compare(segments, m, w);
    printf("accelerations by segments and by bodies differ by %.1e of the largest\n", difference);
  }
  lw_segments_free(g);
  lw_sko_free(segments);
  lw_sko_free(bodies);
  lw_work_free(w);
  lw_model_free(m);
  return !(difference >= 0 && difference < 1e-10);
}
