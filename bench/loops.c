/* SPDX-License-Identifier: Apache-2.0 */
/* loops.c -- closed loops by both ways: microseconds a forward dynamics call (kinematics,
   constraints and all), in all and a loop, and the ratio of the ways.

     parallel   N four-bars side by side that share the ground and their neighbours' cranks: 2 N + 1
                bars, one cluster, one degree of freedom
     flat       the same as a planar model
     series     N four-bars, each on the coupler of the one before: 3 N bars, N clusters
     ring       one loop of N bars with N - 3 degrees of freedom

   and which of the ways is chosen by the count of operations (lw_get_loops).
   All bars are of length 1 and mass 1, hinges turn about z.  Times are processor time, the least of
   several rounds, the two ways taking turns. */
#include <math.h>
#include <stdlib.h>

#include "linkwork/linkwork.h"
#include "linkwork/loops.h"
#include "measure.h"

enum { PARALLEL, FLAT, SERIES, RING, FAMILIES };
static const char *const family_name[FAMILIES] = {"parallel", "flat", "series", "ring"};

typedef struct {
  lw_spec *spec;
  int njoint;
  double angle, speed;
} builder;

static int add_bar(builder *b, int n)
{
  char name[24];
  snprintf(name, sizeof name, "bar%d", n);
  const lw_body_desc bar = {
      .name = name, .mass = 1, .com = {0.5, 0, 0}, .inertia = {0, 1. / 12, 1. / 12}};
  return lw_add_body(b->spec, &bar).id;
}

/* at the point x on the parent; the bar starts there, or ends there if it closes a loop */
static void add_hinge(builder *b, int parent, int child, double x, double turns, bool closes)
{
  char name[24];
  snprintf(name, sizeof name, "j%d", ++b->njoint);
  lw_add_joint(b->spec, &(lw_joint_desc){.name = name,
                                         .type = LW_REVOLUTE,
                                         .parent = {parent},
                                         .child = {child},
                                         .axis = {0, 0, 1},
                                         .place.at = {x, 0, 0},
                                         .child_place.at = {closes ? 1 : 0, 0, 0},
                                         .q = {turns * b->angle},
                                         .u = {turns * b->speed},
                                         .has_q = !closes,
                                         .has_u = !closes,
                                         .cut = closes});
}

static void build_parallel(builder *b, int n)
{
  int crank = add_bar(b, 0), bar = 1;
  add_hinge(b, 0, crank, 0, 1, false);
  for (int i = 1; i <= n; i++) {
    const int coupler = add_bar(b, bar++), next = add_bar(b, bar++);
    add_hinge(b, 0, next, i, 1, false);
    add_hinge(b, crank, coupler, 1, -1, false);
    add_hinge(b, next, coupler, 1, 0, true);
    crank = next;
  }
}

static void build_series(builder *b, int n)
{
  int base = 0, bar = 0;
  for (int i = 0; i < n; i++) {
    const int crank = add_bar(b, bar++), coupler = add_bar(b, bar++), rocker = add_bar(b, bar++);
    add_hinge(b, base, crank, 0, 1, false);
    add_hinge(b, crank, coupler, 1, -1, false);
    add_hinge(b, base, rocker, 1, 1, false);
    add_hinge(b, rocker, coupler, 1, 0, true);
    base = coupler;
  }
}

/* a regular polygon; its last side is the ground */
static void build_ring(builder *b, int n)
{
  int before = 0;
  const double turn = 2 * 3.14159265358979323846 / (n + 1);
  b->speed = 0;
  for (int i = 0; i < n; i++) {
    const int bar = add_bar(b, i);
    b->angle = turn;
    add_hinge(b, before, bar, i ? 1 : 0, i ? 1 : 0, false);
    before = bar;
  }
  lw_add_joint(b->spec, &(lw_joint_desc){.name = "last",
                                         .type = LW_REVOLUTE,
                                         .child = {before},
                                         .axis = {0, 0, 1},
                                         .place.at = {-cos(turn), sin(turn), 0},
                                         .child_place.at = {1, 0, 0},
                                         .cut = true});
}

static lw_model *build(int family, int n)
{
  lw_error err = {0};
  builder b = {.spec = lw_spec_new(), .angle = 1.1, .speed = 0.7};
  if (family == FLAT) lw_set_planar(b.spec);
  lw_set_gravity(b.spec, 0, -9.81, 0);
  if (family == RING)
    build_ring(&b, n);
  else if (family == SERIES)
    build_series(&b, n);
  else
    build_parallel(&b, n);
  lw_model *m = lw_compile(b.spec, &err);
  if (!m) fprintf(stderr, "loops: %s %d: %s\n", family_name[family], n, err.text);
  lw_spec_free(b.spec);
  return m;
}

typedef struct {
  const lw_model *m;
  lw_work *w;
  double *q, *u, *udot;
} subject;

static double time_calls(const subject *s, int calls)
{
  const double start = measure_now();
  for (int i = 0; i < calls; i++)
    if (lw_forward_dynamics(s->w, 0, s->q, s->u, NULL, s->udot) != LW_OK) return NAN;
  return (measure_now() - start) / calls;
}

static double difference(const double *a, const double *b, int n)
{
  double most = 0, size = 1;
  for (int i = 0; i < n; i++) {
    most = fmax(most, fabs(a[i] - b[i]));
    size = fmax(size, fabs(a[i]));
  }
  return most / size;
}

/* least[cut, embedded]: NAN where the way is not open; returns how far they differ */
static double measure_ways(const subject way[2], const bool open[2], int rounds, double budget,
                           double least[2])
{
  double total = 0;
  for (int i = 0; i < 2; i++)
    least[i] = open[i] ? INFINITY : NAN;
  for (int r = 0; r < rounds && total < budget; r++)
    for (int i = 0; i < 2; i++) {
      if (!open[i]) continue;
      const int calls = r == 0 ? 1 : (int)fmin(1000, fmax(1, 2e-3 / least[i]));
      const double t = time_calls(&way[i], calls);
      total += t * calls;
      if (isnan(t)) return NAN;
      least[i] = fmin(least[i], t);
    }
  return open[0] && open[1] ? difference(way[0].udot, way[1].udot, lw_nu(way[0].m)) : 0;
}

static bool measure_one(const measure_run *run, int family, int n)
{
  lw_model *m = build(family, n);
  if (!m) return false;
  const size_t nq = (size_t)lw_nq(m), nu = (size_t)lw_nu(m);
  double *room = calloc(nq + 3 * nu + 1, sizeof *room), least[2], off = NAN;
  subject way[2];
  bool open[2], ok = room != NULL;
  for (int i = 0; i < 2; i++) {
    way[i] = (subject){m, lw_work_new(m), room, room + nq, room + nq + nu * (size_t)(1 + i)};
    ok = ok && way[i].w;
    open[i] = ok && lw_set_loops(way[i].w, i ? LW_LOOPS_EMBEDDED : LW_LOOPS_CUT) == LW_OK;
  }
  const lw_loops_info info = lw_get_loops(way[0].w);
  const bool embeds =
      open[1] && (!open[0] || info.embedded_cost < info.cut_cost); /* as LW_LOOPS_AUTO does */
  if (ok) {
    lw_initial_state(m, way[0].q, way[0].u);
    off = measure_ways(way, open, run->quick ? 1 : 400, n > 1000 ? 3 : 1, least);
    ok = off < 1e-9;
    const double us[2] = {1e6 * least[0], 1e6 * least[1]};
    printf("%-9s %6d %11.2f %11.2f %9.3f %9.3f %8.2f %8.2f %9s %10.1e\n", family_name[family], n,
           us[0], us[1], us[0] / n, us[1] / n, us[0] / us[1], info.cut_cost / info.embedded_cost,
           embeds ? "embedded" : "cut", off);
    if (run->json)
      fprintf(run->json,
              "{\"family\": \"%s\", \"loops\": %d, \"cut_us\": %.4g, \"embedded_us\": %.4g}\n",
              family_name[family], n, open[0] ? us[0] : -1, open[1] ? us[1] : -1);
  }
  for (int i = 0; i < 2; i++)
    lw_work_free(way[i].w);
  free(room);
  lw_model_free(m);
  return ok;
}

int main(int argc, char **argv)
{
  static const int sizes[] = {2, 10, 40, 100, 1000, 10000}, rings[] = {3, 4, 6, 10, 20, 50};
  measure_run run;
  bool ok = true;
  if (!measure_start(&run, "loops", argc, argv)) return 2;
  printf("%-9s %6s %11s %11s %9s %9s %8s %8s %9s %10s\n", "family", "N", "cut us", "embedded us",
         "of N", "of N", "ratio", "counted", "chosen", "difference");
  for (int f = 0; f < RING; f++)
    for (int i = 0; i < (run.quick ? 3 : 6); i++)
      ok = measure_one(&run, f, sizes[i]) && ok;
  for (int i = 0; i < (run.quick ? 3 : 6); i++)
    ok = measure_one(&run, RING, rings[i]) && ok;
  if (run.json) fclose(run.json);
  return ok ? 0 : 1;
}
