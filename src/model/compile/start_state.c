/* SPDX-License-Identifier: Apache-2.0 */
/* start_state.c -- the written initial state, in the coordinates of the spanning tree.

   The written values are read along another tree (docs/format.md 3.12), the written tree: it
   prefers held joints, then joints with q written, then file order, and last joints to be cut
   without q.  It determines poses and velocities of the bodies; joints of both trees keep their
   numbers exactly, the others take theirs from the bodies.  Loops need not be closed yet. */
#include "model/compile/constants.h"
#include "graph/union_find.h"

#include <stdlib.h>

typedef struct {
  int joint, other; /* a joint of the written tree and the body across it */
} neighbour;

typedef struct {
  int njoint, nbody;
  int *group;            /* [nbody + 1] for union-find */
  bool *chosen;          /* [njoint + 1] joints of the written tree */
  int *start;            /* [nbody + 2] first neighbour of a body */
  neighbour *neighbours; /* [2 nbody] */
  int *queue;            /* [nbody + 1] */
  num_frame *pose;       /* [nbody + 1] */
  num (*V)[6];           /* [nbody + 1] of the body origin, ground axes */
} written_tree;

static int rank_of(const lwi_compiler *c, int joint)
{
  const lwi_joint *j = &c->m->joint[joint];
  if (j->info.implicit) return 0; /* not in the spec, whose joints come first */
  return j->hold ? 1 : j->has_q ? 2 : c->s->joints.item[joint - 1].d.cut ? 4 : 3;
}

/* by rising rank, then in file order: a joint that connects two groups is chosen */
static void choose_joints(const lwi_compiler *c, written_tree *w)
{
  for (int b = 0; b <= w->nbody; b++)
    w->group[b] = b;
  for (int rank = 0; rank <= 4; rank++)
    for (int j = 1; j <= w->njoint; j++) {
      const lw_joint_info *info = &c->m->joint[j].info;
      if (rank_of(c, j) != rank) continue;
      const int a = lwi_sets_find(w->group, info->parent.id),
                b = lwi_sets_find(w->group, info->child.id);
      w->chosen[j] = a != b;
      w->group[a] = b;
    }
}

static void list_neighbours(const lwi_compiler *c, written_tree *w)
{
  for (int j = 1; j <= w->njoint; j++)
    if (w->chosen[j]) {
      w->start[c->m->joint[j].info.parent.id]++;
      w->start[c->m->joint[j].info.child.id]++;
    }
  for (int b = 0; b <= w->nbody; b++)
    w->start[b + 1] += w->start[b]; /* the ends; filling backwards makes them beginnings */
  for (int j = w->njoint; j >= 1; j--)
    if (w->chosen[j]) {
      const int a = c->m->joint[j].info.parent.id, b = c->m->joint[j].info.child.id;
      w->neighbours[--w->start[a]] = (neighbour){j, b};
      w->neighbours[--w->start[b]] = (neighbour){j, a};
    }
}

/* a joint as compiled so far */
typedef struct {
  int parent, child;
  num_joint_shape shape;
  num_frame place, child_place;
  num q[7], u[6];
  const double *near; /* values of q */
} joint_numbers;

static joint_numbers get_joint(const lwi_compiler *c, int joint)
{
  const lwi_joint *j = &c->m->joint[joint], *derivative = &c->out->joint[joint];
  joint_numbers x = {.parent = j->info.parent.id, .child = j->info.child.id, .near = j->q};
  x.shape = lwi_get_shape(&j->shape, &derivative->shape);
  x.place = lwi_get_frame(&j->place, &derivative->place);
  x.child_place = lwi_get_frame(&j->child_place, &derivative->child_place);
  lwi_get(j->q, derivative->q, 7, x.q);
  lwi_get(j->u, derivative->u, 6, x.u);
  return x;
}

/* motion of a frame fixed to a body whose origin moves with V */
static void frame_motion(const num_frame *body, const num V[6], const num_frame *frame, num out[6])
{
  num o[3], turn[3];
  for (int i = 0; i < 3; i++)
    o[i] = frame->p[i] - body->p[i];
  cross3(V, o, turn);
  for (int i = 0; i < 3; i++) {
    out[i] = V[i];
    out[3 + i] = V[3 + i] + turn[i];
  }
}

/* across a joint, from body `from`, which is placed, to the other one */
static void cross_joint(const lwi_compiler *c, written_tree *w, int joint, int from)
{
  const joint_numbers j = get_joint(c, joint);
  const bool forward = j.parent == from;
  const int to = forward ? j.child : j.parent;
  const num_frame X = lwi_joint_pose(&j.shape, j.q);
  const num_frame near = lwi_frame_mul(w->pose[from], forward ? j.place : j.child_place);
  const num_frame far = lwi_frame_mul(near, forward ? X : lwi_frame_inverse(X));
  w->pose[to] = lwi_frame_mul(far, lwi_frame_inverse(forward ? j.child_place : j.place));

  const num_frame A = forward ? near : far, B = forward ? far : near;
  num P[6][6], rel[6] = {0}, V[6], moved[6];
  lwi_joint_motion_map(&(num_joint_at){&j.shape, &A, &B, j.near}, P);
  for (int k = 0; k < j.shape.nu; k++)
    for (int i = 0; i < 6; i++)
      rel[i] += P[k][i] * j.u[k];
  /* at B's origin: V_B = V_A moved to B + rel; the unknown body moves with V_A or V_B */
  frame_motion(&w->pose[from], w->V[from], &B, V);
  for (int i = 0; i < 6; i++)
    V[i] += forward ? rel[i] : -rel[i];
  frame_motion(&B, V, &w->pose[to], moved);
  memcpy(w->V[to], moved, sizeof moved);
}

static void walk_joints(const lwi_compiler *c, written_tree *w)
{
  int n = 1;
  w->pose[0] = lwi_frame_identity();
  w->queue[0] = 0;
  for (int b = 0; b <= w->nbody; b++)
    w->group[b] = b == 0; /* placed */
  for (int k = 0; k < n; k++) {
    const int from = w->queue[k];
    for (int i = w->start[from]; i < w->start[from + 1]; i++) {
      const neighbour *x = &w->neighbours[i];
      if (w->group[x->other]) continue;
      cross_joint(c, w, x->joint, from);
      w->group[x->other] = 1;
      w->queue[n++] = x->other;
    }
  }
}

/* numbers of a tree joint that is not in the written tree */
static void read_joint(const lwi_compiler *c, const written_tree *w, int joint)
{
  const lw_joint_info *info = &c->m->joint[joint].info;
  const joint_numbers j = get_joint(c, joint);
  const num_frame A = lwi_frame_mul(w->pose[j.parent], j.place);
  const num_frame B = lwi_frame_mul(w->pose[j.child], j.child_place);
  num VA[6], VB[6], q[7], u[6];
  frame_motion(&w->pose[j.parent], w->V[j.parent], &A, VA);
  frame_motion(&w->pose[j.child], w->V[j.child], &B, VB);
  const num_joint_at at = {&j.shape, &A, &B, j.near};
  lwi_joint_q(&at, q);
  lwi_joint_u(&at, VA, VB, u);
  lwi_keep(q, info->nq, c->out->q0 + info->q);
  lwi_keep(u, info->nu, c->out->u0 + info->u);
}

/* in later phases the poses of bodies are given, and joints of the previous model keep their
   coordinates */
static void take_poses(const lwi_compiler *c, written_tree *w)
{
  for (int b = 0; b <= w->nbody; b++)
    w->pose[b] = lwi_get_frame(&c->phase->pose[b], NULL);
  for (int j = 1; j <= w->njoint; j++)
    w->chosen[j] = c->joint_values[j].kept;
}

/* new joints, cut ones included, take their coordinates from the poses of their bodies */
static void read_new_joints(const lwi_compiler *c, const written_tree *w)
{
  for (int i = 1; i <= w->njoint; i++) {
    if (w->chosen[i]) continue;
    joint_numbers j = get_joint(c, i);
    const num_frame A = lwi_frame_mul(w->pose[j.parent], j.place);
    const num_frame B = lwi_frame_mul(w->pose[j.child], j.child_place);
    lwi_joint_q(&(num_joint_at){&j.shape, &A, &B, j.near}, j.q);
    lwi_keep(j.q, 7, c->out->joint[i].q);
  }
}

static void keep_state(const lwi_compiler *c, const written_tree *w)
{
  for (int i = 1; i <= w->njoint; i++) {
    const lw_joint_info *info = &c->m->joint[i].info;
    const lwi_joint *kept = &c->out->joint[i];
    if (info->cut) continue;
    if (!w->chosen[i]) {
      read_joint(c, w, i);
      continue;
    }
    memcpy(c->out->q0 + info->q, kept->q, (size_t)info->nq * sizeof(double));
    memcpy(c->out->u0 + info->u, kept->u, (size_t)info->nu * sizeof(double));
  }
}

/* Poses are needed only by tree joints that are not in the written tree and by axes of either
   sense. */
static bool needs_poses(const lw_model *m, const written_tree *w)
{
  for (int i = 1; i <= w->njoint; i++)
    if (!m->joint[i].info.cut && !w->chosen[i]) return true;
  for (int i = 1; i <= m->nconstraint; i++)
    if (m->constraint[i].info.type == LW_PARALLEL) return true;
  return false;
}

bool lwi_compile_start(lwi_compiler *c)
{
  const lw_model *m = c->m;
  const int n = m->nbody;
  written_tree w = {.njoint = m->njoint,
                    .nbody = n,
                    .group = LWI_TAKE(&c->scratch, n + 1, int),
                    .chosen = LWI_TAKE(&c->scratch, m->njoint + 1, bool),
                    .start = LWI_TAKE(&c->scratch, n + 2, int),
                    .neighbours = LWI_SCRATCH(&c->scratch, 2 * n, neighbour),
                    .queue = LWI_SCRATCH(&c->scratch, n + 1, int),
                    .pose = LWI_SCRATCH(&c->scratch, n + 1, num_frame),
                    .V = lwi_arena_take(&c->scratch, (size_t)n + 1, 6 * sizeof(num))};
  c->out->q0 = LWI_TAKE(c->own, m->nq, double);
  c->out->u0 = LWI_TAKE(c->own, m->nu, double);
  if (!w.group || !w.chosen || !w.start || !w.neighbours || !w.queue || !w.pose || !w.V ||
      !c->out->q0 || !c->out->u0)
    return lwi_compile_memory(c);
  if (c->phase->pose) {
    take_poses(c, &w);
    read_new_joints(c, &w);
  } else {
    choose_joints(c, &w);
    if (needs_poses(m, &w)) {
      list_neighbours(c, &w);
      walk_joints(c, &w);
    }
  }
  lwi_choose_senses(c, w.pose);
  keep_state(c, &w);
  for (int i = 0; i < m->nstate; i++) {
    const lw_state_desc *d = &c->s->states.item[i].d;
    num start;
    lwi_compile_at(c, d->input ? "input" : "state", d->name, c->s->states.item[i].mark);
    if (!lwi_read(c, &d->start, 1, "start", &start)) return false;
    c->out->q0[lwi_first_state(m) + i] = kept_of(start);
  }
  return true;
}
