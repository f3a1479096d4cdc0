/* SPDX-License-Identifier: Apache-2.0 */
/* half_turns.c -- where the rotation vector of a bushing changes its sign (half_turns.h).  Its
   angle is at most pi: beyond that the same rotation has a vector of the opposite direction.  So
   between two steps that end beyond a quarter turn the directions tell. */
#include "sim/sensitivity/half_turns.h"

#include <stdlib.h>
#include <string.h>

static bool is_zero(const lwi_expr *e)
{
  return e->nop == 1 && e->op->code == LWI_OP_CONSTANT && e->constant[e->op->arg] == 0;
}

/* Does anything depend on the rotation vector? */
static bool matters(const lw_model *m, int bushing)
{
  for (int k = 0; k < 3; k++)
    if (m->bushing[bushing].angular_stiffness[k] != 0) return true;
  for (int i = 0; i < m->nload; i++)
    for (int k = 0; k < 3 && m->load[i].carrier == LWI_ALONG_BUSHING; k++)
      if (m->load[i].along == bushing && !is_zero(&m->load[i].torque[k])) return true;
  for (int i = 0; i < m->nslot - m->nparameter; i++)
    if (m->slot[i].kind == LWI_SLOT_MEASURE && m->slot[i].measure.kind == LWI_MEASURE_TURN &&
        m->slot[i].measure.of == bushing)
      return true;
  return false;
}

static bool open(lwi_half_turns *x, const lw_model *m)
{
  lwi_half_turns_close(x);
  x->w = lw_work_new(m);
  x->phi = calloc(3 * (size_t)m->nbushing, sizeof *x->phi);
  x->matters = calloc((size_t)m->nbushing, sizeof *x->matters);
  if (!x->w || !x->phi || !x->matters) return false;
  x->m = m;
  for (int i = 0; i < m->nbushing; i++)
    x->matters[i] = matters(m, i);
  return true;
}

void lwi_half_turns_close(lwi_half_turns *x)
{
  lw_work_free(x->w);
  free(x->phi);
  free(x->matters);
  *x = (lwi_half_turns){0};
}

/* Moves the vector of one bushing on; has it changed its sign? */
static bool has_turned(lwi_half_turns *x, int bushing)
{
  double *before = x->phi + 3 * bushing, dot = 0, size = 0;
  for (int k = 0; k < 3; k++) {
    const lwi_measure turn = {.kind = LWI_MEASURE_TURN, .component = k, .of = bushing};
    const double phi = x->w->kernels->get_measure(x->m, x->w->tree, &turn);
    dot += before[k] * phi;
    size += phi * phi;
    before[k] = phi;
  }
  const double quarter = 1.5707963267948966;
  return dot < 0 && size > quarter * quarter && -dot > quarter * quarter;
}

lw_status lwi_half_turns_look(lwi_half_turns *x, lw_simulation *sim, double t, int *bushing)
{
  lwi_integrator *it = sim->integrator;
  *bushing = -1;
  if (sim->m->nbushing == 0) return LW_OK;
  if (x->m != sim->m && !open(x, sim->m)) return LW_E_MEMORY;
  lw_status status = it->get(it, t, sim->y);
  if (status == LW_OK) status = sim->system->copy_output(sim->system, sim->y, sim->q, sim->u);
  if (status == LW_OK) status = lw_kinematics(x->w, sim->q, sim->u);
  for (int i = 0; status == LW_OK && i < sim->m->nbushing; i++)
    if (x->matters[i] && has_turned(x, i)) *bushing = i;
  return status;
}
