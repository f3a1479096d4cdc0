/* SPDX-License-Identifier: Apache-2.0 */
#include "sim/triggers.h"
#include "base/fail.h"
#include "model/model.h"
#include "sim/phase.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* of the interval that it began with: an event that has come at ever shorter ones until this will never
   stop doing so (a ball comes to rest) */
static const double no_time = 1e-5;

/* ---- make ---- */

static int compare_times(const void *a, const void *b)
{
  const lwi_event *x = *(const lwi_event *const *)a, *y = *(const lwi_event *const *)b;
  if (x->d.at != y->d.at) return x->d.at < y->d.at ? -1 : 1;
  return (x->number > y->number) - (x->number < y->number);
}

static size_t name_room(const lwi_expr *e)
{
  size_t size = 2;
  for (int i = 0; i < e->nname; i++)
    size += (size_t)e->name[i].length + 1;
  return size;
}

static lw_status open_columns(lwi_trigger *w, const lw_model *m, char *list, lw_error *err)
{
  lw_error why = {0};
  w->columns = lw_columns_new(m, list[0] ? list : "t", &why);
  if (w->columns) return LW_OK;
  if (why.status == LW_E_MEMORY) return lwi_fail(err, LW_E_MEMORY, "out of memory");
  char name[80];
  lwi_event_name(w->e, name, sizeof name);
  lwi_fail(err, LW_E_MODEL, "event \"%s\": when: %s", name, why.text);
  if (err) err->line = w->e->mark.line, err->column = w->e->mark.column;
  return LW_E_MODEL;
}

static int find_parameter(const lw_model *m, const char *name)
{
  for (int i = 0; i < m->nparameter; i++)
    if (strcmp(m->parameter_name[i], name) == 0) return i;
  return -1;
}

/* the names that are no parameters, separated by commas */
static void list_columns(const lw_model *m, const lwi_expr *e, char *list)
{
  for (int i = 0; i < e->nname; i++) {
    if (find_parameter(m, e->name[i].text) >= 0) continue;
    if (list[0]) strcat(list, ",");
    strcat(list, e->name[i].text);
  }
}

typedef struct {
  const lw_model *m;
  const lw_columns *columns;
} slots;

/* parameters have the first slots, then come the columns */
static int find_slot(const char *name, void *context)
{
  const slots *s = context;
  const int parameter = find_parameter(s->m, name);
  if (parameter >= 0) return parameter;
  for (int i = 0; i < lw_columns_count(s->columns); i++)
    if (strcmp(lw_columns_name(s->columns, i), name) == 0) return s->m->nparameter + i;
  return -1;
}

static lw_status open_trigger(lwi_trigger *w, const lw_model *m, const lwi_event *e, lw_error *err)
{
  *w = (lwi_trigger){
      .e = e, .g = (double)NAN, .fired = -HUGE_VAL, .interval = HUGE_VAL, .longest = HUGE_VAL};
  void *block = malloc(lwi_expr_size(e->when) + 1);
  const size_t size = name_room(e->when);
  char *list = calloc(1, size);
  if (!block || !list) {
    free(block);
    free(list);
    return lwi_fail(err, LW_E_MEMORY, "out of memory");
  }
  w->expr = lwi_expr_copy_to(e->when, block);
  list_columns(m, e->when, list);
  const lw_status status = open_columns(w, m, list, err);
  free(list);
  if (status != LW_OK) return status;
  lwi_expr_resolve(&w->expr, find_slot, &(slots){m, w->columns});
  const int count = m->nparameter + lw_columns_count(w->columns);
  w->slot = calloc((size_t)count + 1, sizeof *w->slot);
  if (!w->slot) return lwi_fail(err, LW_E_MEMORY, "out of memory");
  if (m->nparameter) memcpy(w->slot, m->parameter, (size_t)m->nparameter * sizeof(double));
  w->row = w->slot + m->nparameter;
  return LW_OK;
}

lw_status lwi_triggers_init(lwi_triggers *x, const lw_model *m, lw_error *err)
{
  const size_t n = (size_t)m->nevent;
  *x = (lwi_triggers){0};
  if (n == 0) return LW_OK;
  x->time = malloc(n * sizeof *x->time);
  x->due = malloc(n * sizeof *x->due);
  x->when = calloc(n, sizeof *x->when);
  if (!x->time || !x->due || !x->when) return lwi_fail(err, LW_E_MEMORY, "out of memory");
  for (int i = 0; i < m->nevent; i++) {
    const lwi_event *e = &m->event[i];
    if (!e->when)
      x->time[x->ntime++] = e;
    else if (open_trigger(&x->when[x->nwhen++], m, e, err) != LW_OK)
      return err ? err->status : LW_E_MODEL;
  }
  qsort(x->time, (size_t)x->ntime, sizeof *x->time, compare_times);
  return LW_OK;
}

void lwi_triggers_free(lwi_triggers *x)
{
  for (int i = 0; i < x->nwhen; i++) {
    lw_columns_free(x->when[i].columns);
    lwi_expr_free(&x->when[i].expr);
    free(x->when[i].slot);
  }
  free(x->when);
  free(x->time);
  free(x->due);
  *x = (lwi_triggers){0};
}

lw_status lwi_triggers_follow(lwi_triggers *x, const lw_simulation *sim, lw_error *err)
{
  lw_status status = LW_OK;
  for (int i = 0; i < x->nwhen && status == LW_OK; i++)
    status = lw_columns_follow(x->when[i].columns, sim, err);
  return status;
}

/* ---- watch ---- */

void lwi_triggers_reset(lwi_triggers *x, double t)
{
  x->next = 0;
  while (x->next < x->ntime && x->time[x->next]->d.at < t)
    x->next++;
  for (int i = 0; i < x->nwhen; i++) {
    lwi_trigger *w = &x->when[i];
    w->sign = 0;
    w->spent = w->crossed = false;
    w->fired = -HUGE_VAL;
    w->interval = w->longest = HUGE_VAL;
  }
}

double lwi_triggers_next_time(const lwi_triggers *x)
{
  return x->next < x->ntime ? x->time[x->next]->d.at : HUGE_VAL;
}

double lwi_triggers_near(const lwi_triggers *x, double t, double tolerance)
{
  int low = 0, high = x->ntime; /* the first that is not before t - tolerance */
  while (low < high) {
    const int middle = (low + high) / 2;
    if (x->time[middle]->d.at < t - tolerance)
      low = middle + 1;
    else
      high = middle;
  }
  return low < x->ntime && x->time[low]->d.at <= t + tolerance ? x->time[low]->d.at : t;
}

lw_status lwi_triggers_evaluate(lwi_triggers *x, double t, const double q[], const double u[])
{
  for (int i = 0; i < x->nwhen; i++) {
    lwi_trigger *w = &x->when[i];
    if (w->spent) continue;
    const lw_status status = lw_columns_row(w->columns, t, q, u, w->row);
    if (status != LW_OK) return status;
    w->g = lwi_expr_value(&w->expr, w->slot);
  }
  return LW_OK;
}

static int sign_of(double g)
{
  return (g > 0) - (g < 0); /* NaN: 0 */
}

int lwi_triggers_crossed(lwi_triggers *x)
{
  int n = 0;
  for (int i = 0; i < x->nwhen; i++) {
    lwi_trigger *w = &x->when[i];
    const int now = w->spent ? 0 : sign_of(w->g);
    const lw_crossing way = w->e->d.direction;
    w->crossed = now * w->sign < 0 && (way == LW_BOTH_WAYS || (way == LW_RISING) == (now > 0));
    n += w->crossed;
  }
  return n;
}

void lwi_triggers_note(lwi_triggers *x)
{
  for (int i = 0; i < x->nwhen; i++) {
    lwi_trigger *w = &x->when[i];
    if (isnan(w->g))
      w->sign = 0; /* what it looks at has gone */
    else if (w->g != 0)
      w->sign = sign_of(w->g);
  }
}

void lwi_triggers_note_jump(lwi_triggers *x, double t)
{
  for (int i = 0; i < x->nwhen; i++) {
    lwi_trigger *w = &x->when[i];
    if (w->fired != t) w->sign = sign_of(w->g) || isnan(w->g) ? sign_of(w->g) : w->sign;
  }
}

bool lwi_triggers_are_fresh(const lwi_triggers *x)
{
  for (int i = 0; i < x->nwhen; i++)
    if (!x->when[i].spent && x->when[i].sign == 0) return true;
  return false;
}

void lwi_triggers_forget(lwi_triggers *x)
{
  for (int i = 0; i < x->nwhen; i++)
    x->when[i].crossed = false;
}

double lwi_triggers_limit(const lwi_triggers *x, double t)
{
  double limit = HUGE_VAL;
  for (int i = 0; i < x->nwhen; i++) {
    const lwi_trigger *w = &x->when[i];
    if (!w->spent && t < w->fired + 2 * w->interval) limit = fmin(limit, t + w->interval / 8);
  }
  return limit;
}

/* ---- fire ---- */

static int compare_numbers(const void *a, const void *b)
{
  const lwi_event *x = *(const lwi_event *const *)a, *y = *(const lwi_event *const *)b;
  return (x->number > y->number) - (x->number < y->number);
}

int lwi_triggers_take(lwi_triggers *x, double t)
{
  int n = 0;
  for (; x->next < x->ntime && x->time[x->next]->d.at <= t; x->next++)
    x->due[n++] = x->time[x->next];
  for (int i = 0; i < x->nwhen; i++) {
    lwi_trigger *w = &x->when[i];
    if (!w->crossed) continue;
    x->due[n++] = w->e;
    w->crossed = false;
    w->sign = 0;
    w->spent = w->e->d.once;
    const double interval = t - w->fired;
    if (!(interval < 0.99 * w->interval) || !isfinite(w->longest)) w->longest = interval;
    w->interval = interval;
    w->fired = t;
  }
  if (n > 1) qsort(x->due, (size_t)n, sizeof *x->due, compare_numbers);
  return n;
}

const lwi_event *lwi_triggers_find_zeno(const lwi_triggers *x)
{
  for (int i = 0; i < x->nwhen; i++)
    if (x->when[i].interval < no_time * x->when[i].longest && isfinite(x->when[i].longest))
      return x->when[i].e;
  return NULL;
}
