/* SPDX-License-Identifier: Apache-2.0 */
#include "oracle_jump.h"
#include "oracle_internal.h"

#include <lapacke.h>
#include <stdlib.h>

typedef struct {
  oracle_handle h;
  double D[6][6];
  int n, first;
} rows;

static void remove_part(double v[6], const double unit[6])
{
  const double s = dot6(v, unit);
  for (int i = 0; i < 6; i++)
    v[i] -= s * unit[i];
}

/* the orthonormal complement of the columns that are not locked */
static rows joint_rows(const oracle *o, int joint, unsigned still, int first)
{
  rows r = {.h = oraclei_handle(o, joint), .first = first};
  double basis[6][6];
  int n = 0;
  for (int k = 0; k < 6 + r.h.nu; k++) { /* free columns first, then unit vectors */
    if (k < r.h.nu && (still >> k & 1)) continue;
    double v[6] = {0};
    if (k < r.h.nu)
      memcpy(v, r.h.P[k], sizeof v);
    else
      v[k - r.h.nu] = 1;
    const double before = sqrt(dot6(v, v));
    for (int again = 0; again < 2; again++)
      for (int i = 0; i < n; i++)
        remove_part(v, basis[i]);
    const double size = sqrt(dot6(v, v));
    if (n == 6 || size < 1e-2 * before) continue; /* one of six unit vectors sticks out more */
    for (int i = 0; i < 6; i++)
      basis[n][i] = v[i] / size;
    if (k >= r.h.nu) memcpy(r.D[r.n++], basis[n], sizeof basis[n]);
    n++;
  }
  assert_int_equal(n, 6);
  return r;
}

static void side(const oracle *o, double *a, int n, int row, int b, double sign, const double x[3],
                 const double d[6])
{
  if (b == 0) return;
  double c[3], r[3], g[6];
  oraclei_center(o, b, c);
  for (int i = 0; i < 3; i++)
    r[i] = x[i] - c[i];
  memcpy(g, d, sizeof g);
  add_cross(g, 1, r, d + 3);
  for (int i = 0; i < 6; i++) {
    const size_t at = (size_t)(6 * (b - 1) + i);
    a[(size_t)row + at * (size_t)n] += sign * g[i];
    a[at + (size_t)row * (size_t)n] -= sign * g[i];
  }
}

/* velocity of the centre of mass from that of the origin, and back */
static void center_velocity(const oracle *o, int b, double sign, const double V[6], double out[6])
{
  double c[3], r[3];
  oraclei_center(o, b, c);
  for (int i = 0; i < 3; i++)
    r[i] = c[i] - o->body[b].X.p[i];
  memcpy(out, V, 6 * sizeof(double));
  add_cross(out + 3, sign, V, r);
}

static void momentum(const oracle *o, int b, const double V[6], double out[6])
{
  double J[3][3];
  oraclei_inertia(o, b, J);
  turn(J, V, out);
  for (int i = 0; i < 3; i++)
    out[3 + i] = o->parts->body[b - 1].mass * V[3 + i];
}

static double energy(const oracle *o, int b, const double V[6])
{
  double p[6];
  momentum(o, b, V, p);
  return 0.5 * dot6(V, p);
}

static void read_bodies(const oracle *o, const double *x, oracle_jump *out)
{
  for (int b = 1; b <= o->parts->nbody; b++) {
    double before[6], change[6];
    const double *after = x + 6 * (b - 1);
    center_velocity(o, b, 1, o->body[b].V, before);
    for (int i = 0; i < 6; i++)
      change[i] = after[i] - before[i];
    out->kinetic_before += energy(o, b, before);
    out->kinetic_after += energy(o, b, after);
    out->jump_energy += energy(o, b, change);
    center_velocity(o, b, -1, after, out->V[b]);
  }
}

static void write_bodies(const oracle *o, double *a, double *x, int n, double (*p)[6])
{
  for (int b = 1; b <= o->parts->nbody; b++) {
    const size_t at = (size_t)(6 * (b - 1));
    double J[3][3], V[6];
    oraclei_inertia(o, b, J);
    for (size_t i = 0; i < 3; i++) {
      for (size_t k = 0; k < 3; k++)
        a[at + i + (at + k) * (size_t)n] = J[i][k];
      a[at + 3 + i + (at + 3 + i) * (size_t)n] = o->parts->body[b - 1].mass;
    }
    center_velocity(o, b, 1, o->body[b].V, V);
    momentum(o, b, V, x + at);
    for (size_t i = 0; i < 6 && p; i++)
      x[at + i] += p[b][i];
  }
}

/* row G_k of a coordinate: a load that does work on it alone (docs/format.md 5.5) */
static void coordinate_row(const oracle *o, oracle_handle *h, int joint, int dof, double g[6])
{
  double one[6] = {0}, x[6];
  one[dof] = 1;
  memset(g, 0, 6 * sizeof(double));
  oraclei_solve_gram(h->P, h->nu, one, x);
  if (o->joint[joint].type == LW_HELICAL)
    add(g, 1, h->P[0]);
  else
    oraclei_times(h->P, h->nu, x, g);
}

static void write_relation(const oracle *o, const oracle_jump_relation *r, double *a, int n,
                           int row)
{
  for (int k = 0; k < r->n; k++) {
    oracle_handle h = oraclei_handle(o, r->joint[k]);
    double g[6];
    coordinate_row(o, &h, r->joint[k], r->dof[k], g);
    side(o, a, n, row, h.child, r->coefficient[k], h.x, g);
    side(o, a, n, row, h.parent, -r->coefficient[k], h.x, g);
  }
}

/* The matrix of the system with the rows of all joints, and as many empty ones; returns its size. */
static int write_rows(const oracle *o, const unsigned still[], int more, rows **out,
                      double **matrix)
{
  rows *r = calloc((size_t)o->njoint + 1, sizeof *r);
  int n = 6 * o->parts->nbody;
  for (int j = 0; j < o->njoint; j++) {
    r[j] = joint_rows(o, j, still ? still[j] : 0, n);
    n += r[j].n;
  }
  n += more;
  double *a = calloc((size_t)n * (size_t)n + 1, sizeof *a);
  for (int j = 0; j < o->njoint; j++)
    for (int k = 0; k < r[j].n; k++) {
      side(o, a, n, r[j].first + k, r[j].h.child, 1, r[j].h.x, r[j].D[k]);
      side(o, a, n, r[j].first + k, r[j].h.parent, -1, r[j].h.x, r[j].D[k]);
    }
  *out = r;
  *matrix = a;
  return n;
}

oracle_jump oracle_jump_solve(const oracle *o, const unsigned still[], double (*p)[6])
{
  return oracle_jump_related(o, still, p, NULL, 0, NULL);
}

oracle_jump oracle_jump_related(const oracle *o, const unsigned still[], double (*p)[6],
                                const oracle_jump_relation relation[], int nrelation, double load[])
{
  const int nbody = o->parts->nbody;
  rows *r;
  double *a;
  const int n = write_rows(o, still, nrelation, &r, &a), related = n - nrelation;
  double *x = calloc((size_t)n + 1, sizeof *x), *singular = calloc((size_t)n + 1, sizeof *singular);
  write_bodies(o, a, x, n, p);
  for (int i = 0; i < nrelation; i++) {
    write_relation(o, &relation[i], a, n, related + i);
    x[related + i] = relation[i].rate;
  }
  oracle_jump out = {.V = calloc((size_t)nbody + 1, sizeof *out.V),
                     .impulse = calloc((size_t)o->njoint + 1, sizeof *out.impulse),
                     .nequation = n};
  lapack_int rank = 0;
  assert_int_equal(LAPACKE_dgelsd(LAPACK_COL_MAJOR, n, n, 1, a, n, x, n, singular, 1e-11, &rank),
                   0);
  out.rank = (int)rank;
  read_bodies(o, x, &out);
  for (int j = 0; j < o->njoint; j++)
    oraclei_times(r[j].D, r[j].n, x + r[j].first, out.impulse[j]);
  for (int i = 0; i < nrelation; i++)
    load[i] = x[related + i];
  free(r);
  free(a);
  free(x);
  free(singular);
  return out;
}

void oracle_jump_free(oracle_jump *j)
{
  free(j->V);
  free(j->impulse);
}

/* lambda - (what G' does not see of it): the shortest lambda with the same G' lambda */
int oracle_jump_keep_determined(const oracle *o, const unsigned still[], double (*impulses)[6])
{
  rows *r;
  double *a;
  const int n = write_rows(o, still, 0, &r, &a), speeds = 6 * o->parts->nbody, count = n - speeds;
  const size_t most = (size_t)(count > speeds ? count : speeds) + 1;
  double *g = calloc((size_t)speeds * (size_t)count + 1, sizeof *g);
  double *x = calloc(most, sizeof *x), *singular = calloc(most, sizeof *singular);
  lapack_int rank = 0;
  for (int j = 0; j < o->njoint; j++)
    for (int k = 0; k < r[j].n; k++) { /* lambda, and G' lambda */
      const int row = r[j].first + k;
      const double lambda = dot6(r[j].D[k], impulses[j]);
      for (int i = 0; i < speeds; i++) {
        const double entry = a[(size_t)row + (size_t)i * (size_t)n];
        g[(size_t)i + (size_t)(row - speeds) * (size_t)speeds] = entry;
        x[i] += entry * lambda;
      }
    }
  if (count > 0)
    assert_int_equal(LAPACKE_dgelsd(LAPACK_COL_MAJOR, speeds, count, 1, g, speeds, x,
                                    (lapack_int)most, singular, 1e-10, &rank),
                     0);
  for (int j = 0; j < o->njoint; j++)
    oraclei_times(r[j].D, r[j].n, x + (r[j].first - speeds), impulses[j]);
  free(r);
  free(a);
  free(g);
  free(x);
  free(singular);
  return count - (int)rank;
}
