/* SPDX-License-Identifier: Apache-2.0 */
/* main.c -- finds the verb and runs it. */
#define _POSIX_C_SOURCE 200809L
#include "args.h"
#include "files.h"
#include "linkwork/simulate.h"
#include "linkwork/reader.h"
#include "verbs.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const cli_verb *const verbs[] = {
    &verb_run,   &verb_check,   &verb_eval,    &verb_inspect,  &verb_equilibrium,
    &verb_modes, &verb_inverse, &verb_sens,    &verb_schema,   &verb_convert,
    &verb_make,  &verb_bench,   &verb_results, &verb_plot,     &verb_view,
    &verb_draw,  &verb_sweep,   &verb_fit,     &verb_optimize, &verb_codegen};
enum { NVERB = sizeof verbs / sizeof *verbs };

static void print_help(void)
{
  printf("linkwork: dynamics of mechanisms of any topology\n\n"
         "usage: linkwork VERB MODEL [options]\n\nverbs:\n");
  for (int i = 0; i < NVERB; i++)
    printf("  %-11s %s\n", verbs[i]->name, verbs[i]->summary);
  printf("\nlinkwork VERB --help lists the options of a verb; linkwork --version prints the "
         "version.\n\n"
         "exit status: 0 done, 1 the model or the run failed, 2 wrong usage, 3 a check could not "
         "decide;\n"
         "ended by a signal: 130 (SIGINT), 143 (SIGTERM), as reported by shells\n");
}

static int unknown_verb(const char *word)
{
  const char *names[NVERB];
  for (int i = 0; i < NVERB; i++)
    names[i] = verbs[i]->name;
  const char *nearest = lw_nearest_name(word, names, NVERB);
  if (nearest) return usage_error(NULL, "unknown verb %s: did you mean %s?", word, nearest);
  return usage_error(NULL, "unknown verb %s", word);
}

static int run_verb(const cli_verb *verb, int argc, char **argv)
{
  cli_args args;
  int status = args_parse(&args, verb, argc, argv);
  args.sources = lw_sources_new();
  /* One thread for linear algebra: the systems of one mechanism are small, and threads of OpenBLAS
     would wait for each other, and on a busy machine for other programs.  The variable is read when
     OpenBLAS is loaded. */
  setenv("OPENBLAS_NUM_THREADS", "1", 0);
  /* a static buffer, since stdio would lose the first line of output if it could not allocate
     one */
  static char buffer[BUFSIZ];
  setvbuf(stdout, buffer, isatty(STDOUT_FILENO) ? _IOLBF : _IOFBF, sizeof buffer);
  if (status == CLI_DONE && args.help)
    args_print_help(verb);
  else if (status == CLI_DONE)
    status = verb->run(&args);
  const bool read_all = status == CLI_DONE || status == CLI_UNDECIDED; /* else it ended before */
  if (read_all && !args.help) warn_of_unread(&args);
  lw_sources_free(args.sources);
  args_free(&args);
  return status;
}

static int run_words(int argc, char **argv)
{
  for (int i = 2; i < argc; i++)
    if (strcmp(argv[i], "--json") == 0) report_as_json();
  if (argc < 2) return usage_error(NULL, "no VERB is given");
  if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0) {
    print_help();
    return CLI_DONE;
  }
  if (strcmp(argv[1], "--version") == 0) {
    printf("linkwork %s\n", LINKWORK_VERSION);
    return CLI_DONE;
  }
  for (int i = 0; i < NVERB; i++)
    if (strcmp(argv[1], verbs[i]->name) == 0) return run_verb(verbs[i], argc - 2, argv + 2);
  return unknown_verb(argv[1]);
}

int main(int argc, char **argv)
{
  streams_open();
  const int status = streams_close(run_words(argc, argv));
  interrupts_pass_on();
  return status;
}
