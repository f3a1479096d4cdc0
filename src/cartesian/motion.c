/* SPDX-License-Identifier: Apache-2.0 */
/* motion.c -- accelerations and multipliers.

   Bodies without mass, or without inertia about some axis, have no inverse mass.  They are lent some,
   M + E, and what the loan does to the motion is taken out again: in the speeds that the constraints
   allow, conjugate gradients on M with M + E as preconditioner.  Every step is a solve with the factors
   there are; the steps needed are as many as the loans have different effects, most often two or
   three.  A motion that only the loans resist is no motion of the mechanism: it is singular. */
#include "cartesian/cartesian.h"

static lwi_linear_values values(const lw_cartesian *c, const double *force, const double *gamma)
{
  return (lwi_linear_values){
      .mass = c->mass, .jacobian = c->jacobian, .force = force, .gamma = gamma};
}

static double dot(const double *a, const double *b, size_t n)
{
  double s = 0;
  for (size_t i = 0; i < n; i++)
    s += a[i] * b[i];
  return s;
}

void lwi_cartesian_mass_multiply(const lw_cartesian *c, const double x[], double y[])
{
  for (int b = 0; b < c->nbody; b++, x += c->width, y += c->width) {
    const lwi_linear_mass *m = &c->mass[b];
    const double lent = c->body[b + 1].lent_inertia, mass = m->mass - c->body[b + 1].lent_mass;
    const double *J = m->inertia;
    const int v = c->width == 6 ? 3 : 1;
    if (c->width == 6) {
      y[0] = (J[0] - lent) * x[0] + J[3] * x[1] + J[4] * x[2];
      y[1] = J[3] * x[0] + (J[1] - lent) * x[1] + J[5] * x[2];
      y[2] = J[4] * x[0] + J[5] * x[1] + (J[2] - lent) * x[2];
    } else {
      y[0] = (J[2] - lent) * x[0];
    }
    for (int k = v; k < c->width; k++)
      y[k] = mass * x[k];
  }
}

/* r -= E x */
static void lend(const lw_cartesian *c, const double x[], double r[])
{
  const int turns = c->width == 6 ? 3 : 1;
  for (int b = 1; b <= c->nbody; b++, x += c->width, r += c->width)
    for (int k = 0; k < c->width; k++)
      r[k] -= (k < turns ? c->body[b].lent_inertia : c->body[b].lent_mass) * x[k];
}

/* x' E x */
static double lent_energy(const lw_cartesian *c, const double x[])
{
  const int turns = c->width == 6 ? 3 : 1;
  double sum = 0;
  for (int b = 1; b <= c->nbody; b++, x += c->width)
    for (int k = 0; k < c->width; k++)
      sum += (k < turns ? c->body[b].lent_inertia : c->body[b].lent_mass) * x[k] * x[k];
  return sum;
}

static double largest_mass(const lw_cartesian *c)
{
  double most = 0;
  for (int b = 0; b < c->nbody; b++)
    most = fmax(most, c->mass[b].mass);
  return most;
}

/* g: where the forces r would move the bodies; r loses what the constraints carry of it, which is most,
   and which would drown the rest in rounding errors, to lambda. */
static lw_status respond(lw_cartesian *c, double *r, double *g)
{
  double *none = c->room_rows[0], *more = c->room_rows[1];
  const lwi_linear_values v = values(c, r, none);
  if (c->nrow) memset(none, 0, (size_t)c->nrow * sizeof(double));
  const lw_status status = lwi_linear_solve_again(c->linear, &v, g, more);
  if (status != LW_OK) return status;
  lwi_cartesian_add_loads(c, -1, more, r);
  for (int i = 0; i < c->nrow; i++)
    c->lambda[i] += more[i];
  return LW_OK;
}

/* Adds to x (NULL: nowhere) what the forces r do to M in the motions that the constraints allow, until
   r' g is below enough.  LW_E_SINGULAR: such a motion moves no mass. */
static lw_status descend(lw_cartesian *c, double *r, double *x, double enough)
{
  const size_t n = lwi_cartesian_speeds(c);
  double *g = c->room[1], *d = c->room[2], *Md = c->room[3];
  lw_status status = respond(c, r, g);
  double rg = dot(r, g, n);
  memcpy(d, g, n * sizeof(double));
  for (int k = 0; k < 100 && status == LW_OK && rg > enough; k++) {
    lwi_cartesian_mass_multiply(c, d, Md);
    const double bend = dot(d, Md, n);
    if (!(bend > 1e-12 * lent_energy(c, d))) return LW_E_SINGULAR;
    for (size_t i = 0; i < n; i++) {
      if (x) x[i] += rg / bend * d[i];
      r[i] -= rg / bend * Md[i];
    }
    status = respond(c, r, g);
    const double before = rg;
    rg = dot(r, g, n);
    for (size_t i = 0; i < n; i++)
      d[i] = g[i] + rg / before * d[i];
  }
  return status;
}

/* Is there a motion that moves no mass?  Forces on all that was lent find it, once a model. */
static lw_status probe(lw_cartesian *c)
{
  const size_t n = lwi_cartesian_speeds(c), rows = (size_t)c->nrow;
  double *r = c->room[0], *x = c->room[1], *kept = c->room_rows[2];
  unsigned seed = 1;
  for (size_t i = 0; i < n; i++) {
    seed = 1664525u * seed + 1013904223u;
    x[i] = (double)(seed >> 8) / (1 << 24) - 0.5;
    r[i] = 0;
  }
  lend(c, x, r);
  if (rows) memcpy(kept, c->lambda, rows * sizeof(double));
  const lw_status status = descend(c, r, NULL, 1e-20 * lent_energy(c, x));
  if (rows) memcpy(c->lambda, kept, rows * sizeof(double));
  c->probed = status == LW_OK;
  return status;
}

/* Takes the loans out of a; lambda becomes what the forces without them need. */
static lw_status give_back(lw_cartesian *c)
{
  const size_t n = lwi_cartesian_speeds(c);
  double *r = c->room[0], *Ma = c->room[3];
  const lw_status status = c->probed ? LW_OK : probe(c);
  if (status != LW_OK) return status;
  lwi_cartesian_mass_multiply(c, c->a, Ma);
  for (size_t i = 0; i < n; i++)
    r[i] = c->force[i] - Ma[i];
  const double enough = 1e-29 * (dot(c->a, Ma, n) + dot(r, r, n) / largest_mass(c));
  lwi_cartesian_add_loads(c, -1, c->lambda, r);
  return descend(c, r, c->a, enough);
}

static double largest(const double *x, size_t n)
{
  double most = 0;
  for (size_t i = 0; i < n; i++)
    most = fmax(most, fabs(x[i]));
  return most;
}

/* One step of iterative refinement.  Phi M^-1 Phi' has the square of the condition of what it is made
   of; where that shows in the equations themselves, the same factors give the digits back. */
static lw_status refine(lw_cartesian *c)
{
  const size_t n = lwi_cartesian_speeds(c), rows = (size_t)c->nrow;
  double *r = c->room[0], *a = c->room[1], *lambda = c->room_rows[0], *g = c->room_rows[1];
  lwi_cartesian_multiply(c, c->a, g);
  for (size_t i = 0; i < rows; i++)
    g[i] = lwi_linear_row_kept(c->linear, (int)i) ? c->gamma[i] - g[i] : 0;
  if (largest(g, rows) <= 1e-14 * (largest(c->a, n) + largest(c->gamma, rows))) return LW_OK;
  lwi_cartesian_mass_multiply(c, c->a, r);
  for (size_t i = 0; i < n; i++)
    r[i] = c->force[i] - r[i];
  if (c->light) lend(c, c->a, r);
  lwi_cartesian_add_loads(c, -1, c->lambda, r);
  const lwi_linear_values v = values(c, r, g);
  const lw_status status = lwi_linear_solve_again(c->linear, &v, a, lambda);
  for (size_t i = 0; i < n; i++)
    c->a[i] += a[i];
  for (size_t i = 0; i < rows; i++)
    c->lambda[i] += lambda[i];
  return status;
}

lw_status lwi_cartesian_solve(lw_cartesian *c)
{
  const lwi_linear_values v = values(c, c->force, c->gamma);
  if (c->solve) return c->solve(c);
  lw_status status = lwi_linear_solve(c->linear, &v, c->a, c->lambda);
  c->redundant = c->nrow - lwi_linear_rank(c->linear);
  if (status == LW_OK) status = refine(c);
  return status == LW_OK && c->light ? give_back(c) : status;
}
