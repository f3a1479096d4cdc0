/* SPDX-License-Identifier: Apache-2.0 */
/* fuzz_deep.c -- any bytes go through what the command line does with a model: they are read, compiled, inspected, and
   then evaluated by a formulation, put at rest and linearised, simulated for some steps with events, or differentiated,
   which of it by a hash of the input (all of it for one input in sixteen).  Each step gives a result or an error with a
   text.  A target of libFuzzer (`make fuzz`) with the mutations of mutator.c; driver.c runs it without.  Sizes, steps and events are limited, so that
   one input takes milliseconds. */
#include "linkwork/derivatives.h"
#include "linkwork/inspect.h"
#include "linkwork/linkwork.h"
#include "linkwork/sensitivity.h"
#include "linkwork/solvers.h"
#include "linkwork/analysis.h"
#include "linkwork/formulation.h"
#include "linkwork/query.h"
#include "linkwork/events.h"
#include "linkwork/reader.h"
#include "io/mesh/mesh.h"
#include "io/read/table_file.h"
#include "target.h"

#include <math.h>

enum { LARGEST = 24, MOST = 200, STEPS = 24, EVENTS = 4, ROWS = 3 }; /* bodies, numbers, ... */
/* which of sixteen; the rest simulates */
enum { ALL, EVALUATE, ANALYSE = EVALUATE + 3, DIFFERENTIATE, DIFFERENTIATE_TOO, SIMULATE };

static void require_text(const lw_error *err)
{
  require(err->status != LW_OK && err->text[0], "an error without a status or a text");
}

/* ---- the parts ---- */

typedef struct {
  const lw_model *m;
  uint32_t choice; /* of verbs, formulations and integrators: by the input itself */
  double q[MOST], u[MOST], udot[MOST];
} trial;

static void inspect(const trial *x)
{
  lw_joint_orders orders;
  lw_topology *t = lw_topology_new(x->m, NULL);
  if (t)
    for (int k = 0; k < t->nloop; k++)
      require(lw_topology_loop(t, k, NULL, NULL) > 0, "a loop without length");
  lw_topology_free(t);
  (void)lw_joint_orders_of(x->m, &orders);
}

static void evaluate(trial *x, lw_formulation f)
{
  lw_error err = {0};
  double load[6];
  const lw_simulation_options options = {.formulation = f};
  lw_dynamics *d = lw_dynamics_new(x->m, &options, &err);
  if (!d) {
    require_text(&err);
    return;
  }
  if (lw_dynamics_accelerate(d, 0, x->q, x->u, NULL, x->udot) == LW_OK) {
    for (int i = 0; i < lw_nu(x->m); i++)
      require(isfinite(x->udot[i]), "an acceleration that is not finite");
    if (lw_dynamics_find_loads(d) == LW_OK)
      for (int j = 1; j <= lw_njoint(x->m); j++)
        (void)lw_dynamics_get_load(d, (lw_joint){j}, load);
  }
  lw_dynamics_free(d);
}

static void analyse(trial *x, lw_work *w)
{
  lw_error err = {0};
  lw_mobility f;
  double q[MOST];
  (void)lw_find_mobility(w, 0, x->q, &f);
  for (int i = 0; i < lw_nq(x->m); i++)
    q[i] = x->q[i];
  if (lw_equilibrium(w, 0, q, NULL, NULL, &err) != LW_OK) require_text(&err);
  lw_linearization *l = lw_linearize(w, 0, x->q, x->u, &err);
  if (!l) {
    require_text(&err);
    return;
  }
  lw_modes *modes = lw_modes_new(l, &err);
  if (!modes) require_text(&err);
  lw_modes_free(modes);
  lw_linearization_free(l);
}

typedef struct {
  int steps, events;
} limits;

static int count_step(void *context, double t)
{
  (void)t;
  return ++((limits *)context)->steps > STEPS;
}

static int count_event(void *context, const lw_event_report *report, bool after)
{
  (void)report;
  return after && ++((limits *)context)->events > EVENTS;
}

static lw_simulation_options choose_options(const trial *x)
{
  static const lw_formulation formulations[] = {LW_FORMULATION_AUTO, LW_FORMULATION_TREE,
                                                LW_FORMULATION_DCA, LW_FORMULATION_CARTESIAN};
  static const lw_integrator integrators[] = {LW_INTEGRATOR_AUTO,  LW_INTEGRATOR_RK,
                                              LW_INTEGRATOR_ADAMS, LW_INTEGRATOR_BDF,
                                              LW_INTEGRATOR_RK4,   LW_INTEGRATOR_EULER};
  return (lw_simulation_options){.formulation = formulations[x->choice % 4],
                                 .integrator = integrators[x->choice / 4 % 6]};
}

static void simulate(const trial *x)
{
  lw_error err = {0};
  limits l = {0};
  const lw_simulation_options options = choose_options(x);
  lw_simulation *sim = lw_simulation_new(x->m, &options, &err);
  lw_columns *c = sim ? lw_columns_new(x->m, NULL, &err) : NULL;
  lw_status status = c ? lw_columns_follow(c, sim, &err) : err.status;
  double *row = c ? calloc((size_t)lw_columns_count(c) + 1, sizeof *row) : NULL;
  int nq = 0, nu = 0;
  if (sim) lw_simulation_capacity(sim, &nq, &nu);
  double *q = calloc((size_t)nq + 1, sizeof *q), *u = calloc((size_t)nu + 1, sizeof *u);
  if (sim) lw_simulation_watch(sim, count_step, &l);
  if (sim) lw_simulation_on_event(sim, count_event, &l);
  for (long k = 0;
       sim && k < ROWS && k < lw_simulation_rows(sim) && status == LW_OK && q && u && row; k++) {
    status = lw_simulation_advance(sim, lw_simulation_row_time(sim, k), q, u, &err);
    if (status == LW_OK) (void)lw_columns_row(c, lw_simulation_row_time(sim, k), q, u, row);
  }
  if (status != LW_OK) require_text(&err);
  free(q);
  free(u);
  free(row);
  lw_columns_free(c);
  lw_simulation_free(sim);
}

static void differentiate(const trial *x)
{
  lw_error err = {0};
  limits l = {0};
  const lw_sensitivity_options options = {.simulation = choose_options(x),
                                          .differences = x->choice / 24 % 4 == 0};
  lw_sensitivity *s = lw_sensitivity_new(x->m, NULL, 0, &options, &err);
  if (!s) {
    require_text(&err);
    return;
  }
  lw_sensitivity_watch(s, count_step, &l);
  lw_sensitivity_on_event(s, count_event, &l);
  lw_simulation *sim = lw_sensitivity_simulation(s);
  const lw_status status =
      lw_sensitivity_advance(s, lw_simulation_row_time(sim, 1), NULL, NULL, NULL, NULL, &err);
  if (status != LW_OK) require_text(&err);
  lw_sensitivity_free(s);
}

/* ---- all of it, or a part ---- */

/* what needs a state */
static void use_state(trial *x, lw_work *w, uint32_t verb)
{
  static const lw_formulation form[] = {LW_FORMULATION_TREE, LW_FORMULATION_DCA,
                                        LW_FORMULATION_CARTESIAN};
  for (uint32_t f = 0; f < 3; f++)
    if (verb == ALL || verb == EVALUATE + f) evaluate(x, form[f]);
  if (verb == ALL || verb == ANALYSE) analyse(x, w);
}

static void start(trial *x, uint32_t verb)
{
  lw_error err = {0};
  lw_work *w = lw_work_new(x->m);
  lw_initial_state(x->m, x->q, x->u);
  const lw_status status = w ? lw_close_loops(w, 0, x->q, x->u, &err) : LW_E_MEMORY;
  if (status == LW_OK)
    use_state(x, w, verb);
  else
    require_text(&err);
  lw_work_free(w);
}

static void go_through(trial *x)
{
  const uint32_t verb = x->choice >> 28;
  const bool varied = lw_nsensitivity(x->m) > 0 && lw_nsensitivity(x->m) < 4;
  const bool differentiates = verb == DIFFERENTIATE || verb == DIFFERENTIATE_TOO;
  inspect(x);
  if (verb <= ANALYSE) start(x, verb);
  if (verb == ALL || verb >= SIMULATE || (differentiates && !varied)) simulate(x);
  if ((verb == ALL || differentiates) && varied) differentiate(x);
}

/* how deep it went, for who reads the log */
static long inputs, compiled, tried;

static void report(void)
{
  fprintf(stderr, "fuzz_deep: %ld inputs, %ld of them models, %ld of these went on\n", inputs,
          compiled, tried);
}

/* The same bytes as a mesh. */
static void measure_mesh(const uint8_t *data, size_t size)
{
  lwi_mesh mesh;
  lwi_mesh_measures measures;
  char *text = malloc(size + 1);
  if (!text) return;
  memcpy(text, data, size);
  text[size] = '\0';
  const bool read = lwi_mesh_parse(text, size, &mesh) == LWI_MESH_OK;
  require(read == (mesh.nface > 0), "a mesh without triangles");
  for (int rule = LWI_MESH_EXACT; read && rule <= LWI_MESH_SHELL; rule++)
    if (lwi_mesh_measure(&mesh, (lwi_mesh_rule)rule, &measures))
      require(measures.volume > 0 && isfinite(measures.inertia[0]), "the measures of a mesh");
  lwi_mesh_free(&mesh);
  free(text);
}

/* The same bytes as a table of numbers, which a model includes. */
static void read_table(const uint8_t *data, size_t size)
{
  lw_error err = {0};
  lwi_table_file table = {0};
  lw_sources *sources = lw_sources_new();
  if (sources && lw_sources_add(sources, "fuzz.csv", (const char *)data, size) == LW_OK) {
    if (lwi_table_file_read(sources, "fuzz.csv", &table, &err))
      require(table.ncolumn > 0, "a table without columns");
    else
      require_text(&err);
    lwi_table_file_free(&table);
  }
  lw_sources_free(sources);
}

/* A model; or, by one of its words, the file beside a robot that says which of its loops are closed. */
static lw_spec *read_spec(const uint8_t *data, size_t size, lw_error *err)
{
  static const char robot[] =
      "<robot name=\"r\"><link name=\"a\"/><link name=\"b\"><inertial><mass value=\"1\"/>"
      "<inertia ixx=\"1\" iyy=\"1\" izz=\"1\"/></inertial></link><link name=\"c\"><inertial>"
      "<mass value=\"1\"/><inertia ixx=\"1\" iyy=\"1\" izz=\"1\"/></inertial></link>"
      "<joint name=\"J\" type=\"revolute\"><parent link=\"a\"/><child link=\"b\"/></joint>"
      "<joint name=\"K\" type=\"revolute\"><parent link=\"a\"/><child link=\"c\"/></joint></robot>";
  static const char word[] = "closed_loop";
  bool side_file = false;
  for (size_t i = 0; i + sizeof word <= size && !side_file; i++)
    side_file = memcmp(data + i, word, sizeof word - 1) == 0;
  if (!side_file) return lw_spec_parse((const char *)data, size, "fuzz.yaml", err);
  lw_sources *sources = lw_sources_new();
  if (!sources || lw_sources_add(sources, "fuzz.urdf", robot, sizeof robot - 1) != LW_OK ||
      lw_sources_add(sources, "fuzz.yaml", (const char *)data, size) != LW_OK)
    exit(2);
  lw_spec *s = lw_spec_load_with("fuzz.urdf", &(lw_load_options){.sources = sources}, err);
  lw_sources_free(sources);
  return s;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  measure_mesh(data, size);
  read_table(data, size);
  if (inputs++ == 0) atexit(report);
  lw_error err = {0};
  lw_spec *s = read_spec(data, size, &err);
  lw_model *m = s ? lw_compile(s, &err) : NULL;
  if (!m) require_text(&err);
  compiled += m != NULL;
  if (m && lw_nbody(m) <= LARGEST && lw_nq_all(m) < MOST && lw_nu_all(m) < MOST) {
    trial x = {.m = m, .choice = hash(data, size)};
    tried++;
    go_through(&x);
  }
  lw_model_free(m);
  lw_spec_free(s);
  return 0;
}
