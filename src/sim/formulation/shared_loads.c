/* SPDX-License-Identifier: Apache-2.0 */
/* shared_loads.c -- loads of contacts, limits and friction that hold a mechanism more than once, as
   an arm that lies on a limit and on a rough floor.  The motion does not depend on how they share
   what they carry, and a formulation finds one of the possible divisions, or an impossible one in
   which a contact pulls.  All divisions differ by states of self-stress (self_stress.h), L + N z.
   Shown is the least one within the bounds of pushes and the cones of friction
   (linalg/least_loads.h), which is the same in all formulations; and if there is none the loads
   cannot be held, which sim/run finds from the same numbers. */
#include "sim/formulation/shared_loads.h"
#include "linalg/least_loads.h"
#include "model/joint/joint.h"
#include "sim/formulation/bearing.h"
#include "sim/formulation/self_stress.h"
#include "linkwork/loops.h"
#include "tree/loops/closure.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* what can only push, or not more than friction allows; its loads are a part of the numbers x */
typedef struct {
  const lwi_event *e;
  const lwi_event *friction; /* of the freedom; NULL: none */
  int constraint;
  bool across; /* the friction of a contact */
  bool open;   /* states of self-stress change its load */
  lwi_bearing bearing;
} held;

struct lwi_shared_loads {
  int n, nx;
  held *item;     /* [n] */
  lwi_cone *cone; /* [n] one for each */
  lw_work *work; /* of the tree recursion, to find states of self-stress; NULL: that of the dynamics
               serves */
  double t, *q, *u;
  bool known, regular; /* known: whether, at the first state, no loads are open */
  int k;               /* states of self-stress at present, 0: all loads are determined */
  lwi_stress stress;
  double *x, *weight;                   /* [nx] */
  double (*joint)[6], (*constraint)[6]; /* what is added */
};

static const lwi_event *find_friction(const lw_model *m, const lwi_event *e)
{
  if (e->d.action == LW_ACTION_FRICTION) return e;
  for (int i = 0; i < m->nraising && e->d.action == LW_ACTION_LIMIT; i++)
    if (m->raising[i].d.action == LW_ACTION_FRICTION && lwi_same_freedom(&m->raising[i].d, &e->d))
      return &m->raising[i];
  return NULL;
}

/* The friction of a contact follows it in the list. */
static int list_items(lwi_shared_loads *s, const lw_model *m)
{
  int n = 0, nx = 0;
  for (int i = 0; i < m->nraising; i++) {
    const lwi_event *e = &m->raising[i];
    const int constraint = e->contact > 0 ? lwi_find_constraint(m, e->contact_name) : 0;
    const bool across = e->d.action == LW_ACTION_SLIP;
    if (constraint == 0) continue;
    if (s->item) {
      s->item[n] = (held){
          .e = e, .friction = find_friction(m, e), .constraint = constraint, .across = across};
      s->cone[n] = (lwi_cone){.first = nx, .n = across ? 3 : 1, .normal = -1};
      if (across && n > 0) s->cone[n].normal = s->cone[n - 1].first;
      if (s->item[n].friction && s->item[n].friction->d.own_load)
        lwi_bearing_init(&s->item[n].bearing, m, s->item[n].friction->d.joint,
                         s->item[n].friction->d.bearing);
    }
    n++;
    nx += across ? 3 : 1;
  }
  s->n = n;
  s->nx = nx;
  return n;
}

/* Loads of freedoms that turn are moments: they count as forces on a typical lever arm. */
static void set_weights(lwi_shared_loads *s, const lw_model *m)
{
  for (int i = 0; i < s->nx; i++)
    s->weight[i] = 1;
  for (int i = 0; i < s->n; i++) {
    const lwi_constraint *k = &m->constraint[s->item[i].constraint];
    if (k->pair >= 0 || k->relation.nterm < 1) continue;
    const lwi_relation_term *term = &k->relation.term[0];
    const lw_joint_type type = m->joint[term->joint].info.type;
    if (lwi_joint_traits_of(type).angles >> term->dof & 1)
      s->weight[s->cone[i].first] = 1 / m->length;
  }
}

bool lwi_shared_loads_new(const lw_model *m, lwi_shared_loads **out)
{
  lwi_shared_loads count = {0};
  *out = NULL;
  if (list_items(&count, m) < 1 || m->tree_constraints.local) return true;
  lwi_shared_loads *s = calloc(1, sizeof *s);
  if (!s) return false;
  s->item = calloc((size_t)count.n, sizeof *s->item);
  s->cone = calloc((size_t)count.n, sizeof *s->cone);
  s->q = calloc((size_t)m->nq + (size_t)m->nu + 2 * (size_t)count.nx + 1, sizeof *s->q);
  s->joint = calloc((size_t)m->njoint + 1, sizeof *s->joint);
  s->constraint = calloc((size_t)m->nconstraint + 1, sizeof *s->constraint);
  if (!s->item || !s->cone || !s->q || !s->joint || !s->constraint)
    return lwi_shared_loads_free(s), false;
  s->u = s->q + m->nq;
  s->x = s->u + m->nu;
  s->weight = s->x + count.nx;
  list_items(s, m);
  set_weights(s, m);
  *out = s;
  return true;
}

void lwi_shared_loads_free(lwi_shared_loads *s)
{
  if (!s) return;
  lw_work_free(s->work);
  free(s->item);
  free(s->cone);
  free(s->q);
  free(s->joint);
  free(s->constraint);
  free(s);
}

void lwi_shared_loads_note(lwi_shared_loads *s, const lw_model *m, double t, const double q[],
                           const double u[])
{
  s->t = t;
  if (m->nq) memcpy(s->q, q, (size_t)m->nq * sizeof *q);
  if (m->nu) memcpy(s->u, u, (size_t)m->nu * sizeof *u);
}

/* ---- the numbers x ---- */

static void place_of(const lw_work *w, lw_body b, const double at[3], rot3 *R, double out[3])
{
  lw_pose X = {.quat = {1, 0, 0, 0}};
  if (b.id > 0) lw_get_pose(w, b, &X);
  *R = rot_from_quat(X.quat);
  rot_mulv(*R, at, out);
  for (int i = 0; i < 3; i++)
    out[i] += X.p[i];
}

void lwi_constraint_normal(const lw_dynamics *d, int constraint, double n[3])
{
  const lwi_constraint *k = &d->m->constraint[constraint];
  double a[3], b[3];
  rot3 R, S;
  place_of(d->work, k->info.parent, k->place.p, &R, a);
  if (k->info.type != LW_DISTANCE) {
    rot_mulv(k->place.R, k->equations.E.c[2], n);
    rot_mulv(R, n, n);
    return;
  }
  place_of(d->work, k->info.child, k->child_place.p, &S, b);
  direction3(a, b, n);
}

/* The direction in which a contact pushes the child, ground axes; a rope pulls. */
static void find_normal(const lw_dynamics *d, const held *h, double n[3])
{
  lwi_constraint_normal(d, h->constraint, n);
  if (h->e->d.action != LW_ACTION_CONTACT || h->e->d.contact.on != LW_ON_ROPE) return;
  for (int i = 0; i < 3; i++)
    n[i] = -n[i];
}

/* From the loads of constraints and relations, [torque; force] or a multiplier first. */
static void numbers_of(const lw_dynamics *d, const double (*constraint)[6], int step, double x[])
{
  const lwi_shared_loads *s = d->shared;
  for (int i = 0; i < s->n; i++) {
    const held *h = &s->item[i];
    const double *load = constraint[h->constraint];
    double n[3];
    double *to = x + (size_t)s->cone[i].first * (size_t)step;
    if (h->across) {
      for (int l = 0; l < 3; l++)
        to[l * step] = load[3 + l];
    } else if (d->m->constraint[h->constraint].pair < 0) {
      to[0] = h->e->d.normal[0] * load[0];
    } else {
      find_normal(d, h, n);
      to[0] = dot3(n, load + 3);
    }
  }
}

/* Bounds, those of friction of its own load from the load of the joint. */
static void set_bounds(lw_dynamics *d, const double *z, const double (*joint)[6])
{
  lwi_shared_loads *s = d->shared;
  for (int i = 0; i < s->n; i++) {
    held *h = &s->item[i];
    double most = h->friction ? h->friction->d.bound[1] : 0;
    if (h->friction && h->friction->d.own_load && h->bearing.joint > 0) {
      double load[6];
      lwi_bearing_place(&h->bearing, d->m, d->work);
      d->method->load(d, (lw_joint){h->bearing.joint}, load);
      for (int l = 0; l < s->k; l++)
        for (int c = 0; c < 6; c++)
          load[c] += z[l] * joint[l * (d->m->njoint + 1) + h->bearing.joint][c];
      most *= lwi_bearing_load(&h->bearing, load, NULL);
    }
    s->cone[i].lower = -most;
    s->cone[i].upper = h->friction == h->e ? most : HUGE_VAL;
    if (h->across) s->cone[i].coefficient = h->e->d.contact.friction;
  }
}

/* ---- all together ---- */

/* What forward dynamics of the tree leaves for states of self-stress. */
static lw_work *prepare(lw_dynamics *d, lw_status *status)
{
  lwi_shared_loads *s = d->shared;
  *status = LW_OK;
  if (!s->work) s->work = lw_work_new(d->m);
  double *udot = calloc((size_t)d->m->nu + 1, sizeof *udot);
  if (!s->work || !udot)
    *status = LW_E_MEMORY;
  else
    *status = lw_forward_dynamics(s->work, s->t, s->q, s->u, NULL, udot);
  free(udot);
  return s->work;
}

static int count_open(const lw_model *m, const lw_work *w)
{
  int k = 0;
  for (int i = 0; w->closure && (i = lwi_closure_next_dependent(m, w, i)) >= 0; i++)
    k++;
  return k;
}

/* loads of all states of self-stress: joints and constraints of state l from l (number + 1) */
typedef struct {
  double (*joint)[6], (*constraint)[6];
  double *N, *L, *z;
} stresses;

static bool fill_stresses(lw_dynamics *d, lw_work *w, const stresses *x)
{
  const lw_model *m = d->m;
  lwi_shared_loads *s = d->shared;
  lwi_stress one;
  const bool ok = lwi_stress_new(&one, m, w);
  for (int i = 0, l = 0; ok && (i = lwi_closure_next_dependent(m, w, i)) >= 0; i++, l++) {
    lwi_closure_self_stress(m, w, i, one.lambda);
    lwi_stress_loads(&one);
    memcpy(x->joint + l * (m->njoint + 1), one.joint, ((size_t)m->njoint + 1) * sizeof *one.joint);
    memcpy(x->constraint + l * (m->nconstraint + 1), one.constraint,
           ((size_t)m->nconstraint + 1) * sizeof *one.constraint);
    numbers_of(d, (const double(*)[6])one.constraint, s->k, x->N + l);
  }
  for (int i = 0; ok && i < s->n; i++) {
    s->item[i].open = false;
    for (int r = 0; r < s->cone[i].n * s->k; r++)
      s->item[i].open = s->item[i].open || fabs(x->N[s->cone[i].first * s->k + r]) > 1e-9;
  }
  lwi_stress_free(&one);
  return ok;
}

static lw_status find_numbers(lw_dynamics *d, double (*constraint)[6], double L[])
{
  const lwi_shared_loads *s = d->shared;
  lw_status status = LW_OK;
  for (int i = 0; i < s->n && status == LW_OK; i++) {
    const int at = s->item[i].constraint;
    status = d->m->constraint[at].pair >= 0
                 ? d->method->constraint_load(d, (lw_constraint){at}, constraint[at])
                 : d->method->relation_load(d, (lw_constraint){at}, constraint[at]);
  }
  if (status == LW_OK) numbers_of(d, (const double(*)[6])constraint, 1, L);
  return status;
}

/* z, and the bounds that follow from it */
static lw_status share(lw_dynamics *d, const stresses *x)
{
  enum { MOST = 30 };
  lwi_shared_loads *s = d->shared;
  double before = 0;
  bool own = false;
  for (int i = 0; i < s->n; i++)
    own = own || s->item[i].bearing.joint > 0;
  for (int round = 0; round < MOST; round++) {
    set_bounds(d, x->z, (const double(*)[6])x->joint);
    if (lwi_least_loads(s->nx, s->k, x->N, s->weight, s->n, s->cone, x->L, x->z) < 0)
      return LW_E_MEMORY;
    double size = 0;
    for (int l = 0; l < s->k; l++)
      size += fabs(x->z[l]);
    if (!own || fabs(size - before) <= 1e-13 * size) break;
    before = size;
  }
  return LW_OK;
}

static void add_stresses(const lw_dynamics *d, const stresses *x)
{
  const lw_model *m = d->m;
  const lwi_shared_loads *s = d->shared;
  for (int l = 0; l < s->k; l++)
    for (int c = 0; c < 6; c++) {
      for (int i = 1; i <= m->njoint; i++)
        s->joint[i][c] += x->z[l] * x->joint[l * (m->njoint + 1) + i][c];
      for (int i = 1; i <= m->nconstraint; i++)
        s->constraint[i][c] += x->z[l] * x->constraint[l * (m->nconstraint + 1) + i][c];
    }
}

lw_status lwi_shared_loads_find(lw_dynamics *d)
{
  lwi_shared_loads *s = d->shared;
  const lw_model *m = d->m;
  lw_status status;
  memset(s->joint, 0, ((size_t)m->njoint + 1) * sizeof *s->joint);
  memset(s->constraint, 0, ((size_t)m->nconstraint + 1) * sizeof *s->constraint);
  s->k = 0;
  if (s->known && s->regular) return LW_OK;
  lw_work *w = prepare(d, &status);
  if (status != LW_OK) return LW_OK; /* a state in which there is nothing to share */
  s->k = count_open(m, w);
  s->regular = s->known ? s->regular : s->k == 0;
  s->known = true;
  if (s->k == 0) return LW_OK;
  const size_t k = (size_t)s->k, joints = (size_t)m->njoint + 1,
               constraints = (size_t)m->nconstraint + 1, nx = (size_t)s->nx;
  double *block =
      calloc(k * 6 * (joints + constraints) + nx * k + nx + k + 6 * constraints + 1, sizeof *block);
  if (!block) return LW_E_MEMORY;
  stresses x = {.joint = (double(*)[6])block, .constraint = (double(*)[6])(block + 6 * k * joints)};
  x.N = block + 6 * k * (joints + constraints);
  x.L = x.N + nx * k;
  x.z = x.L + nx;
  status = find_numbers(d, (double(*)[6])(x.z + k), x.L);
  if (status == LW_OK && !fill_stresses(d, w, &x)) status = LW_E_MEMORY;
  if (status == LW_OK) status = share(d, &x);
  if (status == LW_OK) add_stresses(d, &x);
  free(block);
  return status;
}

bool lwi_shared_loads_are_open(const lw_dynamics *d)
{
  return d->shared && d->shared->k > 0;
}

bool lwi_shared_loads_are_open_of(const lw_dynamics *d, const lwi_event *e)
{
  for (int i = 0; lwi_shared_loads_are_open(d) && i < d->shared->n; i++)
    if (d->shared->item[i].e == e) return d->shared->item[i].open;
  return false;
}

void lwi_shared_loads_of_joint(const lwi_shared_loads *s, int joint, double load[6])
{
  for (int i = 0; i < 6 && s; i++)
    load[i] += s->joint[joint][i];
}

void lwi_shared_loads_of_constraint(const lwi_shared_loads *s, int constraint, double load[6])
{
  for (int i = 0; i < 6 && s; i++)
    load[i] += s->constraint[constraint][i];
}

double lwi_shared_loads_of_relation(const lwi_shared_loads *s, int constraint)
{
  return s ? s->constraint[constraint][0] : 0;
}
