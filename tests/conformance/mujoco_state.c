/* SPDX-License-Identifier: Apache-2.0 */
/* mujoco_state.c -- MODEL SEED: what MuJoCo computes for a robot file at a random state, as JSON: coordinates
   and speeds of all joints, mass matrix, Coriolis and gravity terms, accelerations without contacts,
   limits and other constraints, and the Jacobian of a point of a body.

   MODEL loops Q ...: at rest in the configuration Q, accelerations with equality constraints, in the limit in which their
   softness vanishes.  With an impedance d the constraints J a + R f = 0 have R proportional to s = (1 - d)/d, and a is a smooth function
   of s: it is extrapolated to s = 0 from six values; from five of them, the difference says how well. */
#include <mujoco/mujoco.h>

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint64_t state;

/* -1 ... 1, xorshift */
static double draw(void)
{
  state ^= state << 13, state ^= state >> 7, state ^= state << 17;
  return (double)(state >> 11) / 4503599627370496.0 - 1;
}

static void print(const char *key, const double *x, int n)
{
  printf("%s[", key);
  for (int i = 0; i < n; i++)
    printf("%s%.17g", i ? ", " : "", x[i]);
  printf("]");
}

static void choose_state(const mjModel *m, mjData *d)
{
  mj_resetData(m, d);
  for (int j = 0; j < m->njnt; j++) {
    double *q = d->qpos + m->jnt_qposadr[j], n = 0;
    const int type = m->jnt_type[j], first = type == mjJNT_FREE ? 3 : 0;
    if (type == mjJNT_HINGE || type == mjJNT_SLIDE) {
      q[0] += draw();
      continue;
    }
    for (int i = 0; i < first; i++)
      q[i] += draw();
    for (int i = first; i < first + 4; i++)
      q[i] = draw(), n += q[i] * q[i];
    for (int i = first; i < first + 4; i++)
      q[i] /= mju_sqrt(n);
  }
  for (int i = 0; i < m->nv; i++)
    d->qvel[i] = draw();
}

/* Without names of their own joints and bodies have those that linkwork gives them. */
static void print_joints(const mjModel *m)
{
  printf("{\"joints\": [");
  for (int j = 0; j < m->njnt; j++) {
    const int body = m->jnt_bodyid[j], before = j - m->body_jntadr[body];
    const char *name = m->names + m->name_jntadr[j], *of = m->names + m->name_bodyadr[body];
    char number[40], joined[300];
    snprintf(number, sizeof number, "body%d", body);
    if (!*of) of = number;
    snprintf(joined, sizeof joined, before ? "%s_%d" : "%s", of, before + 1);
    printf("%s{\"name\": \"%s\", \"type\": %d, \"q\": %d, \"u\": %d}", j ? ", " : "",
           *name ? name : joined, m->jnt_type[j], m->jnt_qposadr[j], m->jnt_dofadr[j]);
  }
  printf("]");
}

/* velocities of a point of one of the bodies that have joints and names: rows v, then w */
static void print_jacobian(const mjModel *m, const mjData *d, int seed)
{
  const double at[3] = {0.1, -0.2, 0.3};
  double point[3], *J = calloc(6 * (size_t)m->nv + 1, sizeof *J);
  int body = 0;
  for (int i = 1, k = seed; i < m->nbody && k >= 0; i++)
    if (m->body_dofnum[i] > 0 && m->names[m->name_bodyadr[i]]) body = i, k--;
  if (!J || body == 0) {
    free(J);
    return;
  }
  mju_rotVecMat(point, at, d->xmat + 9 * body);
  mju_addTo3(point, d->xpos + 3 * body);
  mj_jac(m, d, J, J + 3 * m->nv, point, body);
  printf(", \"body\": \"%s\"", m->names + m->name_bodyadr[body]);
  print(", \"J\": ", J, 6 * m->nv);
  free(J);
}

/* ---- closed loops ---- */

static int solve_loops(mjModel *m, int n, char **q)
{
  enum { N = 6 };
  static const double share[N] = {1, 1.5, 2,
                                  3, 4,   6}; /* of s = 1e-3: with less, rounding errors matter */
  mjData *d = mj_makeData(m);
  double *a = calloc(2 * (size_t)m->nv + 1, sizeof *a), worst = 0;
  if (!a || n != m->nq) return fprintf(stderr, "%d coordinates, not %d\n", n, m->nq), 1;
  m->opt.disableflags |= mjDSBL_LIMIT | mjDSBL_CONTACT | mjDSBL_FRICTIONLOSS;
  m->opt.solver = mjSOL_NEWTON;
  m->opt.tolerance = 0;
  m->opt.iterations = 100;
  for (int k = 0; k < N; k++) {
    double weight = 1, fewer = k < N - 1; /* of Lagrange's polynomials at 0 */
    for (int j = 0; j < N; j++)
      if (j != k) weight *= share[j] / (share[j] - share[k]);
    for (int j = 0; j < N - 1; j++)
      if (j != k) fewer *= share[j] / (share[j] - share[k]);
    for (int e = 0; e < m->neq; e++) {
      const double dd = 1 / (1 + 1e-3 * share[k]);
      m->eq_solref[mjNREF * e] = 1e5, m->eq_solref[mjNREF * e + 1] = 1;
      m->eq_solimp[mjNIMP * e] = m->eq_solimp[mjNIMP * e + 1] = dd;
    }
    mj_resetData(m, d);
    for (int i = 0; i < n; i++)
      d->qpos[i] = atof(q[i]);
    mj_forward(m, d);
    for (int i = 0; i < m->nv; i++)
      a[i] += weight * d->qacc[i], a[m->nv + i] += fewer * d->qacc[i];
    for (int i = 0; i < d->nefc; i++)
      worst = mju_max(worst, mju_abs(d->efc_pos[i]));
  }
  print_joints(m);
  printf(", \"residual\": %.17g", worst);
  print(", \"q\": ", d->qpos, m->nq);
  print(", \"qacc\": ", a, m->nv);
  print(", \"fewer\": ", a + m->nv, m->nv);
  printf("}\n");
  free(a);
  mj_deleteData(d);
  return 0;
}

int main(int argc, char **argv)
{
  char text[1000] = "";
  if (argc < 3) return 2;
  mjModel *m = mj_loadXML(argv[1], NULL, text, sizeof text);
  if (!m) return fprintf(stderr, "%s\n", text), 1;
  m->opt.density = m->opt.viscosity = 0;
  if (strcmp(argv[2], "loops") == 0) return solve_loops(m, argc - 3, argv + 3);
  m->opt.disableflags |= mjDSBL_CONSTRAINT;
  mjData *d = mj_makeData(m);
  state = 88172645463325252ull + (uint64_t)atoll(argv[2]) * 7919;
  for (int i = 0; i < 20; i++)
    draw();
  choose_state(m, d);
  mj_forward(m, d);
  double *M = calloc((size_t)m->nv * (size_t)m->nv + 1, sizeof *M);
  if (!M) return 1;
  mj_fullM(m, M, d->qM);
  print_joints(m);
  print(", \"gravity\": ", m->opt.gravity, 3);
  print(", \"q\": ", d->qpos, m->nq);
  print(", \"u\": ", d->qvel, m->nv);
  print(", \"M\": ", M, m->nv * m->nv);
  print(", \"bias\": ", d->qfrc_bias, m->nv);
  print(", \"passive\": ", d->qfrc_passive, m->nv);
  print(", \"actuator\": ", d->qfrc_actuator, m->nv);
  print(", \"armature\": ", m->dof_armature, m->nv);
  print(", \"qacc\": ", d->qacc, m->nv);
  print_jacobian(m, d, atoi(argv[2]));
  printf("}\n");
  free(M);
  mj_deleteData(d);
  mj_deleteModel(m);
  return 0;
}
