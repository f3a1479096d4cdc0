/* SPDX-License-Identifier: Apache-2.0 */
/* convert.c -- linkwork convert: a model or robot file as a native model file. */
#include "files.h"
#include "linkwork/reader.h"
#include "verbs.h"

#include <string.h>

static const cli_option options[] = {
    {"output", 'o', "FILE",
     "the file to write, required: URDF (.urdf), MJCF (.xml, .mjcf), otherwise YAML"},
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

/* By the ending of the name. */
static lw_file_format format_of(const char *path)
{
  const char *dot = strrchr(path, '.');
  if (dot && strcmp(dot, ".urdf") == 0) return LW_FILE_URDF;
  return dot && (strcmp(dot, ".xml") == 0 || strcmp(dot, ".mjcf") == 0) ? LW_FILE_MJCF
                                                                        : LW_FILE_YAML;
}

static int convert(const cli_args *a)
{
  int status = CLI_DONE;
  lw_error err = {0};
  const char *path = args_text(a, "output");
  if (!path) return usage_error(a->verb, "-o FILE is missing: where to write the model");
  static const char *const names[] = {"YAML", "URDF", "MJCF"};
  status = check_file(a, "output", names[format_of(path)]);
  lw_spec *s = status == CLI_DONE ? load_spec(a, &status) : NULL;
  const int nnote = lw_spec_nnote(s);
  if (s && lw_spec_save_as(s, path, format_of(path), &err) != LW_OK)
    status = report_model_error(a, &err);
  for (int i = nnote; s && status == CLI_DONE && i < lw_spec_nnote(s); i++)
    print_message("%s: warning: %s", path, lw_spec_get_note(s, i));
  lw_spec_free(s);
  if (status == CLI_DONE && args_has(a, "json"))
    status = say_json(path) ? CLI_DONE : out_of_memory(a);
  return status;
}

const cli_verb verb_convert = {
    "convert", "Writes the model, or robot file, as a native model file, URDF or MJCF.",
    "linkwork convert robot.urdf -o robot.yaml", options, convert};
