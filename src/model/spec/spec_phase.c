/* SPDX-License-Identifier: Apache-2.0 */
/* spec_phase.c -- phases: the first one from a spec as it is written, later ones as copies that
   events edit. */
#include "model/spec/spec_phase.h"

#include <stdlib.h>
#include <string.h>

bool lwi_phase_add_parts(lwi_phase *p)
{
  const lw_spec *s = p->spec;
  lwi_part_state *joint = LWI_TAKE(&p->arena, s->joints.n, lwi_part_state);
  lwi_part_state *constraint = LWI_TAKE(&p->arena, s->constraints.n, lwi_part_state);
  if (!joint || !constraint) return false;
  for (int i = 0; i < s->joints.n; i++)
    if (i < p->njoint)
      joint[i] = p->joint[i];
    else
      joint[i].absent = s->joints.item[i].announced;
  for (int i = 0; i < s->constraints.n; i++)
    if (i < p->nconstraint)
      constraint[i] = p->constraint[i];
    else
      constraint[i].absent = s->constraints.item[i].announced;
  p->joint = joint;
  p->constraint = constraint;
  p->njoint = s->joints.n;
  p->nconstraint = s->constraints.n;
  return true;
}

bool lwi_phase_init(lwi_phase *p, const lw_spec *s)
{
  *p = (lwi_phase){.spec = s};
  return lwi_phase_add_parts(p);
}

void lwi_phase_close(lwi_phase *p)
{
  free(p->merge);
  lwi_arena_free(&p->arena);
  lw_spec_free(p->branch);
}

void lwi_phase_free(lwi_phase *p)
{
  if (p) lwi_phase_close(p);
  free(p);
}

static bool copy_merges(lwi_phase *to, const lwi_phase *from)
{
  if (from->nmerge == 0) return true;
  to->merge = calloc((size_t)from->nmerge, sizeof *to->merge);
  if (!to->merge) return false;
  to->nmerge = to->merge_capacity = from->nmerge;
  for (int i = 0; i < from->nmerge; i++) {
    const lwi_merge *m = &from->merge[i];
    lwi_merge *copy = &to->merge[i];
    *copy = (lwi_merge){.name = lwi_arena_text(&to->arena, m->name), .nbody = m->nbody};
    if (!copy->name) return false;
    if (!m->bodies) continue;
    const size_t n = (size_t)m->nbody;
    copy->bodies = lwi_arena_copy(&to->arena, m->bodies, n, sizeof *m->bodies);
    copy->place = lwi_arena_copy(&to->arena, m->place, n, sizeof *m->place);
    if (!copy->bodies || !copy->place) return false;
  }
  return true;
}

/* What is not there now may be connected by events that are added to the copy. */
static void announce_absent(const lwi_phase *p)
{
  for (int i = 0; i < p->njoint; i++)
    p->branch->joints.item[i].announced = p->joint[i].absent;
  for (int i = 0; i < p->nconstraint; i++)
    p->branch->constraints.item[i].announced = p->constraint[i].absent;
}

/* takes the spec; the moment is not copied: whoever edits the copy writes another one */
static lwi_phase *copy_with(const lwi_phase *from, lw_spec *spec)
{
  lwi_phase *p = spec ? calloc(1, sizeof *p) : NULL;
  if (!p) return lw_spec_free(spec), NULL;
  p->spec = p->branch = spec;
  p->njoint = from->njoint;
  p->nconstraint = from->nconstraint;
  p->joint = lwi_arena_copy(&p->arena, from->joint, (size_t)p->njoint, sizeof *p->joint);
  p->constraint =
      lwi_arena_copy(&p->arena, from->constraint, (size_t)p->nconstraint, sizeof *p->constraint);
  if (p->joint && p->constraint && copy_merges(p, from)) {
    announce_absent(p);
    return p;
  }
  lwi_phase_free(p);
  return NULL;
}

lwi_phase *lwi_phase_branch(const lwi_phase *p)
{
  return copy_with(p, lwi_spec_branch(p->spec));
}

lwi_phase *lwi_phase_copy(const lwi_phase *p)
{
  return copy_with(p, lwi_spec_copy(p->spec));
}
