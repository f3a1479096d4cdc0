/* SPDX-License-Identifier: Apache-2.0 */
/* verbs.h -- the verbs of the command line, one file each, and how they load their model. */
#ifndef CLI_VERBS_H
#define CLI_VERBS_H
#include "args.h"
#include "linkwork/linkwork.h"
#include "output.h"
#include "report.h"

extern const cli_verb verb_run, verb_check, verb_eval, verb_inspect, verb_equilibrium, verb_modes,
    verb_inverse, verb_sens, verb_schema, verb_convert, verb_make, verb_bench, verb_results,
    verb_plot, verb_view, verb_draw, verb_sweep, verb_fit, verb_optimize, verb_codegen;

/* For the options of every verb that loads a model. */
#define LOAD_OPTIONS                                                                               \
  {"set", 0, "P=V", "give parameter P the value V; repeatable"},                                   \
      {"inertia", 0, "RULE", "of robot files, what no rigid body has: auto, keep, repair"},        \
      {"key", 0, "NAME", "of MJCF files: start in this keyframe"},                                 \
      {"root", 0, "FOLDER", "of MJCF files: they include files of this folder and below"},         \
  {                                                                                                \
    "floating-base", 0, NULL, "of robot files: links attached to nothing float"                    \
  }
#define JSON_OPTION                                                                                \
  {                                                                                                \
    "json", 0, NULL, "one JSON object on stdout"                                                   \
  }

/* For verbs that compute motion; evaluated by read_formulation. */
#define FORMULATION_OPTIONS                                                                        \
  {"formulation", 0, "NAME", "auto, tree, dca, cartesian"},                                        \
      {"solver", 0, "NAME",                                                                        \
       "of cartesian: reduced-sparse, -envelope, -band, -cholesky, -lu, -klu, -cholmod, "          \
       "augmented-klu, -klu-again, -ldl, -symmetric, -lu"},                                        \
      {"ordering", 0, "NAME",                                                                      \
       "of cartesian: natural, rcm, gps, gibbs-king, sloan, search, amd, nd, perfect, or their "   \
       "full names"},                                                                              \
      {"loops", 0, "NAME", "how tree closes loops: auto (the cheaper one), cut, embedded"},        \
  {                                                                                                \
    "threads", 0, "N", "processors that divide and conquer may use"                                \
  }
int read_formulation(const cli_args *a, lw_simulation_options *o);

/* Warnings about options without effect, unless --quiet: ignored.c. */
void warn_of_formulation(const cli_args *a, lw_formulation used);
void warn_of_run(const cli_args *a, const lw_simulation_options *used,
                 const lw_simulation_statistics *s);
void warn_of_no_table(const cli_args *a, const char *option);
/* Those that nothing has asked for: the verb did not get to where it would. */
void warn_of_unread(const cli_args *a);

/* Options that have an effect only with one of others ("at|instants"), and groups of which only one
   is given ("diff|model|output"): otherwise wrong usage. */
typedef struct {
  const char *option, *needs;
} option_need;
int check_needs(const cli_args *a, const option_need need[], int n);
int check_exclusive(const cli_args *a, const char *group);

/* For verbs that simulate: run_options.c. */
#define SPAN_OPTIONS                                                                               \
  {"end", 0, "T", "simulate from 0 to T seconds"},                                                 \
  {                                                                                                \
    "output-step", 0, "DT", "time between the rows of the table"                                   \
  }
#define TOLERANCE_OPTIONS                                                                          \
  {"rtol", 0, "R", "relative tolerance, default 1e-8"},                                            \
      {"atol", 0, "A", "absolute tolerance, default rtol/100 or less"},                            \
  {                                                                                                \
    "step", 0, "H", "the fixed step (default: output step), or the largest one"                    \
  }

/* The spec as it is read, after its warnings, with --set applied.  Returns NULL after a message. */
lw_spec *load_spec(const cli_args *a, int *status);
/* The compiled model with --set applied.  Returns NULL after a message; *status is the exit
   status. */
lw_model *load_model(const cli_args *a, int *status);

/* Where results come from, for the file that holds them. */
lw_run_record run_record(const cli_args *a);

/* Its name, or "model" if it has none. */
const char *model_title(const lw_model *m);

/* Prints "MODEL:line:column: what is wrong" on stderr; returns CLI_FAILED. */
int report_model_error(const cli_args *a, const lw_error *err);
int complain_status(const cli_args *a, const char *what, lw_status status);
int out_of_memory(const cli_args *a);

/* Reads the lists of option `option`, b1,b2,...: calls use(context, b) for each body, never the
   ground. In bodies.c. */
int read_bodies(const cli_args *a, const lw_model *m, const char *option,
                void (*use)(void *context, lw_body b), void *context);

/* ---- coordinates and speeds by joint, in state.c ---- */

/* Applies --q J=... or --u J=...: q or u as the option says, of all joints. */
int read_state(const cli_args *a, const lw_model *m, const char *option, double x[]);
/* "--option: no joint NAME; did you mean ...?" */
int unknown_joint(const cli_args *a, const lw_model *m, const char *option, const char *name);
/* The assembled initial state.  Joints named by --q and --u are held in the model, except those
   that linkwork adds for floating groups: they are set last, and carry the closed loops along. */
int start_state(const cli_args *a, const lw_model *m, lw_work *w, double t, double q[], double u[]);
/* Of the two quaternions of a rotation the output has the one with w >= 0.  They are the last four
   coordinates of joints with more coordinates than speeds. */
void choose_quaternions(const lw_model *m, double q[]);
/* {"A": 0.1, "S": [1, 0, 0, 0]}; joints without freedoms are omitted. */
typedef enum { COORDINATES, SPEEDS, TREE_SPEEDS /* without cut joints */ } state_kind;
void json_state(json *j, const char *key, const lw_model *m, state_kind kind, const double x[]);
/* A table of the joints with up to `limit` rows; a NULL column is omitted. */
typedef struct {
  const char *title;
  state_kind kind;
  const double *x;
} state_column;
void print_states(const lw_model *m, const state_column columns[], int n, int limit);

#endif
