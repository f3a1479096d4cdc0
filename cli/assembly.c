/* SPDX-License-Identifier: Apache-2.0 */
/* assembly.c -- the plan of divide and conquer, as printed by inspect. */
#include "inspect.h"

static const int processors[] = {2, 4, 8, 16, 64, 256, 1024};
enum { MANY = sizeof processors / sizeof *processors };

/* How many entries of `processors` to print: up to where the next one gains less than a tenth. */
static int useful_processors(const lw_dca *d)
{
  int n = 1;
  while (n < MANY &&
         lw_dca_speed_up(d, processors[n]) > 1.1 * lw_dca_speed_up(d, processors[n - 1]))
    n++;
  return n;
}

void print_assembly(const inspection *s)
{
  const lw_dca *d = s->assembly;
  if (!d) return;
  const lw_dca_info i = lw_dca_get_info(d);
  printf(
      "assembly tree   depth %d, at most %d bod%s seen from outside; %.3g multiplications, %.3g of "
      "them one after the other\n",
      i.depth, i.widest, i.widest == 1 ? "y" : "ies", i.operations, i.critical);
  printf("                predicted speed-up of divide and conquer:");
  for (int k = 0; k < useful_processors(d); k++)
    printf("%s %.3g on %d processors", k ? "," : "", lw_dca_speed_up(d, processors[k]),
           processors[k]);
  printf("\n");
}

void json_assembly(json *j, const inspection *s)
{
  const lw_dca *d = s->assembly;
  if (!d) return;
  const lw_dca_info i = lw_dca_get_info(d);
  char key[16];
  json_object(j, "assembly_tree");
  json_integer(j, "depth", i.depth);
  json_integer(j, "widest", i.widest);
  json_number(j, "operations", i.operations);
  json_number(j, "critical", i.critical);
  json_object(j, "speed_up");
  for (int k = 0; k < MANY; k++) {
    snprintf(key, sizeof key, "%d", processors[k]);
    json_number(j, key, lw_dca_speed_up(d, processors[k]));
  }
  json_object_end(j);
  json_object_end(j);
}
