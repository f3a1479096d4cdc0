/* SPDX-License-Identifier: Apache-2.0 */
/* tree_constraints.h -- what constrains the spanning tree to itself and to time: joints that close
   loops, geometric constraints, relations of coordinates.

   Every constraint has up to six rows.  A row is a load pattern on the tree: loads on the two links
   of a pair of frames, or on single freedoms.  It can move only the freedoms inward of these, its
   columns; two constraints are coupled if they share a column.  Constraints are numbered so that
   coupled ones are near each other (reverse Cuthill-McKee): the compliance of a chain of loops is
   then a narrow band. */
#ifndef LWI_MODEL_TREE_CONSTRAINTS_H
#define LWI_MODEL_TREE_CONSTRAINTS_H
#include "linalg/envelope.h"
#include "model/joint/frame.h"
#include "model/link_system.h"

/* two frames on links: of the parent and of the child of a cut joint or geometric constraint */
typedef struct {
  int link[2];
  lwi_frame place[2]; /* in the link frames */
} lwi_pair;

typedef enum {
  LWI_TREE_CONSTRAINT_JOINT,     /* the equations of a cut joint */
  LWI_TREE_CONSTRAINT_GEOMETRIC, /* of a constraint between two frames */
  LWI_TREE_CONSTRAINT_RELATION,  /* gear, coupler, driver: one row */
  LWI_TREE_CONSTRAINT_LOCK,      /* locked freedoms of a cut joint */
  LWI_TREE_CONSTRAINT_HOLD /* the coordinates of a cut joint that is held, only while assembling */
} lwi_tree_constraint_kind;

/* a pair of frames that a constraint acts on; of relations, by one coordinate of a cut joint */
typedef struct {
  int pair;
  int at[2]; /* which of the constraint's links they are; -1: the ground */
  int joint, dof;
  double coefficient, higher[3]; /* joint/relations.h */
} lwi_constrained_pair;
/* a coordinate of the tree in a relation */
typedef struct {
  int q, u, column; /* its places in q, in u, and in link order */
  int link;
  int at; /* among the columns of the constraint */
  double coefficient, higher[3];
} lwi_constrained_term;

typedef struct {
  lwi_tree_constraint_kind kind;
  int id;          /* of the joint or constraint */
  unsigned dofs;   /* lock, hold: bit i: freedom i of the joint has a row */
  int row, n;      /* its rows */
  int link, nlink; /* its links: outward ones before inward ones */
  int pair, npair;
  int term, nterm;
  int ncolumn;
  size_t eps; /* its columns, n numbers each */
  size_t J;   /* the rows of its pairs: [npair][2][n][6] */
} lwi_tree_constraint;

/* a constraint that has a certain column */
typedef struct {
  int constraint;
  size_t eps;
} lwi_touch;

typedef struct {
  bool local; /* links are listed only as far inward as the constraint can tell their motions
                apart */
  lwi_link_system
      *link_system; /* loops are too long even so: no links, columns and envelope, but these; else
                      NULL */
  int nconstraint, nrow;
  lwi_tree_constraint *constraint; /* [ntie] */
  lwi_constrained_pair *pair;
  lwi_constrained_term *term;
  int *link, *inward,
      *column;      /* of all constraints: the link, its parent's place, its first column */
  int *touch_start; /* [nu + 1] by freedom, in link order */
  lwi_touch *touch; /* rising */
  size_t neps, nJ;
  lwi_envelope envelope; /* of the compliance: a block per constraint */
} lwi_tree_constraints;

/* how many terms relations have, and pairs there are */
static inline int lwi_nterm(const lwi_tree_constraints *x)
{
  int n = 0;
  for (int i = 0; i < x->nconstraint; i++)
    n += x->constraint[i].nterm;
  return n;
}
static inline int lwi_npair(const lwi_tree_constraints *x)
{
  int n = 0;
  for (int i = 0; i < x->nconstraint; i++)
    n += x->constraint[i].npair;
  return n;
}

#endif
