/* SPDX-License-Identifier: Apache-2.0 */
/* driver.c -- runs a fuzz target without libFuzzer, the same inputs every time:

     driver DICTIONARY FIRST COUNT MODEL...

   The models come first as they are: those that have failed once are among them.  Input number i is one of the
   models with some mutations that follow from i alone.  Numbers are replaced more often
   than anything else, since then most inputs are still models.  Whatever ends the program, the number of the input
   is written (-1, -2, ...: model as it is), and the input to fuzz-input.yaml: FIRST = that number, COUNT = 1 shows it
   again. */
#include "mutations.h"

#include <signal.h>
#include <sys/time.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
__attribute__((weak)) void __sanitizer_set_death_callback(void (*callback)(void)); /* NOLINT */

enum { MAX_WORDS = 400, MAX_MODELS = 100 };

static char *words[MAX_WORDS];
static int nword;
static input models[MAX_MODELS];
static int nmodel;
static input now;
static long number;

/* ---- mutations ---- */

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
  case 4: change_line(x, &models[pick(s, nmodel)], s); break;
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

/* seconds of the processor, so that other programs on the machine do not count; 0: no limit */
static void limit_time(long seconds)
{
  setitimer(ITIMER_PROF, &(struct itimerval){.it_value = {.tv_sec = seconds}}, NULL);
}

static void try_input(void)
{
  uint8_t *exact = malloc((size_t)now.n + 1); /* so that reading beyond the end is seen */
  if (!exact) exit(2);
  memcpy(exact, now.text, (size_t)now.n);
  limit_time(50); /* no input may hang */
  LLVMFuzzerTestOneInput(exact, (size_t)now.n);
  free(exact);
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
  signal(SIGPROF, on_signal);
  if (!__sanitizer_set_death_callback) signal(SIGSEGV, on_signal);
  const long first = atol(argv[2]), count = atol(argv[3]);
  for (int i = 0; i < nmodel; i++) {
    number = -1 - i;
    now = models[i];
    try_input();
  }
  for (number = first; number < first + count; number++) {
    make_input(number);
    try_input();
  }
  limit_time(0);
  for (int i = 0; i < nword; i++)
    free(words[i]);
  printf("%d models, %ld inputs\n", nmodel, count);
  return 0;
}
