/* SPDX-License-Identifier: Apache-2.0 */
/* links.c -- links of the spanning tree and their order; link_numbers.c has their constants. */
#include "model/compile/constants.h"

/* does the body have the same link frame as in the previous model? */
static bool has_old_frame(const lwi_compiler *c, int body)
{
  if (body == 0) return true;
  const int joint = c->m->link[c->m->body[body].link].joint;
  const lwi_joint *old = lwi_joint_before(c, joint);
  return old && !old->info.cut && old->reversed == c->m->joint[joint].reversed &&
         !c->before->link[old->link].regularized;
}

/* Copies a link if its body, its tree parent and the joint between them are unchanged. */
static void set_link(lwi_compiler *c, int joint)
{
  lw_model *m = c->m;
  const lwi_joint_values *h = &c->joint_values[joint];
  const lwi_joint *info = &m->joint[joint];
  const int body = info->reversed ? h->parent : h->child;
  const int parent = info->reversed ? h->child : h->parent;
  lwi_link *L = &m->link[info->link];
  const int inward = L->parent;
  L->joint = joint;
  const bool same = has_old_frame(c, body) && has_old_frame(c, parent);
  const lwi_link *old = same ? &c->before->link[lwi_joint_before(c, joint)->link] : NULL;
  *L = old ? *old : (lwi_link){0};
  L->parent = inward;
  L->joint = joint;
  L->inertialess = 0;
  const int axes = lwi_joint_traits_of(h->type).axes, nmiddle = axes > 1 ? axes - 1 : 0;
  L->middle = nmiddle ? m->nmiddle : 0;
  m->nmiddle += nmiddle;
  if (!old)
    lwi_link_numbers(c, joint);
  else if (nmiddle)
    memcpy(m->middle + L->middle, c->before->middle + old->middle, (size_t)nmiddle * sizeof(rot3));
  const double size = L->J.c[0][0] + L->J.c[1][1] + L->J.c[2][2];
  m->light = m->light || c->solid[body].least <= 1e-9 * size || lwi_joint_locks(h->type);
  L->kind = (int)lwi_joint_kind(h->type, c->s->planar, info->reversed);
  L->q = info->info.q;
  L->u = info->info.u;
  L->nu = info->info.nu;
  L->locked = info->locked;
  m->has_armature = m->has_armature || L->has_armature;
}

/* the rotations of a particle without attachments are inertialess: they do not move */
static bool mark_inertialess(lwi_compiler *c, int joint)
{
  lw_model *m = c->m;
  const lwi_joint_values *h = &c->joint_values[joint];
  const int link = m->joint[joint].link;
  const bool leaf = link + 1 == m->nlink || m->link[link + 1].parent != link;
  if (h->type != LW_FREE || m->joint[joint].reversed || h->parent != 0 ||
      !c->solid[h->child].particle || !leaf)
    return true;
  m->link[link].inertialess = c->s->planar ? 1 : 3;
  for (int i = 0; i < m->link[link].inertialess; i++)
    if (h->u[i] != 0) {
      lwi_compile_at(c, "body", m->body[h->child].name, c->s->bodies.item[h->child - 1].mark);
      return lwi_compile_fail(c, LW_E_MODEL, "is a particle: it has no angular velocity");
    }
  return true;
}

/* order of the inward sweep (lwi_link), freedoms and angles in link order */
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
    m->ndof -= L->inertialess;
    for (int j = L->inertialess; j < L->nu; j++)
      m->ndof -= lwi_is_locked(L, j);
    L->angle = m->nangle;
    for (int k = 0; k < LWI_MOST_AXES; k++) {
      const int q = lwi_kind_angle((lwi_kind)L->kind, L->nu, k);
      if (q >= 0) m->angle_q[m->nangle++] = L->q + q;
    }
  }
  return true;
}

/* the freedoms inward of each freedom, as runs of consecutive ones (lw_model) */
static bool chain_freedoms(lwi_compiler *c)
{
  lw_model *m = c->m;
  int *outermost = LWI_TAKE(&c->scratch, m->nlink, int); /* of the link and those inward */
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
  m->middle = LWI_SCRATCH(c->arena, (LWI_MOST_AXES - 1) * m->nlink, rot3);
  if (!joint_of_link || !m->middle) return lwi_compile_memory(c);
  m->body[0].R = rot_identity();
  for (int j = 1; j <= m->njoint; j++)
    joint_of_link[m->joint[j].link] = j;
  for (int i = 1; i < m->nlink; i++)
    set_link(c, joint_of_link[i]); /* parents first */
  for (int i = 1; i < m->nlink; i++)
    if (!mark_inertialess(c, joint_of_link[i])) return false;
  return lwi_regularize_merged(c) && order_links(c) && chain_freedoms(c);
}
