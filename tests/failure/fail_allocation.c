/* SPDX-License-Identifier: Apache-2.0 */
/* fail_allocation.c -- a library for LD_PRELOAD that lets one allocation of a program fail, wherever in its
   libraries that is: LINKWORK_FAIL_AT=n is the n-th (from 1) after the start of main; LINKWORK_FAIL_ON=1
   lets all after it fail too.  LINKWORK_COUNT=FILE has the number of allocations written there at the end.

   LINKWORK_FAIL_EACH=n lets every n-th fail, from number LINKWORK_FAIL_AT on, each in a process of its own that branches
   off there, which is much cheaper than to start again for each: process k writes to the files k.out and k.err of the
   folder LINKWORK_FAIL_FOLDER, which begin with what the program has written before, and leaves its wait status in k.status.  Only
   for programs that write to stdout and stderr alone, both files.

   Allocations by HDF5 do not count: it does not survive without them, and src/io/results/hdf5_library.h says what is done
   instead.  Calls of these functions of SUNDIALS 6 do not count, since they use memory that they did not get, and nothing
   can be done about it from outside: src/sim/integrate/sundials_vector.h says what is done instead.

   Under the address sanitizer it stands before the sanitizer (verify_asan_link_order=0) and hands on to it. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* the sanitizer's, where there is one, and those of libc: both can be had without a dlsym that allocates */
/* NOLINTBEGIN: names given by others */
__attribute__((weak)) void *__interceptor_malloc(size_t size);
__attribute__((weak)) void *__interceptor_calloc(size_t n, size_t size);
__attribute__((weak)) void *__interceptor_realloc(void *old, size_t size);
__attribute__((weak)) void *__interceptor_aligned_alloc(size_t alignment, size_t size);
__attribute__((weak)) int __interceptor_posix_memalign(void **to, size_t alignment, size_t size);
extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t n, size_t size);
extern void *__libc_realloc(void *old, size_t size);
extern void *__libc_memalign(size_t alignment, size_t size);
/* NOLINTEND */

static bool counting, fail_on;
static long count, fail_at, fail_each;
enum { MOST_FILES = 64, MOST_SECONDS = 600 /* of the processor */ };

/* ---- processes that branch off ---- */

static int open_of(long n, const char *ending)
{
  char path[300];
  const char *folder = getenv("LINKWORK_FAIL_FOLDER");
  snprintf(path, sizeof path, "%s/%ld.%s", folder ? folder : ".", n, ending);
  const int to = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0644);
  if (to < 0) _exit(99);
  return to;
}

/* A copy of the file of a stream as it is now takes its place, also where the program has it a second time. */
static void copy_stream(int stream, int to)
{
  char bytes[8192];
  struct stat own, other;
  const off_t end = lseek(stream, 0, SEEK_CUR);
  if (fstat(stream, &own) != 0 || end < 0) _exit(99);
  for (off_t at = 0; at < end;) {
    const off_t wanted = end - at < (off_t)sizeof bytes ? end - at : (off_t)sizeof bytes;
    char name[40];
    snprintf(name, sizeof name, "/proc/self/fd/%d", stream);
    const int from = open(name, O_RDONLY);
    const ssize_t n = from < 0 ? -1 : pread(from, bytes, (size_t)wanted, at);
    if (n <= 0 || write(to, bytes, (size_t)n) != n) _exit(99);
    close(from);
    at += n;
  }
  for (int fd = 0; fd < MOST_FILES; fd++)
    if (fd != to && fstat(fd, &other) == 0 && own.st_dev == other.st_dev &&
        own.st_ino == other.st_ino)
      dup2(to, fd);
  close(to);
}

/* true in the new process, whose allocation is to fail */
static bool branch_off(long n)
{
  off_t place[MOST_FILES]; /* both have the same files, and the same places in them */
  for (int fd = 0; fd < MOST_FILES; fd++)
    place[fd] = fd > STDERR_FILENO ? lseek(fd, 0, SEEK_CUR) : -1;
  const pid_t pid = fork();
  if (pid < 0) _exit(99);
  if (pid == 0) {
    fail_each = 0, fail_at = n;
    const struct rlimit seconds = {MOST_SECONDS, MOST_SECONDS};
    setrlimit(RLIMIT_CPU, &seconds);
    copy_stream(STDOUT_FILENO, open_of(n, "out"));
    copy_stream(STDERR_FILENO, open_of(n, "err"));
    unsetenv("LINKWORK_COUNT");
    return true;
  }
  int status;
  char text[32];
  while (waitpid(pid, &status, 0) != pid)
    if (errno != EINTR) _exit(99);
  for (int fd = 0; fd < MOST_FILES; fd++)
    if (place[fd] >= 0) lseek(fd, place[fd], SEEK_SET);
  const int to = open_of(n, "status"), length = snprintf(text, sizeof text, "%d\n", status);
  if (write(to, text, (size_t)length) != length) _exit(99);
  close(to);
  return false;
}

static bool refuse_each(long n)
{
  const int kept = errno;
  counting = false;
  const bool refused = n >= fail_at && (n - fail_at) % fail_each == 0 && branch_off(n);
  counting = true;
  errno = refused ? ENOMEM : kept;
  return refused;
}

/* ---- allocations ---- */

/* by its code itself; the memory of other libraries that it uses counts */
static bool is_hdf5(const void *caller)
{
  Dl_info info;
  return dladdr(caller, &info) && info.dli_fname && strstr(info.dli_fname, "libhdf5");
}

static bool refuse(const void *caller)
{
  if (!counting || is_hdf5(caller)) return false;
  const long n = __atomic_add_fetch(&count, 1, __ATOMIC_RELAXED);
  if (fail_each > 0) return refuse_each(n);
  if (fail_at == 0 || (fail_on ? n < fail_at : n != fail_at)) return false;
  errno = ENOMEM;
  return true;
}

void *malloc(size_t size)
{
  if (refuse(__builtin_return_address(0))) return NULL;
  return __interceptor_malloc ? __interceptor_malloc(size) : __libc_malloc(size);
}

void *calloc(size_t n, size_t size)
{
  if (refuse(__builtin_return_address(0))) return NULL;
  return __interceptor_calloc ? __interceptor_calloc(n, size) : __libc_calloc(n, size);
}

void *realloc(void *old, size_t size)
{
  if (refuse(__builtin_return_address(0))) return NULL;
  return __interceptor_realloc ? __interceptor_realloc(old, size) : __libc_realloc(old, size);
}

void *aligned_alloc(size_t alignment, size_t size)
{
  if (refuse(__builtin_return_address(0))) return NULL;
  return __interceptor_aligned_alloc ? __interceptor_aligned_alloc(alignment, size)
                                     : __libc_memalign(alignment, size);
}

/* so that the caller is known */
static char *copy_text(const char *text, size_t n, const void *caller)
{
  if (refuse(caller)) return NULL;
  char *copy = __interceptor_malloc ? __interceptor_malloc(n + 1) : __libc_malloc(n + 1);
  if (!copy) return NULL;
  copy[n] = '\0';
  return memcpy(copy, text, n);
}

char *strdup(const char *text)
{
  return copy_text(text, strlen(text), __builtin_return_address(0));
}

char *strndup(const char *text, size_t n)
{
  return copy_text(text, strnlen(text, n), __builtin_return_address(0));
}

int posix_memalign(void **to, size_t alignment, size_t size)
{
  if (refuse(__builtin_return_address(0))) return ENOMEM;
  if (__interceptor_posix_memalign) return __interceptor_posix_memalign(to, alignment, size);
  *to = __libc_memalign(alignment, size);
  return *to ? 0 : ENOMEM;
}

/* ---- what cannot survive ---- */

static void *next_function(const char *name)
{
  const bool counted = counting;
  counting = false;
  void *found = dlsym(RTLD_NEXT, name);
  counting = counted;
  return found;
}

/* NOLINTBEGIN: SUNDIALS's names */
int SUNContext_Create(void *communicator, void *context)
{
  int (*create)(void *, void *);
  *(void **)&create = next_function("SUNContext_Create");
  const bool counted = counting;
  counting = false;
  const int flag = create(communicator, context);
  counting = counted;
  return flag;
}

int CVodeSensInit(void *memory, int n, int method, void *rate, void *y)
{
  int (*init)(void *, int, int, void *, void *);
  *(void **)&init = next_function("CVodeSensInit");
  const bool counted = counting;
  counting = false;
  const int flag = init(memory, n, method, rate, y);
  counting = counted;
  return flag;
}

int CVodeSensSStolerances(void *memory, double rtol, double *atol)
{
  int (*set)(void *, double, double *);
  *(void **)&set = next_function("CVodeSensSStolerances");
  const bool counted = counting;
  counting = false;
  const int flag = set(memory, rtol, atol);
  counting = counted;
  return flag;
}

int ERKStepEvolve(void *memory, double end, void *y, double *t, int task)
{
  int (*evolve)(void *, double, void *, double *, int);
  *(void **)&evolve = next_function("ERKStepEvolve");
  const bool counted = counting;
  counting = false;
  const int flag = evolve(memory, end, y, t, task);
  counting = counted;
  return flag;
}
/* NOLINTEND */

/* ---- main ---- */

static void stop_counting(void)
{
  counting = false;
  const char *file = getenv("LINKWORK_COUNT");
  const int to = file ? open(file, O_WRONLY | O_CREAT | O_TRUNC, 0644) : -1;
  if (to < 0) return;
  char text[32];
  const int n = snprintf(text, sizeof text, "%ld\n", count);
  if (write(to, text, (size_t)n) != n) _exit(99);
  close(to);
}

/* only from here on, so that what libraries do before and after it is left alone: they are not ours */
static int (*real_main)(int, char **, char **);

static int counted_main(int argc, char **argv, char **environment)
{
  const char *at = getenv("LINKWORK_FAIL_AT"), *on = getenv("LINKWORK_FAIL_ON");
  const char *each = getenv("LINKWORK_FAIL_EACH");
  fail_each = each ? atol(each) : 0;
  fail_at = at ? atol(at) : 0;
  fail_on = on && atol(on);
  counting = true;
  const int status = real_main(argc, argv, environment);
  stop_counting();
  return status;
}

/* NOLINTNEXTLINE: libc's name */
int __libc_start_main(int (*main)(int, char **, char **), int argc, char **argv, void (*init)(void),
                      void (*fini)(void), void (*loader)(void), void *stack)
{
  int (*start)(int (*)(int, char **, char **), int, char **, void (*)(void), void (*)(void),
               void (*)(void), void *);
  *(void **)&start = dlsym(RTLD_NEXT, "__libc_start_main");
  real_main = main;
  return start(counted_main, argc, argv, init, fini, loader, stack);
}
