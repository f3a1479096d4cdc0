/* SPDX-License-Identifier: Apache-2.0 */
/* schema.c -- linkwork schema: the JSON schema of the model file, for editors. */
#include "linkwork/reader.h"
#include "verbs.h"

#include <stdlib.h>

static int print_schema(const cli_args *a)
{
  const size_t size = lw_schema(NULL, 0) + 1;
  char *text = malloc(size);
  if (!text) return out_of_memory(a);
  lw_schema(text, size);
  fputs(text, stdout);
  free(text);
  return CLI_DONE;
}

static const cli_option options[] = {{.value = ""}};
const cli_verb verb_schema = {"schema", "Prints the JSON schema of the model file, for editors.",
                              "linkwork schema > model.schema.json", options, print_schema};
