/* SPDX-License-Identifier: Apache-2.0 */
/* view.c -- linkwork view: simulates and shows the motion in a browser. */
#define _POSIX_C_SOURCE 200809L
#include "files.h"
#include "film.h"
#include "from.h"
#include "linkwork/reader.h"
#include "page_report.h"
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
    {"quiet", 'q', NULL, "only error messages, no progress"},
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

/* As the command line that made the results loaded it. */
static lw_model *model_of_run(const cli_args *a, lw_results *r, lw_sources *sources)
{
  const int n = lw_results_nargument(r);
  const char **words = calloc((size_t)n + 1, sizeof *words);
  if (!words) return out_of_memory(a), NULL;
  for (int i = 0; i < n; i++)
    words[i] = lw_results_argument(r, i);
  cli_args first;
  const cli_verb *verb = strcmp(words[0], "sens") == 0 ? &verb_sens : &verb_run;
  int status = args_parse(&first, verb, n - 1, (char **)words + 1);
  first.sources = sources;
  lw_model *m = status == CLI_DONE ? load_model(&first, &status) : NULL;
  args_free(&first);
  free(words);
  return m;
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
  if (lw_results_nargument(r) > 0) return model_of_run(a, r, sources);
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
  if (m && page_read_results(&shown, m, r, &err) != LW_OK)
    status = err.text[0] ? report_model_error(a, &err) : out_of_memory(a);
  char *facts = status == CLI_DONE ? page_results_facts(r) : NULL;
  if (status == CLI_DONE) status = page_report(a, &shown, facts, path);
  if (status == CLI_DONE && !film && !args_has(a, "quiet")) print_message("wrote %s", path);
  free(facts);
  page_free(&shown);
  lw_model_free(m);
  lw_results_free(r);
  return status;
}

static int view_model(const cli_args *a, const lw_simulation_options *requested, const char *path,
                      bool film)
{
  int status;
  lw_model *m = load_model(a, &status);
  if (!m) return status;
  status = simulate_model(a, m, requested, (run_outputs){.page = path, .film = film});
  lw_model_free(m);
  return status;
}

/* Results are shown as they are; only films have a length. */
static int check_options(const cli_args *a)
{
  static const char *const taken[] = {"output", "quiet", "seconds"};
  const char *path = args_text(a, "output");
  if (args_has(a, "seconds") && !(path && film_is(path)))
    return usage_error(a->verb, "--seconds has no effect without --output FILE.mp4 or FILE.gif");
  for (int i = 0; i < a->ngiven && names_hdf5(a->model); i++) {
    bool known = false;
    for (size_t k = 0; k < sizeof taken / sizeof *taken; k++)
      known = known || strcmp(a->given[i].option->name, taken[k]) == 0;
    if (!known)
      return usage_error(a->verb, "--%s has no effect: %s holds a run that is shown as it is",
                         a->given[i].option->name, show(a->model).text);
  }
  return CLI_DONE;
}

static int view(const cli_args *a)
{
  lw_simulation_options requested = {0};
  int status = check_options(a);
  if (status == CLI_DONE) status = page_check(a);
  if (status == CLI_DONE) status = run_options(a, &requested);
  if (status == CLI_DONE) status = check_file(a, "output", "HTML");
  if (status != CLI_DONE) return status;
  const char *given = args_text(a, "output");
  const bool film = given && film_is(given);
  char *path = !given ? default_path(a->model) : film ? film_page(given) : NULL;
  const char *to = path ? path : given;
  if (!to || (film && !path)) return out_of_memory(a);
  status = names_hdf5(a->model) ? view_results(a, to, film) : view_model(a, &requested, to, film);
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
