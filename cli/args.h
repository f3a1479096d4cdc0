/* SPDX-License-Identifier: Apache-2.0 */
/* args.h -- the words after `linkwork VERB`: one model, and options from a table, which is also
   printed by --help. */
#ifndef CLI_ARGS_H
#define CLI_ARGS_H
#include <stdbool.h>

enum { CLI_DONE = 0, CLI_FAILED = 1, CLI_USAGE = 2, CLI_UNDECIDED = 3 }; /* exit status */

typedef struct {
  const char *name;  /* without the dashes */
  char letter;       /* -o; 0: none */
  const char *value; /* what the help calls its value; NULL: takes none */
  const char *help;  /* NULL: known, but not available yet */
} cli_option;

typedef struct cli_args cli_args;
typedef struct {
  const char *name, *summary, *example;
  const cli_option
      *options; /* ends with a nameless one; its value: what the verb works on, if not on a MODEL;
                   "": on nothing; "X Y": on an X, and on a Y if it is given; "X Y...": on any number of Y */
  int (*run)(const cli_args *a);
} cli_verb;

typedef struct {
  const cli_option *option;
  const char *value;
  bool read; /* has been asked for */
} cli_given;
struct cli_args {
  const cli_verb *verb;
  const char *model; /* path */
  const char **more; /* [nmore] further words, of verbs that take them */
  int nmore;
  cli_given *given; /* [ngiven] in the order written */
  int ngiven;
  bool help;
  const char *const *words; /* [nword] all words after the verb, which is words[-1] */
  int nword;
  struct lw_sources *sources; /* files that the model was read from; NULL: not kept */
};

/* Parses argv[0 ... argc-1], which follow the verb.  Returns CLI_DONE, or the exit status after a
   message was printed. */
int args_parse(cli_args *a, const cli_verb *verb, int argc, char **argv);
void args_free(cli_args *a);
void args_print_help(const cli_verb *verb);

bool args_has(const cli_args *a, const char *name);
/* The same, without the option being used: what nobody uses is warned about (ignored.c). */
bool args_given(const cli_args *a, const char *name);
/* The value given last, or NULL. */
const char *args_text(const cli_args *a, const char *name);
/* Iterates over the values: *at starts at 0; returns NULL at the end. */
const char *args_next(const cli_args *a, const char *name, int *at);
/* The value given last as a number; *x keeps its value if there is none. */
int args_number(const cli_args *a, const char *name, double *x);
/* One of names[n], whose index goes to *choice, which keeps its value if the option is absent. */
int args_choice(const cli_args *a, const char *name, const char *const names[], int n, int *choice);

/* The name with which text begins, up to `until` or the end, without quotes: to be freed; NULL: no
   memory.  *rest is what follows it. */
char *read_name(const char *text, const char *until, const char **rest);

/* All of text as a number. */
bool read_number(const char *text, double *x);
/* A finite number, perhaps with a unit of that dimension: "20 deg". */
bool read_with_unit(const char *text, const char *unit, double *x);

/* Prints a message on stderr with a reference to the help; returns CLI_USAGE. */
int usage_error(const cli_verb *verb, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

#endif
