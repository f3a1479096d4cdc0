/* SPDX-License-Identifier: Apache-2.0 */
/* motion.c -- accelerations and multipliers.

   Bodies without mass, or without inertia about some axis, have no inverse mass.  They are lent some,
   M + E, and what the loan does to the motion is taken out again: in the speeds that the constraints
   allow, conjugate gradients on M with M + E as preconditioner.  Every step is a solve with the factors
   there are; the steps needed are as many as the loans have different effects, most often two or
   three.  A motion that only the loans resist is no motion of the mechanism: it is singular. */
#include "cartesian/cartesian.h"

enum { MOST_REFINEMENTS = 4 };
static const double ENOUGH = 1e-14;  /* of what the terms of an equation can be ... */
static const double UNSOLVED = 1e-6; /* ... and what has not been solved */

static bool is_kept(const lw_cartesian *c, int row)
{
  return lwi_linear_row_kept(c->linear, row);
}

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

/* what forces r would do to the bodies one by one, r' (M + E)^-1 r */
static double work_of(const lw_cartesian *c, const double r[])
{
  const int turns = c->width == 6 ? 3 : 1;
  double sum = 0;
  for (int b = 0; b < c->nbody; b++, r += c->width) {
    const double *J = c->mass[b].inertia;
    const double inertia = c->width == 6 ? (J[0] + J[1] + J[2]) / 3 : J[2];
    for (int k = 0; k < c->width; k++)
      sum += r[k] * r[k] / (k < turns ? inertia : c->mass[b].mass);
  }
  return sum;
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
  const bool solved = !(rg > enough * (UNSOLVED * UNSOLVED) / (ENOUGH * ENOUGH));
  return status == LW_OK && !solved ? LW_E_SINGULAR : status;
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
  const double enough = 1e-29 * (dot(c->a, Ma, n) + work_of(c, r));
  lwi_cartesian_add_loads(c, -1, c->lambda, r);
  return descend(c, r, c->a, enough);
}

/* ---- what the equations lack ---- */

/* The largest acceleration as that of a point at a typical arm: as found, or as the forces would have it without the
   constraints, which may take all of it. */
static double largest_motion(const lw_cartesian *c)
{
  const int turns = c->width == 6 ? 3 : 1;
  const double *a = c->a, *Q = c->force;
  double most = 1e-250; /* below it numbers have no digits */
  for (int b = 0; b < c->nbody; b++, a += c->width, Q += c->width) {
    const double *J = c->mass[b].inertia;
    const double inertia = c->width == 6 ? fmax(J[0], fmax(J[1], J[2])) : J[2];
    for (int k = 0; k < c->width; k++) {
      const double free = fabs(Q[k]) / (k < turns ? inertia : c->mass[b].mass);
      most = fmax(most, fmax(fabs(a[k]), free) * (k < turns ? c->m->length : 1));
    }
  }
  return most;
}

/* g = gamma - Phi a in the rows that count; returns the largest of them relative to what the terms of its row can
   be, so that it does not matter which units they are in. */
static double find_row_lack(const lw_cartesian *c, double g[])
{
  const int turns = c->width == 6 ? 3 : 1;
  const double most = largest_motion(c);
  double worst = 0;
  lwi_cartesian_multiply(c, c->a, g);
  for (int k = 0; k < c->shape.nset; k++) {
    const lwi_row_set *s = &c->set[k];
    const int nblock = c->touch_start[k + 1] - c->touch_start[k];
    for (int r = 0; r < s->n; r++) {
      const double *J = c->jacobian + s->J + r * c->width, *next = J;
      double size = 0;
      for (int b = 0; b < nblock; b++, next += s->n * c->width)
        for (int i = 0; i < c->width; i++)
          size += fabs(next[i]) * (i < turns ? most / c->m->length : most);
      double *own = &g[s->row + r];
      *own = is_kept(c, s->row + r) ? c->gamma[s->row + r] - *own : 0;
      if (fabs(*own) > worst * (size + fabs(c->gamma[s->row + r])))
        worst = fabs(*own) / (size + fabs(c->gamma[s->row + r]));
    }
  }
  return worst;
}

/* r = Q - M a - Phi' lambda */
static void find_force_lack(const lw_cartesian *c, double r[])
{
  lwi_cartesian_mass_multiply(c, c->a, r);
  for (size_t i = 0; i < lwi_cartesian_speeds(c); i++)
    r[i] = c->force[i] - r[i];
  lwi_cartesian_add_loads(c, -1, c->lambda, r);
}

/* One step of iterative refinement.  Phi M^-1 Phi' has the square of the condition of what it is made
   of; where that shows in the equations themselves, the same factors give the digits back. */
static lw_status refine(lw_cartesian *c, const double g[])
{
  const size_t n = lwi_cartesian_speeds(c), rows = (size_t)c->nrow;
  double *r = c->room[0], *a = c->room[1], *lambda = c->room_rows[0];
  find_force_lack(c, r);
  if (c->light) lend(c, c->a, r);
  const lwi_linear_values v = values(c, r, g);
  const lw_status status = lwi_linear_solve_again(c->linear, &v, a, lambda);
  for (size_t i = 0; i < n; i++)
    c->a[i] += a[i];
  for (size_t i = 0; i < rows; i++)
    c->lambda[i] += lambda[i];
  return status;
}

/* Steps as long as they help: one, most often none. */
static lw_status refine_rows(lw_cartesian *c)
{
  double *g = c->room_rows[1], before = HUGE_VAL;
  double worst = find_row_lack(c, g);
  for (int k = 0; k < MOST_REFINEMENTS && worst > ENOUGH && worst < 0.5 * before; k++) {
    const lw_status status = refine(c, g);
    if (status != LW_OK) return status;
    before = worst;
    worst = find_row_lack(c, g);
  }
  return worst <= UNSOLVED ? LW_OK : LW_E_SINGULAR;
}

lw_status lwi_cartesian_solve(lw_cartesian *c)
{
  const lwi_linear_values v = values(c, c->force, c->gamma);
  if (c->solve) return c->solve(c);
  lw_status status = lwi_linear_solve(c->linear, &v, c->a, c->lambda);
  c->redundant = c->nrow - lwi_linear_rank(c->linear);
  if (status == LW_OK) status = refine_rows(c);
  if (status == LW_OK && c->light) status = give_back(c);
  return status;
}
