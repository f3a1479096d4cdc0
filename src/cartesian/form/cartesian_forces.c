/* SPDX-License-Identifier: Apache-2.0 */
/* cartesian_forces.c -- the masses of the bodies and all that acts on them but constraints. */
#include "cartesian/form/cartesian.h"
#include "tree/loops/closure.h"

/* J in ground axes: R J R^T */
static void turn_inertia(const rot3 *R, const double J[6], double out[6])
{
  const double *x = R->c[0], *y = R->c[1], *z = R->c[2];
  double a[3], b[3], c[3]; /* columns of R J */
  for (int k = 0; k < 3; k++) {
    a[k] = x[k] * J[0] + y[k] * J[3] + z[k] * J[4];
    b[k] = x[k] * J[3] + y[k] * J[1] + z[k] * J[5];
    c[k] = x[k] * J[4] + y[k] * J[5] + z[k] * J[2];
  }
  for (int k = 0; k < 3; k++)
    out[k] = a[k] * x[k] + b[k] * y[k] + c[k] * z[k];
  out[3] = a[0] * x[1] + b[0] * y[1] + c[0] * z[1];
  out[4] = a[0] * x[2] + b[0] * y[2] + c[0] * z[2];
  out[5] = a[1] * x[2] + b[1] * y[2] + c[1] * z[2];
}

/* ... about the normal of planar models alone */
static double inertia_about_z(const rot3 *R, const double J[6])
{
  const double x = R->c[0][2], y = R->c[1][2], z = R->c[2][2];
  return x * x * J[0] + y * y * J[1] + z * z * J[2] +
         2 * (x * y * J[3] + x * z * J[4] + y * z * J[5]);
}

static void invert_symmetric(const double a[6], double out[6])
{
  const double xx = a[0], yy = a[1], zz = a[2], xy = a[3], xz = a[4], yz = a[5];
  const double m[6] = {yy * zz - yz * yz, xx * zz - xz * xz, xx * yy - xy * xy,
                       xz * yz - xy * zz, xy * yz - xz * yy, xy * xz - yz * xx};
  const double det = xx * m[0] + xy * m[3] + xz * m[4];
  const double inverse = 1 / det;
  for (int k = 0; k < 6; k++)
    out[k] = m[k] * inverse;
}

void lwi_cartesian_masses(lw_cartesian *c)
{
  for (int i = 1; i <= c->nbody; i++) {
    const lwi_cartesian_body *b = &c->body[i];
    lwi_descriptor_mass *m = &c->mass[i - 1];
    m->mass = b->mass + b->added_mass;
    m->inverse_mass = 1 / m->mass;
    if (c->width == 3)
      m->inertia[2] = inertia_about_z(&c->state[i].X.R, b->inertia);
    else
      turn_inertia(&c->state[i].X.R, b->inertia, m->inertia);
    memcpy(c->state[i].inertia, m->inertia, sizeof m->inertia);
    for (int k = 0; k < 3; k++)
      m->inertia[k] += b->added_inertia;
    if (b->inertialess) {
      memset(m->inverse_inertia, 0, sizeof m->inverse_inertia);
      for (int k = 0; k < 3; k++)
        m->inertia[k] = c->state[i].inertia[k] = m->mass * c->m->length * c->m->length;
    } else if (c->width == 3) {
      m->inverse_inertia[2] = 1 / m->inertia[2];
    } else {
      invert_symmetric(m->inertia, m->inverse_inertia);
    }
  }
}

/* gravity, -w x J w, and what the model's springs, bushings and loads do */
static void load_body(lw_cartesian *c, const lw_work *w, int i)
{
  const lwi_cartesian_body *b = &c->body[i];
  const lwi_body_state *s = &c->state[i];
  double f[6], arm[3], moment[3], Jw[3], r[3], bias[6];
  w->kernels->get_edge(c->m, w->tree, b->link, r, bias, f); /* about the link's origin */
  rot_mulv(s->X.R, b->com, arm);
  cross3(arm, f + 3, moment);
  rot_tmulv(s->X.R, s->V, Jw);
  const double *J = b->inertia, x = Jw[0], y = Jw[1], z = Jw[2];
  Jw[0] = J[0] * x + J[3] * y + J[4] * z;
  Jw[1] = J[3] * x + J[1] * y + J[5] * z;
  Jw[2] = J[4] * x + J[5] * y + J[2] * z;
  rot_mulv(s->X.R, Jw, Jw);
  cross3(s->V, Jw, Jw);
  for (int k = 0; k < 3; k++) {
    f[k] = b->inertialess ? 0 : f[k] - moment[k] - Jw[k];
    f[3 + k] += b->mass * c->m->gravity[k];
  }
  lwi_pick(c, f, c->force + (size_t)((i - 1) * c->width));
}

/* tau of a joint, as loads on its two bodies */
static void drive_joint(lw_cartesian *c, int i)
{
  const lwi_joint *j = &c->m->joint[i];
  const lwi_body_pair_state *p = &c->at[i];
  const double *tau = c->tau + j->info.u_all;
  double J[2][6][6];
  bool any = false;
  for (int k = 0; k < j->info.nu; k++)
    any = any || tau[k] != 0;
  if (!any) return;
  const lwi_joint_at at = lwi_cartesian_joint_at(c, i);
  lwi_joint_speed_rows(&at, J[0], J[1]);
  for (int side = 0; side < 2; side++) {
    const int b = c->pair[i].body[side];
    double sum[6] = {0}, moment[3];
    if (b == 0) continue;
    for (int k = 0; k < j->info.nu; k++)
      for (int r = 0; r < 6; r++)
        sum[r] += tau[k] * J[side][k][r];
    cross3(p->arm[side], sum + 3, moment);
    for (int k = 0; k < 3; k++)
      sum[k] = c->body[b].inertialess ? 0 : sum[k] + moment[k];
    double *f = c->force + (size_t)((b - 1) * c->width), own[6];
    lwi_pick(c, sum, own);
    for (int k = 0; k < c->width; k++)
      f[k] += own[k];
  }
}

void lwi_cartesian_forces(lw_cartesian *c, lw_work *w, double t, const double tau[])
{
  const lw_model *m = c->m;
  const bool own = lwi_has_freedom_elements(m);
  const size_t n = (size_t)(m->nu + m->ncut_u) * sizeof(double);
  if (n) memset(c->tau, 0, n);
  w->kernels->forces(m, w->tree, t, c->q, c->u, own ? c->tau : NULL);
  if (own && m->ncut_u > 0)
    memcpy(c->tau + m->nu, w->kernels->part(w->tree, LWI_CUT_TAU),
           (size_t)m->ncut_u * sizeof(double));
  for (int i = 0; i < m->nu && tau; i++)
    c->tau[i] += tau[i];
  for (int i = 1; i <= c->nbody; i++)
    load_body(c, w, i);
  for (int i = 1; i <= m->njoint && (own || tau); i++)
    drive_joint(c, i);
}
