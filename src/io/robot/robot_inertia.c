/* SPDX-License-Identifier: Apache-2.0 */
/* robot_inertia.c -- mass properties of links: adding them up, and repairing what no rigid body
   has.

   With the second moments S = integral of x x^T dm about the centre of mass, I = tr(S) E - S and
   S = tr(I)/2 E - I.  A rigid body has a positive semidefinite S: its eigenvalues are half the
   amounts by which two principal moments together exceed the third.  The repaired inertia has the
   same axes, and eigenvalues of S that are at least a small part of the largest one. */
#include "io/robot/robot.h"

#include "linalg/eigen.h"

#include <math.h>

static const double noise = 1e-9;    /* relative: rounding errors of a file */
static const double nothing = 1e-14; /* m^2, inertia by mass: digits that a computer left behind */
static const double little = 1e-6;   /* relative: the least second moment after a repair */

void lwi_inertia_turn(const double I[6], rot3 R, double out[6])
{
  const rot3 M = {{{I[0], I[3], I[4], 0}, {I[3], I[1], I[5], 0}, {I[4], I[5], I[2], 0}}};
  const rot3 T = rot_mul(rot_mul(R, M), rot_transpose(R));
  const double turned[6] = {T.c[0][0], T.c[1][1], T.c[2][2], T.c[0][1], T.c[0][2], T.c[1][2]};
  for (int i = 0; i < 6; i++)
    out[i] = turned[i];
}

/* the inertia of a point mass at d, about the origin */
static void add_point(double I[6], double mass, const double d[3])
{
  I[0] += mass * (d[1] * d[1] + d[2] * d[2]);
  I[1] += mass * (d[0] * d[0] + d[2] * d[2]);
  I[2] += mass * (d[0] * d[0] + d[1] * d[1]);
  I[3] -= mass * d[0] * d[1];
  I[4] -= mass * d[0] * d[2];
  I[5] -= mass * d[1] * d[2];
}

void lwi_mass_add(lwi_mass *a, const lwi_mass *b, lwi_frame place)
{
  const double mass = a->mass + b->mass;
  double com[3], turned[6], center[3];
  lwi_frame_point(place, b->com, com);
  lwi_inertia_turn(b->inertia, place.R, turned);
  for (int i = 0; i < 3; i++)
    center[i] = mass > 0 ? (a->mass * a->com[i] + b->mass * com[i]) / mass : a->com[i];
  const double da[3] = {a->com[0] - center[0], a->com[1] - center[1], a->com[2] - center[2]};
  const double db[3] = {com[0] - center[0], com[1] - center[1], com[2] - center[2]};
  for (int i = 0; i < 6; i++)
    a->inertia[i] += turned[i];
  add_point(a->inertia, a->mass, da);
  add_point(a->inertia, b->mass, db);
  a->mass = mass;
  for (int i = 0; i < 3; i++)
    a->com[i] = center[i];
}

/* ---- what no rigid body has ---- */

/* I from its second moments s along the rows of V */
static void from_second_moments(const double V[9], const double s[3], double I[6])
{
  static const int row[6] = {0, 1, 2, 0, 0, 1}, column[6] = {0, 1, 2, 1, 2, 2};
  for (int k = 0; k < 6; k++) {
    I[k] = k < 3 ? s[0] + s[1] + s[2] : 0;
    for (int i = 0; i < 3; i++)
      I[k] -= s[i] * V[3 * i + row[k]] * V[3 * i + column[k]];
  }
}

bool lwi_mass_is_rigid(const lwi_mass *m)
{
  const double *I = m->inertia;
  double A[9] = {I[0], I[3], I[4], I[3], I[1], I[5], I[4], I[5], I[2]}, V[9], P[3];
  lwi_symmetric_eigen(3, A, V, P);
  const double sum = P[0] + P[1] + P[2];
  bool rigid = true;
  for (int i = 0; i < 3; i++)
    rigid = rigid && P[i] >= 0 && P[i] <= 1.1 * (sum - P[i]);
  return rigid;
}

typedef struct {
  lwi_listing repaired, kept;
} report;

/* Principal moments that are negative make the motion unstable; those that only break the triangle
   inequality do not, and are kept unless a repair is asked for. */
static void check(lwi_robot *r, lwi_robot_link *link, report *out)
{
  double *I = link->own.inertia, A[9] = {I[0], I[3], I[4], I[3], I[1], I[5], I[4], I[5], I[2]};
  double V[9], P[3], s[3], largest = 0, sum = 0, most = 0;
  lwi_symmetric_eigen(3, A, V, P);
  for (int i = 0; i < 3; i++) {
    largest = fmax(largest, fabs(P[i]));
    sum += P[i];
  }
  if (largest < nothing * link->own.mass) {
    for (int i = 0; i < 6; i++)
      I[i] = 0;
    return;
  }
  bool negative = false, possible = true;
  for (int i = 0; i < 3; i++) {
    s[i] = sum / 2 - P[i];
    most = fmax(most, s[i]);
    negative = negative || P[i] < -noise * largest;
    possible = possible && s[i] >= -noise * largest;
  }
  if (possible && !negative) return;
  const lw_inertia_rule rule = r->options->inertia;
  if (rule == LW_INERTIA_KEEP || (rule == LW_INERTIA_AUTO && !negative)) {
    lwi_listing_add(&out->kept, link->name);
    return;
  }
  lwi_listing_add(&out->repaired, link->name);
  for (int i = 0; i < 3; i++)
    s[i] = fmax(s[i], little * most);
  from_second_moments(V, s, I);
}

bool lwi_robot_check_inertias(lwi_robot *r)
{
  report found = {0};
  for (int i = 0; i < r->nlink; i++)
    check(r, &r->link[i], &found);
  if (found.repaired.n)
    lwi_robot_note(
        r, "no rigid body has the inertia of %s: repaired (--inertia keep uses it as written)",
        lwi_listing_text(&found.repaired));
  if (found.kept.n)
    lwi_robot_note(r,
                   "no rigid body has the inertia of %s: used as written (--inertia repair "
                   "changes it)",
                   lwi_listing_text(&found.kept));
  return true;
}
