/* SPDX-License-Identifier: Apache-2.0 */
/* state.h -- helpers for states: where the quaternions are in q, and quaternion arithmetic.

   A joint has more coordinates than speeds exactly if it has a quaternion.  Then the quaternion is
   its last four coordinates, and its first three speeds are the angular velocity w in child axes,
   with qdot = 1/2 q o w. */
#ifndef LWI_SIM_FORMULATION_STATE_H
#define LWI_SIM_FORMULATION_STATE_H
#include "linkwork/model.h"
#include "math/finite.h"

#include <math.h>

/* Index in q of the joint's quaternion, or -1.  Cut joints have no coordinates in q. */
static inline int quaternion_at(const lw_joint_info *j)
{
  return j->q >= 0 && j->nq > j->nu ? j->q + j->nq - 4 : -1;
}

static inline double quaternion_norm(const double e[4])
{
  return sqrt(e[0] * e[0] + e[1] * e[1] + e[2] * e[2] + e[3] * e[3]);
}

static inline void quaternion_scale(double e[4], double factor)
{
  for (int i = 0; i < 4; i++)
    e[i] *= factor;
}

/* e o exp(dt w / 2): the exact rotation with constant angular velocity w in child axes. */
static inline void quaternion_turn(const double e[4], const double w[3], double dt, double out[4])
{
  const double half = 0.5 * dt * sqrt(w[0] * w[0] + w[1] * w[1] + w[2] * w[2]);
  /* sin(half)/half by its series where the quotient would lose digits or be 0/0 */
  const double s = 0.5 * dt * (half > 1e-4 ? sin(half) / half : 1 - half * half / 6);
  const double c = cos(half), x = s * w[0], y = s * w[1], z = s * w[2];

  out[0] = e[0] * c - e[1] * x - e[2] * y - e[3] * z;
  out[1] = e[0] * x + e[1] * c + e[2] * z - e[3] * y;
  out[2] = e[0] * y - e[1] * z + e[2] * c + e[3] * x;
  out[3] = e[0] * z + e[1] * y - e[2] * x + e[3] * c;
}

/* Returns true if b is close to -a rather than to a. */
static inline bool lwi_quaternion_is_turned(const double a[4], const double b[4])
{
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3] < 0;
}

/* Gives the quaternions of q the signs of those of `like`. */
static inline void lwi_align_quaternions(const lw_model *m, const double like[], double q[])
{
  for (int j = 1; j <= lw_njoint(m); j++) {
    const lw_joint_info joint = lw_get_joint(m, (lw_joint){j});
    const int at = quaternion_at(&joint);
    if (at < 0) continue;
    double dot = 0;
    for (int i = at; i < at + 4; i++)
      dot += q[i] * like[i];
    if (dot < 0) quaternion_scale(q + at, -1);
  }
}

#endif
