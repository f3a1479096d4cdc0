/* SPDX-License-Identifier: Apache-2.0 */
/* mechanism.h -- mechanisms and states to measure with, described in no engine's terms.

   Bodies 0 ... nbody-1, every parent before its children.  Body i hangs on a revolute joint: at
   angle 0 its frame lies in the parent's frame at `at`, turned by `quat`; the axis passes through
   its origin.  If `floating`, body 0 hangs on a free joint instead.

   Coordinates and speeds come in the order of the bodies.  The free joint has q = position in
   ground, then quaternion (w, x, y, z), and u = [w; v] of the body and its origin in its own axes.
   SI units.  The same name and seed give the same numbers everywhere. */
#ifndef BENCH_MECHANISM_H
#define BENCH_MECHANISM_H
#include <stdbool.h>
#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
  int parent;                      /* -1: the ground */
  double at[3], quat[4];           /* the joint in the parent's frame */
  double axis[3];                  /* unit vector in the joint's frame, which is the body's */
  double mass, com[3], inertia[6]; /* about com, body axes: xx yy zz xy xz yz */
  double moments[3],
      principal[4]; /* the same inertia: principal moments, their frame in the body's */
} mechanism_body;

typedef struct {
  char name[24];
  bool floating;
  int nbody, nq, nu;
  double gravity[3];
  mechanism_body *body; /* [nbody] */
} mechanism;

/* Random places, axes, masses and inertias.  NULL: out of memory. */
mechanism *mechanism_chain(int nbody);
mechanism *mechanism_binary_tree(int nbody);
/* 32 revolute joints on a pelvis that floats (38 freedoms) or is bolted to the ground (32). */
mechanism *mechanism_humanoid(bool floating);
void mechanism_free(mechanism *m);

bool mechanism_is_chain(const mechanism *m);

typedef struct {
  double *q;              /* [nq] */
  double *u, *udot, *tau; /* [nu] */
} mechanism_state;

/* nstate random states, allocated as one block: free(states).  NULL: out of memory. */
mechanism_state *mechanism_states(const mechanism *m, int nstate, unsigned long long seed);

/* R of a unit quaternion, row by row. */
void mechanism_rotation(const double quat[4], double R[9]);

#ifdef __cplusplus
}
#endif
#endif
