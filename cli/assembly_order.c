/* SPDX-License-Identifier: Apache-2.0 */
/* assembly_order.c -- inspect --assembly: the plan of divide and conquer by the name of a strategy,
   or as the joints and constraints in the order in which they are eliminated, in the option itself
   or in a file. */
#include "inspect.h"
#include "linkwork/query.h"

#include <stdlib.h>
#include <string.h>

static bool is_separator(char c)
{
  return c == ',' || c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

/* The text of a file; NULL: it cannot be read, or there is no memory. */
static char *read_text(const char *path)
{
  enum { MOST = 1 << 26 };
  FILE *file = fopen(path, "rb");
  char *text = NULL;
  long size = -1;
  if (file && fseek(file, 0, SEEK_END) == 0) size = ftell(file);
  if (size >= 0 && size < MOST) text = malloc((size_t)size + 1);
  if (text) {
    rewind(file);
    text[fread(text, 1, (size_t)size, file)] = '\0';
  }
  if (file) fclose(file);
  return text;
}

static bool find_part(const lw_model *m, const char *name, lw_assembled *out)
{
  *out = (lw_assembled){.joint = lw_find_joint(m, name)};
  if (out->joint.id > 0) return true;
  for (int i = 1; i <= lw_nconstraint(m); i++)
    if (strcmp(lw_get_constraint(m, (lw_constraint){i}).name, name) == 0) {
      *out = (lw_assembled){.constraint = {i}};
      return true;
    }
  return false;
}

static int add_part(inspection *s, const char *name)
{
  lw_assembled x;
  if (!find_part(s->m, name, &x))
    return usage_error(s->a->verb,
                       "--assembly: there is no strategy, file, joint or constraint \"%s\"", name);
  for (int k = 0; k < s->plan.norder; k++)
    if (s->order[k].joint.id == x.joint.id && s->order[k].constraint.id == x.constraint.id)
      return usage_error(s->a->verb, "--assembly: \"%s\" is named twice", name);
  s->order[s->plan.norder++] = x;
  return CLI_DONE;
}

static int read_list(inspection *s, const char *text)
{
  int status = CLI_DONE;
  while (status == CLI_DONE) {
    while (is_separator(*text))
      text++;
    if (!*text) break;
    char *name = read_name(text, ", \t\r\n", &text);
    if (!name) return out_of_memory(s->a);
    status = add_part(s, name);
    free(name);
  }
  s->plan.order = s->order;
  return status;
}

int read_assembly(inspection *s)
{
  const char *given = args_text(s->a, "assembly");
  if (!given) return CLI_DONE;
  s->plan.strategy = lw_find_assembly_strategy(given);
  if (s->plan.strategy != LW_ASSEMBLY_STRATEGIES) return CLI_DONE;
  s->plan.strategy = LW_ASSEMBLY_INWARD; /* of what is not named */
  s->order = calloc((size_t)lw_njoint(s->m) + (size_t)lw_nconstraint(s->m) + 1, sizeof *s->order);
  if (!s->order) return out_of_memory(s->a);
  char *text = read_text(given);
  const int status = read_list(s, text ? text : given);
  free(text);
  return status;
}
