/* SPDX-License-Identifier: Apache-2.0 */
/* page_report.c -- writes the page of a verb, with its messages. */
#include "page_report.h"

#include <stdio.h>
#include <string.h>

int page_check(const cli_args *a)
{
  if (page_text.head[0]) return CLI_DONE;
  return usage_error(a->verb, "this linkwork was built without its report page: %s",
                     page_text.missing);
}

/* "pendulum" of "models/pendulum.yaml", for models without a name */
static void take_title(page *p, const char *file)
{
  const char *slash = file ? strrchr(file, '/') : NULL, *base = slash ? slash + 1 : file;
  const char *dot = base ? strrchr(base, '.') : NULL;
  if (!base || strcmp(base, "-") == 0) return;
  snprintf(p->title, sizeof p->title, "%.*s", dot && dot > base ? (int)(dot - base) : 79, base);
}

int page_report(const cli_args *a, page *p, const char *facts, const char *path)
{
  lw_error err = {0};
  take_title(p, a->model);
  const lw_status status = page_write(p, facts, path, &err);
  if (p->nmissing > 0 && !args_has(a, "quiet"))
    print_message("%s: warning: %d mesh%s cannot be read (%s%s): these bodies are drawn from their "
                  "joints and inertia",
                  show(a->model).text, p->nmissing, p->nmissing == 1 ? "" : "es",
                  show(p->missing).text, p->nmissing > 1 ? ", ..." : "");
  if (status == LW_OK) return CLI_DONE;
  return err.text[0] ? report_model_error(a, &err) : out_of_memory(a);
}
