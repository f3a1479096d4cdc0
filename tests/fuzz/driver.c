/* SPDX-License-Identifier: Apache-2.0 */
/* driver.c -- runs a fuzz target without libFuzzer, the same inputs every time:

     driver DICTIONARY FIRST COUNT MODEL...

   Input number i is one of the models with some mutations that follow from i alone.  Numbers are replaced more often
   than anything else, since then most inputs are still models.  Whatever ends the program, the number of the input
   is written, and the input to fuzz-input.yaml: FIRST = that number, COUNT = 1 shows it again. */
#include <ctype.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
__attribute__((weak)) void __sanitizer_set_death_callback(void (*callback)(void)); /* NOLINT */

enum { MAX_SIZE = 6000, MAX_WORDS = 400, MAX_MODELS = 64 };

typedef struct {
  char text[MAX_SIZE];
  int n;
} input;

static char *words[MAX_WORDS];
static int nword;
static input models[MAX_MODELS];
static int nmodel;
static input now;
static long number;

/* ---- random numbers ---- */

typedef struct {
  uint64_t state;
} source;

static int pick(source *s, int n)
{
  s->state = s->state * 6364136223846793005u + 1442695040888963407u;
  return n > 0 ? (int)((s->state >> 33) % (uint64_t)n) : 0;
}

/* ---- mutations ---- */

static void splice(input *x, int at, int cut, const char *text, int n)
{
  if (cut > x->n - at) cut = x->n - at;
  if (x->n - cut + n > MAX_SIZE) return;
  memmove(x->text + at + n, x->text + at + cut, (size_t)(x->n - at - cut));
  memcpy(x->text + at, text, (size_t)n);
  x->n += n - cut;
}

/* the number at or after a place; false: none */
static bool find_number(const input *x, int from, int *at, int *length)
{
  int i = from;
  while (i < x->n && !(isdigit((unsigned char)x->text[i]) &&
                       (i == 0 || !isalnum((unsigned char)x->text[i - 1]))))
    i++;
  int end = i;
  while (end < x->n && (isdigit((unsigned char)x->text[end]) || x->text[end] == '.'))
    end++;
  *at = i;
  *length = end - i;
  return end > i;
}

static void change_number(input *x, source *s)
{
  static const char *const special[] = {
      "0",   "1",    "-1",   "1e-9", "1e9", "1e-300",           "1e300",
      "0.5", "-0.5", "1e16", "1e-4", "1e4", "3.14159265358979", "2",
      "10",  "1e-12"};
  int at, length;
  char text[40];
  if (!find_number(x, pick(s, x->n), &at, &length)) return;
  if (pick(s, 2)) {
    snprintf(text, sizeof text, "%s", special[pick(s, (int)(sizeof special / sizeof *special))]);
  } else {
    const double factor = pick(s, 2) ? 0.1 * (1 + pick(s, 30)) : pick(s, 2) ? 1e-3 : 1e3;
    snprintf(text, sizeof text, "%.6g", factor * atof(x->text + at));
  }
  splice(x, at, length, text, (int)strlen(text));
}

/* a line of another model, or of this one, in the place of one */
static void change_line(input *x, source *s)
{
  const input *from = &models[pick(s, nmodel)];
  int start = pick(s, from->n), at = pick(s, x->n);
  while (start > 0 && from->text[start - 1] != '\n')
    start--;
  while (at > 0 && x->text[at - 1] != '\n')
    at--;
  int n = 0, cut = 0;
  while (start + n < from->n && from->text[start + n] != '\n')
    n++;
  while (at + cut < x->n && x->text[at + cut] != '\n')
    cut++;
  splice(x, at, pick(s, 3) ? 0 : cut + 1, from->text + start, n + 1 < from->n - start ? n + 1 : n);
}

static void mutate(input *x, source *s)
{
  const int at = pick(s, x->n + 1);
  const char byte = (char)pick(s, 256);
  const char *word = nword ? words[pick(s, nword)] : "0";
  switch (pick(s, 10)) {
  case 0: splice(x, at, 1, &byte, 1); break;
  case 1: splice(x, at, pick(s, 12), "", 0); break;
  case 2: splice(x, at, 0, word, (int)strlen(word)); break;
  case 3: splice(x, at, pick(s, 8), word, (int)strlen(word)); break;
  case 4: change_line(x, s); break;
  default: change_number(x, s);
  }
}

static void make_input(long i)
{
  source s = {.state = (uint64_t)i * 0x9e3779b97f4a7c15u + 1};
  for (int k = 0; k < 4; k++)
    pick(&s, 2);
  now = models[pick(&s, nmodel)];
  for (int k = pick(&s, 4); k >= 0; k--)
    mutate(&now, &s);
}

/* ---- run ---- */

static void read_words(const char *path)
{
  FILE *f = fopen(path, "r");
  char line[200];
  while (f && nword < MAX_WORDS && fgets(line, sizeof line, f)) {
    char *from = strchr(line, '"'), *to = from ? strrchr(line, '"') : NULL;
    if (!from || to == from || line[0] == '#') continue;
    *to = '\0';
    words[nword] = malloc(strlen(from));
    if (words[nword]) strcpy(words[nword++], from + 1);
  }
  if (f) fclose(f);
}

static void read_model(const char *path)
{
  FILE *f = fopen(path, "r");
  if (!f || nmodel == MAX_MODELS) exit(2);
  input *x = &models[nmodel];
  x->n = (int)fread(x->text, 1, MAX_SIZE, f);
  if (x->n > 0 && x->n < MAX_SIZE) nmodel++; /* large ones are for other tests */
  fclose(f);
}

static void keep_input(void)
{
  FILE *f = fopen("fuzz-input.yaml", "w");
  if (f) fwrite(now.text, 1, (size_t)now.n, f);
  if (f) fclose(f);
  fprintf(stderr, "driver: input %ld is in fuzz-input.yaml\n", number);
}

static void on_signal(int signal)
{
  keep_input();
  _exit(128 + signal);
}

int main(int argc, char **argv)
{
  if (argc < 5) {
    fprintf(stderr, "usage: driver DICTIONARY FIRST COUNT MODEL...\n");
    return 2;
  }
  read_words(argv[1]);
  for (int i = 4; i < argc; i++)
    read_model(argv[i]);
  if (nmodel == 0) return 2;
  if (__sanitizer_set_death_callback) __sanitizer_set_death_callback(keep_input);
  signal(SIGABRT, on_signal);
  signal(SIGALRM, on_signal);
  if (!__sanitizer_set_death_callback) signal(SIGSEGV, on_signal);
  const long first = atol(argv[2]), count = atol(argv[3]);
  for (number = first; number < first + count; number++) {
    make_input(number);
    uint8_t *exact = malloc((size_t)now.n + 1); /* so that reading beyond the end is seen */
    if (!exact) return 2;
    memcpy(exact, now.text, (size_t)now.n);
    alarm(100); /* no input may hang */
    LLVMFuzzerTestOneInput(exact, (size_t)now.n);
    free(exact);
  }
  alarm(0);
  for (int i = 0; i < nword; i++)
    free(words[i]);
  printf("%ld inputs\n", count);
  return 0;
}
