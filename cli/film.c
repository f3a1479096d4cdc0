/* SPDX-License-Identifier: Apache-2.0 */
/* film.c -- pictures of a page, one after the other, to ffmpeg. */
#define _POSIX_C_SOURCE 200809L
#include "film.h"

#include <fcntl.h>
#include <spawn.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

static bool ends_with(const char *path, const char *ending)
{
  const size_t n = strlen(path), k = strlen(ending);
  return n > k && strcasecmp(path + n - k, ending) == 0;
}

bool film_is(const char *path)
{
  return ends_with(path, ".mp4") || ends_with(path, ".gif");
}

/* ffmpeg, which reads JPEG pictures from *to. */
static pid_t spawn_ffmpeg(const char *path, int rate, int *to)
{
  char fps[16];
  int pair[2];
  pid_t pid = -1;
  snprintf(fps, sizeof fps, "%d", rate);
  const bool gif = ends_with(path, ".gif");
  const char *const film[] = {"ffmpeg",     "-y",
                              "-loglevel",  "error",
                              "-f",         "image2pipe",
                              "-framerate", fps,
                              "-c:v",       "mjpeg",
                              "-i",         "-",
                              "-vf",        "scale=trunc(iw/2)*2:trunc(ih/2)*2",
                              "-c:v",       "libx264",
                              "-pix_fmt",   "yuv420p",
                              "-movflags",  "+faststart",
                              path,         NULL};
  const char *const pictures[] = {
      "ffmpeg",     "-y",
      "-loglevel",  "error",
      "-f",         "image2pipe",
      "-framerate", fps,
      "-c:v",       "mjpeg",
      "-i",         "-",
      "-vf",        "scale=800:-1,split[a][b];[a]palettegen[p];[b][p]paletteuse",
      path,         NULL};
  posix_spawn_file_actions_t files;
  if (pipe(pair) != 0) return -1;
  fcntl(pair[1], F_SETFD, FD_CLOEXEC);
  if (posix_spawn_file_actions_init(&files) == 0) {
    posix_spawn_file_actions_adddup2(&files, pair[0], 0);
    if (posix_spawnp(&pid, "ffmpeg", &files, NULL,
                     (char *const *)(uintptr_t)(gif ? pictures : film), environ) != 0)
      pid = -1;
    posix_spawn_file_actions_destroy(&files);
  }
  close(pair[0]);
  if (pid < 0) close(pair[1]);
  *to = pair[1];
  return pid;
}

/* RFC 4648, in place; how many bytes. */
static size_t from_base64(char *text)
{
  static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  unsigned bits = 0;
  int count = 0;
  size_t n = 0;
  for (const char *c = text; *c && *c != '='; c++) {
    const char *digit = strchr(digits, *c);
    if (!digit) continue;
    bits = bits << 6 | (unsigned)(digit - digits);
    count += 6;
    if (count < 8) continue;
    count -= 8;
    text[n++] = (char)(bits >> count & 255);
  }
  return n;
}

static bool write_all(int to, const char *bytes, size_t n)
{
  while (n > 0) {
    const ssize_t done = write(to, bytes, n);
    if (done <= 0) return false;
    bytes += done;
    n -= (size_t)done;
  }
  return true;
}

/* One picture at time t. */
static bool add_picture(browser *b, double t, int to)
{
  static const char head[] = "data:image/jpeg;base64,";
  char text[160];
  snprintf(text, sizeof text,
           "(linkwork.drawAt(%.12g), linkwork.view.canvas.toDataURL('image/jpeg', 0.93))", t);
  char *picture = browser_evaluate(b, text);
  if (!picture || strncmp(picture, head, sizeof head - 1) != 0) return false;
  picture += sizeof head - 1;
  return write_all(to, picture, from_base64(picture));
}

static double number_of(browser *b, const char *expression)
{
  const char *text = browser_evaluate(b, expression);
  return text ? strtod(text, NULL) : 0;
}

/* As fast as the page plays it, and not longer than half a minute. */
static bool add_pictures(const cli_args *a, browser *b, int rate, int to)
{
  const double start = number_of(b, "linkwork.model.start"),
               end = number_of(b, "linkwork.model.end");
  const double speed = number_of(b, "linkwork.player.speed");
  double seconds = speed > 0 && (end - start) / speed < 30 ? (end - start) / speed : 30;
  if (args_number(a, "seconds", &seconds) != CLI_DONE || !(seconds > 0 && seconds <= 3600))
    return false;
  const int n = (int)(seconds * rate) + 1;
  bool good = browser_evaluate(b, "linkwork.film(true)");
  progress bar = progress_start(!args_has(a, "quiet"));
  for (int i = 0; i < n && good; i++) {
    good = add_picture(b, n > 1 ? start + (end - start) * i / (n - 1) : start, to);
    progress_show(&bar, (double)i / n);
  }
  progress_end(&bar);
  return good;
}

int film_write(const cli_args *a, const char *page, const char *path)
{
  const int rate = ends_with(path, ".gif") ? 15 : 30;
  browser b;
  int to, ended = 0;
  bool good = browser_start(&b, page);
  if (!good) {
    browser_end(&b);
    print_message(
        "%s: a film needs the browser chromium, which did not start: install the package chromium",
        show(path).text);
    return CLI_FAILED;
  }
  const pid_t ffmpeg = spawn_ffmpeg(path, rate, &to);
  if (ffmpeg < 0) {
    browser_end(&b);
    print_message("%s: a film needs the program ffmpeg: install the package ffmpeg",
                  show(path).text);
    return CLI_FAILED;
  }
  good = add_pictures(a, &b, rate, to);
  close(to);
  browser_end(&b);
  if (waitpid(ffmpeg, &ended, 0) < 0 || ended != 0) good = false;
  if (!good) print_message("%s: the film could not be made", show(path).text);
  return good ? CLI_DONE : CLI_FAILED;
}
