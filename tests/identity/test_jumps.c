/* SPDX-License-Identifier: Apache-2.0 */
/* Random events on random mechanisms against a dense projection in maximal coordinates: locks of all
   and of some freedoms, unlocks, other joint types, connections that join and that close loops,
   disconnections, merges and splits, impulses; several of them at once, one instant after the other. */
#include "linkwork/formulation.h"
#include "linkwork/simulate.h"
#include "oracle_internal.h"
#include "oracle_jump.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_JOINTS = 64, MOST_EVENTS = 6 };

/* what the test knows of the mechanism, independently of linkwork */
typedef struct {
  lwt_parts *parts; /* bodies */
  int njoint;
  lw_joint_desc joint[MOST_JOINTS];
  char name[MOST_JOINTS][16];
  bool present[MOST_JOINTS];
  unsigned still[MOST_JOINTS];
  bool merged; /* bodies 1 ... nmerged are one */
  int nmerged;
  lwt_random r;
  oracle_frame pose[64];
  double V[64][6];
  double scale;    /* of velocities at the start */
  double p[64][6]; /* impulses of this instant about the centres of mass */
} world;

/* ---- what linkwork says ---- */

typedef struct {
  int calls;
  world *w;
  double (*V)[6]; /* [nbody + 1] afterwards */
  double impulse[MOST_JOINTS][6];
  bool known[MOST_JOINTS];
  lw_event_report report;
  int nu;
} listener;

static int listen(void *context, const lw_event_report *r, bool after)
{
  listener *l = context;
  l->calls++;
  if (!after) return 0;
  lw_work *w = lw_work_new(r->after);
  lwt_ok(lw_kinematics(r->after, w, r->q_after, r->u_after));
  for (int b = 1; b <= lw_nbody(r->after); b++)
    lwt_ok(lw_get_velocity(r->after, w, (lw_body){b}, l->V[b]));
  for (int j = 0; j < l->w->njoint; j++) {
    const lw_joint id = lw_find_joint(r->after, l->w->name[j]);
    l->known[j] = id.id > 0;
    if (id.id > 0) memcpy(l->impulse[j], r->impulses + 6 * id.id, sizeof l->impulse[j]);
  }
  l->report = *r;
  l->nu = lw_nu_all(r->after);
  lw_work_free(w);
  return 0;
}

/* ---- where everything is ---- */

static void read_poses(world *w, lw_simulation *sim)
{
  const lw_model *m = lw_simulation_model(sim);
  int nq, nu;
  lw_simulation_room(sim, &nq, &nu);
  double *q = calloc((size_t)nq + 1, sizeof *q), *u = calloc((size_t)nu + 1, sizeof *u);
  lwt_ok(lw_simulation_advance(sim, 0, q, u, NULL));
  lw_work *work = lw_work_new(m);
  lwt_ok(lw_kinematics(m, work, q, u));
  for (int b = 1; b <= w->parts->nbody; b++) {
    lw_pose X;
    lwt_ok(lw_get_pose(m, work, (lw_body){b}, &X));
    lwt_ok(lw_get_velocity(m, work, (lw_body){b}, w->V[b]));
    memcpy(w->pose[b].p, X.p, sizeof X.p);
    rotation_of_quaternion(X.quat, w->pose[b].R);
  }
  for (int i = 0; i < 3; i++)
    w->pose[0].R[i][i] = 1;
  lw_work_free(work);
  free(q);
  free(u);
}

static void quaternion_of(double R[3][3], double e[4])
{
  /* the largest of the four by its square, the others from the sums of off-diagonal entries */
  const double t[4] = {1 + R[0][0] + R[1][1] + R[2][2], 1 + R[0][0] - R[1][1] - R[2][2],
                       1 - R[0][0] + R[1][1] - R[2][2], 1 - R[0][0] - R[1][1] + R[2][2]};
  int k = 0;
  for (int i = 1; i < 4; i++)
    if (t[i] > t[k]) k = i;
  const double s = sqrt(t[k]) / 2, f = 1 / (4 * s);
  const double a = R[2][1] - R[1][2], b = R[0][2] - R[2][0], c = R[1][0] - R[0][1];
  const double x = R[0][1] + R[1][0], y = R[0][2] + R[2][0], z = R[1][2] + R[2][1];
  const double all[4][4] = {{s, a * f, b * f, c * f},
                            {a * f, s, x * f, y * f},
                            {b * f, x * f, s, z * f},
                            {c * f, y * f, z * f, s}};
  memcpy(e, all[k], sizeof all[k]);
}

static lw_place place_of(oracle_frame X, bool planar)
{
  lw_place p = {.orient.type = LW_ORIENT_QUAT};
  memcpy(p.at, X.p, sizeof X.p);
  quaternion_of(X.R, p.orient.value);
  if (planar) p.at[2] = p.orient.value[1] = p.orient.value[2] = 0;
  return p;
}

/* ---- random events: each changes the test's own description too ---- */

static lw_joint_type random_type(world *w)
{
  static const lw_joint_type plane[] = {LW_FIXED, LW_REVOLUTE, LW_PRISMATIC, LW_PLANAR};
  return w->parts->planar ? plane[lwt_pick(&w->r, 4)] : (lw_joint_type)lwt_pick(&w->r, LW_FREE);
}

static void random_axes(world *w, lw_joint_desc *d)
{
  if (w->parts->planar) {
    d->axis[0] = d->axis[1] = d->axis[2] = 0;
    if (d->type == LW_PRISMATIC) d->axis[0] = 0.6, d->axis[1] = -0.8;
    return;
  }
  lwt_unit_vector(&w->r, d->axis);
  do
    lwt_unit_vector(&w->r, d->axis2); /* skew, as events must not mind */
  while (fabs(dot(d->axis, d->axis2)) > 0.8);
  d->pitch = 0.3;
}

static int pick_present(world *w)
{
  for (int tries = 0; tries < 50; tries++) {
    const int j = lwt_pick(&w->r, w->njoint);
    if (w->present[j]) return j;
  }
  return -1;
}

static bool make_lock(world *w, lw_event_desc *e, int dofs[6])
{
  const int j = pick_present(w);
  if (j < 0) return false;
  const int nu = lw_joint_type_nu(w->joint[j].type, w->parts->planar);
  if (nu == 0 || w->still[j]) return false;
  *e = (lw_event_desc){.action = LW_ACTION_LOCK, .joint = w->name[j]};
  if (nu > 1 && lwt_pick(&w->r, 3) > 0) {
    e->ndof = 1 + lwt_pick(&w->r, nu - 1);
    const int from = lwt_pick(&w->r, nu);
    for (int i = 0; i < e->ndof; i++) {
      dofs[i] = 1 + (from + i) % nu;
      w->still[j] |= 1u << (dofs[i] - 1);
    }
    e->dofs = dofs;
  } else {
    w->still[j] = (1u << nu) - 1;
  }
  return true;
}

static bool make_unlock(world *w, lw_event_desc *e)
{
  const int j = pick_present(w);
  if (j < 0 || w->still[j] == 0) return false;
  *e = (lw_event_desc){.action = LW_ACTION_UNLOCK, .joint = w->name[j]};
  w->still[j] = 0;
  return true;
}

static bool make_connect(world *w, lw_event_desc *e, lw_joint_desc *d)
{
  const int n = w->parts->nbody, j = w->njoint, a = lwt_pick(&w->r, n + 1);
  const int b = 1 + lwt_pick(&w->r, n);
  if (a == b || j == MOST_JOINTS) return false;
  snprintf(w->name[j], sizeof w->name[j], "c%d", j);
  *d = (lw_joint_desc){.name = w->name[j], .type = random_type(w), .parent = {a}, .child = {b}};
  random_axes(w, d);
  *e = (lw_event_desc){.action = LW_ACTION_CONNECT, .new_joint = d};
  const bool planar = w->parts->planar;
  w->joint[j] = *d;
  /* one side is written, the other one follows from where the bodies are */
  const bool child = lwt_pick(&w->r, 2);
  lw_place *written = child ? &d->child_place : &d->place;
  for (int i = 0; i < 3; i++)
    written->at[i] = planar && i == 2 ? 0 : lwt_uniform(&w->r, -0.5, 0.5);
  *(child ? &e->child_placed : &e->placed) = true;
  const oracle_frame X = compose(w->pose[child ? b : a], frame_of_place(written));
  w->joint[j].place = place_of(compose(invert(w->pose[a]), X), planar);
  w->joint[j].child_place = place_of(compose(invert(w->pose[b]), X), planar);
  w->present[j] = true;
  w->still[j] = 0;
  w->njoint++;
  return true;
}

static bool make_disconnect(world *w, lw_event_desc *e)
{
  const int j = pick_present(w);
  if (j < 0) return false;
  *e = (lw_event_desc){.action = LW_ACTION_DISCONNECT, .joint = w->name[j]};
  w->present[j] = false;
  return true;
}

/* fixed and spherical joints can become others that they fit: the frames coincide, or nearly so */
static bool make_replace(world *w, lw_event_desc *e, lw_joint_desc *d)
{
  const int j = pick_present(w);
  if (j < 0 || w->joint[j].type != LW_FIXED) return false;
  *d = (lw_joint_desc){.type = random_type(w)};
  random_axes(w, d);
  *e = (lw_event_desc){.action = LW_ACTION_REPLACE, .joint = w->name[j], .new_joint = d};
  w->joint[j].type = d->type;
  w->joint[j].pitch = d->pitch;
  memcpy(w->joint[j].axis, d->axis, sizeof d->axis);
  memcpy(w->joint[j].axis2, d->axis2, sizeof d->axis2);
  w->still[j] = 0;
  return true;
}

static bool make_impulse(world *w, lw_event_desc *e)
{
  const int b = 1 + lwt_pick(&w->r, w->parts->nbody);
  *e = (lw_event_desc){.action = LW_ACTION_IMPULSE, .body = {b}};
  for (int i = 0; i < 3; i++) {
    const bool flat = w->parts->planar;
    e->point[i] = flat && i == 2 ? 0 : lwt_uniform(&w->r, -1, 1);
    e->linear[i] = flat && i == 2 ? 0 : lwt_uniform(&w->r, -1, 1);
    e->angular[i] = flat && i < 2 ? 0 : lwt_uniform(&w->r, -1, 1);
  }
  double at[3], c[3], arm[3];
  turn(w->pose[b].R, e->point, at);
  turn(w->pose[b].R, w->parts->body[b - 1].com, c);
  for (int i = 0; i < 3; i++)
    arm[i] = at[i] - c[i];
  add(w->p[b], 1, e->angular);
  add_cross(w->p[b], 1, arm, e->linear);
  add(w->p[b] + 3, 1, e->linear);
  return true;
}

static bool make_merge(world *w, lw_event_desc *e, lw_body *bodies)
{
  if (w->merged) {
    *e = (lw_event_desc){.action = LW_ACTION_SPLIT, .merge = "m"};
    w->merged = false;
    return true;
  }
  w->nmerged = 2 + lwt_pick(&w->r, w->parts->nbody - 1);
  for (int i = 0; i < w->nmerged; i++)
    bodies[i].id = i + 1;
  *e = (lw_event_desc){
      .action = LW_ACTION_MERGE, .merge = "m", .bodies = bodies, .nbody = w->nmerged};
  w->merged = true;
  return true;
}

typedef struct {
  int n;
  lw_event_desc event[MOST_EVENTS];
  lw_joint_desc joint[MOST_EVENTS];
  int dofs[MOST_EVENTS][6];
  lw_body bodies[64];
} batch;

/* n events, no two of them about the same joint */
static void make_events(world *w, batch *x, int n)
{
  memset(w->p, 0, sizeof w->p);
  x->n = 0;
  bool merges = false;
  for (int tries = 0; tries < 200 && x->n < n; tries++) {
    lw_event_desc *e = &x->event[x->n];
    const world before = *w;
    bool made = false;
    switch (lwt_pick(&w->r, 8)) {
    case 0:
    case 1: made = make_lock(w, e, x->dofs[x->n]); break;
    case 2: made = make_unlock(w, e); break;
    case 3: made = make_connect(w, e, &x->joint[x->n]); break;
    case 4: made = make_disconnect(w, e); break;
    case 5: made = make_replace(w, e, &x->joint[x->n]); break;
    case 6: made = make_impulse(w, e); break;
    default: made = !merges && make_merge(w, e, x->bodies); merges = merges || made;
    }
    for (int k = 0; k < x->n && made; k++) {
      const char *a = e->joint ? e->joint : "", *b = x->event[k].joint ? x->event[k].joint : "-";
      const char *c =
          x->event[k].new_joint && x->event[k].new_joint->name ? x->event[k].new_joint->name : "-";
      made = strcmp(a, b) != 0 && strcmp(a, c) != 0;
    }
    if (!made) {
      const lwt_random r = w->r;
      *w = before;
      w->r = r;
      continue;
    }
    x->n++;
  }
}

/* ---- the expected answer ---- */

static void compare(world *w, const listener *l, double V[][6], const char *what, unsigned seed)
{
  /* joints that are there, and what the merge does: fixed joints to the first body */
  const int n = w->parts->nbody;
  lwt_parts after = *w->parts;
  lw_joint_desc joint[MOST_JOINTS + 64];
  unsigned still[MOST_JOINTS + 128] = {0};
  int index[MOST_JOINTS], count = 0;
  for (int j = 0; j < w->njoint; j++) {
    index[j] = -1;
    if (!w->present[j]) continue;
    still[count] = w->still[j];
    index[j] = count;
    joint[count++] = w->joint[j];
  }
  const int written = count;
  for (int k = 2; w->merged && k <= w->nmerged; k++)
    joint[count++] =
        (lw_joint_desc){.type = LW_FIXED,
                        .parent = {1},
                        .child = {k},
                        .place = place_of(compose(invert(w->pose[1]), w->pose[k]), false)};
  after.joint = joint;
  after.njoint = count;
  oracle *o = oracle_new(&after);
  for (int b = 0; b <= n; b++) {
    o->body[b].X = w->pose[b];
    memcpy(o->body[b].V, V[b], sizeof o->body[b].V);
  }
  oracle_jump x = oracle_jump_solve(o, still, w->p);
  if (w->scale == 0) w->scale = lwt_scale(V[1], 6 * n);
  const double scale = fmax(lwt_scale(x.V[1], 6 * n), w->scale);
  lwt_close(l->V[1], x.V[1], 6 * n, 1e-9, scale, "%s, seed %u: velocities", what, seed);
  const double energy = fmax(fmax(x.kinetic_before, x.kinetic_after), 1e-6);
  lwt_near(l->report.kinetic_before, x.kinetic_before, 1e-9 * energy, "%s, seed %u: before", what,
           seed);
  lwt_near(l->report.kinetic_after, x.kinetic_after, 1e-9 * energy, "%s, seed %u: after", what,
           seed);
  lwt_near(l->report.jump_energy, x.jump_energy, 1e-9 * fmax(energy, x.jump_energy),
           "%s, seed %u: energy of the jump", what, seed);
  const bool unique = x.rank == x.nequation && !w->merged;
  double most = 1e-3;
  for (int j = 0; j < written; j++)
    most = fmax(most, lwt_scale(x.impulse[j], 6));
  for (int j = 0; j < w->njoint && unique; j++) {
    assert_int_equal(l->known[j], w->present[j]);
    if (index[j] >= 0)
      lwt_close(l->impulse[j], x.impulse[index[j]], 6, 1e-9, most, "%s, seed %u: impulse of %s",
                what, seed, w->name[j]);
  }
  oracle_jump_free(&x);
  oracle_free(o);
}

/* ---- one mechanism, several instants ---- */

static int run_with(lw_formulation formulation, const lwt_recipe *recipe, int instants, int at_once,
                    const char *kind)
{
  char what[64];
  snprintf(what, sizeof what, "%s, %s", kind, lw_formulation_name(formulation));
  world *w = calloc(1, sizeof *w);
  w->r = lwt_seed(recipe->seed + 31);
  w->parts = lwt_random_parts(recipe);
  w->njoint = w->parts->njoint;
  for (int j = 0; j < w->njoint; j++) {
    w->joint[j] = w->parts->joint[j];
    snprintf(w->name[j], sizeof w->name[j], "j%d", j + 1);
    w->present[j] = true;
  }
  lw_model *m = lwt_parts_compile(w->parts);
  double *q = calloc((size_t)lw_nq(m) + 1, sizeof *q), *u = calloc((size_t)lw_nu(m) + 1, sizeof *u);
  lwt_random_state(m, recipe->seed, q, u);
  lw_error err = {0};
  lw_simulation *sim =
      lw_simulation_new(m, &(lw_simulation_options){.formulation = formulation}, &err);
  if (!sim) fail_msg("%s", err.text);
  lwt_ok(lw_simulation_start(sim, 0, q, u, &err));
  listener l = {.w = w, .V = calloc((size_t)w->parts->nbody + 1, sizeof *l.V)};
  lw_simulation_on_event(sim, listen, &l);
  int events = 0;
  for (int i = 0; i < instants; i++) {
    static batch x;
    read_poses(w, sim);
    double V[64][6];
    memcpy(V, w->V, sizeof V);
    make_events(w, &x, at_once);
    const lw_status status = lw_simulation_raise(sim, x.event, x.n, &err);
    if (status != LW_OK) fail_msg("%s, seed %u, instant %d: %s", what, recipe->seed, i, err.text);
    compare(w, &l, V, what, recipe->seed);
    events += x.n;
  }
  assert_in_range(l.calls, 2 * instants, 2 * instants + 1);
  free(l.V);
  free(q);
  free(u);
  lw_simulation_free(sim);
  lw_model_free(m);
  lwt_parts_free(w->parts);
  free(w);
  return events;
}

/* every formulation meets the same events */
static int run_world(const lwt_recipe *recipe, int instants, int at_once, const char *kind)
{
  static const lw_formulation all[] = {LW_FORMULATION_CARTESIAN, LW_FORMULATION_DCA,
                                       LW_FORMULATION_TREE};
  int events = 0;
  for (size_t i = 0; i < sizeof all / sizeof *all; i++)
    events = run_with(all[i], recipe, instants, at_once, kind);
  return events;
}

static void events_on_chains_agree_with_a_dense_projection(void **state)
{
  (void)state;
  int events = 0;
  for (unsigned seed = 1; seed <= 12; seed++)
    events += run_world(&(lwt_recipe){.seed = seed, .nbody = 6, .keep_direction = seed % 2}, 5,
                        1 + (int)seed % 3, "chain");
  assert_true(events > 100);
}

static void events_on_trees_agree_with_a_dense_projection(void **state)
{
  (void)state;
  int events = 0;
  for (unsigned seed = 100; seed < 112; seed++)
    events +=
        run_world(&(lwt_recipe){.seed = seed, .nbody = 9, .branching = 0.8, .floating = seed % 2},
                  5, 1 + (int)seed % 4, "tree");
  assert_true(events > 100);
}

static void events_on_floating_bodies_agree_with_a_dense_projection(void **state)
{
  (void)state;
  for (unsigned seed = 200; seed < 208; seed++)
    run_world(&(lwt_recipe){.seed = seed, .nbody = 5, .loose = true, .branching = 0.5}, 6, 3,
              "floating");
}

static void events_in_the_plane_agree_with_a_dense_projection(void **state)
{
  (void)state;
  for (unsigned seed = 300; seed < 308; seed++)
    run_world(&(lwt_recipe){.seed = seed, .nbody = 6, .planar = true, .branching = 0.5}, 5, 2,
              "plane");
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(events_on_chains_agree_with_a_dense_projection),
      cmocka_unit_test(events_on_trees_agree_with_a_dense_projection),
      cmocka_unit_test(events_on_floating_bodies_agree_with_a_dense_projection),
      cmocka_unit_test(events_in_the_plane_agree_with_a_dense_projection),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
