/* SPDX-License-Identifier: Apache-2.0 */
/* model_format.h -- the interface of a reader of model files.  YAML (and JSON, which is YAML) is
   one; to add another, fill in these functions and add a row to model_file.c. */
#ifndef LWI_IO_READ_MODEL_FORMAT_H
#define LWI_IO_READ_MODEL_FORMAT_H
#include "linkwork/reader.h"

typedef struct {
  const char *name;
  /* Is this text, by its first bytes or lines, a file of this format? */
  bool (*recognises)(const char *text, size_t length);
  /* The spec that the text describes; name: of its file, NULL: none.  Returns NULL on failure; err
     gives file, line and column, and what is wrong. */
  lw_spec *(*read)(const char *text, size_t length, const char *name,
                   const lw_load_options *options, lw_error *err);
  bool robot, keys; /* uses `inertia` and `floating_base` of the options; `key` and `root` */
} lwi_model_format;

extern const lwi_model_format lwi_yaml_format, lwi_urdf_format, lwi_mjcf_format, lwi_sdf_format,
    lwi_asmt_format;

#endif
