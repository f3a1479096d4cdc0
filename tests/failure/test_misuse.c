/* SPDX-License-Identifier: Apache-2.0 */
/* Every public function with each of its arguments wrong in turn: it answers, and refuses what the headers do not
   allow.  The cases are made from the headers by generate_misuse.py; each runs in a process of its own, so that one
   that crashes does not hide the others. */
#include "lwt.h"

#include "linkwork/all.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

enum { ROOM = 4096, MANY = 12 };

/* one object of each kind, all of one model, and good values for other arguments */
typedef struct {
  lw_spec *lw_spec;
  lw_model *lw_model;
  lw_work *lw_work;
  lw_dca *lw_dca;
  lw_dca_derivatives *lw_dca_derivatives;
  lw_derivatives *lw_derivatives;
  lw_model_derivative *lw_model_derivative;
  lw_cartesian *lw_cartesian;
  lw_dynamics *lw_dynamics;
  lw_simulation *lw_simulation;
  lw_columns *lw_columns;
  lw_sensitivity *lw_sensitivity;
  lw_sko *lw_sko;
  lw_sko_partition *lw_sko_partition;
  lw_mass_factor *lw_mass_factor;
  lw_solver *lw_solver;
  lw_graph *lw_graph;
  lw_spanning_tree *lw_spanning_tree;
  lw_tree *lw_tree;
  lw_segments *lw_segments;
  lw_topology *lw_topology;
  lw_table *lw_table;
  lw_self_stress *lw_self_stress;
  lw_linearization *lw_linearization;
  lw_modes *lw_modes;
  lw_rest *lw_rest;
  lw_error err;
  double q[64], u[64], udot[64], number[MANY][ROOM];
  int parent[64], listing[64], integer[MANY][ROOM];
  unsigned char set[256];
  char zeros[MANY][1024];
  const char *names[4];
  _Alignas(64) char memory[1 << 16];
} fixture;

enum { ANSWER = 100, NOTHING = 200, SOMETHING = 201, SURVIVED = 202 };
typedef struct {
  const char *function, *argument, *wrong;
  bool refuse; /* it must be refused, not only survived */
  int (*call)(fixture *f, fixture *g);
} misuse;

#include "misuse_cases.h"

/* ---- two models of different sizes ---- */

static const char pendulum[] =
    "{linkwork: 1, gravity: [0, -9.81, 0], parameters: {A: 1}, bodies: {A: {solid: {rod: {length: "
    "A, mass: 1}}},"
    " B: {solid: {rod: {length: 1, mass: 2}}}}, joints: {A: {type: revolute, parent: ground, "
    "child: A, axis: x,"
    " q: 0.3}, B: {type: universal, parent: A, child: B, at: [0, 0, 1]}}, forces: {s: {type: "
    "joint_spring,"
    " joint: A, stiffness: 5}}, sensitivity: {parameters: [A], objectives: {o: {final: q.A}}}}";
static const char larger[] =
    "{linkwork: 1, gravity: [0, -9.81, 0], parameters: {A: 1}, bodies: {A: {mass: 1, inertia: [1, "
    "1, 1]},"
    " B: {mass: 1, inertia: [1, 1, 1]}, C: {mass: 1, inertia: [1, 1, 1]}, D: {mass: A, inertia: "
    "[1, 1, 1]},"
    " E: {mass: 1, inertia: [1, 1, 1]}}, joints: {A: {type: spherical, parent: ground, child: A}, "
    "B: {type:"
    " revolute, parent: A, child: B, at: [1, 0, 0]}, C: {type: revolute, parent: B, child: C, at: "
    "[1, 0, 0]},"
    " E: {type: revolute, parent: C, child: E, at: [1, 0, 0]}}, sensitivity: {parameters: [A],"
    " objectives: {o: {final: q.B}}}}";

static void fill_plain(fixture *f)
{
  for (int i = 0; i < 64; i++) {
    f->parent[i] = i - 1;
    f->listing[i] = i;
  }
  f->set[0] = 1;
  for (int i = 0; i < 3; i++)
    f->names[i] = "A";
}

static void fill_graphs(fixture *f)
{
  f->lw_graph = lw_model_graph(f->lw_model, NULL);
  f->lw_spanning_tree = lw_spanning_tree_new(f->lw_graph, NULL, NULL);
  f->lw_tree = lw_model_tree(f->lw_model, NULL);
  f->lw_segments = lw_segments_new(f->lw_tree, NULL);
  f->lw_topology = lw_topology_new(f->lw_model, NULL);
  f->lw_sko = lw_sko_from_model(f->lw_model, NULL);
  f->lw_sko_partition = lw_sko_partition_new(f->lw_sko, f->set, NULL);
  f->lw_mass_factor = lw_mass_factor_new(lw_nu(f->lw_model), f->parent, NULL);
}

static void fill_dynamics(fixture *f)
{
  const lw_model *m = f->lw_model;
  f->lw_work = lw_work_new(m);
  f->lw_dca = lw_dca_new(m, NULL, NULL);
  f->lw_dca_derivatives = lw_dca_derivatives_new(f->lw_dca, 1, NULL);
  f->lw_derivatives = lw_derivatives_new(m);
  f->lw_model_derivative = lw_model_derivative_new(m, "A", NULL);
  f->lw_cartesian = lw_cartesian_new(m, NULL, NULL);
  f->lw_dynamics = lw_dynamics_new(m, NULL, NULL);
  lwt_ok(lw_dca_linearize(f->lw_dca_derivatives, f->lw_work, 0, f->q, f->u, NULL, f->udot));
  lwt_ok(lw_linearize_forward(f->lw_derivatives, 0, f->q, f->u, NULL, f->udot));
  lwt_ok(lw_cartesian_forward_dynamics(f->lw_cartesian, f->lw_work, 0, f->q, f->u, NULL, f->udot));
  lwt_ok(lw_forward_dynamics(f->lw_work, 0, f->q, f->u, NULL, f->udot));
  lwt_ok(lw_joint_loads(f->lw_work));
  const lw_direction along = {.u = f->u};
  lwt_ok(lw_dca_derivative(f->lw_dca_derivatives, &along, f->udot));
  lwt_ok(lw_forward_derivative(f->lw_derivatives, &along, f->udot));
  lwt_ok(lw_load_derivatives(f->lw_derivatives));
  lwt_ok(lw_sko_update(f->lw_sko, f->lw_work));
  lwt_ok(lw_sko_factor(f->lw_sko));
  lwt_ok(lw_sko_compliance(f->lw_sko));
  f->lw_self_stress = lw_self_stress_new(f->lw_work);
  f->lw_linearization = lw_linearize(f->lw_work, 0, f->q, f->u, NULL);
  f->lw_modes = lw_modes_new(f->lw_linearization, NULL);
  f->lw_rest = lw_rest_new(m, 0, f->q, NULL, NULL);
  f->lw_solver =
      lw_solver_new(f->lw_work, 0, f->q, f->u, (lw_solver_method)0, LW_ORDER_METHODS, NULL);
  lwt_ok(lw_forward_dynamics(f->lw_work, 0, f->q, f->u, NULL, f->udot));
}

static fixture *fixture_new(const char *text)
{
  fixture *f = aligned_alloc(64, (sizeof *f + 63) / 64 * 64);
  memset(f, 0, sizeof *f);
  fill_plain(f);
  f->lw_spec = lw_spec_parse(text, strlen(text), "model", &f->err);
  f->lw_model = f->lw_spec ? lw_compile(f->lw_spec, &f->err) : NULL;
  if (!f->lw_model) fail_msg("%s", f->err.text);
  lw_initial_state(f->lw_model, f->q, f->u);
  fill_graphs(f);
  fill_dynamics(f);
  f->lw_simulation = lw_simulation_new(f->lw_model, NULL, &f->err);
  f->lw_sensitivity = lw_sensitivity_new(f->lw_model, NULL, 0, NULL, &f->err);
  f->lw_columns = lw_columns_new(f->lw_model, NULL, &f->err);
  f->lw_table = lw_table_create("/dev/null", f->names, 3, &f->err);
  void *const *object = (void *const *)f;
  for (int i = 0; &object[i] <= (void *const *)&f->lw_modes; i++)
    if (!object[i]) fail_msg("object %d could not be made: %s", i, f->err.text);
  return f;
}

/* Objects before what they are made of. */
static void fixture_free(fixture *f)
{
  lw_table_close(f->lw_table, NULL);
  lw_columns_free(f->lw_columns);
  lw_sensitivity_free(f->lw_sensitivity);
  lw_simulation_free(f->lw_simulation);
  lw_solver_free(f->lw_solver);
  lw_modes_free(f->lw_modes);
  lw_rest_free(f->lw_rest);
  lw_linearization_free(f->lw_linearization);
  lw_self_stress_free(f->lw_self_stress);
  lw_dynamics_free(f->lw_dynamics);
  lw_cartesian_free(f->lw_cartesian);
  lw_model_derivative_free(f->lw_model_derivative);
  lw_derivatives_free(f->lw_derivatives);
  lw_dca_derivatives_free(f->lw_dca_derivatives);
  lw_dca_free(f->lw_dca);
  lw_work_free(f->lw_work);
  lw_mass_factor_free(f->lw_mass_factor);
  lw_sko_partition_free(f->lw_sko_partition);
  lw_sko_free(f->lw_sko);
  lw_topology_free(f->lw_topology);
  lw_segments_free(f->lw_segments);
  lw_tree_free(f->lw_tree);
  lw_spanning_tree_free(f->lw_spanning_tree);
  lw_graph_free(f->lw_graph);
  lw_model_free(f->lw_model);
  lw_spec_free(f->lw_spec);
  free(f);
}

/* ---- the cases ---- */

/* of the processor, so that other programs on the machine do not count */
static void limit_processor_time(unsigned seconds)
{
  const struct rlimit limit = {seconds, seconds};
  setrlimit(RLIMIT_CPU, &limit);
}

/* What a process that only makes this call exits with; -1: it was killed, or a sanitizer ended it. */
static int try_call(const misuse *c, fixture *f, fixture *g)
{
  fflush(NULL);
  const pid_t child = fork();
  if (child == 0) {
    limit_processor_time(60);
    signal(SIGSEGV, SIG_DFL); /* of cmocka, which would go on */
    signal(SIGABRT, SIG_DFL);
    signal(SIGFPE, SIG_DFL);
    signal(SIGBUS, SIG_DFL);
    _exit(c->call(f, g));
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) && WEXITSTATUS(status) >= ANSWER ? WEXITSTATUS(status) : -1;
}

static const char *fault_of(const misuse *c, int answer)
{
  if (answer < 0) return "crashes";
  if (c->refuse && answer == ANSWER + LW_OK) return "is accepted";
  if (c->refuse && answer == SOMETHING) return "gives an object";
  if (c->refuse && answer < NOTHING && answer != ANSWER + LW_E_ARG)
    return "is refused, but not as LW_E_ARG";
  return NULL;
}

static void wrong_arguments_are_refused(void **state)
{
  (void)state;
  fixture *f = fixture_new(pendulum), *g = fixture_new(larger);
  int faults = 0;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    const char *fault = fault_of(&cases[i], try_call(&cases[i], f, g));
    if (!fault) continue;
    faults++;
    fprintf(stderr, "%s: %s %s: %s\n", cases[i].function, cases[i].argument, cases[i].wrong, fault);
  }
  fixture_free(f);
  fixture_free(g);
  assert_int_equal(faults, 0);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(wrong_arguments_are_refused)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
