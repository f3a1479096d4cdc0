/* SPDX-License-Identifier: Apache-2.0 */
/* view.c -- linkwork view: simulates and shows the motion in a browser. */
#define _POSIX_C_SOURCE 200809L
#include "files.h"
#include "film.h"
#include "from.h"
#include "linkwork/reader.h"
#include "page.h"
#include "results.h"
#include "run_summary.h"

#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

extern char **environ;

static const cli_option options[] = {
    {"output", 'o', "FILE",
     "write the page there (.html), or a film (.mp4, .gif: needs chromium and ffmpeg)"},
    LOAD_OPTIONS,
    START_OPTIONS,
    SPAN_OPTIONS,
    {"columns", 0, "LIST", "only these columns in plots: names and patterns, e.g. 'q.*,energy.*'"},
    FORMULATION_OPTIONS,
    {"integrator", 0, "NAME", "auto, adams, bdf (stiff), rk; with fixed steps: rk4, euler"},
    TOLERANCE_OPTIONS,
    {"seconds", 0, "S", "length of a film; default: as long as the page plays, at most 30"},
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

/* The page of a film, beside it until it is made. */
static char *film_page(const char *film)
{
  static const char ending[] = ".part.html";
  char *path = malloc(strlen(film) + sizeof ending);
  if (path) strcat(strcpy(path, film), ending);
  return path;
}

/* Where there is a screen: what the user has chosen for it. */
static void open_page(char *path)
{
  if (!getenv("DISPLAY") && !getenv("WAYLAND_DISPLAY")) return;
  const char *own = getenv("BROWSER");
  char program[] = "xdg-open";
  char *words[] = {program, path, NULL};
  pid_t pid;
  if (posix_spawnp(&pid, own && *own ? own : program, NULL, NULL, words, environ) != 0)
    print_message("no browser could be started: open %s", show(path).text);
}

/* The model of a file of results, with the parameters of its run; NULL after a message. */
static lw_model *model_of(const cli_args *a, lw_results *r)
{
  lw_error err = {0};
  lw_sources *sources = lw_results_sources(r);
  if (!sources || lw_sources_count(sources) == 0) {
    usage_error(a->verb, "%s does not hold its model: only files of HDF5 do", show(a->model).text);
    return NULL;
  }
  const lw_load_options how = {.sources = sources};
  lw_spec *s = lw_spec_load_with(lw_sources_get(sources, 0).path, &how, &err);
  for (int i = 0; s && i < lw_results_nparameter(r); i++) {
    double value;
    const char *name = lw_results_parameter(r, i, &value);
    lw_set_parameter(s, name, value); /* those that others determine are what they were */
  }
  lw_model *m = s ? lw_compile(s, &err) : NULL;
  lw_spec_free(s);
  if (!m) report_model_error(a, &err);
  return m;
}

static int view_results(const cli_args *a, const char *path, bool film)
{
  lw_error err = {0};
  page shown = {0};
  lw_results *r = open_results(a, a->model);
  if (!r) return CLI_FAILED;
  lw_model *m = model_of(a, r);
  int status = m ? CLI_DONE : CLI_FAILED;
  if (m && page_read(&shown, m, r, &err) != LW_OK)
    status = err.text[0] ? report_model_error(a, &err) : out_of_memory(a);
  char *facts = status == CLI_DONE ? page_results_facts(r) : NULL;
  if (status == CLI_DONE) status = page_write(a, &shown, facts, path);
  if (status == CLI_DONE && !film && !args_has(a, "quiet")) print_message("wrote %s", path);
  free(facts);
  page_free(&shown);
  lw_model_free(m);
  lw_results_free(r);
  return status;
}

/* Files of results, by their names. */
static bool is_results(const char *path)
{
  const char *dot = strrchr(path, '.');
  return dot && (strcasecmp(dot, ".h5") == 0 || strcasecmp(dot, ".hdf5") == 0);
}

static int view_model(const cli_args *a, const lw_simulation_options *wishes, const char *path,
                      bool film)
{
  int status;
  lw_model *m = load_model(a, &status);
  if (!m) return status;
  status = simulate_model(a, m, wishes, (run_outputs){.page = path, .film = film});
  lw_model_free(m);
  return status;
}

static int view(const cli_args *a)
{
  lw_simulation_options wishes = {0};
  int status = page_check(a);
  if (status == CLI_DONE) status = run_options(a, &wishes);
  if (status == CLI_DONE) status = check_file(a, "output", "HTML");
  if (status != CLI_DONE) return status;
  const char *given = args_text(a, "output");
  const bool film = given && film_is(given);
  char *path = !given ? default_path(a->model) : film ? film_page(given) : NULL;
  const char *to = path ? path : given;
  if (!to || (film && !path)) return out_of_memory(a);
  status = is_results(a->model) ? view_results(a, to, film) : view_model(a, &wishes, to, film);
  if (status == CLI_DONE && film) {
    status = film_write(a, path, given);
    if (status == CLI_DONE && !args_has(a, "quiet")) print_message("wrote %s", given);
  } else if (status == CLI_DONE && path) {
    open_page(path);
  }
  if (film) remove(path);
  free(path);
  return status;
}

const cli_verb verb_view = {"view",
                            "Shows the motion of a model, or of results (.h5), in a browser.",
                            "linkwork view models/squeezer.yaml -o squeezer.html", options, view};
