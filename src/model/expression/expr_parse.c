/* SPDX-License-Identifier: Apache-2.0 */
/* expr_parse.c -- from text to postfix program by Dijkstra's shunting yard: operands go straight to
   the program, operators wait on a stack until something weaker or a parenthesis follows.  There is
   no recursion, so no text can exhaust the stack, and every byte is looked at a bounded number of
   times.

   A parse alternates between two places: where an operand must stand (signs, opening parentheses,
   then a number, a name or pi) and what may follow one (deg, closing parentheses, then an operator,
   a comma or the end).

   No program step is written without at least one byte of text, and no name or constant without a
   byte that separates it from the next; hence the sizes in scratch_new. */
#include "model/expression/expr.h"

#include "base/name_index.h"
#include "base/nearest_name.h"
#include "model/expression/expr_lex.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- what there is to know about functions and operators ---- */

typedef struct {
  const char *name;
  int code, nargument;
} function;

#define FUNCTION1(code, name, ...) {name, LWI_OP_##code, 1},
#define FUNCTION2(code, name, ...) {name, LWI_OP_##code, 2},
static const function operations[] = {
    LWI_EXPR_UNARY(FUNCTION1) LWI_EXPR_BINARY(FUNCTION2) /* operators have the name "" */
};
#undef FUNCTION1
#undef FUNCTION2
enum { NOPERATION = sizeof operations / sizeof operations[0] };

static bool is_variadic(int code)
{
  return code == LWI_OP_MIN || code == LWI_OP_MAX;
}

static const function *find_function(const char *name, size_t length)
{
  for (int i = 0; i < NOPERATION; i++)
    if (strlen(operations[i].name) == length && memcmp(operations[i].name, name, length) == 0)
      return &operations[i];
  return NULL;
}

static const char *nearest_function(const char *name)
{
  const char *names[NOPERATION];
  for (int i = 0; i < NOPERATION; i++)
    names[i] = operations[i].name;
  return lwi_nearest(name, names, NOPERATION);
}

bool lwi_expr_is_reserved(const char *name)
{
  static const char *const words[] = {"t", "pi", "deg"};
  for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
    if (strcmp(name, words[i]) == 0) return true;
  return name[0] && find_function(name, strlen(name));
}

/* How strongly operators bind; 0 is no operator. */
enum { SUM = 1, PRODUCT, SIGN, POWER };

static int binary_operator(char c, int *code)
{
  switch (c) {
  case '+': *code = LWI_OP_ADD; return SUM;
  case '-': *code = LWI_OP_SUB; return SUM;
  case '*': *code = LWI_OP_MUL; return PRODUCT;
  case '/': *code = LWI_OP_DIV; return PRODUCT;
  case '^': *code = LWI_OP_POW; return POWER;
  default: return 0;
  }
}

/* ---- state of a parse ---- */

/* An operator that waits for its right operand, or an open parenthesis. */
typedef struct {
  int strength;             /* 0: a parenthesis */
  int code;                 /* of the operator */
  size_t column;            /* of the operator, the parenthesis or the function's name */
  const function *function; /* of a parenthesis: the function called, or NULL */
  int nargument;            /* ... and its arguments so far */
} waiting;

typedef struct {
  const char *text;
  size_t length;
  lwi_token next; /* not consumed yet */
  waiting stack[LWI_EXPR_MAX_DEPTH];
  int nwaiting;
  int nvalue;     /* on the evaluation stack after the program so far */
  lwi_expr draft; /* arrays in scratch memory; the text of its names is not terminated */
  lwi_name_index names;
  lwi_expr_error error;
} parser;

/* Records a mistake.  Returns false, so that callers can pass it on. */
__attribute__((format(printf, 4, 5))) static bool fail(parser *p, lwi_expr_status status,
                                                       size_t column, const char *format, ...)
{
  va_list args;
  va_start(args, format);
  p->error.status = status;
  p->error.column = column;
  vsnprintf(p->error.text, sizeof p->error.text, format, args);
  va_end(args);
  return false;
}

/* A token as it should appear in a sentence. */
typedef struct {
  char text[64];
} quoted;

static quoted quote(const parser *p, lwi_token token)
{
  enum { MAX_SHOWN = 48 };
  const char *text = p->text + token.column;
  const unsigned char c = (unsigned char)text[0];
  const int shown = token.length > MAX_SHOWN ? MAX_SHOWN : (int)token.length;
  quoted q;
  if (token.length == 1 && (c < 0x20 || c > 0x7e))
    snprintf(q.text, sizeof q.text, "byte 0x%02x", (unsigned)c);
  else
    snprintf(q.text, sizeof q.text, "\"%.*s%s\"", shown, text,
             token.length > MAX_SHOWN ? "..." : "");
  return q;
}

static bool fail_unexpected(parser *p)
{
  return fail(p, LWI_EXPR_SYNTAX, p->next.column, "unexpected %s", quote(p, p->next).text);
}

static lwi_token advance(parser *p)
{
  const lwi_token token = p->next;
  p->next = lwi_expr_token(p->text, p->length, token.column + token.length);
  return token;
}

static bool next_is(const parser *p, char symbol)
{
  return p->next.kind == LWI_TOKEN_SYMBOL && p->text[p->next.column] == symbol;
}

static bool token_is(const parser *p, lwi_token token, const char *word)
{
  return token.kind == LWI_TOKEN_NAME && token.length == strlen(word) &&
         memcmp(p->text + token.column, word, token.length) == 0;
}

static bool push(parser *p, waiting w)
{
  if (p->nwaiting == LWI_EXPR_MAX_DEPTH)
    return fail(p, LWI_EXPR_LIMIT, w.column,
                "nested too deeply: more than %d parentheses, signs and operators are open here",
                LWI_EXPR_MAX_DEPTH);
  p->stack[p->nwaiting++] = w;
  return true;
}

static waiting *innermost(parser *p)
{
  return p->nwaiting ? &p->stack[p->nwaiting - 1] : NULL;
}

/* ---- writing the program ---- */

static void write_op(parser *p, int code, int arg, size_t column)
{
  p->draft.op[p->draft.nop++] = (lwi_expr_op){(uint16_t)code, (uint16_t)column, arg};
}

static bool write_operand(parser *p, int code, int arg, size_t column)
{
  if (++p->nvalue > p->draft.nstack) p->draft.nstack = p->nvalue;
  if (p->nvalue > LWI_EXPR_MAX_STACK)
    return fail(p, LWI_EXPR_LIMIT, column, "more than %d intermediate values are open here",
                LWI_EXPR_MAX_STACK);
  write_op(p, code, arg, column);
  return true;
}

static bool write_constant(parser *p, double value, size_t column)
{
  p->draft.constant[p->draft.nconstant] = value;
  return write_operand(p, LWI_OP_CONSTANT, p->draft.nconstant++, column);
}

static bool write_name(parser *p, lwi_token token)
{
  const char *text = p->text + token.column;
  const int id = lwi_name_add(&p->names, text, token.length);
  if (id < 0) return fail(p, LWI_EXPR_MEMORY, token.column, "out of memory");
  if (id == p->draft.nname)
    p->draft.name[p->draft.nname++] = (lwi_expr_name){
        .text = text, .length = (int)token.length, .column = (int)token.column, .slot = -1};
  return write_operand(p, LWI_OP_NAME, id, token.column);
}

/* x^2 and x^3 are what models are full of: products are faster than pow, and lanes can do them.
   An exponent that ends in a constant is that constant. */
static bool write_small_power(parser *p, size_t column)
{
  lwi_expr *e = &p->draft;
  if (e->op[e->nop - 1].code != LWI_OP_CONSTANT) return false;
  const double exponent = e->constant[e->nconstant - 1];
  if (exponent != 2.0 && exponent != 3.0) return false;
  e->nop--;
  e->nconstant--;
  write_op(p, exponent == 2.0 ? LWI_OP_SQUARE : LWI_OP_CUBE, 0, column);
  return true;
}

static void write_operation(parser *p, int code, size_t column)
{
  if (code >= LWI_OP_FIRST_BINARY) p->nvalue--;
  if (code == LWI_OP_POW && write_small_power(p, column)) return;
  write_op(p, code, 0, column);
}

/* Writes the operators, innermost first, that bind their left operand at least this strongly. */
static void write_waiting(parser *p, int strength)
{
  const waiting *w = innermost(p);
  while (w && w->strength && w->strength >= strength) {
    write_operation(p, w->code, w->column);
    p->nwaiting--;
    w = innermost(p);
  }
}

/* ---- where an operand must stand ---- */

static bool fail_arguments(parser *p, const waiting *call, int got)
{
  const function *f = call->function;
  return fail(p, LWI_EXPR_SYNTAX, call->column, "\"%s\" takes %d %s%s, got %d", f->name,
              f->nargument, is_variadic(f->code) ? "or more " : "",
              f->nargument == 1 ? "argument" : "arguments", got);
}

static bool fail_unknown_function(parser *p, lwi_token name)
{
  const quoted q = quote(p, name);
  char word[sizeof q.text] = "";
  memcpy(word, q.text + 1, strlen(q.text) - 2);
  const char *near = nearest_function(word);
  if (!near) return fail(p, LWI_EXPR_SYNTAX, name.column, "unknown function %s", q.text);
  return fail(p, LWI_EXPR_SYNTAX, name.column, "unknown function %s, did you mean \"%s\"?", q.text,
              near);
}

/* The name of a function and its opening parenthesis. */
static bool open_call(parser *p)
{
  const lwi_token name = advance(p);
  const function *f = find_function(p->text + name.column, name.length);
  if (!f) return fail_unknown_function(p, name);
  const waiting call = {.column = name.column, .function = f, .nargument = 1};
  advance(p);
  if (next_is(p, ')')) return fail_arguments(p, &call, 0);
  return push(p, call);
}

/* A name: of a function, of the constant pi, or one to be resolved later. */
static bool parse_name(parser *p)
{
  const lwi_token name = advance(p);
  const function *f = find_function(p->text + name.column, name.length);
  if (f)
    return fail(p, LWI_EXPR_SYNTAX, name.column, "\"%s\" is a function: write %s(...)", f->name,
                f->name);
  if (token_is(p, name, "deg"))
    return fail(p, LWI_EXPR_SYNTAX, name.column,
                "\"deg\" must follow a number, a name or a parenthesis");
  if (token_is(p, name, "pi")) return write_constant(p, LWI_EXPR_PI, name.column);
  return write_name(p, name);
}

static bool parse_number(parser *p)
{
  const lwi_token number = advance(p);
  if (!isfinite(number.number))
    return fail(p, LWI_EXPR_SYNTAX, number.column, "number %s is too large", quote(p, number).text);
  return write_constant(p, number.number, number.column);
}

/* A name followed by an opening parenthesis, both not consumed yet. */
static bool call_follows(const parser *p)
{
  if (p->next.kind != LWI_TOKEN_NAME) return false;
  const lwi_token after = lwi_expr_token(p->text, p->length, p->next.column + p->next.length);
  return after.kind == LWI_TOKEN_SYMBOL && p->text[after.column] == '(';
}

/* Signs and opening parentheses before an operand. */
static bool parse_prefixes(parser *p)
{
  for (bool ok = true;;) {
    if (call_follows(p))
      ok = open_call(p);
    else if (next_is(p, '('))
      ok = push(p, (waiting){.column = advance(p).column});
    else if (next_is(p, '-'))
      ok = push(p, (waiting){.strength = SIGN, .code = LWI_OP_NEG, .column = advance(p).column});
    else if (next_is(p, '+'))
      advance(p);
    else
      return true;
    if (!ok) return false;
  }
}

static bool parse_operand(parser *p)
{
  if (!parse_prefixes(p)) return false;
  switch (p->next.kind) {
  case LWI_TOKEN_NUMBER: return parse_number(p);
  case LWI_TOKEN_NAME: return parse_name(p);
  case LWI_TOKEN_SYMBOL: return fail_unexpected(p);
  case LWI_TOKEN_END: break;
  }
  return fail(p, LWI_EXPR_SYNTAX, p->next.column,
              p->draft.nop || p->nwaiting ? "a value is missing at the end"
                                          : "the expression is empty");
}

/* ---- what may follow an operand ---- */

static void parse_deg(parser *p)
{
  if (token_is(p, p->next, "deg")) write_operation(p, LWI_OP_DEG, advance(p).column);
}

/* The end of an argument, if a call is what is open.  min(a, b, c) is min(min(a, b), c). */
static void end_argument(parser *p)
{
  const waiting *call = innermost(p);
  if (call && call->function && is_variadic(call->function->code) && call->nargument > 1)
    write_operation(p, call->function->code, call->column);
}

static bool close_parenthesis(parser *p)
{
  write_waiting(p, SUM);
  const waiting *open = innermost(p);
  if (!open) return fail_unexpected(p);
  end_argument(p);

  const function *f = open->function;
  const bool variadic = f && is_variadic(f->code);
  if (f && (variadic ? open->nargument < f->nargument : open->nargument != f->nargument))
    return fail_arguments(p, open, open->nargument);
  if (f && !variadic) write_operation(p, f->code, open->column);
  p->nwaiting--;
  advance(p);
  return true;
}

static bool parse_comma(parser *p)
{
  write_waiting(p, SUM);
  waiting *call = innermost(p);
  if (!call || !call->function) return fail_unexpected(p);
  end_argument(p);
  call->nargument++;
  advance(p);
  return true;
}

static bool parse_operator(parser *p)
{
  int code = 0;
  const int strength =
      p->next.kind == LWI_TOKEN_SYMBOL ? binary_operator(p->text[p->next.column], &code) : 0;
  if (strength == 0 && (p->next.kind != LWI_TOKEN_SYMBOL || next_is(p, '(')))
    return fail(p, LWI_EXPR_SYNTAX, p->next.column, "missing operator before %s",
                quote(p, p->next).text);
  if (strength == 0) return fail_unexpected(p);
  /* equals wait for each other only in a tower of powers */
  write_waiting(p, strength == POWER ? POWER + 1 : strength);
  return push(p, (waiting){.strength = strength, .code = code, .column = advance(p).column});
}

/* After an operand, up to where the next one must stand; sets *done at the end of the text. */
static bool parse_after_operand(parser *p, bool *done)
{
  parse_deg(p);
  while (next_is(p, ')')) {
    if (!close_parenthesis(p)) return false;
    parse_deg(p);
  }
  if (next_is(p, ',')) return parse_comma(p);
  if (p->next.kind != LWI_TOKEN_END) return parse_operator(p);

  write_waiting(p, SUM);
  if (innermost(p))
    return fail(p, LWI_EXPR_SYNTAX, innermost(p)->column, "\"%s(\" is not closed",
                innermost(p)->function ? innermost(p)->function->name : "");
  *done = true;
  return true;
}

static bool parse_all(parser *p)
{
  p->next = lwi_expr_token(p->text, p->length, 0);
  for (bool done = false; !done;)
    if (!parse_operand(p) || !parse_after_operand(p, &done)) return false;
  return true;
}

/* ---- memory ---- */

static void *scratch_new(lwi_expr *draft, size_t length)
{
  const size_t nop = length + 1, noperand = length / 2 + 1;
  char *scratch =
      malloc(noperand * (sizeof *draft->constant + sizeof *draft->name) + nop * sizeof *draft->op);
  if (!scratch) return NULL;
  draft->constant = (double *)(void *)scratch;
  draft->name = (lwi_expr_name *)(void *)(draft->constant + noperand);
  draft->op = (lwi_expr_op *)(void *)(draft->name + noperand);
  return scratch;
}

/* ---- the face ---- */

static bool parse_to(parser *p, lwi_expr *out)
{
  if (p->length > LWI_EXPR_MAX_LENGTH)
    return fail(p, LWI_EXPR_LIMIT, LWI_EXPR_MAX_LENGTH,
                "expression of %zu bytes, at most %d are read", p->length, LWI_EXPR_MAX_LENGTH);
  void *scratch = scratch_new(&p->draft, p->length), *block = NULL;
  bool ok = scratch ? parse_all(p) : fail(p, LWI_EXPR_MEMORY, 0, "out of memory");
  if (ok) {
    block = malloc(lwi_expr_size(&p->draft));
    if (block)
      *out = lwi_expr_copy_to(&p->draft, block);
    else
      ok = fail(p, LWI_EXPR_MEMORY, 0, "out of memory");
  }
  free(scratch);
  lwi_name_index_free(&p->names);
  return ok;
}

lwi_expr_status lwi_expr_parse(const char *text, size_t length, lwi_expr *out, lwi_expr_error *err)
{
  parser p = {.text = text, .length = length};
  *out = (lwi_expr){0};
  parse_to(&p, out);
  if (err) *err = p.error;
  return p.error.status;
}
