/* SPDX-License-Identifier: Apache-2.0 */
/* derivative_rows.h -- rows of closing edges and of relations as stored in the closure, and
   conversions between its multipliers and the loads of edges. */
#ifndef LWI_DCA_DERIVATIVE_ROWS_H
#define LWI_DCA_DERIVATIVE_ROWS_H
#include "dca/edge_rows.h"
#include "dca/row.h"

/* the scaled rows of a closing edge on its child's link, and their indices in the closure: those of
   a joint, then those of its locked freedoms */
typedef struct {
  int n, row[6];
  double D[6][6];
} closing;

static inline void add_constraint_rows(const lw_model *m, const lwi_closure *c, int constraint,
                                       closing *x)
{
  if (constraint < 0) return;
  const lwi_tree_constraint *t = &m->tree_constraints.constraint[constraint];
  for (int r = 0; r < t->n; r++) {
    memcpy(x->D[x->n], c->J + t->J + 6 * (t->n + r), sizeof x->D[0]);
    x->row[x->n++] = t->row + r;
  }
}

static inline closing closing_of(const lw_model *m, const lwi_closure *c, const lwi_dca_edge *e)
{
  closing x = {0};
  add_constraint_rows(
      m, c, e->constraint ? m->constraint[e->constraint].constraint : m->joint[e->joint].constraint,
      &x);
  if (!e->constraint) add_constraint_rows(m, c, m->joint[e->joint].lock, &x);
  return x;
}

/* multipliers of the rows of a closing edge for a load f on its child's link */
static inline void spread_load(closing x, const double f[6], double *lambda)
{
  double y[6];
  for (int r = 0; r < x.n; r++)
    y[r] = row_dot6(x.D[r], f);
  solve_normal(x.n, 0, x.D, y);
  for (int r = 0; r < x.n; r++)
    lambda[x.row[r]] = y[r];
}

static inline const lwi_tree_constraint *relation_constraint(const lw_model *m,
                                                             const lwi_dca_edge *e)
{
  return &m->tree_constraints.constraint[m->constraint[e->constraint].constraint];
}

/* from the scaled row of a relation to the row itself, and for multipliers the inverse */
static inline double unscale(const lwi_closure *c, const lwi_tree_constraint *t, double x)
{
  return c->scale[t->row] > 0 ? x / c->scale[t->row] : 0;
}

#endif
