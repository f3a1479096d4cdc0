/* SPDX-License-Identifier: Apache-2.0 */
/* model_format.h -- what a reader of model files must do.  YAML (and JSON, which is YAML) is one; another one is these
   functions, and a row in model_file.c. */
#ifndef LWI_IO_READ_MODEL_FORMAT_H
#define LWI_IO_READ_MODEL_FORMAT_H
#include "linkwork/spec.h"

typedef struct {
  const char *name;
  /* Is this text, by its first bytes or lines, a file of this format? */
  bool (*recognises)(const char *text, size_t length);
  /* The spec that the text describes; NULL: err says file, line and column, and what is wrong. */
  lw_spec *(*read)(const char *text, size_t length, const char *file, lw_error *err);
} lwi_model_format;

extern const lwi_model_format lwi_yaml_format;

#endif
