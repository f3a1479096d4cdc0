/* SPDX-License-Identifier: Apache-2.0 */
/* redundancy.h -- parts of lw_redundancy_new, in the order in which they are used. */
#ifndef LWI_ANALYSIS_REDUNDANCY_H
#define LWI_ANALYSIS_REDUNDANCY_H
#include "analysis/independent_speeds.h"
#include "base/arena.h"
#include "linalg/null_spaces.h"
#include "linkwork/redundancy.h"

enum { LWI_REDUNDANCY_LARGE = 1000 }; /* speeds or rows: dense elimination */

/* ---- redundancy_rank.c ---- */

/* Null spaces of the rows of all tree constraints at q. */
lw_status lwi_constraint_null_spaces(lw_work *w, double t, const double q[], lwi_null_spaces *s,
                                     double weight[]);
int lwi_count_dof(const lw_model *m, const lwi_null_spaces *s);
/* Degrees of freedom and redundant equations of a model at its assembled start. */
lw_status lwi_start_rank(const lw_model *m, int *dof, int *redundant);

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

/* Loads of the self-stresses of a group: load[part][stress][6], torques divided by the length. */
typedef struct {
  int n, npart;
  const double (*load)[6]; /* [npart][n] */
  double length;
} lwi_group_loads;

enum { LWI_MOST_RELEASES = 64, LWI_MOST_CHOICES = 8 };
typedef struct {
  int n, score;
  int candidate[LWI_MOST_RELEASES];
} lwi_choice;
/* The best sets of candidates, best first, that release all self-stresses of a group and nothing
   else; returns their number.  -1: out of memory. */
int lwi_search_releases(const lwi_group_loads *g, const lwi_candidate candidate[], int n,
                        lwi_choice best[LWI_MOST_CHOICES]);

/* ---- release_apply.c ---- */

/* A spec with a change made in it; false: it cannot be made. */
bool lwi_apply_release(lw_spec *s, const lw_model *m, const lw_release *r);

#endif
