/* SPDX-License-Identifier: Apache-2.0 */
/* output_path.c -- follows symbolic links one by one, also those that point at nothing yet.  The
   links of /proc/PID/fd are no ordinary ones: what they name may have no path, and a file that
   took its place would not be the one that is open. */
#define _XOPEN_SOURCE 700
#include "io/file/output_path.h"

#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { LINKS = 40, LINK_TEXT = 4096 };

static char *join(const char *folder, size_t length, const char *name)
{
  char *path = malloc(length + strlen(name) + 2);
  if (!path) return NULL;
  memcpy(path, folder, length);
  path[length] = '/';
  strcpy(path + length + 1, name);
  return path;
}

/* The folder of a path without links, dots and relative parts, and the last name as it is. */
static char *resolve_folder(const char *path)
{
  const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
  if (*name == '\0') return errno = *path ? EISDIR : ENOENT, NULL;
  char *given = slash ? join(path, (size_t)(slash - path), ".") : join(".", 1, ".");
  char *folder = given ? realpath(given, NULL) : NULL;
  char *resolved =
      folder ? join(folder, strcmp(folder, "/") == 0 ? 0 : strlen(folder), name) : NULL;
  const int reason = errno;
  free(given);
  free(folder);
  errno = reason;
  return resolved;
}

/* N of /proc/PID/fd/N, /proc/PID/task/TID/fd/N or /dev/fd/N; -1: not a descriptor of this
   process. */
static int own_descriptor(const char *path)
{
  char own[40], *end;
  snprintf(own, sizeof own, "/proc/%ld/", (long)getpid());
  const char *number = strrchr(path, '/') + 1;
  const bool here = strncmp(path, own, strlen(own)) == 0 || strncmp(path, "/dev/fd/", 8) == 0;
  if (!here || number - path < 4 || strncmp(number - 4, "/fd/", 4) != 0) return -1;
  const long n = strtol(number, &end, 10);
  return end != number && *end == '\0' && n >= 0 && n <= INT_MAX ? (int)n : -1;
}

/* The target of the link at path; NULL with errno EINVAL: not a link. */
static char *read_link(const char *path)
{
  char text[LINK_TEXT];
  const ssize_t n = readlink(path, text, sizeof text - 1);
  if (n < 0) return NULL;
  text[n] = '\0';
  if (*text == '/') return resolve_folder(text);
  char *joined = join(path, (size_t)(strrchr(path, '/') - path), text);
  char *resolved = joined ? resolve_folder(joined) : NULL;
  const int reason = errno;
  free(joined);
  errno = reason == EINVAL ? ENOENT : reason;
  return resolved;
}

static lwi_output_kind find_kind(const char *path)
{
  struct stat there;
  if (lstat(path, &there) != 0) return errno == ENOENT ? LWI_OUTPUT_NEW : LWI_OUTPUT_WRONG;
  if (S_ISREG(there.st_mode)) return LWI_OUTPUT_FILE;
  if (!S_ISDIR(there.st_mode) && !S_ISLNK(there.st_mode)) return LWI_OUTPUT_SPECIAL;
  errno = S_ISDIR(there.st_mode) ? EISDIR : ENOENT; /* a link into a folder that does not exist */
  return LWI_OUTPUT_WRONG;
}

lwi_output_path lwi_output_path_find(const char *path)
{
  lwi_output_path p = {.kind = LWI_OUTPUT_WRONG, .descriptor = -1};
  if (strcmp(path, "-") == 0)
    return (lwi_output_path){.kind = LWI_OUTPUT_DESCRIPTOR, .descriptor = STDOUT_FILENO};
  p.path = resolve_folder(path);
  for (int i = 0; p.path && i < LINKS; i++) {
    p.descriptor = own_descriptor(p.path);
    if (p.descriptor >= 0) return p.kind = LWI_OUTPUT_DESCRIPTOR, p;
    char *next = read_link(p.path);
    if (!next && (errno == EINVAL || errno == ENOENT)) {
      p.kind = find_kind(p.path);
      return p;
    }
    free(p.path);
    p.path = next;
  }
  if (p.path) errno = ELOOP;
  return p;
}
