/* SPDX-License-Identifier: Apache-2.0 */
/* transitions.c -- what a transition between sticking and sliding costs, from the located instant
   to the next phase: chains on a shaken base, first with ten rough hinges among more and more
   bodies, then with every hinge rough. */
#include "linkwork/all.h"
#include "measure.h"

#include <stdlib.h>
#include <string.h>

typedef struct {
  double since, spent;
  int n, most;
} clock_of_events;

static int note(void *context, const lw_event_report *r, bool after)
{
  clock_of_events *c = context;
  (void)r;
  if (!after) {
    c->since = measure_now();
    return 0;
  }
  c->spent += measure_now() - c->since;
  return ++c->n >= c->most;
}

/* a chain of n links, of which every `each`-th has a rough hinge */
static char *chain(int n, int each)
{
  char *text = malloc(400 + 400 * (size_t)n), *to = text;
  if (!text) return NULL;
  to += sprintf(
      to,
      "linkwork: 1\nplanar: true\ngravity: [0, -9.81]\nbodies:\n  base: {mass: 1, inertia: 1}\n");
  for (int i = 1; i <= n; i++)
    to += sprintf(to, "  b%d: {mass: 0.1, com: [0, -0.05], inertia: 1e-4}\n", i);
  to += sprintf(to, "joints:\n  S: {type: prismatic, parent: ground, child: base, axis: x}\n"
                    "  D: {type: driver, joint: S, value: 0.05*sin(9*t)}\n");
  for (int i = 1; i <= n; i++) {
    char parent[20] = "base";
    if (i > 1) sprintf(parent, "b%d", i - 1);
    to += sprintf(to, "  j%d: {type: revolute, parent: %s, child: b%d, at: [0, %g]", i, parent, i,
                  i > 1 ? -0.1 : 0.0);
    if (i % each == 0)
      to += sprintf(to, ", friction: {load: %g, static: %g}", 0.002 * (n + 1 - i),
                    0.0025 * (n + 1 - i));
    to += sprintf(to, "}\n");
  }
  sprintf(to, "simulation: {end: 100, rtol: 1e-6}\n");
  return text;
}

static bool measure_chain(int n, int each, int most, const measure_run *run)
{
  lw_error err = {0};
  char *text = chain(n, each);
  if (!text) return false;
  lw_spec *s = lw_spec_parse(text, strlen(text), "chain", &err);
  lw_model *m = s ? lw_compile(s, &err) : NULL;
  lw_simulation *sim = m ? lw_simulation_new(m, NULL, &err) : NULL;
  clock_of_events c = {.most = most};
  double *q = sim ? calloc((size_t)lw_nq_all(m) + (size_t)lw_nu_all(m) + 1, sizeof *q) : NULL;
  if (q) {
    lw_simulation_on_event(sim, note, &c);
    const lw_status status = lw_simulation_advance(sim, 100, q, q + lw_nq_all(m), &err);
    if (status == LW_OK || status == LW_E_STOPPED) err = (lw_error){0};
  }
  const bool fine = q && err.status == LW_OK && c.n > 0;
  const double each_one = c.n > 0 ? c.spent / c.n : 0;
  if (!fine)
    fprintf(stderr, "transitions: %s\n", err.text);
  else
    printf("%8d %8d %12d %12.0f %12.2f\n", n, n / each, c.n, 1e6 * each_one, 1e6 * each_one / n);
  fflush(stdout);
  if (fine && run->json)
    fprintf(run->json, "{\"bodies\":%d,\"rough\":%d,\"transitions\":%d,\"us\":%.6g}\n", n, n / each,
            c.n, 1e6 * each_one);
  free(q);
  lw_simulation_free(sim);
  lw_model_free(m);
  lw_spec_free(s);
  free(text);
  return fine;
}

int main(int argc, char **argv)
{
  measure_run run;
  if (!measure_start(&run, "transitions", argc, argv)) return 2;
  const int most = run.quick ? 3 : 40, longest = run.quick ? 40 : 320,
            roughest = run.quick ? 20 : 100;
  printf("%8s %8s %12s %12s %12s\n", "bodies", "rough", "transitions", "us each", "us per body");
  bool fine = true;
  for (int n = 20; fine && n <= longest; n *= 2)
    fine = measure_chain(n, n / 10, most, &run);
  static const int rough[] = {12, 25, 50, 100};
  for (int i = 0; fine && i < 4 && rough[i] <= roughest; i++)
    fine = measure_chain(rough[i], 1, most, &run);
  if (run.json) fclose(run.json);
  return !fine;
}
