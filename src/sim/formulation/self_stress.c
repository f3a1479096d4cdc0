/* SPDX-License-Identifier: Apache-2.0 */
/* self_stress.c -- the loads of states of self-stress at every joint.

   A dependent row and the rows that it depends on are in equilibrium with the joints of the tree:
   the joint of a link carries the opposite of all loads on the links outward of it. */
#include "sim/formulation/self_stress.h"
#include "model/model.h"
#include "tree/loops/closure.h"
#include "tree/loops/constraint_loads.h"
#include "tree/loops/work.h"

#include "linkwork/analysis.h"

#include <stdlib.h>
#include <string.h>

typedef struct {
  int n;
  double D[6][6];
} directions;

struct lw_self_stress {
  int njoint, nconstraint;
  directions *joint, *constraint; /* from 1 */
};

/* Adds a direction if it is independent: Gram-Schmidt, twice. */
static void add(directions *d, const double load[6], double scale)
{
  double x[6], before = 0, after = 0;
  for (int i = 0; i < 6; i++) {
    x[i] = load[(i + 3) % 6]; /* force first */
    before += x[i] * x[i];
  }
  if (d->n == 6 || !(sqrt(before) > 1e-7 * scale)) return;
  for (int pass = 0; pass < 2; pass++)
    for (int k = 0; k < d->n; k++) {
      double along = 0;
      for (int i = 0; i < 6; i++)
        along += x[i] * d->D[k][i];
      for (int i = 0; i < 6; i++)
        x[i] -= along * d->D[k][i];
    }
  for (int i = 0; i < 6; i++)
    after += x[i] * x[i];
  if (!(sqrt(after) > 1e-7 * sqrt(before))) return;
  for (int i = 0; i < 6; i++)
    d->D[d->n][i] = x[i] / sqrt(after);
  d->n++;
}

/* Moves a load from the ground origin to a point. */
static void about(const double load[6], const double p[3], double sign, double out[6])
{
  double moment[3];
  cross3(p, load + 3, moment);
  for (int i = 0; i < 3; i++) {
    out[i] = sign * (load[i] - moment[i]);
    out[3 + i] = sign * load[3 + i];
  }
}

/* Sums the loads of the constraints on links outward of each link; returns the largest. */
static double sum_loads(const lwi_stress *s)
{
  const lw_model *m = s->m;
  const lwi_closure *c = s->w->closure;
  double most = 0;
  memset(s->link, 0, (size_t)m->nlink * sizeof *s->link);
  for (int i = 0; i < m->tree_constraints.nconstraint; i++) {
    const lwi_tree_constraint *t = &m->tree_constraints.constraint[i];
    for (int p = 0; p < 2 * t->npair; p++) {
      const int link = m->pair[m->tree_constraints.pair[t->pair + p / 2].pair].link[p % 2];
      double R[9], o[3], load[6] = {0}, moment[3];
      s->w->kernels->get_frame(m, s->w->tree, link, R, o);
      for (int r = 0; r < t->n; r++)
        for (int k = 0; k < 6; k++)
          load[k] += s->lambda[t->row + r] * c->J[t->J + (size_t)(6 * (p * t->n + r) + k)];
      cross3(o, load + 3, moment);
      for (int k = 0; k < 6; k++) {
        most = fmax(most, fabs(load[k]));
        s->link[link][k] += load[k] + (k < 3 ? moment[k] : 0);
      }
    }
  }
  for (int i = m->nlink - 1; i > 0; i--)
    for (int k = 0; k < 6; k++)
      s->link[m->link[i].parent][k] += s->link[i][k];
  return most;
}

/* Position of the child's joint frame. */
static void child_origin(const lwi_stress *s, const lwi_joint *j, double p[3])
{
  const lwi_body *b = &s->m->body[j->info.child.id];
  double R[9], o[3], x[3];
  s->w->kernels->get_frame(s->m, s->w->tree, b->link, R, o);
  rot_mulv(b->R, j->child_place.p, x);
  for (int i = 0; i < 3; i++)
    x[i] += b->p[i];
  rot_mulv(rot_columns(R), x, p);
  for (int i = 0; i < 3; i++)
    p[i] += o[i];
}

/* ---- a self-stress at every joint ---- */

bool lwi_stress_new(lwi_stress *s, const lw_model *m, lw_work *w)
{
  const size_t nrow = (size_t)m->tree_constraints.nrow + 1;
  *s = (lwi_stress){.m = m,
                    .w = w,
                    .lambda = calloc(nrow, sizeof(double)),
                    .link = calloc((size_t)m->nlink + 1, sizeof *s->link),
                    .joint = calloc((size_t)m->njoint + 1, sizeof *s->joint),
                    .constraint = calloc((size_t)m->nconstraint + 1, sizeof *s->constraint)};
  return s->lambda && s->link && s->joint && s->constraint;
}

void lwi_stress_free(lwi_stress *s)
{
  free(s->lambda);
  free(s->link);
  free(s->joint);
  free(s->constraint);
}

static void find_cut_loads(lwi_stress *s)
{
  for (int i = 1; i <= s->m->njoint; i++) {
    const lwi_joint *j = &s->m->joint[i];
    double load[6] = {0}, lock[6] = {0};
    if (j->constraint >= 0) lwi_closure_load(s->m, s->w, j->constraint, load);
    if (j->lock >= 0) lwi_closure_load(s->m, s->w, j->lock, lock);
    for (int k = 0; k < 6; k++)
      s->joint[i][k] += load[k] + lock[k];
  }
  for (int i = 1; i <= s->m->nconstraint; i++) {
    const lwi_constraint *c = &s->m->constraint[i];
    if (c->pair >= 0)
      lwi_closure_load(s->m, s->w, c->constraint, s->constraint[i]);
    else if (c->constraint >= 0)
      s->constraint[i][0] = lwi_closure_multiplier(s->m, s->w, c->constraint);
  }
}

void lwi_stress_loads(lwi_stress *s)
{
  const lw_model *m = s->m;
  lwi_closure *c = s->w->closure;
  double *kept = c->lambda;
  s->scale = sum_loads(s);
  memset(s->joint, 0, ((size_t)m->njoint + 1) * sizeof *s->joint);
  memset(s->constraint, 0, ((size_t)m->nconstraint + 1) * sizeof *s->constraint);
  for (int i = 1; i < m->nlink; i++) {
    const lwi_joint *j = &m->joint[m->link[i].joint];
    double p[3];
    if (j->info.implicit) continue;
    child_origin(s, j, p);
    about(s->link[i], p, j->reversed ? 1 : -1, s->joint[m->link[i].joint]);
    /* relations carry what acts along its freedoms */
    lwi_keep_constraint(m, s->w, j, s->joint[m->link[i].joint]);
  }
  c->lambda = s->lambda; /* input of lwi_closure_load */
  find_cut_loads(s);
  c->lambda = kept;
}

static bool fill(lw_self_stress *u, const lw_model *m, lw_work *w)
{
  lwi_stress s;
  const bool ok = lwi_stress_new(&s, m, w);
  for (int i = 0; ok && (i = lwi_closure_next_dependent(m, w, i)) >= 0; i++) {
    lwi_closure_self_stress(m, w, i, s.lambda);
    lwi_stress_loads(&s);
    for (int j = 1; j <= m->njoint; j++)
      add(&u->joint[j], s.joint[j], s.scale);
    for (int j = 1; j <= m->nconstraint; j++)
      if (m->constraint[j].pair >= 0) add(&u->constraint[j], s.constraint[j], s.scale);
  }
  lwi_stress_free(&s);
  return ok;
}

lw_self_stress *lw_self_stress_new(lw_work *w)
{
  const lw_model *m = lwi_work_model(w);
  if (!lwi_is_work(m, w) || w->stage < LWI_STAGE_DYNAMICS) return NULL;
  lw_self_stress *u = calloc(1, sizeof *u);
  if (!u) return NULL;
  u->njoint = m->njoint;
  u->nconstraint = m->nconstraint;
  u->joint = calloc((size_t)m->njoint + 1, sizeof *u->joint);
  u->constraint = calloc((size_t)m->nconstraint + 1, sizeof *u->constraint);
  if (u->joint && u->constraint && (!w->closure || fill(u, m, w))) return u;
  lw_self_stress_free(u);
  return NULL;
}

void lw_self_stress_free(lw_self_stress *u)
{
  if (!u) return;
  free(u->joint);
  free(u->constraint);
  free(u);
}

/* As [torque; force]. */
static int get_directions(const directions *d, double D[6][6])
{
  for (int k = 0; k < 6; k++)
    for (int i = 0; i < 6; i++)
      D[k][i] = d->D[k][(i + 3) % 6];
  return d->n;
}

int lw_self_stress_of_joint(const lw_self_stress *u, lw_joint j, double D[6][6])
{
  if (!u || !D) return 0;
  return j.id >= 1 && j.id <= u->njoint ? get_directions(&u->joint[j.id], D) : 0;
}

int lw_self_stress_of_constraint(const lw_self_stress *u, lw_constraint c, double D[6][6])
{
  if (!u || !D) return 0;
  return c.id >= 1 && c.id <= u->nconstraint ? get_directions(&u->constraint[c.id], D) : 0;
}
