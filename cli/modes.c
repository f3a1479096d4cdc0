/* SPDX-License-Identifier: Apache-2.0 */
/* modes.c -- linkwork modes: small motions about a state. */
#include "files.h"
#include "modes.h"
#include "page_report.h"
#include "linkwork/query.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const cli_option options[] = {
    {"at", 0, "STATE", "equilibrium (default), or start: the assembled initial state"},
    {"q", 0, "J=X[,X...]", "coordinates of joint J, there or where the search begins; repeatable"},
    {"u", 0, "J=X[,X...]", "speeds of joint J, with --at start; repeatable"},
    {"nearest", 0, NULL, "the nearest equilibrium, stable or not"},
    {"t", 0, "T", "time, default 0"},
    {"output", 'o', "SHAPES.csv", "write the mode shapes as a table"},
    {"report", 0, "FILE.html", "write a page for browsers: the modes moving, in 3-D"},
    {"matrices", 0, NULL, "with --json: M, C, K and the state space A, B"},
    LOAD_OPTIONS,
    JSON_OPTION,
    {0}};

static int say(const cli_args *a, const mode_table *t)
{
  const char *path = args_text(a, "output");
  lw_error err = {0};
  if (path && modes_csv(t, path, &err) != LW_OK) return report_model_error(a, &err);
  if (path && is_stdout(path)) return CLI_DONE;
  if (!args_has(a, "json")) {
    modes_print(t);
    return CLI_DONE;
  }
  return modes_json(t, args_has(a, "matrices"))
             ? CLI_DONE
             : complain_status(a, "the results cannot be written", LW_E_NUMBER);
}

/* With limits, contacts and friction modes are those of the model in which what holds is a constraint: t->m and *w become
   that one's. */
static lw_status find_rest(mode_table *t, lw_work **w, double time, double *q,
                           const lw_equilibrium_options *o, lw_error *err)
{
  if (!lw_is_one_sided(t->m)) return lw_equilibrium(*w, time, q, o, &t->report, err);
  t->rest = lw_rest_new(t->m, time, q, o, err);
  if (!t->rest) return err->status;
  lw_work *own = lw_work_new(lw_rest_model(t->rest));
  if (!own) return err->status = LW_E_MEMORY;
  memcpy(q, lw_rest_q(t->rest), (size_t)lw_nq(t->m) * sizeof *q);
  lw_work_free(*w);
  *w = own;
  t->m = lw_rest_model(t->rest);
  t->report = lw_rest_report(t->rest);
  return LW_OK;
}

/* The state itself, or the equilibrium that is found from it. */
static int find_state(const cli_args *a, mode_table *t, lw_work **w, double time, double *q,
                      double *u, bool *moves)
{
  static const char *const names[] = {"equilibrium", "start"};
  lw_error err = {0};
  int choice = 0;
  int done = args_choice(a, "at", names, 2, &choice);
  if (done == CLI_DONE) done = start_state(a, t->m, *w, time, q, u);
  if (done != CLI_DONE) return done;
  t->at = names[choice];
  *moves = false;
  for (int i = 0; i < lw_nu(t->m); i++)
    *moves = *moves || (choice == 1 && u[i] != 0);
  if (choice == 1 && args_has(a, "nearest"))
    return usage_error(a->verb, "--nearest requires --at equilibrium");
  if (choice == 1 && lw_is_one_sided(t->m))
    print_message(
        "%s: warning: limits, contacts, ropes and dry friction are left out of the modes about "
        "the start: --at equilibrium has them",
        show(a->model).text);
  if (choice == 1) return CLI_DONE;
  if (args_has(a, "u"))
    return usage_error(a->verb, "--u requires --at start: at an equilibrium all speeds are zero");
  progress bar = progress_start(true);
  const lw_equilibrium_options o = {
      .nearest = args_has(a, "nearest"), .on_step = progress_step, .context = &bar};
  memset(u, 0, (size_t)lw_nu_all(t->m) * sizeof(double));
  const lw_status status = find_rest(t, w, time, q, &o, &err);
  progress_end(&bar);
  return status == LW_OK ? CLI_DONE : report_model_error(a, &err);
}

static void copy_corner(const double *from, int n, double *to, int part)
{
  for (int i = 0; i < part && from; i++)
    memcpy(to + i * part, from + (size_t)i * (size_t)n, (size_t)part * sizeof *to);
}

/* How long the modes of the first n freedoms take, in s; 0: not known. */
static double time_of_part(const lw_linearization *l, int n)
{
  const size_t nn = (size_t)n * (size_t)n;
  double *x = calloc(4 * nn, sizeof *x), *M = x, *C = x + nn, *K = C + nn;
  if (!x) return 0;
  copy_corner(l->M, l->n, M, n);
  copy_corner(l->C, l->n, C, n);
  copy_corner(l->K, l->n, K, n);
  const lw_linearization small = {.n = n,
                                  .M = M,
                                  .C = C,
                                  .K = K,
                                  .kin = K + nn,
                                  .symmetric = l->symmetric,
                                  .damped = l->damped,
                                  .stiffness = l->stiffness};
  const double start = wall_clock();
  lw_modes_free(lw_modes_new(&small, NULL));
  const double time = wall_clock() - start;
  free(x);
  return time;
}

/* How long all modes will take, in s: their work grows at least with the third power of their number, and by what power it
   does on this computer two parts of the same problem tell.  0: not long. */
static double expected_time(const lw_linearization *l)
{
  enum { PART = 125, LONG = 400 };
  if (l->n < LONG) return 0;
  const double half = time_of_part(l, PART), whole = time_of_part(l, 2 * PART);
  const double power = half > 0 && whole > 0 ? fmin(fmax(log2(whole / half), 3), 4) : 3;
  return whole * pow((double)l->n / (2 * PART), power);
}

static int find(const cli_args *a, mode_table *t, lw_work **own, double *q, double *u)
{
  lw_error err = {0};
  double time = 0;
  bool moves = false;
  int done = args_number(a, "t", &time);
  if (done == CLI_DONE) done = find_state(a, t, own, time, q, u, &moves);
  if (done != CLI_DONE) return done;
  lw_work *w = *own;
  progress busy = progress_busy("linearising", true);
  lw_linearization *l = lw_linearize(w, time, q, moves ? u : NULL, &err);
  progress_end(&busy);
  busy = progress_expect("computing modes", l ? expected_time(l) : 0);
  lw_modes *modes = l ? lw_modes_new(l, &err) : NULL;
  progress_end(&busy);
  t->l = l;
  t->modes = modes;
  if (modes) {
    choose_quaternions(t->m, q);
    lw_kinematics(w, q, u);
    lw_get_cut_joints(w, q, u, NULL);
  }
  done = modes ? say(a, t) : report_model_error(a, &err);
  const char *to = args_text(a, "report");
  if (modes && to && done == CLI_DONE) done = modes_page(a, t, w, time, to);
  lw_modes_free(modes);
  lw_linearization_free(l);
  return done;
}

static int modes(const cli_args *a)
{
  int status = check_file(a, "output", "CSV");
  if (status == CLI_DONE && args_has(a, "report")) status = page_check(a);
  if (status == CLI_DONE) status = check_file(a, "report", "HTML");
  if (status == CLI_DONE) status = check_two_files(a, "output", "report");
  if (status == CLI_DONE && args_has(a, "matrices") && !args_has(a, "json"))
    status = usage_error(a->verb, "--matrices requires --json");
  lw_model *m = status == CLI_DONE ? load_model(a, &status) : NULL;
  if (!m) return status;
  lw_work *w = lw_work_new(m);
  double *q = calloc((size_t)lw_nq_all(m) + 1, sizeof *q);
  double *u = calloc((size_t)lw_nu_all(m) + 1, sizeof *u);
  mode_table t = {.m = m, .q = q, .u = u};
  status = w && q && u ? find(a, &t, &w, q, u) : out_of_memory(a);
  lw_work_free(w);
  lw_rest_free(t.rest);
  free(q);
  free(u);
  lw_model_free(m);
  return status;
}

const cli_verb verb_modes = {"modes", "Linearises the model: frequencies, damping, mode shapes.",
                             "linkwork modes models/hmmwv.yaml -o shapes.csv", options, modes};
