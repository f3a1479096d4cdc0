/* SPDX-License-Identifier: Apache-2.0 */
/* own_bounds.c -- bounds of friction that follow from the load of its own joint.  The load of a
   joint depends linearly on what is held and on what slides: its response to unit loads is that of
   unit impulses. */
#include "sim/run/own_bounds.h"
#include "base/fail.h"
#include "linkwork/analysis.h"
#include "linkwork/dynamics.h"
#include "linkwork/query.h"
#include "sim/events/jump_parts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void lwi_contacts_find_bearings(lwi_contacts *c, const lw_dynamics *d)
{
  for (int i = 0; i < c->n; i++) {
    lwi_contact *k = &c->item[i];
    if (!lwi_has_own_load(k)) continue;
    k->bears = 0;
    if (!lwi_bearing_init(&k->bearing, d->m, k->e->d.joint, k->e->d.bearing)) continue;
    lwi_bearing_place(&k->bearing, d->m, d->work);
    lw_dynamics_get_load(d, (lw_joint){k->bearing.joint}, k->carried);
    k->bears = lwi_bearing_load(&k->bearing, k->carried, NULL);
    if (!c->hold[i] && lwi_slides_by_own_load(k))
      c->load[i] = -k->slides * lwi_friction_bound(k, 0);
  }
}

/* Does one of the directions in which the load is open change what the bearings carry? */
static bool is_open(const lw_model *m, const lw_work *w, const lw_self_stress *u,
                    const lw_event_desc *e)
{
  lwi_bearing b;
  double D[6][6];
  if (!lwi_bearing_init(&b, m, e->joint, e->bearing)) return false;
  lwi_bearing_place(&b, m, w);
  const int n = lw_self_stress_of_joint(u, (lw_joint){b.joint}, D);
  const double arm = e->bearing[0] + e->bearing[2];
  for (int i = 0; i < n; i++)
    if (lwi_bearing_load(&b, D[i], NULL) > 1e-7 * arm) return true;
  return false;
}

lw_status lwi_bearings_check(const lw_model *m, lw_error *err)
{
  bool any = false;
  for (int i = 0; i < m->nevent; i++)
    any = any || m->event[i].d.own_load;
  if (!any || lw_ncut(m) + m->nconstraint == 0) return LW_OK;
  lw_work *w = lw_work_new(m);
  double *udot = calloc((size_t)lw_nu_all(m) + 1, sizeof *udot);
  lw_status status = w && udot ? LW_OK : lwi_out_of_memory(err, NULL);
  /* where that fails the run itself says why */
  if (status == LW_OK && lw_forward_dynamics(w, 0, m->q0, m->u0, NULL, udot) == LW_OK) {
    lw_self_stress *u = lw_self_stress_new(w);
    for (int i = 0; i < m->nevent && u && status == LW_OK; i++)
      if (m->event[i].d.own_load && is_open(m, w, u, &m->event[i].d)) {
        status = lwi_fail(err, LW_E_MODEL,
                          "joint \"%s\": its friction depends on its own load, which redundant "
                          "constraints leave open: make one of the joints of its loop spherical or "
                          "cylindrical, or the model planar",
                          m->event[i].d.joint);
        lwi_locate_error(m->files, m->event[i].mark, err);
      }
    lw_self_stress_free(u);
  }
  free(udot);
  lw_work_free(w);
  return status;
}

/* Impulses of the joints by the momenta in j->scratch, into column l of R; less: those of the
   drivers. */
static lw_status find_response(const lwi_own_bounds *b, const lwi_contacts *c, lwi_jump *j,
                               lw_dynamics *d, double t, int l)
{
  const lw_status status = lwi_jump_momenta(j, d, t, j->scratch, j->other, &j->impulses);
  for (int i = 0; i < b->nown && status == LW_OK; i++) {
    const int joint = lw_find_joint(j->m, c->item[b->item[i]].e->d.joint).id;
    for (int k = 0; k < 6 && joint > 0; k++)
      if (l < 0)
        for (int all = 0; all < b->n; all++)
          b->R[i * b->n + all][k] = -j->impulses.joint[joint][k];
      else
        b->R[i * b->n + l][k] += j->impulses.joint[joint][k];
  }
  return status;
}

lw_status lwi_own_bounds_open(lwi_own_bounds *b, const lwi_contacts *c, const lwi_jump *free,
                              lw_dynamics *d, double t, const lwi_impact k[], int n)
{
  lwi_jump j = {0};
  *b = (lwi_own_bounds){.n = n};
  for (int i = 0; i < c->n; i++)
    b->nown += lwi_has_own_load(&c->item[i]);
  if (b->nown == 0) return LW_OK;
  b->item = calloc((size_t)b->nown, sizeof *b->item);
  b->R = calloc((size_t)b->nown * (size_t)n + 1, sizeof *b->R);
  if (!b->item || !b->R || !lwi_jump_init(&j, free->m)) return LW_E_MEMORY;
  for (int i = 0, own = 0; i < c->n; i++)
    if (lwi_has_own_load(&c->item[i])) b->item[own++] = i;
  if (j.m->nq) memcpy(j.q, free->q, (size_t)j.m->nq * sizeof *j.q);
  lw_status status = find_response(b, c, &j, d, t, -1); /* the motion of drivers */
  for (int l = 0; l < n && status == LW_OK; l++) {
    memset(j.scratch, 0, (size_t)j.m->nlink * sizeof *j.scratch);
    lwi_jump_push(&j, d->work, &k[l], 1, j.scratch);
    status = find_response(b, c, &j, d, t, l);
  }
  lwi_jump_free(&j);
  return status;
}

void lwi_own_bounds_close(lwi_own_bounds *b)
{
  free(b->item);
  free(b->R);
  *b = (lwi_own_bounds){0};
}

double lwi_own_bounds_update(const lwi_own_bounds *b, lwi_contacts *c, const double L[],
                             const double x[])
{
  double change = 0;
  for (int i = 0; i < b->nown; i++) {
    lwi_contact *k = &c->item[b->item[i]];
    double load[6];
    if (k->bearing.joint < 1) continue;
    memcpy(load, k->carried, sizeof load);
    for (int l = 0; l < b->n; l++)
      for (int m = 0; m < 6; m++)
        load[m] += b->R[i * b->n + l][m] * (x[l] - L[l]);
    const double bears = lwi_bearing_load(&k->bearing, load, NULL);
    const double size = fmax(bears, k->bears);
    if (size > 0) change = fmax(change, fabs(bears - k->bears) / size);
    k->bears = bears;
  }
  return change;
}
