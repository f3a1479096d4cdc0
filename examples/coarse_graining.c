/* SPDX-License-Identifier: Apache-2.0 */
/* coarse_graining.c -- a model that becomes coarser and finer while it moves, after the example of
   [Mukherjee2007]: a cloud of free particles is merged into 26 rigid bodies, these are articulated by
   25 spherical joints, all at one instant, and later everything is taken apart again.  Momenta are
   kept across every transition; kinetic energy is lost where relative motion is stopped.

     coarse_graining [PARTICLES] [FILE.svg] */
#include <linkwork/linkwork.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BLOBS = 26, MOST_ROWS = 64 };

typedef struct {
  int particles;
  lw_body *blob[BLOBS]; /* its particles */
  int size[BLOBS];
  lw_model *m;
  lw_simulation *sim;
  double *q, *u;
  int rows;
  double t[MOST_ROWS], linear[MOST_ROWS], angular[MOST_ROWS], kinetic[MOST_ROWS];
  double worst; /* relative change of momentum in an event */
} cloud;

static double norm(const double x[3])
{
  return sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2]);
}

static double noise(unsigned *seed)
{
  *seed = 1664525u * *seed + 1013904223u;
  return (double)(*seed >> 8) / (1 << 24) - 0.5;
}

/* ---- the cloud: blobs along a helix, each a ball of particles ---- */

static bool build(cloud *c, lw_error *err)
{
  lw_spec *s = lw_spec_new();
  unsigned seed = 7;
  lw_set_gravity(s, 0, 0, 0);
  for (int k = 0; k < BLOBS; k++) {
    const double a = 0.6 * k, center[3] = {2 * cos(a), 2 * sin(a), 0.5 * k};
    c->size[k] = c->particles / BLOBS + (k < c->particles % BLOBS);
    c->blob[k] = calloc((size_t)c->size[k], sizeof(lw_body));
    for (int i = 0; i < c->size[k]; i++) {
      char name[32];
      lw_start start = {.linear = {0.3, 0, 0.1}};
      snprintf(name, sizeof name, "p%d_%d", k, i);
      for (int j = 0; j < 3; j++) {
        start.pose.at[j] = center[j] + 0.6 * noise(&seed);
        start.linear[j] += 0.4 * noise(&seed);
      }
      c->blob[k][i] =
          lw_add_body(s, &(lw_body_desc){.name = name, .mass = 1 + noise(&seed), .start = &start});
    }
  }
  c->m = lw_compile(s, err);
  lw_spec_free(s);
  return c->m != NULL;
}

/* ---- what is seen on the way ---- */

static void add_row(cloud *c, double t, const double h[6], double kinetic)
{
  if (c->rows == MOST_ROWS) return;
  c->t[c->rows] = t;
  c->linear[c->rows] = norm(h + 3);
  c->angular[c->rows] = norm(h);
  c->kinetic[c->rows++] = kinetic;
}

static int on_event(void *context, const lw_event_report *r, bool after)
{
  cloud *c = context;
  if (!after) return 0;
  add_row(c, r->time, r->momentum_before, r->kinetic_before);
  add_row(c, r->time, r->momentum_after, r->kinetic_after);
  double change[6];
  for (int i = 0; i < 6; i++)
    change[i] = r->momentum_after[i] - r->momentum_before[i];
  c->worst = fmax(c->worst, norm(change + 3) / norm(r->momentum_before + 3));
  c->worst = fmax(c->worst, norm(change) / norm(r->momentum_before));
  printf("t = %.1f  %4d events: %6d speeds -> %6d, kinetic energy %.9g -> %.9g, 1/2 dV'M dV %.9g\n",
         r->time, r->nevent, lw_nu(r->before), lw_nu(r->after), r->kinetic_before, r->kinetic_after,
         r->jump_energy);
  return 0;
}

static lw_status sample(cloud *c, double t, lw_error *err)
{
  lw_status st = lw_simulation_advance(c->sim, t, c->q, c->u, err);
  if (st != LW_OK) return st;
  const lw_model *m = lw_simulation_model(c->sim);
  lw_work *w = lw_work_new(m);
  double h[6], kinetic, potential;
  st = w ? lw_energy(m, w, c->q, c->u, &kinetic, &potential) : LW_E_MEMORY;
  if (st == LW_OK) st = lw_momentum(m, w, h);
  if (st == LW_OK) add_row(c, t, h, kinetic);
  lw_work_free(w);
  return st;
}

/* ---- transitions ---- */

static lw_status merge_blobs(cloud *c, bool merge, lw_error *err)
{
  lw_event_desc e[BLOBS] = {{0}};
  char name[BLOBS][24];
  for (int k = 0; k < BLOBS; k++) {
    snprintf(name[k], sizeof name[k], "blob%d", k);
    e[k] = (lw_event_desc){.action = merge ? LW_ACTION_MERGE : LW_ACTION_SPLIT,
                           .merge = name[k],
                           .bodies = c->blob[k],
                           .nbody = c->size[k]};
  }
  return lw_simulation_raise(c->sim, e, BLOBS, err);
}

/* spherical joints half way between the first particles of neighbouring blobs */
static lw_status articulate(cloud *c, bool connect, lw_error *err)
{
  lw_event_desc e[BLOBS - 1] = {{0}};
  lw_joint_desc joint[BLOBS - 1] = {{0}};
  char name[BLOBS - 1][24];
  for (int k = 0; k + 1 < BLOBS; k++) {
    snprintf(name[k], sizeof name[k], "joint%d", k);
    joint[k] = (lw_joint_desc){.name = name[k],
                               .type = LW_SPHERICAL,
                               .parent = c->blob[k][0],
                               .child = c->blob[k + 1][0],
                               .place.at = {0.2, 0.3, 0.25}};
    e[k] =
        connect
            ? (lw_event_desc){.action = LW_ACTION_CONNECT, .new_joint = &joint[k], .placed = true}
            : (lw_event_desc){.action = LW_ACTION_DISCONNECT, .joint = name[k]};
  }
  return lw_simulation_raise(c->sim, e, BLOBS - 1, err);
}

static lw_status run(cloud *c, lw_error *err)
{
  lw_status st = LW_OK;
  for (int k = 0; k <= 25 && st == LW_OK; k++) {
    st = sample(c, 0.1 * k, err);
    if (k == 5 && st == LW_OK) st = merge_blobs(c, true, err);
    if (k == 10 && st == LW_OK) st = articulate(c, true, err);
    if (k == 15 && st == LW_OK) st = articulate(c, false, err);
    if (k == 20 && st == LW_OK) st = merge_blobs(c, false, err);
  }
  return st;
}

/* ---- the picture ---- */

static void curve(FILE *f, const cloud *c, const double *y, double top, const char *color,
                  const char *label)
{
  double most = 0;
  for (int i = 0; i < c->rows; i++)
    most = fmax(most, y[i]);
  fprintf(f, "<polyline fill=\"none\" stroke=\"%s\" stroke-width=\"2\" points=\"", color);
  for (int i = 0; i < c->rows; i++)
    fprintf(f, "%.1f,%.1f ", 60 + 220 * c->t[i], top + 130 - 120 * y[i] / most);
  fprintf(f, "\"/>\n<text x=\"66\" y=\"%.0f\" fill=\"%s\">%s, largest %.6g</text>\n", top - 6,
          color, label, most);
  fprintf(f, "<path d=\"M60 %.0f V%.0f H620\" fill=\"none\" stroke=\"#888\"/>\n", top, top + 130);
}

static bool draw(const cloud *c, const char *path)
{
  FILE *f = fopen(path, "w");
  if (!f) return false;
  fprintf(f, "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"660\" height=\"560\" "
             "font-family=\"sans-serif\" font-size=\"13\">\n"
             "<rect width=\"100%%\" height=\"100%%\" fill=\"white\"/>\n");
  curve(f, c, c->linear, 40, "#1f5fa8", "linear momentum, N s");
  curve(f, c, c->angular, 210, "#2b8a3e", "angular momentum, N m s");
  curve(f, c, c->kinetic, 380, "#c0392b", "kinetic energy, J");
  const char *const names[] = {"particles", "rigid bodies", "articulated", "rigid bodies",
                               "particles"};
  for (int i = 0; i < 5; i++) {
    fprintf(f, "<text x=\"%d\" y=\"535\">%s</text>\n", 64 + 110 * i, names[i]);
    if (i) fprintf(f, "<path d=\"M%d 30 V540\" stroke=\"#bbb\"/>\n", 60 + 110 * i);
  }
  fprintf(f, "</svg>\n");
  return fclose(f) == 0;
}

int main(int argc, char **argv)
{
  lw_error err = {0};
  cloud c = {.particles = argc > 1 ? atoi(argv[1]) : 5000};
  int nq, nu;
  if (c.particles < 4 * BLOBS) return fprintf(stderr, "at least %d particles\n", 4 * BLOBS), 2;
  lw_status st = build(&c, &err) ? LW_OK : err.status;
  if (st == LW_OK) c.sim = lw_simulation_new(c.m, &(lw_simulation_options){.end = 3}, &err);
  if (c.sim) {
    lw_simulation_room(c.sim, &nq, &nu);
    c.q = calloc((size_t)nq + 4096, sizeof *c.q); /* and the joints that are raised */
    c.u = calloc((size_t)nu + 4096, sizeof *c.u);
    lw_simulation_on_event(c.sim, on_event, &c);
    st = run(&c, &err);
    printf("momenta change by %.1e at most\n", c.worst);
  } else {
    st = err.status;
  }
  if (st != LW_OK) fprintf(stderr, "%s\n", err.text[0] ? err.text : lw_status_text(st));
  if (st == LW_OK && argc > 2 && !draw(&c, argv[2])) fprintf(stderr, "%s: not written\n", argv[2]);
  lw_simulation_free(c.sim);
  lw_model_free(c.m);
  for (int k = 0; k < BLOBS; k++)
    free(c.blob[k]);
  free(c.q);
  free(c.u);
  return st != LW_OK || c.worst > 1e-10;
}
