/* SPDX-License-Identifier: Apache-2.0 */
/* release_proposal.c -- for each group of self-stresses the fewest changes that release it, compiled and checked. */
#include "analysis/redundancy.h"

#include <stdlib.h>
#include <string.h>

/* Loads of one group, and candidates of its parts. */
typedef struct {
  lwi_candidate *candidate;
  int n, nchoice;
  lwi_choice choice[LWI_MOST_CHOICES];
} proposal;

typedef struct {
  const lwi_proposals *p;
  proposal *of; /* [ngroup] */
  lw_spec *spec;
  int dof, redundant; /* with the changes made so far */
} proposing;

/* ---- candidates ---- */

/* Loads of a group as a full array. */
static double (*spread_loads(const lwi_group_entries *x))[6]
{
  double(*load)[6] = calloc((size_t)x->npart * (size_t)x->n + 1, sizeof *load);
  for (int e = 0, part = -1; e < x->nentry && load; e++) {
    part += e == 0 || x->entry[e].part != x->entry[e - 1].part;
    memcpy(load[(size_t)part * (size_t)x->n + (size_t)x->entry[e].stress], x->entry[e].load,
           sizeof *load);
  }
  return load;
}

/* Searches for changes of the parts of a group.  False: out of memory. */
static bool search_changes(const lwi_proposals *p, int g, proposal *out)
{
  const lw_stress_group *group = &p->group[g];
  if (group->n > LWI_MOST_RELEASED) return true;
  out->candidate = calloc((size_t)group->npart * LWI_MOST_CHANGES + 1, sizeof *out->candidate);
  double(*load)[6] = spread_loads(&p->entries[g]);
  if (!out->candidate || !load) {
    free(load);
    return false;
  }
  for (int i = 0; i < group->npart; i++) {
    const int more = lwi_release_candidates(p->m, p->w, &group->part[i], out->candidate + out->n);
    for (int c = out->n; c < out->n + more; c++)
      out->candidate[c].part = i;
    out->n += more;
  }
  const lwi_group_loads loads = {group->n, group->npart, (const double(*)[6])load, p->m->length};
  out->nchoice = lwi_search_releases(&loads, out->candidate, out->n, out->choice);
  free(load);
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

/* Notes a choice in the order of the parts.  False: out of memory. */
static bool note(const lwi_proposals *p, int g, const proposal *x, int choice)
{
  const lwi_choice *c = &x->choice[choice];
  lw_release *release = LWI_TAKE(p->arena, c->n, lw_release);
  if (!release) return false;
  for (int k = 0; k < c->n; k++)
    insert_release(release, k, &x->candidate[c->candidate[k]].release);
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
  for (int g = 0; g < p->ngroup && a.of; g++)
    free(a.of[g].candidate);
  free(a.of);
  lw_spec_free(a.spec);
  return ok ? LW_OK : LW_E_MEMORY;
}
