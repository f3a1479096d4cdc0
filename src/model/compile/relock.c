/* SPDX-License-Identifier: Apache-2.0 */
/* relock.c -- compiles a model that differs only by locks: joints, links and the state are copied,
   everything else is shared with the previous model.  Tree constraints and clusters are compiled
   again only if they depend on the locks. */
#include "model/compile/constants.h"

#include <stdlib.h>

/* ---- a model with shared parts ---- */

static void *copy(lwi_compiler *c, const void *from, int n, size_t size)
{
  return lwi_arena_copy(c->own, from, (size_t)n, size);
}

static lw_model *share(const lw_model *before)
{
  lw_model *m = malloc(sizeof *m);
  if (!m) return NULL;
  *m = *before;
  m->id = lwi_model_id();
  m->arena = (lwi_arena){0};
  m->spec = NULL;
  m->event = NULL;
  m->nevent = 0;
  lwi_store_hold(m->lasting);
  lwi_store_hold(m->store);
  lwi_store_hold(m->constraint_store);
  return m;
}

/* torsions are wound up as they are at the moment */
static bool own_torsions(lwi_compiler *c)
{
  lw_model *m = c->m;
  if (m->ntorsion == 0) return true;
  lwi_torsion *own = copy(c, m->torsion, m->ntorsion, sizeof *own);
  if (!own) return lwi_compile_memory(c);
  lwi_wind_torsions(m, own, c->phase->turns);
  m->torsion = own;
  return true;
}

static bool own_parts(lwi_compiler *c)
{
  lw_model *m = c->m;
  m->joint = copy(c, m->joint, m->njoint + 1, sizeof *m->joint);
  m->constraint = copy(c, m->constraint, m->nconstraint + 1, sizeof *m->constraint);
  m->link = copy(c, m->link, m->nlink, sizeof *m->link);
  m->held = copy(c, m->held, m->nu, sizeof *m->held);
  m->q0 = LWI_TAKE(c->own, m->nq, double);
  m->u0 = LWI_TAKE(c->own, m->nu, double);
  return (m->joint && m->constraint && m->link && m->held && m->q0 && m->u0) ||
         lwi_compile_memory(c);
}

/* ---- locks ---- */

static int count_moving(const lwi_link *L)
{
  int n = 0;
  for (int j = L->inertialess; j < L->nu; j++)
    n += !lwi_is_locked(L, j);
  return n;
}

/* sets the lock of a joint; do constraints depend on it? */
static bool set_lock(lw_model *m, lwi_joint *j, unsigned locked)
{
  j->locked = locked;
  if (j->info.cut) return true;
  lwi_link *L = &m->link[j->link];
  m->ndof -= count_moving(L);
  L->locked = locked;
  m->ndof += count_moving(L);
  for (int i = 0; i < L->nu; i++)
    m->held[L->column + i] = j->hold || lwi_is_locked(L, i);
  return m->tree_constraints.nconstraint > 0 && m->clusters.member[j->link].cluster >= 0;
}

static bool clusters_are_locked(const lw_model *m)
{
  for (int i = 0; i < m->clusters.nlink; i++)
    if (m->link[m->clusters.link[i]].locked) return true;
  return false;
}

/* Clusters depend only on whether any of their freedoms is locked. */
static bool set_locks(lw_model *m, const lwi_phase *phase)
{
  bool in_loop = false, cut = false;
  for (int i = 0; i < phase->njoint; i++) {
    const lwi_part_state *p = &phase->joint[i];
    if (p->absent) continue;
    lwi_joint *j = &m->joint[p->was];
    const unsigned locked = p->locked & ((1u << j->info.nu) - 1);
    if (locked == j->locked) continue;
    const bool matters = set_lock(m, j, locked);
    cut = cut || j->info.cut;
    in_loop = in_loop || matters;
  }
  return cut || (in_loop && clusters_are_locked(m) != m->clusters.locked);
}

static bool renew_constraints(lwi_compiler *c)
{
  lw_model *m = c->m;
  lwi_store_drop(m->constraint_store);
  m->constraint_store = NULL;
  m->npair = 0;
  for (int i = 1; i <= m->njoint; i++)
    m->joint[i].pair = m->joint[i].constraint = m->joint[i].lock = -1;
  return lwi_compile_open(c) && lwi_compile_tree_constraints(c);
}

/* ---- the state ---- */

/* joints keep their coordinates; speeds are not known yet */
static bool take_state(lwi_compiler *c, const double q[])
{
  lw_model *m = c->m;
  for (int i = 1; i <= m->njoint; i++) {
    lwi_joint *j = &m->joint[i];
    memcpy(j->q, q + j->info.q_all, (size_t)j->info.nq * sizeof(double));
    if (!j->info.implicit) memset(j->u, 0, sizeof j->u);
  }
  for (int i = lwi_first_state(m); i < m->nq; i++)
    m->q0[i] = q[i];
  for (int i = 1; i <= m->nconstraint; i++) {
    lwi_compile_at(c, "constraint", m->constraint[i].info.name, (lwi_mark){0});
    if (m->constraint[i].info.type == LW_DRIVER && !lwi_start_driver(c, i)) return false;
  }
  for (int i = 1; i <= m->njoint; i++) {
    const lwi_joint *j = &m->joint[i];
    if (j->info.cut) continue;
    memcpy(m->q0 + j->info.q, j->q, (size_t)j->info.nq * sizeof(double));
    if (!j->info.implicit) memcpy(m->u0 + j->info.u, j->u, (size_t)j->info.nu * sizeof(double));
  }
  return true;
}

lw_model *lwi_compile_locks(const lwi_phase *p, const lw_model *before, const double q[],
                            lw_error *err)
{
  lw_error unused;
  lw_model *m = share(before);
  if (!m) return lwi_out_of_memory(err, NULL), NULL;
  lwi_compiler c = {.s = p->spec, .phase = p, .m = m, .out = m, .err = err ? err : &unused};
  m->start = p->time;
  bool ok = lwi_compile_open(&c) && own_parts(&c) && take_state(&c, q) && own_torsions(&c);
  if (ok && set_locks(m, p)) ok = renew_constraints(&c);
  lwi_compile_close(&c);
  if (ok) return m;
  lw_model_free(m);
  return NULL;
}
