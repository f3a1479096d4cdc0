/* SPDX-License-Identifier: Apache-2.0 */
/* expr_parse.c -- from text to postfix program by Dijkstra's shunting yard: operands go straight to
   the program, operators wait on a stack until something weaker or a parenthesis follows.  There is
   no recursion, so no text can exhaust the stack, and every byte is looked at a bounded number of
   times.

   A parse alternates between two places: where an operand is expected (signs, not, opening
   parentheses, then a number, a name or pi) and what may follow one (a unit, closing parentheses,
   then an operator, a comma or the end). */
#include "model/expression/expr_parser.h"
#include "model/expression/units.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* How strongly operators bind; 0 is no operator. */
enum { OR = 1, AND, NOT, COMPARISON, SUM, PRODUCT, SIGN, POWER };
enum { CODE_OR = LWI_OP_DROP + 1, CODE_AND }; /* operators of several steps */

typedef struct {
  const char *text;
  int strength, code;
} binary_operator;

static const binary_operator operators[] = {
    {"or", OR, CODE_OR},           {"and", AND, CODE_AND},        {"<", COMPARISON, LWI_OP_LT},
    {"<=", COMPARISON, LWI_OP_LE}, {">", COMPARISON, LWI_OP_GT},  {">=", COMPARISON, LWI_OP_GE},
    {"==", COMPARISON, LWI_OP_EQ}, {"!=", COMPARISON, LWI_OP_NE}, {"+", SUM, LWI_OP_ADD},
    {"-", SUM, LWI_OP_SUB},        {"*", PRODUCT, LWI_OP_MUL},    {"/", PRODUCT, LWI_OP_DIV},
    {"^", POWER, LWI_OP_POW},
};

/* ---- tokens ---- */

/* A token as it should appear in a sentence. */
typedef struct {
  char text[64];
} quoted;

static quoted quote(const lwi_parser *p, lwi_token token)
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

static bool fail_unexpected(lwi_parser *p)
{
  const char c = p->text[p->next.column];
  if (c == '"' || c == '\'')
    return lwi_parser_fail(p, LWI_EXPR_SYNTAX, p->next.column, "the quote %c is not closed", c);
  return lwi_parser_fail(p, LWI_EXPR_SYNTAX, p->next.column, "unexpected %s",
                         quote(p, p->next).text);
}

static lwi_token advance(lwi_parser *p)
{
  const lwi_token token = p->next;
  p->next = lwi_expr_token(p->text, p->length, token.column + token.length);
  return token;
}

static bool next_is(const lwi_parser *p, char symbol)
{
  return p->next.kind == LWI_TOKEN_SYMBOL && p->text[p->next.column] == symbol;
}

static bool token_is(const lwi_parser *p, lwi_token token, const char *word)
{
  return token.kind == LWI_TOKEN_NAME && token.length == strlen(word) &&
         memcmp(p->text + token.column, word, token.length) == 0;
}

static bool push(lwi_parser *p, lwi_waiting w)
{
  if (p->nwaiting == LWI_EXPR_MAX_DEPTH)
    return lwi_parser_fail(
        p, LWI_EXPR_LIMIT, w.column,
        "nested too deeply: more than %d parentheses, signs and operators are open here",
        LWI_EXPR_MAX_DEPTH);
  p->stack[p->nwaiting++] = w;
  return true;
}

static lwi_waiting *innermost(lwi_parser *p)
{
  return p->nwaiting ? &p->stack[p->nwaiting - 1] : NULL;
}

/* Writes the operators, innermost first, that bind their left operand at least this strongly. */
static bool write_waiting(lwi_parser *p, int strength)
{
  const lwi_waiting *w = innermost(p);
  while (w && w->strength && w->strength >= strength) {
    if (!(w->code == CODE_OR    ? lwi_write_or(p, w->column)
          : w->code == CODE_AND ? lwi_write_and(p, w->column)
                                : lwi_write_operation(p, w->code, w->column)))
      return false;
    p->nwaiting--;
    w = innermost(p);
  }
  return true;
}

/* ---- where an operand is expected ---- */

static bool fail_arguments(lwi_parser *p, const lwi_waiting *call, int got)
{
  const lwi_callee *f = &call->callee;
  return lwi_parser_fail(p, LWI_EXPR_SYNTAX, call->column, "\"%.64s\" takes %d %s%s, got %d",
                         f->name, f->nargument, lwi_callee_is_variadic(f) ? "or more " : "",
                         f->nargument == 1 ? "argument" : "arguments", got);
}

/* The name of a function and its opening parenthesis. */
static bool open_call(lwi_parser *p)
{
  const lwi_token token = advance(p);
  const lwi_plain_name name = lwi_parser_name(p, token);
  lwi_waiting call = {.column = token.column, .nargument = 1};
  if (!name.text) return false;
  if (!lwi_callee_find(p->library, name.text, name.length, &call.callee))
    return lwi_callee_unknown(p, token.column, name);
  advance(p);
  if (next_is(p, ')')) return fail_arguments(p, &call, 0);
  return push(p, call);
}

/* The place of an argument of the function whose value this is, or -1. */
static int find_argument(const lwi_parser *p, lwi_plain_name name)
{
  for (int i = 0; i < p->nown; i++)
    if (strlen(p->own[i]) == name.length && memcmp(p->own[i], name.text, name.length) == 0)
      return i;
  return -1;
}

/* A name: of a function, an argument, the constant pi, or one to be resolved later. */
static bool parse_name(lwi_parser *p)
{
  const lwi_token name = advance(p);
  const lwi_plain_name plain = lwi_parser_name(p, name);
  if (!plain.text) return false;
  const int argument = find_argument(p, plain);
  lwi_callee f;
  if (argument >= 0) return lwi_write_argument(p, argument, name.column);
  if (name.quoted) return lwi_write_name(p, plain.text, plain.length, name.column);
  if (lwi_callee_find(NULL, plain.text, name.length, &f) && f.reserved)
    return lwi_parser_fail(p, LWI_EXPR_SYNTAX, name.column, "\"%s\" is a function: write %s(...)",
                           f.name, f.name);
  if (token_is(p, name, "deg"))
    return lwi_parser_fail(p, LWI_EXPR_SYNTAX, name.column,
                           "\"deg\" must follow a number, a name or a parenthesis");
  if (token_is(p, name, "and") || token_is(p, name, "or"))
    return lwi_parser_fail(p, LWI_EXPR_SYNTAX, name.column, "a value is missing before %s",
                           quote(p, name).text);
  if (token_is(p, name, "pi"))
    return lwi_write_constant(p, LWI_EXPR_PI, (lwi_dimension){0}, name.column);
  return lwi_write_name(p, plain.text, plain.length, name.column);
}

/* ---- units ---- */

/* The unit that comes next, after a number or parenthesis; consumed. */
static bool take_unit(lwi_parser *p, lwi_unit *u)
{
  if (p->next.kind != LWI_TOKEN_NAME) return false;
  lwi_unit found;
  const size_t at = p->next.column, length = lwi_unit_read(p->text + at, p->length - at, &found);
  if (length == 0) return false;
  *u = found;
  p->next = lwi_expr_token(p->text, p->length, at + length);
  return true;
}

static bool is_degrees(const lwi_parser *p, lwi_token token)
{
  if (!token_is(p, token, "deg")) return false;
  lwi_unit u;
  return lwi_unit_read(p->text + token.column, p->length - token.column, &u) == 3;
}

static bool parse_number(lwi_parser *p)
{
  const lwi_token number = advance(p);
  if (!isfinite(number.number))
    return lwi_parser_fail(p, LWI_EXPR_SYNTAX, number.column, "number %s is too large",
                           quote(p, number).text);
  lwi_unit u = {0};
  double x = number.number;
  if (!is_degrees(p, p->next) && take_unit(p, &u)) x = lwi_unit_convert(&u, x);
  if (!isfinite(x))
    return lwi_parser_fail(p, LWI_EXPR_SYNTAX, number.column, "number %s is too large in SI units",
                           quote(p, number).text);
  return lwi_write_constant(p, x, u.dimension, number.column);
}

/* after a parenthesis: its value times that of the unit */
static bool parse_unit(lwi_parser *p)
{
  lwi_unit u;
  const size_t column = p->next.column;
  if (is_degrees(p, p->next)) {
    advance(p);
    return lwi_write_operation(p, LWI_OP_DEG, column);
  }
  if (!take_unit(p, &u)) return true;
  return lwi_write_reserve(p, 2, 1) &&
         lwi_write_constant(p, lwi_unit_convert(&u, 1), u.dimension, column) &&
         lwi_write_operation(p, LWI_OP_MUL, column);
}

/* ---- prefixes ---- */

/* A name followed by an opening parenthesis, both not consumed yet. */
static bool call_follows(const lwi_parser *p)
{
  if (p->next.kind != LWI_TOKEN_NAME) return false;
  const lwi_token after = lwi_expr_token(p->text, p->length, p->next.column + p->next.length);
  return after.kind == LWI_TOKEN_SYMBOL && p->text[after.column] == '(';
}

/* Signs, not and opening parentheses before an operand. */
static bool parse_prefixes(lwi_parser *p)
{
  for (bool ok = true;;) {
    if (token_is(p, p->next, "not"))
      ok = push(p, (lwi_waiting){.strength = NOT, .code = LWI_OP_NOT, .column = advance(p).column});
    else if (call_follows(p))
      ok = open_call(p);
    else if (next_is(p, '('))
      ok = push(p, (lwi_waiting){.column = advance(p).column});
    else if (next_is(p, '-'))
      ok =
          push(p, (lwi_waiting){.strength = SIGN, .code = LWI_OP_NEG, .column = advance(p).column});
    else if (next_is(p, '+'))
      advance(p);
    else
      return true;
    if (!ok) return false;
  }
}

static bool parse_operand(lwi_parser *p)
{
  if (!parse_prefixes(p)) return false;
  switch (p->next.kind) {
  case LWI_TOKEN_NUMBER: return parse_number(p);
  case LWI_TOKEN_NAME: return parse_name(p);
  case LWI_TOKEN_SYMBOL: return fail_unexpected(p);
  case LWI_TOKEN_END: break;
  }
  return lwi_parser_fail(p, LWI_EXPR_SYNTAX, p->next.column,
                         p->draft.nop || p->nwaiting ? "a value is missing at the end"
                                                     : "the expression is empty");
}

/* ---- what may follow an operand ---- */

/* The end of an argument, if a call is what is open.  min(a, b, c) is min(min(a, b), c), and
   clamp(x, a, b) is min(max(x, a), b). */
static bool end_argument(lwi_parser *p)
{
  const lwi_waiting *call = innermost(p);
  if (!call || !call->callee.name || call->nargument < 2) return true;
  if (lwi_callee_is_variadic(&call->callee))
    return lwi_write_operation(p, call->callee.code, call->column);
  if (call->callee.code == LWI_CALL_CLAMP && call->nargument <= 3)
    return lwi_write_operation(p, call->nargument == 2 ? LWI_OP_MAX : LWI_OP_MIN, call->column);
  return true;
}

static bool close_parenthesis(lwi_parser *p)
{
  if (!write_waiting(p, OR)) return false;
  const lwi_waiting open = p->nwaiting ? *innermost(p) : (lwi_waiting){0};
  if (!innermost(p)) return fail_unexpected(p);
  if (!end_argument(p)) return false;

  const lwi_callee *f = &open.callee;
  const bool variadic = f->name && lwi_callee_is_variadic(f);
  if (f->name && (variadic ? open.nargument < f->nargument : open.nargument != f->nargument))
    return fail_arguments(p, &open, open.nargument);
  const bool written = variadic || f->code == LWI_CALL_CLAMP;
  if (f->name && !written && !lwi_write_call(p, f, open.column)) return false;
  p->nwaiting--;
  advance(p);
  return true;
}

static bool parse_comma(lwi_parser *p)
{
  if (!write_waiting(p, OR)) return false;
  lwi_waiting *call = innermost(p);
  if (!call || !call->callee.name) return fail_unexpected(p);
  if (!end_argument(p)) return false;
  call->nargument++;
  advance(p);
  return true;
}

static const binary_operator *find_operator(const lwi_parser *p)
{
  for (size_t i = 0; i < sizeof operators / sizeof operators[0]; i++)
    if (p->next.length == strlen(operators[i].text) &&
        memcmp(p->text + p->next.column, operators[i].text, p->next.length) == 0)
      return &operators[i];
  return NULL;
}

/* What is found where an operator is expected. */
static bool fail_operator(lwi_parser *p)
{
  const quoted q = quote(p, p->next);
  if (next_is(p, '='))
    return lwi_parser_fail(p, LWI_EXPR_SYNTAX, p->next.column,
                           "unexpected %s: equality is written ==", q.text);
  if (p->next.kind == LWI_TOKEN_SYMBOL && !next_is(p, '(')) return fail_unexpected(p);
  const lwi_expr_op *last = &p->draft.op[p->draft.nop - 1];
  const bool unit = p->next.kind == LWI_TOKEN_NAME && last->code == LWI_OP_CONSTANT;
  return lwi_parser_fail(p, LWI_EXPR_SYNTAX, p->next.column, "missing operator before %s%s", q.text,
                         unit ? ", which is no unit" : "");
}

static bool parse_operator(lwi_parser *p)
{
  const binary_operator *o = find_operator(p);
  if (!o) return fail_operator(p);
  /* equals wait for each other only in a tower of powers */
  const int equals = o->strength == POWER || o->strength == COMPARISON;
  if (!write_waiting(p, o->strength + equals)) return false;
  const lwi_waiting w = {o->strength, o->code, advance(p).column, {0}, 0};
  if (o->strength == COMPARISON && innermost(p) && innermost(p)->strength == COMPARISON)
    return lwi_parser_fail(p, LWI_EXPR_SYNTAX, w.column,
                           "comparisons do not chain: write a < b and b < c");
  if (o->code == CODE_OR &&
      !(lwi_write_reserve(p, 3, 1) && lwi_write_constant(p, 1, (lwi_dimension){0}, w.column)))
    return false;
  return push(p, w);
}

/* After an operand, up to where the next one is expected; sets *done at the end of the text. */
static bool parse_after_operand(lwi_parser *p, bool *done)
{
  if (token_is(p, p->next, "deg") && !lwi_write_operation(p, LWI_OP_DEG, advance(p).column))
    return false;
  while (next_is(p, ')'))
    if (!close_parenthesis(p) || !parse_unit(p)) return false;
  if (next_is(p, ',')) return parse_comma(p);
  if (p->next.kind != LWI_TOKEN_END) return parse_operator(p);

  if (!write_waiting(p, OR)) return false;
  if (innermost(p))
    return lwi_parser_fail(p, LWI_EXPR_SYNTAX, innermost(p)->column, "\"%.64s(\" is not closed",
                           innermost(p)->callee.name ? innermost(p)->callee.name : "");
  *done = true;
  return true;
}

static bool parse_all(lwi_parser *p)
{
  p->next = lwi_expr_token(p->text, p->length, 0);
  for (bool done = false; !done;)
    if (!parse_operand(p) || !parse_after_operand(p, &done)) return false;
  return true;
}

/* ---- the face ---- */

static bool parse_to(lwi_parser *p, lwi_expr *out)
{
  if (p->length > LWI_EXPR_MAX_LENGTH)
    return lwi_parser_fail(p, LWI_EXPR_LIMIT, LWI_EXPR_MAX_LENGTH,
                           "expression of %zu bytes, at most %d are read", p->length,
                           LWI_EXPR_MAX_LENGTH);
  void *block = NULL;
  bool ok = lwi_write_reserve(p, 0, 0) && parse_all(p);
  if (ok) {
    block = malloc(lwi_expr_size(&p->draft));
    if (block)
      *out = lwi_expr_copy_to(&p->draft, block);
    else
      ok = lwi_parser_fail(p, LWI_EXPR_MEMORY, 0, "out of memory");
  }
  free(p->scratch);
  free(p->unquoted);
  lwi_name_index_free(&p->names);
  return ok;
}

lwi_expr_status lwi_expr_parse_function(const char *text, size_t length, int nargument,
                                        const char *const argument[], const lwi_library *library,
                                        lwi_expr *out, lwi_expr_error *err)
{
  lwi_parser p = {.text = text,
                  .length = length,
                  .library = library,
                  .nown = nargument,
                  .own = argument,
                  .nvalue = nargument,
                  .draft.nstack = nargument};
  *out = (lwi_expr){0};
  parse_to(&p, out);
  if (err) *err = p.error;
  return p.error.status;
}

lwi_expr_status lwi_expr_parse_with(const char *text, size_t length, const lwi_library *library,
                                    lwi_expr *out, lwi_expr_error *err)
{
  return lwi_expr_parse_function(text, length, 0, NULL, library, out, err);
}

lwi_expr_status lwi_expr_parse(const char *text, size_t length, lwi_expr *out, lwi_expr_error *err)
{
  return lwi_expr_parse_with(text, length, NULL, out, err);
}
