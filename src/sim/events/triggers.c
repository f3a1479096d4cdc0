/* SPDX-License-Identifier: Apache-2.0 */
/* triggers.c -- the triggers of a model: columns shared by all expressions, the list of times, and
   which events are due. */
#include "sim/events/triggers.h"
#include "base/fail.h"
#include "base/name_index.h"
#include "model/model.h"
#include "sim/output/column_patterns.h"
#include "sim/output/columns.h"
#include "sim/events/phase.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Fraction of the first interval: an event whose intervals have decreased so often and to this
   length will never cease to recur (a ball comes to rest). */
static const double no_time = 1e-5;
/* Ratio of an interval to the one before: less than 1 by more than rounding errors, since intervals
   near an accumulation like that of sin(1/(a - t)) decrease ever more slowly; a sudden drop below
   `another` is a different motion. */
static const double shorter = 1 - 1e-6, another = 1e-3;
enum { OFTEN = 5, FLOOD = 5000 };

/* ---- make ---- */

static int compare_times(const void *a, const void *b)
{
  const lwi_event *x = *(const lwi_event *const *)a, *y = *(const lwi_event *const *)b;
  if (x->d.at != y->d.at) return x->d.at < y->d.at ? -1 : 1;
  return (x->number > y->number) - (x->number < y->number);
}

/* Names that are not parameters. */
static bool list_columns(lwi_name_list *l, const lw_model *m, const lwi_expr *e)
{
  for (int i = 0; i < e->nname; i++)
    if (lwi_find_parameter(m, e->name[i].text) < 0 && !lwi_name_list_add(l, e->name[i].text))
      return false;
  return true;
}

/* Slots of names: parameters first, then columns. */
typedef struct {
  const lw_model *m;
  lwi_name_index columns;
} slots;

static bool index_columns(slots *s, const lw_columns *c)
{
  for (int i = 0; i < lw_columns_count(c); i++) {
    const char *name = lw_columns_name(c, i);
    if (lwi_name_add(&s->columns, name, strlen(name)) < 0) return false;
  }
  return true;
}

static int find_slot(const char *name, void *context)
{
  const slots *s = context;
  const int parameter = lwi_find_parameter(s->m, name);
  if (parameter >= 0) return parameter;
  const int column = lwi_name_find(&s->columns, name, strlen(name));
  return column < 0 ? -1 : s->m->nparameter + column;
}

static bool copy_expr(lwi_expr *to, const lwi_expr *from, slots *s)
{
  void *block = malloc(lwi_expr_size(from) + 1);
  if (!block) return false;
  *to = lwi_expr_copy_to(from, block);
  lwi_expr_resolve(to, find_slot, s);
  return true;
}

/* Opens the columns that one expression names. */
static lw_status open_trigger_columns(lwi_trigger *w, const lw_model *m, lw_error *err)
{
  lwi_name_list l = {0};
  slots s = {.m = m};
  lw_error why = {0};
  if (!list_columns(&l, m, w->e->when)) {
    free(l.text);
    return lwi_out_of_memory(err, NULL);
  }
  w->columns = lw_columns_new(m, l.length ? l.text : "t", &why);
  free(l.text);
  if (w->columns && lwi_columns_have(w->columns, LWI_COLUMN_ENERGY_ERROR)) {
    lwi_fail(&why, LW_E_MODEL, "energy.error is a check of results; nothing can depend on it");
    lw_columns_free(w->columns);
    w->columns = NULL;
  }
  if (!w->columns && why.status == LW_E_MEMORY) return lwi_out_of_memory(err, NULL);
  if (!w->columns) {
    char name[80];
    lwi_event_name(w->e, name, sizeof name);
    lwi_fail(err, LW_E_MODEL, "event \"%s\": when: %s", name, why.text);
    lwi_locate_error(w->e->files, w->e->mark, err);
    return LW_E_MODEL;
  }
  const size_t count = (size_t)(m->nparameter + lw_columns_count(w->columns)) + 1;
  w->slot = calloc(count, sizeof *w->slot);
  const bool good = w->slot && index_columns(&s, w->columns) && copy_expr(&w->expr, w->e->when, &s);
  lwi_name_index_free(&s.columns);
  if (!good) return lwi_out_of_memory(err, NULL);
  if (m->nparameter) memcpy(w->slot, m->parameter, (size_t)m->nparameter * sizeof(double));
  w->row = w->slot + m->nparameter;
  return LW_OK;
}

static void close_trigger_columns(lwi_trigger *w)
{
  lw_columns_free(w->columns);
  if (w->slot) lwi_expr_free(&w->expr);
  free(w->slot);
  w->columns = NULL;
  w->slot = w->row = NULL;
}

lw_status lwi_trigger_open(lwi_triggers *x, int trigger, const lw_simulation *sim)
{
  lwi_trigger *w = &x->when[trigger];
  lw_status status = LW_OK;
  if (!w->columns) {
    status = open_trigger_columns(w, x->m, NULL);
    if (status == LW_OK) status = lw_columns_follow(w->columns, sim, NULL);
    if (status != LW_OK) close_trigger_columns(w);
  }
  return status == LW_OK ? lwi_columns_join(w->columns, x->columns) : status;
}

/* Reports which expression names a column that does not exist. */
static lw_status find_culprit(lwi_triggers *x, const lw_error *why, lw_error *err)
{
  lw_status status = LW_OK;
  if (why->status == LW_E_MEMORY) return lwi_out_of_memory(err, NULL);
  for (int i = 0; i < x->nwhen && status == LW_OK; i++) {
    status = open_trigger_columns(&x->when[i], x->m, err);
    close_trigger_columns(&x->when[i]);
  }
  return status == LW_OK ? lwi_fail(err, why->status, "events: %s", why->text) : status;
}

static lw_status open_columns(lwi_triggers *x, lw_error *err)
{
  lwi_name_list l = {0};
  lw_error why = {0};
  bool good = true;
  for (int i = 0; i < x->nwhen && good; i++)
    good = list_columns(&l, x->m, x->when[i].e->when);
  if (good) x->columns = lw_columns_new(x->m, l.length ? l.text : "t", &why);
  free(l.text);
  if (!good) return lwi_out_of_memory(err, NULL);
  if (x->columns && !lwi_columns_have(x->columns, LWI_COLUMN_ENERGY_ERROR)) return LW_OK;
  return find_culprit(x, &why, err);
}

static bool allocate_slots(lwi_triggers *x)
{
  const lw_model *m = x->m;
  const int ncolumn = lw_columns_count(x->columns);
  x->nparameter = m->nparameter;
  x->nslot = m->nparameter + ncolumn;
  const size_t size = (size_t)x->nslot + 1;
  x->slot = calloc(size, sizeof *x->slot);
  x->slot_noise = calloc(size, sizeof *x->slot_noise);
  x->slot_rate = calloc(size, sizeof *x->slot_rate);
  x->bounds = calloc(size, sizeof *x->bounds);
  x->end_time = (double)NAN;
  x->box = calloc((size_t)ncolumn + 1, sizeof *x->box);
  if (!x->slot || !x->slot_noise || !x->slot_rate || !x->bounds || !x->box) return false;
  for (int i = 0; i < m->nparameter; i++) {
    x->slot[i] = m->parameter[i];
    x->bounds[i] = (lwi_bounds){.value = {m->parameter[i], m->parameter[i]}};
  }
  return lwi_curve_init(&x->curve, ncolumn);
}

static lw_status open_expressions(lwi_triggers *x, lw_error *err)
{
  slots s = {.m = x->m};
  const lw_status status = open_columns(x, err);
  if (status != LW_OK) return status;
  bool good = allocate_slots(x) && index_columns(&s, x->columns);
  for (int i = 0; i < x->nwhen && good; i++)
    good = copy_expr(&x->when[i].shared, x->when[i].e->when, &s);
  lwi_name_index_free(&s.columns);
  return good ? LW_OK : lwi_out_of_memory(err, NULL);
}

/* Are all names of the loads that switch columns?  Opened at once, since each opening looks at the
   names of all columns of the model. */
static lw_status try_switches(lwi_triggers *x, bool *all)
{
  lwi_name_list l = {0};
  lw_error why = {0};
  bool good = true;
  for (int i = 0; i < x->nswitch && good; i++)
    good = list_columns(&l, x->m, x->switching[i].event.when);
  lw_columns *columns = good ? lw_columns_new(x->m, l.length ? l.text : "t", &why) : NULL;
  *all = columns && !lwi_columns_have(columns, LWI_COLUMN_ENERGY_ERROR);
  lw_columns_free(columns);
  free(l.text);
  return !good || why.status == LW_E_MEMORY ? LW_E_MEMORY : LW_OK;
}

/* Watches the loads that switch with the state, those whose names are columns. */
static lw_status add_switches(lwi_triggers *x)
{
  bool all = false;
  if (x->nswitch > 1 && try_switches(x, &all) != LW_OK) return LW_E_MEMORY;
  for (int i = 0; i < x->nswitch; i++) {
    lwi_trigger w = {.e = &x->switching[i].event, .load = &x->switching[i], .g = (double)NAN};
    const lw_status status = all ? LW_OK : open_trigger_columns(&w, x->m, NULL);
    close_trigger_columns(&w);
    if (status == LW_E_MEMORY) return status;
    if (status == LW_OK) x->when[x->nwhen++] = w;
  }
  return LW_OK;
}

lw_status lwi_triggers_init(lwi_triggers *x, const lw_model *m, bool integrands, lw_error *err)
{
  *x = (lwi_triggers){.m = m};
  if (lwi_state_switches_find(m, integrands, &x->switching, &x->nswitch) != LW_OK)
    return lwi_out_of_memory(err, NULL);
  const size_t n = (size_t)m->nevent + (size_t)x->nswitch;
  if (n == 0) return LW_OK;
  x->time = malloc(n * sizeof *x->time);
  x->due = malloc(n * sizeof *x->due);
  x->when = calloc(n, sizeof *x->when);
  if (!x->time || !x->due || !x->when) return lwi_out_of_memory(err, NULL);
  for (int i = 0; i < m->nevent; i++) {
    const lwi_event *e = &m->event[i];
    if (e->when)
      x->when[x->nwhen++] = (lwi_trigger){.e = e, .g = (double)NAN};
    else
      x->time[x->ntime++] = e;
  }
  qsort(x->time, (size_t)x->ntime, sizeof *x->time, compare_times);
  if (add_switches(x) != LW_OK) return lwi_out_of_memory(err, NULL);
  return x->nwhen > 0 ? open_expressions(x, err) : LW_OK;
}

void lwi_triggers_free(lwi_triggers *x)
{
  for (int i = 0; i < x->nwhen; i++) {
    close_trigger_columns(&x->when[i]);
    lwi_expr_free(&x->when[i].shared);
  }
  lwi_state_switches_free(x->switching, x->nswitch);
  lw_columns_free(x->columns);
  lwi_curve_free(&x->curve);
  free(x->slot);
  free(x->slot_noise);
  free(x->slot_rate);
  free(x->bounds);
  free(x->box);
  free(x->when);
  free(x->time);
  free(x->due);
  *x = (lwi_triggers){0};
}

lw_status lwi_triggers_follow(lwi_triggers *x, const lw_simulation *sim, lw_error *err)
{
  return x->columns ? lw_columns_follow(x->columns, sim, err) : LW_OK;
}

/* ---- watch ---- */

void lwi_triggers_reset(lwi_triggers *x, double t)
{
  x->next = 0;
  x->undefined = NULL;
  lwi_triggers_forget_box(x);
  while (x->next < x->ntime && x->time[x->next]->d.at < t)
    x->next++;
  for (int i = 0; i < x->nwhen; i++) {
    lwi_trigger *w = &x->when[i];
    w->side = (lwi_side){0};
    w->spent = w->crossed = false;
    w->only = 0;
    w->fired = -HUGE_VAL;
    w->interval = w->longest = HUGE_VAL;
    w->shrunk = w->firings = 0;
    w->counted = t;
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

lw_status lwi_triggers_row(lwi_triggers *x, double t, const double q[], const double u[],
                           double row[], double noise[])
{
  const lw_status status = lw_columns_row(x->columns, t, q, u, row);
  if (status != LW_OK || !noise) return status;
  lwi_column_scales(x->columns, u, row, noise);
  for (int i = 0; i < lw_columns_count(x->columns); i++)
    noise[i] = i == 0 ? DBL_EPSILON * fabs(t)
                      : x->rtol * noise[i] + x->atol + lwi_column_rounding(x->columns, i, u);
  return LW_OK;
}

lw_status lwi_triggers_evaluate(lwi_triggers *x, double t, const double q[], const double u[])
{
  if (x->nwhen == 0) return LW_OK;
  double *row = x->slot + x->nparameter, *noise = x->slot_noise + x->nparameter;
  const lw_status status = lwi_triggers_row(x, t, q, u, row, noise);
  for (int i = 0; i < x->nwhen && status == LW_OK; i++) {
    lwi_trigger *w = &x->when[i];
    w->g = lwi_expr_noise(&w->shared, x->slot, x->slot_noise, &w->noise);
  }
  return status;
}

const lwi_trigger *lwi_triggers_note(lwi_triggers *x, double t)
{
  const lwi_trigger *bad = NULL;
  lwi_triggers_forget_box(x);
  for (int i = 0; i < x->nwhen; i++) {
    lwi_trigger *w = &x->when[i];
    const bool known = fabs(w->g) > w->noise, has_fired = w->fired == t;
    if (known || has_fired || isnan(w->g)) w->side.side = known ? (w->g > 0) - (w->g < 0) : 0;
    if (w->asleep) w->side.side = 0;
    w->side.rooted = false;
    if (isnan(w->g) && !w->spent && !w->load && !lwi_trigger_is_absent(x, w)) bad = w;
  }
  return bad;
}

void lwi_triggers_note_loads(lwi_triggers *x)
{
  lwi_triggers_forget_box(x);
  for (int i = 0; i < x->nwhen; i++) {
    lwi_trigger *w = &x->when[i];
    if (w->load && fabs(w->g) > w->noise) w->side.side = (w->g > 0) - (w->g < 0);
  }
}

void lwi_triggers_forget(lwi_triggers *x)
{
  x->undefined = NULL;
  for (int i = 0; i < x->nwhen; i++)
    x->when[i].crossed = false;
}

bool lwi_triggers_only_switch(const lwi_triggers *x)
{
  bool any = false;
  for (int i = 0; i < x->nwhen; i++) {
    if (x->when[i].crossed && !x->when[i].load) return false;
    any = any || x->when[i].crossed;
  }
  return any && !x->undefined;
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
  lwi_triggers_forget_box(x);
  x->switched = x->pole = NULL;
  for (; x->next < x->ntime && x->time[x->next]->d.at <= t; x->next++)
    x->due[n++] = x->time[x->next];
  for (int i = 0; i < x->nwhen; i++) {
    lwi_trigger *w = &x->when[i];
    w->switched = w->crossed && w->load;
    if (!w->crossed) continue;
    if (w->load && w->load->pole) x->pole = w->load;
    if (w->load)
      x->switched = x->switched && x->switched->jumps ? x->switched : w->load;
    else
      x->due[n++] = w->e;
    w->crossed = false;
    w->side = (lwi_side){0};
    w->spent = w->e->d.once;
    const double interval = t - w->fired;
    const bool shrinks = interval < shorter * w->interval && interval > another * w->interval &&
                         isfinite(w->longest);
    w->shrunk = shrinks ? w->shrunk + 1 : 0;
    if (!shrinks) w->longest = interval;
    w->interval = interval;
    w->fired = t;
    w->firings++;
  }
  if (n > 1) qsort(x->due, (size_t)n, sizeof *x->due, compare_numbers);
  return n;
}

const lwi_event *lwi_triggers_find_zeno(const lwi_triggers *x)
{
  for (int i = 0; i < x->nwhen; i++)
    if (x->when[i].e->contact == 0 && !x->when[i].load && x->when[i].shrunk >= OFTEN &&
        x->when[i].interval < no_time * x->when[i].longest)
      return x->when[i].e;
  return NULL;
}

/* A trigger that has fired more than `most` times within span; counts begin again after it. */
static lwi_trigger *find_often(lwi_triggers *x, bool loads, int most, double span)
{
  for (int i = 0; i < x->nwhen; i++) {
    lwi_trigger *w = &x->when[i];
    if ((w->load != NULL) != loads) continue;
    if (w->firings > most && w->fired < w->counted + span) return w;
    if (!(w->fired < w->counted + span)) w->counted = w->fired, w->firings = 0;
  }
  return NULL;
}

const lwi_event *lwi_triggers_find_flood(lwi_triggers *x, double span)
{
  const lwi_trigger *w = find_often(x, false, FLOOD, span);
  return w ? w->e : NULL;
}

const lwi_state_switch *lwi_triggers_find_chatter(lwi_triggers *x, double span)
{
  const lwi_trigger *w = find_often(x, true, FLOOD, span);
  return w ? w->load : NULL;
}
