/* SPDX-License-Identifier: Apache-2.0 */
#include "oracle_jump.h"
#include "oracle_internal.h"

#include "oracle_dense.h"
#include <stdlib.h>

typedef struct {
  oracle_handle h;
  oracle_real D[6][6];
  int n, first;
} rows;

static void remove_part(oracle_real v[6], const oracle_real unit[6])
{
  const oracle_real s = dot6(v, unit);
  for (int i = 0; i < 6; i++)
    v[i] -= s * unit[i];
}

/* the orthonormal complement of the columns that are not locked */
static rows joint_rows(const oracle *o, int joint, unsigned still, int first)
{
  rows r = {.h = oraclei_handle(o, joint), .first = first};
  oracle_real basis[6][6];
  int n = 0;
  for (int k = 0; k < 6 + r.h.nu; k++) { /* free columns first, then unit vectors */
    if (k < r.h.nu && (still >> k & 1)) continue;
    oracle_real v[6] = {0};
    if (k < r.h.nu)
      memcpy(v, r.h.P[k], sizeof v);
    else
      v[k - r.h.nu] = 1;
    const oracle_real before = sqrt(dot6(v, v));
    for (int again = 0; again < 2; again++)
      for (int i = 0; i < n; i++)
        remove_part(v, basis[i]);
    const oracle_real size = sqrt(dot6(v, v));
    if (n == 6 || size < 1e-2 * before) continue; /* one of six unit vectors sticks out more */
    for (int i = 0; i < 6; i++)
      basis[n][i] = v[i] / size;
    if (k >= r.h.nu) memcpy(r.D[r.n++], basis[n], sizeof basis[n]);
    n++;
  }
  assert_int_equal(n, 6);
  return r;
}

static void side(const oracle *o, oracle_real *a, int n, int row, int b, oracle_real sign,
                 const oracle_real x[3], const oracle_real d[6])
{
  if (b == 0) return;
  oracle_real c[3], r[3], g[6];
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
static void center_velocity(const oracle *o, int b, oracle_real sign, const oracle_real V[6],
                            oracle_real out[6])
{
  oracle_real c[3], r[3];
  oraclei_center(o, b, c);
  for (int i = 0; i < 3; i++)
    r[i] = c[i] - o->body[b].X.p[i];
  memcpy(out, V, 6 * sizeof(oracle_real));
  add_cross(out + 3, sign, V, r);
}

static void momentum(const oracle *o, int b, const oracle_real V[6], oracle_real out[6])
{
  oracle_real J[3][3];
  oraclei_inertia(o, b, J);
  turn(J, V, out);
  for (int i = 0; i < 3; i++)
    out[3 + i] = o->parts->body[b - 1].mass * V[3 + i];
}

static oracle_real energy(const oracle *o, int b, const oracle_real V[6])
{
  oracle_real p[6];
  momentum(o, b, V, p);
  return 0.5 * dot6(V, p);
}

static void read_bodies(const oracle *o, const oracle_real *x, oracle_jump *out)
{
  for (int b = 1; b <= o->parts->nbody; b++) {
    oracle_real before[6], change[6];
    const oracle_real *after = x + 6 * (b - 1);
    center_velocity(o, b, 1, o->body[b].V, before);
    for (int i = 0; i < 6; i++)
      change[i] = after[i] - before[i];
    out->kinetic_before += energy(o, b, before);
    out->kinetic_after += energy(o, b, after);
    out->jump_energy += energy(o, b, change);
    center_velocity(o, b, -1, after, out->V[b]);
  }
}

static void write_bodies(const oracle *o, oracle_real *a, oracle_real *x, int n,
                         oracle_real (*p)[6])
{
  for (int b = 1; b <= o->parts->nbody; b++) {
    const size_t at = (size_t)(6 * (b - 1));
    oracle_real J[3][3], V[6];
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
static void coordinate_row(const oracle *o, oracle_handle *h, int joint, int dof, oracle_real g[6])
{
  oracle_real one[6] = {0}, x[6];
  one[dof] = 1;
  memset(g, 0, 6 * sizeof(oracle_real));
  oraclei_solve_gram(h->P, h->nu, one, x);
  if (o->joint[joint].type == LW_HELICAL)
    add(g, 1, h->P[0]);
  else
    oraclei_times(h->P, h->nu, x, g);
}

static void write_relation(const oracle *o, const oracle_jump_relation *r, oracle_real *a, int n,
                           int row)
{
  for (int k = 0; k < r->n; k++) {
    oracle_handle h = oraclei_handle(o, r->joint[k]);
    oracle_real g[6];
    coordinate_row(o, &h, r->joint[k], r->dof[k], g);
    side(o, a, n, row, h.child, r->coefficient[k], h.x, g);
    side(o, a, n, row, h.parent, -r->coefficient[k], h.x, g);
  }
}

/* The matrix of the system with the rows of all joints, and as many empty ones; returns its size. */
static int write_rows(const oracle *o, const unsigned still[], int more, rows **out,
                      oracle_real **matrix)
{
  rows *r = calloc((size_t)o->njoint + 1, sizeof *r);
  int n = 6 * o->parts->nbody;
  for (int j = 0; j < o->njoint; j++) {
    r[j] = joint_rows(o, j, still ? still[j] : 0, n);
    n += r[j].n;
  }
  n += more;
  oracle_real *a = calloc((size_t)n * (size_t)n + 1, sizeof *a);
  for (int j = 0; j < o->njoint; j++)
    for (int k = 0; k < r[j].n; k++) {
      side(o, a, n, r[j].first + k, r[j].h.child, 1, r[j].h.x, r[j].D[k]);
      side(o, a, n, r[j].first + k, r[j].h.parent, -1, r[j].h.x, r[j].D[k]);
    }
  *out = r;
  *matrix = a;
  return n;
}

oracle_jump oracle_jump_solve(const oracle *o, const unsigned still[], oracle_real (*p)[6])
{
  return oracle_jump_related(o, still, p, NULL, 0, NULL);
}

oracle_jump oracle_jump_related(const oracle *o, const unsigned still[], oracle_real (*p)[6],
                                const oracle_jump_relation relation[], int nrelation,
                                oracle_real load[])
{
  const int nbody = o->parts->nbody;
  rows *r;
  oracle_real *a;
  const int n = write_rows(o, still, nrelation, &r, &a), related = n - nrelation;
  oracle_real *x = calloc((size_t)n + 1, sizeof *x), *found = calloc((size_t)n + 1, sizeof *found);
  write_bodies(o, a, x, n, p);
  for (int i = 0; i < nrelation; i++) {
    write_relation(o, &relation[i], a, n, related + i);
    x[related + i] = relation[i].rate;
  }
  oracle_jump out = {.V = calloc((size_t)nbody + 1, sizeof *out.V),
                     .impulse = calloc((size_t)o->njoint + 1, sizeof *out.impulse),
                     .nequation = n};
  const int speeds = 6 * nbody;
  out.rank = o->length > 0
                 ? speeds + oraclei_solve_null_space(speeds, n - speeds, a, x, o->length, found)
                 : oraclei_solve_min_norm(n, n, a, x, found);
  memcpy(x, found, (size_t)n * sizeof *x);
  read_bodies(o, x, &out);
  for (int j = 0; j < o->njoint; j++)
    oraclei_times(r[j].D, r[j].n, x + r[j].first, out.impulse[j]);
  for (int i = 0; i < nrelation; i++)
    load[i] = x[related + i];
  free(r);
  free(a);
  free(x);
  free(found);
  return out;
}

void oracle_jump_free(oracle_jump *j)
{
  free(j->V);
  free(j->impulse);
}

/* lambda - (what G' does not see of it): the shortest lambda with the same G' lambda */
int oracle_jump_keep_determined(const oracle *o, const unsigned still[], oracle_real (*impulses)[6])
{
  rows *r;
  oracle_real *a;
  const int n = write_rows(o, still, 0, &r, &a), speeds = 6 * o->parts->nbody, count = n - speeds;
  oracle_real *g = calloc((size_t)speeds * (size_t)count + 1, sizeof *g);
  oracle_real *x = calloc((size_t)speeds + 1, sizeof *x),
              *shortest = calloc((size_t)count + 1, sizeof *shortest);
  for (int j = 0; j < o->njoint; j++)
    for (int k = 0; k < r[j].n; k++) { /* lambda, and G' lambda */
      const int row = r[j].first + k;
      const oracle_real lambda = dot6(r[j].D[k], impulses[j]);
      for (int i = 0; i < speeds; i++) {
        const oracle_real entry = a[(size_t)row + (size_t)i * (size_t)n];
        g[(size_t)i + (size_t)(row - speeds) * (size_t)speeds] = entry;
        x[i] += entry * lambda;
      }
    }
  const int rank = count > 0 ? oraclei_solve_min_norm(speeds, count, g, x, shortest) : 0;
  for (int j = 0; j < o->njoint; j++)
    oraclei_times(r[j].D, r[j].n, shortest + (r[j].first - speeds), impulses[j]);
  free(r);
  free(a);
  free(g);
  free(x);
  free(shortest);
  return count - rank;
}
