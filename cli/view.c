/* SPDX-License-Identifier: Apache-2.0 */
/* view.c -- linkwork view: simulates and shows the motion in a browser. */
#define _POSIX_C_SOURCE 200809L
#include "files.h"
#include "from.h"
#include "page.h"
#include "run_summary.h"

#include <spawn.h>
#include <stdlib.h>
#include <string.h>

extern char **environ;

static const cli_option options[] = {
    {"output", 'o', "FILE.html", "write the page there; without it MODEL-report.html, and open it"},
    LOAD_OPTIONS,
    {"q", 0, "J=X[,X...]", "start with these coordinates of joint J; repeatable"},
    {"u", 0, "J=X[,X...]", "start with these speeds of joint J; repeatable"},
    FROM_OPTION,
    SPAN_OPTIONS,
    {"columns", 0, "LIST", "only these columns in plots: names and patterns, e.g. 'q.*,energy.*'"},
    FORMULATION_OPTIONS,
    {"integrator", 0, "NAME", "auto, adams, bdf (stiff), rk; with fixed steps: rk4, euler"},
    TOLERANCE_OPTIONS,
    {"quiet", 'q', NULL, "no progress and no messages but errors"},
    {0}};

/* "models/crane.yaml": "crane-report.html", in the present folder. */
static char *default_path(const char *model)
{
  static const char ending[] = "-report.html";
  const char *slash = strrchr(model, '/'), *name = slash ? slash + 1 : model;
  const char *dot = strrchr(name, '.');
  const size_t n = dot && dot > name ? (size_t)(dot - name) : strlen(name);
  char *path = malloc(n + sizeof ending);
  if (!path) return NULL;
  memcpy(path, name, n);
  memcpy(path + n, ending, sizeof ending);
  return path;
}

/* Where there is a screen: what the user has chosen for it. */
static void open_page(char *path)
{
  if (!getenv("DISPLAY") && !getenv("WAYLAND_DISPLAY")) return;
  const char *browser = getenv("BROWSER");
  char program[] = "xdg-open";
  char *words[] = {program, path, NULL};
  pid_t pid;
  if (posix_spawnp(&pid, browser && *browser ? browser : program, NULL, NULL, words, environ) != 0)
    print_message("no browser could be started: open %s", show(path).text);
}

static int view(const cli_args *a)
{
  lw_simulation_options wishes = {0};
  int status = page_check(a);
  if (status == CLI_DONE) status = run_options(a, &wishes);
  if (status == CLI_DONE) status = check_file(a, "output", "HTML");
  lw_model *m = status == CLI_DONE ? load_model(a, &status) : NULL;
  if (!m) return status;
  const char *given = args_text(a, "output");
  char *path = given ? NULL : default_path(a->model);
  if (!given && !path)
    status = out_of_memory(a);
  else
    status = simulate_model(a, m, &wishes, (run_outputs){.page = given ? given : path});
  if (status == CLI_DONE && path) open_page(path);
  free(path);
  lw_model_free(m);
  return status;
}

const cli_verb verb_view = {"view", "Simulates the model and shows its motion in a browser.",
                            "linkwork view models/squeezer.yaml -o squeezer.html", options, view};
