/* SPDX-License-Identifier: Apache-2.0 */
/* report.c -- messages on stderr, errors as JSON, and the state of the standard streams. */
#define _POSIX_C_SOURCE 200809L
#include "report.h"

#include "args.h"
#include "linkwork/file.h"
#include "linkwork/output.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- text ---- */

safe_text show(const char *text)
{
  safe_text s;
  char *out = s.text, *const end = s.text + sizeof s.text - 12; /* a character, and dots */
  while (*text && out < end) {
    unsigned code;
    const int n = lw_get_character(text, &code);
    if (lw_is_printable(code))
      memcpy(out, text, (size_t)n), out += n;
    else if (code == '\n' || code == '\t')
      out += sprintf(out, "\\%c", code == '\n' ? 'n' : 't');
    else if (code == LW_NO_CHARACTER || code < 0x80)
      out += sprintf(out, "\\x%02x", (unsigned char)*text);
    else
      out += sprintf(out, "\\u%04x", code);
    text += n;
  }
  strcpy(out, *text ? "..." : "");
  return s;
}

void print_message(const char *format, ...)
{
  char text[1600];
  va_list list;
  va_start(list, format);
  vsnprintf(text, sizeof text, format, list);
  va_end(list);
  fprintf(stderr, "%s\n", show(text).text);
}

/* ---- failures ---- */

static bool as_json, is_there;

void report_as_json(void)
{
  as_json = true;
}

void report_json_is_there(void)
{
  is_there = true;
}

const char *status_name(lw_status status)
{
#define NAME(code, text) #code,
  static const char *const names[] = {LW_STATUS_LIST(NAME)};
#undef NAME
  return (unsigned)status < LW_STATUS_COUNT ? names[status] : "?";
}

/* Does the text begin with the path, in which the library prints `?` for characters that are not
   printable, and only the end of a long one?  Then returns what follows. */
static const char *behind_path(const char *text, const char *path)
{
  const size_t length = strlen(path);
  const char *colon = strncmp(text, "...", 3) == 0 ? strchr(text + 3, ':') : NULL;
  if (colon && length >= (size_t)(colon - text - 3)) {
    path += length - (size_t)(colon - text - 3);
    text += 3;
  }
  for (; *path; path++, text++)
    if (*text != *path && *text != '?') return NULL;
  return *text == ':' ? text + 1 : NULL;
}

const char *without_place(const char *file, const lw_error *err)
{
  char place[40] = " ";
  const char *rest = file ? behind_path(err->text, file) : NULL;
  if (err->line > 0) snprintf(place, sizeof place, "%d:%d: ", err->line, err->column);
  if (!rest || strncmp(rest, place, strlen(place)) != 0) return err->text;
  return rest + strlen(place);
}

static void put_place(json *j, const char *key, int n)
{
  if (n > 0)
    json_integer(j, key, n);
  else
    json_text(j, key, NULL);
}

static void put_error(json *j, const char *file, const lw_error *err, bool usage)
{
  if (file && err->file[0]) file = err->file;
  json_text(j, "status", usage ? "usage" : status_name(err->status));
  json_text(j, "text", without_place(file, err));
  json_text(j, "file", file);
  put_place(j, "line", err->line);
  put_place(j, "column", err->column);
}

void report_error_member(json *j, const char *file, const lw_error *err)
{
  if (!err) {
    json_text(j, "error", NULL);
    return;
  }
  json_object(j, "error");
  put_error(j, file, err, false);
  json_object_end(j);
}

void report_failure(const char *file, const lw_error *err, bool usage)
{
  json j;
  if (!as_json || is_there || !json_start(&j)) return;
  json_object(&j, NULL);
  json_bool(&j, "ok", false);
  put_error(&j, file, err, usage);
  json_object_end(&j);
  json_finish(&j);
}

/* ---- streams ---- */

void streams_open(void)
{
  as_json = is_there = false;
  for (int fd = 0; fd <= 2; fd++)
    if (fcntl(fd, F_GETFD) < 0 && errno == EBADF) {
      /* read-only for stdout, so that writing fails */
      const int opened = open("/dev/null", fd == 2 ? O_WRONLY : O_RDONLY);
      if (opened != fd && opened >= 0) close(opened);
    }
  /* a file that exceeds the size limit is an error like a full disk */
  signal(SIGXFSZ, SIG_IGN);
}

/* Why stdout failed.  The reason of an earlier failure is lost; writing a line break finds it
   again. */
static int find_reason(void)
{
  errno = 0;
  if (fflush(stdout) == 0 && write(STDOUT_FILENO, "\n", 1) == 1) return 0;
  return errno;
}

int streams_close(int status)
{
  errno = 0;
  const bool failed = ferror(stdout) || fflush(stdout) != 0;
  const int reason = failed && errno == 0 ? find_reason() : errno;
  const bool closed = fclose(stdout) == 0;
  if (!failed && closed) return status;
  const int why = reason || closed ? reason : errno;
  if (why != EPIPE) /* the reader has closed the pipe deliberately */
    print_message("linkwork: the results could not be written to stdout%s%s", why ? ": " : "",
                  why ? strerror(why) : "");
  return status == CLI_DONE ? CLI_FAILED : status;
}
