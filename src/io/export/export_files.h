/* SPDX-License-Identifier: Apache-2.0 */
/* export_files.h -- the formats that are written beside YAML. */
#ifndef LWI_IO_EXPORT_EXPORT_FILES_H
#define LWI_IO_EXPORT_EXPORT_FILES_H
#include "io/export/export.h"
#include "io/file/file_text.h"
#include "linkwork/linkwork.h"
#include "linkwork/shapes.h"

lw_status lwi_export_mjcf(lw_spec *s, const char *path, lw_error *err);
lw_status lwi_export_urdf(lw_spec *s, const char *path, lw_error *err);

#endif
