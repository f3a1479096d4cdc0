/* SPDX-License-Identifier: Apache-2.0 */
/* singular.c -- singular configurations as text and as JSON. */
#include "singular.h"
#include "linkwork/analysis.h"

#include <stdlib.h>

/* "3 degrees of freedom instead of 1" */
static void describe(char *text, size_t size, const char *what, const singular_place *s)
{
  snprintf(
      text, size,
      "%s a singular configuration: %d degree%s of freedom there, %d nearby; the motion beyond is "
      "not determined by the equations alone%s",
      what, s->dof_there, plural(s->dof_there), s->dof, s->note);
}

void singular_text(const singular_place *s, char *text, size_t size)
{
  static const char *const what[] = {"starts at", "passes", "ends at"};
  describe(text, size, what[s->when], s);
}

lw_status singular_at(const lw_model *m, double t, const double q[], singular_moment when,
                      bool *singular, singular_place *out)
{
  lw_mobility mobility = {0};
  lw_work *w = lw_work_new(m);
  const lw_status status = w ? lw_find_mobility(w, t, q, &mobility) : LW_E_MEMORY;
  lw_work_free(w);
  *out = (singular_place){
      .time = t, .dof = mobility.dof_near, .dof_there = mobility.dof, .when = when, .note = ""};
  *singular = status == LW_OK && mobility.singular;
  return status == LW_E_MEMORY ? status : LW_OK;
}

void singular_warn(const cli_args *a, const singular_place *s)
{
  char text[600];
  singular_text(s, text, sizeof text);
  print_message("%s: warning: t = %.10g: %s", a->model, s->time, text);
}

void singular_warn_all(const cli_args *a, const singular_place s[], int n)
{
  for (int i = 0; i < n && i < SINGULAR_WARNINGS; i++)
    singular_warn(a, &s[i]);
  if (n > SINGULAR_WARNINGS)
    print_message("%s: warning: ... and %d more singular configuration%s", a->model,
                  n - SINGULAR_WARNINGS, plural(n - SINGULAR_WARNINGS));
}

void singular_json(json *j, const char *key, const singular_place s[], int n)
{
  json_list(j, key);
  for (int i = 0; i < n; i++) {
    char text[600];
    singular_text(&s[i], text, sizeof text);
    json_object(j, NULL);
    json_number(j, "time", s[i].time);
    json_integer(j, "dof", s[i].dof);
    json_integer(j, "dof_there", s[i].dof_there);
    json_text(j, "text", text);
    json_object_end(j);
  }
  json_list_end(j);
}
