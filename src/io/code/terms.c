/* SPDX-License-Identifier: Apache-2.0 */
/* terms.c -- the terms of straight-line code, simplified as they are made (terms.h). */
#include "io/code/terms.h"
#include "model/expression/expr_mod.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* ---- numbers ---- */

/* The value of an operation, as expressions have it. */
static double compute(int op, double a, double b, double c)
{
#define EXPR_1(f, x) f(x)
#define EXPR_2(f, x, y) f(x, y)
#define EXPR_SELECT(condition, x, y) ((condition) ? (x) : (y))
#define EXPR_SQRT(x) sqrt(x)
#define EXPR_SET(x) (x)
#define VALUE(code, name, value, ...)                                                              \
  case LWI_OP_##code: return value;
  switch (op) {
    LWI_EXPR_UNARY(VALUE)
    LWI_EXPR_BINARY(VALUE)
  case LWI_OP_SELECT: return a != 0 ? b : c;
  default: return (double)NAN;
  }
#undef VALUE
#undef EXPR_1
#undef EXPR_2
#undef EXPR_SELECT
#undef EXPR_SQRT
#undef EXPR_SET
}

/* ---- the list ---- */

bool lwi_terms_open(lwi_terms *T)
{
  *T = (lwi_terms){.nbucket = 1 << 12};
  T->bucket = malloc((size_t)T->nbucket * sizeof *T->bucket);
  if (!T->bucket) return false;
  memset(T->bucket, -1, (size_t)T->nbucket * sizeof *T->bucket);
  lwi_term_number(T, 0);
  lwi_term_number(T, 1);
  return !T->failed;
}

void lwi_terms_close(lwi_terms *T)
{
  free(T->term);
  free(T->bucket);
  *T = (lwi_terms){0};
}

static unsigned hash_of(const lwi_term_record *r)
{
  uint64_t bits, h = 14695981039346656037u;
  memcpy(&bits, &r->x, sizeof bits);
  const uint64_t word[] = {(uint64_t)r->op, (uint64_t)r->of[0], (uint64_t)r->of[1],
                           (uint64_t)r->of[2], bits};
  for (size_t i = 0; i < sizeof word / sizeof *word; i++)
    h = (h ^ word[i]) * 0x9e3779b97f4a7c15u, h ^= h >> 29;
  return (unsigned)(h >> 16);
}

static bool is_same(const lwi_term_record *a, const lwi_term_record *b)
{
  return a->op == b->op && memcmp(a->of, b->of, sizeof a->of) == 0 &&
         memcmp(&a->x, &b->x, sizeof a->x) == 0;
}

/* The place of a term among the buckets, or the empty one for it. */
static int find_bucket(const lwi_terms *T, const lwi_term_record *r)
{
  int i = (int)(hash_of(r) & (unsigned)(T->nbucket - 1));
  while (T->bucket[i] >= 0 && !is_same(&T->term[T->bucket[i]], r))
    i = (i + 1) & (T->nbucket - 1);
  return i;
}

static bool grow(lwi_terms *T)
{
  if (T->n == T->capacity) {
    const int capacity = T->capacity ? 2 * T->capacity : 1024;
    lwi_term_record *more = realloc(T->term, (size_t)capacity * sizeof *more);
    if (!more) return false;
    T->term = more;
    T->capacity = capacity;
  }
  if (2 * T->n < T->nbucket) return true;
  int *bucket = malloc(2 * (size_t)T->nbucket * sizeof *bucket);
  if (!bucket) return false;
  free(T->bucket);
  T->bucket = bucket;
  T->nbucket *= 2;
  memset(bucket, -1, (size_t)T->nbucket * sizeof *bucket);
  for (int i = 0; i < T->n; i++)
    bucket[find_bucket(T, &T->term[i])] = i;
  return true;
}

static lwi_term keep(lwi_terms *T, lwi_term_record r)
{
  if (T->failed) return LWI_TERM_ZERO;
  int i = find_bucket(T, &r);
  if (T->bucket[i] >= 0) return T->bucket[i];
  if (!grow(T)) {
    T->failed = true;
    return LWI_TERM_ZERO;
  }
  T->bucket[find_bucket(T, &r)] = T->n;
  T->term[T->n] = r;
  return T->n++;
}

/* ---- terms ---- */

lwi_term lwi_term_number(lwi_terms *T, double x)
{
  return keep(T, (lwi_term_record){.op = LWI_OP_CONSTANT, .x = x == 0 ? 0 : x}); /* no -0 */
}

lwi_term lwi_term_input(lwi_terms *T, int which)
{
  return keep(T, (lwi_term_record){.op = LWI_OP_NAME, .of = {which}});
}

bool lwi_term_is_number(const lwi_terms *T, lwi_term a)
{
  return T->term && T->term[a].op == LWI_OP_CONSTANT;
}

double lwi_term_number_of(const lwi_terms *T, lwi_term a)
{
  return T->term[a].x;
}

static bool is_op(const lwi_terms *T, lwi_term a, int op)
{
  return T->term && T->term[a].op == op;
}

lwi_term lwi_term_neg(lwi_terms *T, lwi_term a)
{
  if (lwi_term_is_number(T, a)) return lwi_term_number(T, -lwi_term_number_of(T, a));
  if (is_op(T, a, LWI_OP_NEG)) return T->term[a].of[0];
  if (is_op(T, a, LWI_OP_SUB)) return lwi_term_sub(T, T->term[a].of[1], T->term[a].of[0]);
  return keep(T, (lwi_term_record){.op = LWI_OP_NEG, .of = {a}});
}

lwi_term lwi_term_add(lwi_terms *T, lwi_term a, lwi_term b)
{
  if (a == LWI_TERM_ZERO) return b;
  if (b == LWI_TERM_ZERO) return a;
  if (lwi_term_is_number(T, a) && lwi_term_is_number(T, b))
    return lwi_term_number(T, lwi_term_number_of(T, a) + lwi_term_number_of(T, b));
  if (is_op(T, b, LWI_OP_NEG)) return lwi_term_sub(T, a, T->term[b].of[0]);
  if (is_op(T, a, LWI_OP_NEG)) return lwi_term_sub(T, b, T->term[a].of[0]);
  return keep(T, (lwi_term_record){.op = LWI_OP_ADD, .of = {a < b ? a : b, a < b ? b : a}});
}

lwi_term lwi_term_sub(lwi_terms *T, lwi_term a, lwi_term b)
{
  if (a == b) return LWI_TERM_ZERO;
  if (b == LWI_TERM_ZERO) return a;
  if (a == LWI_TERM_ZERO) return lwi_term_neg(T, b);
  if (lwi_term_is_number(T, a) && lwi_term_is_number(T, b))
    return lwi_term_number(T, lwi_term_number_of(T, a) - lwi_term_number_of(T, b));
  if (is_op(T, b, LWI_OP_NEG)) return lwi_term_add(T, a, T->term[b].of[0]);
  if (is_op(T, a, LWI_OP_NEG)) return lwi_term_neg(T, lwi_term_add(T, T->term[a].of[0], b));
  return keep(T, (lwi_term_record){.op = LWI_OP_SUB, .of = {a, b}});
}

/* Signs and numbers are taken out of products, where they meet others. */
lwi_term lwi_term_mul(lwi_terms *T, lwi_term a, lwi_term b)
{
  if (a == LWI_TERM_ZERO || b == LWI_TERM_ZERO) return LWI_TERM_ZERO;
  if (a == LWI_TERM_ONE) return b;
  if (b == LWI_TERM_ONE) return a;
  if (is_op(T, a, LWI_OP_NEG)) return lwi_term_neg(T, lwi_term_mul(T, T->term[a].of[0], b));
  if (is_op(T, b, LWI_OP_NEG)) return lwi_term_neg(T, lwi_term_mul(T, a, T->term[b].of[0]));
  if (lwi_term_is_number(T, b) && !lwi_term_is_number(T, a)) return lwi_term_mul(T, b, a);
  if (lwi_term_is_number(T, a)) {
    const double x = lwi_term_number_of(T, a);
    const lwi_term_record r = T->term ? T->term[b] : (lwi_term_record){0};
    if (lwi_term_is_number(T, b)) return lwi_term_number(T, x * lwi_term_number_of(T, b));
    if (x == -1) return lwi_term_neg(T, b);
    if (r.op == LWI_OP_MUL && lwi_term_is_number(T, r.of[0]))
      return lwi_term_mul(T, lwi_term_number(T, x * lwi_term_number_of(T, r.of[0])), r.of[1]);
    if (x < 0) return lwi_term_neg(T, lwi_term_mul(T, lwi_term_number(T, -x), b));
    return keep(T, (lwi_term_record){.op = LWI_OP_MUL, .of = {a, b}});
  }
  return keep(T, (lwi_term_record){.op = LWI_OP_MUL, .of = {a < b ? a : b, a < b ? b : a}});
}

lwi_term lwi_term_scale(lwi_terms *T, double x, lwi_term a)
{
  return lwi_term_mul(T, lwi_term_number(T, x), a);
}

lwi_term lwi_term_div(lwi_terms *T, lwi_term a, lwi_term b)
{
  if (a == LWI_TERM_ZERO || b == LWI_TERM_ONE) return a;
  if (lwi_term_is_number(T, b)) return lwi_term_scale(T, 1 / lwi_term_number_of(T, b), a);
  if (is_op(T, b, LWI_OP_NEG)) return lwi_term_neg(T, lwi_term_div(T, a, T->term[b].of[0]));
  if (is_op(T, a, LWI_OP_NEG)) return lwi_term_neg(T, lwi_term_div(T, T->term[a].of[0], b));
  return keep(T, (lwi_term_record){.op = LWI_OP_DIV, .of = {a, b}});
}

lwi_term lwi_term_sqrt(lwi_terms *T, lwi_term a)
{
  return lwi_term_operation(T, LWI_OP_SQRT, a, 0, 0);
}

lwi_term lwi_term_operation(lwi_terms *T, int op, lwi_term a, lwi_term b, lwi_term c)
{
  switch (op) {
  case LWI_OP_NEG: return lwi_term_neg(T, a);
  case LWI_OP_ADD: return lwi_term_add(T, a, b);
  case LWI_OP_SUB: return lwi_term_sub(T, a, b);
  case LWI_OP_MUL: return lwi_term_mul(T, a, b);
  case LWI_OP_DIV: return lwi_term_div(T, a, b);
  case LWI_OP_DEG: return lwi_term_scale(T, LWI_EXPR_DEG, a);
  case LWI_OP_SQUARE: return lwi_term_mul(T, a, a);
  case LWI_OP_CUBE: return lwi_term_mul(T, a, lwi_term_mul(T, a, a));
  case LWI_OP_SELECT:
    if (b == c) return b;
    if (lwi_term_is_number(T, a)) return lwi_term_number_of(T, a) != 0 ? b : c;
    break;
  default:
    if (op == LWI_OP_SIN && is_op(T, a, LWI_OP_NEG))
      return lwi_term_neg(T, lwi_term_operation(T, op, T->term[a].of[0], 0, 0));
    if (op == LWI_OP_COS && is_op(T, a, LWI_OP_NEG)) a = T->term[a].of[0];
    if (lwi_term_is_number(T, a) && lwi_term_is_number(T, b))
      return lwi_term_number(T, compute(op, lwi_term_number_of(T, a), lwi_term_number_of(T, b), 0));
  }
  return keep(T, (lwi_term_record){.op = op, .of = {a, b, c}});
}

/* ---- all that some terms need ---- */

static int operands(int op)
{
  if (op == LWI_OP_CONSTANT || op == LWI_OP_NAME) return 0;
  return op == LWI_OP_SELECT ? 3 : op >= LWI_OP_FIRST_BINARY ? 2 : 1;
}

static bool *find_needed(const lwi_terms *T, const lwi_term out[], int n)
{
  bool *needed = calloc((size_t)T->n + 1, sizeof *needed);
  if (!needed) return NULL;
  for (int i = 0; i < n; i++)
    needed[out[i]] = true;
  for (int i = T->n - 1; i >= 0; i--)
    for (int k = 0; needed[i] && k < operands(T->term[i].op); k++)
      needed[T->term[i].of[k]] = true;
  return needed;
}

bool lwi_count_terms(const lwi_terms *T, const lwi_term out[], int n, lwi_term_count *count)
{
  bool *needed = find_needed(T, out, n);
  *count = (lwi_term_count){0};
  for (int i = 0; i < T->n && needed; i++) {
    const int op = T->term[i].op;
    if (!needed[i] || operands(op) == 0 || op == LWI_OP_NEG) continue;
    count->additions += op == LWI_OP_ADD || op == LWI_OP_SUB;
    count->multiplications += op == LWI_OP_MUL;
    count->divisions += op == LWI_OP_DIV;
    count->functions +=
        op != LWI_OP_ADD && op != LWI_OP_SUB && op != LWI_OP_MUL && op != LWI_OP_DIV;
  }
  free(needed);
  return needed != NULL;
}

bool lwi_evaluate_terms(const lwi_terms *T, const double input[], const lwi_term out[], int n,
                        double value[])
{
  bool *needed = find_needed(T, out, n);
  double *x = calloc((size_t)T->n + 1, sizeof *x);
  for (int i = 0; i < T->n && needed && x; i++) {
    const lwi_term_record *r = &T->term[i];
    if (!needed[i]) continue;
    x[i] = r->op == LWI_OP_CONSTANT ? r->x
           : r->op == LWI_OP_NAME   ? input[r->of[0]]
                                    : compute(r->op, x[r->of[0]], x[r->of[1]], x[r->of[2]]);
  }
  for (int i = 0; i < n && needed && x; i++)
    value[i] = x[out[i]];
  const bool done = needed && x;
  free(needed);
  free(x);
  return done;
}

/* ---- derivatives ---- */

/* The slope by operand k of an operation of one or two operands, itself v. */
static lwi_term slope(lwi_terms *T, const lwi_term_record *r, lwi_term v, int k)
{
  const lwi_term a = r->of[0], b = r->of[1], one = LWI_TERM_ONE;
#define OP(code, x, y) lwi_term_operation(T, LWI_OP_##code, x, y, 0)
  const lwi_term aa = lwi_term_mul(T, a, a);
  switch (r->op) {
  case LWI_OP_SIN: return OP(COS, a, 0);
  case LWI_OP_COS: return lwi_term_neg(T, OP(SIN, a, 0));
  case LWI_OP_TAN: return lwi_term_add(T, one, lwi_term_mul(T, v, v));
  case LWI_OP_ASIN: return lwi_term_div(T, one, lwi_term_sqrt(T, lwi_term_sub(T, one, aa)));
  case LWI_OP_ACOS:
    return lwi_term_neg(T, lwi_term_div(T, one, lwi_term_sqrt(T, lwi_term_sub(T, one, aa))));
  case LWI_OP_ATAN: return lwi_term_div(T, one, lwi_term_add(T, one, aa));
  case LWI_OP_SINH: return OP(COSH, a, 0);
  case LWI_OP_COSH: return OP(SINH, a, 0);
  case LWI_OP_TANH: return lwi_term_sub(T, one, lwi_term_mul(T, v, v));
  case LWI_OP_EXP: return v;
  case LWI_OP_LOG: return lwi_term_div(T, one, a);
  case LWI_OP_LOG10: return lwi_term_div(T, lwi_term_number(T, 1 / LWI_EXPR_LN10), a);
  case LWI_OP_SQRT: return lwi_term_div(T, lwi_term_number(T, 0.5), v);
  case LWI_OP_ABS: return OP(SIGN, a, 0);
  case LWI_OP_STEP: { /* 30 (a (1 - a))^2 between 0 and 1 */
    const lwi_term s = lwi_term_mul(T, a, lwi_term_sub(T, one, a)),
                   inside = OP(GT, s, LWI_TERM_ZERO);
    return lwi_term_operation(T, LWI_OP_SELECT, inside,
                              lwi_term_scale(T, 30, lwi_term_mul(T, s, s)), 0);
  }
  case LWI_OP_POW:
    if (k == 0) return lwi_term_mul(T, b, OP(POW, a, lwi_term_sub(T, b, one)));
    return lwi_term_mul(T, v, OP(LOG, a, 0));
  case LWI_OP_ATAN2: {
    const lwi_term d = lwi_term_add(T, aa, lwi_term_mul(T, b, b));
    return k == 0 ? lwi_term_div(T, b, d) : lwi_term_neg(T, lwi_term_div(T, a, d));
  }
  case LWI_OP_MIN:
  case LWI_OP_MAX: {
    const lwi_term first =
        lwi_term_operation(T, r->op == LWI_OP_MIN ? LWI_OP_LE : LWI_OP_GE, a, b, 0);
    return k == 0 ? first : lwi_term_sub(T, one, first);
  }
  case LWI_OP_MOD: return k == 0 ? one : lwi_term_neg(T, OP(FLOOR, lwi_term_div(T, a, b), 0));
  case LWI_OP_HYPOT: return lwi_term_div(T, k == 0 ? a : b, v);
  default: return LWI_TERM_ZERO; /* sign, floor, comparisons */
  }
#undef OP
}

static lwi_term derivative_of(lwi_terms *T, lwi_term v, const lwi_term rate[], const lwi_term d[])
{
  const lwi_term_record r = T->term[v];
  const lwi_term *of = r.of;
  switch (r.op) {
  case LWI_OP_CONSTANT: return LWI_TERM_ZERO;
  case LWI_OP_NAME: return rate[of[0]];
  case LWI_OP_NEG: return lwi_term_neg(T, d[of[0]]);
  case LWI_OP_ADD: return lwi_term_add(T, d[of[0]], d[of[1]]);
  case LWI_OP_SUB: return lwi_term_sub(T, d[of[0]], d[of[1]]);
  case LWI_OP_MUL:
    return lwi_term_add(T, lwi_term_mul(T, d[of[0]], of[1]), lwi_term_mul(T, of[0], d[of[1]]));
  case LWI_OP_DIV:
    return lwi_term_div(T, lwi_term_sub(T, d[of[0]], lwi_term_mul(T, v, d[of[1]])), of[1]);
  case LWI_OP_SELECT: return lwi_term_operation(T, LWI_OP_SELECT, of[0], d[of[1]], d[of[2]]);
  default: {
    lwi_term sum = LWI_TERM_ZERO;
    for (int k = 0; k < operands(r.op); k++)
      if (d[of[k]] != LWI_TERM_ZERO)
        sum = lwi_term_add(T, sum, lwi_term_mul(T, slope(T, &r, v, k), d[of[k]]));
    return sum;
  }
  }
}

bool lwi_differentiate(lwi_terms *T, const lwi_term rate[], const lwi_term out[], int n,
                       lwi_term derivative[])
{
  const int before = T->n; /* derivatives are added behind these */
  bool *needed = find_needed(T, out, n);
  lwi_term *d = calloc((size_t)before + 1, sizeof *d);
  for (int i = 0; i < before && needed && d && !T->failed; i++)
    if (needed[i]) d[i] = derivative_of(T, i, rate, d);
  for (int i = 0; i < n && needed && d; i++)
    derivative[i] = d[out[i]];
  const bool done = needed && d && !T->failed;
  free(needed);
  free(d);
  return done;
}
