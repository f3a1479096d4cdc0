/* SPDX-License-Identifier: Apache-2.0 */
/* save_as.c -- lw_spec_save_as: a spec in one of the formats. */
#include "io/export/export_files.h"

lw_status lw_spec_save_as(lw_spec *s, const char *path, lw_file_format format, lw_error *err)
{
  lw_error unused;
  if (!err) err = &unused;
  const lwi_position at = {.file = path ? path : "lw_spec_save_as"};
  if (!s || !path) return lwi_file_fail(err, LW_E_ARG, at, "no spec, or no path");
  if (lw_spec_error(s, err) != LW_OK) return s->error.status;
  switch (format) {
  case LW_FILE_YAML: return lw_spec_save(s, path, err);
  case LW_FILE_URDF: return lwi_export_urdf(s, path, err);
  case LW_FILE_MJCF: return lwi_export_mjcf(s, path, err);
  default: return lwi_file_fail(err, LW_E_ARG, at, "there is no such format");
  }
}
