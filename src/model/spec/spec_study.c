/* SPDX-License-Identifier: Apache-2.0 */
/* spec_study.c -- the section `study` of a spec: which parameters vary, and what is wanted of each case. */
#include "model/spec/spec_data.h"

#include <string.h>

static bool keep_values(lw_spec *s, const lw_study_desc *from, lw_factor *factor, lw_design *to)
{
  const lw_design *d = &from->design;
  for (int i = 0; i < d->nfactor; i++) {
    factor[i] = d->factor[i];
    factor[i].name = lwi_spec_text(s, d->factor[i].name);
    if (factor[i].kind != LW_FACTOR_VALUES) continue;
    factor[i].value =
        lwi_arena_copy(&s->arena, d->factor[i].value, (size_t)d->factor[i].nvalue, sizeof(double));
    if (!factor[i].value) return false;
  }
  if (!d->list) return true;
  to->list =
      lwi_arena_copy(&s->arena, d->list, (size_t)d->cases * (size_t)d->nfactor, sizeof(double));
  return to->list;
}

static bool is_complete(const lw_study_desc *d)
{
  if (d->design.nfactor < 0 || (d->design.nfactor > 0 && !d->design.factor)) return false;
  if (d->design.list && (d->design.cases < 1 || d->design.cases > 1000000000)) return false;
  for (int i = 0; i < d->design.nfactor; i++) {
    const lw_factor *f = &d->design.factor[i];
    if (!f->name || (f->kind == LW_FACTOR_VALUES && (f->nvalue < 1 || !f->value))) return false;
  }
  return true;
}

void lwi_spec_set_study(lw_spec *s, const lw_study_desc *d, const lwi_mark factor_mark[])
{
  const int n = d->design.nfactor;
  lwi_study *y = LWI_TAKE(&s->arena, 1, lwi_study);
  lw_factor *factor = LWI_TAKE(&s->arena, n, lw_factor);
  lwi_mark *mark = LWI_TAKE(&s->arena, n, lwi_mark);
  if (!y || !factor || !mark || (y->d = *d, !keep_values(s, d, factor, &y->d.design))) {
    lwi_spec_no_memory(s);
    return;
  }
  for (int i = 0; i < n; i++)
    mark[i] = factor_mark ? factor_mark[i] : s->mark;
  y->mark = s->mark;
  y->factor_mark = mark;
  y->d.design.factor = factor;
  y->d.columns = lwi_spec_text(s, d->columns);
  y->d.extremes = lwi_spec_text(s, d->extremes);
  y->d.events = lwi_spec_text(s, d->events);
  s->study = y;
}

void lw_set_study(lw_spec *s, const lw_study_desc *d)
{
  if (!lwi_spec_good(s)) return;
  if (!d || !is_complete(d))
    lwi_spec_fail(s, LW_E_ARG, s->mark,
                  "lw_set_study: no study, or one whose parameters have no names or values");
  else
    lwi_spec_set_study(s, d, NULL);
}
