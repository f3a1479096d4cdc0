/* SPDX-License-Identifier: Apache-2.0 */
/* film.h -- a page as a film: a browser without a window draws it, ffmpeg puts it together. */
#ifndef CLI_FILM_H
#define CLI_FILM_H
#include "verbs.h"

/* Does the name end with .mp4 or .gif? */
bool film_is(const char *path);
/* Makes the film of a page in a file of HTML.  Needs chromium and ffmpeg, and says so. */
int film_write(const cli_args *a, const char *page, const char *path);

/* browser.c: a browser to which expressions are sent through pipes (the DevTools protocol). */
typedef struct {
  int to, from; /* descriptors */
  long pid;
  int last;          /* number of the last message */
  char session[128]; /* of the page */
  char *reply;       /* the last one, with a 0 at its end */
  size_t size, capacity;
  char buffer[16384]; /* read, but not used yet: from `at` to `have` */
  size_t at, have;
  char folder[64]; /* of its own files, removed at the end */
} browser;
bool browser_start(browser *b, const char *page);
/* The value of an expression of JavaScript as text, within the reply: valid until the next one;
   NULL: failed. */
char *browser_evaluate(browser *b, const char *expression);
void browser_end(browser *b);

#endif
