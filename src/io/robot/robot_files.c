/* SPDX-License-Identifier: Apache-2.0 */
/* robot_files.c -- where the files are that a robot file names: meshes.

   A path is taken from the folder of the file that names it.  `package://NAME/PATH` (ROS) and
   `model://NAME/PATH` (Gazebo) name a folder that the file system does not know: NAME/PATH and PATH
   are looked for there and in the folders above. */
#define _POSIX_C_SOURCE 200809L
#include "io/robot/robot.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

enum { LEVELS = 8, LONGEST = 4000 };

static bool is_file(const char *path)
{
  struct stat found;
  return stat(path, &found) == 0 && S_ISREG(found.st_mode);
}

/* What is behind "package://" or the like, else NULL. */
static const char *behind(const char *text, const char *scheme)
{
  const size_t n = strlen(scheme);
  return strncmp(text, scheme, n) == 0 ? text + n : NULL;
}

/* FOLDER/../../NAME/PATH and FOLDER/../../PATH, the nearest first */
static bool find_above(const char *folder, int length, const char *path, char out[LONGEST])
{
  const char *rest = strchr(path, '/');
  const bool deep = rest && strchr(rest + 1, '/'); /* a name alone would be found too easily */
  char above[3 * LEVELS + 1] = "";
  for (int level = 0; level < LEVELS; level++) {
    snprintf(out, LONGEST, "%.*s%s%s", length, folder, above, path);
    if (is_file(out)) return true;
    if (deep) snprintf(out, LONGEST, "%.*s%s%s", length, folder, above, rest + 1);
    if (deep && is_file(out)) return true;
    strcat(above, "../");
  }
  return false;
}

static bool find(const lwi_robot *r, const char *beside, const char *written, char out[LONGEST])
{
  const char *slash = strrchr(beside, '/');
  const int folder = slash ? (int)(slash - beside) + 1 : 0;
  const char *package = behind(written, "package://"), *file = behind(written, "file://");
  if (r->no_files || strlen(beside) + strlen(written) + 3 * LEVELS >= LONGEST) return false;
  if (!package) package = behind(written, "model://");
  if (package) return find_above(beside, folder, package, out);
  if (file) written = file;
  snprintf(out, LONGEST, "%.*s%s", written[0] == '/' ? 0 : folder, beside, written);
  return is_file(out);
}

const char *lwi_robot_find_file(lwi_robot *r, const char *beside, const char *written, bool *found)
{
  char path[LONGEST];
  *found = find(r, beside, written, path);
  return lwi_arena_text(&r->arena, *found ? path : written);
}
