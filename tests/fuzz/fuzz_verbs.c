/* SPDX-License-Identifier: Apache-2.0 */
/* fuzz_verbs.c -- any bytes as the file of each verb of the command line, which of them by a hash of the input: the model
   from memory, or the file of results from a folder of its own; results are written, read again, plotted and shown.
   What is printed with --json is JSON; pictures are well-formed XML; converted models and saved results can be read.
   Runs end after a number of steps, as if they had been interrupted, so that one input takes milliseconds.
   A target of libFuzzer (`make fuzz`); driver.c runs it without.  mutator.c has the mutations. */
#define _GNU_SOURCE
#include "args.h"
#include "base/arena.h"
#include "io/xml/xml_document.h"
#include "json_check.h"
#include "linkwork/linkwork.h"
#include "linkwork/query.h"
#include "linkwork/reader.h"
#include "linkwork/results.h"
#include "linkwork/sensitivity.h"
#include "report.h"
#include "target.h"
#include "verbs.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

enum { LARGEST = 24, MOST = 200, STEPS = 40, WORDS = 20 };

/* ---- steps of a run are counted: the linker gives these the calls of the verbs ---- */

static int steps;
bool __wrap_interrupts_came(void);  /* NOLINT */
void __wrap_interrupts_catch(void); /* NOLINT */
bool __wrap_interrupts_came(void)   /* NOLINT */
{
  return ++steps > STEPS;
}
void __wrap_interrupts_catch(void) /* NOLINT */
{
}

/* ---- files ---- */

static char folder[] = "/tmp/fuzz-verbs-XXXXXX"; /* of this process */
static const char *const written[] = {"x.h5",  "x.csv",    "x.jsonl",  "x.html",
                                      "x.svg", "x.pdf",    "x.yaml",   "x.urdf",
                                      "x.xml", "input.h5", "input.csv"};
enum { NWRITTEN = sizeof written / sizeof *written };

/* one of a few texts that are valid until the next four calls */
static char *in_folder(const char *name)
{
  static char path[4][100];
  static int at;
  at = (at + 1) % 4;
  snprintf(path[at], sizeof path[at], "%s/%s", folder, name);
  return path[at];
}

static void remove_files(void)
{
  for (int i = 0; i < NWRITTEN; i++)
    remove(in_folder(written[i]));
}

static void remove_folder(void)
{
  remove_files();
  rmdir(folder);
}

/* the text of a file, to be freed, or NULL */
static char *read_text(const char *path, size_t *size)
{
  FILE *f = fopen(path, "rb");
  struct stat there;
  if (!f) return NULL;
  char *text = fstat(fileno(f), &there) == 0 ? malloc((size_t)there.st_size + 1) : NULL;
  *size = text ? fread(text, 1, (size_t)there.st_size, f) : 0;
  if (text) text[*size] = '\0';
  fclose(f);
  return text;
}

/* ---- what must hold of what was written ---- */

static void check_xml(const char *name)
{
  size_t size;
  lw_error err = {0};
  lwi_arena arena = {0};
  char *text = read_text(in_folder(name), &size);
  if (!text) return;
  if (!lwi_xml_parse(&arena, text, size, name, &err)) require(false, err.text);
  lwi_arena_free(&arena);
  free(text);
}

static void check_readable(const char *name)
{
  lw_error err = {0};
  if (access(in_folder(name), R_OK) != 0) return;
  lw_spec *s = lw_spec_load(in_folder(name), &err);
  if (!s) require(false, err.text);
  lw_spec_free(s);
}

static void check_lines(const char *name)
{
  size_t size;
  char *text = read_text(in_folder(name), &size), *rest = text;
  for (char *line = text; text && (line = strsep(&rest, "\n")) && *line;)
    require(is_json(line), "a line of JSON lines is no JSON");
  free(text);
}

/* ---- a command ---- */

/* The words of a command; MODEL is the input in memory, F/name a file of the folder.  Its output is what it prints. */
typedef struct {
  char *printed;
  size_t size;
  int status;
} outcome;

static const cli_verb *const verbs[] = {
    &verb_run,     &verb_check, &verb_eval,   &verb_inspect, &verb_equilibrium, &verb_modes,
    &verb_inverse, &verb_sens,  &verb_schema, &verb_convert, &verb_make,        &verb_results,
    &verb_plot,    &verb_view,  &verb_draw,   &verb_sweep};

static int run_words(int n, char **words, lw_sources *sources)
{
  cli_args args;
  for (size_t i = 0; i < sizeof verbs / sizeof *verbs; i++) {
    if (strcmp(verbs[i]->name, words[0]) != 0) continue;
    int status = args_parse(&args, verbs[i], n - 1, words + 1);
    args.sources = sources;
    if (status == CLI_DONE) status = verbs[i]->run(&args);
    args_free(&args);
    return status;
  }
  abort();
}

static outcome run_command(const char *const command[], const uint8_t *data, size_t size)
{
  outcome o = {0};
  char *words[WORDS + 1] = {0}, kept[WORDS][100];
  int n = 0;
  bool as_json = false;
  for (; n < WORDS && command[n]; n++) {
    const bool file = strncmp(command[n], "F/", 2) == 0;
    snprintf(kept[n], sizeof kept[n], "%s", file ? in_folder(command[n] + 2) : command[n]);
    words[n] = kept[n];
    as_json = as_json || strcmp(words[n], "--json") == 0;
  }
  lw_sources *sources = lw_sources_new();
  if (data && sources) lw_sources_add(sources, "MODEL", (const char *)data, size);
  FILE *const out = stdout, *const messages = stderr;
  FILE *print = open_memstream(&o.printed, &o.size), *null = fopen("/dev/null", "w");
  if (!sources || !print || !null) exit(2);
  stdout = print, stderr = null, steps = 0;
  streams_open();
  if (as_json) report_as_json();
  o.status = run_words(n, words, sources);
  stdout = out, stderr = messages;
  fclose(print);
  fclose(null);
  lw_sources_free(sources);
  require(o.status >= CLI_DONE && o.status <= CLI_UNDECIDED, "an exit status that there is not");
  if (as_json) require(is_json(o.printed), "what is printed with --json is no JSON");
  return o;
}

static int run(const char *const command[], const uint8_t *data, size_t size)
{
  const outcome o = run_command(command, data, size);
  free(o.printed);
  return o.status;
}
#define COMMAND(...) run((const char *const[]){__VA_ARGS__, NULL}, data, size)

/* ---- the verbs ---- */

static void use_results(const char *results)
{
  const uint8_t *data = NULL;
  const size_t size = 0;
  COMMAND("results", results, "--json");
  COMMAND("results", results, "--events");
  COMMAND("plot", results, "*", "-o", "F/x.svg");
  check_xml("x.svg");
  COMMAND("plot", results, "*");
  COMMAND("results", results, "-o", "F/x.jsonl", "--every", "2");
  check_lines("x.jsonl");
  COMMAND("results", results, "--diff", results);
}

/* --vary of the first parameter, a tenth to either side; false: there is none */
static bool range_of_parameter(const uint8_t *data, size_t size, char text[100])
{
  lw_spec *s = lw_spec_parse((const char *)data, size, "MODEL", NULL);
  lw_model *m = s ? lw_compile(s, NULL) : NULL;
  const bool found = m && lw_nparameter(m) > 0;
  if (found) {
    const double value = lw_parameter_value(m, 0);
    snprintf(text, 100, "%.40s=%.17g..%.17g", lw_parameter_name(m, 0), 0.9 * value, 1.1 * value);
  }
  lw_model_free(m);
  lw_spec_free(s);
  return found;
}

/* Two cases at a time; then the table is gone on with, shown, and a case of it computed alone. */
static void sweep_model(const uint8_t *data, size_t size)
{
  char range[100];
  if (!range_of_parameter(data, size, range)) return;
#define CASES                                                                                      \
  "sweep", "MODEL", "--vary", range, "--cases", "2", "--end", "0.001", "--limit", "0.002",         \
      "--columns", "q.*,energy.total", "-q"
  COMMAND(CASES, "--shard", "1/2", "--threads", "2", "-o", "F/x.csv");
  COMMAND(CASES, "--resume", "--json", "--threads", "2", "-o", "F/x.csv");
  COMMAND("results", "F/x.csv", "--json");
  COMMAND(CASES, "--case", "2", "-o", "F/x.jsonl");
  check_lines("x.jsonl");
}

static void use_model(const uint8_t *data, size_t size, uint32_t choice)
{
  switch (choice % 17) {
  case 0: COMMAND("check", "MODEL", "--json"); break;
  case 1: COMMAND("eval", "MODEL", "--json"); break;
  case 2: COMMAND("eval", "MODEL", "--factors", "--inverse"); break;
  case 3:
    COMMAND("inspect", "MODEL", "--json", "--svg", "F/x.svg");
    check_xml("x.svg");
    COMMAND("inspect", "MODEL", "--all", "--assembly-svg", "F/x.svg");
    check_xml("x.svg");
    break;
  case 4: COMMAND("inspect", "MODEL", "--numbering", "all"); break;
  case 5: COMMAND("equilibrium", "MODEL", "--json"); break;
  case 6: COMMAND("modes", "MODEL", "--json", "--matrices", "--at", "start"); break;
  case 7: COMMAND("inverse", "MODEL", "--json"); break;
  case 8: COMMAND("sens", "MODEL", "--json", "-o", "F/x.csv"); break;
  case 9:
    if (COMMAND("convert", "MODEL", "-o", "F/x.yaml") == CLI_DONE) check_readable("x.yaml");
    break;
  case 10:
    if (COMMAND("convert", "MODEL", "-o", "F/x.urdf") == CLI_DONE) check_xml("x.urdf");
    break;
  case 11:
    if (COMMAND("convert", "MODEL", "-o", "F/x.xml") == CLI_DONE) check_xml("x.xml");
    break;
  case 12:
    COMMAND("draw", "MODEL", "-o", "F/x.svg", "--instants", "2");
    check_xml("x.svg");
    break;
  case 13: COMMAND("view", "MODEL", "-o", "F/x.html"); break;
  case 14:
    COMMAND("run", "MODEL", "--json", "-o", "F/x.h5");
    use_results("F/x.h5");
    COMMAND("view", "F/x.h5", "-o", "F/x.html");
    break;
  case 15: sweep_model(data, size); break;
  default:
    COMMAND("run", "MODEL", "--plot", "*");
    COMMAND("run", "MODEL", "-o", "F/x.jsonl", "--report", "F/x.html");
    check_lines("x.jsonl");
  }
}

/* Models of some size only, so that every verb takes milliseconds. */
static bool is_small_model(const uint8_t *data, size_t size)
{
  lw_spec *s = lw_spec_parse((const char *)data, size, "MODEL", NULL);
  lw_model *m = s ? lw_compile(s, NULL) : NULL;
  const bool small = m && lw_nbody(m) <= LARGEST && lw_nq_all(m) < MOST && lw_nu_all(m) < MOST &&
                     lw_nsensitivity(m) < 4;
  lw_model_free(m);
  lw_spec_free(s);
  return small;
}

static void use_file(const uint8_t *data, size_t size)
{
  const bool hdf5 = size > 8 && memcmp(data + 1, "HDF\r\n", 5) == 0;
  const char *name = hdf5 ? "F/input.h5" : "F/input.csv";
  FILE *f = fopen(in_folder(name + 2), "wb");
  if (!f) exit(2);
  fwrite(data, 1, size, f);
  fclose(f);
  use_results(name);
  if (hdf5) COMMAND("view", name, "-o", "F/x.html");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  static long inputs;
  if (inputs++ == 0) {
    if (!mkdtemp(folder)) exit(2);
    atexit(remove_folder);
  }
  const uint32_t choice = hash(data, size);
  if (is_small_model(data, size))
    use_model(data, size, choice >> 8);
  else if (choice % 16 == 0)
    COMMAND("check", "MODEL", "--json"); /* the error */
  else
    use_file(data, size);
  remove_files();
  return 0;
}
