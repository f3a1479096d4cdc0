/* SPDX-License-Identifier: Apache-2.0 */
/* codegen.c -- linkwork codegen: the dynamics of a model as C. */
#include "files.h"
#include "linkwork/code.h"
#include "verbs.h"

#include <stdlib.h>
#include <string.h>

static const cli_option options[] = {
    {"output", 'o', "FILE.c",
     "the file to write, required; its header FILE.h is written beside it"},
    {"prefix", 0, "NAME", "of all functions, default: the name of the file"},
    {"jacobian", 0, "B",
     "write the Jacobian of this body or point; repeatable; default: points and tips"},
    {"float", 0, NULL, "numbers are float instead of double"},
    LOAD_OPTIONS,
    JSON_OPTION,
    {"quiet", 'q', NULL, "no messages but errors"},
    {0}};

static bool say_json(const char *path, const lw_model *m, const lw_code_report *r)
{
  json j;
  if (!json_start(&j)) return false;
  json_object(&j, NULL);
  json_bool(&j, "ok", true);
  json_text(&j, "output", path);
  json_integer(&j, "speeds", lw_nu(m));
  json_integer(&j, "constraints", r->constraints);
  json_object(&j, "operations");
  if (r->forward) json_integer(&j, "forward_dynamics", r->forward);
  if (r->inverse) json_integer(&j, "inverse_dynamics", r->inverse);
  json_integer(&j, "mass_matrix", r->mass_matrix);
  json_object_end(&j);
  json_text(&j, "left_out", r->left_out);
  json_object_end(&j);
  return json_finish(&j);
}

static void say(const cli_args *a, const char *path, const lw_code_report *r)
{
  if (r->left_out[0])
    print_message("warning: %s: the code does not have %s of the model", path, r->left_out);
  if (args_has(a, "quiet")) return;
  if (r->forward)
    print_message("%s: forward dynamics %d operations (by %s), inverse dynamics %d, mass matrix %d",
                  path, r->forward, r->articulated ? "articulated bodies" : "the mass matrix",
                  r->inverse, r->mass_matrix);
  else
    print_message("%s: closed mechanism, %d independent equations, mass matrix %d operations", path,
                  r->constraints, r->mass_matrix);
}

static int codegen(const cli_args *a)
{
  int status = CLI_DONE;
  lw_error err = {0};
  lw_code_report report = {0};
  const char *path = args_text(a, "output");
  const size_t length = path ? strlen(path) : 0;
  if (length < 3 || strcmp(path + length - 2, ".c") != 0)
    return usage_error(a->verb, "-o FILE.c is missing: where to write the code");
  status = check_file(a, "output", "C");
  const char **names = calloc((size_t)a->ngiven + 1, sizeof *names);
  if (!names) return out_of_memory(a);
  lw_code_options o = {
      .prefix = args_text(a, "prefix"), .single = args_has(a, "float"), .jacobian = names};
  for (int i = 0; i < a->ngiven; i++)
    if (strcmp(a->given[i].option->name, "jacobian") == 0) names[o.njacobian++] = a->given[i].value;
  if (o.njacobian == 0) o.jacobian = NULL;
  lw_model *m = status == CLI_DONE ? load_model(a, &status) : NULL;
  if (m && lw_write_code(m, &o, path, &report, &err) != LW_OK) status = report_model_error(a, &err);
  if (m && status == CLI_DONE) say(a, path, &report);
  if (m && status == CLI_DONE && args_has(a, "json"))
    status = say_json(path, m, &report) ? CLI_DONE : out_of_memory(a);
  free(names);
  lw_model_free(m);
  return status;
}

const cli_verb verb_codegen = {"codegen",
                               "Writes the dynamics of the model as C without dependencies.",
                               "linkwork codegen arm.yaml -o arm.c", options, codegen};
