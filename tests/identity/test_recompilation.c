/* SPDX-License-Identifier: Apache-2.0 */
/* Models that events make of the ones before them, where only what has changed is compiled, against models
   compiled from scratch: equal in every number, over random sequences of random events. */
#include "linkwork/simulate.h"
#include "linkwork/reader.h"
#include "lwt.h"
#include "model/compile/compile.h"
#include "sim/run/simulation_data.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- two models ---- */

static const char *where; /* of the comparison, for messages */

static void same_bytes(const void *a, const void *b, size_t size, const char *what, int at)
{
  if (size == 0 || memcmp(a, b, size) == 0) return;
  fail_msg("%s: %s differs at %d", where, what, at);
}
static void same_int(long a, long b, const char *what, int at)
{
  if (a != b) fail_msg("%s: %s[%d] is %ld, should be %ld", where, what, at, a, b);
}
static void same_text(const char *a, const char *b, const char *what, int at)
{
  if (strcmp(a, b) != 0) fail_msg("%s: %s[%d] is %s, should be %s", where, what, at, a, b);
}

/* fields without padding or pointers */
#define BYTES(a, b, i, field) same_bytes(&(a)->field, &(b)->field, sizeof(a)->field, #field, i)
#define ARRAY(a, b, n, field)                                                                      \
  same_bytes((a)->field, (b)->field, (size_t)(n) * sizeof *(a)->field, #field, -1)
#define INT(a, b, i, field) same_int((long)(a)->field, (long)(b)->field, #field, i)

static void same_frame(const lwi_frame *a, const lwi_frame *b, const char *what, int at)
{
  for (int k = 0; k < 3; k++)
    same_bytes(a->R.c[k], b->R.c[k], 3 * sizeof(double), what, at);
  same_bytes(a->p, b->p, 3 * sizeof(double), what, at);
}
static void same_rotation(const rot3 *a, const rot3 *b, const char *what, int at)
{
  for (int k = 0; k < 3; k++)
    same_bytes(a->c[k], b->c[k], 3 * sizeof(double), what, at);
}

static void compare_links(const lw_model *a, const lw_model *b)
{
  INT(a, b, 0, nlink);
  for (int i = 1; i < a->nlink; i++) {
    const lwi_link *x = &a->link[i], *y = &b->link[i];
    INT(x, y, i, parent), INT(x, y, i, joint), INT(x, y, i, kind), INT(x, y, i, q);
    INT(x, y, i, u), INT(x, y, i, nu), INT(x, y, i, column), INT(x, y, i, angle);
    INT(x, y, i, branch), INT(x, y, i, inertialess), INT(x, y, i, locked),
        INT(x, y, i, regularized);
    INT(x, y, i, hands_on), INT(x, y, i, last);
    if (x->kind == LWI_KIND_AXES) INT(x, y, i, middle);
    same_rotation(&x->R, &y->R, "link R", i);
    same_rotation(&x->J, &y->J, "link J", i);
    same_bytes(x->p, y->p, 3 * sizeof(double), "link p", i);
    same_bytes(x->h, y->h, 3 * sizeof(double), "link h", i);
    BYTES(x, y, i, mass), BYTES(x, y, i, pitch);
  }
  INT(a, b, 0, nmiddle);
  for (int i = 0; i < a->nmiddle; i++)
    same_rotation(&a->middle[i], &b->middle[i], "middle", i);
  INT(a, b, 0, nangle), INT(a, b, 0, nbranch), INT(a, b, 0, ndof), INT(a, b, 0, nentry);
  ARRAY(a, b, a->nangle, angle_q);
  ARRAY(a, b, a->nu, column_u), ARRAY(a, b, a->nu, run_start), ARRAY(a, b, a->nu, before);
  ARRAY(a, b, a->nu, row_start), ARRAY(a, b, a->nu, held);
}

static void compare_bodies(const lw_model *a, const lw_model *b)
{
  INT(a, b, 0, nbody);
  for (int i = 0; i <= a->nbody; i++) {
    const lwi_body *x = &a->body[i], *y = &b->body[i];
    same_text(x->name, y->name, "body", i);
    INT(x, y, i, link), BYTES(x, y, i, mass);
    same_rotation(&x->R, &y->R, "body R", i);
    same_bytes(x->p, y->p, 3 * sizeof(double), "body p", i);
    assert_int_equal(lw_find_body(a, y->name).id, i);
  }
}

static void compare_equations(const lwi_equations *x, const lwi_equations *y, int i)
{
  INT(x, y, i, n);
  same_bytes(x->row, y->row, (size_t)x->n, "rows", i);
  same_rotation(&x->E, &y->E, "E", i);
  same_bytes(x->b, y->b, 3 * sizeof(double), "b", i);
  BYTES(x, y, i, number), BYTES(x, y, i, sine);
}

static void compare_joints(const lw_model *a, const lw_model *b)
{
  INT(a, b, 0, njoint), INT(a, b, 0, ncut), INT(a, b, 0, ncut_q), INT(a, b, 0, ncut_u);
  INT(a, b, 0, nq), INT(a, b, 0, nu);
  for (int i = 1; i <= a->njoint; i++) {
    const lwi_joint *x = &a->joint[i], *y = &b->joint[i];
    same_text(x->info.name, y->info.name, "joint", i);
    INT(x, y, i, info.type), INT(x, y, i, info.parent.id), INT(x, y, i, info.child.id);
    INT(x, y, i, info.q), INT(x, y, i, info.nq), INT(x, y, i, info.u), INT(x, y, i, info.nu);
    INT(x, y, i, info.q_all), INT(x, y, i, info.u_all), INT(x, y, i, info.implicit);
    INT(x, y, i, info.cut), INT(x, y, i, link), INT(x, y, i, reversed), INT(x, y, i, has_q);
    INT(x, y, i, has_u), INT(x, y, i, hold), INT(x, y, i, pair), INT(x, y, i, constraint);
    INT(x, y, i, locked), INT(x, y, i, lock);
    INT(x, y, i, shape.type), INT(x, y, i, shape.nq), INT(x, y, i, shape.nu);
    BYTES(x, y, i, shape.axis), BYTES(x, y, i, shape.pitch);
    compare_equations(&x->equations, &y->equations, i);
    same_frame(&x->place, &y->place, "place", i);
    same_frame(&x->child_place, &y->child_place, "place in the child", i);
    /* quaternions that are copied are not normalised once more */
    lwt_close(x->q, y->q, x->info.nq, 4e-16, fmax(1, lwt_scale(y->q, y->info.nq)), "%s: q of %s",
              where, x->info.name);
    same_bytes(x->u, y->u, (size_t)x->info.nu * sizeof(double), "u", i);
    assert_int_equal(lw_find_joint(a, y->info.name).id, i);
  }
}

static void compare_constraints(const lw_model *a, const lw_model *b)
{
  INT(a, b, 0, nconstraint);
  for (int i = 1; i <= a->nconstraint; i++) {
    const lwi_constraint *x = &a->constraint[i], *y = &b->constraint[i];
    same_text(x->info.name, y->info.name, "constraint", i);
    INT(x, y, i, pair), INT(x, y, i, constraint), INT(x, y, i, relation.nterm);
    compare_equations(&x->equations, &y->equations, i);
    for (int k = 0; k < x->relation.nterm; k++) {
      INT(x, y, i, relation.term[k].joint), INT(x, y, i, relation.term[k].dof);
      BYTES(x, y, i, relation.term[k].coefficient);
    }
  }
}

static void compare_tie_lists(const lwi_tree_constraints *a, const lwi_tree_constraints *b)
{
  INT(a, b, 0, local), INT(a, b, 0, nconstraint), INT(a, b, 0, nrow), INT(a, b, 0, neps);
  INT(a, b, 0, nJ), INT(a, b, 0, envelope.n), INT(a, b, 0, envelope.nvalue);
  for (int i = 0; i < a->nconstraint; i++) {
    const lwi_tree_constraint *x = &a->constraint[i], *y = &b->constraint[i];
    INT(x, y, i, kind), INT(x, y, i, id), INT(x, y, i, dofs), INT(x, y, i, row), INT(x, y, i, n);
    INT(x, y, i, link), INT(x, y, i, nlink), INT(x, y, i, pair), INT(x, y, i, npair);
    INT(x, y, i, term), INT(x, y, i, nterm), INT(x, y, i, ncolumn), INT(x, y, i, eps);
    INT(x, y, i, J);
    same_bytes(a->link + x->link, b->link + x->link, (size_t)x->nlink * sizeof(int), "tie link", i);
    same_bytes(a->inward + x->link, b->inward + x->link, (size_t)x->nlink * sizeof(int), "inward",
               i);
    for (int k = 0; k < x->npair; k++) {
      const lwi_constrained_pair *p = &a->pair[x->pair + k], *r = &b->pair[x->pair + k];
      INT(p, r, i, pair), INT(p, r, i, at[0]), INT(p, r, i, at[1]), INT(p, r, i, joint);
      INT(p, r, i, dof), BYTES(p, r, i, coefficient);
    }
    for (int k = 0; k < x->nterm; k++) {
      const lwi_constrained_term *p = &a->term[x->term + k], *r = &b->term[x->term + k];
      INT(p, r, i, q), INT(p, r, i, u), INT(p, r, i, column), INT(p, r, i, link);
      INT(p, r, i, at), BYTES(p, r, i, coefficient);
    }
  }
}

static void compare_ties(const lw_model *a, const lw_model *b)
{
  INT(a, b, 0, npair);
  for (int i = 0; i < a->npair; i++)
    for (int k = 0; k < 2; k++) {
      const lwi_pair *x = &a->pair[i], *y = &b->pair[i];
      INT(x, y, i, link[k]);
      same_frame(&x->place[k], &y->place[k], "frame of a pair", i);
    }
  compare_tie_lists(&a->tree_constraints, &b->tree_constraints);
  compare_tie_lists(&a->near, &b->near);
  compare_tie_lists(&a->assembly, &b->assembly);
  const lwi_clusters *x = &a->clusters, *y = &b->clusters;
  INT(x, y, 0, ncluster), INT(x, y, 0, nlink), INT(x, y, 0, ncolumn), INT(x, y, 0, nsum);
  INT(x, y, 0, nspeed), INT(x, y, 0, fit), INT(x, y, 0, locked), INT(x, y, 0, nG);
  ARRAY(x, y, x->nlink, link), ARRAY(x, y, x->ncolumn, column);
  if (x->ncluster) ARRAY(x, y, a->tree_constraints.nconstraint, order);
}

static void compare_forces(const lw_model *a, const lw_model *b)
{
  INT(a, b, 0, nspring), INT(a, b, 0, njoint_spring), INT(a, b, 0, nmotor), INT(a, b, 0, nload);
  INT(a, b, 0, nbushing), INT(a, b, 0, nslot), INT(a, b, 0, nparameter);
  for (int i = 0; i < a->nspring; i++) {
    const lwi_spring *x = &a->spring[i], *y = &b->spring[i];
    INT(x, y, i, from.link), INT(x, y, i, to.link), BYTES(x, y, i, stiffness);
    same_bytes(x->from.p, y->from.p, 3 * sizeof(double), "spring", i);
    same_bytes(x->to.p, y->to.p, 3 * sizeof(double), "spring", i);
  }
  for (int i = 0; i < a->njoint_spring; i++) {
    const lwi_joint_spring *x = &a->joint_spring[i], *y = &b->joint_spring[i];
    INT(x, y, i, q), INT(x, y, i, u), BYTES(x, y, i, stiffness), BYTES(x, y, i, rest);
  }
  for (int i = 0; i < a->nmotor; i++)
    same_int(a->motor[i].u, b->motor[i].u, "motor", i);
  for (int i = 0; i < a->nslot - a->nparameter; i++) {
    same_int((long)a->slot[i].kind, (long)b->slot[i].kind, "slot", i);
    same_int(a->slot[i].index, b->slot[i].index, "slot", i);
  }
  ARRAY(a, b, a->nparameter, parameter);
}

static void compare_models(const lw_model *a, const lw_model *b)
{
  same_text(a->name, b->name, "name", 0);
  INT(a, b, 0, planar), INT(a, b, 0, light);
  same_bytes(a->gravity, b->gravity, 3 * sizeof(double), "gravity", 0);
  compare_bodies(a, b);
  compare_joints(a, b);
  compare_links(a, b);
  compare_constraints(a, b);
  compare_ties(a, b);
  compare_forces(a, b);
  BYTES(a, b, 0, length), BYTES(a, b, 0, mobility), BYTES(a, b, 0, start);
}

/* ---- random mechanisms: some joints are left out, so that there are several groups ---- */

enum { MOST_JOINTS = 200 };

typedef struct {
  bool planar;
  int nbody, njoint;
  char joint[MOST_JOINTS][16];
  bool merged;
  lwt_random r;
} world;

static void add_forces(world *w, lw_spec *s)
{
  const lw_joint one = lw_spec_find_joint(s, w->joint[0]);
  lw_add_spring(s, &(lw_spring_desc){.name = "spring",
                                     .from = {0},
                                     .to = {w->nbody},
                                     .to_at = {0.1, 0.2, 0},
                                     .stiffness = 3,
                                     .length = 0.4});
  lw_add_motor(s, &(lw_motor_desc){.name = "motor", .joint = one, .value = lw_expr(s, "k*cos(t)")});
  lw_add_load(s, &(lw_load_desc){.name = "load",
                                 .body = {1 + w->nbody / 2},
                                 .force = {lw_expr(s, "k - u.j1"), 1, 0}});
}

/* a gear and a driver act on joints that events change */
static void add_relations(world *w, lw_spec *s, const lwt_parts *p)
{
  lw_term term[2];
  int n = 0;
  for (int j = w->njoint - 1; j > 0 && n < 2; j--)
    if (p->joint[j].type == LW_REVOLUTE || p->joint[j].type == LW_PRISMATIC)
      term[n++] = (lw_term){.joint = lw_spec_find_joint(s, w->joint[j])};
  if (n < 2) return;
  lw_add_constraint(s, &(lw_constraint_desc){
                           .name = "gear", .type = LW_GEAR, .terms = term, .nterm = 2, .ratio = 2});
  lw_add_constraint(s, &(lw_constraint_desc){.name = "driver",
                                             .type = LW_DRIVER,
                                             .terms = term,
                                             .nterm = 1,
                                             .value = lw_expr(s, "0.2 + k*t")});
}

static lw_model *make_model(world *w, const lwt_recipe *recipe)
{
  lwt_parts *p = lwt_random_parts(recipe);
  const unsigned leave_out = recipe->seed % 3; /* 0: nothing */
  int n = 0;
  for (int j = 0; j < p->njoint; j++)
    if (j == 0 || leave_out == 0 || lwt_pick(&w->r, leave_out == 1 ? 4 : 2) > 0)
      p->joint[n++] = p->joint[j];
  p->njoint = n;
  w->planar = p->planar;
  w->nbody = p->nbody;
  w->njoint = n;
  for (int j = 0; j < n; j++)
    snprintf(w->joint[j], sizeof w->joint[j], "j%d", j + 1);
  p->joint[0].type = w->planar ? LW_REVOLUTE : p->joint[0].type == LW_FREE ? LW_FREE : LW_REVOLUTE;
  if (w->planar) memset(p->joint[0].axis, 0, sizeof p->joint[0].axis);
  lw_spec *s = lwt_parts_spec(p);
  lw_add_parameter(s, &(lw_parameter_desc){.name = "k", .value = 0.25});
  if (p->joint[0].type == LW_REVOLUTE) add_forces(w, s);
  if (recipe->seed % 2) add_relations(w, s, p);
  lw_error err;
  lw_model *m = lw_compile(s, &err);
  if (!m) fail_msg("seed %u: %s", recipe->seed, err.text);
  lw_spec_free(s);
  lwt_parts_free(p);
  return m;
}

/* ---- random events ---- */

typedef struct {
  lw_event_desc e;
  lw_joint_desc joint;
  lw_constraint_desc constraint;
  int dof[6];
  lw_body bodies[3];
} event;

static lw_joint_type random_type(world *w)
{
  static const lw_joint_type plane[] = {LW_FIXED, LW_REVOLUTE, LW_PRISMATIC, LW_PLANAR};
  return w->planar ? plane[lwt_pick(&w->r, 4)] : lwt_joint_type(&w->r, 0, 7);
}

static bool make_connection(world *w, event *x)
{
  const int a = lwt_pick(&w->r, w->nbody + 1), b = 1 + lwt_pick(&w->r, w->nbody);
  if (a == b || w->njoint == MOST_JOINTS) return false;
  snprintf(w->joint[w->njoint], sizeof *w->joint, "c%d", w->njoint);
  x->joint = (lw_joint_desc){.name = w->joint[w->njoint++],
                             .type = random_type(w),
                             .parent = {a},
                             .child = {b},
                             .pitch = 0.2};
  if (!w->planar) lwt_unit_vector(&w->r, x->joint.axis), lwt_unit_vector(&w->r, x->joint.axis2);
  if (!w->planar) lwt_gimbal_axes(x->joint.type, x->joint.axis, x->joint.axis2, x->joint.axis3);
  if (!w->planar && lwt_pick(&w->r, 2)) x->joint.child_place.at[lwt_pick(&w->r, 3)] = 0.3;
  x->e = (lw_event_desc){.action = LW_ACTION_CONNECT, .new_joint = &x->joint, .child_placed = true};
  return true;
}

static bool make_merge(world *w, event *x)
{
  w->merged = !w->merged;
  x->e = (lw_event_desc){.action = w->merged ? LW_ACTION_MERGE : LW_ACTION_SPLIT, .merge = "m"};
  const int first = lwt_pick(&w->r, w->nbody - 2);
  for (int i = 0; i < 3; i++)
    x->bodies[i].id = first + 1 + i;
  x->e.bodies = x->bodies;
  x->e.nbody = 3;
  return true;
}

/* one of those that are locked, if there are any */
static const char *find_locked(world *w, const lw_model *m)
{
  const int from = lwt_pick(&w->r, m->njoint);
  for (int i = 0; i < m->njoint; i++) {
    const lwi_joint *j = &m->joint[1 + (from + i) % m->njoint];
    if (j->locked && !j->info.implicit) return j->info.name;
  }
  return w->joint[0];
}

static bool make_constraint(world *w, event *x)
{
  static const char *const names[] = {"d1", "d2", "d3"};
  x->constraint = (lw_constraint_desc){.name = names[lwt_pick(&w->r, 3)],
                                       .type = LW_POINT_ON_PLANE,
                                       .parent = {0},
                                       .child = {1 + lwt_pick(&w->r, w->nbody)}};
  x->e = (lw_event_desc){
      .action = LW_ACTION_CONNECT, .new_constraint = &x->constraint, .child_placed = true};
  if (lwt_pick(&w->r, 2))
    x->e = (lw_event_desc){.action = LW_ACTION_DISCONNECT, .joint = x->constraint.name};
  return true;
}

static bool make_event(world *w, const lw_model *m, event *x)
{
  const char *joint = w->joint[lwt_pick(&w->r, w->njoint)];
  switch (lwt_pick(&w->r, 11)) {
  case 0:
  case 1:
  case 2: x->e = (lw_event_desc){.action = LW_ACTION_LOCK, .joint = joint}; break;
  case 3:
    x->dof[0] = 1 + lwt_pick(&w->r, 3);
    x->e = (lw_event_desc){.action = LW_ACTION_LOCK, .joint = joint, .dofs = x->dof, .ndof = 1};
    break;
  case 4:
  case 5: x->e = (lw_event_desc){.action = LW_ACTION_UNLOCK, .joint = find_locked(w, m)}; break;
  case 6: return make_connection(w, x);
  case 7: x->e = (lw_event_desc){.action = LW_ACTION_DISCONNECT, .joint = joint}; break;
  case 8:
    x->joint = (lw_joint_desc){.type = random_type(w), .axis = {0, 0, 1}, .axis2 = {1, 0, 0}};
    x->e = (lw_event_desc){.action = LW_ACTION_REPLACE, .joint = joint, .new_joint = &x->joint};
    break;
  case 9: return make_constraint(w, x);
  default: return make_merge(w, x);
  }
  return true;
}

/* Events that are refused (a joint that is not there, one that does not fit) leave the model as it was. */
static int run(const lwt_recipe *recipe, int instants)
{
  world w = {.r = lwt_seed(recipe->seed + 7)};
  lw_model *m = make_model(&w, recipe);
  lw_error err = {0};
  lw_simulation *sim = lw_simulation_new(m, NULL, &err);
  if (!sim) fail_msg("seed %u: %s", recipe->seed, err.text);
  int done = 0;
  for (int i = 0; i < instants; i++) {
    event x[2] = {{.e.name = NULL}};
    lw_event_desc e[2];
    const int n = 1 + lwt_pick(&w.r, 2);
    const bool merged = w.merged;
    int made = 0;
    for (int k = 0; k < n; k++)
      if (make_event(&w, sim->m, &x[made])) e[made] = x[made].e, made++;
    if (made == 0 || lw_simulation_raise(sim, e, made, &err) != LW_OK) {
      w.merged = merged;
      continue;
    }
    if (sim->phase == 0) continue;
    char text[80];
    snprintf(text, sizeof text, "seed %u, instant %d, %s", recipe->seed, i,
             lw_action_name(e[0].action));
    where = text;
    lw_model *scratch = lwi_compile_phase(sim->present, NULL, &err);
    if (!scratch) fail_msg("%s: %s", where, err.text);
    compare_models(sim->m, scratch);
    lw_model_free(scratch);
    done++;
  }
  lw_simulation_free(sim);
  lw_model_free(m);
  return done;
}

static void chains(void **state)
{
  (void)state;
  int done = 0;
  for (unsigned seed = 1; seed <= 30; seed++)
    done += run(&(lwt_recipe){.seed = seed, .nbody = 8 + (int)seed % 5}, 12);
  assert_in_range(done, 100, 360);
}

static void trees(void **state)
{
  (void)state;
  int done = 0;
  for (unsigned seed = 100; seed < 130; seed++)
    done += run(&(lwt_recipe){.seed = seed,
                              .nbody = 14,
                              .branching = 0.7,
                              .floating = seed % 4 == 0,
                              .loose = seed % 4 == 1},
                12);
  assert_in_range(done, 100, 360);
}

static void plane(void **state)
{
  (void)state;
  int done = 0;
  for (unsigned seed = 200; seed < 220; seed++)
    done += run(&(lwt_recipe){.seed = seed, .nbody = 9, .branching = 0.5, .planar = true}, 12);
  assert_in_range(done, 60, 240);
}

static void large(void **state)
{
  (void)state;
  int done = 0;
  for (unsigned seed = 300; seed < 303; seed++)
    done += run(&(lwt_recipe){.seed = seed, .nbody = 150, .branching = 0.3}, 15);
  assert_in_range(done, 10, 45);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(chains),
      cmocka_unit_test(trees),
      cmocka_unit_test(plane),
      cmocka_unit_test(large),
  };
  return cmocka_run_group_tests_name("identity/recompilation", tests, NULL, NULL);
}
