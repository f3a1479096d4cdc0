/* SPDX-License-Identifier: Apache-2.0 */
/* column_scales.c -- magnitudes and rates of the numbers that result columns are computed from. */
#include "math/finite.h"
#include "model/model.h"
#include "sim/output/column_measures.h"
#include "sim/output/columns_data.h"
#include "tree/loops/work.h"
#include "linkwork/query.h"

#include <float.h>
#include <math.h>

/* Speeds that follow from those of others in a loop have rounding errors relative to these. */
static const double others_share = 1e-3;

/* Factor by which loops amplify rounding errors of the coordinates and speeds they depend on. */
static const double loop_condition = 16;

typedef struct {
  const lw_columns *c;
  double u, udot; /* largest of all */
} magnitudes;

static double load_scale(const lw_columns *c, const lwi_column *k)
{
  double load[6] = {0};
  if (k->kind == LWI_COLUMN_LOAD) lw_dynamics_get_load(c->dynamics, (lw_joint){k->id}, load);
  if (k->kind == LWI_COLUMN_CONSTRAINT_LOAD)
    lw_dynamics_get_constraint_load(c->dynamics, (lw_constraint){k->id}, load);
  return lwi_largest(load, 6);
}

static double pose_scale(const lw_columns *c, const lwi_column *k)
{
  lw_pose X;
  if (k->component >= 3) return 1;
  return lw_get_pose(c->work, (lw_body){k->id}, &X) == LW_OK ? lwi_largest(X.p, 3) : 0;
}

static double velocity_scale(const lw_columns *c, const lwi_column *k)
{
  double V[6];
  if (lw_get_velocity(c->work, (lw_body){k->id}, V) != LW_OK) return 0;
  return lwi_largest(V + (k->component < 3 ? 0 : 3), 3);
}

static double scale_of(const magnitudes *x, const lwi_column *k, double value)
{
  const lw_columns *c = x->c;
  switch (k->kind) {
  case LWI_COLUMN_U: return fabs(value) + others_share * x->u;
  case LWI_COLUMN_UDOT: return x->udot;
  case LWI_COLUMN_POSE: return pose_scale(c, k);
  case LWI_COLUMN_VELOCITY: return velocity_scale(c, k);
  case LWI_COLUMN_MEASURE: return lwi_measure_scale(c->m, c->work, &k->measure);
  case LWI_COLUMN_ELEMENT:
  case LWI_COLUMN_APPLIED: return lwi_largest(c->applied, 6);
  case LWI_COLUMN_ACCELERATION: return lwi_largest(c->acceleration + (k->component < 3 ? 0 : 3), 3);
  case LWI_COLUMN_LOAD:
  case LWI_COLUMN_CONSTRAINT_LOAD: return load_scale(c, k);
  case LWI_COLUMN_ENERGY_ERROR:
  case LWI_COLUMN_ENERGY: return lwi_largest(c->energy, 3);
  default: return fabs(value);
  }
}

void lwi_column_scales(const lw_columns *c, const double u[], const double row[], double scale[])
{
  const magnitudes x = {c, c->needs[LWI_COLUMN_U] ? lwi_largest(u, lw_nu(c->m)) : 0,
                        c->needs[LWI_COLUMN_UDOT] ? lwi_largest(c->udot, lw_nu_all(c->m)) : 0};
  for (int i = 0; i < c->n; i++)
    scale[i] = c->column[i].kind == LWI_COLUMN_NOTHING ? 0 : scale_of(&x, &c->column[i], row[i]);
}

double lwi_column_rounding(const lw_columns *c, int index, const double u[])
{
  if (c->column[index].kind != LWI_COLUMN_U) return 0;
  return loop_condition * DBL_EPSILON * lwi_largest(u, lw_nu(c->m));
}

double lwi_column_least_scale(const lw_columns *c, int index)
{
  const lwi_column *k = &c->column[index];
  if (lw_ncut(c->m) == 0 && lw_nconstraint(c->m) == 0) return 0;
  if (k->kind == LWI_COLUMN_U) return loop_condition * lwi_largest(c->u, lw_nu_all(c->m));
  if (k->kind != LWI_COLUMN_Q) return 0;
  const bool slides = lw_get_joint(c->m, (lw_joint){k->id}).type == LW_PRISMATIC;
  return loop_condition * (slides ? c->m->length : fmax(1, c->m->length));
}

double lwi_columns_turning(const lw_columns *c)
{
  double fastest = 0;
  int last = 0;
  if (c->work->stage < LWI_STAGE_KINEMATICS) return 0;
  if (c->uses.all) return sqrt(c->work->kernels->get_fastest_turn(c->m, c->work->tree));
  for (int i = 0; i < c->n; i++) {
    const lwi_column *k = &c->column[i];
    if ((k->kind != LWI_COLUMN_POSE && k->kind != LWI_COLUMN_VELOCITY) || k->id == last) continue;
    last = k->id;
    if (last == 0) continue;
    double V[6], A[6];
    c->work->kernels->get_motion(c->m, c->work->tree, c->m->body[last].link, V, A);
    fastest = fmax(fastest, V[0] * V[0] + V[1] * V[1] + V[2] * V[2]);
  }
  return sqrt(fastest);
}
