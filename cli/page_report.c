/* SPDX-License-Identifier: Apache-2.0 */
/* page_report.c -- writes the page of a verb, with its messages. */
#include "page_report.h"

int page_check(const cli_args *a)
{
  if (page_text.head[0]) return CLI_DONE;
  return usage_error(a->verb, "this linkwork was built without its report page: %s",
                     page_text.missing);
}

int page_report(const cli_args *a, page *p, const char *facts, const char *path)
{
  lw_error err = {0};
  const lw_status status = page_write(p, facts, path, &err);
  if (p->nmissing > 0 && !args_has(a, "quiet"))
    print_message("%s: warning: %d mesh%s cannot be read (%s%s): these bodies are drawn from their "
                  "joints and inertia",
                  show(a->model).text, p->nmissing, p->nmissing == 1 ? "" : "es",
                  show(p->missing).text, p->nmissing > 1 ? ", ..." : "");
  if (status == LW_OK) return CLI_DONE;
  return err.text[0] ? report_model_error(a, &err) : out_of_memory(a);
}
