/* SPDX-License-Identifier: Apache-2.0 */
/* study.c -- a study: its design, its names, what is wanted of each case. */
#include "base/fail.h"
#include "linkwork/query.h"
#include "model/model.h"
#include "model/spec/spec_data.h"
#include "study/study_data.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- make and free ---- */

static char *copy_text(const char *text)
{
  char *copy = malloc(strlen(text) + 1);
  return copy ? strcpy(copy, text) : NULL;
}

static size_t count_numbers(const lw_design *d)
{
  size_t n = d->kind == LW_DESIGN_LIST ? (size_t)d->cases * (size_t)d->nfactor : 0;
  for (int i = 0; i < d->nfactor; i++)
    if (d->factor[i].kind == LW_FACTOR_VALUES) n += (size_t)d->factor[i].nvalue;
  return n;
}

static bool copy_design(lw_study *y, const lw_design *d)
{
  y->factor = calloc((size_t)d->nfactor, sizeof *y->factor);
  y->numbers = malloc((count_numbers(d) + 1) * sizeof *y->numbers);
  if (!y->factor || !y->numbers) return false;
  double *at = y->numbers;
  for (int i = 0; i < d->nfactor; i++) {
    lw_factor *f = &y->factor[i];
    *f = d->factor[i];
    f->name = y->name[i] = copy_text(f->name);
    if (!f->name) return false;
    if (f->kind != LW_FACTOR_VALUES) continue;
    f->value = memcpy(at, f->value, (size_t)f->nvalue * sizeof *at);
    at += f->nvalue;
  }
  if (d->kind == LW_DESIGN_LIST)
    y->o.design.list = memcpy(at, d->list, (size_t)d->cases * (size_t)d->nfactor * sizeof *at);
  y->o.design.factor = y->factor;
  return true;
}

/* Each factor must be a parameter, once. */
static lw_status check_names(const lw_design *d, const lw_model *m, lw_error *err)
{
  for (int i = 0; i < d->nfactor; i++) {
    int found = 0;
    for (int k = 0; k < lw_nparameter(m); k++)
      found += strcmp(lw_parameter_name(m, k), d->factor[i].name) == 0;
    if (!found)
      return lwi_fail(err, LW_E_ARG, "the model has no parameter \"%s\"", d->factor[i].name);
    for (int k = 0; k < i; k++)
      if (strcmp(d->factor[k].name, d->factor[i].name) == 0)
        return lwi_fail(err, LW_E_ARG, "parameter \"%s\" is varied twice", d->factor[i].name);
  }
  return LW_OK;
}

/* The columns of the runs themselves: with the time, if they are kept; "t": none is wanted. */
static bool copy_options(lw_study *y, const lw_study_options *o)
{
  const char *columns = o->columns ? o->columns : o->runs ? "*" : "t", *also = o->runs ? "t," : "";
  const size_t size = strlen(also) + strlen(columns) + 1;
  if ((y->columns = malloc(size))) snprintf(y->columns, size, "%s%s", also, columns);
  if (o->runs) y->runs = copy_text(o->runs);
  y->o.columns = y->o.extremes = y->o.events = y->o.runs = NULL; /* the caller's */
  return y->columns && (y->runs || !o->runs);
}

static lw_status check_runs(const char *runs, lw_error *err)
{
  if (!runs || strchr(runs, '%')) return LW_OK;
  return lwi_fail(
      err, LW_E_ARG,
      "\"%.200s\": the files of runs need a %% in their names, for the number of the case", runs);
}

static lw_status create(lw_study *y, const lw_spec *s, const lw_study_options *o, lw_error *err)
{
  y->o = *o;
  if (!(y->cases = lw_design_cases(&o->design, err))) return err->status;
  if (check_runs(o->runs, err) != LW_OK) return err->status;
  y->name = calloc((size_t)o->design.nfactor, sizeof *y->name);
  if (!y->name || !copy_design(y, &o->design) || !copy_options(y, o) ||
      !(y->spec = lwi_spec_copy(s)))
    return lwi_out_of_memory(err, "a study");
  y->spec->study = NULL; /* a case is one case: copies of the spec need no list of them */
  lw_model *m = lw_compile(y->spec, err);
  if (!m) return err->status;
  const lw_status status = check_names(&y->o.design, m, err);
  lw_model_free(m);
  if (status != LW_OK) return status;
  const lwi_wanted_results wanted = {o->columns, o->extremes, o->events};
  return lwi_case_results_init(&y->results, y->spec, &wanted, err);
}

lw_study *lw_study_new(const lw_spec *s, const lw_study_options *options, lw_error *err)
{
  lw_error unused;
  if (!err) err = &unused;
  *err = (lw_error){.status = LW_OK};
  if (!s || !options || !(options->limit >= 0))
    return lwi_fail(err, LW_E_ARG, "lw_study_new: no spec, no options, or a limit below 0"), NULL;
  lw_study *y = calloc(1, sizeof *y);
  if (!y) return lwi_out_of_memory(err, "a study"), NULL;
  if (create(y, s, options, err) == LW_OK) return y;
  lw_study_free(y);
  return NULL;
}

void lw_study_free(lw_study *y)
{
  if (!y) return;
  for (int i = 0; i < y->o.design.nfactor && y->name; i++)
    free(y->name[i]);
  free(y->name);
  free(y->factor);
  free(y->numbers);
  free(y->columns);
  free(y->runs);
  lwi_case_results_free(&y->results);
  lw_spec_free(y->spec);
  free(y);
}

const lw_design *lw_study_design(const lw_study *y)
{
  return y ? &y->o.design : NULL;
}

int lw_study_nresult(const lw_study *y)
{
  return y ? y->results.n : 0;
}

const char *lw_study_result_name(const lw_study *y, int i)
{
  return y && i >= 0 && i < y->results.n ? y->results.name[i] : NULL;
}
