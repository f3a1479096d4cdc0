/* SPDX-License-Identifier: Apache-2.0 */
/* mjcf_reader.c -- the reader of MJCF. */
#include "io/mjcf/mjcf.h"

#include "io/file/file_kind.h"
#include "io/read/model_format.h"
#include "linkwork/reader.h"

#include <stdlib.h>

static void free_lists(lwi_mjcf *x)
{
  lwi_name_index_free(&x->class_names);
  lwi_name_index_free(&x->body_names);
  lwi_name_index_free(&x->joint_names);
  lwi_name_index_free(&x->site_names);
  lwi_name_index_free(&x->tendon_names);
  lwi_name_index_free(&x->mesh_names);
  lwi_name_index_free(&x->material_names);
  free(x->material);
  free(x->model);
  free(x->classes);
  free(x->link_of_name);
  free(x->joint_of_name);
  free(x->site_of_name);
  free(x->tendon);
  free(x->mesh);
  free(x->world);
}

/* Bodies and joints first, then what acts on them. */
static bool read_model(lwi_mjcf *x)
{
  lwi_robot *r = &x->robot;
  lw_set_name(r->spec, lwi_xml_get(r->root, "model"));
  return lwi_mjcf_read_compilers(x) && lwi_mjcf_read_option(x) && lwi_mjcf_read_classes(x) &&
         lwi_mjcf_read_meshes(x) && lwi_mjcf_read_bodies(x) && (lwi_mjcf_adjust_masses(x), true) &&
         lwi_mjcf_add_rotors(x) && lwi_mjcf_set_springs(x) && lwi_mjcf_read_key(x) &&
         lwi_robot_build(r) && lwi_mjcf_read_tendons(x) && lwi_mjcf_read_equality(x) &&
         lwi_mjcf_read_actuators(x) && lwi_mjcf_add_higher_loads(x) &&
         lwi_mjcf_balance_weights(x) && lwi_mjcf_read_sensors(x);
}

static bool read_robot(lwi_mjcf *x, const char *text, size_t length, const char *name)
{
  lwi_robot *r = &x->robot;
  lwi_xml_element *root = lwi_xml_parse(&r->arena, text, length, name ? name : "model", r->err);
  r->root = root;
  if (!root || !lwi_mjcf_prepare(x, root, name != NULL)) return false;
  if (!(r->spec = lw_spec_new())) return lwi_xml_no_memory(root, r->err);
  if (!read_model(x)) return false;
  lwi_mjcf_note_skipped(x);
  return lwi_robot_finish(r);
}

static lw_spec *read_text(const char *text, size_t length, const char *name,
                          const lw_load_options *options, lw_error *err)
{
  lwi_mjcf x = {.robot = {.no_files = !name, .options = options, .err = err}};
  const bool ok = read_robot(&x, text, length, name);
  free_lists(&x);
  return lwi_robot_take(&x.robot, ok);
}

static bool is_mjcf(const char *text, size_t length)
{
  return lwi_file_is_xml(text, length, "mujoco");
}

const lwi_model_format lwi_mjcf_format = {"MJCF", is_mjcf, read_text, true, true};
