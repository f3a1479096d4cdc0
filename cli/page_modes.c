/* SPDX-License-Identifier: Apache-2.0 */
/* page_modes.c -- modes for a page: frequencies and words as JSON, shapes as rows of numbers. */
#include "modes.h"
#include "page_report.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_NUMBERS = 4000000 }; /* of all shapes: the first modes that fit */

static void put_word(void *context, const char *body, const char *motion)
{
  char text[200];
  snprintf(text, sizeof text, "%.150s %s", body, motion);
  json_text(context, NULL, text);
}

static void put_mode(json *j, const mode_table *t, const lw_mode *mode)
{
  json_object(j, NULL);
  json_text(j, "kind", lw_mode_kind_name(mode->kind));
  json_number(j, "frequency", mode->frequency);
  json_number(j, "damping", mode->damping);
  json_number(j, "real", mode->real);
  json_number(j, "imaginary", mode->imaginary);
  json_list(j, "moves");
  mode_words(t->m, mode, put_word, j);
  json_list_end(j);
  json_object_end(j);
}

static char *mode_facts(const mode_table *t, int shown)
{
  json j;
  if (!json_start(&j)) return NULL;
  json_object(&j, NULL);
  json_text(&j, "at", t->at);
  if (t->at[0] == 'e') json_text(&j, "stability", lw_stability_name(t->report.stability));
  json_integer(&j, "left", t->modes->n - shown);
  json_list(&j, "list");
  for (int i = 0; i < shown; i++)
    put_mode(&j, t, &t->modes->mode[i]);
  json_list_end(&j);
  json_object_end(&j);
  return json_take(&j);
}

/* body by body: rotation and displacement, real parts, then imaginary ones */
static bool add_shape(page *p, const lw_mode *mode, int number, double *row, const int *all)
{
  const int nbody = lw_nbody(p->m);
  for (int b = 0; b < nbody; b++)
    for (int k = 0; k < 2; k++)
      memcpy(row + 12 * b + 6 * k, mode->bodies[k] + 6 * b, 6 * sizeof *row);
  return page_rows_add(&p->shapes, number, row, all, 12 * nbody, true);
}

static bool add_shapes(page *p, const mode_table *t, int shown)
{
  const size_t n = 12 * (size_t)lw_nbody(t->m);
  double *row = malloc((n + 1) * sizeof *row);
  int *all = malloc((n + 1) * sizeof *all);
  bool good = row && all;
  for (size_t i = 0; good && i < n; i++)
    all[i] = (int)i;
  for (int i = 0; good && i < shown; i++)
    good = add_shape(p, &t->modes->mode[i], i, row, all);
  free(row);
  free(all);
  return good;
}

int modes_page(const cli_args *a, const mode_table *t, lw_work *w, double time, const char *path)
{
  page p = {0};
  const int most = MOST_NUMBERS / (12 * lw_nbody(t->m) + 1) + 1,
            shown = t->modes->n < most ? t->modes->n : most;
  const lw_status status = page_still(&p, t->m, w, time, t->q);
  char *facts = status == LW_OK && add_shapes(&p, t, shown) ? mode_facts(t, shown) : NULL;
  p.facts_are = "modes";
  int done = CLI_DONE;
  if (status != LW_OK && status != LW_E_MEMORY)
    done = complain_status(a, "the report cannot be written", status);
  else if (!facts)
    done = out_of_memory(a);
  else
    done = page_report(a, &p, facts, path);
  free(facts);
  page_free(&p);
  if (done == CLI_DONE) print_message("wrote %s", path);
  return done;
}
