/* SPDX-License-Identifier: Apache-2.0 */
/* coarse_graining.c -- a model that becomes coarser and finer while it moves, after the example of
   [Mukherjee2007]: a cloud of free particles is merged into 26 rigid bodies, these are articulated by
   25 spherical joints, all at one instant, and later everything is taken apart again.  Momenta are
   kept across every transition; kinetic energy is lost where relative motion is stopped.

     coarse_graining [PARTICLES]            simulates it, raising the events itself
     coarse_graining --yaml [PARTICLES]     writes the same as a model file: models/coarse-graining.yaml */
#include <linkwork/events.h>
#include <linkwork/linkwork.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BLOBS = 26 };
static const double pin[3] = {0.2, 0.3, 0.25};   /* of a joint, in the first particle of a blob */
static const double times[4] = {0.5, 1, 1.5, 2}; /* merge, connect, disconnect, split */

typedef struct {
  int particles;
  lw_body *blob[BLOBS]; /* its particles */
  int size[BLOBS];
  lw_model *m;
  lw_simulation *sim;
  double worst; /* relative change of momentum in an event */
} cloud;

static double norm(const double x[3])
{
  return sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2]);
}

/* ---- the cloud: blobs along a helix, each a ball of particles ---- */

typedef struct {
  char name[32];
  double mass, at[3], velocity[3];
} particle;

static double noise(unsigned *seed)
{
  *seed = 1664525u * *seed + 1013904223u;
  return (double)(*seed >> 8) / (1 << 24) - 0.5;
}

/* a number with four decimals, as it is written */
static double written(double x)
{
  return round(1e4 * x) / 1e4;
}

static particle make_particle(int blob, int i, unsigned *seed)
{
  const double a = 0.6 * blob, center[3] = {2 * cos(a), 2 * sin(a), 0.5 * blob};
  const double drift[3] = {0.3, 0, 0.1};
  particle p;
  snprintf(p.name, sizeof p.name, "p%d_%d", blob, i);
  for (int j = 0; j < 3; j++) {
    p.at[j] = written(center[j] + 0.6 * noise(seed));
    p.velocity[j] = written(drift[j] + 0.4 * noise(seed));
  }
  p.mass = written(1 + noise(seed));
  return p;
}

static int blob_size(int particles, int k)
{
  return particles / BLOBS + (k < particles % BLOBS);
}

static bool build(cloud *c, lw_error *err)
{
  lw_spec *s = lw_spec_new();
  unsigned seed = 7;
  lw_set_gravity(s, 0, 0, 0);
  for (int k = 0; k < BLOBS; k++) {
    c->size[k] = blob_size(c->particles, k);
    c->blob[k] = calloc((size_t)c->size[k], sizeof(lw_body));
    for (int i = 0; i < c->size[k]; i++) {
      const particle p = make_particle(k, i, &seed);
      lw_start start = {.pose.at = {p.at[0], p.at[1], p.at[2]},
                        .linear = {p.velocity[0], p.velocity[1], p.velocity[2]}};
      c->blob[k][i] =
          lw_add_body(s, &(lw_body_desc){.name = p.name, .mass = p.mass, .start = &start});
    }
  }
  c->m = lw_compile(s, err);
  lw_spec_free(s);
  return c->m != NULL;
}

/* ---- the same as a file ---- */

static void write_events(int particles)
{
  for (int k = 0; k < BLOBS; k++) {
    printf("  - {at: %g, merge: {name: blob%d, bodies: [", times[0], k);
    for (int i = 0; i < blob_size(particles, k); i++)
      printf("%sp%d_%d", i == 0 ? "" : i % 12 ? ", " : ",\n     ", k, i);
    printf("]}}\n");
  }
  for (int k = 0; k + 1 < BLOBS; k++)
    printf("  - {at: %g, connect: {name: joint%d, type: spherical, parent: p%d_0, child: p%d_0, "
           "at: [%g, %g, %g]}}\n",
           times[1], k, k, k + 1, pin[0], pin[1], pin[2]);
  for (int k = 0; k + 1 < BLOBS; k++)
    printf("  - {at: %g, disconnect: joint%d}\n", times[2], k);
  for (int k = 0; k < BLOBS; k++)
    printf("  - {at: %g, split: blob%d}\n", times[3], k);
}

static int write_model(int particles)
{
  unsigned seed = 7;
  printf("linkwork: 1\n"
         "name: a cloud of %d particles that becomes %d rigid bodies and a chain, and back\n"
         "# Written by examples/coarse_graining.c, after [Mukherjee2007].  docs/theory/events.md "
         "shows momentum and\n"
         "# energy across the transitions.\n"
         "gravity: [0, 0, 0]\n"
         "bodies:\n",
         particles, BLOBS);
  for (int k = 0; k < BLOBS; k++)
    for (int i = 0; i < blob_size(particles, k); i++) {
      const particle p = make_particle(k, i, &seed);
      printf("  %s: {mass: %.4f, pose: {at: [%.4f, %.4f, %.4f]}, velocity: {linear: [%.4f, %.4f, "
             "%.4f]}}\n",
             p.name, p.mass, p.at[0], p.at[1], p.at[2], p.velocity[0], p.velocity[1],
             p.velocity[2]);
    }
  printf("events:\n");
  write_events(particles);
  printf("simulation: {end: 2.5, output_step: 0.1}\n");
  return ferror(stdout) != 0;
}

/* ---- what is seen on the way ---- */

static int on_event(void *context, const lw_event_report *r, bool after)
{
  cloud *c = context;
  if (!after) return 0;
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
                               .place.at = {pin[0], pin[1], pin[2]}};
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
  for (int k = 0; k <= 4 && st == LW_OK; k++) {
    st = lw_simulation_advance(c->sim, k < 4 ? times[k] : 2.5, NULL, NULL, err);
    if (k == 4 || st != LW_OK) break;
    st = k == 0 || k == 3 ? merge_blobs(c, k == 0, err) : articulate(c, k == 1, err);
  }
  return st;
}

static int simulate(int particles)
{
  lw_error err = {0};
  cloud c = {.particles = particles};
  lw_status st = build(&c, &err) ? LW_OK : err.status;
  if (st == LW_OK) c.sim = lw_simulation_new(c.m, &(lw_simulation_options){.end = 2.5}, &err);
  if (c.sim) {
    lw_simulation_on_event(c.sim, on_event, &c);
    st = run(&c, &err);
    printf("momenta change by %.1e at most\n", c.worst);
  } else {
    st = err.status;
  }
  if (st != LW_OK) fprintf(stderr, "%s\n", err.text[0] ? err.text : lw_status_text(st));
  lw_simulation_free(c.sim);
  lw_model_free(c.m);
  for (int k = 0; k < BLOBS; k++)
    free(c.blob[k]);
  return st != LW_OK || c.worst > 1e-10;
}

int main(int argc, char **argv)
{
  const bool yaml = argc > 1 && strcmp(argv[1], "--yaml") == 0;
  const int at = yaml ? 2 : 1, particles = argc > at ? atoi(argv[at]) : 5000;
  if (particles < 4 * BLOBS) return fprintf(stderr, "at least %d particles\n", 4 * BLOBS), 2;
  return yaml ? write_model(particles) : simulate(particles);
}
