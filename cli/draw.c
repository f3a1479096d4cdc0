/* SPDX-License-Identifier: Apache-2.0 */
/* draw.c -- linkwork draw: the mechanism at one or more instants as an SVG picture. */
#include "files.h"
#include "linkwork/scene.h"
#include "run_summary.h"

#include <stdlib.h>
#include <string.h>

static const cli_option options[] = {
    {"output", 'o', "FILE.svg", "the picture"},
    {"at", 0, "T[,T...]", "at these times of the run; default: the start"},
    {"instants", 0, "N", "at N times from the start to the end of the run"},
    {"view", 0, "NAME",
     "front, side, top, oblique; default: front of planar models, otherwise oblique"},
    {"width", 0, "PIXELS", "of the picture, default 800"},
    LOAD_OPTIONS,
    {"end", 0, "T", "with --instants: the end of the run"},
    FORMULATION_OPTIONS,
    {"integrator", 0, "NAME", "auto, adams, bdf (stiff), rk; with fixed steps: rk4, euler"},
    TOLERANCE_OPTIONS,
    {"quiet", 'q', NULL, "only error messages, no progress"},
    {0}};

enum { MOST_INSTANTS = 1000 };
typedef struct {
  double time[MOST_INSTANTS];
  int n;
} instants;

/* --at: rising times, none before the start. */
static int read_times(const cli_args *a, instants *out)
{
  const char *text = args_text(a, "at");
  char *end = NULL;
  for (; text && *text; text = *end == ',' ? end + 1 : end) {
    const double t = strtod(text, &end);
    const bool good = end != text && (*end == ',' || !*end) && t >= 0 && t < 1e300;
    if (!good || out->n == MOST_INSTANTS || (out->n > 0 && t <= out->time[out->n - 1]))
      return usage_error(a->verb, "--at needs rising times from 0 on, e.g. 0,0.5,1, at most %d",
                         MOST_INSTANTS);
    out->time[out->n++] = t;
  }
  return CLI_DONE;
}

static int read_instants(const cli_args *a, double end, instants *out)
{
  double n = 1;
  int status = read_times(a, out);
  if (status == CLI_DONE) status = args_number(a, "instants", &n);
  if (status != CLI_DONE) return status;
  if (!(n >= 1 && n <= MOST_INSTANTS) || n != (int)n)
    return usage_error(a->verb, "--instants must be a whole number from 1 to %d", MOST_INSTANTS);
  if (args_has(a, "instants") && args_has(a, "at"))
    return usage_error(a->verb, "either --at or --instants");
  for (int i = 0; i < n && !args_has(a, "at"); i++)
    out->time[out->n++] = n > 1 ? end * i / (n - 1) : 0;
  return CLI_DONE;
}

static lw_status find_poses(const lw_model *m, const double q[], const double u[], int nbody,
                            lw_pose pose[])
{
  lw_work *w = lw_work_new(m);
  lw_status status = w ? lw_kinematics(w, q, u) : LW_E_MEMORY;
  pose[0] = (lw_pose){.quat = {1}};
  for (int b = 1; b <= nbody && status == LW_OK; b++)
    status = lw_get_pose(w, (lw_body){b}, &pose[b]);
  lw_work_free(w);
  return status;
}

/* Simulates to each instant; events may change the model, but not its bodies. */
static int simulate_instants(const cli_args *a, lw_simulation *sim, const instants *at, int nbody,
                             lw_pose pose[])
{
  lw_error err = {0};
  int nq, nu;
  lw_simulation_capacity(sim, &nq, &nu);
  double *q = calloc((size_t)nq + (size_t)nu + 1, sizeof *q);
  if (!q) return out_of_memory(a);
  lw_status status = LW_OK;
  for (int i = 0; i < at->n && status == LW_OK; i++) {
    status = lw_simulation_advance(sim, at->time[i], q, q + nq, &err);
    if (status == LW_OK)
      status = find_poses(lw_simulation_model(sim), q, q + nq, nbody, pose + i * (nbody + 1));
  }
  free(q);
  if (status == LW_OK) return CLI_DONE;
  return err.text[0] ? report_model_error(a, &err)
                     : complain_status(a, "the picture cannot be drawn", status);
}

static int draw_model(const cli_args *a, const lw_model *m, const lw_simulation_options *requested,
                      lw_view view)
{
  lw_error err = {0};
  instants at = {.n = 0};
  double width = 0;
  int done = args_number(a, "width", &width);
  if (done == CLI_DONE && args_has(a, "width") && !(width >= 100 && width <= 20000))
    return usage_error(a->verb, "--width must be from 100 to 20000 pixels");
  lw_simulation *sim = done == CLI_DONE ? lw_simulation_new(m, requested, &err) : NULL;
  if (done == CLI_DONE && !sim) return report_model_error(a, &err);
  if (done == CLI_DONE) done = read_instants(a, lw_simulation_used(sim).end, &at);
  const int nbody = lw_nbody(m);
  lw_pose *pose = calloc((size_t)at.n * ((size_t)nbody + 1) + 1, sizeof *pose);
  if (done == CLI_DONE && !pose) done = out_of_memory(a);
  if (done == CLI_DONE) done = simulate_instants(a, sim, &at, nbody, pose);
  if (done == CLI_DONE) warn_of_formulation(a, lw_simulation_used(sim).formulation);
  const lw_drawing d = {
      .ninstant = at.n, .pose = pose, .time = at.time, .view = view, .width = width};
  if (done == CLI_DONE && lw_write_mechanism_svg(m, &d, args_text(a, "output"), &err) != LW_OK)
    done = report_model_error(a, &err);
  if (done == CLI_DONE && !args_has(a, "quiet")) print_message("wrote %s", args_text(a, "output"));
  free(pose);
  lw_simulation_free(sim);
  return done;
}

static int draw(const cli_args *a)
{
  static const char run[] = "at|instants"; /* without them there is none */
  static const option_need needs[] = {
      {"end", "instants"}, {"formulation", run}, {"solver", run}, {"ordering", run}, {"loops", run},
      {"threads", run},    {"integrator", run},  {"rtol", run},   {"atol", run},     {"step", run}};
  static const char *const views[] = {"auto", "front", "side", "top", "oblique"};
  lw_simulation_options requested = {0};
  int view = 0;
  if (!args_has(a, "output")) return usage_error(a->verb, "-o FILE.svg is needed");
  int status = check_needs(a, needs, sizeof needs / sizeof *needs);
  if (status == CLI_DONE) status = run_options(a, &requested);
  if (status == CLI_DONE) status = check_file(a, "output", "SVG");
  if (status == CLI_DONE) status = args_choice(a, "view", views, 5, &view);
  lw_model *m = status == CLI_DONE ? load_model(a, &status) : NULL;
  if (!m) return status;
  status = draw_model(a, m, &requested, (lw_view)view);
  lw_model_free(m);
  return status;
}

const cli_verb verb_draw = {
    "draw", "Draws the mechanism at one or more instants as an SVG picture.",
    "linkwork draw models/squeezer.yaml -o squeezer.svg --at 0,0.01,0.02", options, draw};
