/* SPDX-License-Identifier: Apache-2.0 */
/* output.c -- JSON output, and progress on a terminal. */
#define _XOPEN_SOURCE 700
#include "output.h"

#include "linkwork/file.h"
#include "linkwork/output.h"
#include "report.h"

#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

/* ---- JSON ---- */

static bool out_of_memory_for_results(void)
{
  fprintf(stderr, "out of memory for the results\n");
  return false;
}

bool json_start(json *j)
{
  *j = (json){.empty = true};
  j->file = open_memstream(&j->text, &j->size);
  return j->file || out_of_memory_for_results();
}

/* Valid UTF-8, and nothing that a terminal would interpret: RFC 8259, section 7. */
static void put_characters(json *j, const char *text)
{
  while (*text) {
    unsigned code;
    const int n = lw_get_character(text, &code);
    if (code == '"' || code == '\\')
      fprintf(j->file, "\\%c", (int)code);
    else if (code == LW_NO_CHARACTER)
      fputs("\\ufffd", j->file);
    else if (!lw_is_printable(code))
      fprintf(j->file, "\\u%04x", code);
    else
      fwrite(text, 1, (size_t)n, j->file);
    text += n;
  }
}

static void put_string(json *j, const char *text)
{
  fputc('"', j->file);
  put_characters(j, text);
  fputc('"', j->file);
}

/* Comma, line break and key before a value.  The outermost object has one member per line. */
static void begin_value(json *j, const char *key)
{
  if (!j->empty) fputs(j->depth == 1 ? "," : ", ", j->file);
  if (j->depth == 1) fputs("\n  ", j->file);
  if (key) {
    put_string(j, key);
    fputs(": ", j->file);
  }
  j->empty = false;
}

static void open_part(json *j, const char *key, char bracket)
{
  begin_value(j, key);
  fputc(bracket, j->file);
  j->depth++;
  j->empty = true;
}

static void close_part(json *j, char bracket)
{
  j->depth--;
  if (j->depth == 0) fputc('\n', j->file);
  fputc(bracket, j->file);
  j->empty = false;
}

void json_object(json *j, const char *key)
{
  open_part(j, key, '{');
}

void json_object_end(json *j)
{
  close_part(j, '}');
}

void json_list(json *j, const char *key)
{
  open_part(j, key, '[');
}

void json_list_end(json *j)
{
  close_part(j, ']');
}

void json_number(json *j, const char *key, double x)
{
  begin_value(j, key);
  j->infinite |= !isfinite(x);
  fprintf(j->file, "%.17g", x == 0 ? 0 : x); /* no -0 */
}

void json_numbers(json *j, const char *key, const double x[], int n)
{
  json_list(j, key);
  for (int i = 0; i < n; i++)
    json_number(j, NULL, x[i]);
  json_list_end(j);
}

void json_integer(json *j, const char *key, long x)
{
  begin_value(j, key);
  fprintf(j->file, "%ld", x);
}

void json_bool(json *j, const char *key, bool x)
{
  begin_value(j, key);
  fputs(x ? "true" : "false", j->file);
}

void json_text(json *j, const char *key, const char *text)
{
  begin_value(j, key);
  if (text)
    put_string(j, text);
  else
    fputs("null", j->file);
}

void json_name(json *j, const char *name, int index)
{
  begin_value(j, NULL);
  fputc('"', j->file);
  put_characters(j, name);
  if (index > 0) fprintf(j->file, ".%d", index);
  fputc('"', j->file);
}

void json_numbers_short(json *j, const char *key, const double x[], int n)
{
  json_list(j, key);
  for (int i = 0; i < n; i++) {
    begin_value(j, NULL);
    j->infinite |= !isfinite(x[i]);
    fprintf(j->file, "%.9g", x[i] == 0 ? 0 : x[i]);
  }
  json_list_end(j);
}

void json_raw(json *j, const char *key, const char *text)
{
  begin_value(j, key);
  fputs(text, j->file);
}

char *json_take(json *j)
{
  const bool complete = !ferror(j->file);
  const bool written = fclose(j->file) == 0 && complete && j->text;
  if (!written) out_of_memory_for_results();
  if (written && !j->infinite) return j->text;
  free(j->text);
  return NULL;
}

bool json_finish(json *j)
{
  char *text = json_take(j);
  if (text) {
    printf("%s\n", text);
    report_json_is_there();
  }
  free(text);
  return text;
}

/* ---- progress ---- */

static const char *busy_with; /* NULL: nothing is shown */
static volatile sig_atomic_t busy_seconds;

progress progress_start(bool wanted)
{
  const double now = wall_clock();
  return (progress){.on = wanted && isatty(STDERR_FILENO), .start = now, .shown = now};
}

/* "2 h 5 min", "3 min 20 s", "12 s" */
static void put_duration(double seconds)
{
  const long s = lround(fmin(seconds, 1e8));
  if (s >= 3600)
    fprintf(stderr, "%ld h %ld min", s / 3600, s % 3600 / 60);
  else if (s >= 60)
    fprintf(stderr, "%ld min %ld s", s / 60, s % 60);
  else
    fprintf(stderr, "%ld s", s);
}

/* Ten times a second at most; the time left as if the rest went as fast as what is done. */
void progress_show(progress *p, double fraction)
{
  enum { WIDTH = 40 };
  const double now = p->on ? wall_clock() : 0, passed = now - p->start;
  if (!p->on || now < p->shown + 0.1) return;
  p->shown = now;
  fraction = fmax(0, fmin(fraction, 1));
  fputs("\r[", stderr);
  for (int i = 0; i < WIDTH; i++)
    fputc(i < fraction * WIDTH ? '#' : ' ', stderr);
  fprintf(stderr, "] %5.1f %%", 100 * fraction);
  if (passed > 1 && fraction > 0) {
    fputs(", ", stderr);
    put_duration(passed * (1 - fraction) / fraction);
    fputs(" left", stderr);
  }
  fputs("\033[K", stderr);
  fflush(stderr);
}

/* Called by a timer: only what signal handlers may call. */
static void show_busy(int number)
{
  char text[80], digits[12];
  size_t n = 0, k = 0;
  (void)number;
  busy_seconds = busy_seconds + 1;
  if (busy_seconds < 3) return;
  text[n++] = '\r';
  for (const char *c = busy_with; *c && n < 60; c++)
    text[n++] = *c;
  for (int s = busy_seconds; s > 0; s /= 10)
    digits[k++] = (char)('0' + s % 10);
  text[n++] = ' ';
  while (k > 0)
    text[n++] = digits[--k];
  text[n++] = ' ';
  text[n++] = 's';
  const int reason = errno;
  if (write(STDERR_FILENO, text, n) < 0) busy_seconds = 0;
  errno = reason;
}

static void set_timer(long seconds)
{
  const struct itimerval each = {{seconds, 0}, {seconds, 0}};
  setitimer(ITIMER_REAL, &each, NULL);
}

progress progress_busy(const char *what, bool wanted)
{
  const progress p = progress_start(wanted);
  const struct sigaction action = {.sa_handler = show_busy, .sa_flags = SA_RESTART};
  if (!p.on) return p;
  busy_with = what;
  busy_seconds = 0;
  sigaction(SIGALRM, &action, NULL);
  set_timer(1);
  return p;
}

void progress_end(progress *p)
{
  if (p->on && busy_with) set_timer(0);
  busy_with = NULL;
  if (p->on) fputs("\r\033[K", stderr);
  p->on = false;
}

double wall_clock(void)
{
  struct timespec now;
  if (clock_gettime(CLOCK_MONOTONIC, &now) != 0) return 0;
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}
