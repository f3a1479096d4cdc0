/* SPDX-License-Identifier: Apache-2.0 */
/* dca_impulse.c -- velocity jumps: the equations of dca.h with impulses for loads and jumps for
   accelerations.  z of a body is its velocity jump by the applied impulse, and

     D^T (dV_b - phi* dV_a - c) = 0,   c = prescribed - (V_b - phi* V_a)   [Mukherjee2007], c = -P- u-

   makes the velocities after the jump satisfy every joint, whatever they were before. */
#include "dca/dca.h"
#include "math/finite.h"
#include "dca/edge_rows.h"
#include "dca/leaf.h"

typedef struct {
  lw_dca *d;
  const lw_dca_before *in;
} jump;

/* ---- before ---- */

/* the velocity of a body's origin, moved to its link's */
static void velocity_at_link(const lw_dca *d, int body, const double in[6], double out[6])
{
  const lwi_frame origin = lwi_frame_identity();
  const lwi_dca_place x = lwi_dca_place_of(d, body, &origin);
  double turn[3];
  cross3(in, x.o, turn);
  for (int i = 0; i < 3; i++)
    out[i] = in[i], out[3 + i] = in[3 + i] - turn[i];
}

/* V = phi* V_parent + S u */
static void move_link(lw_dca *d, int link, const double *u)
{
  const lwi_link *L = &d->m->link[link];
  const double *a = d->V[L->parent];
  double *b = d->V[link], turn[3];
  tree_edge e;
  find_tree_edge(d, link, &e);
  cross3(a, e.r, turn);
  for (int i = 0; i < 3; i++)
    b[i] = a[i], b[3 + i] = a[3 + i] + turn[i];
  for (int j = 0; j < L->nu; j++)
    for (int i = 0; i < 6; i++)
      b[i] += e.S[j][i] * u[L->u + j];
}

/* of bodies first + 1 ... last */
static void set_velocities(void *context, int first, int last)
{
  const jump *x = context;
  lw_dca *d = x->d;
  for (int i = first + 1; i <= last; i++)
    if (x->in->V)
      velocity_at_link(d, i, x->in->V[i], d->V[d->m->body[i].link]);
    else
      memset(d->V[i], 0, sizeof d->V[i]);
}

/* ---- applied impulses ---- */

/* of bodies first + 1 ... last */
static void set_impulses(void *context, int first, int last)
{
  const jump *x = context;
  lw_dca *d = x->d;
  for (int i = first + 1; i <= last; i++) {
    const int link = d->m->body[i].link;
    double F[6] = {0};
    add_pushes(d, link, F);
    if (x->in->impulse) {
      const lwi_frame origin = lwi_frame_identity();
      const lwi_dca_place place = lwi_dca_place_of(d, i, &origin);
      double f[6];
      shift_row(x->in->impulse[i], place.o, f);
      for (int k = 0; k < 6; k++)
        F[k] += f[k];
    }
    push_body(&d->state[link], F, d->state[link].z);
    if (d->lightened) memcpy(d->unbalanced[link], F, sizeof F);
  }
}

/* ---- right sides of joints ---- */

/* takes S u of freedoms with rotors out of minus the relative velocity: they go on as they were */
static void spare_rotors(const lw_dca *d, lwi_dca_edge *e)
{
  const lwi_link *L = &d->m->link[e->link];
  tree_edge t;
  double u[6];
  find_tree_edge(d, e->link, &t);
  for (int j = 0; j < L->nu; j++)
    u[j] = -row_dot6(t.S[j], e->given);
  solve_normal(L->nu, L->inertialess, t.S, u);
  for (int j = 0; j < L->nu; j++)
    for (int i = 0; i < 6 && !lwi_is_locked(L, j) && lwi_armature(L, j) > 0; i++)
      e->given[i] += t.S[j][i] * u[j];
}

/* minus the relative velocity before the jump; uses the r that is kept */
static void oppose(const lw_dca *d, lwi_dca_edge *e)
{
  const double *a = d->V[e->a], *b = d->V[e->b];
  double turn[3];
  cross3(a, lwi_dca_kept_arm(e->kept), turn);
  for (int i = 0; i < 3; i++)
    e->given[i] = a[i] - b[i], e->given[3 + i] = a[3 + i] + turn[i] - b[3 + i];
  if (e->rotors > 0) spare_rotors(d, e);
}

/* rel: velocity of the child's frame of a joint relative to the parent's; moved to b's origin,
   relative to a */
static void add_prescribed(const lw_dca *d, lwi_dca_edge *e, const double rel[6])
{
  const lwi_joint *j = &d->m->joint[e->joint];
  const lwi_dca_place A = lwi_dca_place_of(d, j->info.parent.id, &j->place);
  const lwi_dca_place B = lwi_dca_place_of(d, j->info.child.id, &j->child_place);
  const bool back = e->link > 0 && j->reversed;
  double o[3], turn[3];
  for (int i = 0; i < 3; i++)
    o[i] = back ? A.o[i] + (B.X.p[i] - A.X.p[i]) : B.o[i];
  cross3(rel, o, turn);
  for (int i = 0; i < 3; i++) {
    e->given[i] += back ? -rel[i] : rel[i];
    e->given[3 + i] += back ? turn[i] - rel[3 + i] : rel[3 + i] - turn[i];
  }
}

/* rows with prescribed rates g */
static void add_rates(const lw_dca *d, lwi_dca_edge *e, const double *g)
{
  double D[36] = {0}, c[6], r[3], ignored[6];
  closing_rows(d, e, D, r, ignored);
  from_rows(d->m->length, e->m, D, g, c);
  for (int i = 0; i < 6; i++)
    e->given[i] += c[i];
}

/* of edges first ... last - 1 */
static void set_right_sides(void *context, int first, int last)
{
  const jump *x = context;
  const lw_dca_before *in = x->in;
  lw_dca *d = x->d;
  for (int i = first; i < last; i++) {
    lwi_dca_edge *e = &d->edge[i];
    if (e->kind == LWI_DCA_LIGHT) {
      memset(e->given, 0, sizeof e->given);
      continue;
    }
    if (e->kind == LWI_DCA_RELATION) {
      const double own = d->closure->target[3 * e->constraint + 1];
      e->given[0] = own - lwi_dca_relation_rate(d, e);
      if (in->constraint) e->given[0] += in->constraint[e->constraint][0];
      continue;
    }
    oppose(d, e);
    if (e->joint && in->joint) add_prescribed(d, e, in->joint[e->joint]);
    if (e->constraint && in->constraint) add_rates(d, e, in->constraint[e->constraint]);
  }
}

/* ---- together ---- */

/* NULL: zeros */
static bool are_finite(const double *x, int n)
{
  return !x || lwi_all_finite(x, n);
}

static bool inputs_are_finite(const lw_model *m, const lw_dca_before *in)
{
  const int nu = m->nu, nbody = m->nbody;
  return are_finite(in->V ? NULL : in->u, nu) && are_finite(in->tau, nu) &&
         are_finite(in->V ? in->V[1] : NULL, 6 * nbody) &&
         are_finite(in->impulse ? in->impulse[1] : NULL, 6 * nbody) &&
         are_finite(in->joint ? in->joint[1] : NULL, 6 * m->njoint) &&
         are_finite(in->constraint ? in->constraint[1] : NULL, 6 * m->nconstraint);
}

lw_status lw_dca_impulse(lw_dca *d, lw_work *w, double t, const double q[],
                         const lw_dca_before *before, double u[])
{
  const lw_model *m = lwi_dca_model(d);
  const lw_dca_before nothing = {0}, *in = before ? before : &nothing;
  if (!m || !lwi_is_single(m, w)) return LW_E_ARG;
  if (!q && m->nq && d->stage == LWI_DCA_NOTHING) return LW_E_STAGE;
  if (!inputs_are_finite(m, in) || !isfinite(t)) return LW_E_NUMBER;
  if (q || d->stage == LWI_DCA_NOTHING) {
    const lw_status status = lwi_dca_factor(d, w, t, q, in->V ? NULL : in->u);
    if (status != LW_OK) return status;
  }
  jump x = {d, in};
  d->driven = in->tau;
  if (in->tau && m->nu) memcpy(d->tau, in->tau, (size_t)m->nu * sizeof(double));
  if (in->u && !in->V)
    for (int i = 1; i < m->nlink; i++) /* from the speeds of joints, in sequence */
      move_link(d, i, in->u);
  else
    lwi_dca_share(d, m->nbody, set_velocities, &x);
  lwi_dca_share(d, m->nbody, set_impulses, &x);
  lwi_dca_share(d, d->nedge, set_right_sides, &x);
  d->stage = LWI_DCA_FACTORED;
  d->jump = true;
  lw_status solved = lwi_dca_solve(d, LWI_DCA_SWEEP);
  if (solved == LW_OK && d->checked) solved = lwi_dca_correct(d);
  if (solved == LW_OK && d->lightened) solved = lwi_dca_balance_jump(d);
  d->jump = false;
  if (solved != LW_OK) return solved;
  if (u && m->nu) memcpy(u, d->udot, (size_t)m->nu * sizeof *u);
  d->stage = LWI_DCA_JUMP;
  return LW_OK;
}
