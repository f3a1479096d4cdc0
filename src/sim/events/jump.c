/* SPDX-License-Identifier: Apache-2.0 */
/* jump.c -- velocities after an event, with impacts as one-sided conditions.

   The impulses x of impacts satisfy A x = b for the active ones: A_kl is the normal speed at impact
   k per unit impulse at impact l, b is the aimed minus the present speed, x >= 0. */
#include "sim/events/jump_parts.h"
#include "tree/loops/tree_impulse.h"
#include "base/arena.h"
#include "base/carve.h"
#include "linalg/dense.h"
#include "tree/loops/work.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* rounds of impacts, in which touching bodies hit one after the other: with restitution, with only
   those that approach, and at most */
enum { ELASTIC = 200, SEPARATE = 100, MOST = 400 };

/* ---- make ---- */

static void carve(lwi_jump *j, const lw_model *m, lwi_carver *c)
{
  *j = (lwi_jump){.m = m,
                  .q = LWI_CARVE(c, m->nq, double),
                  .u = LWI_CARVE(c, m->nu, double),
                  .V = lwi_carve_bytes(c, (size_t)m->nbody + 1, 6 * sizeof(double)),
                  .after = lwi_carve_bytes(c, (size_t)m->nbody + 1, 6 * sizeof(double)),
                  .p = lwi_carve_bytes(c, (size_t)m->nlink, 6 * sizeof(double)),
                  .scratch = lwi_carve_bytes(c, (size_t)m->nlink, 6 * sizeof(double)),
                  .other = LWI_CARVE(c, m->nu, double)};
  j->impulses = (lwi_impulses){
      .joint = lwi_carve_bytes(c, (size_t)m->njoint + 1, 6 * sizeof(double)),
      .constraint = lwi_carve_bytes(c, (size_t)m->nconstraint + 1, 6 * sizeof(double)),
      .relation = LWI_CARVE(c, m->nconstraint + 1, double),
      .link = lwi_carve_bytes(c, (size_t)m->nlink, 6 * sizeof(double))};
}

bool lwi_jump_init(lwi_jump *j, const lw_model *m)
{
  lwi_carver c = {0};
  carve(j, m, &c);
  const size_t size = (c.used + 63) & ~(size_t)63;
  void *block = aligned_alloc(64, size + 64);
  if (!block) return false;
  memset(block, 0, size + 64);
  c = (lwi_carver){.base = block};
  carve(j, m, &c);
  j->block = block;
  j->speed = LWI_AT_REST * m->length;
  return true;
}

void lwi_jump_free(lwi_jump *j)
{
  free(j->block);
  free(j->done);
  *j = (lwi_jump){0};
}

/* ---- parts ---- */

lw_status lwi_jump_momenta(lwi_jump *j, lw_dynamics *d, double t, double (*p)[6], double u[],
                           lwi_impulses *out)
{
  return d->method->impulse(d, t, j->q, p, u, out);
}

/* Position of a point of a body; after lw_kinematics. */
static void find_point(const lw_work *w, lw_body b, const double at[3], double out[3])
{
  lw_pose X;
  lw_get_pose(w, b, &X);
  const rot3 R = rot_from_quat(X.quat);
  rot_mulv(R, at, out);
  for (int i = 0; i < 3; i++)
    out[i] += X.p[i];
}

static void add_load(const lwi_jump *j, const lw_work *w, lw_body b, const double point[3],
                     const double load[6], double factor, double (*p)[6])
{
  const int link = j->m->body[b.id].link;
  double own[6];
  lwi_link_load_at(j->m, w, link, point, load, own);
  for (int i = 0; i < 6 && link > 0; i++)
    p[link][i] += factor * own[i];
}

static void add_impulse(const lwi_jump *j, const lw_work *w, const lw_event_desc *e)
{
  double point[3], load[6];
  find_point(w, e->body, e->point, point);
  memcpy(load, e->angular, sizeof e->angular);
  memcpy(load + 3, e->linear, sizeof e->linear);
  add_load(j, w, e->body, point, load, 1, j->p);
}

lw_status lwi_jump_velocities(const lwi_jump *j, const lw_work *w, double (*V)[6])
{
  lw_status status = LW_OK;
  for (int b = 1; b <= j->m->nbody && status == LW_OK; b++)
    status = lw_get_velocity(w, (lw_body){b}, V[b]);
  return status;
}

/* ---- impacts ---- */

double lwi_jump_normal_speed(const lw_work *w, const lwi_impact *k, double (*V)[6])
{
  double both[2][6] = {{0}};
  memcpy(both[0], V[k->unit.body.id], sizeof both[0]);
  if (k->unit.other.id > 0) memcpy(both[1], V[k->unit.other.id], sizeof both[1]);
  return lwi_unit_push_relative(w, &k->unit, (const double(*)[6])both);
}

void lwi_jump_push(const lwi_jump *j, const lw_work *w, const lwi_impact *k, double size,
                   double (*p)[6])
{
  double load[6];
  memcpy(load, k->unit.load, sizeof load);
  for (int i = 0; i < 3; i++)
    load[3 + i] += k->drag[i];
  add_load(j, w, k->unit.body, k->unit.point, load, size, p);
  add_load(j, w, k->unit.other, k->unit.point, load, -size, p);
}

/* A lower bound of the relative normal speed per unit impulse if the two bodies were free. */
double lwi_jump_free_response(const lwi_jump *j, const lwi_impact *k)
{
  const double a = k->unit.body.id > 0 ? j->m->body[k->unit.body.id].mass : 0;
  const double b = k->unit.other.id > 0 ? j->m->body[k->unit.other.id].mass : 0;
  const double free = (a > 0 ? 1 / a : 0) + (b > 0 ? 1 / b : 0);
  /* a couple: as if it acted on a typical lever arm */
  const double turn = norm3(k->unit.load) / j->m->length, shift = norm3(k->unit.load + 3);
  return free * (shift * shift + turn * turn);
}

/* Normal speeds at all impacts by a unit impulse at impact l: column l of A. */
static lw_status solve_response(lwi_jump *j, lw_dynamics *d, double t, const lwi_impact k[], int n,
                                int l, const double rest[], double *A)
{
  memset(j->scratch, 0, (size_t)j->m->nlink * sizeof *j->scratch);
  if (l >= 0) lwi_jump_push(j, d->work, &k[l], 1, j->scratch);
  lw_status status = lwi_jump_momenta(j, d, t, j->scratch, j->other, NULL);
  if (status == LW_OK) status = lwi_jump_velocities(j, d->work, j->after);
  for (int i = 0; i < n && status == LW_OK; i++)
    A[i * n + (l < 0 ? 0 : l)] =
        lwi_jump_normal_speed(d->work, &k[i], j->after) - (rest ? rest[i] : 0);
  return status;
}

/* Solves for x of the m impacts at[]; more: relative amount added to the diagonal. */
static bool solve_pushes(int n, const double *A, const double *residual, const int at[], int m,
                         double more, double *x)
{
  double B[LWI_MOST_IMPACTS * LWI_MOST_IMPACTS];
  for (int i = 0; i < m; i++) {
    x[i] = residual[at[i]];
    for (int l = 0; l < m; l++)
      B[i * m + l] = A[at[i] * n + at[l]] * (i == l ? 1 + more : 1);
  }
  if (!lwi_cholesky(m, B)) return false;
  lwi_solve_lower(m, 1, B, x);
  lwi_solve_upper(m, 1, B, x);
  return true;
}

static bool share(int n, const double *A, const double *residual, const int at[], int m, double *x)
{
  return solve_pushes(n, A, residual, at, m, 0, x) || solve_pushes(n, A, residual, at, m, 1e-11, x);
}

/* Impulses x >= 0 with which no active speed is below its aim: tensile ones are removed one after
   the other.  Equivalent impacts (the four corners of a box) share the impulse. */
static bool balance(int n, const double *A, const double *residual, lwi_impact k[], double *x)
{
  int at[LWI_MOST_IMPACTS] = {0}, m;
  for (;;) {
    m = 0;
    for (int i = 0; i < n; i++)
      if (k[i].active) at[m++] = i;
    if (!share(n, A, residual, at, m, x)) return false;
    int worst = -1;
    for (int i = 0; i < m; i++)
      if (x[i] < 0 && (worst < 0 || x[i] < x[worst])) worst = i;
    if (worst < 0) break;
    k[at[worst]].active = false;
  }
  double found[LWI_MOST_IMPACTS] = {0};
  for (int i = 0; i < m; i++)
    found[at[i]] = x[i];
  memcpy(x, found, (size_t)n * sizeof(double));
  return true;
}

lw_status lwi_jump_keep(lwi_jump *j, const lwi_done_push *one)
{
  if (!j->keeps) return LW_OK;
  if (!lwi_grow(&j->done, j->ndone, &j->done_capacity, sizeof *j->done)) return LW_E_MEMORY;
  j->done[j->ndone] = *one;
  j->done[j->ndone++].round = j->rounds;
  return LW_OK;
}

/* Adds the impulses of impacts k[n] to the momenta. */
static lw_status apply_impacts(lwi_jump *j, lw_dynamics *d, double t, lwi_impact k[], int n)
{
  for (int i = 0; i < n; i++)
    if (lwi_impact_friction(&k[i]) > 0) return lwi_jump_apply_rough(j, d, t, k, n);
  double *scratch = calloc((size_t)(n * n + 3 * n), sizeof *scratch);
  if (!scratch) return LW_E_MEMORY;
  double *A = scratch, *residual = A + n * n, *x = residual + n, *rest = x + n;
  lw_status status = lwi_jump_momenta(j, d, t, j->p, j->u, NULL);
  if (status == LW_OK) status = lwi_jump_velocities(j, d->work, j->after);
  for (int i = 0; i < n && status == LW_OK; i++)
    residual[i] = k[i].aim - lwi_jump_normal_speed(d->work, &k[i], j->after);
  /* the motion of drivers is subtracted: it is not caused by the impulses */
  if (status == LW_OK) status = solve_response(j, d, t, k, n, -1, NULL, A);
  for (int i = 0; i < n; i++)
    rest[i] = A[i * n];
  for (int l = 0; l < n && status == LW_OK; l++) {
    status = solve_response(j, d, t, k, n, l, rest, A);
    /* joints hold the two together: no impulse can separate them */
    k[l].active = A[l * n + l] > 1e-11 * lwi_jump_free_response(j, &k[l]);
  }
  if (status == LW_OK && !balance(n, A, residual, k, x)) status = LW_E_SINGULAR;
  for (int i = 0; i < n && status == LW_OK; i++) {
    lwi_jump_push(j, d->work, &k[i], k[i].push = x[i], j->p);
    if (k[i].active) status = lwi_jump_keep(j, &(lwi_done_push){.hit = k[i]});
  }
  free(scratch);
  return status;
}

/* The coefficient of restitution; zero for a contact that comes to rest. */
static double restitution_of(const lwi_jump *j, const lw_event_desc *e)
{
  for (int i = 0; i < j->ntouch; i++)
    if (j->touch[i].e == e) return j->touch[i].restitution;
  return e->restitution;
}

/* Hits that become slower and slower end in rest. */
static bool is_slow(const lwi_jump *j, const lwi_impact *k, double speed)
{
  return fabs(speed) * lwi_unit_push_arm(j->m, &k->unit) < j->slow * j->speed;
}

static void note_pushes(lwi_jump *j, const lwi_impact k[], int n)
{
  for (int i = 0; i < n; i++)
    for (int l = 0; l < j->ntouch; l++)
      if (j->touch[l].e == k[i].e) j->touch[l].push += k[i].push;
}

static void note_speeds(lwi_jump *j, double (*V)[6])
{
  for (int b = 1; b <= j->m->nbody; b++)
    j->speed = fmax(j->speed, norm3(V[b] + 3) + j->m->length * norm3(V[b]));
}

/* Finds the speeds of all touching bodies with the momenta so far, and lists those that approach,
   the fastest one with *speed; once hits go on and on, also those in rest that were hit before. */
static lw_status list_approaching(lwi_jump *j, lw_dynamics *d, double t, lwi_impact k[], int *n,
                                  double *speed)
{
  const bool elastic = j->rounds < ELASTIC;
  lw_status status = lwi_jump_momenta(j, d, t, j->p, j->u, NULL);
  if (status == LW_OK) status = lwi_jump_velocities(j, d->work, j->after);
  *n = 0;
  *speed = 0;
  note_speeds(j, j->after);
  for (int i = 0; i < j->ntouch && status == LW_OK; i++) {
    lwi_touching *x = &j->touch[i];
    lwi_impact one = {.e = x->e, .active = true};
    if (!lwi_unit_push_of(j->m, d->work, x->e, &one.unit)) continue;
    x->unit = one.unit;
    x->speed = lwi_jump_normal_speed(d->work, &one, j->after);
    if (x->e->action == LW_ACTION_SLIP) {
      x->nacross = lwi_unit_pushes_across(j->m, d->work, x->e, x->across);
      for (int l = 0; l < x->nacross; l++)
        x->slip[l] = lwi_jump_normal_speed(d->work, &(lwi_impact){.unit = x->across[l]}, j->after);
    }
    const double noise = fmax(1e-10 * j->speed, j->least);
    const bool rests = j->rounds >= SEPARATE && x->push > 0 && fabs(x->speed) <= noise;
    if (!x->passive && x->speed < -noise) *speed = fmax(*speed, -x->speed);
    if (x->passive || !(x->speed < -noise || rests)) continue;
    if (*n == LWI_MOST_IMPACTS) return LW_E_UNSUPPORTED;
    one.aim = elastic && !is_slow(j, &one, x->speed) ? -x->restitution * x->speed : 0;
    k[(*n)++] = one;
  }
  if (*speed == 0) *n = 0;
  return status;
}

/* An impact makes other touching bodies approach: they hit next, all at once, and so on until none
   approaches.  With equal balls and restitution 1 it propagates to the last one.  Two that make
   each other approach, like ends of two joints of one slender body, would share their impulse in
   many thousand rounds: after some, they are hit together.  docs/theory/events.md. */
static lw_status propagate_impacts(lwi_jump *j, lw_dynamics *d, double t)
{
  lwi_impact k[LWI_MOST_IMPACTS];
  int n = 0;
  double speed = 0;
  lw_status status = LW_OK;
  for (j->rounds = 0; j->rounds < MOST && status == LW_OK;) {
    status = list_approaching(j, d, t, k, &n, &speed);
    if (status != LW_OK || n == 0) return status;
    j->rounds++;
    status = apply_impacts(j, d, t, k, n);
    note_pushes(j, k, n);
  }
  return status == LW_OK && speed > 1e-6 * j->speed ? LW_E_NOT_CONVERGED : status;
}

static lw_status find_impacts(lwi_jump *j, lw_dynamics *d, double t, const lwi_event *const event[],
                              int nevent)
{
  j->nimpact = j->rounds = j->ndone = 0;
  for (int i = 0; i < nevent; i++) {
    const lw_action action = event[i]->d.action;
    if (action != LW_ACTION_IMPACT && action != LW_ACTION_LIMIT && action != LW_ACTION_CONTACT)
      continue;
    if (j->nimpact == LWI_MOST_IMPACTS) return LW_E_UNSUPPORTED;
    lwi_impact *k = &j->impact[j->nimpact];
    *k = (lwi_impact){.e = &event[i]->d, .number = event[i]->number, .active = true};
    if (!lwi_unit_push_of(j->m, d->work, k->e, &k->unit)) continue;
    const double speed = lwi_jump_normal_speed(d->work, k, j->V);
    k->aim = is_slow(j, k, speed) ? 0 : -restitution_of(j, k->e) * speed;
    j->nimpact += speed < 0; /* bodies that do not approach are not hit */
  }
  const lw_status status = j->nimpact > 0 ? apply_impacts(j, d, t, j->impact, j->nimpact) : LW_OK;
  note_pushes(j, j->impact, j->nimpact);
  return status == LW_OK && j->ntouch > 0 ? propagate_impacts(j, d, t) : status;
}

/* ---- all together ---- */

static lw_status measure(lwi_jump *j, lw_dynamics *d)
{
  const lw_status status = lwi_jump_velocities(j, d->work, j->after);
  if (status != LW_OK) return status;
  j->kinetic_after = lwi_link_momenta(j->m, d->work, j->after, j->scratch);
  lwi_total_momentum(j->m, d->work, j->scratch, j->momentum_after);
  for (int b = 1; b <= j->m->nbody; b++)
    for (int i = 0; i < 6; i++)
      j->after[b][i] -= j->V[b][i];
  j->jump_energy = lwi_link_momenta(j->m, d->work, j->after, j->scratch);
  for (int b = 1; b <= j->m->nbody; b++)
    for (int i = 0; i < 6; i++)
      j->after[b][i] += j->V[b][i];
  return LW_OK;
}

lw_status lwi_jump_solve(lwi_jump *j, lw_dynamics *d, double t, const lwi_event *const event[],
                         int nevent)
{
  for (int i = 0; i < j->m->nu; i++)
    j->u[i] = 0;
  lw_status status = lw_kinematics(d->work, j->q, j->u);
  if (status != LW_OK) return status;
  note_speeds(j, j->V);
  j->kinetic_before = lwi_link_momenta(j->m, d->work, j->V, j->p);
  lwi_total_momentum(j->m, d->work, j->p, j->momentum_before);
  for (int i = 0; i < nevent; i++)
    if (event[i]->d.action == LW_ACTION_IMPULSE) add_impulse(j, d->work, &event[i]->d);
  status = find_impacts(j, d, t, event, nevent);
  if (status == LW_OK) status = lwi_jump_momenta(j, d, t, j->p, j->u, &j->impulses);
  return status == LW_OK ? measure(j, d) : status;
}

/* ---- afterwards ---- */

lw_status lwi_jump_solve_response(lwi_jump *j, lw_dynamics *d, double t, const lwi_impact *k,
                                  double u[])
{
  memset(j->scratch, 0, (size_t)j->m->nlink * sizeof *j->scratch);
  lw_status status = lwi_jump_momenta(j, d, t, j->scratch, j->other, NULL);
  lwi_jump_push(j, d->work, k, 1, j->scratch);
  if (status == LW_OK) status = lwi_jump_momenta(j, d, t, j->scratch, u, NULL);
  for (int i = 0; i < j->m->nu; i++)
    u[i] -= j->other[i];
  return status;
}

lw_status lwi_jump_speed(lwi_jump *j, const lw_dynamics *d, const lwi_impact *k, double *speed)
{
  const lw_status status = lwi_jump_velocities(j, d->work, j->after);
  if (status == LW_OK) *speed = lwi_jump_normal_speed(d->work, k, j->after);
  return status;
}

bool lwi_jump_share(int n, const double *A, const double *b, double *x)
{
  int all[LWI_MOST_IMPACTS] = {0};
  for (int i = 0; i < n; i++)
    all[i] = i;
  return share(n, A, b, all, n, x);
}

/* The velocities after the jump are kept. */
lw_status lwi_jump_compliance(lwi_jump *j, lw_dynamics *d, double t, const lwi_impact k[], int n,
                              double *A)
{
  const size_t bodies = ((size_t)j->m->nbody + 1) * sizeof *j->after;
  double *rest = calloc((size_t)n * (size_t)n + 1, sizeof *rest);
  void *after = malloc(bodies);
  lw_status status = rest && after ? LW_OK : LW_E_MEMORY;
  if (status == LW_OK) {
    memcpy(after, j->after, bodies);
    memset(j->other, 0, (size_t)j->m->nu * sizeof *j->other);
    status = lw_kinematics(d->work, j->q, j->other);
    if (status == LW_OK) status = solve_response(j, d, t, k, n, -1, NULL, rest);
    for (int i = 0; i < n; i++)
      rest[i] = rest[i * n];
    for (int l = 0; l < n && status == LW_OK; l++)
      status = solve_response(j, d, t, k, n, l, rest, A);
    memcpy(j->after, after, bodies);
  }
  free(after);
  free(rest);
  return status;
}
