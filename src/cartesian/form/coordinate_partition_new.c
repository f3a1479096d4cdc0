/* SPDX-License-Identifier: Apache-2.0 */
/* coordinate_partition_new.c -- once per model: which rows have gaps, and in which order they are
   eliminated. */
#include "cartesian/form/coordinate_partition.h"
#include "tree/loops/closure.h"

#include <stdlib.h>

enum { COMPLETE = 60 };         /* up to so many columns pivots are compared throughout */
static const double TURNS = 10; /* typical arms that a radian is worth: angles are preferred as
                                    independent coordinates, since they stay good longer */

/* ---- make ---- */

void lwi_partition_free(lwi_partition *p)
{
  if (!p) return;
  void *const all[] = {p->independent, p->given,         p->by_tree, p->start,      p->value,
                       p->row_weight,  p->column_weight, p->step,    p->speed,      p->rest,
                       p->q,           p->rate,          p->du,      p->rank_state, p->was,
                       p->before,      p->column,        p->kind};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++)
    free(all[i]);
  lwi_pivoted_free(p->lu);
  free(p);
}

/* When the rows of a set are eliminated: the joints of the outermost links first, level by level,
   and what closes loops right after the joints of all bodies that it touches, so that its rows find
   columns of their own there.  depth: of bodies in the spanning tree. */
static int place_of(const lw_cartesian *c, const int *depth, int k)
{
  const lwi_row_set *s = &c->set[k];
  if (s->joint && !s->constrained) {
    const lwi_joint *j = &c->m->joint[s->joint];
    return 2 * depth[j->link];
  }
  int least = c->m->nlink;
  for (int i = c->touch_start[k]; i < c->touch_start[k + 1]; i++) {
    const int own = depth[c->body[c->touch_body[i] + 1].link];
    least = own < least ? own : least;
  }
  return 2 * least - 1;
}

/* sets by falling place, as groups of rows */
static void order_rows(const lw_cartesian *c, int *depth, int *head, int *next, int *group,
                       int *order)
{
  const int n = 2 * c->m->nlink + 2;
  int g = 0, row = 0;
  for (int i = 1; i < c->m->nlink; i++)
    depth[i] = depth[c->m->link[i].parent] + 1;
  for (int i = 0; i < n; i++)
    head[i] = -1;
  for (int k = c->shape.nset - 1; k >= 0; k--) {
    int *list = &head[place_of(c, depth, k)];
    next[k] = *list;
    *list = k;
  }
  for (int i = n - 1; i >= 0; i--)
    for (int k = head[i]; k >= 0; k = next[k]) {
      group[g++] = row;
      for (int r = 0; r < c->set[k].n; r++)
        order[row++] = c->set[k].row + r;
    }
  group[g] = row;
}

static lwi_partition_row kind_of(const lw_cartesian *c, const lwi_row_set *s, int r)
{
  const lwi_joint *j = s->joint ? &c->m->joint[s->joint] : NULL;
  int shifts = 0;
  if (!j || r >= j->equations.n) return LWI_ROW_FULL;
  const unsigned char *row = j->equations.row;
  if (s->swings && row[r] >= LWI_SWING_0)
    return row[r] == LWI_SWING_0 ? LWI_ROW_SWING_0 : LWI_ROW_SWING_1;
  if (row[r] >= LWI_TURN_0 && row[r] <= LWI_DOT) return LWI_ROW_OF_TURNS;
  for (int i = 0; i < r; i++)
    shifts += row[i] <= LWI_SHIFT_2;
  return row[r] <= LWI_SHIFT_2 && c->pair[s->joint].together
             ? (lwi_partition_row)(LWI_ROW_ALONG_X + shifts)
             : LWI_ROW_FULL;
}

/* The columns of a row in the block of a body, in the order of partition_rows.c. */
static int list_block(const lw_cartesian *c, lwi_partition_row kind, int body, int *column)
{
  const int turns = c->width == 6 ? 3 : 1, first = body * c->width;
  int n = 0;
  if (kind > LWI_ROW_ALONG_Z) {
    for (int i = 0; i < (kind == LWI_ROW_FULL ? c->width : turns); i++)
      column[n++] = first + i;
    return n;
  }
  const int axis = (int)kind;
  column[n++] = first + (turns == 1 ? 0 : (axis + 1) % 3);
  if (turns == 3) column[n++] = first + (axis + 2) % 3;
  column[n++] = first + turns + axis;
  return n;
}

/* entries of row r: its blocks one after the other */
static void list_columns(lwi_partition *p, int *column)
{
  const lw_cartesian *c = p->c;
  size_t at = 0;
  for (int k = 0; k < c->shape.nset; k++)
    for (int r = 0; r < c->set[k].n; r++) {
      const lwi_partition_row kind = p->plain ? LWI_ROW_FULL : kind_of(c, &c->set[k], r);
      p->kind[c->set[k].row + r] = (signed char)kind;
      p->start[c->set[k].row + r] = at;
      for (int b = c->touch_start[k]; b < c->touch_start[k + 1]; b++)
        at += (size_t)list_block(c, kind, c->touch_body[b], column + at);
    }
  p->start[c->nrow] = at;
}

static lwi_pivoted *new_factors(lwi_partition *p)
{
  const lw_cartesian *c = p->c;
  const int nset = c->shape.nset, nlink = c->m->nlink;
  lwi_arena scratch = {0};
  int *column = p->column;
  int *group = LWI_TAKE(&scratch, nset + 1, int), *next = LWI_TAKE(&scratch, nset + 1, int);
  int *order = LWI_TAKE(&scratch, c->nrow + 1, int), *depth = LWI_TAKE(&scratch, nlink, int);
  int *head = LWI_TAKE(&scratch, 2 * nlink + 2, int);
  lwi_pivoted *lu = NULL;
  if (group && next && order && depth && head) {
    order_rows(c, depth, head, next, group, order);
    list_columns(p, column);
    lu = lwi_pivoted_new(c->nrow, p->n, p->start, column, nset, p->complete ? NULL : group, order);
  }
  lwi_arena_free(&scratch);
  return lu;
}

/* The typical distance of joints from the centres of mass: what a radian is worth.  The model's
   length is that between joints, also of a ground that may be very wide. */
static double typical_arm(const lw_cartesian *c)
{
  double sum = 0;
  int n = 0;
  for (int i = 1; i <= c->m->njoint + c->m->nconstraint; i++)
    for (int side = 0; side < 2; side++) {
      const double arm = norm3(c->pair[i].place[side].p);
      if (c->pair[i].body[side] == 0 || arm == 0) continue;
      sum += arm;
      n++;
    }
  return n > 0 ? sum / n : c->m->length;
}

static void set_weights(lwi_partition *p)
{
  const lw_cartesian *c = p->c;
  const int turns = c->width == 6 ? 3 : 1;
  p->arm = typical_arm(c);
  for (int i = 0; i < p->n; i++) {
    const bool turn = i % c->width < turns;
    p->column_weight[i] = turn ? 1 / (TURNS * p->arm) : 1;
    if (turn && c->body[i / c->width + 1].inertialess) p->column_weight[i] = 0;
  }
}

/* Which rows have no gap that could be closed?  Those of joints of the spanning tree, and of a part
   of a rotation (docs/format.md 8.3), which is a condition on speeds alone. */
static void find_given(lwi_partition *p)
{
  const lw_cartesian *c = p->c;
  for (int k = 0; k < c->shape.nset; k++) {
    const lwi_row_set *s = &c->set[k];
    const lwi_joint *j = s->joint ? &c->m->joint[s->joint] : NULL;
    const bool holds = !j || lwi_lock_holds_place(j);
    for (int r = 0; r < s->n; r++) {
      p->by_tree[s->row + r] = j && !s->constrained;
      p->given[s->row + r] = (j && !s->constrained) || !(holds || r < j->equations.n);
    }
  }
}

static bool allocate(lwi_partition *p)
{
  const lw_cartesian *c = p->c;
  const size_t n = (size_t)p->n + 1, rows = (size_t)c->nrow + 1;
  const size_t nq = (size_t)c->m->nq + 1, nu = (size_t)c->m->nu + 1;
  const struct {
    double **at;
    size_t n;
  } numbers[] = {{&p->value, c->njacobian + 1},
                 {&p->row_weight, rows},
                 {&p->column_weight, n},
                 {&p->step, n},
                 {&p->speed, n},
                 {&p->rest, rows},
                 {&p->q, nq},
                 {&p->rate, nq},
                 {&p->du, nu},
                 {&p->rank_state, nq + nu},
                 {&p->was, n}};
  bool fine = true;
  for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
    fine = (*numbers[i].at = calloc(numbers[i].n, sizeof(double))) && fine;
  p->independent = calloc(n, sizeof *p->independent);
  p->given = calloc(rows, sizeof *p->given);
  p->by_tree = calloc(rows, sizeof *p->by_tree);
  p->start = calloc(rows, sizeof *p->start);
  p->column = calloc(c->njacobian + 1, sizeof *p->column);
  p->kind = calloc(rows, sizeof *p->kind);
  p->before = calloc((size_t)c->nbody + 1, sizeof *p->before);
  return fine && p->independent && p->given && p->by_tree && p->start && p->column && p->kind &&
         p->before;
}

lwi_partition *lwi_partition_new(lw_cartesian *c, bool complete)
{
  lwi_partition *p = calloc(1, sizeof *p);
  if (!p) return NULL;
  p->c = c;
  p->n = c->nbody * c->width;
  p->complete = complete || p->n <= COMPLETE;
  if (allocate(p)) p->lu = new_factors(p);
  if (!p->lu) {
    lwi_partition_free(p);
    return NULL;
  }
  p->best = 1;
  find_given(p);
  set_weights(p);
  return p;
}

bool lwi_partition_use_rows(lwi_partition *p, bool plain)
{
  const bool before = p->plain;
  p->plain = plain;
  lwi_pivoted *lu = new_factors(p);
  if (!lu) {
    p->plain = before; /* and the columns of the rows that there were are listed again */
    list_columns(p, p->column);
    return false;
  }
  lwi_pivoted_free(p->lu);
  p->lu = lu;
  memset(p->value, 0, p->c->njacobian * sizeof *p->value); /* of rows that give way, too */
  return true;
}
