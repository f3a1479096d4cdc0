/* SPDX-License-Identifier: Apache-2.0 */
/* light_mechanisms.h -- closed mechanisms of many topologies and sizes with bodies much lighter than others, at states
   where their loops hold, and what a null-space solution in 113 bits says of them. */
#ifndef LIGHT_MECHANISMS_H
#define LIGHT_MECHANISMS_H
#include "oracle.h"

typedef enum {
  FOUR_BAR,
  RING,         /* five to seven bars: several freedoms */
  SIDE_BY_SIDE, /* four-bars that share bars */
  SERIES,       /* a four-bar on the coupler of another */
  BRICARD,
  SLIDER_CRANK,
  SHAFTS,  /* a spatial loop of revolute, spherical and prismatic joints */
  GRIPPER, /* four-bars on a floating hand, with tiny links between several joints of one body */
  FOOT, /* a rod between two spherical joints, each made of three hinges with tiny links between */
  PARALLEL, /* one bar on several equal cranks: redundant loops */
  LADDER,
  SLIDES,   /* a loop of prismatic joints */
  PLATFORM, /* a body on six light legs */
  TOPOLOGIES
} topology;

/* one mechanism at one state */
typedef struct {
  lwt_parts *parts;
  oracle *o;
  lwt_case c;
  double *right; /* [nu] accelerations of the tree's speeds as the oracle has them */
  int dof;
  char name[100];
} trial;

/* ratio: of the masses of light bodies to those of others; length: size of the mechanism */
trial trial_of(topology kind, unsigned seed, double ratio, double length);
void trial_free(trial *x);
/* Is speed u of such a joint in metres a second? */
bool trial_slides(lw_joint_type type, int u);

#endif
