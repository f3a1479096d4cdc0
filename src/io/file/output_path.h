/* SPDX-License-Identifier: Apache-2.0 */
/* output_path.h -- what a path refers to, for writing a file there. */
#ifndef LWI_IO_FILE_OUTPUT_PATH_H
#define LWI_IO_FILE_OUTPUT_PATH_H

typedef enum {
  LWI_OUTPUT_NEW,        /* nothing is there */
  LWI_OUTPUT_FILE,       /* a regular file */
  LWI_OUTPUT_SPECIAL,    /* a device, pipe or socket */
  LWI_OUTPUT_DESCRIPTOR, /* open already in this process */
  LWI_OUTPUT_WRONG       /* errno says why */
} lwi_output_kind;

typedef struct {
  lwi_output_kind kind;
  char *path;     /* without symbolic links; the caller frees it */
  int descriptor; /* of LWI_OUTPUT_DESCRIPTOR */
} lwi_output_path;

lwi_output_path lwi_output_path_find(const char *path);

#endif
