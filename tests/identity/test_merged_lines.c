/* SPDX-License-Identifier: Apache-2.0 */
/* Particles on one line, and at one point, that become one body: nothing turns about that line, and no
   formulation gives it a spin.  Alone, joined to others on the line and beside it, in all formulations: what
   moves mass is what a dense solution says, and the bodies turn alike. */
#include "linkwork/formulation.h"
#include "linkwork/simulate.h"
#include "linkwork/events.h"
#include "lwt.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { RODS = 2, EACH = 4, BODIES = RODS * EACH, WAYS = 3 };
static const lw_formulation way[WAYS] = {LW_FORMULATION_TREE, LW_FORMULATION_DCA,
                                         LW_FORMULATION_CARTESIAN};

/* not at all; where the lines cross; on the second line, beside the first; beside both */
typedef enum { ALONE, CROSSING, ON_ONE, BESIDE, JOININGS } joining;

typedef struct {
  unsigned seed;
  joining how;
  bool point; /* all particles of a rod at one place */
  double line[RODS][3];
} scene;

/* of particle i on its line */
static double place(const scene *x, int i)
{
  return x->point ? 0 : 0.3 * i + 0.02 * i * i;
}

static lw_model *particles(scene *x)
{
  lw_spec *s = lw_spec_new();
  lw_error err = {0};
  lwt_random r = lwt_seed(x->seed);
  lw_set_gravity(s, 0.3, -9.81, 0.2);
  for (int k = 0; k < RODS; k++) {
    lwt_unit_vector(&r, x->line[k]);
    if (x->seed % 4 == 0) x->line[k][0] = x->line[k][1] = 0, x->line[k][2] = 1;
    for (int i = 0; i < EACH; i++) {
      char name[16];
      lw_start start = {.linear = {0.1 * k}};
      snprintf(name, sizeof name, "p%d", EACH * k + i);
      for (int c = 0; c < 3; c++) {
        start.pose.at[c] = place(x, i) * x->line[k][c] + (c == 0 ? k : 0);
        if (k == 1 && x->how == CROSSING)
          start.pose.at[c] =
              place(x, 2) * x->line[0][c] + (place(x, i) - place(x, 1)) * x->line[1][c];
        start.linear[c] += lwt_uniform(&r, -1, 1);
      }
      lw_add_body(s,
                  &(lw_body_desc){.name = name, .mass = lwt_uniform(&r, 0.5, 2), .start = &start});
    }
  }
  lw_model *m = lw_compile(s, &err);
  if (!m) fail_msg("%s", err.text);
  lw_spec_free(s);
  return m;
}

typedef struct {
  double V[2][BODIES][6]; /* after the merge, and after the joints */
  double p[BODIES][3], late[BODIES][6];
  double lost[2], jump[2], momentum[2][6], change[2][6];
  int n;
} outcome;

static void read_bodies(const lw_model *m, const double *q, const double *u, double V[][6],
                        double p[][3])
{
  lw_work *w = lw_work_new(m);
  lwt_ok(lw_kinematics(w, q, u));
  for (int b = 1; b <= BODIES; b++) {
    lw_pose X;
    lwt_ok(lw_get_velocity(w, (lw_body){b}, V[b - 1]));
    lwt_ok(lw_get_pose(w, (lw_body){b}, &X));
    if (p) memcpy(p[b - 1], X.p, sizeof X.p);
  }
  lw_work_free(w);
}

static int listen(void *context, const lw_event_report *r, bool after)
{
  outcome *o = context;
  if (!after) return 0;
  read_bodies(r->after, r->q_after, r->u_after, o->V[o->n], NULL);
  o->lost[o->n] = r->kinetic_before - r->kinetic_after;
  o->jump[o->n] = r->jump_energy;
  for (int i = 0; i < 6; i++) {
    o->momentum[o->n][i] = r->momentum_after[i];
    o->change[o->n][i] = r->momentum_after[i] - r->momentum_before[i];
  }
  o->n++;
  return 0;
}

/* LW_OK, or why it cannot go on */
static lw_status run_with(scene *x, lw_formulation f, outcome *o, lw_error *err)
{
  lw_model *m = particles(x);
  const lw_simulation_options opt = {.formulation = f, .rtol = 1e-11, .atol = 1e-11, .end = 1};
  lw_simulation *sim = lw_simulation_new(m, &opt, err);
  if (!sim) fail_msg("%s", err->text);
  lw_simulation_on_event(sim, listen, o);
  lw_body bodies[RODS][EACH];
  lw_event_desc merge[RODS];
  static const char *const name[RODS] = {"a", "b"};
  for (int k = 0; k < RODS; k++) {
    for (int i = 0; i < EACH; i++)
      bodies[k][i].id = EACH * k + i + 1;
    merge[k] = (lw_event_desc){
        .action = LW_ACTION_MERGE, .merge = name[k], .bodies = bodies[k], .nbody = EACH};
  }
  lw_status status = lw_simulation_raise(sim, merge, RODS, err);
  lw_joint_desc joint = {
      .name = "pin", .type = LW_SPHERICAL, .parent = bodies[0][2], .child = bodies[1][1]};
  if (x->how == BESIDE) joint.child_place.at[0] = 0.4, joint.child_place.at[1] = 0.3;
  const lw_event_desc pin = {
      .action = LW_ACTION_CONNECT, .new_joint = &joint, .child_placed = true};
  if (x->how != ALONE && status == LW_OK) status = lw_simulation_raise(sim, &pin, 1, err);
  double q[400], u[400];
  if (status == LW_OK) status = lw_simulation_advance(sim, 0.3, q, u, err);
  if (status == LW_OK) read_bodies(lw_simulation_model(sim), q, u, o->late, o->p);
  lw_simulation_free(sim);
  lw_model_free(m);
  return status;
}

/* about the line of its rod */
static double spin(const scene *x, int body, const double V[6])
{
  const double *d = x->line[body / EACH];
  return V[0] * d[0] + V[1] * d[1] + V[2] * d[2];
}

static void run_scene(scene *x)
{
  static outcome o[WAYS];
  memset(o, 0, sizeof o);
  for (int k = 0; k < WAYS; k++) {
    lw_error err = {0};
    if (run_with(x, way[k], &o[k], &err) != LW_OK)
      fail_msg("seed %u, %s: %s", x->seed, lw_formulation_name(way[k]), err.text);
  }
  for (int k = 0; k < WAYS; k++) {
    const char *name = lw_formulation_name(way[k]);
    for (int i = 0; i < o[k].n; i++) {
      lwt_near(o[k].lost[i], o[k].jump[i], 1e-11 * (1 + o[k].jump[i]), "seed %u, %s: energy",
               x->seed, name);
      static const double none[6];
      lwt_close(o[k].change[i], none, 6, 1e-12, lwt_scale(o[k].momentum[i], 6),
                "seed %u, %s: momentum", x->seed, name);
      for (int b = 0; b < BODIES && !x->point; b++)
        if (i == 0 || x->how == CROSSING || (x->how == ON_ONE && b >= EACH))
          lwt_near(spin(x, b, o[k].V[i][b]), 0, 1e-11, "seed %u, %s: spin", x->seed, name);
      lwt_close(o[k].V[i][0], o[0].V[i][0], 6 * BODIES, 1e-9, 1, "seed %u, %s: jump %d", x->seed,
                name, i);
    }
    lwt_close(o[k].p[0], o[0].p[0], 3 * BODIES, 1e-8, 1, "seed %u, %s: positions", x->seed, name);
    lwt_close(o[k].late[0], o[0].late[0], 6 * BODIES, 1e-8, 1, "seed %u, %s: velocities", x->seed,
              name);
  }
}

static void rods_of_particles_move_alike_in_all_formulations(void **state)
{
  (void)state;
  for (unsigned seed = 1; seed <= 8; seed++)
    for (int how = 0; how < JOININGS; how++)
      run_scene(&(scene){.seed = seed, .how = (joining)how});
}

static void particles_at_one_point_move_alike_in_all_formulations(void **state)
{
  (void)state;
  for (int how = 0; how < ON_ONE; how++)
    run_scene(&(scene){.seed = 21, .how = (joining)how, .point = true});
}

/* Two points on arms without mass that meet in a pin: the elbow turns about the line between the points and moves
   no mass.  That is no rotation of one body, and the mechanism has no motion. */
static void an_elbow_without_mass_is_refused_by_all_formulations(void **state)
{
  (void)state;
  for (int k = 0; k < WAYS; k++) {
    static outcome o;
    lw_error err = {0};
    o.n = 0;
    scene x = {.seed = 21, .how = BESIDE, .point = true};
    assert_int_not_equal(run_with(&x, way[k], &o, &err), LW_OK);
    if (!strstr(err.text, "the mass matrix is singular"))
      fail_msg("%s: %s", lw_formulation_name(way[k]), err.text);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(rods_of_particles_move_alike_in_all_formulations),
      cmocka_unit_test(particles_at_one_point_move_alike_in_all_formulations),
      cmocka_unit_test(an_elbow_without_mass_is_refused_by_all_formulations),
  };
  return cmocka_run_group_tests_name("identity/merged_lines", tests, NULL, NULL);
}
