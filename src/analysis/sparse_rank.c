/* SPDX-License-Identifier: Apache-2.0 */
/* sparse_rank.c -- rank of the constraints of large mechanisms: the rows of all joints on all bodies, eliminated from
   the outermost bodies inward, which fills in little (linalg/pivoted.h).  A row that depends on others, and the multiples
   of these, are a self-stress. */
#include "analysis/redundancy.h"
#include "linkwork/cartesian.h"

#include <stdlib.h>
#include <string.h>

static const double tolerance = 1e-7; /* as in redundancy_rank.c, of a row's first size */

lw_status lwi_sparse_rank_new(lwi_constraint_rank *r, lw_work *w, double t, const double q[],
                              lw_error *err)
{
  lw_error mine = {0};
  if (!err) err = &mine;
  double *zero = calloc((size_t)r->m->nu + 1, sizeof *zero);
  lw_status status = zero ? lw_kinematics(w, q, zero) : LW_E_MEMORY;
  if (status == LW_OK && !(r->c = lw_cartesian_new(r->m, NULL, err))) status = err->status;
  if (status == LW_OK) {
    lwi_cartesian_from_tree(r->c, w, q, zero);
    lwi_cartesian_targets(r->c, t);
    lwi_cartesian_place(r->c);
    lwi_cartesian_join_origins(r->c);
    r->p = lwi_partition_new(r->c, false);
    bool ok = r->p && lwi_partition_use_rows(r->p, true);
    if (ok) lwi_pivoted_set_zero(r->p->lu, tolerance);
    ok = ok && lwi_partition_choose(r->p);
    status = ok ? LW_OK : LW_E_MEMORY;
  }
  free(zero);
  if (status != LW_OK) return status;
  r->dof = r->p->nindependent;
  for (int k = 0; k < r->c->shape.nset; k++)
    r->redundant += r->c->set[k].n - r->c->set[k].rotors;
  r->redundant -= lwi_pivoted_rank(r->p->lu);
  return LW_OK;
}

/* The load of a set's multipliers on the child about its joint frame, [torque; force]: from a row [J_w + arm x J_v; J_v]
   about the child's centre of mass or, if the child is the ground, from the opposite one about the parent's. */
static void load_of_set(const lw_cartesian *c, const lwi_row_set *s, const double y[],
                        double load[6])
{
  const int *at = c->side[s->term], side = at[1] >= 0;
  const lwi_body_pair_state *x = &c->at[s->joint ? s->joint : c->m->njoint + s->constraint];
  const double *J = c->jacobian + s->J + (size_t)(at[side] * s->n * c->width);
  double sum[6] = {0}, own[6], reach[3], moment[3];
  for (int r = 0; r < s->n; r++) {
    lwi_spread(c, J + (size_t)(r * c->width), own);
    for (int k = 0; k < 6; k++)
      sum[k] += (side ? 1 : -1) * own[k] * y[s->row + r];
  }
  for (int k = 0; k < 3; k++) /* from the centre of mass to the child's frame */
    reach[k] = x->arm[side][k] + (side ? 0 : x->frame[1].p[k] - x->frame[0].p[k]);
  cross3(reach, sum + 3, moment);
  for (int k = 0; k < 3; k++)
    sum[k] -= moment[k];
  memcpy(load, sum, sizeof sum);
}

/* Scratch for one self-stress: multipliers of all rows and the parts that they load, zero in between. */
typedef struct {
  int *at, *part, npart;
  double *y, *all;
  double (*load)[6];
  int *set; /* [nrow] the set of a row */
} loading;

static bool is_relation(const lw_cartesian *c, const lwi_row_set *s)
{
  return s->constraint && c->m->constraint[s->constraint].pair < 0;
}

/* The loads of the parts with multipliers. */
static bool add_stress(const lw_cartesian *c, loading *x, int n, lwi_stress_table *table)
{
  x->npart = 0;
  for (int i = 0; i < n; i++)
    x->all[x->at[i]] = x->y[i];
  for (int i = 0; i < n; i++) {
    const lwi_row_set *s = &c->set[x->set[x->at[i]]];
    bool first = true; /* of the rows of its set */
    for (int r = s->row; r < x->at[i]; r++)
      first = first && x->all[r] == 0;
    if (!first || x->y[i] == 0) continue;
    const int k = x->npart++;
    x->part[k] = s->joint ? s->joint - 1 : c->m->njoint + s->constraint - 1;
    memset(x->load[k], 0, sizeof x->load[k]);
    if (is_relation(c, s))
      x->load[k][0] = x->all[s->row];
    else
      load_of_set(c, s, x->all, x->load[k]);
  }
  for (int i = 0; i < n; i++)
    x->all[x->at[i]] = 0;
  return lwi_stress_table_add(table, x->npart, x->part, (const double(*)[6])x->load, c->m->length);
}

static bool take_loading(const lw_cartesian *c, loading *x)
{
  const size_t n = (size_t)c->nrow + 1;
  *x = (loading){.at = calloc(n, sizeof(int)),
                 .part = calloc(n, sizeof(int)),
                 .y = calloc(n, sizeof(double)),
                 .all = calloc(n, sizeof(double)),
                 .load = calloc(n, sizeof *x->load),
                 .set = calloc(n, sizeof(int))};
  if (!x->at || !x->part || !x->y || !x->all || !x->load || !x->set) return false;
  for (int k = 0; k < c->shape.nset; k++)
    for (int r = 0; r < c->set[k].n; r++)
      x->set[c->set[k].row + r] = k;
  return true;
}

lw_status lwi_sparse_rank_stresses(const lwi_constraint_rank *r, lwi_stress_table *table)
{
  const lw_cartesian *c = r->c;
  loading x;
  bool ok = take_loading(c, &x);
  for (int k = 0; k < c->shape.nset && ok; k++)
    for (int i = 0; i < c->set[k].n - c->set[k].rotors && ok; i++) {
      const int row = c->set[k].row + i;
      if (lwi_pivoted_is_kept(r->p->lu, row)) continue;
      const int n = lwi_pivoted_combine(r->p->lu, r->p->value, row, x.at, x.y);
      ok = add_stress(c, &x, n, table);
    }
  void *const all[] = {x.at, x.part, x.y, x.all, x.load, x.set};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++)
    free(all[i]);
  return ok ? LW_OK : LW_E_MEMORY;
}
