/* SPDX-License-Identifier: Apache-2.0 */
/* page_report.h -- pages (page.h) that verbs write. */
#ifndef CLI_PAGE_REPORT_H
#define CLI_PAGE_REPORT_H
#include "page.h"
#include "verbs.h"

/* Writes the file; warns of meshes.  facts: JSON, or NULL. */
int page_report(const cli_args *a, page *p, const char *facts, const char *path);
/* CLI_DONE, or a message if the program of report/ is not a part of this one. */
int page_check(const cli_args *a);

/* page_results.c: from a file of results of this model. */
lw_status page_read_results(page *p, const lw_model *m, lw_results *r, lw_error *err);
/* JSON of such a file as of a run, to be freed; NULL: no memory. */
char *page_results_facts(lw_results *r);

#endif
