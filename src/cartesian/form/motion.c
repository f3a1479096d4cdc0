/* SPDX-License-Identifier: Apache-2.0 */
/* motion.c -- accelerations and multipliers.

   Bodies without mass, or without inertia about some axis, have no inverse mass.  They are solved
   with an added mass, M + E, whose effect on the motion is then corrected: in the speeds that the
   constraints allow, by conjugate gradients on M with M + E as preconditioner.  Every step is a
   solve with the present factors; as many steps are needed as E has different effects, most often
   two or three.  If a motion is resisted only by E, the mechanism is singular. */
#include "cartesian/form/cartesian.h"

enum { MOST_REFINEMENTS = 4 };
static const double ENOUGH = 1e-14;     /* of what the terms of an equation can be ... */
static const double UNSOLVED = 1e-6;    /* ... and what has not been solved */
static const double LENT_NOISE = 1e-12; /* ... where light bodies move on their own */
static const double NOTHING = 1e-7;     /* of the largest load of all: rounding errors of others */

static lwi_descriptor_values values(const lw_cartesian *c, const double *force, const double *gamma)
{
  return (lwi_descriptor_values){
      .mass = c->mass, .jacobian = c->jacobian, .force = force, .gamma = gamma, .give = c->give};
}

static double dot(const double *a, const double *b, size_t n)
{
  double s = 0;
  for (size_t i = 0; i < n; i++)
    s += a[i] * b[i];
  return s;
}

/* r -= E x */
static void add_mass(const lw_cartesian *c, const double x[], double r[])
{
  const int turns = c->width == 6 ? 3 : 1;
  for (int b = 1; b <= c->nbody; b++, x += c->width, r += c->width)
    for (int k = 0; k < c->width; k++)
      r[k] -= (k < turns ? c->body[b].added_inertia : c->body[b].added_mass) * x[k];
}

/* x^T E x */
static double added_energy(const lw_cartesian *c, const double x[])
{
  const int turns = c->width == 6 ? 3 : 1;
  double sum = 0;
  for (int b = 1; b <= c->nbody; b++, x += c->width)
    for (int k = 0; k < c->width; k++)
      sum += (k < turns ? c->body[b].added_inertia : c->body[b].added_mass) * x[k] * x[k];
  return sum;
}

/* what forces r would do to the bodies one by one, r^T (M + E)^-1 r */
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

/* loads of the rotors where bodies have the accelerations x, zero in all other rows; gamma may be
   NULL */
static void find_rotor_loads(const lw_cartesian *c, const double x[], const double gamma[],
                             double out[])
{
  lwi_cartesian_multiply(c, x, out);
  for (int i = 0; i < c->nrow; i++)
    out[i] = c->give[i] > 0 ? (out[i] - (gamma ? gamma[i] : 0)) / c->give[i] : 0;
}

/* y = M x with rotors */
static void multiply_all(const lw_cartesian *c, const double x[], double y[])
{
  lwi_cartesian_mass_multiply(c, x, y);
  if (!c->give) return;
  find_rotor_loads(c, x, NULL, c->scratch_rows[0]);
  lwi_cartesian_add_loads(c, 1, c->scratch_rows[0], y);
}

/* g: where the forces r would move the bodies; r loses what the constraints carry of it, which is
   most, and which would drown the rest in rounding errors, to lambda. */
static lw_status solve_response(lw_cartesian *c, double *r, double *g)
{
  double *none = c->scratch_rows[0], *more = c->scratch_rows[1];
  const lwi_descriptor_values v = values(c, r, none);
  if (c->nrow) memset(none, 0, (size_t)c->nrow * sizeof(double));
  const lw_status status = lwi_descriptor_solve_again(c->linear, &v, g, more);
  if (status != LW_OK) return status;
  for (int i = 0; i < c->nrow && c->give; i++)
    if (c->give[i] > 0) more[i] = 0; /* rotors are a part of M here */
  lwi_cartesian_add_loads(c, -1, more, r);
  for (int i = 0; i < c->nrow; i++)
    c->lambda[i] += more[i];
  return LW_OK;
}

/* Adds to x (NULL: nowhere) what the forces r do to M in the motions that the constraints allow,
   until a step gains no more than `enough` energy (as M has it: with E, motions of light bodies
   alone would seem to be found long before).  LW_E_SINGULAR: such a motion moves no mass. */
static lw_status descend(lw_cartesian *c, double *r, double *x, double enough)
{
  const size_t n = lwi_cartesian_speeds(c);
  double *g = c->scratch[1], *d = c->scratch[2], *Md = c->scratch[3];
  lw_status status = solve_response(c, r, g);
  double rg = dot(r, g, n), gain = HUGE_VAL;
  memcpy(d, g, n * sizeof(double));
  for (int k = 0; k < 100 && status == LW_OK && rg > 0 && gain > enough; k++) {
    multiply_all(c, d, Md);
    const double bend = dot(d, Md, n);
    if (!(bend > 1e-12 * added_energy(c, d))) return rg > enough ? LW_E_SINGULAR : LW_OK;
    gain = rg / bend * rg;
    for (size_t i = 0; i < n; i++) {
      if (x) x[i] += rg / bend * d[i];
      r[i] -= rg / bend * Md[i];
    }
    status = solve_response(c, r, g);
    const double before = rg;
    rg = dot(r, g, n);
    for (size_t i = 0; i < n; i++)
      d[i] = g[i] + rg / before * d[i];
  }
  const bool solved = !(rg > enough * (UNSOLVED * UNSOLVED) / (ENOUGH * ENOUGH));
  return status == LW_OK && !solved ? LW_E_SINGULAR : status;
}

/* Is there a motion that moves no mass?  Forces on all that was lent find it, once per model. */
static lw_status probe(lw_cartesian *c)
{
  const size_t n = lwi_cartesian_speeds(c), rows = (size_t)c->nrow;
  double *r = c->scratch[0], *x = c->scratch[1], *kept = c->scratch_rows[2];
  unsigned seed = 1;
  for (size_t i = 0; i < n; i++) {
    seed = 1664525u * seed + 1013904223u;
    x[i] = (double)(seed >> 8) / (1 << 24) - 0.5;
    r[i] = 0;
  }
  add_mass(c, x, r);
  if (rows) memcpy(kept, c->lambda, rows * sizeof(double));
  const lw_status status = descend(c, r, NULL, 1e-20 * added_energy(c, x));
  if (rows) memcpy(c->lambda, kept, rows * sizeof(double));
  c->probed = status == LW_OK;
  return status;
}

/* ---- residuals ---- */

static double larger(double a, double b) /* fmax without a call; b may not be NaN */
{
  return a > b ? a : b;
}

/* The largest acceleration as that of a point at a typical arm: as found, or as the forces would
   have it without the constraints, which may take all of it. */
static double largest_motion(const lw_cartesian *c)
{
  const int turns = c->width == 6 ? 3 : 1;
  const double *a = c->a, *Q = c->force;
  double most = 1e-250; /* below it numbers have no digits */
  for (int b = 0; b < c->nbody; b++, a += c->width, Q += c->width) {
    const lwi_descriptor_mass *m = &c->mass[b];
    const double *J = m->inertia;
    double turn = 0, shift = 0, torque = 0, force = 0;
    for (int k = 0; k < turns; k++) {
      turn = larger(fabs(a[k]), turn);
      torque = larger(fabs(Q[k]), torque);
    }
    for (int k = turns; k < c->width; k++) {
      shift = larger(fabs(a[k]), shift);
      force = larger(fabs(Q[k]), force);
    }
    const double inertia = c->width == 6 ? larger(J[0], larger(J[1], J[2])) : J[2];
    turn = larger(turn, torque / inertia) * c->m->length;
    most = larger(larger(turn, larger(shift, force * m->inverse_mass)), most);
  }
  return most;
}

/* g = gamma + c lambda - Phi a in the rows that count; notes the largest of them relative to what the terms
   of its row can be, so that it does not matter which units they are in.  Rows that were left out depend on others; in a forest none
   does, so that they were lost beside light bodies, and count. */
static void find_row_residual(lw_cartesian *c, double g[])
{
  const lwi_descriptor_values v = values(c, c->force, c->gamma);
  const double most = largest_motion(c);
  double *sizes = c->scratch_rows[3];
  lwi_descriptor_row_residual(c->linear, &v, c->a, c->lambda, most / c->m->length, most, g, sizes);
  int worst = -1;
  for (int i = 0; i < c->nrow; i++)
    if (fabs(g[i]) > c->unsolved.residual * sizes[i] || isnan(g[i])) {
      c->unsolved.residual = fabs(g[i]) / sizes[i];
      worst = i;
    }
  for (int i = 0; i < c->nrow && lwi_descriptor_is_forest(c->linear); i++)
    if (!lwi_descriptor_row_kept(c->linear, i)) g[i] = 0; /* it is no equation to refine by */
  if (worst < 0) return;
  const lwi_row_set *s = c->set;
  while (worst >= s->row + s->n)
    s++;
  c->unsolved = (lwi_unsolved){
      .joint = s->joint, .constraint = s->constraint, .residual = c->unsolved.residual};
}

/* r -= Phi^T lambda of a row of a frame on a body: a force, and its moment about the centre of
   mass.  The rounding errors of the Jacobian, where both are numbers on their own, do not come
   in. */
static void subtract_row(const lw_cartesian *c, int body, const double arm[3], const double J[6],
                         double lambda, long double r[])
{
  long double load[6];
  for (int i = 0; i < 3; i++) {
    const int j = (i + 1) % 3, k = (i + 2) % 3;
    const long double moment =
        (long double)arm[j] * (long double)J[3 + k] - (long double)arm[k] * (long double)J[3 + j];
    load[i] = (long double)lambda * ((long double)J[i] + moment);
    load[3 + i] = (long double)lambda * (long double)J[3 + i];
  }
  for (int i = 0; i < c->width; i++)
    r[(body - 1) * c->width + i] -= load[c->width == 6 ? i : 2 + i];
}

static void subtract_pair(const lw_cartesian *c, const lwi_row_set *s, long double r[])
{
  const int pair = s->joint ? s->joint : c->m->njoint + s->constraint;
  double J[2][6][6];
  lwi_cartesian_pair_rows(c, s, J);
  for (int side = 0; side < 2; side++)
    for (int k = 0; k < s->n && c->pair[pair].body[side] > 0; k++)
      subtract_row(c, c->pair[pair].body[side], c->at[pair].arm[side], J[side][k],
                   c->lambda[s->row + k], r);
}

static void subtract_relation(const lw_cartesian *c, const lwi_row_set *s, long double r[])
{
  const long k = s - c->set;
  const double *J = c->jacobian + s->J;
  for (int b = c->touch_start[k]; b < c->touch_start[k + 1]; b++, J += c->width)
    for (int i = 0; i < c->width; i++)
      r[c->touch_body[b] * c->width + i] -= (long double)J[i] * (long double)c->lambda[s->row];
}

/* r -= Phi^T lambda with light bodies.  Loads that a light body hands on from one joint to the next cancel to what
   moves it, which may be less than their rounding errors: they are added in extended precision. */
static void subtract_loads(const lw_cartesian *c, double r[])
{
  const size_t n = lwi_cartesian_speeds(c);
  for (size_t i = 0; i < n; i++)
    c->wide[i] = (long double)r[i];
  for (int k = 0; k < c->shape.nset; k++) {
    const lwi_row_set *s = &c->set[k];
    if (s->constraint && c->m->constraint[s->constraint].pair < 0)
      subtract_relation(c, s, c->wide);
    else
      subtract_pair(c, s, c->wide);
  }
  for (size_t i = 0; i < n; i++)
    r[i] = (double)c->wide[i];
}

/* r = Q - M a - Phi^T lambda, with (M + E) while the loans are there; sizes: of its terms */
static void find_force_residual(const lw_cartesian *c, bool with_added_mass, double r[],
                                double sizes[])
{
  const size_t n = lwi_cartesian_speeds(c);
  if (!c->light) {
    const lwi_descriptor_values v = values(c, c->force, c->gamma);
    lwi_descriptor_force_residual(c->linear, &v, c->a, c->lambda, r, sizes);
    return;
  }
  lwi_cartesian_mass_multiply(c, c->a, r);
  for (size_t i = 0; i < n; i++) {
    sizes[i] = fabs(r[i]) + fabs(c->force[i]);
    r[i] = c->force[i] - r[i];
  }
  if (with_added_mass) add_mass(c, c->a, r);
  subtract_loads(c, r);
  for (int k = 0; k < c->shape.nset; k++) {
    const lwi_row_set *s = &c->set[k];
    const double *J = c->jacobian + s->J;
    for (int b = c->touch_start[k]; b < c->touch_start[k + 1]; b++)
      for (int row = s->row; row < s->row + s->n; row++, J += c->width)
        for (int i = 0; i < c->width; i++)
          sizes[c->touch_body[b] * c->width + i] += fabs(J[i] * c->lambda[row]);
  }
}

/* the largest of a body's six numbers, a torque as a force at a typical arm; NaN if one of them is */
static double largest_load(const lw_cartesian *c, const double x[])
{
  const int turns = c->width == 6 ? 3 : 1;
  double torque = 0, force = 0, sum = 0;
  for (int k = 0; k < turns; k++)
    torque = larger(fabs(x[k]), torque);
  for (int k = turns; k < c->width; k++)
    force = larger(fabs(x[k]), force);
  for (int k = 0; k < c->width; k++)
    sum += x[k];
  return isnan(sum) ? sum : larger(torque / c->m->length, force);
}

/* Notes the largest residual of a body's balance relative to its terms. */
static void compare_loads(lw_cartesian *c, const double r[], double sizes[])
{
  double all = 1e-250, *size = sizes; /* one number per body takes the place of all of them */
  for (int b = 0; b < c->nbody; b++) {
    size[b] = largest_load(c, sizes + b * c->width);
    all = larger(size[b], all);
  }
  for (int b = 0; b < c->nbody; b++) {
    const double residual = largest_load(c, r + b * c->width), terms = size[b] + NOTHING * all;
    if (residual > c->unsolved.residual * terms || isnan(residual))
      c->unsolved = (lwi_unsolved){.body = b + 1, .residual = residual / terms};
  }
}

/* The residual of the solution, in the rows (scratch_rows[1]) and in the balance of the bodies
   (scratch[0]), relative to its terms. */
static double find_residual(lw_cartesian *c, bool with_added_mass)
{
  double *r = c->scratch[0], *sizes = c->scratch[2];
  c->unsolved = (lwi_unsolved){0};
  find_force_residual(c, with_added_mass, r, sizes);
  find_row_residual(c, c->scratch_rows[1]);
  compare_loads(c, r, sizes);
  return c->unsolved.residual;
}

double lwi_cartesian_find_imbalance(lw_cartesian *c)
{
  return find_residual(c, c->light);
}

bool lwi_cartesian_is_solved(double residual)
{
  return residual <= UNSOLVED;
}

/* One step of iterative refinement, with the residual as right side.  Phi M^-1 Phi^T has the
   square of the condition of what it is made of; the same factors give the digits back. */
static lw_status refine(lw_cartesian *c)
{
  const size_t n = lwi_cartesian_speeds(c), rows = (size_t)c->nrow;
  double *a = c->scratch[1], *lambda = c->scratch_rows[0];
  const lwi_descriptor_values v = values(c, c->scratch[0], c->scratch_rows[1]);
  const lw_status status = lwi_descriptor_solve_again(c->linear, &v, a, lambda);
  for (size_t i = 0; i < n; i++)
    c->a[i] += a[i];
  for (size_t i = 0; i < rows; i++)
    c->lambda[i] += lambda[i];
  return status;
}

/* The residual alone, of a solution that is refined in any case. */
static void find_first_residual(lw_cartesian *c)
{
  const lwi_descriptor_values v = values(c, c->force, c->gamma);
  double *r = c->scratch[0];
  lwi_descriptor_row_residual(c->linear, &v, c->a, c->lambda, 0, 0, c->scratch_rows[1], NULL);
  if (c->light)
    find_force_residual(c, true, r, c->scratch[2]);
  else
    lwi_descriptor_force_residual(c->linear, &v, c->a, c->lambda, r, NULL);
}

/* Steps as long as they help.  One is always worth its price, some percent of an evaluation:
   implicit integrators feel what is left without it as noise. */
static lw_status refine_all(lw_cartesian *c)
{
  double before = HUGE_VAL, worst = HUGE_VAL;
  find_first_residual(c);
  for (int k = 0; k < MOST_REFINEMENTS && (k == 0 || (worst > ENOUGH && worst < 0.5 * before));
       k++) {
    const lw_status status = refine(c);
    if (status != LW_OK) return status;
    before = worst;
    worst = find_residual(c, c->light);
  }
  return worst <= UNSOLVED ? LW_OK : LW_E_SINGULAR;
}

/* what r^T g may be, of the energies that the accelerations and the forces stand for */
static double small_work(lw_cartesian *c)
{
  const size_t n = lwi_cartesian_speeds(c);
  double *r = c->scratch[0], *Ma = c->scratch[3];
  lwi_cartesian_mass_multiply(c, c->a, Ma);
  for (size_t i = 0; i < n; i++)
    r[i] = c->force[i] - Ma[i];
  return 1e-29 * (dot(c->a, Ma, n) + work_of(c, r));
}

/* Takes the loans out of a; lambda becomes what the forces without them need.  Motions of light
   bodies alone are large and meet the rows to rounding errors of their own size: a step of
   refinement takes these out, and what it has lent to do so is given back in turn. */
static lw_status give_back(lw_cartesian *c)
{
  lw_status status = c->probed ? LW_OK : probe(c);
  const double enough = small_work(c);
  double before = HUGE_VAL, worst = find_residual(c, false);
  for (int k = 0; status == LW_OK && k < MOST_REFINEMENTS; k++) {
    if (k > 0) status = refine(c);
    if (k > 0) find_residual(c, false);
    if (status == LW_OK) status = descend(c, c->scratch[0], c->a, enough);
    if (c->give) find_rotor_loads(c, c->a, c->gamma, c->scratch_rows[0]);
    for (int i = 0; c->give && i < c->nrow; i++)
      if (c->give[i] > 0) c->lambda[i] = c->scratch_rows[0][i];
    worst = find_residual(c, false);
    if (!(worst > LENT_NOISE && worst < 0.5 * before)) break;
    before = worst;
  }
  return status == LW_OK && !(worst <= UNSOLVED) ? LW_E_SINGULAR : status;
}

/* Rows that were dropped and are not met count after all, down to rounding errors. */
static lw_status recover_rows(lw_cartesian *c, const lwi_descriptor_values *v)
{
  static const double least[] = {1e-13, 1e-15}; /* pivots of dependent rows: distances squared */
  lw_status status = LW_OK;
  for (int i = 0; !lwi_cartesian_rows_hold(c, v, largest_motion(c), i > 0); i++) {
    if (i == 2) return LW_E_SINGULAR;
    status = lwi_descriptor_solve_finer(c->linear, v, least[i], c->a, c->lambda);
    if (status == LW_OK) status = refine_all(c);
    if (status != LW_OK) return status;
  }
  return LW_OK;
}

lw_status lwi_cartesian_solve(lw_cartesian *c)
{
  const lwi_descriptor_values v = values(c, c->force, c->gamma);
  if (c->solve) return c->solve(c);
  lw_status status = lwi_descriptor_solve(c->linear, &v, c->a, c->lambda);
  if (status == LW_OK) status = refine_all(c);
  if (status == LW_OK && lwi_descriptor_rank(c->linear) < c->nrow) status = recover_rows(c, &v);
  c->redundant = c->nrow - lwi_descriptor_rank(c->linear);
  if (status != LW_OK || !c->light) return status;
  return give_back(c);
}
