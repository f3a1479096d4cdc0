/* SPDX-License-Identifier: Apache-2.0 */
/* write_study.c -- the section `study`. */
#include "io/write/write_parts.h"

static void write_numbers(lwi_yaml_text *y, const double x[], int n)
{
  lwi_yaml_add(y, "[");
  for (int i = 0; i < n; i++) {
    lwi_yaml_add(y, i ? ", " : "");
    lwi_yaml_value(y, x[i]);
  }
  lwi_yaml_add(y, "]");
}

static void write_factor(lwi_yaml_text *y, const lw_factor *f)
{
  lwi_yaml_add(y, "  ");
  lwi_yaml_open(y, f->name);
  switch (f->kind) {
  case LW_FACTOR_UNIFORM:
    lwi_yaml_key(y, "range");
    write_numbers(y, (double[]){f->min, f->max}, 2);
    break;
  case LW_FACTOR_NORMAL:
    lwi_yaml_key(y, "normal");
    write_numbers(y, (double[]){f->mean, f->deviation}, 2);
    break;
  case LW_FACTOR_VALUES:
    lwi_yaml_key(y, "values");
    write_numbers(y, f->value, f->nvalue);
    break;
  case LW_FACTOR_LIMITS:
  default: break;
  }
  lwi_yaml_number(y, "points", f->points);
  lwi_yaml_close(y);
}

/* A table of a file is written as the numbers that were read. */
static void write_list(lwi_yaml_text *y, const lw_design *d)
{
  lwi_yaml_add(y, "  list:\n");
  for (long i = 0; i < d->cases; i++) {
    lwi_yaml_add(y, "  - {");
    y->first = true;
    for (int k = 0; k < d->nfactor; k++) {
      lwi_yaml_add(y, k ? ", " : "");
      lwi_yaml_name(y, d->factor[k].name);
      lwi_yaml_add(y, ": ");
      lwi_yaml_value(y, d->list[i * d->nfactor + k]);
    }
    lwi_yaml_add(y, "}\n");
  }
}

static void write_text(lwi_yaml_text *y, const char *key, const char *text)
{
  if (!text) return;
  lwi_yaml_add(y, "  %s: ", key);
  lwi_yaml_name(y, text);
  lwi_yaml_add(y, "\n");
}

void lwi_write_study(lwi_yaml_text *y, const lw_spec *s)
{
  static const char *const designs[] = {"grid", "latin", "sobol", "uniform", "indices"};
  if (!s->study) return;
  const lw_study_desc *d = &s->study->d;
  lwi_yaml_add(y, "study:\n");
  if (d->design.list) {
    write_list(y, &d->design);
  } else {
    lwi_yaml_add(y, "  design: %s\n", designs[d->design.kind]);
    if (d->design.cases) lwi_yaml_add(y, "  cases: %ld\n", d->design.cases);
    lwi_yaml_add(y, "  seed: %llu\n", d->design.seed);
    if (d->design.nfactor) lwi_yaml_add(y, "  parameters:\n");
    for (int i = 0; i < d->design.nfactor; i++)
      write_factor(y, &d->design.factor[i]);
  }
  write_text(y, "columns", d->columns);
  write_text(y, "extremes", d->extremes);
  write_text(y, "events", d->events);
  if (lwi_expr_index(d->limit) < 0 && d->limit <= 0) return;
  lwi_yaml_add(y, "  limit: ");
  lwi_yaml_value(y, d->limit);
  lwi_yaml_add(y, "\n");
}
