/* SPDX-License-Identifier: Apache-2.0 */
/* redundancy.h -- parts of lw_redundancy_new, in the order in which they are used. */
#ifndef LWI_ANALYSIS_REDUNDANCY_H
#define LWI_ANALYSIS_REDUNDANCY_H
#include "analysis/independent_speeds.h"
#include "base/arena.h"
#include "cartesian/form/coordinate_partition.h"
#include "linalg/null_spaces.h"
#include "linkwork/redundancy.h"

enum { LWI_REDUNDANCY_LARGE = 1000 }; /* speeds or rows up to which elimination is dense */

/* lw_redundancy_new with another limit of dense elimination. */
lw_redundancy *lwi_redundancy_find(lw_work *w, double t, const double q[], int large,
                                   lw_error *err);

/* ---- stress_table.c ---- */

/* What self-stresses do to the parts that have a load in them: joints, then constraints, numbered from 0. */
typedef struct {
  int n;         /* self-stresses */
  size_t *start; /* [n + 1] entries of each: ... */
  int *part;     /* ... parts, ... */
  double (
      *load)[6]; /* ... and [torque / length; force] on the child, the largest of a self-stress 1 */
  int nentry, capacity[3];
} lwi_stress_table;

/* Adds a self-stress: the loads [torque; force] of npart parts, of all if `part` is NULL.  False: out of memory. */
bool lwi_stress_table_add(lwi_stress_table *s, int npart, const int part[], const double (*load)[6],
                          double length);
void lwi_stress_table_free(lwi_stress_table *s);
/* group[n]: self-stresses that meet in a part belong together; returns the number of groups, which are numbered from 0 in
   the order of their first members.  -1: out of memory. */
int lwi_stress_table_group(const lwi_stress_table *s, int npart, int group[]);

/* ---- redundancy_rank.c ---- */

/* The rank of the constraints at a state. */
typedef struct {
  int dof, redundant;
  const lw_model *m;
  lwi_null_spaces spaces; /* by dense elimination of the tree's rows ... */
  lw_cartesian *c;        /* ... or by sparse elimination of those of all bodies */
  lwi_partition *p;
} lwi_constraint_rank;

/* By dense elimination up to `large` speeds and rows, if the tree can follow the loops.  q is kinematically in w. */
lw_status lwi_constraint_rank_new(lwi_constraint_rank *r, lw_work *w, double t, const double q[],
                                  int large, lw_error *err);
void lwi_constraint_rank_free(lwi_constraint_rank *r);
lw_status lwi_constraint_rank_stresses(const lwi_constraint_rank *r, lw_work *w,
                                       lwi_stress_table *s);
/* Motions that the constraints allow, one of which is written to u[nu]; zero: a rotation that a particle does not have. */
int lwi_constraint_rank_motions(const lwi_constraint_rank *r);
void lwi_constraint_rank_motion(const lwi_constraint_rank *r, int k, double u[]);
/* Degrees of freedom and redundant equations of a model at its assembled start. */
lw_status lwi_start_rank(const lw_model *m, int large, int *dof, int *redundant);

/* ---- sparse_rank.c ---- */

lw_status lwi_sparse_rank_new(lwi_constraint_rank *r, lw_work *w, double t, const double q[],
                              lw_error *err);
lw_status lwi_sparse_rank_stresses(const lwi_constraint_rank *r, lwi_stress_table *s);

/* The loads of one group, by parts and then by its own self-stresses, numbered from 0. */
typedef struct {
  int part, stress;
  const double *load; /* [6] */
} lwi_stress_entry;
typedef struct {
  int n, npart, nentry;
  lwi_stress_entry *entry;
} lwi_group_entries;

/* ---- release_candidates.c ---- */

enum { LWI_MOST_TWISTS = 6 };
typedef struct {
  lw_release release;
  int part;                         /* of the group */
  int ntwist;                       /* motions that it makes possible; of a removed part: all */
  double twist[LWI_MOST_TWISTS][6]; /* [angular; linear at the child's frame], ground axes */
  int penalty;                      /* more: less likely what the user wants */
} lwi_candidate;

/* All changes of one part; returns their number, at most LWI_MOST_CHANGES. */
enum { LWI_MOST_CHANGES = 24 };
int lwi_release_candidates(const lw_model *m, const lw_work *w, const lw_stressed_part *part,
                           lwi_candidate out[]);

/* ---- release_search.c ---- */

enum {
  LWI_MOST_CHOICES = 8,
  LWI_MOST_RELEASED = 20000 /* self-stresses of a group for which changes are searched */
};
typedef struct {
  int n, score;
  int *candidate; /* [n] */
} lwi_choice;
/* The best sets of candidates, best first, that release all self-stresses of a group and nothing
   else; returns their number.  -1: out of memory.  The caller frees *memory, which holds them, on failure too. */
int lwi_search_releases(const lwi_group_entries *g, const lwi_candidate candidate[], int n,
                        lwi_choice best[LWI_MOST_CHOICES], int **memory);

/* ---- release_proposal.c ---- */

typedef struct {
  const lw_model *m;
  const lw_work *w;
  int large;
  const lwi_group_entries *entries; /* [ngroup] */
  lw_stress_group *group;           /* [ngroup] gets its changes */
  int ngroup;
  lwi_arena *arena;
} lwi_proposals;
/* determined: with all changes no equation is redundant. */
lw_status lwi_propose_releases(const lwi_proposals *p, bool *determined);

/* ---- release_apply.c ---- */

/* A spec with a change made in it; false: it cannot be made. */
bool lwi_apply_release(lw_spec *s, const lw_model *m, const lw_release *r);

#endif
