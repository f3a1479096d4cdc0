/* SPDX-License-Identifier: Apache-2.0 */
/* dca.c -- the public functions: make a plan, run it, read its results. */
#include "dca/dca.h"

#include "base/fail.h"
#include "dca/edge_rows.h"

#include <stdlib.h>
#ifdef LWI_OPENMP
#include <omp.h>
#endif

/* ---- make and free ---- */

lw_dca *lw_dca_new(const lw_model *m, const lw_dca_options *options, lw_error *err)
{
  const int threads = options ? options->threads : 1;
  const double grain = options ? options->grain : 0;
  if (!m || threads < 0 || threads > 1024 || !(grain >= 0)) {
    lwi_fail(err, LW_E_ARG,
             "divide and conquer: no model, threads not in 0 ... 1024, or grain < 0");
    return NULL;
  }
  lw_dca *d = calloc(1, sizeof *d);
  if (!d) {
    lwi_fail(err, LW_E_MEMORY, "divide and conquer: out of memory");
    return NULL;
  }
  d->m = m;
  d->grain = grain > 0 ? grain : 250000;
  d->code = lwi_dca_kernels_best();
#ifdef LWI_OPENMP
  d->nthread = threads > 1 ? threads : 1;
#else
  d->nthread = 1;
#endif
  if (lwi_dca_plan(d, err) == LW_OK) return d;
  lw_dca_free(d);
  return NULL;
}

void lw_dca_free(lw_dca *d)
{
  if (!d) return;
  lwi_assembly_tree_free(d->tree);
  lwi_arena_free(&d->arena);
  free(d);
}

lw_dca_info lw_dca_get_info(const lw_dca *d)
{
  if (!d) return (lw_dca_info){0};
  return (lw_dca_info){d->cost.depth, d->cost.widest, d->cost.operations, d->cost.critical};
}

double lw_dca_speed_up(const lw_dca *d, int p)
{
  return d ? lwi_assembly_speed_up(&d->cost, p) : 0;
}

/* ---- frames of the present state ---- */

lwi_dca_place lwi_dca_place_of(const lw_dca *d, int body, const lwi_frame *in_body)
{
  const lwi_body *b = &d->m->body[body];
  double C[9], p[3], A[6], turn[3];
  lwi_dca_place x;
  d->kernels->get_frame(d->m, d->work, b->link, C, p);
  d->kernels->get_motion(d->m, d->work, b->link, x.V, A);
  const rot3 R = rot_columns(C);
  rot_mulv(b->R, in_body->p, x.o); /* in link axes, from the link's origin */
  for (int i = 0; i < 3; i++)
    x.o[i] += b->p[i];
  rot_mulv(R, x.o, x.o);
  x.X.R = rot_mul(rot_mul(R, b->R), in_body->R);
  cross3(x.V, x.o, turn);
  for (int i = 0; i < 3; i++)
    x.X.p[i] = p[i] + x.o[i], x.V[3 + i] += turn[i];
  x.X.p[3] = 0;
  return x;
}

/* ---- loads that are known ---- */

/* Kinematics, and the forces of the model; motors, joint springs and tau added up. */
static void find_forces(lw_dca *d, lw_work *w, double t, const double *q, const double *u,
                        const double *tau)
{
  const lw_model *m = d->m;
  const bool own = m->nmotor + m->njoint_spring > 0;
  d->kernels = w->kernels;
  d->work = w->tree;
  d->driven = own || tau;
  w->kernels->kinematics(m, w->tree, q, u);
  if (own || d->pushed) w->kernels->forces(m, w->tree, t, q, u, d->tau);
  if (!tau) return;
  for (int i = 0; i < m->nu; i++)
    d->tau[i] = (own ? d->tau[i] : 0) + tau[i];
}

/* ---- the solution ---- */

static bool solve_serially(lw_dca *d, const lwi_dca_kernels *k)
{
  if (!k->assemble(d, 0, d->nstep - 1, d->scratch[0])) return false;
  k->disassemble(d, 0, d->nstep - 1);
  k->accelerate(d, 1, d->m->nlink - 1);
  return true;
}

#ifdef LWI_OPENMP
/* The assemblies outside blocks, level by level, and back.  With few threads one of them is done
   with all before the others have met at a barrier. */
static int solve_outer(lw_dca *d, const lwi_dca_kernels *k, double *scratch)
{
  const int few = 8;
  int failures = 0;
  if (d->nthread <= few) {
#pragma omp single
    {
      for (int i = 0; i < d->level[d->nlevel]; i++)
        failures += !k->assemble(d, d->outer[i], d->outer[i], scratch);
      for (int i = d->level[d->nlevel] - 1; i >= 0; i--)
        k->disassemble(d, d->outer[i], d->outer[i]);
    }
    return failures;
  }
  for (int l = 0; l < d->nlevel; l++) {
#pragma omp for schedule(dynamic, 1)
    for (int i = d->level[l]; i < d->level[l + 1]; i++)
      failures += !k->assemble(d, d->outer[i], d->outer[i], scratch);
  }
  for (int l = d->nlevel - 1; l >= 0; l--) {
#pragma omp for schedule(dynamic, 1)
    for (int i = d->level[l]; i < d->level[l + 1]; i++)
      k->disassemble(d, d->outer[i], d->outer[i]);
  }
  return failures;
}

/* Blocks side by side, what is outside them, blocks again.  Who computes a block, and when, changes no
   number. */
static bool solve_in_parallel(lw_dca *d, const lwi_dca_kernels *k)
{
  const int n = d->m->nlink - 1, chunk = 1 + n / (8 * d->nthread);
  int failures = 0;
#pragma omp parallel num_threads(d->nthread) reduction(+ : failures)
  {
    double *scratch = d->scratch[omp_get_thread_num()];
#pragma omp for schedule(dynamic, 1)
    for (int b = 0; b < d->nblock; b++)
      failures += !k->assemble(d, d->block[b].first, d->block[b].last, scratch);
    failures += solve_outer(d, k, scratch);
#pragma omp for schedule(dynamic, 1)
    for (int b = 0; b < d->nblock; b++)
      k->disassemble(d, d->block[b].first, d->block[b].last);
#pragma omp for schedule(static)
    for (int i = 1; i <= n; i += chunk)
      k->accelerate(d, i, i + chunk - 1 < n ? i + chunk - 1 : n);
  }
  return failures == 0;
}
#endif

static bool all_finite(const double *x, int n)
{
  bool finite = true;
  for (int i = 0; i < n; i++)
    finite = finite && isfinite(x[i]);
  return finite;
}

lw_status lw_dca_forward_dynamics(lw_dca *d, const lw_model *m, lw_work *w, double t,
                                  const double q[], const double u[], const double tau[],
                                  double udot[])
{
  if (!d || d->m != m || !w || w->kernels->lanes != 1 || (m->nq && !q) || (m->nu && (!u || !udot)))
    return LW_E_ARG;
  d->solved = false;
  w->stage = LWI_STAGE_NOTHING;
  if (!all_finite(q, m->nq) || !all_finite(u, m->nu) || !isfinite(t) ||
      (tau && !all_finite(tau, m->nu)))
    return LW_E_NUMBER;
  find_forces(d, w, t, q, u, tau);
#ifdef LWI_OPENMP
  const bool finite = d->nthread > 1 ? solve_in_parallel(d, d->code) : solve_serially(d, d->code);
#else
  const bool finite = solve_serially(d, d->code);
#endif
  if (!finite || !all_finite(d->udot, m->nu)) return LW_E_NUMBER;
  memcpy(udot, d->udot, (size_t)m->nu * sizeof *udot);
  w->stage = LWI_STAGE_KINEMATICS;
  d->solved = true;
  return LW_OK;
}

/* ---- results ---- */

int lw_dca_redundant(const lw_dca *d)
{
  int n = 0;
  for (int e = 0; d && d->solved && e < d->nedge; e++)
    n += d->edge[e].m - d->edge[e].rank;
  return n;
}

/* a load at the link's origin, taken to o */
static void load_at(double f[6], const double o[3])
{
  double arm[3];
  cross3(o, f + 3, arm);
  for (int i = 0; i < 3; i++)
    f[i] -= arm[i];
}

/* Load of a tree joint on the child at its joint frame.  What motors and springs carry is known
   about the link's origin; docs/format.md 5.5 says where it acts (rows G of joint_relative.h), and the
   constraint load is the rest. */
static void tree_joint_load(const lw_dca *d, const lwi_joint *j, double f[6])
{
  const lwi_dca_place A = lwi_dca_place_of(d, j->info.parent.id, &j->place);
  const lwi_dca_place B = lwi_dca_place_of(d, j->info.child.id, &j->child_place);
  double lent[3];
  lwi_dca_lent_torque(d, j->link, lent);
  for (int i = 0; i < 3; i++)
    f[i] -= lent[i];
  if (d->driven) {
    double push[6], r[3];
    joint_push(d, j->link, push, r);
    for (int i = 0; i < 6; i++)
      f[i] += push[i];
  }
  if (j->reversed) { /* the link is the joint's parent: the child feels the opposite */
    double d_AB[3];
    for (int i = 0; i < 3; i++)
      d_AB[i] = A.o[i] + (B.X.p[i] - A.X.p[i]);
    load_at(f, d_AB);
    for (int i = 0; i < 6; i++)
      f[i] = -f[i];
  } else {
    load_at(f, B.o);
  }
  double P[6][6], G[6][6], along[6];
  lwi_joint_motion_map(&j->shape, &A.X, &B.X, P);
  lwi_joint_speed_map(&j->shape, &A.X, &B.X, G);
  for (int k = 0; k < j->info.nu; k++)
    along[k] = dot3(P[k], f) + dot3(P[k] + 3, f + 3);
  for (int k = 0; k < j->info.nu; k++)
    for (int i = 0; i < 6; i++)
      f[i] -= G[k][i] * along[k];
}

lw_status lw_dca_get_load(const lw_dca *d, const lw_model *m, lw_joint j, double load[6])
{
  if (!d || d->m != m || !load || j.id < 1 || j.id > m->njoint) return LW_E_ARG;
  if (!d->solved) return LW_E_STAGE;
  const lwi_joint *joint = &m->joint[j.id];
  double f[6] = {0};
  if (d->joint_edge[j.id] >= 0) {
    const lwi_dca_edge *e = &d->edge[d->joint_edge[j.id]];
    memcpy(f, e->kept, sizeof f);
    if (e->link > 0)
      tree_joint_load(d, joint, f);
    else
      load_at(f, lwi_dca_place_of(d, joint->info.child.id, &joint->child_place).o);
  }
  memcpy(load, f, sizeof f);
  return LW_OK;
}

lw_status lw_dca_get_constraint_load(const lw_dca *d, const lw_model *m, lw_constraint c,
                                     double load[6])
{
  if (!d || d->m != m || !load || c.id < 1 || c.id > m->nconstraint) return LW_E_ARG;
  if (!d->solved) return LW_E_STAGE;
  const lwi_constraint *k = &m->constraint[c.id];
  memcpy(load, d->edge[d->constraint_edge[c.id]].kept, 6 * sizeof *load);
  load_at(load, lwi_dca_place_of(d, k->info.child.id, &k->child_place).o);
  return LW_OK;
}

lw_status lw_dca_get_acceleration(const lw_dca *d, const lw_model *m, lw_body b, double A[6])
{
  if (!d || d->m != m || !A || b.id < 0 || b.id > m->nbody) return LW_E_ARG;
  if (!d->solved) return LW_E_STAGE;
  const lwi_frame origin = lwi_frame_identity();
  const lwi_dca_place x = lwi_dca_place_of(d, b.id, &origin);
  const double *L = d->state[m->body[b.id].link].A;
  double turn[3], swing[3];
  cross3(L, x.o, turn);
  cross3(x.V, x.o, swing);
  cross3(x.V, swing, swing);
  for (int i = 0; i < 3; i++)
    A[i] = L[i], A[3 + i] = L[3 + i] + turn[i] + swing[i];
  return LW_OK;
}
