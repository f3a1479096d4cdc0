/* SPDX-License-Identifier: Apache-2.0 */
/* trigger_box.c -- most expressions stay far from zero for many steps.  A box, one interval per column, is
   put around the columns of a piece, wider than they are, and the bounds of each expression over the
   whole box are found once.  As long as the columns of later pieces stay within the box, the
   expressions that have no zero in it need not be bounded again: bounds over a part of the box are
   within those over all of it [Moore2009]. */
#include "sim/events/triggers.h"

#include <math.h>

enum { TIME = 0, LONGEST_WAIT = 32 };
/* Boxes exceed a piece by that many of its widths, as they prove to be too wide or too narrow. */
static const double narrowest = 2, first = 16, widest = 1e6, change = 8;

bool lwi_trigger_keeps_sign(const lwi_trigger *w, lwi_bounds range)
{
  const lwi_interval g = range.value;
  return !range.partial && (w->side.side > 0 ? g.low > 0 : w->side.side < 0 && g.high < 0);
}

void lwi_triggers_forget_box(lwi_triggers *x)
{
  x->boxed = false;
  x->patience = 0;
}

static lwi_interval range_of(const lwi_triggers *x, int column)
{
  if (column == TIME) return (lwi_interval){x->curve.a, x->curve.b};
  return lwi_curve_rough_range(&x->curve, column);
}

static bool is_inside(lwi_interval piece, lwi_interval box)
{
  return piece.low >= box.low && piece.high <= box.high;
}

/* Columns that do not exist at present are no numbers, in the box as in the piece. */
bool lwi_triggers_are_boxed(const lwi_triggers *x)
{
  const lwi_curve *c = &x->curve;
  if (!x->boxed || c->degree > 1) return false;
  if (!is_inside((lwi_interval){c->a, c->b}, x->box[TIME])) return false;
  for (int i = TIME + 1; i < c->n; i++) {
    const lwi_interval piece = lwi_curve_rough_range(c, i);
    if (!is_inside(piece, x->box[i]) && !(isnan(piece.low) && isnan(x->box[i].low))) return false;
  }
  return true;
}

static bool is_watched(const lwi_triggers *x, const lwi_trigger *w)
{
  return !w->spent && !w->asleep && !lwi_trigger_is_absent(x, w);
}

static void make_box(lwi_triggers *x)
{
  for (int i = 0; i < x->curve.n; i++) {
    const lwi_interval piece = range_of(x, i);
    const double more = x->widening * (piece.high - piece.low);
    x->box[i] = (lwi_interval){piece.low - more, piece.high + more};
    x->bounds[x->nparameter + i] = (lwi_bounds){.value = x->box[i]};
  }
}

/* The next box is wider if most expressions are quiet in this one, else narrower. */
void lwi_triggers_find_box(lwi_triggers *x)
{
  int quiet = 0, watched = 0;
  if (x->curve.degree > 1 || x->patience-- > 0) return;
  if (!(x->widening > 0)) x->widening = first;
  make_box(x);
  for (int i = 0; i < x->nwhen; i++) {
    lwi_trigger *w = &x->when[i];
    const bool is = is_watched(x, w);
    w->quiet = is && lwi_trigger_keeps_sign(w, lwi_expr_range(&w->shared, x->bounds));
    quiet += w->quiet;
    watched += is;
  }
  x->boxed = quiet > 0;
  x->restless = watched - quiet;
  const bool good = 2 * quiet > watched, narrow = !good && x->widening <= narrowest;
  x->widening = fmin(fmax(x->widening * (good ? change : 1 / change), narrowest), widest);
  x->patience = narrow ? LONGEST_WAIT : 0;
}
