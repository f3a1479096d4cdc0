/* SPDX-License-Identifier: Apache-2.0 */
/* Gears, couplers and drivers on joints that events lock: velocities, impulses of joints and of relations
   against one dense system, and loads of the motion afterwards by formulations against each other. */
#include "linkwork/formulation.h"
#include "linkwork/simulate.h"
#include "linkwork/events.h"
#include "linkwork/reader.h"
#include "oracle_internal.h"
#include "oracle_jump.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NBODY = 7, NRELATION = 3 };

static const lw_formulation formulations[] = {LW_FORMULATION_TREE, LW_FORMULATION_DCA,
                                              LW_FORMULATION_CARTESIAN};

typedef struct {
  lwt_parts *parts;
  lwt_random r;
  oracle_jump_relation relation[NRELATION];
  lw_event_desc event[3];
  char joint[3][16];
  int dof[3];
  unsigned still[NBODY];
} world;

/* joints whose coordinates may be related; each is named by one relation at most */
static lwt_parts *make_parts(unsigned seed, lwt_random *r)
{
  static const lw_joint_type types[] = {LW_REVOLUTE,    LW_PRISMATIC, LW_HELICAL,
                                        LW_CYLINDRICAL, LW_UNIVERSAL, LW_GIMBAL};
  lwt_parts *p = lwt_random_parts(&(lwt_recipe){.seed = seed, .nbody = NBODY, .branching = 0.4});
  for (int j = 0; j < NBODY; j++) {
    p->joint[j].type = types[lwt_pick(r, 6)];
    if (p->joint[j].type == LW_HELICAL) p->joint[j].pitch = 0.2;
    lwt_unit_vector(r, p->joint[j].axis);
    do
      lwt_unit_vector(r, p->joint[j].axis2);
    while (fabs(dot(p->joint[j].axis, p->joint[j].axis2)) > 0.7);
    lwt_gimbal_axes(p->joint[j].type, p->joint[j].axis, p->joint[j].axis2, p->joint[j].axis3);
  }
  return p;
}

static int random_dof(world *w, int joint)
{
  return lwt_pick(&w->r, lw_joint_type_nu(w->parts->joint[joint].type, false));
}

/* a gear, a coupler of three, a driver */
static void choose_relations(world *w)
{
  int at = 0;
  const int count[NRELATION] = {2, 3, 1};
  for (int i = 0; i < NRELATION; i++) {
    oracle_jump_relation *r = &w->relation[i];
    r->n = count[i];
    for (int k = 0; k < r->n; k++) {
      r->joint[k] = at++;
      r->dof[k] = random_dof(w, r->joint[k]);
      r->coefficient[k] = i == 2 ? 1 : lwt_uniform(&w->r, 0.5, 2);
    }
  }
  w->relation[0].coefficient[1] = 1; /* gear: 1 for B, -ratio for A */
  w->relation[2].rate = 0.7;
}

static lw_model *make_model(const world *w)
{
  static const lw_constraint_type type[NRELATION] = {LW_GEAR, LW_COUPLER, LW_DRIVER};
  static const char *const name[NRELATION] = {"gear", "coupler", "driver"};
  lw_spec *s = lwt_parts_spec(w->parts);
  for (int i = 0; i < NRELATION; i++) {
    const oracle_jump_relation *r = &w->relation[i];
    lw_term term[4];
    for (int k = 0; k < r->n; k++)
      term[k] = (lw_term){
          .joint = {r->joint[k] + 1}, .dof = r->dof[k] + 1, .coefficient = r->coefficient[k]};
    lw_constraint_desc d = {.name = name[i], .type = type[i], .terms = term, .nterm = r->n};
    if (i == 0) d.ratio = -r->coefficient[0];
    if (i == 2) d.value = lw_expr(s, "0.3 + 0.7*t");
    lw_add_constraint(s, &d);
  }
  lw_error err;
  lw_model *m = lw_compile(s, &err);
  if (!m) fail_msg("%s", err.text);
  lw_spec_free(s);
  return m;
}

/* one joint of the gear, one of the coupler and another; the driven one must go on */
static void choose_locks(world *w)
{
  const int joint[3] = {lwt_pick(&w->r, 2), 2 + lwt_pick(&w->r, 3), 6};
  for (int i = 0; i < 3; i++) {
    const int j = joint[i], nu = lw_joint_type_nu(w->parts->joint[j].type, false);
    const bool all = nu == 1 || lwt_pick(&w->r, 2);
    w->dof[i] = 1 + lwt_pick(&w->r, nu);
    w->still[j] = all ? (1u << nu) - 1 : 1u << (w->dof[i] - 1);
    snprintf(w->joint[i], sizeof w->joint[i], "j%d", j + 1);
    w->event[i] = (lw_event_desc){.action = LW_ACTION_LOCK, .joint = w->joint[i]};
    if (!all) w->event[i].dofs = &w->dof[i], w->event[i].ndof = 1;
  }
}

static void make_world(world *w, unsigned seed)
{
  *w = (world){.r = lwt_seed(seed)};
  w->parts = make_parts(seed, &w->r);
  choose_relations(w);
  choose_locks(w);
}

typedef struct {
  oracle *o;
  double before[NBODY + 1][6], after[NBODY + 1][6];
  double impulse[NBODY][6], relation[NRELATION];
} answer;

static void read_bodies(const lw_model *m, const double q[], const double u[], oracle *o,
                        double V[][6])
{
  lw_work *w = lw_work_new(m);
  lwt_ok(lw_kinematics(w, q, u));
  for (int b = 1; b <= NBODY; b++) {
    lw_pose X;
    lwt_ok(lw_get_pose(w, (lw_body){b}, &X));
    lwt_ok(lw_get_velocity(w, (lw_body){b}, V[b]));
    memcpy(o->body[b].X.p, X.p, sizeof X.p);
    rotation_of_quaternion(X.quat, o->body[b].X.R);
  }
  for (int i = 0; i < 3; i++)
    o->body[0].X.R[i][i] = 1;
  lw_work_free(w);
}

static int listen(void *context, const lw_event_report *r, bool after)
{
  answer *a = context;
  if (!after) {
    read_bodies(r->before, r->q_before, r->u_before, a->o, a->before);
    return 0;
  }
  read_bodies(r->after, r->q_after, r->u_after, a->o, a->after);
  for (int j = 0; j < NBODY; j++)
    memcpy(a->impulse[j], r->impulses + 6 * (j + 1), sizeof a->impulse[j]);
  for (int i = 0; i < NRELATION; i++)
    a->relation[i] = r->relation_impulses[i + 1];
  return 0;
}

/* A locked coordinate may leave a relation nothing to move: its impulse is then not unique. */
static bool compare(const world *w, const answer *a, const char *what, unsigned seed)
{
  double load[NRELATION];
  for (int b = 1; b <= NBODY; b++)
    memcpy(a->o->body[b].V, a->before[b], sizeof a->before[b]);
  oracle_jump x = oracle_jump_related(a->o, w->still, NULL, w->relation, NRELATION, load);
  const bool unique = x.rank == x.nequation;
  double most = lwt_scale(load, NRELATION);
  for (int j = 0; j < NBODY; j++)
    most = fmax(most, lwt_scale(x.impulse[j], 6));
  lwt_close(a->after[1], x.V[1], 6 * NBODY, 1e-9, lwt_scale(a->before[1], 6 * NBODY),
            "%s, seed %u: velocities", what, seed);
  if (unique) {
    lwt_close(a->relation, load, NRELATION, 1e-9, most, "%s, seed %u: relations", what, seed);
    lwt_close(a->impulse[0], x.impulse[0], 6 * NBODY, 1e-9, most, "%s, seed %u: joints", what,
              seed);
  }
  oracle_jump_free(&x);
  return unique;
}

/* loads of all joints and relations in the state after the event */
static void motion_loads(lw_simulation *sim, lw_formulation f, double load[])
{
  const lw_model *m = lw_simulation_model(sim);
  lw_error err = {0};
  lw_dynamics *d = lw_dynamics_new(m, &(lw_simulation_options){.formulation = f}, &err);
  if (!d) fail_msg("%s", err.text);
  double q[64], u[64], udot[64];
  lwt_ok(lw_simulation_advance(sim, 0, q, u, NULL));
  lwt_ok(lw_dynamics_accelerate(d, 0, q, u, NULL, udot));
  lwt_ok(lw_dynamics_find_loads(d));
  for (int j = 0; j < NBODY; j++)
    lwt_ok(lw_dynamics_get_load(d, (lw_joint){j + 1}, load + 6 * j));
  for (int i = 0; i < NRELATION; i++)
    lwt_ok(lw_dynamics_get_relation_load(d, (lw_constraint){i + 1}, &load[6 * NBODY + i]));
  lw_dynamics_free(d);
}

static void relations_on_locked_joints_carry_their_share(void **state)
{
  (void)state;
  int unique = 0;
  for (unsigned seed = 1; seed <= 40; seed++) {
    world w;
    make_world(&w, seed);
    lw_model *m = make_model(&w);
    double load[3][6 * NBODY + NRELATION];
    bool one = false;
    for (int f = 0; f < 3; f++) {
      lw_error err = {0};
      const char *what = lw_formulation_name(formulations[f]);
      lw_simulation *sim =
          lw_simulation_new(m, &(lw_simulation_options){.formulation = formulations[f]}, &err);
      if (!sim) fail_msg("seed %u: %s", seed, err.text);
      answer a = {.o = oracle_new(w.parts)};
      lw_simulation_on_event(sim, listen, &a);
      double q[64], u[64];
      lw_initial_state(m, q, u);
      for (int i = 0; i < lw_nu(m); i++)
        u[i] = sin(1 + i + (double)seed);
      lwt_ok(lw_simulation_start(sim, 0, q, u, &err));
      if (lw_simulation_raise(sim, w.event, 3, &err) != LW_OK)
        fail_msg("%s, seed %u: %s", what, seed, err.text);
      one = compare(&w, &a, what, seed);
      motion_loads(sim, formulations[f], load[f]);
      oracle_free(a.o);
      lw_simulation_free(sim);
    }
    const int n = 6 * NBODY + NRELATION;
    for (int f = 1; f < 3 && one; f++)
      lwt_close(load[f], load[0], n, 1e-8, lwt_scale(load[0], n), "seed %u: loads by %s", seed,
                lw_formulation_name(formulations[f]));
    unique += one;
    lw_model_free(m);
    lwt_parts_free(w.parts);
  }
  assert_in_range(unique, 20, 40);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(relations_on_locked_joints_carry_their_share),
  };
  return cmocka_run_group_tests_name("identity/jump_relations", tests, NULL, NULL);
}
