/* SPDX-License-Identifier: Apache-2.0 */
/* files.c -- checks of output files, and signals that interrupt a run. */
#define _POSIX_C_SOURCE 200809L
#include "files.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- names ---- */

/* Extensions that imply a format.  Others are left to the user. */
static const struct {
  const char *ending, *format;
} formats[] = {
    {"csv", "CSV"},          {"svg", "SVG"},           {"json", "JSON"},       {"h5", "HDF5"},
    {"jsonl", "JSON lines"}, {"ndjson", "JSON lines"}, {"hdf5", "HDF5"},       {"html", "HTML"},
    {"htm", "HTML"},         {"yaml", "YAML"},         {"yml", "YAML"},        {"xml", "MJCF"},
    {"urdf", "URDF"},        {"mjcf", "MJCF"},         {"png", "PNG"},         {"jpg", "JPEG"},
    {"jpeg", "JPEG"},        {"pdf", "PDF"},           {"mat", "MAT"},         {"npy", "NumPy"},
    {"npz", "NumPy"},        {"xls", "Excel"},         {"xlsx", "Excel"},      {"ods", "ODS"},
    {"tsv", "TSV"},          {"gz", "gzip"},           {"zip", "ZIP"},         {"db", "SQLite"},
    {"sqlite", "SQLite"},    {"parquet", "Parquet"},   {"feather", "Feather"},
};

static const char *format_of(const char *path)
{
  const char *slash = strrchr(path, '/'), *dot = strrchr(slash ? slash : path, '.');
  for (size_t i = 0; dot && i < sizeof formats / sizeof *formats; i++)
    if (strcasecmp(dot + 1, formats[i].ending) == 0) return formats[i].format;
  return NULL;
}

static int check_format(const cli_args *a, const char *option, const char *path, const char *format)
{
  const char *other = format_of(path);
  if (!other || strcmp(other, format) == 0) return CLI_DONE;
  const bool results = strcmp(format, "RESULTS") == 0;
  if (results &&
      (strcmp(other, "CSV") == 0 || strcmp(other, "HDF5") == 0 || strcmp(other, "JSON lines") == 0))
    return CLI_DONE;
  return usage_error(a->verb, "--%s %s: this is written as %s, not as %s: %s%s", option, path,
                     results ? "HDF5, CSV or JSON lines" : format, other,
                     results ? "FILE.h5, FILE.csv or FILE.jsonl" : "tables are CSV, pictures SVG",
                     strcmp(other, "JSON") == 0 ? "; --json prints JSON on stdout" : "");
}

/* ---- the same file under two names ---- */

static bool find_regular(const char *path, struct stat *there)
{
  return stat(path, there) == 0 && S_ISREG(there->st_mode);
}

static bool is_same(const char *path, const char *other)
{
  struct stat x, y;
  if (strcmp(path, other) == 0 && strcmp(path, "/dev/null") != 0) return true;
  return find_regular(path, &x) && find_regular(other, &y) && x.st_dev == y.st_dev &&
         x.st_ino == y.st_ino;
}

bool is_stdout(const char *path)
{
  static const char *const names[] = {"-", "/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"};
  struct stat x, y;
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (strcmp(path, names[i]) == 0) return true;
  return find_regular(path, &x) && fstat(STDOUT_FILENO, &y) == 0 && x.st_dev == y.st_dev &&
         x.st_ino == y.st_ino;
}

int check_file(const cli_args *a, const char *option, const char *format)
{
  const char *path = args_text(a, option);
  if (!path) return CLI_DONE;
  if (!*path) return usage_error(a->verb, "--%s needs the name of a file", option);
  if (is_same(path, a->model))
    return usage_error(a->verb, "--%s %s: this is the model itself", option, path);
  if (is_stdout(path) && args_has(a, "json"))
    return usage_error(a->verb, "--%s %s and --json would both write to stdout", option, path);
  return check_format(a, option, path, format);
}

int check_two_files(const cli_args *a, const char *option, const char *other)
{
  const char *x = args_text(a, option), *y = args_text(a, other);
  if (!x || !y || !is_same(x, y)) return CLI_DONE;
  return usage_error(a->verb, "--%s and --%s are the same file", option, other);
}

/* ---- interrupts ---- */

enum { PATIENCE = 10 }; /* s */

static volatile sig_atomic_t came; /* which signal; 0: none */

static void end_by(int number)
{
  signal(number, SIG_DFL);
  raise(number);
}

static void exit_by_signal(int number)
{
  (void)number;
  end_by(came);
}

static void note(int number)
{
  came = number;
  alarm(PATIENCE);
}

void interrupts_catch(void)
{
  struct sigaction action = {.sa_handler = note, .sa_flags = (int)SA_RESETHAND}, before;
  const struct sigaction late = {.sa_handler = exit_by_signal, .sa_flags = SA_NODEFER};
  sigaction(SIGALRM, &late, NULL);
  sigaction(SIGINT, &action, NULL);
  sigaction(SIGTERM, &action, NULL);
  if (sigaction(SIGHUP, NULL, &before) == 0 && before.sa_handler != SIG_IGN) /* nohup */
    sigaction(SIGHUP, &action, NULL);
}

bool interrupts_came(void)
{
  return came != 0;
}

const volatile sig_atomic_t *interrupts_flag(void)
{
  return &came;
}

void interrupts_pass_on(void)
{
  if (came) end_by(came);
}

bool names_hdf5(const char *path)
{
  const char *dot = strrchr(path, '.');
  return dot && (strcasecmp(dot, ".h5") == 0 || strcasecmp(dot, ".hdf5") == 0);
}

char *unused_path(const char *model, const char *ending)
{
  const char *slash = strrchr(model, '/'), *name = slash ? slash + 1 : model;
  if (strcmp(name, "-") == 0) name = "run";
  const char *dot = strrchr(name, '.');
  const int n = (int)(dot && dot > name ? (size_t)(dot - name) : strlen(name));
  const size_t size = (size_t)n + strlen(ending) + 16;
  char *path = malloc(size);
  if (!path) return NULL;
  snprintf(path, size, "%.*s%s", n, name, ending);
  for (int k = 2; access(path, F_OK) == 0 && k < 1000000; k++)
    snprintf(path, size, "%.*s-%d%s", n, name, k, ending);
  return path;
}
