/* SPDX-License-Identifier: Apache-2.0 */
#include "model/event_slopes.h"

#include <stdlib.h>

typedef struct {
  const lw_model *m;
  const double *parameter1;
  bool full; /* no memory for another */
} reader;

static int find_parameter(const char *name, void *context)
{
  const lw_model *m = context;
  return lwi_parameters_find(&m->spec->parameters, name);
}

/* of one number of a descriptor, which may stand for an expression */
static double slope(reader *r, double number, double *value)
{
  const int index = lwi_expr_index(number);
  *value = number;
  if (index < 0 || index >= r->m->spec->nexpr) return 0;
  const lwi_expr *e = &r->m->spec->expr[index].expr;
  void *memory = malloc(lwi_expr_size(e) + 1);
  r->full = r->full || !memory;
  if (!memory) return 0;
  double by = 0;
  lwi_expr own = lwi_expr_copy_to(e, memory);
  if (!lwi_expr_resolve(&own, find_parameter, (void *)r->m))
    lwi_expr_dual(&own, r->m->parameter, 1, r->parameter1, value, &by);
  free(memory);
  return by;
}

static void slopes(reader *r, const double number[3], double value[3], double out[3])
{
  for (int i = 0; i < 3; i++)
    out[i] = slope(r, number[i], &value[i]);
}

/* x / |x| */
static void normalize(const double x[3], double x1[3])
{
  const double n = norm3(x), along = n > 0 ? dot3(x, x1) / (n * n) : 0;
  for (int i = 0; i < 3 && n > 0; i++)
    x1[i] = (x1[i] - along * x[i]) / n;
}

bool lwi_event_slopes_of(const lw_model *m, int number, const double parameter1[],
                         lwi_event_slopes *out)
{
  reader r = {m, parameter1, false};
  const lw_event_desc *d = &m->spec->events.item[number - 1].d;
  double value[3];
  *out = (lwi_event_slopes){.at = 0};
  if (!d->has_when) out->at = slope(&r, d->at, value);
  if (d->action == LW_ACTION_IMPULSE || d->action == LW_ACTION_IMPACT) {
    slopes(&r, d->point, value, out->point);
    slopes(&r, d->linear, value, out->linear);
    slopes(&r, d->angular, value, out->angular);
    out->restitution = slope(&r, d->restitution, value);
    slopes(&r, d->normal, value, out->normal);
    normalize(value, out->normal);
  }
  return !r.full;
}
