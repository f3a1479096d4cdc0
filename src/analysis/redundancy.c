/* SPDX-License-Identifier: Apache-2.0 */
/* redundancy.c -- self-stresses of a mechanism, grouped by the parts that share them; what would
   release them; motions that drivers leave possible. */
#include "analysis/redundancy.h"
#include "base/fail.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double present = 1e-7; /* speeds relative to the largest of a motion */
enum { MOST_MOTIONS = 20 };         /* that are described in models with more speeds than `large` */

typedef struct {
  lw_redundancy r;
  lwi_arena arena;
} result;

typedef struct {
  const lw_model *m;
  lw_work *w;
  double t;
  const double *q;
  int large, npart; /* joints and constraints together */
  lwi_constraint_rank rank;
  lwi_stress_table table;
  double (*at)[3];            /* [npart] */
  int *group;                 /* [n] of each self-stress */
  lwi_group_entries *entries; /* [ngroup] */
  result *out;
} analysis;

static bool is_relation(const lw_model *m, int part)
{
  return part >= m->njoint && m->constraint[part - m->njoint + 1].pair < 0;
}

static double largest(const double x[6])
{
  double most = 0;
  for (int i = 0; i < 6; i++)
    most = fmax(most, fabs(x[i]));
  return most;
}

/* Places of the child's frames. */
static void find_places(analysis *a)
{
  const lw_model *m = a->m;
  for (int p = 0; p < a->npart; p++) {
    const bool joint = p < m->njoint;
    const lwi_joint *j = joint ? &m->joint[p + 1] : NULL;
    const lwi_constraint *c = joint ? NULL : &m->constraint[p - m->njoint + 1];
    const lwi_body *b = &m->body[joint ? j->info.child.id : c->info.child.id];
    const lwi_frame *place = joint ? &j->child_place : &c->child_place;
    double R[9], o[3], x[3];
    if (is_relation(m, p)) continue;
    a->w->kernels->get_frame(m, a->w->tree, b->link, R, o);
    rot_mulv(b->R, place->p, x);
    for (int i = 0; i < 3; i++)
      x[i] += b->p[i];
    rot_mulv(rot_columns(R), x, a->at[p]);
    for (int i = 0; i < 3; i++)
      a->at[p][i] += o[i];
  }
}

/* ---- groups ---- */

static int by_part(const void *x, const void *y)
{
  const lwi_stress_entry *a = x, *b = y;
  return a->part != b->part ? a->part - b->part : a->stress - b->stress;
}

/* The loads of a group by its parts. */
static bool gather(const analysis *a, int g, lwi_group_entries *out)
{
  const lwi_stress_table *t = &a->table;
  int n = 0;
  for (int i = 0; i < t->n; i++)
    if (a->group[i] == g) out->n++, n += (int)(t->start[i + 1] - t->start[i]);
  lwi_stress_entry *entry = out->entry = calloc((size_t)n + 1, sizeof *entry);
  if (!entry) return false;
  for (int i = 0, own = 0; i < t->n; i++) {
    if (a->group[i] != g) continue;
    for (size_t e = t->start[i]; e < t->start[i + 1]; e++)
      entry[out->nentry++] = (lwi_stress_entry){t->part[e], own, t->load[e]};
    own++;
  }
  qsort(entry, (size_t)n, sizeof *entry, by_part);
  for (int e = 0; e < n; e++)
    out->npart += e == 0 || entry[e].part != entry[e - 1].part;
  return true;
}

/* A part from its n entries. */
static void describe_part(const analysis *a, const lwi_stress_entry entry[], int n,
                          lw_stressed_part *out)
{
  const lw_model *m = a->m;
  const int p = entry->part;
  double basis[7][6] = {{0}};
  *out = (lw_stressed_part){.relation = is_relation(m, p)};
  if (p < m->njoint)
    out->joint.id = p + 1;
  else
    out->constraint.id = p - m->njoint + 1;
  if (out->relation) return;
  memcpy(out->at, a->at[p], sizeof out->at);
  for (int e = 0; e < n && out->n < 6; e++) {
    memcpy(basis[out->n], entry[e].load, sizeof basis[0]);
    for (int k = 0; k < 3; k++)
      basis[out->n][k] *= m->length;
    out->n = lw_simplify_loads(out->n + 1, basis, m->length);
  }
  memcpy(out->direction, basis, sizeof out->direction);
}

/* Loads of a part about the ground origin, of up to six self-stresses. */
static void loads_about_origin(const analysis *a, const lwi_stress_entry entry[], int n,
                               double x[6][6])
{
  memset(x, 0, 6 * sizeof *x);
  for (int e = 0; e < n; e++) {
    double arm[3], *to = x[entry[e].stress];
    memcpy(to, entry[e].load, 6 * sizeof *to);
    cross3(a->at[entry[e].part], to + 3, arm);
    for (int k = 0; k < 3; k++)
      to[k] += arm[k] / a->m->length;
  }
}

/* The same loads but for one sign? */
static bool are_same(double x[6][6], double y[6][6])
{
  double error[2] = {0};
  for (int i = 0; i < 6; i++)
    for (int k = 0; k < 6; k++) {
      error[0] = fmax(error[0], fabs(x[i][k] - y[i][k]));
      error[1] = fmax(error[1], fabs(x[i][k] + y[i][k]));
    }
  return fmin(error[0], error[1]) < 1e-6;
}

static bool describe_group(const analysis *a, const lwi_group_entries *x, lw_stress_group *out)
{
  double first[6][6], own[6][6];
  lw_stressed_part *part = LWI_TAKE(&a->out->arena, x->npart, lw_stressed_part);
  if (!part) return false;
  *out = (lw_stress_group){
      .n = x->n, .part = part, .loop = x->n <= 6, .too_many = x->n > LWI_MOST_RELEASED};
  for (int e = 0, n; e < x->nentry; e += n) {
    for (n = 1; e + n < x->nentry && x->entry[e + n].part == x->entry[e].part; n++) {
    }
    describe_part(a, x->entry + e, n, &part[out->npart++]);
    if (!out->loop) continue;
    loads_about_origin(a, x->entry + e, n, e == 0 ? first : own);
    out->loop = !is_relation(a->m, x->entry[e].part) && (e == 0 || are_same(own, first));
  }
  return true;
}

static lw_status find_groups(analysis *a)
{
  lw_redundancy *r = &a->out->r;
  a->at = calloc((size_t)a->npart + 1, sizeof *a->at);
  a->group = calloc((size_t)a->table.n + 1, sizeof *a->group);
  if (!a->at || !a->group) return LW_E_MEMORY;
  find_places(a);
  const int ngroup = lwi_stress_table_group(&a->table, a->npart, a->group);
  if (ngroup < 0) return LW_E_MEMORY;
  lw_stress_group *group = LWI_TAKE(&a->out->arena, ngroup, lw_stress_group);
  a->entries = calloc((size_t)ngroup + 1, sizeof *a->entries);
  r->group = group;
  r->ngroup = group && a->entries ? ngroup : 0;
  for (int g = 0; g < r->ngroup; g++)
    if (!gather(a, g, &a->entries[g]) || !describe_group(a, &a->entries[g], &group[g]))
      return LW_E_MEMORY;
  if (r->ngroup < ngroup) return LW_E_MEMORY;
  const lwi_proposals p = {a->m, a->w, a->large, a->entries, group, ngroup, &a->out->arena};
  return ngroup > 0 ? lwi_propose_releases(&p, &r->determined) : LW_OK;
}

/* ---- motions that are left ---- */

static lw_status describe_motion(const analysis *a, double u[], lw_free_motion *out)
{
  const lw_model *m = a->m;
  double most = 0, V[6];
  int n = 0;
  for (int j = 0; j < m->nu; j++)
    most = fmax(most, fabs(u[j]));
  for (int j = 0; j < m->nu; j++)
    u[j] = fabs(u[j]) > present * most ? u[j] / most : 0;
  const lw_status status = lw_kinematics(a->w, a->q, u);
  if (status != LW_OK) return status;
  for (int b = 1; b <= m->nbody; b++) {
    lw_get_velocity(a->w, (lw_body){b}, V);
    n += largest(V) > present;
  }
  double *motion = LWI_TAKE(&a->out->arena, 6 * n, double);
  lw_body *body = LWI_TAKE(&a->out->arena, n, lw_body);
  if (!motion || !body) return LW_E_MEMORY;
  *out = (lw_free_motion){.u = u, .body = body, .motion = motion};
  for (int b = 1; b <= m->nbody; b++) {
    lw_get_velocity(a->w, (lw_body){b}, V);
    if (!(largest(V) > present)) continue;
    body[out->nbody] = (lw_body){b};
    memcpy(motion + (size_t)6 * (size_t)out->nbody++, V, sizeof V);
  }
  return LW_OK;
}

static lw_status find_motions(const analysis *a)
{
  lw_redundancy *r = &a->out->r;
  const lw_model *m = a->m;
  for (int i = 1; i <= m->nconstraint; i++)
    r->ndriver += m->constraint[i].info.type == LW_DRIVER;
  if (r->ndriver == 0) return LW_OK;
  const int n = lwi_constraint_rank_motions(&a->rank);
  const int most = m->nu > a->large && n > MOST_MOTIONS ? MOST_MOTIONS : n;
  lw_free_motion *free = LWI_TAKE(&a->out->arena, most, lw_free_motion);
  if (!free) return LW_E_MEMORY;
  r->free = free;
  r->nleft = r->dof;
  for (int k = 0; k < n && r->nfree < most; k++) {
    double *u = LWI_TAKE(&a->out->arena, m->nu, double), size = 0;
    if (!u) return LW_E_MEMORY;
    lwi_constraint_rank_motion(&a->rank, k, u);
    for (int j = 0; j < m->nu; j++)
      size = fmax(size, fabs(u[j]));
    if (!(size > 0)) continue; /* a rotation that a particle does not have */
    const lw_status status = describe_motion(a, u, &free[r->nfree++]);
    if (status != LW_OK) return status;
  }
  return LW_OK;
}

/* ---- all together ---- */

static lw_status analyse(analysis *a, lw_error *err)
{
  lw_redundancy *r = &a->out->r;
  lw_status status = lwi_constraint_rank_new(&a->rank, a->w, a->t, a->q, a->large, err);
  if (status != LW_OK) return status;
  r->dof = a->rank.dof;
  r->redundant = a->rank.redundant;
  r->determined = r->redundant == 0;
  status = lwi_constraint_rank_stresses(&a->rank, a->w, &a->table);
  if (status == LW_OK) status = find_groups(a);
  return status == LW_OK ? find_motions(a) : status;
}

static void free_scratch(analysis *a)
{
  for (int g = 0; g < (a->entries ? a->out->r.ngroup : 0); g++)
    free(a->entries[g].entry);
  free(a->entries);
  free(a->at);
  free(a->group);
  lwi_stress_table_free(&a->table);
  lwi_constraint_rank_free(&a->rank);
}

lw_redundancy *lwi_redundancy_find(lw_work *w, double t, const double q[], int large, lw_error *err)
{
  const lw_model *m = lwi_work_model(w);
  if (!lwi_is_single(m, w) || !q) {
    lwi_fail(err, LW_E_ARG, "no work of a model, or no coordinates");
    return NULL;
  }
  lw_error why = {0};
  analysis a = {.m = m,
                .w = w,
                .t = t,
                .q = q,
                .large = large,
                .npart = m->njoint + m->nconstraint,
                .out = calloc(1, sizeof(result))};
  const lw_status status = a.out ? analyse(&a, &why) : LW_E_MEMORY;
  if (a.out) free_scratch(&a);
  if (status == LW_OK) return &a.out->r;
  lw_redundancy_free(a.out ? &a.out->r : NULL);
  lwi_fail(err, status, "%s", why.status == status ? why.text : lw_status_text(status));
  return NULL;
}

lw_redundancy *lw_redundancy_new(lw_work *w, double t, const double q[], lw_error *err)
{
  return lwi_redundancy_find(w, t, q, LWI_REDUNDANCY_LARGE, err);
}

void lw_redundancy_free(lw_redundancy *r)
{
  result *out = (result *)r; /* its first member */
  if (!out) return;
  lwi_arena_free(&out->arena);
  free(out);
}
