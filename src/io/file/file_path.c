/* SPDX-License-Identifier: Apache-2.0 */
/* file_path.c -- names of files in other files (file_path.h): up from the one folder by `..`, down
   to the other. */
#define _XOPEN_SOURCE 700
#include "io/file/file_path.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

size_t lwi_path_beside(const char *from, const char *name, char *to)
{
  const bool whole = name[0] == '/' || strstr(name, "://");
  const char *slash = whole ? NULL : strrchr(from, '/');
  const size_t folder = slash ? (size_t)(slash - from) + 1 : 0, length = strlen(name) + 1;
  if (to) {
    memcpy(to, from, folder);
    memcpy(to + folder, name, length);
  }
  return folder + length;
}

/* The folder of a file, without links and dots, ending with a slash; NULL: there is none. */
static char *folder_of(const char *file)
{
  const size_t size = lwi_path_beside(file, ".", NULL);
  char *given = malloc(size);
  if (!given) return NULL;
  lwi_path_beside(file, ".", given);
  char *folder = realpath(given, NULL);
  free(given);
  char *slashed = folder ? realloc(folder, strlen(folder) + 2) : NULL;
  if (!slashed) free(folder);
  if (slashed && strcmp(slashed, "/") != 0) strcat(slashed, "/");
  return slashed;
}

/* From the folder `from` to the file `path`, both from / on. */
static char *go(const char *from, const char *path)
{
  size_t common = 0, up = 0;
  for (size_t i = 0; from[i] && from[i] == path[i]; i++)
    if (from[i] == '/') common = i + 1;
  if (common <= 1) return strdup(path);
  for (const char *c = from + common; *c; c++)
    up += *c == '/';
  char *name = malloc(3 * up + strlen(path + common) + 1);
  if (!name) return NULL;
  for (size_t i = 0; i < up; i++)
    memcpy(name + 3 * i, "../", 3);
  strcpy(name + 3 * up, path + common);
  return name;
}

char *lwi_path_name(const char *from, const char *path)
{
  char *folder = folder_of(from), *file = folder ? realpath(path, NULL) : NULL;
  char *name = file ? go(folder, file) : strdup(path);
  free(folder);
  free(file);
  return name;
}
