/* SPDX-License-Identifier: Apache-2.0 */
/* release_proposal.c -- for each group of self-stresses the fewest changes that release it, compiled and checked. */
#include "analysis/redundancy.h"

#include <stdlib.h>
#include <string.h>

/* Changes of the parts of one group, and which of them are chosen. */
typedef struct {
  lwi_candidate *candidate;
  int n, nchoice;
  lwi_choice choice[LWI_MOST_CHOICES];
  int *memory; /* of the choices */
} proposal;

typedef struct {
  const lwi_proposals *p;
  proposal *of; /* [ngroup] */
  lw_spec *spec;
  int dof, redundant; /* with the changes made so far */
} proposing;

/* ---- candidates ---- */

/* Searches for changes of the parts of a group.  False: out of memory. */
static bool search_changes(const lwi_proposals *p, int g, proposal *out)
{
  const lw_stress_group *group = &p->group[g];
  if (group->n > LWI_MOST_RELEASED) return true;
  out->candidate = calloc((size_t)group->npart * LWI_MOST_CHANGES + 1, sizeof *out->candidate);
  if (!out->candidate) return false;
  for (int i = 0; i < group->npart; i++) {
    const int more = lwi_release_candidates(p->m, p->w, &group->part[i], out->candidate + out->n);
    for (int c = out->n; c < out->n + more; c++)
      out->candidate[c].part = i;
    out->n += more;
  }
  out->nchoice =
      lwi_search_releases(&p->entries[g], out->candidate, out->n, out->choice, &out->memory);
  return out->nchoice >= 0;
}

/* ---- checks ---- */

static bool apply(lw_spec *s, const lw_model *m, const proposal *x, int choice)
{
  for (int i = 0; i < x->choice[choice].n; i++)
    if (!lwi_apply_release(s, m, &x->candidate[x->choice[choice].candidate[i]].release))
      return false;
  return true;
}

/* Takes over a changed spec if the redundancy is reduced by n, and nothing else changes; else frees it.  *memory: false if
   there is none. */
static bool accept(proposing *a, lw_spec *s, int n, bool *memory)
{
  int dof = -1, redundant = -1;
  lw_error err = {0};
  lw_model *m = lw_compile(s, &err);
  const lw_status status = m ? lwi_start_rank(m, a->p->large, &dof, &redundant) : err.status;
  const bool good = m && status == LW_OK && dof == a->dof && redundant == a->redundant - n;
  lw_model_free(m);
  *memory = *memory && status != LW_E_MEMORY;
  lw_spec_free(good ? a->spec : s);
  if (!good) return false;
  a->spec = s;
  a->redundant -= n;
  return true;
}

static int release_order(const void *a, const void *b)
{
  const lw_release *x = a, *y = b;
  if (!x->joint.id != !y->joint.id) return x->joint.id ? -1 : 1;
  return x->joint.id ? x->joint.id - y->joint.id : x->constraint.id - y->constraint.id;
}

/* Notes a choice in the order of the parts.  False: out of memory. */
static bool note(const lwi_proposals *p, int g, const proposal *x, int choice)
{
  const lwi_choice *c = &x->choice[choice];
  lw_release *release = LWI_TAKE(p->arena, c->n, lw_release);
  if (!release) return false;
  for (int k = 0; k < c->n; k++)
    release[k] = x->candidate[c->candidate[k]].release;
  qsort(release, (size_t)c->n, sizeof *release, release_order);
  p->group[g].release = release;
  p->group[g].nrelease = c->n;
  return true;
}

/* The best choices of all groups at once: one model to compile, where that holds. */
static bool propose_together(proposing *a, bool *memory)
{
  const lwi_proposals *p = a->p;
  int n = 0;
  lw_spec *s = lwi_spec_copy(a->spec);
  *memory = *memory && s;
  for (int g = 0; g < p->ngroup && s; g++) {
    if (a->of[g].nchoice > 0 && apply(s, p->m, &a->of[g], 0)) {
      n += p->group[g].n;
      continue;
    }
    lw_spec_free(s);
    return false;
  }
  if (!s || !accept(a, s, n, memory)) return false;
  for (int g = 0; g < p->ngroup && *memory; g++)
    *memory = note(p, g, &a->of[g], 0);
  return true;
}

/* The first choice of a group that holds. */
static bool propose(proposing *a, int g)
{
  const lwi_proposals *p = a->p;
  bool memory = true;
  for (int i = 0; i < a->of[g].nchoice && memory; i++) {
    lw_spec *s = lwi_spec_copy(a->spec);
    if (!s) return false;
    if (!apply(s, p->m, &a->of[g], i))
      lw_spec_free(s);
    else if (accept(a, s, p->group[g].n, &memory))
      return note(p, g, &a->of[g], i);
  }
  return memory;
}

lw_status lwi_propose_releases(const lwi_proposals *p, bool *determined)
{
  proposing a = {.p = p, .of = calloc((size_t)p->ngroup + 1, sizeof *a.of)};
  const lw_status status = lwi_start_rank(p->m, p->large, &a.dof, &a.redundant);
  bool ok = a.of && status != LW_E_MEMORY;
  if (ok && status == LW_OK && p->m->spec) {
    ok = (a.spec = lwi_spec_copy(p->m->spec)) != NULL;
    for (int g = 0; g < p->ngroup && ok; g++)
      ok = search_changes(p, g, &a.of[g]);
    if (ok && !propose_together(&a, &ok))
      for (int g = 0; g < p->ngroup && ok; g++)
        ok = propose(&a, g);
    *determined = ok && a.redundant == 0;
  }
  for (int g = 0; g < p->ngroup && a.of; g++) {
    free(a.of[g].candidate);
    free(a.of[g].memory);
  }
  free(a.of);
  lw_spec_free(a.spec);
  return ok ? LW_OK : LW_E_MEMORY;
}
