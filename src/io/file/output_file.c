/* SPDX-License-Identifier: Apache-2.0 */
/* output_file.c -- a file that is replaced as a whole: see output_file.h. */
#define _XOPEN_SOURCE 700
#include "io/file/output_file.h"

#include "io/file/file_text.h"
#include "io/file/output_path.h"
#include "linkwork/file.h"
#include "linkwork/output.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
  NAME_KEPT = 200, /* bytes of the target's name in that of the temporary file: 255 are allowed */
  TRIES = 1000     /* temporary files of this name that others may have left */
};

struct lwi_output {
  char *path; /* as given, for messages */
  lwi_output_path target;
  char *temporary; /* NULL: written in place */
  bool grows;
  bool made;     /* in place, and was not there before */
  bool replaces; /* there is an earlier file */
  int descriptor;
  size_t written; /* bytes */
  int reason;     /* errno of the first failure; 0: none */
};

static lw_status fail(lw_error *err, const char *path, const char *what, int reason)
{
  return lwi_file_fail(err, reason == ENOMEM ? LW_E_MEMORY : LW_E_FILE,
                       (lwi_position){.file = path}, "%s: %s", what, strerror(reason));
}

/* ---- opening ---- */

/* The temporary name is that of the target with a suffix that contains the process id. */
static bool open_temporary(lwi_output *f)
{
  const char *target = f->target.path, *name = strrchr(target, '/') + 1;
  const size_t length = strlen(target) + 50;
  const int kept = (int)(name - target) + (int)strnlen(name, NAME_KEPT);
  if (!(f->temporary = malloc(length))) return errno = ENOMEM, false;
  for (int i = 0; i < TRIES && f->descriptor < 0 && (i == 0 || errno == EEXIST); i++) {
    snprintf(f->temporary, length, i ? "%.*s.part-%ld-%d" : "%.*s.part-%ld", kept, target,
             (long)getpid(), i);
    f->descriptor = open(f->temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  }
  if (f->descriptor >= 0) return true;
  free(f->temporary);
  f->temporary = NULL;
  return false;
}

/* Copies the permissions of the earlier file. */
static void keep_permissions(const lwi_output *f)
{
  struct stat before, now;
  if (stat(f->target.path, &before) != 0 || fstat(f->descriptor, &now) != 0) return;
  const bool same = before.st_uid == now.st_uid && before.st_gid == now.st_gid;
  if (!same && fchown(f->descriptor, before.st_uid, before.st_gid) != 0 &&
      fchown(f->descriptor, (uid_t)-1, before.st_gid) != 0)
    errno = 0; /* not allowed: the file belongs to the user of this process */
  fchmod(f->descriptor, before.st_mode & 0777);
}

static bool open_in_place(lwi_output *f, int flags)
{
  f->descriptor = open(f->target.path, O_WRONLY | O_CLOEXEC | flags, 0666);
  f->made = f->descriptor >= 0 && flags & O_CREAT;
  return f->descriptor >= 0;
}

static bool is_empty(const char *path)
{
  struct stat there;
  return stat(path, &there) == 0 && there.st_size == 0;
}

static bool open_file(lwi_output *f)
{
  f->replaces = true;
  if (access(f->target.path, W_OK) != 0) return false;
  if (f->grows && is_empty(f->target.path)) return open_in_place(f, 0);
  if (open_temporary(f)) return keep_permissions(f), true;
  const bool closed_folder = errno == EACCES || errno == EPERM || errno == EROFS || errno == ENOENT;
  return closed_folder && open_in_place(f, O_TRUNC);
}

static bool open_target(lwi_output *f)
{
  switch (f->target.kind) {
  case LWI_OUTPUT_NEW: return f->grows ? open_in_place(f, O_CREAT | O_EXCL) : open_temporary(f);
  case LWI_OUTPUT_FILE: return open_file(f);
  case LWI_OUTPUT_SPECIAL: return open_in_place(f, 0);
  case LWI_OUTPUT_DESCRIPTOR:
    if (f->target.descriptor == STDOUT_FILENO) fflush(stdout);
    return (f->descriptor = dup(f->target.descriptor)) >= 0;
  case LWI_OUTPUT_WRONG: break;
  }
  return false;
}

static void release(lwi_output *f)
{
  if (f->descriptor >= 0) close(f->descriptor);
  free(f->target.path);
  free(f->temporary);
  free(f->path);
  free(f);
}

lwi_output *lwi_output_open(const char *path, bool grows, lw_error *err)
{
  lwi_output *f = calloc(1, sizeof *f);
  if (!f) return fail(err, path, "cannot be created", ENOMEM), NULL;
  f->descriptor = -1;
  f->grows = grows;
  errno = ENOMEM;
  f->path = strdup(path);
  if (f->path) f->target = lwi_output_path_find(path);
  if (f->path && open_target(f)) return f;
  fail(err, path, grows ? "cannot be created" : "cannot be written", errno);
  release(f);
  return NULL;
}

/* ---- writing ---- */

size_t lwi_output_write(lwi_output *f, const char *bytes, size_t n)
{
  size_t done = 0;
  while (done < n && f->reason == 0) {
    const ssize_t more = write(f->descriptor, bytes + done, n - done);
    if (more < 0)
      f->reason = errno;
    else
      done += (size_t)more;
  }
  f->written += done;
  return done;
}

/* Counted from the end of what was written: a descriptor may have been anywhere in its file. */
void lwi_output_cut(lwi_output *f, size_t size)
{
  struct stat there;
  const off_t at = lseek(f->descriptor, 0, SEEK_CUR), back = (off_t)(f->written - size);
  if (at < back || fstat(f->descriptor, &there) != 0 || !S_ISREG(there.st_mode)) return;
  if (ftruncate(f->descriptor, at - back) == 0 && lseek(f->descriptor, at - back, SEEK_SET) >= 0)
    f->written = size;
}

const char *lwi_output_place(const lwi_output *f)
{
  return f->temporary ? f->temporary : f->target.path;
}

int lwi_output_reserve(const lwi_output *f, size_t size)
{
  return posix_fallocate(f->descriptor, 0, (off_t)size);
}

lw_status lwi_output_status(const lwi_output *f, lw_error *err)
{
  return f->reason ? fail(err, f->path, "cannot be written", f->reason) : LW_OK;
}

/* ---- closing ---- */

/* The bytes are on the disk before the file is renamed: a crash leaves the earlier file or the new
   one.  Some file systems do not report it. */
static int close_descriptor(lwi_output *f)
{
  int reason = 0;
  if (f->temporary && f->replaces && fsync(f->descriptor) != 0 && errno != EINVAL &&
      errno != ENOSYS)
    reason = errno;
  if (close(f->descriptor) != 0 && reason == 0) reason = errno;
  f->descriptor = -1;
  return reason;
}

lw_status lwi_output_close(lwi_output *f, lw_error *err)
{
  int reason = close_descriptor(f);
  lw_status status = LW_OK;
  if (f->temporary && reason == 0 && rename(f->temporary, f->target.path) != 0) reason = errno;
  if (f->temporary && reason)
    status = lwi_file_fail(err, LW_E_FILE, (lwi_position){.file = f->path},
                           "cannot be written: %s; the results are in %s", strerror(reason),
                           f->temporary);
  if (f->reason == 0) f->reason = reason;
  if (status == LW_OK) status = lwi_output_status(f, err);
  release(f);
  return status;
}

void lwi_output_discard(lwi_output *f)
{
  if (f->temporary) unlink(f->temporary);
  if (f->made) unlink(f->target.path);
  release(f);
}

lw_status lw_write_file(const char *path, const char *text, size_t length, lw_error *err)
{
  if (!path || !text)
    return lwi_file_fail(err, LW_E_ARG, (lwi_position){.file = path ? path : "lw_write_file"},
                         "an argument is NULL");
  if (err) *err = (lw_error){.status = LW_OK};
  lwi_output *f = lwi_output_open(path, false, err);
  if (!f) return err ? err->status : LW_E_FILE;
  if (lwi_output_write(f, text, length) == length) return lwi_output_close(f, err);
  const lw_status status = lwi_output_status(f, err);
  lwi_output_discard(f);
  return status;
}
