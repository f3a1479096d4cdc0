/* SPDX-License-Identifier: Apache-2.0 */
/* expr_functions.c -- which functions expressions may call: those of expr_ops.h, those made of
   several operations, and those of the model. */
#include "model/expression/expr_parser.h"

#include "base/nearest_name.h"

#include <stdio.h>
#include <string.h>

#define FUNCTION1(code, name, ...) {name, LWI_OP_##code, 1, LWI_OP_##code < LWI_OP_FLOOR, NULL},
#define FUNCTION2(code, name, ...) {name, LWI_OP_##code, 2, LWI_OP_##code < LWI_OP_MOD, NULL},
static const lwi_callee functions[] = {
    LWI_EXPR_UNARY(FUNCTION1) LWI_EXPR_BINARY(FUNCTION2) /* operators have the name "" */
    {"if", LWI_OP_SELECT, 3, false, NULL},
    {"step", LWI_CALL_STEP, 3, false, NULL},
    {"clamp", LWI_CALL_CLAMP, 3, false, NULL},
};
#undef FUNCTION1
#undef FUNCTION2
enum { NFUNCTION = sizeof functions / sizeof functions[0] };

bool lwi_callee_is_variadic(const lwi_callee *f)
{
  return f->code == LWI_OP_MIN || f->code == LWI_OP_MAX;
}

static const lwi_callee *find_known(const char *name, size_t length)
{
  for (int i = 0; i < NFUNCTION && length > 0; i++)
    if (strlen(functions[i].name) == length && memcmp(functions[i].name, name, length) == 0)
      return &functions[i];
  return NULL;
}

bool lwi_callee_find(const lwi_library *library, const char *name, size_t length, lwi_callee *out)
{
  const lwi_callee *known = find_known(name, length);
  const lwi_definition *own = known ? NULL : lwi_library_find(library, name, length);
  if (known) *out = *known;
  if (own) *out = (lwi_callee){own->name, LWI_CALL_OWN, own->nargument, false, own};
  return known || own;
}

const char *lwi_callee_nearest(const lwi_library *library, const char *name)
{
  enum { MOST = NFUNCTION + 256 }; /* a hint: not all of a large library */
  const char *names[MOST];
  int n = 0;
  for (; n < NFUNCTION; n++)
    names[n] = functions[n].name;
  for (; library && n < MOST; library = lwi_library_before(library))
    names[n++] = lwi_library_last(library)->name;
  return lwi_nearest(name, names, n);
}

bool lwi_expr_is_reserved(const char *name)
{
  static const char *const words[] = {"t", "pi", "deg", "and", "or", "not"};
  for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
    if (strcmp(name, words[i]) == 0) return true;
  const lwi_callee *f = find_known(name, strlen(name));
  return f && f->reserved;
}

bool lwi_expr_is_function(const char *name)
{
  return find_known(name, strlen(name));
}

bool lwi_callee_unknown(lwi_parser *p, size_t column, lwi_plain_name name)
{
  enum { MAX_SHOWN = 48 };
  char word[64];
  snprintf(word, sizeof word, "%.*s%s", name.length > MAX_SHOWN ? MAX_SHOWN : (int)name.length,
           name.text, name.length > MAX_SHOWN ? "..." : "");
  const char *near = lwi_callee_nearest(p->library, word);
  if (!near) return lwi_parser_fail(p, LWI_EXPR_SYNTAX, column, "unknown function \"%s\"", word);
  return lwi_parser_fail(p, LWI_EXPR_SYNTAX, column,
                         "unknown function \"%s\", did you mean \"%.64s\"?", word, near);
}
