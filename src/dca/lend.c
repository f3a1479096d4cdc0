/* SPDX-License-Identifier: Apache-2.0 */
/* lend.c -- bodies without inertia about some axis, rods above all: mobility would be infinite there.

   A joint about or along an axis z fixed in both bodies makes E w_a = E w_b, E = 1 - z z' (E = 1 if it does
   not turn at all).  So inertia s E may be moved from one body to the other, constant in both of
   them: the kinetic energy stays the same for all motions that the joint allows, and so do all accelerations.
   Only the joint's own torque changes, by d/dt (s E w), which is known and taken out again.

   Here a body that needs inertia borrows from its parent in the tree, which borrows itself what it
   cannot spare.  The ground lends without limit.  If a body would be left without inertia, smaller loans are
   tried.  Not handled: bodies in need that hang on a universal, spherical or free joint. */
#include "base/fail.h"
#include "dca/dca.h"
#include "linalg/eigen.h"

/* inverse of a symmetric 3x3 matrix; false: its smallest eigenvalue is not above the noise */
static bool invert_symmetric(const double a[6], double inverse[6])
{
  const double xx = a[0], yy = a[1], zz = a[2], xy = a[3], xz = a[4], yz = a[5];
  const double c[6] = {yy * zz - yz * yz, xx * zz - xz * xz, xx * yy - xy * xy,
                       xz * yz - xy * zz, xy * yz - xz * yy, xy * xz - yz * xx};
  const double det = xx * c[0] + xy * c[3] + xz * c[4], size = xx + yy + zz;
  if (!(det > 1e-9 * size * size * size) || !(c[0] > 0) || !(xx > 0)) return false;
  for (int i = 0; i < 6; i++)
    inverse[i] = c[i] / det;
  return true;
}

/* the least moment of inertia and its axis */
typedef struct {
  double own[6], least, axis[3];
  bool needy;
  double lends; /* to its children, seen along the axis */
} account;

static void open_account(const double a[6], bool frozen, account *x)
{
  double A[9] = {a[0], a[3], a[4], a[3], a[1], a[5], a[4], a[5], a[2]}, V[9], value[3];
  int k = 0;
  lwi_symmetric_eigen(3, A, V, value);
  for (int i = 1; i < 3; i++)
    if (value[i] < value[k]) k = i;
  memcpy(x->own, a, sizeof x->own);
  memcpy(x->axis, V + 3 * k, sizeof x->axis);
  x->least = value[k];
  x->needy = !frozen && value[k] <= 1e-6 * (a[0] + a[1] + a[2]);
}

typedef enum { LEND_NOTHING, LEND_ACROSS, LEND_ALL } lending;

static lending lending_of(int kind)
{
  switch ((lwi_kind)kind) {
  case LWI_KIND_FIXED:
  case LWI_KIND_PRISMATIC: return LEND_ALL;
  case LWI_KIND_REVOLUTE:
  case LWI_KIND_HELICAL:
  case LWI_KIND_CYLINDRICAL:
  case LWI_KIND_PLANAR:
  case LWI_KIND_PLANAR_REVERSED: return LEND_ACROSS;
  default: return LEND_NOTHING;
  }
}

/* inertia += s E, z being the axis */
static void add_inertia(double inertia[6], double s, lending kind, const double z[3])
{
  static const int row[6] = {0, 1, 2, 0, 0, 1}, column[6] = {0, 1, 2, 1, 2, 2};
  for (int i = 0; i < 6; i++) {
    if (i < 3) inertia[i] += s;
    if (kind == LEND_ACROSS) inertia[i] -= s * z[row[i]] * z[column[i]];
  }
}

/* y' E y: how much of a loan a body sees along its axis of least inertia */
static double seen_along(const account *x, lending kind, const double z[3])
{
  const double yz = dot3(x->axis, z);
  return kind == LEND_ACROSS && x->needy ? 1 - yz * yz : 1;
}

/* How much each body borrows, outermost first: what it needs itself and what it lends and cannot
   spare.  False: somebody cannot borrow. */
static bool find_loans(lw_dca *d, double part, account *x)
{
  const lw_model *m = d->m;
  const double z[3] = {0, 0, 1};
  for (int i = 0; i < m->nlink; i++)
    x[i].lends = 0;
  for (int i = m->nlink - 1; i > 0; i--) {
    const lwi_link *L = &m->link[i];
    const lending kind = lending_of(L->kind);
    const double size = (x[i].own[0] + x[i].own[1] + x[i].own[2]) / 3;
    const double seen = seen_along(&x[i], kind, z);
    double need = x[i].lends > 0.25 * x[i].least ? x[i].lends : 0;
    if (x[i].needy) need = (part * size + x[i].lends) / fmax(seen, 1e-3);
    if (need > 0 && (kind == LEND_NOTHING || !(size > 0))) return false;
    d->body[i].lent = need;
    x[L->parent].lends += need * seen_along(&x[L->parent], kind, L->R.c[2]);
  }
  return true;
}

/* Inertias with all loans, and their inverses; false: one is not positive definite. */
static bool lend(lw_dca *d, const account *x)
{
  const lw_model *m = d->m;
  const double z[3] = {0, 0, 1};
  for (int i = 1; i < m->nlink; i++)
    memcpy(d->body[i].inertia, x[i].own, sizeof x[i].own);
  for (int i = 1; i < m->nlink; i++) {
    const lwi_link *L = &m->link[i];
    const lending kind = lending_of(L->kind);
    if (d->body[i].lent == 0) continue;
    add_inertia(d->body[i].inertia, d->body[i].lent, kind, z);
    if (L->parent > 0) add_inertia(d->body[L->parent].inertia, -d->body[i].lent, kind, L->R.c[2]);
  }
  for (int i = 1; i < m->nlink; i++)
    if (!m->link[i].frozen && !invert_symmetric(d->body[i].inertia, d->body[i].inverse))
      return false;
  return true;
}

static lw_status refuse_body(const lw_dca *d, const account *x, lw_error *err)
{
  const lw_model *m = d->m;
  int worst = 1;
  for (int i = m->nbody; i > 0; i--)
    if (x[m->body[i].link].needy) worst = i;
  return lwi_fail(
      err, LW_E_UNSUPPORTED,
      "body \"%s\" has no inertia about some axis, and its joints lend it none: divide and "
      "conquer needs it",
      m->body[worst].name);
}

lw_status lwi_dca_lend(lw_dca *d, lw_error *err)
{
  const int n = d->m->nlink;
  lwi_arena scratch = {0};
  account *x = LWI_TAKE(&scratch, n, account);
  if (!x) return lwi_fail(err, LW_E_MEMORY, "divide and conquer: out of memory");
  for (int i = 1; i < n; i++)
    open_account(d->body[i].inertia, d->m->link[i].frozen > 0, &x[i]);
  bool fine = false;
  for (double part = 0.5; part > 1e-5 && !fine; part *= 0.1)
    fine = find_loans(d, part, x) && lend(d, x);
  const lw_status st = fine ? LW_OK : refuse_body(d, x, err);
  lwi_arena_free(&scratch);
  return st;
}

/* s (E alpha + w x E w), z being the z axis of the link; of a jump s E alpha */
void lwi_dca_lent_torque(const lw_dca *d, int link, double torque[3])
{
  const double s = d->body[link].lent, *alpha = d->state[link].A;
  double R[9], p[3], V[6], A[6], Ew[3], turn[3];
  memset(torque, 0, 3 * sizeof(double));
  if (s == 0) return;
  d->kernels->get_frame(d->m, d->work, link, R, p);
  d->kernels->get_motion(d->m, d->work, link, V, A);
  const double *z = R + 6, all = lending_of(d->m->link[link].kind) == LEND_ALL ? 0 : 1;
  const double zw = all * dot3(z, V), za = all * dot3(z, alpha);
  for (int i = 0; i < 3; i++)
    Ew[i] = V[i] - zw * z[i];
  cross3(V, Ew, turn);
  for (int i = 0; i < 3; i++) {
    if (d->stage == LWI_DCA_JUMP) turn[i] = 0;
    torque[i] = s * (alpha[i] - za * z[i] + turn[i]);
  }
}
