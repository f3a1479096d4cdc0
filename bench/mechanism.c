/* SPDX-License-Identifier: Apache-2.0 */
/* mechanism.c -- see mechanism.h.  The random numbers are splitmix64: the same on every machine. */
#include "mechanism.h"
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- random numbers ---- */

static uint64_t next64(uint64_t *state)
{
  uint64_t z = *state += 0x9e3779b97f4a7c15u;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

static double between(uint64_t *state, double low, double high)
{
  return low + (high - low) * (double)(next64(state) >> 11) * 0x1p-53;
}

static void normalise(double x[], int n)
{
  double sum = 0;
  for (int i = 0; i < n; i++)
    sum += x[i] * x[i];
  for (int i = 0; i < n; i++)
    x[i] /= sqrt(sum);
}

/* a random direction in n dimensions: a point of the ball, pushed out to its surface */
static void direction(uint64_t *state, double x[], int n)
{
  double sum;
  do {
    sum = 0;
    for (int i = 0; i < n; i++) {
      x[i] = between(state, -1, 1);
      sum += x[i] * x[i];
    }
  } while (sum > 1 || sum < 0.01);
  normalise(x, n);
}

/* ---- bodies ---- */

void mechanism_rotation(const double e[4], double R[9])
{
  const double w = e[0], x = e[1], y = e[2], z = e[3];
  R[0] = 1 - 2 * (y * y + z * z);
  R[1] = 2 * (x * y - w * z);
  R[2] = 2 * (x * z + w * y);
  R[3] = 2 * (x * y + w * z);
  R[4] = 1 - 2 * (x * x + z * z);
  R[5] = 2 * (y * z - w * x);
  R[6] = 2 * (x * z - w * y);
  R[7] = 2 * (y * z + w * x);
  R[8] = 1 - 2 * (x * x + y * y);
}

/* inertia = R diag(moments) R' */
static void set_inertia(mechanism_body *b)
{
  static const int row[6] = {0, 1, 2, 0, 0, 1}, column[6] = {0, 1, 2, 1, 2, 2};
  double R[9];
  mechanism_rotation(b->principal, R);
  for (int k = 0; k < 6; k++) {
    b->inertia[k] = 0;
    for (int i = 0; i < 3; i++)
      b->inertia[k] += R[3 * row[k] + i] * b->moments[i] * R[3 * column[k] + i];
  }
}

/* mass and inertia of a box of the given size, turned by `principal` */
static void set_box(mechanism_body *b, double mass, const double size[3])
{
  b->mass = mass;
  for (int k = 0; k < 3; k++) {
    const double y = size[(k + 1) % 3], z = size[(k + 2) % 3];
    b->moments[k] = mass / 12 * (y * y + z * z);
  }
  set_inertia(b);
}

static void random_body(uint64_t *state, mechanism_body *b)
{
  direction(state, b->quat, 4);
  direction(state, b->axis, 3);
  direction(state, b->principal, 4);
  for (int k = 0; k < 3; k++) {
    b->at[k] = between(state, -0.3, 0.3);
    b->com[k] = between(state, -0.2, 0.2);
  }
  const double mass = between(state, 0.5, 2);
  const double size[3] = {between(state, 0.1, 0.4), between(state, 0.1, 0.4),
                          between(state, 0.1, 0.4)};
  set_box(b, mass, size);
}

/* ---- mechanisms ---- */

static mechanism *mechanism_new(int nbody, bool floating)
{
  mechanism *m = malloc(sizeof *m);
  mechanism_body *body = calloc((size_t)nbody, sizeof *body);
  if (!m || !body) {
    free(m);
    free(body);
    return NULL;
  }
  *m = (mechanism){.floating = floating,
                   .nbody = nbody,
                   .nq = floating ? nbody + 6 : nbody,
                   .nu = floating ? nbody + 5 : nbody,
                   .gravity = {0, 0, -9.81},
                   .body = body};
  return m;
}

void mechanism_free(mechanism *m)
{
  if (m) free(m->body);
  free(m);
}

/* Bodies whose parent is (i - 1) / branching. */
static mechanism *random_tree(int nbody, int branching, const char *kind)
{
  mechanism *m = mechanism_new(nbody, false);
  if (!m) return NULL;
  snprintf(m->name, sizeof m->name, "%s %d", kind, nbody);
  uint64_t state = (uint64_t)branching;
  for (int i = 0; i < nbody; i++) {
    random_body(&state, &m->body[i]);
    m->body[i].parent = i == 0 ? -1 : (i - 1) / branching;
  }
  return m;
}

mechanism *mechanism_chain(int nbody)
{
  return random_tree(nbody, 1, "chain");
}

mechanism *mechanism_binary_tree(int nbody)
{
  return random_tree(nbody, 2, "tree");
}

bool mechanism_is_chain(const mechanism *m)
{
  for (int i = 0; i < m->nbody; i++)
    if (m->body[i].parent != i - 1) return false;
  return !m->floating;
}

/* ---- humanoid: axes along x, y, z and frames aligned at angle 0, as in most robots ---- */

typedef struct {
  int parent; /* of its first link; a later one hangs on the link before */
  char axes[8];
  double root[3];   /* in its parent */
  double length[8]; /* of each link, along z */
  double mass;      /* of the whole limb, roughly */
} limb;

static const limb humanoid_limbs[] = {
    {0, "zxy", {0, 0, 0.10}, {0.04, 0.04, 0.30}, 22},                      /* waist: 1 2 3 */
    {3, "zyx", {0, 0, 0.32}, {0.03, 0.03, 0.15}, 5},                       /* neck: 4 5 6 */
    {3, "yxzyzyx", {0, 0.20, 0.25}, {0, 0, -0.28, 0, -0.24, 0, -0.08}, 5}, /* arms: 7 ... 20 */
    {3, "yxzyzyx", {0, -0.20, 0.25}, {0, 0, -0.28, 0, -0.24, 0, -0.08}, 5},
    {0, "zxyyyx", {0, 0.10, -0.05}, {0, 0, -0.40, -0.40, 0, -0.08}, 12}, /* legs: 21 ... 32 */
    {0, "zxyyyx", {0, -0.10, -0.05}, {0, 0, -0.40, -0.40, 0, -0.08}, 12},
};

/* a link as a box that fills its length; one of length 0 is the small cross of a compound joint */
static void humanoid_link(uint64_t *state, mechanism_body *b, char axis, double length, double mass)
{
  const bool small = length == 0;
  const double height = small ? 0.06 : fabs(length) + 0.04;
  const double size[3] = {between(state, 0.06, 0.12), between(state, 0.06, 0.12), height};
  b->axis[axis - 'x'] = 1;
  b->quat[0] = 1;
  b->com[0] = between(state, -0.01, 0.01);
  b->com[1] = between(state, -0.01, 0.01);
  b->com[2] = length / 2;
  direction(state, b->principal, 4);
  b->principal[0] += 10; /* nearly aligned */
  normalise(b->principal, 4);
  set_box(b, small ? 0.1 * mass : 0.3 * mass, size);
}

/* the children of the pelvis become children of the ground */
static void bolt_pelvis(mechanism *m)
{
  m->floating = false;
  m->nbody = m->nq = m->nu = m->nbody - 1;
  memmove(m->body, m->body + 1, (size_t)m->nbody * sizeof *m->body);
  for (int i = 0; i < m->nbody; i++)
    m->body[i].parent--;
}

mechanism *mechanism_humanoid(bool floating)
{
  enum { nlimb = sizeof humanoid_limbs / sizeof *humanoid_limbs };
  mechanism *m = mechanism_new(33, true);
  if (!m) return NULL;
  uint64_t state = 3;
  int n = 0;
  m->body[n].parent = -1;
  humanoid_link(&state, &m->body[n++], 'z', 0.15, 35);
  for (int l = 0; l < nlimb; l++) {
    const limb *part = &humanoid_limbs[l];
    for (int k = 0; part->axes[k]; k++, n++) {
      mechanism_body *b = &m->body[n];
      b->parent = k == 0 ? part->parent : n - 1;
      humanoid_link(&state, b, part->axes[k], part->length[k], part->mass);
      if (k == 0)
        memcpy(b->at, part->root, sizeof b->at);
      else
        b->at[2] = part->length[k - 1];
    }
  }
  if (!floating) bolt_pelvis(m);
  snprintf(m->name, sizeof m->name, "humanoid %d", m->nu);
  return m;
}

/* ---- states ---- */

mechanism_state *mechanism_states(const mechanism *m, int nstate, unsigned long long seed)
{
  const size_t count = (size_t)nstate, each = (size_t)m->nq + 3 * (size_t)m->nu;
  mechanism_state *states = malloc(count * (sizeof *states + each * sizeof(double)));
  if (!states) return NULL;
  uint64_t state = seed;
  double *x = (double *)(states + nstate);
  for (int k = 0; k < nstate; k++) {
    mechanism_state *s = &states[k];
    s->q = x;
    s->u = s->q + m->nq;
    s->udot = s->u + m->nu;
    s->tau = s->udot + m->nu;
    x += each;
    for (int i = 0; i < m->nq; i++)
      s->q[i] = between(&state, -3, 3);
    for (int i = 0; i < 3 * m->nu; i++)
      s->u[i] = between(&state, -1, 1);
    for (int i = 0; i < m->nu; i++)
      s->tau[i] *= 10;
    if (m->floating) direction(&state, s->q + 3, 4);
  }
  return states;
}
