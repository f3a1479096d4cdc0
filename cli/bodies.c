/* SPDX-License-Identifier: Apache-2.0 */
/* bodies.c -- reads lists of bodies in options. */
#include "verbs.h"
#include "linkwork/reader.h"

#include <stdlib.h>
#include <string.h>

static int unknown_body(const cli_args *a, const lw_model *m, const char *option, const char *name)
{
  const int n = lw_nbody(m);
  const char **names = malloc(((size_t)n + 1) * sizeof *names);
  if (!names) return out_of_memory(a);
  for (int b = 1; b <= n; b++)
    names[b - 1] = lw_body_name(m, (lw_body){b});
  const char *nearest = lw_nearest_name(name, names, n);
  const int status = nearest ? usage_error(a->verb, "--%s: no body \"%s\"; did you mean \"%s\"?",
                                           option, name, nearest)
                             : usage_error(a->verb, "--%s: no body \"%s\"", option, name);
  free(names);
  return status;
}

int read_bodies(const cli_args *a, const lw_model *m, const char *option,
                void (*use)(void *context, lw_body b), void *context)
{
  int status = CLI_DONE;
  const char *given;
  for (int at = 0; status == CLI_DONE && (given = args_next(a, option, &at));) {
    for (const char *rest = given; rest && status == CLI_DONE; rest = *rest ? rest + 1 : NULL) {
      char *name = read_name(rest, ",", &rest);
      if (!name) return out_of_memory(a);
      const lw_body b = lw_find_body(m, name);
      if (b.id < 0)
        status = unknown_body(a, m, option, name);
      else if (b.id == 0)
        status = usage_error(a->verb, "--%s: the ground is not a body", option);
      else
        use(context, b);
      free(name);
    }
  }
  return status;
}
