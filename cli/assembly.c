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

/* What n processors take, in times of the recursion on one. */
static double relative_time(const inspection *s, int n)
{
  const lw_dca_info i = lw_dca_get_info(s->assembly);
  return i.operations / lw_dca_speed_up(s->assembly, n) / s->serial;
}

static void print_relative(const inspection *s)
{
  if (!(s->serial > 0)) return;
  printf("                predicted time in times of the serial recursion: %.3g on one processor",
         relative_time(s, 1));
  for (int k = 0; k < useful_processors(s->assembly); k++)
    printf(", %.3g on %d", relative_time(s, processors[k]), processors[k]);
  printf("\n");
}

/* The first and the last levels, or all of them. */
static void print_levels(const inspection *s)
{
  enum { ENDS = 10 };
  const int n = lw_dca_nlevel(s->assembly);
  if (!args_has(s->a, "levels")) return;
  printf("\nassembly tree by levels: bodies are level 0, the whole mechanism the last one\n"
         "  %-7s %10s %8s %16s %16s%s\n",
         "level", "assemblies", "handles", "multiplications", "longest",
         s->level_seconds ? "      time, us" : "");
  for (int i = 0; i < n; i++) {
    const lw_dca_level x = lw_dca_get_level(s->assembly, i);
    if (!s->all && n > 2 * ENDS && i >= ENDS && i < n - ENDS) {
      if (i == ENDS) printf("  ... %d more: --all shows them\n", n - 2 * ENDS);
      continue;
    }
    printf("  %-7d %10d %8d %16.6g %16.6g", i, x.assemblies, x.widest, x.operations, x.longest);
    if (s->level_seconds) printf(" %13.3f", 1e6 * s->level_seconds[i]);
    printf("\n");
  }
}

void print_assembly(const inspection *s)
{
  const lw_dca *d = s->assembly;
  if (!d) return;
  const lw_dca_info i = lw_dca_get_info(d);
  printf("assembly tree   %s: depth %d, at most %d bod%s seen from outside; %.3g multiplications, "
         "%.3g of "
         "them one after the other\n",
         s->plan.norder ? "as given" : lw_assembly_strategy_name(s->plan.strategy), i.depth,
         i.widest, i.widest == 1 ? "y" : "ies", i.operations, i.critical);
  printf("                predicted speed-up of divide and conquer:");
  for (int k = 0; k < useful_processors(d); k++)
    printf("%s %.3g on %d processors", k ? "," : "", lw_dca_speed_up(d, processors[k]),
           processors[k]);
  printf("\n");
  print_relative(s);
  print_levels(s);
}

static void json_levels(json *j, const inspection *s)
{
  json_list(j, "levels");
  for (int i = 0; i < lw_dca_nlevel(s->assembly); i++) {
    const lw_dca_level x = lw_dca_get_level(s->assembly, i);
    json_object(j, NULL);
    json_integer(j, "assemblies", x.assemblies);
    json_integer(j, "widest", x.widest);
    json_number(j, "operations", x.operations);
    json_number(j, "longest", x.longest);
    if (s->level_seconds) json_number(j, "seconds", s->level_seconds[i]);
    json_object_end(j);
  }
  json_list_end(j);
}

static void json_processors(json *j, const inspection *s, const char *name,
                            double (*value)(const inspection *, int))
{
  char key[16];
  json_object(j, name);
  for (int k = 0; k < MANY; k++) {
    snprintf(key, sizeof key, "%d", processors[k]);
    json_number(j, key, value(s, processors[k]));
  }
  json_object_end(j);
}

static double speed_up(const inspection *s, int n)
{
  return lw_dca_speed_up(s->assembly, n);
}

void json_assembly(json *j, const inspection *s)
{
  const lw_dca *d = s->assembly;
  if (!d) return;
  const lw_dca_info i = lw_dca_get_info(d);
  json_object(j, "assembly_tree");
  json_text(j, "plan", s->plan.norder ? "given" : lw_assembly_strategy_name(s->plan.strategy));
  json_integer(j, "depth", i.depth);
  json_integer(j, "widest", i.widest);
  json_number(j, "operations", i.operations);
  json_number(j, "critical", i.critical);
  json_processors(j, s, "speed_up", speed_up);
  if (s->serial > 0) {
    json_number(j, "recursion", s->serial);
    json_number(j, "relative_time_of_one", relative_time(s, 1));
    json_processors(j, s, "relative_time", relative_time);
  }
  if (args_has(s->a, "levels")) json_levels(j, s);
  json_object_end(j);
}
