/* SPDX-License-Identifier: Apache-2.0 */
/* mujoco_state.c -- MODEL SEED: what MuJoCo computes for a robot file at a random state, as JSON: coordinates
   and speeds of all joints, mass matrix, Coriolis and gravity terms, accelerations without contacts,
   limits and other constraints. */
#include <mujoco/mujoco.h>

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

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

int main(int argc, char **argv)
{
  char text[1000] = "";
  if (argc != 3) return 2;
  mjModel *m = mj_loadXML(argv[1], NULL, text, sizeof text);
  if (!m) return fprintf(stderr, "%s\n", text), 1;
  m->opt.disableflags |= mjDSBL_CONSTRAINT;
  m->opt.density = m->opt.viscosity = 0;
  mjData *d = mj_makeData(m);
  state = 88172645463325252ull + (uint64_t)atoll(argv[2]) * 7919;
  for (int i = 0; i < 20; i++)
    draw();
  choose_state(m, d);
  mj_forward(m, d);
  double *M = calloc((size_t)m->nv * (size_t)m->nv + 1, sizeof *M);
  if (!M) return 1;
  mj_fullM(m, M, d->qM);
  printf("{\"joints\": [");
  for (int j = 0; j < m->njnt; j++)
    printf("%s{\"name\": \"%s\", \"body\": \"%s\", \"type\": %d, \"q\": %d, \"u\": %d}",
           j ? ", " : "", m->names + m->name_jntadr[j],
           m->names + m->name_bodyadr[m->jnt_bodyid[j]], m->jnt_type[j], m->jnt_qposadr[j],
           m->jnt_dofadr[j]);
  print("], \"gravity\": ", m->opt.gravity, 3);
  print(", \"q\": ", d->qpos, m->nq);
  print(", \"u\": ", d->qvel, m->nv);
  print(", \"M\": ", M, m->nv * m->nv);
  print(", \"bias\": ", d->qfrc_bias, m->nv);
  print(", \"passive\": ", d->qfrc_passive, m->nv);
  print(", \"actuator\": ", d->qfrc_actuator, m->nv);
  print(", \"armature\": ", m->dof_armature, m->nv);
  print(", \"qacc\": ", d->qacc, m->nv);
  printf("}\n");
  free(M);
  mj_deleteData(d);
  mj_deleteModel(m);
  return 0;
}
