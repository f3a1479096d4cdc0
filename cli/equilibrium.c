/* SPDX-License-Identifier: Apache-2.0 */
/* equilibrium.c -- linkwork equilibrium: static equilibrium of the mechanism. */
#include "eval.h"
#include "files.h"
#include "linkwork/query.h"
#include "linkwork/signals.h"
#include "page_report.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const cli_option options[] = {
    {"q", 0, "J=X[,X...]", "where to start: coordinates of joint J; repeatable"},
    {"nearest", 0, NULL,
     "the nearest equilibrium, stable or not; default: downhill to a stable one"},
    {"t", 0, "T", "drivers and forces are those of this time, default 0"},
    {"report", 0, "FILE.html", "write a page for browsers: the mechanism at rest, its loads"},
    LOAD_OPTIONS,
    JSON_OPTION,
    {0}};

enum { MANY = 40 }; /* rows of a table */

static void print_springs(const evaluation *e)
{
  const int n = lw_nspring(e->m);
  if (n > 0) printf("\nsprings: length, tension\n");
  for (int i = 0; i < n && i < MANY; i++) {
    lw_spring_state s = {0};
    lw_get_spring(e->w, i, &s);
    printf("  %-16s %16.9g %16.9g\n", s.name, s.length, s.tension);
  }
  if (n > MANY) printf("  ... and %d more\n", n - MANY);
}

/* Index of the first state in q. */
static int first_state(const lw_model *m)
{
  return lw_nq(m) - lw_nstate(m);
}

static void print_model_states(const evaluation *e)
{
  int n = 0;
  for (int i = 0; i < lw_nstate(e->m); i++) {
    if (lw_state_is_internal(e->m, i) || n++ >= MANY) continue;
    if (n == 1) printf("\nstates\n");
    printf("  %-16s %16.9g\n", lw_state_name(e->m, i), e->q[first_state(e->m) + i]);
  }
  if (n > MANY) printf("  ... and %d more\n", n - MANY);
}

static void json_model_states(json *j, const evaluation *e)
{
  json_object(j, "states");
  for (int i = 0; i < lw_nstate(e->m); i++)
    if (!lw_state_is_internal(e->m, i))
      json_number(j, lw_state_name(e->m, i), e->q[first_state(e->m) + i]);
  json_object_end(j);
}

static void print_verdict(const lw_equilibrium_report *r)
{
  printf("%s equilibrium", lw_stability_name(r->stability));
  if (r->unstable) printf(", unstable in %d of %d directions", r->unstable, r->dof);
  if (r->neutral) printf(", neutral in %d of %d directions", r->neutral, r->dof);
  printf("\n%d degree%s of freedom, %d step%s, remaining load %.3g (scale %.3g)\n\n", r->dof,
         plural(r->dof), r->steps, plural(r->steps), r->residual, r->scale);
}

/* What limits, contacts and friction do there. */
static void print_rest(const lw_rest *rest)
{
  if (rest) printf("\nlimits, contacts, friction: load, and where friction holds\n");
  for (int i = 0; i < lw_rest_npart(rest) && i < MANY; i++) {
    const lw_rest_part p = lw_rest_get_part(rest, i);
    if (!p.holds) {
      printf("  %-16s %16s\n", p.name, "open");
      continue;
    }
    printf("  %-16s %16.9g", p.name, p.load);
    if (!isnan(p.lower)) printf("   from %.9g to %.9g", p.lower, p.upper);
    printf("\n");
  }
  if (lw_rest_npart(rest) > MANY) printf("  ... and %d more\n", lw_rest_npart(rest) - MANY);
}

static void json_rest(json *j, const lw_rest *rest)
{
  json_object(j, "one_sided");
  for (int i = 0; i < lw_rest_npart(rest); i++) {
    const lw_rest_part p = lw_rest_get_part(rest, i);
    json_object(j, p.name);
    json_bool(j, "holds", p.holds);
    json_number(j, "load", p.load);
    if (isfinite(p.lower)) json_number(j, "lower", p.lower);
    if (isfinite(p.upper)) json_number(j, "upper", p.upper);
    json_object_end(j);
  }
  json_object_end(j);
}

static void print_all(const evaluation *e, const lw_equilibrium_report *r, const lw_rest *rest)
{
  const state_column columns[] = {{"q", COORDINATES, e->q}};
  print_verdict(r);
  print_states(e->m, columns, 1, MANY);
  print_model_states(e);
  evaluation_print_loads(e);
  print_springs(e);
  print_rest(rest);
  printf("\npotential energy  %.9g\nconstraint drift  %.3g\n", e->potential, e->drift);
}

static void json_poses(json *j, const evaluation *e)
{
  json_object(j, "bodies");
  for (int b = 1; b <= lw_nbody(e->m); b++) {
    lw_pose X;
    evaluation_pose(e, b, &X);
    json_object(j, lw_body_name(e->m, (lw_body){b}));
    json_numbers(j, "position", X.p, 3);
    json_numbers(j, "quat", X.quat, 4);
    json_object_end(j);
  }
  json_object_end(j);
}

static void json_springs(json *j, const evaluation *e)
{
  json_object(j, "springs");
  for (int i = 0; i < lw_nspring(e->m); i++) {
    lw_spring_state s = {0};
    lw_get_spring(e->w, i, &s);
    json_object(j, s.name);
    json_number(j, "length", s.length);
    json_number(j, "tension", s.tension);
    json_object_end(j);
  }
  json_object_end(j);
}

/* to be freed; NULL: a number is not finite, or no memory */
static char *all_as_json(const evaluation *e, const lw_equilibrium_report *r, const lw_rest *rest)
{
  json j;
  if (!json_start(&j)) return NULL;
  json_object(&j, NULL);
  json_text(&j, "stability", lw_stability_name(r->stability));
  json_integer(&j, "unstable", r->unstable);
  json_integer(&j, "neutral", r->neutral);
  json_integer(&j, "dof", r->dof);
  json_integer(&j, "steps", r->steps);
  json_number(&j, "residual", r->residual);
  json_number(&j, "scale", r->scale);
  json_number(&j, "time", e->t);
  json_state(&j, "q", e->m, COORDINATES, e->q);
  json_poses(&j, e);
  evaluation_json_loads(&j, e);
  json_springs(&j, e);
  json_model_states(&j, e);
  if (rest) json_rest(&j, rest);
  json_number(&j, "potential_energy", e->potential);
  json_number(&j, "drift", e->drift);
  json_object_end(&j);
  return json_take(&j);
}

/* ghost: poses where the search began, which the page takes over */
static int write_report(const cli_args *a, const evaluation *e, const char *facts, double *ghost)
{
  page p;
  const char *path = args_text(a, "report");
  const lw_status status = page_still(&p, e->m, e->w, e->t, e->q);
  p.facts_are = "equilibrium";
  p.ghost = ghost;
  const int done = status == LW_OK ? page_report(a, &p, facts, path)
                                   : complain_status(a, "the report cannot be written", status);
  page_free(&p);
  if (done == CLI_DONE) print_message("wrote %s", path);
  return done;
}

/* The page comes last: it moves e->w. */
static int say(const cli_args *a, const evaluation *e, const lw_equilibrium_report *r,
               const lw_rest *rest, double *ghost)
{
  char *text = args_has(a, "json") || ghost ? all_as_json(e, r, rest) : NULL;
  int done = CLI_DONE;
  if (!text && (args_has(a, "json") || ghost)) {
    free(ghost);
    return complain_status(a, "the results cannot be written", LW_E_NUMBER);
  }
  if (!args_has(a, "json")) print_all(e, r, rest);
  if (ghost) done = write_report(a, e, text, ghost);
  if (args_has(a, "json"))
    json_print(text);
  else
    free(text);
  return done;
}

/* Loads last: poses and loads remain in e->w. */
static lw_status finish(evaluation *e)
{
  lw_status status = lw_energy(e->w, e->q, e->u, &e->kinetic, &e->potential);
  if (status == LW_OK) status = lw_drift(e->w, e->t, e->q, &e->drift);
  if (status == LW_OK) status = lw_static_loads(e->w, e->t, e->q, NULL);
  if (status == LW_OK) status = lw_get_cut_joints(e->w, e->q, NULL, NULL);
  if (status == LW_OK) status = lw_joint_loads(e->w);
  return status;
}

/* With limits, contacts and friction the rest is that of the model in which what holds is a constraint. */
static lw_status find_rest(evaluation *e, const lw_equilibrium_options *o, lw_rest **rest,
                           lw_equilibrium_report *r, lw_error *err)
{
  if (!lw_is_one_sided(e->m)) return lw_equilibrium(e->w, e->t, e->q, o, r, err);
  *rest = lw_rest_new(e->m, e->t, e->q, o, err);
  if (!*rest) return err->status;
  lw_work *w = lw_work_new(lw_rest_model(*rest));
  if (!w) return err->status = LW_E_MEMORY;
  memcpy(e->q, lw_rest_q(*rest), (size_t)lw_nq(e->m) * sizeof *e->q);
  lw_work_free(e->w);
  e->w = w;
  e->m = lw_rest_model(*rest);
  *r = lw_rest_report(*rest);
  return LW_OK;
}

static int find(const cli_args *a, evaluation *e, lw_rest **rest)
{
  progress bar = progress_start(true);
  const lw_equilibrium_options o = {
      .nearest = args_has(a, "nearest"), .on_step = progress_step, .context = &bar};
  lw_equilibrium_report r = {0};
  lw_error err = {0};
  int done = args_number(a, "t", &e->t);
  if (done == CLI_DONE) done = start_state(a, e->m, e->w, e->t, e->q, e->u);
  if (done != CLI_DONE) return done;
  memset(e->u, 0, (size_t)lw_nu_all(e->m) * sizeof(double));
  double *ghost = NULL;
  if (args_has(a, "report")) {
    ghost = malloc(7 * ((size_t)lw_nbody(e->m) + 1) * sizeof *ghost);
    if (!ghost) return out_of_memory(a);
    page_poses(e->m, e->w, e->q, ghost);
  }
  const lw_status found = find_rest(e, &o, rest, &r, &err);
  progress_end(&bar);
  if (found != LW_OK) {
    free(ghost);
    return report_model_error(a, &err);
  }
  choose_quaternions(e->m, e->q);
  const lw_status status = finish(e);
  if (status != LW_OK) {
    free(ghost);
    lw_explain(e->w, e->t, e->q, NULL, status, "the loads cannot be computed", &err);
    return report_model_error(a, &err);
  }
  return say(a, e, &r, *rest, ghost);
}

static int equilibrium(const cli_args *a)
{
  int status = args_has(a, "report") ? page_check(a) : CLI_DONE;
  if (status == CLI_DONE) status = check_file(a, "report", "HTML");
  lw_model *m = status == CLI_DONE ? load_model(a, &status) : NULL;
  if (!m) return status;
  evaluation e = {.m = m, .w = lw_work_new(m)};
  e.q = calloc((size_t)lw_nq_all(m) + 1, sizeof *e.q);
  e.u = calloc((size_t)lw_nu_all(m) + 1, sizeof *e.u);
  lw_rest *rest = NULL;
  status = e.w && e.q && e.u ? find(a, &e, &rest) : out_of_memory(a);
  lw_work_free(e.w);
  lw_rest_free(rest);
  free(e.q);
  free(e.u);
  lw_model_free(m);
  return status;
}

const cli_verb verb_equilibrium = {"equilibrium",
                                   "Finds where the mechanism rests, and whether it stays there.",
                                   "linkwork equilibrium models/hmmwv.yaml", options, equilibrium};
