/* SPDX-License-Identifier: Apache-2.0 */
/* convert.c -- linkwork convert: a model or robot file as a native model file. */
#include "files.h"
#include "linkwork/reader.h"
#include "verbs.h"

static const cli_option options[] = {
    {"output", 'o', "FILE", "the model file to write, in YAML; required"},
    LOAD_OPTIONS,
    JSON_OPTION,
    {0}};

static bool say_json(const char *path)
{
  json j;
  if (!json_start(&j)) return false;
  json_object(&j, NULL);
  json_bool(&j, "ok", true);
  json_text(&j, "output", path);
  json_object_end(&j);
  return json_finish(&j);
}

static int convert(const cli_args *a)
{
  int status = CLI_DONE;
  lw_error err = {0};
  const char *path = args_text(a, "output");
  if (!path) return usage_error(a->verb, "-o FILE is missing: where to write the model");
  status = check_file(a, "output", "YAML");
  lw_spec *s = status == CLI_DONE ? load_spec(a, &status) : NULL;
  if (s && lw_spec_save(s, path, &err) != LW_OK) status = report_model_error(a, &err);
  lw_spec_free(s);
  if (status == CLI_DONE && args_has(a, "json"))
    status = say_json(path) ? CLI_DONE : out_of_memory(a);
  return status;
}

const cli_verb verb_convert = {"convert",
                               "Writes the model, or robot file, as a native model file.",
                               "linkwork convert robot.urdf -o robot.yaml", options, convert};
