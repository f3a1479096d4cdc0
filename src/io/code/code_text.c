/* SPDX-License-Identifier: Apache-2.0 */
/* code_text.c -- terms as C (code_text.h). */
#include "io/code/code_text.h"
#include "base/number_text.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DEEPEST = 5 }; /* operations within one expression, one inside the other */

/* ---- text ---- */

void lwi_code_text_free(lwi_code_text *c)
{
  free(c->text);
  *c = (lwi_code_text){0};
}

static bool has_space(lwi_code_text *c, size_t n)
{
  if (c->full) return false;
  if (c->length + n < c->capacity) return true;
  const size_t capacity = 2 * (c->length + n) + 4096;
  char *more = realloc(c->text, capacity);
  if (!more) return c->full = true, false;
  c->text = more;
  c->capacity = capacity;
  return true;
}

void lwi_code_add(lwi_code_text *c, const char *format, ...)
{
  va_list list;
  va_start(list, format);
  const int n = vsnprintf(NULL, 0, format, list);
  va_end(list);
  if (n < 0 || !has_space(c, (size_t)n + 1)) return;
  va_start(list, format);
  vsnprintf(c->text + c->length, (size_t)n + 1, format, list);
  va_end(list);
  c->length += (size_t)n;
}

void lwi_code_number(lwi_code_text *c, double x)
{
  char text[LWI_NUMBER_TEXT + 4];
  char *end = lwi_put_number(text, c->single ? (double)(float)x : x);
  const bool whole = memchr(text, '.', (size_t)(end - text)) == NULL &&
                     memchr(text, 'e', (size_t)(end - text)) == NULL;
  if (whole) *end++ = '.', *end++ = '0';
  if (c->single) *end++ = 'f';
  *end = 0;
  lwi_code_add(c, "%s", text);
}

/* ---- which terms are statements ---- */

typedef struct {
  const lwi_terms *T;
  int *uses;             /* [n] */
  unsigned char *height; /* [n] operations one inside the other */
  int *name;             /* [n] of the statement; -1: none yet */
  int *order, norder;    /* statements in the order in which they are written */
  const lwi_code_input *in;
  int nin;
} writer;

static int operands(int op)
{
  if (op == LWI_OP_CONSTANT || op == LWI_OP_NAME) return 0;
  return op == LWI_OP_SELECT ? 3 : op >= LWI_OP_FIRST_BINARY ? 2 : 1;
}

static bool is_statement(const writer *w, lwi_term a)
{
  return operands(w->T->term[a].op) > 0 && (w->uses[a] > 1 || w->height[a] >= DEEPEST);
}

/* Heights from below; a statement begins anew. */
static void measure(writer *w)
{
  for (int i = 0; i < w->T->n; i++) {
    const lwi_term_record *r = &w->T->term[i];
    int height = 0;
    for (int k = 0; k < operands(r->op) && w->uses[i] > 0; k++) {
      const lwi_term a = r->of[k];
      if (!is_statement(w, a) && w->height[a] + 1 > height) height = w->height[a] + 1;
    }
    w->height[i] = (unsigned char)(operands(r->op) > 0 && height == 0 ? 1 : height);
  }
}

static void count_uses(writer *w, const lwi_code_output out[], int nout)
{
  for (int k = 0; k < nout; k++)
    for (int i = 0; i < out[k].n; i++)
      w->uses[out[k].term[i]] += 1;
  for (int i = w->T->n - 1; i >= 0; i--)
    for (int k = 0; w->uses[i] > 0 && k < operands(w->T->term[i].op); k++)
      w->uses[w->T->term[i].of[k]]++;
}

/* What a term needs, before itself: depth first, so that what belongs together stands together.
   stack[n] of the list of terms. */
static void put_in_order(writer *w, lwi_term root, int *stack, unsigned char *next)
{
  int depth = 0;
  if (w->name[root] >= 0 || operands(w->T->term[root].op) == 0) return;
  stack[depth++] = root;
  while (depth > 0) {
    const lwi_term a = stack[depth - 1];
    const lwi_term_record *r = &w->T->term[a];
    if (next[a] < operands(r->op)) {
      const lwi_term b = r->of[next[a]++];
      if (w->name[b] < 0 && next[b] == 0 && operands(w->T->term[b].op) > 0) stack[depth++] = b;
      continue;
    }
    depth--;
    if (is_statement(w, a) && w->name[a] < 0) {
      w->name[a] = w->norder;
      w->order[w->norder++] = a;
    }
  }
}

/* ---- one expression ---- */

static const char *function_name(int op)
{
  switch (op) {
#define NAME(code, name, ...)                                                                      \
  case LWI_OP_##code: return name;
    LWI_EXPR_UNARY(NAME)
    LWI_EXPR_BINARY(NAME)
#undef NAME
  default: return "";
  }
}

static const char *operator_of(int op)
{
  switch (op) {
  case LWI_OP_ADD: return " + ";
  case LWI_OP_SUB: return " - ";
  case LWI_OP_MUL: return "*";
  case LWI_OP_DIV: return "/";
  case LWI_OP_LT: return " < ";
  case LWI_OP_LE: return " <= ";
  case LWI_OP_GT: return " > ";
  case LWI_OP_GE: return " >= ";
  case LWI_OP_EQ: return " == ";
  case LWI_OP_NE: return " != ";
  default: return NULL;
  }
}

static void put_term(lwi_code_text *c, const writer *w, lwi_term a);

static void put_input(lwi_code_text *c, const writer *w, int number)
{
  for (int i = 0; i < w->nin; i++) {
    const lwi_code_input *in = &w->in[i];
    if (in->n == 0 && number == in->first) lwi_code_add(c, "%s", in->name);
    if (number >= in->first && number < in->first + in->n)
      lwi_code_add(c, "%s[%d]", in->name, number - in->first);
  }
}

/* in parentheses unless it is a name or a number without sign */
static void put_operand(lwi_code_text *c, const writer *w, lwi_term a, bool sum)
{
  const int op = w->T->term[a].op;
  const bool named = w->name[a] >= 0 || operands(op) == 0;
  const bool bare = (named && !(op == LWI_OP_CONSTANT && w->T->term[a].x < 0)) ||
                    (!named && *function_name(op) && op != LWI_OP_ABS && op != LWI_OP_SIGN) ||
                    (sum && (op == LWI_OP_MUL || op == LWI_OP_DIV));
  if (!bare) lwi_code_add(c, "(");
  put_term(c, w, a);
  if (!bare) lwi_code_add(c, ")");
}

static void put_call(lwi_code_text *c, const writer *w, const lwi_term_record *r)
{
  static const struct {
    int op;
    const char *name;
  } own[] = {{LWI_OP_ABS, "fabs"},   {LWI_OP_MIN, "fmin"},      {LWI_OP_MAX, "fmax"},
             {LWI_OP_MOD, "lw_mod"}, {LWI_OP_SIGN, "lw_sign"},  {LWI_OP_STEP, "lw_step"},
             {LWI_OP_NOT, "lw_not"}, {LWI_OP_TRUTH, "lw_truth"}};
  const char *name = function_name(r->op);
  bool library = true;
  for (size_t i = 0; i < sizeof own / sizeof *own; i++)
    if (own[i].op == r->op) name = own[i].name, library = i < 3;
  lwi_code_add(c, "%s%s(", name, library && c->single ? "f" : "");
  for (int k = 0; k < operands(r->op); k++) {
    if (k > 0) lwi_code_add(c, ", ");
    put_term(c, w, r->of[k]);
  }
  lwi_code_add(c, ")");
}

/* The operation itself. */
static void put_operation(lwi_code_text *c, const writer *w, lwi_term a)
{
  const lwi_term_record *r = &w->T->term[a];
  const char *sign = operator_of(r->op);
  if (r->op == LWI_OP_NEG) {
    lwi_code_add(c, "-");
    put_operand(c, w, r->of[0], false);
  } else if (r->op == LWI_OP_SELECT) {
    put_operand(c, w, r->of[0], false);
    lwi_code_add(c, " != 0 ? ");
    put_operand(c, w, r->of[1], false);
    lwi_code_add(c, " : ");
    put_operand(c, w, r->of[2], false);
  } else if (sign) {
    const bool sum = r->op == LWI_OP_ADD || r->op == LWI_OP_SUB;
    put_operand(c, w, r->of[0], sum || r->op == LWI_OP_MUL);
    lwi_code_add(c, "%s", sign);
    put_operand(c, w, r->of[1], sum);
  } else {
    put_call(c, w, r);
  }
}

static void put_term(lwi_code_text *c, const writer *w, lwi_term a)
{
  const lwi_term_record *r = &w->T->term[a];
  if (w->name[a] >= 0)
    lwi_code_add(c, "x%d", w->name[a]);
  else if (r->op == LWI_OP_CONSTANT)
    lwi_code_number(c, r->x);
  else if (r->op == LWI_OP_NAME)
    put_input(c, w, r->of[0]);
  else
    put_operation(c, w, a);
}

/* ---- a function ---- */

static void put_statements(lwi_code_text *c, writer *w, const lwi_code_output out[], int nout)
{
  for (int i = 0; i < w->norder; i++) {
    const lwi_term a = w->order[i];
    lwi_code_add(c, "  const real x%d = ", i);
    put_operation(c, w, a);
    lwi_code_add(c, ";\n");
  }
  for (int k = 0; k < nout; k++) /* all of it is read before anything is written */
    for (int i = 0; i < out[k].n; i++) {
      const lwi_term a = out[k].term[i];
      if (w->name[a] >= 0 || w->T->term[a].op == LWI_OP_CONSTANT) continue;
      lwi_code_add(c, "  const real y%d_%d = ", k, i);
      put_term(c, w, a);
      lwi_code_add(c, ";\n");
    }
  for (int k = 0; k < nout; k++)
    for (int i = 0; i < out[k].n; i++) {
      const lwi_term a = out[k].term[i];
      lwi_code_add(c, "  %s[%d] = ", out[k].name, i);
      if (w->name[a] >= 0 || w->T->term[a].op == LWI_OP_CONSTANT)
        put_term(c, w, a);
      else
        lwi_code_add(c, "y%d_%d", k, i);
      lwi_code_add(c, ";\n");
    }
}

void lwi_code_body(lwi_code_text *c, const lwi_terms *T, const lwi_code_input in[], int nin,
                   const lwi_code_output out[], int nout)
{
  const size_t n = (size_t)T->n;
  writer w = {.T = T, .in = in, .nin = nin};
  w.uses = calloc(n + 1, sizeof *w.uses);
  w.height = calloc(n + 1, 1);
  w.name = malloc((n + 1) * sizeof *w.name);
  w.order = malloc((n + 1) * sizeof *w.order);
  int *stack = malloc((n + 1) * sizeof *stack);
  unsigned char *next = calloc(n + 1, 1);
  if (!w.uses || !w.height || !w.name || !w.order || !stack || !next) {
    c->full = true;
  } else {
    memset(w.name, -1, (n + 1) * sizeof *w.name);
    count_uses(&w, out, nout);
    measure(&w);
    for (int k = 0; k < nout; k++)
      for (int i = 0; i < out[k].n; i++)
        put_in_order(&w, out[k].term[i], stack, next);
    put_statements(c, &w, out, nout);
  }
  free(w.uses);
  free(w.height);
  free(w.name);
  free(w.order);
  free(stack);
  free(next);
}
