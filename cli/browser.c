/* SPDX-License-Identifier: Apache-2.0 */
/* browser.c -- Chromium without a window, spoken to through --remote-debugging-pipe: messages are
   JSON, each ends with a zero byte. */
#define _XOPEN_SOURCE 700
#include "film.h"

#include <fcntl.h>
#include <ftw.h>
#include <limits.h>
#include <signal.h>
#include <spawn.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

/* Two pipes, on descriptors that the child's 3 and 4 do not overwrite. */
static bool make_pipes(int ends[4])
{
  for (int i = 0; i < 4; i += 2) {
    int pair[2];
    if (pipe(pair) != 0) return false;
    for (int k = 0; k < 2; k++) {
      ends[i + k] = fcntl(pair[k], F_DUPFD_CLOEXEC, 10);
      close(pair[k]);
      if (ends[i + k] < 0) return false;
    }
  }
  return true;
}

static bool spawn_browser(browser *b, const int ends[4])
{
  const char *own = getenv("CHROMIUM");
  const char *const names[] = {own ? own : "chromium", "chromium-browser", "google-chrome",
                               "chrome"};
  char folder[96];
  snprintf(folder, sizeof folder, "--user-data-dir=%s", b->folder);
  const char *const words[] = {"chromium",
                               "--headless=new",
                               "--no-sandbox",
                               "--disable-gpu-sandbox",
                               "--use-angle=swiftshader",
                               "--enable-unsafe-swiftshader",
                               "--ignore-gpu-blocklist",
                               "--hide-scrollbars",
                               "--no-first-run",
                               "--window-size=1280,720",
                               "--remote-debugging-pipe",
                               folder,
                               "about:blank",
                               NULL};
  posix_spawn_file_actions_t files;
  if (posix_spawn_file_actions_init(&files) != 0) return false;
  posix_spawn_file_actions_adddup2(&files, ends[0], 3);
  posix_spawn_file_actions_adddup2(&files, ends[3], 4);
  posix_spawn_file_actions_addopen(&files, 1, "/dev/null", O_WRONLY, 0);
  posix_spawn_file_actions_addopen(&files, 2, "/dev/null", O_WRONLY, 0);
  int failed = 1;
  pid_t pid = -1;
  for (size_t i = 0; failed && i < (own ? 1 : sizeof names / sizeof *names); i++)
    failed = posix_spawnp(&pid, names[i], &files, NULL, (char *const *)(uintptr_t)words, environ);
  posix_spawn_file_actions_destroy(&files);
  b->pid = failed ? 0 : pid;
  return !failed;
}

static bool send_text(const browser *b, const char *text)
{
  for (size_t left = strlen(text) + 1; left > 0;) {
    const ssize_t n = write(b->to, text, left);
    if (n <= 0) return false;
    text += n;
    left -= (size_t)n;
  }
  return true;
}

/* -1: the browser has ended. */
static int next_byte(browser *b)
{
  if (b->at == b->have) {
    const ssize_t n = read(b->from, b->buffer, sizeof b->buffer);
    if (n <= 0) return -1;
    b->at = 0;
    b->have = (size_t)n;
  }
  return (unsigned char)b->buffer[b->at++];
}

/* The next message, a reply or an event. */
static bool read_message(browser *b)
{
  for (b->size = 0;;) {
    const int c = next_byte(b);
    if (c < 0) return false;
    if (b->size == b->capacity) {
      const size_t capacity = b->capacity ? 2 * b->capacity : 65536;
      char *reply = realloc(b->reply, capacity);
      if (!reply) return false;
      b->reply = reply;
      b->capacity = capacity;
    }
    b->reply[b->size++] = (char)c;
    if (c == 0) return true;
  }
}

/* Sends a method with its parameters and waits for its reply. */
static bool call(browser *b, const char *method, const char *parameters)
{
  const int id = ++b->last;
  const size_t size = strlen(parameters) + 512;
  char *text = malloc(size), wanted[32];
  if (!text) return false;
  const bool session = b->session[0];
  snprintf(text, size, "{\"id\":%d,\"method\":\"%s\",\"params\":%s%s%s%s}", id, method, parameters,
           session ? ",\"sessionId\":\"" : "", b->session, session ? "\"" : "");
  bool good = send_text(b, text);
  free(text);
  snprintf(wanted, sizeof wanted, "{\"id\":%d,", id);
  while (good && (good = read_message(b)))
    if (strncmp(b->reply, wanted, strlen(wanted)) == 0) break;
  return good && !strstr(b->reply, "\"exceptionDetails\"");
}

/* The text after "key":" in the last reply, cut out of it. */
static char *text_of(browser *b, const char *key)
{
  char *at = strstr(b->reply, key);
  char *end = at ? strchr(at + strlen(key), '"') : NULL;
  if (!end) return NULL;
  *end = 0;
  return at + strlen(key);
}

char *browser_evaluate(browser *b, const char *expression)
{
  const size_t size = strlen(expression) + 128;
  char *parameters = malloc(size);
  if (!parameters) return NULL;
  snprintf(parameters, size, "{\"expression\":\"String(%s)\",\"returnByValue\":true}", expression);
  const bool good = call(b, "Runtime.evaluate", parameters);
  free(parameters);
  return good ? text_of(b, "\"value\":\"") : NULL;
}

static bool open_page(browser *b, const char *page)
{
  char *path = realpath(page, NULL), text[PATH_MAX + 64], target[128];
  if (!path) return false;
  snprintf(text, sizeof text, "{\"url\":\"file://%s\"}", path);
  free(path);
  if (!call(b, "Target.createTarget", text)) return false;
  const char *id = text_of(b, "\"targetId\":\"");
  if (!id) return false;
  snprintf(target, sizeof target, "%s", id);
  snprintf(text, sizeof text, "{\"targetId\":\"%s\",\"flatten\":true}", target);
  if (!call(b, "Target.attachToTarget", text)) return false;
  const char *session = text_of(b, "\"sessionId\":\"");
  if (!session) return false;
  snprintf(b->session, sizeof b->session, "%s", session);
  for (int i = 0; i < 600; i++) { /* a minute */
    const char *ready = browser_evaluate(b, "document.documentElement.dataset.ready");
    if (ready && strcmp(ready, "yes") == 0) return true;
    nanosleep(&(struct timespec){0, 100000000}, NULL);
  }
  return false;
}

bool browser_start(browser *b, const char *page)
{
  int ends[4] = {-1, -1, -1, -1};
  *b = (browser){.to = -1, .from = -1, .folder = "/tmp/linkwork-XXXXXX"};
  if (!mkdtemp(b->folder)) {
    b->folder[0] = 0;
    return false;
  }
  signal(SIGPIPE, SIG_IGN);
  const bool spawned = make_pipes(ends) && spawn_browser(b, ends);
  if (ends[0] >= 0) close(ends[0]);
  if (ends[3] >= 0) close(ends[3]);
  b->to = ends[1];
  b->from = ends[2];
  return spawned && open_page(b, page);
}

static int remove_one(const char *path, const struct stat *s, int type, struct FTW *f)
{
  (void)s, (void)type, (void)f;
  return remove(path), 0;
}

void browser_end(browser *b)
{
  if (b->pid > 0) {
    b->session[0] = 0;
    if (!call(b, "Browser.close", "{}")) kill((pid_t)b->pid, SIGTERM);
    waitpid((pid_t)b->pid, NULL, 0);
  }
  if (b->to >= 0) close(b->to);
  if (b->from >= 0) close(b->from);
  if (b->folder[0]) nftw(b->folder, remove_one, 16, FTW_DEPTH | FTW_PHYS);
  free(b->reply);
}
