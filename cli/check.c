/* SPDX-License-Identifier: Apache-2.0 */
/* check.c -- linkwork check: is the model valid? */
#include "redundancy.h"
#include "singular.h"
#include "linkwork/formulation.h"
#include "linkwork/query.h"

#include <stdlib.h>

static const cli_option options[] = {LOAD_OPTIONS, JSON_OPTION, {0}};

/* "3 bodies, 1 joint" without "1 joints" */
static void print_count(const char *separator, int n, const char *thing)
{
  const bool y = n != 1 && thing[0] == 'b'; /* body, bodies */
  printf("%s%d %s", separator, n, n == 1 ? thing : y ? "bodies" : thing);
  if (n != 1 && !y) printf("s");
}

/* Results of assembling. */
typedef struct {
  int dof, redundant;
  bool singular;
  singular_place place; /* if it starts at one */
  redundancy redundancy;
} freedoms;

static int try_state(const cli_args *a, const lw_model *m, lw_work *w, double *q, double *u,
                     double *udot, freedoms *f)
{
  lw_error err = {0};
  lw_initial_state(m, q, u);
  if (lw_close_loops(w, 0, q, u, &err) != LW_OK) return report_model_error(a, &err);
  lw_status status = lw_dof(w, q, &f->dof, &f->redundant);
  if (status == LW_OK) status = singular_at(m, 0, q, AT_START, &f->singular, &f->place);
  if (status == LW_OK) status = lw_forward_dynamics(w, 0, q, u, NULL, udot);
  if (status == LW_E_UNSUPPORTED) { /* by the tree */
    lw_dynamics *d = lw_dynamics_new(m, NULL, &err);
    if (!d) return report_model_error(a, &err);
    status = lw_dynamics_accelerate(d, 0, q, u, NULL, udot);
    lw_dynamics_free(d);
  }
  if (status == LW_OK) return CLI_DONE;
  lw_explain(w, 0, q, u, status, "the accelerations at the start cannot be computed", &err);
  return report_model_error(a, &err);
}

/* Can the loops be closed, and can the dynamics be computed at the initial state? */
static int try_dynamics(const cli_args *a, const lw_model *m, freedoms *f)
{
  lw_work *w = lw_work_new(m);
  double *q = malloc(((size_t)lw_nq(m) + 1) * sizeof *q);
  double *u = malloc(((size_t)lw_nu(m) + 1) * sizeof *u);
  double *udot = malloc(((size_t)lw_nu(m) + 1) * sizeof *udot);
  const int status = w && q && u && udot ? try_state(a, m, w, q, u, udot, f) : out_of_memory(a);
  lw_work_free(w);
  free(q);
  free(u);
  free(udot);
  return status;
}

/* Would `linkwork run` start with the options of the model? */
static lw_status try_simulation(const lw_model *m, lw_error *err)
{
  lw_simulation *sim = lw_simulation_new(m, NULL, err);
  lw_simulation_free(sim);
  return sim ? LW_OK : err->status;
}

static void say_ok(const cli_args *a, const lw_model *m, const freedoms *f, const char *note)
{
  printf("%s: ok: ", show(a->model).text);
  print_count("", lw_nbody(m), "body");
  print_count(", ", lw_njoint(m), "joint");
  if (lw_nconstraint(m) > 0) print_count(", ", lw_nconstraint(m), "constraint");
  print_count(", ", lw_nparameter(m), "parameter");
  if (lw_nevent(m) > 0) print_count(", ", lw_nevent(m), "event");
  if (lw_nlimit(m) > 0) print_count(", ", lw_nlimit(m), "limit");
  if (lw_ncontact(m) > 0) print_count(", ", lw_ncontact(m), "contact");
  print_count(", ", f->dof, "degree");
  printf(" of freedom");
  if (f->redundant > 0) print_count(", ", f->redundant, "redundant equation");
  printf("\n");
  if (redundancy_matters(&f->redundancy))
    redundancy_print(&f->redundancy, "redundancy: ", "            ");
  if (note) printf("note: %s\n", show(note).text);
  if (f->singular) singular_warn(a, &f->place);
}

static bool say_json(const lw_model *m, const freedoms *f, const char *note)
{
  json j;
  if (!json_start(&j)) return false;
  json_object(&j, NULL);
  json_bool(&j, "ok", true);
  json_text(&j, "name", lw_model_name(m));
  json_integer(&j, "bodies", lw_nbody(m));
  json_integer(&j, "joints", lw_njoint(m));
  json_integer(&j, "constraints", lw_nconstraint(m));
  json_integer(&j, "parameters", lw_nparameter(m));
  json_integer(&j, "events", lw_nevent(m));
  json_integer(&j, "limits", lw_nlimit(m));
  json_integer(&j, "contacts", lw_ncontact(m));
  json_integer(&j, "dof", f->dof);
  json_integer(&j, "redundant", f->redundant);
  redundancy_json(&j, &f->redundancy);
  singular_json(&j, "singularities", &f->place, f->singular);
  json_text(&j, "note", note);
  json_object_end(&j);
  return json_finish(&j);
}

static int say_result(const cli_args *a, const lw_model *m, freedoms *f, const char *note)
{
  if (redundancy_find(&f->redundancy, m, 0, NULL, f->singular) != LW_OK) return out_of_memory(a);
  bool said = true;
  if (args_has(a, "json"))
    said = say_json(m, f, note);
  else
    say_ok(a, m, f, note);
  redundancy_free(&f->redundancy);
  return said ? CLI_DONE : out_of_memory(a);
}

static int check_model(const cli_args *a, const lw_model *m)
{
  lw_error err = {0};
  freedoms f = {0};
  const int dynamics = try_dynamics(a, m, &f);
  if (dynamics != CLI_DONE) return dynamics;
  const lw_status simulation = try_simulation(m, &err);
  const char *note = simulation == LW_E_UNSUPPORTED ? err.text : NULL;
  if (simulation != LW_OK && !note) return report_model_error(a, &err);
  return say_result(a, m, &f, note);
}

static int check(const cli_args *a)
{
  int status;
  lw_model *m = load_model(a, &status);
  if (m) status = check_model(a, m);
  lw_model_free(m);
  return status;
}

const cli_verb verb_check = {"check", "Loads and validates the model, and reports what is wrong.",
                             "linkwork check models/double-pendulum.yaml", options, check};
