/* SPDX-License-Identifier: Apache-2.0 */
/* make.c -- linkwork make: model files of any size for experiments, ready to run. */
#define _POSIX_C_SOURCE 200809L /* open_memstream */
#include "files.h"
#include "linkwork/output.h"
#include "verbs.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 1000000 };

/* ---- the shapes ---- */

static void print_head(FILE *f, const char *kind, int n, const char *what)
{
  fprintf(f, "# linkwork make %s %d: %s\nlinkwork: 1\nname: %s of %d\n", kind, n, what, kind, n);
}

static void print_end(FILE *f)
{
  fprintf(f, "simulation: {end: 1, output_step: 0.01}\n");
}

static void print_rod(FILE *f, const char *name, int i, double length)
{
  fprintf(f, "  %s%d: {solid: {rod: {length: %.17g, mass: 1, axis: [0, -1, 0]}}}\n", name, i,
          length);
}

/* A pendulum of n links, 1 m long, whose axes alternate between z and x. */
static void make_chain(FILE *f, int n)
{
  const double length = 1.0 / n;
  print_head(f, "chain", n, "a hanging chain of links, 1 m long, axes z and x in turn");
  fprintf(f, "gravity: [0, -9.81, 0]\nbodies:\n");
  for (int i = 1; i <= n; i++)
    print_rod(f, "link", i, length);
  fprintf(f, "joints:\n");
  for (int i = 1; i <= n; i++) {
    fprintf(f, "  J%d: {type: revolute, child: link%d, axis: %c", i, i, i % 2 ? 'z' : 'x');
    if (i == 1)
      fprintf(f, ", parent: ground, q: 1}\n");
    else
      fprintf(f, ", parent: link%d, at: [0, %.17g, 0]}\n", i - 1, -length);
  }
  print_end(f);
}

/* Each body carries two: body i hangs on body i / 2. */
static void make_tree(FILE *f, int n)
{
  const double length = 1 / (1 + log2(n));
  print_head(f, "tree", n, "a binary tree of hanging links, axes z and x in turn");
  fprintf(f, "gravity: [0, -9.81, 0]\nbodies:\n");
  for (int i = 1; i <= n; i++)
    print_rod(f, "link", i, length);
  fprintf(f, "joints:\n");
  for (int i = 1; i <= n; i++) {
    fprintf(f, "  J%d: {type: revolute, child: link%d, axis: %c, q: %.3g", i, i, i % 2 ? 'z' : 'x',
            i == 1  ? 1.0
            : i % 2 ? 0.3
                    : -0.3);
    if (i == 1)
      fprintf(f, ", parent: ground}\n");
    else
      fprintf(f, ", parent: link%d, at: [0, %.17g, 0]}\n", i / 2, -length);
  }
  print_end(f);
}

/* Two rails of n links, rungs between their ends: n loops, a freedom each. */
static void make_ladder(FILE *f, int n)
{
  const double length = 1.0 / n, width = 0.2;
  print_head(f, "ladder", n, "a hanging ladder with pinned rungs: one loop, one freedom per rung");
  fprintf(f, "planar: true\ngravity: [0, -9.81]\nbodies:\n");
  for (int i = 1; i <= n; i++) {
    fprintf(f,
            "  left%d: {mass: 1, com: [0, %.17g], inertia: %.17g}\n"
            "  right%d: {mass: 1, com: [0, %.17g], inertia: %.17g}\n"
            "  rung%d: {mass: 1, com: [%.17g, 0], inertia: %.17g}\n",
            i, -length / 2, length * length / 12, i, -length / 2, length * length / 12, i,
            width / 2, width * width / 12);
  }
  fprintf(f, "joints:\n");
  for (int i = 1; i <= n; i++) {
    if (i == 1)
      fprintf(f,
              "  L1: {type: revolute, parent: ground, child: left1, q: 0.3}\n"
              "  R1: {type: revolute, parent: ground, child: right1, at: [%.17g, 0], q: 0.3}\n",
              width);
    else
      fprintf(f,
              "  L%d: {type: revolute, parent: left%d, child: left%d, at: [0, %.17g]}\n"
              "  R%d: {type: revolute, parent: right%d, child: right%d, at: [0, %.17g]}\n",
              i, i - 1, i, -length, i, i - 1, i, -length);
    fprintf(f,
            "  A%d: {type: revolute, parent: left%d, child: rung%d, at: [0, %.17g], q: -0.3}\n"
            "  B%d: {type: revolute, parent: rung%d, child: right%d, at: [%.17g, 0], child_at: [0, "
            "%.17g]}\n",
            i, i, i, -length, i, i, i, width, -length);
  }
  print_end(f);
}

/* A regular polygon of n links and the ground. */
static void make_ring(FILE *f, int n)
{
  const double turn = 2 * acos(-1.0) / (n + 1), length = 2 * sin(turn / 2);
  print_head(f, "ring", n, "a closed chain, a regular polygon of the links and the ground");
  fprintf(f, "planar: true\ngravity: [0, -9.81]\nbodies:\n");
  for (int i = 1; i <= n; i++)
    fprintf(f, "  link%d: {mass: 1, com: [%.17g, 0], inertia: %.17g}\n", i, length / 2,
            length * length / 12);
  fprintf(f, "joints:\n");
  for (int i = 1; i <= n + 1; i++) {
    fprintf(f, "  J%d: {type: revolute, parent: ", i);
    if (i == 1)
      fprintf(f, "ground, child: link1, q: %.17g}\n", turn - acos(-1.0));
    else if (i <= n)
      fprintf(f, "link%d, child: link%d, at: [%.17g, 0], q: %.17g}\n", i - 1, i, length, turn);
    else
      fprintf(f, "link%d, child: ground, at: [%.17g, 0], child_at: [%.17g, 0]}\n", n, length,
              length);
  }
  print_end(f);
}

/* A net of n x n particles with rods between neighbours, its upper corners fixed. */
static void make_grid(FILE *f, int n)
{
  const double pitch = 1.0 / n;
  print_head(f, "grid", n, "a net of n x n particles with rods between neighbours, hung up");
  fprintf(f, "gravity: [0, -3, -9.81]\nbodies:\n");
  for (int i = 1; i <= n; i++)
    for (int k = 1; k <= n; k++)
      fprintf(f, "  p%d_%d: {mass: 1, pose: {at: [%.17g, 0, %.17g]}}\n", i, k, k * pitch,
              -i * pitch);
  fprintf(f, "joints:\n");
  for (int k = 1; k <= n; k++)
    fprintf(f,
            "  hung%d: {type: distance, parent: ground, child: p1_%d, at: [%.17g, 0, 0], length: "
            "%.17g}\n",
            k, k, k * pitch, pitch);
  for (int i = 1; i <= n; i++)
    for (int k = 1; k <= n; k++) {
      if (i < n)
        fprintf(f, "  v%d_%d: {type: distance, parent: p%d_%d, child: p%d_%d, length: %.17g}\n", i,
                k, i, k, i + 1, k, pitch);
      if (k < n && i > 1)
        fprintf(f, "  h%d_%d: {type: distance, parent: p%d_%d, child: p%d_%d, length: %.17g}\n", i,
                k, i, k, i, k + 1, pitch);
    }
  print_end(f);
}

/* ---- the verb ---- */

static const struct {
  const char *name;
  int least;
  void (*print)(FILE *f, int n);
} kinds[] = {{"chain", 1, make_chain},
             {"tree", 1, make_tree},
             {"ladder", 1, make_ladder},
             {"ring", 2, make_ring},
             {"grid", 1, make_grid}};
enum { KINDS = sizeof kinds / sizeof *kinds };

static int write_model(const cli_args *a, int kind, int n)
{
  const char *path = args_text(a, "output");
  char *text = NULL;
  size_t size = 0;
  lw_error err = {0};
  FILE *f = open_memstream(&text, &size);
  if (!f) return out_of_memory(a);
  kinds[kind].print(f, n);
  const bool failed = ferror(f) != 0;
  int status = CLI_DONE;
  if (fclose(f) != 0 || failed)
    status = out_of_memory(a);
  else if (!path || is_stdout(path))
    fwrite(text, 1, size, stdout);
  else if (lw_write_file(path, text, size, &err) != LW_OK)
    status = report_model_error(a, &err);
  free(text);
  return status;
}

static int make(const cli_args *a)
{
  double n = 0;
  for (int i = 0; i < KINDS; i++) {
    if (strcmp(a->model, kinds[i].name) != 0) continue;
    const int most = i == KINDS - 1 ? (int)sqrt(MOST) : MOST; /* of a grid: n * n */
    if (a->nmore == 0 || !read_number(a->more[0], &n) || !(n >= kinds[i].least && n <= most) ||
        n != floor(n))
      return usage_error(a->verb, "%s needs a whole number from %d to %d", kinds[i].name,
                         kinds[i].least, most);
    const int status = check_file(a, "output", "YAML");
    return status == CLI_DONE ? write_model(a, i, (int)n) : status;
  }
  return usage_error(a->verb, "\"%s\" cannot be made: chain, tree, ladder, ring or grid", a->model);
}

static const cli_option options[] = {
    {"output", 'o', "FILE.yaml", "the model file to write; otherwise it is printed"},
    {.value = "chain|tree|ladder|ring|grid N"}};
const cli_verb verb_make = {"make", "Prints a model file of N bodies, rungs or N x N particles.",
                            "linkwork make ladder 20 -o ladder.yaml", options, make};
