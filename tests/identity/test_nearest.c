/* SPDX-License-Identifier: Apache-2.0 */
/* `move: true`: bodies go to the nearest closed position.  Mechanisms of spherical joints, connected across a
   gap, against a minimisation of the moved mass in maximal coordinates that shares nothing with src/. */
#include "linkwork/simulate.h"
#include "linkwork/events.h"
#include "oracle_internal.h"

#include <lapacke.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_BODIES = 8, MOST_POINTS = 12, MOST = 6 * MOST_BODIES + 3 * MOST_POINTS };

/* bodies, and points of two of them that shall be one */
typedef struct {
  lwt_parts *parts;
  int npoint;
  struct {
    int body[2];
    double at[2][3];
  } point[MOST_POINTS];
  oracle_frame start[MOST_BODIES + 1], X[MOST_BODIES + 1];
} world;

static void point_of(const oracle_frame *X, const double at[3], double out[3])
{
  oracle_frame F = *X;
  turn(F.R, at, out);
  for (int i = 0; i < 3; i++)
    out[i] += F.p[i];
}

/* second moments of a body about its centre, in its axes */
static void moments(const lw_body_desc *b, double E[3][3])
{
  const double *in = b->inertia, half = (in[0] + in[1] + in[2]) / 2;
  const double all[3][3] = {{half - in[0], -in[3], -in[4]},
                            {-in[3], half - in[1], -in[5]},
                            {-in[4], -in[5], half - in[2]}};
  memcpy(E, all, sizeof all);
}

/* half the moved mass times the square of its way */
static double moved(const world *w, const oracle_frame X[])
{
  double f = 0;
  for (int b = 1; b <= w->parts->nbody; b++) {
    const lw_body_desc *d = &w->parts->body[b - 1];
    double E[3][3], c[3], c0[3];
    moments(d, E);
    point_of(&X[b], d->com, c);
    point_of(&w->start[b], d->com, c0);
    for (int i = 0; i < 3; i++) {
      f += 0.5 * d->mass * (c[i] - c0[i]) * (c[i] - c0[i]);
      for (int j = 0; j < 3; j++)
        for (int k = 0; k < 3; k++)
          f += 0.5 * (X[b].R[i][j] - w->start[b].R[i][j]) * E[j][k] *
               (X[b].R[i][k] - w->start[b].R[i][k]);
    }
  }
  return f;
}

/* X turned by w and moved by v at the centre of mass */
static void displace(const world *w, oracle_frame *X, int b, const double x[6])
{
  const double *com = w->parts->body[b - 1].com;
  double c[3], e[4], Q[3][3], R[3][3] = {{0}}, o[3];
  point_of(X, com, c);
  const double angle = sqrt(dot(x, x)), s = angle > 1e-9 ? sin(angle / 2) / angle : 0.5;
  e[0] = cos(angle / 2), e[1] = s * x[0], e[2] = s * x[1], e[3] = s * x[2];
  rotation_of_quaternion(e, Q);
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
      for (int k = 0; k < 3; k++)
        R[i][j] += Q[i][k] * X->R[k][j];
  memcpy(X->R, R, sizeof R);
  turn(X->R, com, o);
  for (int i = 0; i < 3; i++)
    X->p[i] = c[i] + x[3 + i] - o[i];
}

/* the gradient by numbers, the metric from the inertias, all points as rows; unknown: motions of the centres */
static double newton(world *w, double *size)
{
  const int nbody = w->parts->nbody, n = 6 * nbody + 3 * w->npoint;
  static double a[MOST * MOST], x[MOST];
  memset(a, 0, sizeof a);
  memset(x, 0, sizeof x);
#define AT(i, j) a[(size_t)(i) + (size_t)(j) * (size_t)n]
  for (int b = 1; b <= nbody; b++) {
    const lw_body_desc *d = &w->parts->body[b - 1];
    const double *in = d->inertia,
                 J[3][3] = {{in[0], in[3], in[4]}, {in[3], in[1], in[5]}, {in[4], in[5], in[2]}};
    for (int i = 0; i < 3; i++) {
      AT(6 * b - 6 + 3 + i, 6 * b - 6 + 3 + i) = d->mass;
      for (int j = 0; j < 3; j++)
        for (int k = 0; k < 3; k++)
          for (int l = 0; l < 3; l++)
            AT(6 * b - 6 + i, 6 * b - 6 + j) += w->X[b].R[i][k] * J[k][l] * w->X[b].R[j][l];
    }
    for (int i = 0; i < 6; i++) {
      const double h = 1e-5;
      double step[6] = {0}, f[2];
      for (int side = 0; side < 2; side++) {
        const oracle_frame kept = w->X[b];
        step[i] = side ? h : -h;
        displace(w, &w->X[b], b, step);
        f[side] = moved(w, w->X);
        w->X[b] = kept;
      }
      x[6 * b - 6 + i] = -(f[1] - f[0]) / (2 * h);
    }
  }
  double gap = 0;
  for (int k = 0; k < w->npoint; k++)
    for (int side = 0; side < 2; side++) {
      const int b = w->point[k].body[side], row = 6 * nbody + 3 * k;
      const double sign = side ? -1 : 1;
      double p[3], c[3] = {0}, r[3];
      point_of(&w->X[b], w->point[k].at[side], p);
      if (b > 0) point_of(&w->X[b], w->parts->body[b - 1].com, c);
      for (int i = 0; i < 3; i++) {
        x[row + i] -= sign * p[i];
        r[i] = p[i] - c[i];
        if (b > 0) AT(row + i, 6 * b - 6 + 3 + i) = sign;
      }
      const double skew[3][3] = {{0, r[2], -r[1]}, {-r[2], 0, r[0]}, {r[1], -r[0], 0}};
      for (int i = 0; i < 3 && b > 0; i++)
        for (int j = 0; j < 3; j++)
          AT(row + i, 6 * b - 6 + j) = sign * skew[i][j];
    }
  for (int i = 6 * nbody; i < n; i++) {
    gap = fmax(gap, fabs(x[i]));
    for (int j = 0; j < 6 * nbody; j++)
      AT(j, i) = AT(i, j);
  }
#undef AT
  int pivot[MOST];
  assert_int_equal(LAPACKE_dgesv(LAPACK_COL_MAJOR, n, 1, a, n, pivot, x, n), 0);
  *size = lwt_scale(x, 6 * nbody);
  const double part = fmin(1, 0.3 / *size);
  for (int i = 0; i < 6 * nbody; i++)
    x[i] *= part;
  for (int b = 1; b <= nbody; b++)
    displace(w, &w->X[b], b, x + 6 * b - 6);
  return gap;
}

static void read_poses(lw_simulation *sim, int nbody, oracle_frame X[])
{
  const lw_model *m = lw_simulation_model(sim);
  double q[200], u[200];
  lwt_ok(lw_simulation_advance(sim, 0, q, u, NULL));
  lw_work *work = lw_work_new(m);
  lwt_ok(lw_kinematics(work, q, u));
  memset(&X[0], 0, sizeof X[0]);
  for (int i = 0; i < 3; i++)
    X[0].R[i][i] = 1;
  for (int b = 1; b <= nbody; b++) {
    lw_pose P;
    lwt_ok(lw_get_pose(work, (lw_body){b}, &P));
    memcpy(X[b].p, P.p, sizeof P.p);
    rotation_of_quaternion(P.quat, X[b].R);
  }
  lw_work_free(work);
}

static void join(world *w, int a, int b, const double at[3], const double child_at[3])
{
  w->point[w->npoint].body[0] = a;
  w->point[w->npoint].body[1] = b;
  memcpy(w->point[w->npoint].at[0], at, 3 * sizeof(double));
  memcpy(w->point[w->npoint++].at[1], child_at, 3 * sizeof(double));
}

/* joints of the tree are spherical; the first body floats if asked */
static lw_simulation *make(world *w, const lwt_recipe *recipe, lw_model **m)
{
  w->parts = lwt_random_parts(recipe);
  for (int j = 0; j < w->parts->njoint; j++) {
    lw_joint_desc *d = &w->parts->joint[j];
    join(w, d->parent.id, d->child.id, d->place.at, d->child_place.at);
  }
  *m = lwt_parts_compile(w->parts);
  double q[200], u[200];
  lwt_random_state(*m, recipe->seed, q, u);
  lw_error err = {0};
  lw_simulation *sim = lw_simulation_new(*m, NULL, &err);
  if (!sim) fail_msg("%s", err.text);
  lwt_ok(lw_simulation_start(sim, 0, q, u, &err));
  read_poses(sim, w->parts->nbody, w->start);
  return sim;
}

/* a point of b that is off by `gap` from one of a, where a spherical joint joins them */
static void connect(world *w, lw_simulation *sim, int a, int b, double gap, lwt_random *r)
{
  double at[3], ground[3], away[3], child_at[3], d[3];
  for (int i = 0; i < 3; i++)
    at[i] = lwt_uniform(r, -0.4, 0.4);
  lwt_unit_vector(r, away);
  point_of(&w->start[a], at, ground);
  for (int i = 0; i < 3; i++)
    d[i] = ground[i] + gap * away[i] - w->start[b].p[i];
  for (int i = 0; i < 3; i++)
    child_at[i] =
        w->start[b].R[0][i] * d[0] + w->start[b].R[1][i] * d[1] + w->start[b].R[2][i] * d[2];
  join(w, a, b, at, child_at);
  lw_joint_desc j = {.name = "new", .type = LW_SPHERICAL, .parent = {a}, .child = {b}};
  memcpy(j.place.at, at, sizeof at);
  memcpy(j.child_place.at, child_at, sizeof child_at);
  const lw_event_desc e = {.action = LW_ACTION_CONNECT,
                           .new_joint = &j,
                           .placed = true,
                           .child_placed = true,
                           .move = true};
  lw_error err = {0};
  if (lw_simulation_raise(sim, &e, 1, &err) != LW_OK) fail_msg("%s", err.text);
}

static void check(world *w, lw_simulation *sim, unsigned seed)
{
  const int n = w->parts->nbody;
  oracle_frame found[MOST_BODIES + 1];
  read_poses(sim, n, found);
  memcpy(w->X, w->start, sizeof w->X);
  double size = 1, gap = 1;
  for (int i = 0; i < 2000 && (size > 1e-11 || gap > 1e-12); i++)
    gap = newton(w, &size);
  const double least = moved(w, w->X);
  lwt_near(moved(w, found), least, 1e-9 * least, "seed %u: the mass that moves", seed);
  for (int b = 1; b <= n; b++) {
    lwt_close(found[b].p, w->X[b].p, 3, 1e-7, 1, "seed %u: place of body %d", seed, b);
    lwt_close(found[b].R[0], w->X[b].R[0], 9, 1e-7, 1, "seed %u: axes of body %d", seed, b);
  }
}

static void run(const lwt_recipe *recipe, int a, int b, double gap)
{
  world w = {0};
  lw_model *m;
  lwt_random r = lwt_seed(recipe->seed + 5);
  lw_simulation *sim = make(&w, recipe, &m);
  connect(&w, sim, a, b, gap, &r);
  check(&w, sim, recipe->seed);
  lw_simulation_free(sim);
  lw_model_free(m);
  lwt_parts_free(w.parts);
}

static void loops_close_at_the_nearest_position(void **state)
{
  (void)state;
  for (unsigned seed = 1; seed <= 12; seed++)
    run(
        &(lwt_recipe){
            .seed = seed, .nbody = 5, .branching = seed % 3 * 0.4, .joints = 1u << LW_SPHERICAL},
        seed % 2 ? 0 : 1, 5, 0.05 * (1 + seed % 4));
}

/* no loop: both of them move */
static void floating_bodies_meet_at_the_nearest_position(void **state)
{
  (void)state;
  for (unsigned seed = 20; seed < 30; seed++)
    run(&(lwt_recipe){.seed = seed, .nbody = 4, .joints = 1u << LW_SPHERICAL, .loose = true}, 0,
        1 + (int)seed % 4, 0.3);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(loops_close_at_the_nearest_position),
      cmocka_unit_test(floating_bodies_meet_at_the_nearest_position),
  };
  return cmocka_run_group_tests_name("identity/nearest", tests, NULL, NULL);
}
