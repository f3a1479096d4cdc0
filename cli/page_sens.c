/* SPDX-License-Identifier: Apache-2.0 */
/* page_sens.c -- a run with its derivatives as a page: the columns d(q.A)/d(La) beside those of the
   run. */
#include "linkwork/query.h"
#include "sens.h"

#include <stdlib.h>
#include <string.h>

/* t, the first column, has no derivatives. */
static bool name_derivatives(sens_result *r)
{
  const lw_columns *columns = lw_sensitivity_columns(r->s);
  const int n = r->ncolumn - 1;
  r->nderivative = r->nparameter * n;
  r->derivatives = calloc((size_t)r->nderivative + 1, sizeof *r->derivatives);
  for (int i = 0; r->derivatives && i < r->nderivative; i++) {
    const char *column = lw_columns_name(columns, 1 + i % n),
               *parameter = lw_parameter_name(r->m, lw_sensitivity_parameter(r->s, i / n));
    const size_t size = strlen(column) + strlen(parameter) + sizeof "d()/d()";
    if (!(r->derivatives[i] = malloc(size))) return false;
    snprintf(r->derivatives[i], size, "d(%s)/d(%s)", column, parameter);
  }
  return r->derivatives;
}

lw_status sens_page_start(sens_result *r, page *p, const char *columns, lw_error *err)
{
  if (!name_derivatives(r)) return LW_E_MEMORY;
  r->page = p;
  const lw_status status = page_start_with(
      p, r->m, r->sim, columns, (const char *const *)r->derivatives, r->nderivative, err);
  p->facts_are = "sens";
  return status;
}

/* Derivatives are the last cells of a row. */
lw_status sens_page_add(sens_result *r, const lw_row *row)
{
  return page_add_with(r->page, row, row->cells + (row->ncell - r->nderivative));
}

int sens_page_write(const cli_args *a, const sens_result *r, const char *path)
{
  char *facts = sens_text(a, r);
  if (!facts) return complain_status(a, "the report cannot be written", LW_E_NUMBER);
  const int done = page_report(a, r->page, facts, path);
  free(facts);
  if (done == CLI_DONE && !args_has(a, "quiet")) print_message("wrote %s", path);
  return done;
}

void sens_page_free(sens_result *r)
{
  if (r->page) page_free(r->page);
  for (int i = 0; i < r->nderivative && r->derivatives; i++)
    free(r->derivatives[i]);
  free(r->derivatives);
}
