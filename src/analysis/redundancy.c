/* SPDX-License-Identifier: Apache-2.0 */
/* redundancy.c -- self-stresses of a mechanism, grouped by the parts that share them; what would
   release them; motions that drivers leave possible. */
#include "analysis/redundancy.h"
#include "base/fail.h"
#include "sim/formulation/self_stress.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double present = 1e-7; /* loads relative to the largest of a self-stress */

typedef struct {
  lw_redundancy r;
  lwi_arena arena;
} result;

typedef struct {
  const lw_model *m;
  lw_work *w;
  double t;
  const double *q;
  lwi_null_spaces spaces;
  double *weight;    /* [nu] */
  int n, npart;      /* self-stresses; joints and constraints together */
  double (*load)[6]; /* [npart][n] [torque / length; force], the largest of each self-stress 1 */
  double (*at)[3];   /* [npart] */
  int *group;        /* [n] of each self-stress */
  result *out;
} analysis;

static double *load_of(const analysis *a, int part, int stress)
{
  return a->load[(size_t)part * (size_t)a->n + (size_t)stress];
}

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

/* ---- loads of all self-stresses ---- */

static void read_stress(analysis *a, const lwi_stress *s, int stress)
{
  double most = 0;
  for (int p = 0; p < a->npart; p++) {
    const double *from = p < a->m->njoint ? s->joint[p + 1] : s->constraint[p - a->m->njoint + 1];
    double *to = load_of(a, p, stress);
    for (int i = 0; i < 6; i++)
      to[i] = i < 3 ? from[i] / a->m->length : from[i];
    most = fmax(most, largest(to));
  }
  for (int p = 0; p < a->npart && most > 0; p++) {
    double *x = load_of(a, p, stress);
    for (int i = 0; i < 6; i++)
      x[i] = fabs(x[i]) > present * most ? x[i] / most : 0;
  }
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

/* Self-stresses that meet in a part belong together. */
static int group_stresses(analysis *a)
{
  int ngroup = 0;
  for (int i = 0; i < a->n; i++)
    a->group[i] = i;
  for (int p = 0; p < a->npart; p++) {
    int first = -1;
    for (int i = 0; i < a->n; i++) {
      if (!(largest(load_of(a, p, i)) > 0)) continue;
      if (first < 0) first = a->group[i];
      const int from = a->group[i];
      for (int k = 0; k < a->n; k++)
        if (a->group[k] == from) a->group[k] = first;
    }
  }
  for (int i = 0; i < a->n; i++) { /* numbered from 0 in the order of their first member */
    if (a->group[i] < 0) continue;
    const int from = a->group[i];
    for (int k = i; k < a->n; k++)
      if (a->group[k] == from) a->group[k] = -1 - ngroup;
    ngroup++;
  }
  for (int i = 0; i < a->n; i++)
    a->group[i] = -1 - a->group[i];
  return ngroup;
}

static lw_status find_stresses(analysis *a, int *ngroup)
{
  lwi_stress s = {0};
  const size_t n = (size_t)a->n, np = (size_t)a->npart;
  a->load = calloc(np * n + 1, sizeof *a->load);
  a->at = calloc(np + 1, sizeof *a->at);
  a->group = calloc(n + 1, sizeof *a->group);
  const bool ok = a->load && a->at && a->group && lwi_stress_new(&s, a->m, a->w);
  for (int i = 0; ok && i < a->n; i++) {
    memcpy(s.lambda, a->spaces.T + (size_t)i * (size_t)a->spaces.nrow,
           (size_t)a->spaces.nrow * sizeof(double));
    lwi_stress_loads(&s);
    read_stress(a, &s, i);
  }
  lwi_stress_free(&s);
  if (!ok) return LW_E_MEMORY;
  find_places(a);
  *ngroup = group_stresses(a);
  return LW_OK;
}

/* ---- groups ---- */

static void describe_part(const analysis *a, int p, int g, lw_stressed_part *out)
{
  const lw_model *m = a->m;
  double basis[7][6] = {{0}};
  *out = (lw_stressed_part){.relation = is_relation(m, p)};
  if (p < m->njoint)
    out->joint.id = p + 1;
  else
    out->constraint.id = p - m->njoint + 1;
  if (out->relation) return;
  memcpy(out->at, a->at[p], sizeof out->at);
  for (int i = 0; i < a->n; i++) {
    if (a->group[i] != g || out->n == 6) continue;
    memcpy(basis[out->n], load_of(a, p, i), sizeof basis[0]);
    for (int k = 0; k < 3; k++)
      basis[out->n][k] *= m->length;
    out->n = lw_simplify_loads(out->n + 1, basis, m->length);
  }
  memcpy(out->direction, basis, sizeof out->direction);
}

/* Does the load of a part, about the ground origin, equal that of another one for each
   self-stress, but for one sign? */
static bool carries_same(const analysis *a, int g, int part, int other)
{
  double error[2] = {0};
  for (int i = 0; i < a->n; i++) {
    double x[2][6];
    if (a->group[i] != g) continue;
    for (int side = 0; side < 2; side++) {
      const int p = side ? other : part;
      double arm[3];
      memcpy(x[side], load_of(a, p, i), sizeof x[side]);
      cross3(a->at[p], x[side] + 3, arm);
      for (int k = 0; k < 3; k++)
        x[side][k] += arm[k] / a->m->length;
    }
    for (int k = 0; k < 6; k++) {
      error[0] = fmax(error[0], fabs(x[0][k] - x[1][k]));
      error[1] = fmax(error[1], fabs(x[0][k] + x[1][k]));
    }
  }
  return fmin(error[0], error[1]) < 1e-6;
}

static bool describe_group(const analysis *a, int g, lw_stress_group *out)
{
  *out = (lw_stress_group){.loop = true};
  lw_stressed_part *part = LWI_TAKE(&a->out->arena, a->npart, lw_stressed_part);
  int first = -1;
  if (!part) return false;
  for (int i = 0; i < a->n; i++)
    out->n += a->group[i] == g;
  for (int p = 0; p < a->npart; p++) {
    bool stressed = false;
    for (int i = 0; i < a->n; i++)
      stressed = stressed || (a->group[i] == g && largest(load_of(a, p, i)) > 0);
    if (!stressed) continue;
    describe_part(a, p, g, &part[out->npart++]);
    if (first < 0) first = p;
    out->loop = out->loop && !is_relation(a->m, p) && carries_same(a, g, p, first);
  }
  out->part = part;
  return true;
}

/* ---- releases ---- */

/* Compiles the spec with a set of changes; returns it if the redundancy is reduced by n, and
   nothing else changes. */
static lw_spec *try_releases(const analysis *a, const lw_spec *spec,
                             const lwi_candidate candidate[], const lwi_choice *choice,
                             int expected_dof, int expected_redundant, bool *memory)
{
  int dof = -1, redundant = -1;
  lw_error err = {0};
  lw_spec *s = lwi_spec_copy(spec);
  bool good = s != NULL;
  for (int i = 0; i < choice->n && good; i++)
    good = lwi_apply_release(s, a->m, &candidate[choice->candidate[i]].release);
  lw_model *m = good ? lw_compile(s, &err) : NULL;
  const lw_status status = m ? lwi_start_rank(m, &dof, &redundant) : err.status;
  *memory = s && status != LW_E_MEMORY;
  good = m && status == LW_OK && dof == expected_dof && redundant == expected_redundant;
  lw_model_free(m);
  if (good) return s;
  lw_spec_free(s);
  return NULL;
}

/* Loads of one group, and candidates of its parts. */
typedef struct {
  lwi_group_loads loads;
  double (*load)[6];
  lwi_candidate *candidate;
  int n;
  lwi_choice choice[LWI_MOST_CHOICES];
} proposal;

static bool prepare(const analysis *a, const lw_stress_group *group, int g, proposal *p)
{
  const size_t npart = (size_t)group->npart, n = (size_t)group->n;
  p->load = calloc(npart * n + 1, sizeof *p->load);
  p->candidate = calloc(npart * LWI_MOST_CHANGES + 1, sizeof *p->candidate);
  if (!p->load || !p->candidate) return false;
  for (int i = 0; i < group->npart; i++) {
    const lw_stressed_part *part = &group->part[i];
    const int index = part->joint.id ? part->joint.id - 1 : a->m->njoint + part->constraint.id - 1;
    int k = 0;
    for (int s = 0; s < a->n; s++)
      if (a->group[s] == g) memcpy(p->load[(size_t)i * n + (size_t)k++], load_of(a, index, s), 48);
    const int more = lwi_release_candidates(a->m, a->w, part, p->candidate + p->n);
    for (int c = p->n; c < p->n + more; c++)
      p->candidate[c].part = i;
    p->n += more;
  }
  p->loads = (lwi_group_loads){group->n, group->npart, (const double(*)[6])p->load, a->m->length};
  return true;
}

static int release_order(const lw_release *r)
{
  return r->joint.id ? r->joint.id : 1 << 24 | r->constraint.id;
}

static void insert_release(lw_release list[], int n, const lw_release *r)
{
  for (; n > 0 && release_order(&list[n - 1]) > release_order(r); n--)
    list[n] = list[n - 1];
  list[n] = *r;
}

/* The first proposal that holds is kept, in *spec and in the group. */
static bool propose(const analysis *a, lw_stress_group *group, int g, lw_spec **spec, int dof,
                    int *redundant)
{
  proposal p = {0};
  const int n =
      prepare(a, group, g, &p) ? lwi_search_releases(&p.loads, p.candidate, p.n, p.choice) : -1;
  bool ok = n >= 0;
  for (int i = 0; i < n && ok; i++) {
    lw_spec *s = try_releases(a, *spec, p.candidate, &p.choice[i], dof, *redundant - group->n, &ok);
    if (!s) continue;
    lw_spec_free(*spec);
    *spec = s;
    *redundant -= group->n;
    lw_release *release = LWI_TAKE(&a->out->arena, p.choice[i].n, lw_release);
    ok = release != NULL;
    for (int k = 0; k < p.choice[i].n && ok; k++) /* in the order of the parts */
      insert_release(release, k, &p.candidate[p.choice[i].candidate[k]].release);
    group->release = release;
    group->nrelease = ok ? p.choice[i].n : 0;
    break;
  }
  free(p.load);
  free(p.candidate);
  return ok;
}

static lw_status propose_all(const analysis *a, lw_stress_group group[], int ngroup)
{
  int dof = 0, redundant = 0;
  const lw_status status = lwi_start_rank(a->m, &dof, &redundant);
  if (status != LW_OK || !a->m->spec) return status == LW_E_MEMORY ? status : LW_OK;
  lw_spec *spec = lwi_spec_copy(a->m->spec);
  bool ok = spec != NULL;
  for (int g = 0; g < ngroup && ok; g++)
    ok = propose(a, &group[g], g, &spec, dof, &redundant);
  a->out->r.determined = ok && redundant == 0;
  lw_spec_free(spec);
  return ok ? LW_OK : LW_E_MEMORY;
}

/* ---- motions that are left ---- */

static lw_status describe_motion(const analysis *a, const double x[], lw_free_motion *out)
{
  const lw_model *m = a->m;
  double *u = LWI_TAKE(&a->out->arena, m->nu, double), most = 0;
  double *motion = LWI_TAKE(&a->out->arena, 6 * m->nbody, double);
  lw_body *body = LWI_TAKE(&a->out->arena, m->nbody, lw_body);
  if (!u || !motion || !body) return LW_E_MEMORY;
  for (int j = 0; j < m->nu; j++)
    most = fmax(most, fabs(x[j]));
  for (int j = 0; j < m->nu; j++)
    u[j] = fabs(x[j]) > present * most ? x[j] / most : 0;
  const lw_status status = lw_kinematics(a->w, a->q, u);
  if (status != LW_OK) return status;
  *out = (lw_free_motion){.u = u, .body = body, .motion = motion};
  for (int b = 1; b <= m->nbody; b++) {
    double V[6];
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
  for (int i = 1; i <= a->m->nconstraint; i++)
    r->ndriver += a->m->constraint[i].info.type == LW_DRIVER;
  const int n = a->spaces.ncol - a->spaces.rank;
  lw_free_motion *free = LWI_TAKE(&a->out->arena, n, lw_free_motion);
  if (!free) return LW_E_MEMORY;
  r->free = free;
  for (int k = 0; k < n && r->ndriver > 0; k++) {
    const double *x = a->spaces.N + (size_t)k * (size_t)a->spaces.ncol;
    double most = 0;
    for (int j = 0; j < a->m->nu; j++)
      most = fmax(most, fabs(x[j]));
    if (!(most > 0)) continue; /* a rotation that a particle does not have */
    const lw_status status = describe_motion(a, x, &free[r->nfree++]);
    if (status != LW_OK) return status;
  }
  return LW_OK;
}

/* ---- all together ---- */

static lw_status analyse(analysis *a)
{
  lw_redundancy *r = &a->out->r;
  int ngroup = 0;
  lw_status status = lwi_constraint_null_spaces(a->w, a->t, a->q, &a->spaces, a->weight);
  if (status != LW_OK) return status;
  a->n = r->redundant = a->spaces.nrow - a->spaces.rank;
  r->dof = lwi_count_dof(a->m, &a->spaces);
  status = find_stresses(a, &ngroup);
  if (status != LW_OK) return status;
  lw_stress_group *group = LWI_TAKE(&a->out->arena, ngroup, lw_stress_group);
  bool ok = group != NULL;
  for (int g = 0; g < ngroup && ok; g++)
    ok = describe_group(a, g, &group[g]);
  if (!ok) return LW_E_MEMORY;
  r->group = group;
  r->ngroup = ngroup;
  if (ngroup > 0) status = propose_all(a, group, ngroup);
  return status == LW_OK ? find_motions(a) : status;
}

static lw_status fail(lw_error *err, lw_status status)
{
  if (status == LW_E_UNSUPPORTED)
    return lwi_fail(err, status,
                    "redundant equations are named up to %d speeds and equations, in loops that "
                    "the tree can follow",
                    LWI_REDUNDANCY_LARGE);
  return lwi_fail(err, status, "%s", lw_status_text(status));
}

lw_redundancy *lw_redundancy_new(lw_work *w, double t, const double q[], lw_error *err)
{
  const lw_model *m = lwi_work_model(w);
  if (!lwi_is_single(m, w) || !q) {
    lwi_fail(err, LW_E_ARG, "no work of a model, or no coordinates");
    return NULL;
  }
  analysis a = {.m = m,
                .w = w,
                .t = t,
                .q = q,
                .npart = m->njoint + m->nconstraint,
                .weight = calloc((size_t)m->nu + 1, sizeof(double)),
                .out = calloc(1, sizeof(result))};
  lw_status status = a.weight && a.out ? LW_OK : LW_E_MEMORY;
  if (status == LW_OK && w->closure)
    status = analyse(&a);
  else if (status == LW_OK)
    a.out->r = (lw_redundancy){.dof = m->ndof, .determined = true};
  if (status == LW_OK && a.out->r.redundant == 0) a.out->r.determined = true;
  lwi_null_spaces_free(&a.spaces);
  free(a.weight);
  free(a.load);
  free(a.at);
  free(a.group);
  if (status == LW_OK) return &a.out->r;
  lw_redundancy_free(a.out ? &a.out->r : NULL);
  fail(err, status);
  return NULL;
}

void lw_redundancy_free(lw_redundancy *r)
{
  result *out = (result *)r; /* its first member */
  if (!out) return;
  lwi_arena_free(&out->arena);
  free(out);
}
