/* SPDX-License-Identifier: Apache-2.0 */
/* expr_noise.c -- the noise that the noise of its names leaves in an expression (expr_bounds.h). */
#include "model/expression/expr_bounds.h"
#include "model/expression/expr_edge.h"

#include <float.h>

typedef struct {
  double v, noise;
  double edge; /* as expr_edge.h counts it */
} noisy;

/* what rounding leaves of a result: nothing where it is exact */
static double rounding(double v)
{
  return isfinite(v) ? DBL_EPSILON * fabs(v) : 0;
}

/* |curve| n m: only where the slope vanishes does it matter, and where the curve exists */
static double second_order(double curve, double n, double m)
{
  const double size = fabs(curve) * n * m;
  return isfinite(size) ? size : 0;
}

static void noisy_unary(const lwi_expr *e, const lwi_expr_op *op, noisy *a)
{
  a->v = onto_domain(op->code, a->v, fmax(a->noise, a->edge));
  a->v = onto_table(e, op, 0, a->v, fmax(a->noise, a->edge));
  const double v = value1(e, op, a->v), s = slope1(e, op, a->v, v), n = a->noise;
  a->edge = edges_sum(chain(s, a->edge), 0, v);
  a->noise = chain(fabs(s), n) + second_order(0.5 * curve1(e, op, a->v, v, s), n, n) + rounding(v);
  a->v = v;
}

static void noisy_binary(const lwi_expr *e, const lwi_expr_op *op, noisy *a, noisy *b)
{
  if (op->code == LWI_OP_POW && b->v != rint(b->v))
    a->v = onto_domain(op->code, a->v, fmax(a->noise, a->edge));
  a->v = onto_table(e, op, 0, a->v, fmax(a->noise, a->edge));
  b->v = onto_table(e, op, 1, b->v, fmax(b->noise, b->edge));
  const double v = value2(e, op, a->v, b->v);
  const slopes s = slopes2(e, op, a->v, b->v, v);
  a->edge = edges_sum(chain(s.a, a->edge), chain(s.b, b->edge), v);
  const curves c = curves2(e, op, a->v, b->v, v);
  const double n = a->noise, m = b->noise;
  a->noise = chain(fabs(s.a), n) + chain(fabs(s.b), m) + rounding(v) +
             second_order(0.5 * c.aa, n, n) + second_order(c.ab, n, m) +
             second_order(0.5 * c.bb, m, m);
  a->v = v;
}

double lwi_expr_noise(const lwi_expr *e, const double slots[], const double slot_noise[],
                      double *noise)
{
  noisy stack[LWI_EXPR_MAX_STACK], *top = stack;
  for (const lwi_expr_op *op = e->op; op < e->op + e->nop; op++) {
    if (EXPR_MOVED(op, stack, top) || EXPR_SELECTED(op, top, .v)) continue;
    if (op->code == LWI_OP_CONSTANT) {
      const double c = e->constant[op->arg];
      *top++ = (noisy){c, c == rint(c) ? 0 : rounding(c), 0};
    } else if (op->code == LWI_OP_NAME) {
      const int slot = e->name[op->arg].slot;
      *top++ = (noisy){slots[slot], slot_noise[slot], LWI_EXPR_UNCERTAIN * fabs(slots[slot])};
    } else if (op->code < LWI_OP_FIRST_BINARY) {
      noisy_unary(e, op, top - 1);
    } else {
      top--;
      noisy_binary(e, op, top - 1, top);
    }
  }
  *noise = isfinite(stack[0].noise) ? stack[0].noise : 0;
  return stack[0].v;
}
