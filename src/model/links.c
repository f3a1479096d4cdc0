/* SPDX-License-Identifier: Apache-2.0 */
/* links.c -- the constants of every link, in its own frame.

   Frames are turned here, once, so that kernels see axes along z only: with A the shortest rotation
   from z to the axis, Rot(axis, q) = A Rz(q) A'.  A universal joint becomes
   A1 Rz(q1) (A1' A2) Rz(q2) A2', the middle factor being a constant of the joint. */
#include "math/rotation.h"
#include "model/compile.h"

typedef struct {
  lwi_frame inboard;  /* joint frame in the tree parent's body frame */
  lwi_frame outboard; /* joint frame in the link's body frame: this becomes the link's frame */
  rot3 middle;
} joint_frames;

static bool has_axis(lw_joint_type type)
{
  return type == LW_REVOLUTE || type == LW_PRISMATIC || type == LW_HELICAL ||
         type == LW_CYLINDRICAL || type == LW_UNIVERSAL;
}

/* A reversed one-axis joint moves about the opposite axis; a reversed universal joint also has its
   axes exchanged, since (Rot(a,q1) Rot(b,q2))^-1 = Rot(-b,q2) Rot(-a,q1). */
static joint_frames turn_frames(const lwi_joint *j)
{
  const bool reversed = j->reversed, two = j->info.type == LW_UNIVERSAL;
  joint_frames f = {.inboard = reversed ? j->child_place : j->place,
                    .outboard = reversed ? j->place : j->child_place};
  if (!has_axis(j->info.type)) return f;
  const double *first = two && reversed ? j->shape.axis2 : j->shape.axis;
  const double *second = two && !reversed ? j->shape.axis2 : j->shape.axis;
  double a[3], b[3];
  for (int i = 0; i < 3; i++) {
    a[i] = reversed ? -first[i] : first[i];
    b[i] = reversed ? -second[i] : second[i];
  }
  const rot3 A = rot_aligning_z(a), B = rot_aligning_z(b);
  f.middle = rot_mul(rot_transpose(A), B);
  f.inboard.R = rot_mul(f.inboard.R, A);
  f.outboard.R = rot_mul(f.outboard.R, B);
  return f;
}

/* mass, first moment and inertia about the link's origin, in its axes; X is the body in the link */
static void set_inertia(lwi_link *L, const lwi_solid *s, lwi_frame X)
{
  const double *I = s->inertia;
  const rot3 J = {{{I[0], I[3], I[4], 0}, {I[3], I[1], I[5], 0}, {I[4], I[5], I[2], 0}}};
  double c[3];
  L->J = rot_mul(rot_mul(X.R, J), rot_transpose(X.R));
  lwi_frame_point(X, s->com, c);
  const double cc = dot3(c, c);
  for (int i = 0; i < 3; i++) {
    L->h[i] = s->mass * c[i];
    for (int j = 0; j < 3; j++)
      L->J.c[j][i] += s->mass * ((i == j ? cc : 0) - c[i] * c[j]);
  }
  L->mass = s->mass;
}

/* the link's frame in the body's, of the joint that carries it */
static lwi_frame link_in_body(const lw_model *m, int body)
{
  if (body == 0) return lwi_frame_identity();
  return turn_frames(&m->joint[m->link[m->body[body].link].joint]).outboard;
}

/* does the body have the link frame that it had in the model before? */
static bool has_old_frame(const lwi_compiler *c, int body)
{
  if (body == 0) return true;
  const int joint = c->m->link[c->m->body[body].link].joint;
  const lwi_joint *old = lwi_joint_before(c, joint);
  return old && !old->info.cut && old->reversed == c->m->joint[joint].reversed;
}

/* a body and its tree parent that have their old frames, and the joint between them: nothing changes */
static void copy_link(const lwi_compiler *c, const lwi_joint *old, lwi_link *L)
{
  lw_model *m = c->m;
  *L = c->before->link[old->link];
  if (old->info.type == LW_UNIVERSAL) m->middle[m->nmiddle] = c->before->middle[L->middle];
  L->frozen = 0;
  L->loose = false;
  L->middle = 0;
}

static void make_link(lwi_compiler *c, const lwi_joint *j, int body, int parent, lwi_link *L)
{
  lw_model *m = c->m;
  const joint_frames f = turn_frames(j);
  *L = (lwi_link){0};
  const lwi_frame body_in_link = lwi_frame_inverse(f.outboard);
  m->body[body].R = body_in_link.R;
  memcpy(m->body[body].p, body_in_link.p, sizeof body_in_link.p);
  const lwi_frame inboard = lwi_frame_mul(lwi_frame_inverse(link_in_body(m, parent)), f.inboard);
  L->R = inboard.R;
  memcpy(L->p, inboard.p, sizeof inboard.p);
  set_inertia(L, &c->solid[body], body_in_link);
  L->pitch = j->shape.pitch;
  if (j->info.type == LW_UNIVERSAL) m->middle[m->nmiddle] = f.middle;
}

static void set_link(lwi_compiler *c, int joint)
{
  lw_model *m = c->m;
  const lwi_hinge *h = &c->hinge[joint];
  const lwi_joint *info = &m->joint[joint];
  const int body = info->reversed ? h->parent : h->child;
  const int parent = info->reversed ? h->child : h->parent;
  lwi_link *L = &m->link[info->link];
  const int inward = L->parent;
  L->joint = joint;
  if (has_old_frame(c, body) && has_old_frame(c, parent))
    copy_link(c, lwi_joint_before(c, joint), L);
  else
    make_link(c, info, body, parent, L);
  L->parent = inward;
  L->joint = joint;
  const double size = L->J.c[0][0] + L->J.c[1][1] + L->J.c[2][2];
  m->light = m->light || c->solid[body].least <= 1e-9 * size;
  L->kind = (int)lwi_joint_kind(h->type, c->s->planar, info->reversed);
  L->q = info->info.q;
  L->u = info->info.u;
  L->nu = info->info.nu;
  L->still = info->still;
  if (h->type == LW_UNIVERSAL) L->middle = m->nmiddle++;
}

/* a particle that nothing is attached to does not turn (its rotations are no freedoms) */
static bool freeze_particle(lwi_compiler *c, int joint)
{
  lw_model *m = c->m;
  const lwi_hinge *h = &c->hinge[joint];
  const int link = m->joint[joint].link;
  const bool leaf = link + 1 == m->nlink || m->link[link + 1].parent != link;
  if (h->type != LW_FREE || m->joint[joint].reversed || h->parent != 0 ||
      !c->solid[h->child].particle || !leaf)
    return true;
  m->link[link].frozen = c->s->planar ? 1 : 3;
  for (int i = 0; i < m->link[link].frozen; i++)
    if (h->u[i] != 0) {
      lwi_compile_at(c, "body", m->body[h->child].name, c->s->bodies.item[h->child - 1].mark);
      return lwi_compile_fail(c, LW_E_MODEL, "is a particle: it has no angular velocity");
    }
  return true;
}

/* particles that were merged: if they lie on one line, nothing turns about it */
static void loosen_merged(lwi_compiler *c)
{
  const lw_model *m = c->m;
  for (int i = 1; i <= c->s->joints.n; i++) {
    if (!c->s->joints.item[i - 1].phase.given) continue;
    const int base = c->hinge[i].parent;
    lwi_link *L = &m->link[m->body[base].link];
    L->loose = c->hinge[L->joint].type == LW_FREE && c->solid[base].particle;
  }
}

/* who hands on to whom (lwi_link), freedoms and angles in link order */
static bool order_links(lwi_compiler *c)
{
  lw_model *m = c->m;
  int *children = LWI_TAKE(&c->scratch, m->nlink, int);
  int *last = LWI_TAKE(&c->scratch, m->nlink, int);
  m->angle_q = LWI_TAKE(c->arena, m->nq, int);
  if (!children || !last || !m->angle_q) return lwi_compile_memory(c);
  for (int i = 1; i < m->nlink; i++)
    children[m->link[i].parent]++, last[m->link[i].parent] = i;
  int column = 0;
  m->ndof = m->nu;
  for (int i = 0; i < m->nlink; i++) {
    lwi_link *L = &m->link[i];
    L->branch = i > 0 && children[i] > 1 ? m->nbranch++ : -1;
    if (i == 0) continue;
    L->hands_on = L->parent == i - 1 && L->parent > 0;
    L->last = last[L->parent] == i;
    L->column = column;
    column += L->nu;
    m->ndof -= L->frozen;
    for (int j = L->frozen; j < L->nu; j++)
      m->ndof -= lwi_is_still(L, j);
    L->angle = m->nangle;
    for (int k = 0; k < 2; k++) {
      const int q = lwi_kind_angle((lwi_kind)L->kind, k);
      if (q >= 0) m->angle_q[m->nangle++] = L->q + q;
    }
  }
  return true;
}

/* the freedoms inward of each freedom, as runs of consecutive ones (lw_model) */
static bool chain_freedoms(lwi_compiler *c)
{
  lw_model *m = c->m;
  int *outermost = LWI_TAKE(&c->scratch, m->nlink, int); /* of the link or the links inward of it */
  m->column_u = LWI_TAKE(c->arena, m->nu, int);
  m->run_start = LWI_TAKE(c->arena, m->nu, int);
  m->before = LWI_TAKE(c->arena, m->nu, int);
  m->row_start = LWI_TAKE(c->arena, m->nu, size_t);
  size_t *length = LWI_TAKE(&c->scratch, m->nu, size_t); /* entries of a row, by speed */
  int *column = LWI_TAKE(&c->scratch, m->nu, int);
  if (!outermost || !m->column_u || !m->run_start || !m->before || !m->row_start || !length ||
      !column)
    return lwi_compile_memory(c);
  outermost[0] = -1;
  for (int i = 1; i < m->nlink; i++) {
    const lwi_link *L = &m->link[i];
    outermost[i] = outermost[L->parent];
    for (int j = 0; j < L->nu; j++) {
      const int k = L->column + j, inward = outermost[i];
      m->column_u[k] = L->u + j;
      m->before[k] = inward;
      m->run_start[k] = inward >= 0 && inward == k - 1 ? m->run_start[inward] : k;
      length[L->u + j] = 1 + (inward >= 0 ? length[m->column_u[inward]] : 0);
      column[L->u + j] = k;
      outermost[i] = k;
    }
  }
  for (int u = 0; u < m->nu; u++) {
    m->row_start[column[u]] = m->nentry;
    m->nentry += length[u];
  }
  return true;
}

bool lwi_compile_links(lwi_compiler *c)
{
  lw_model *m = c->m;
  int *joint_of_link = LWI_TAKE(&c->scratch, m->nlink, int);
  m->middle = LWI_ROOM(c->arena, m->nlink, rot3);
  if (!joint_of_link || !m->middle) return lwi_compile_memory(c);
  m->body[0].R = rot_identity();
  for (int j = 1; j <= m->njoint; j++)
    joint_of_link[m->joint[j].link] = j;
  for (int i = 1; i < m->nlink; i++)
    set_link(c, joint_of_link[i]); /* parents first */
  for (int i = 1; i < m->nlink; i++)
    if (!freeze_particle(c, joint_of_link[i])) return false;
  loosen_merged(c);
  return order_links(c) && chain_freedoms(c);
}
