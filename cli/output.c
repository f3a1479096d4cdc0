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
#include <stdarg.h>
#include <stdlib.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

/* ---- JSON ---- */

bool json_finish(json *j)
{
  return json_print(json_take(j));
}

bool json_print(char *text)
{
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
static volatile sig_atomic_t busy_expected; /* seconds in all; 0: not known */

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

void progress_line(progress *p, const char *format, ...)
{
  const double now = p->on ? wall_clock() : 0;
  if (!p->on || now < p->shown + 0.1) return;
  p->shown = now;
  va_list list;
  va_start(list, format);
  fputc('\r', stderr);
  vfprintf(stderr, format, list);
  va_end(list);
  fputs("\033[K", stderr);
  fflush(stderr);
}

static size_t put_text(char *to, const char *text, size_t most)
{
  size_t n = 0;
  for (; text[n] && n < most; n++)
    to[n] = text[n];
  return n;
}

static size_t put_seconds(char *to, int seconds)
{
  char digits[12];
  size_t n = 0, k = 0;
  do
    digits[k++] = (char)('0' + seconds % 10);
  while ((seconds /= 10) > 0);
  while (k > 0)
    to[n++] = digits[--k];
  return n + put_text(to + n, " s", 2);
}

int progress_step(void *p, double fraction)
{
  progress_show(p, fraction);
  return 0;
}

/* Called by a timer: only what signal handlers may call. */
static void show_busy(int number)
{
  char text[120];
  size_t n = 0;
  (void)number;
  busy_seconds = busy_seconds + 1;
  if (busy_seconds < 3) return;
  n += put_text(text, "\r", 1);
  n += put_text(text + n, busy_with, 40);
  n += put_text(text + n, " ", 1);
  n += put_seconds(text + n, busy_seconds);
  if (busy_expected > busy_seconds) {
    n += put_text(text + n, ", about ", 8);
    n += put_seconds(text + n, busy_expected - busy_seconds);
    n += put_text(text + n, " left", 5);
  }
  n += put_text(text + n, "\033[K", 3);
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
  busy_seconds = busy_expected = 0;
  sigaction(SIGALRM, &action, NULL);
  set_timer(1);
  return p;
}

progress progress_expect(const char *what, double seconds)
{
  const progress p = progress_busy(what, true);
  if (p.on) busy_expected = (sig_atomic_t)fmin(seconds + 0.5, 1e6);
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
