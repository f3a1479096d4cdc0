/* SPDX-License-Identifier: Apache-2.0 */
/* potentials.c -- which laws have a potential: those of parameters and of the single quantity on
   which they do work, which have a value where the potential is zero.  Others are counted as work
   (sim/run/balance.h). */
#include "model/compile/compile.h"

#include <math.h>
#include <string.h>

/* Which slot is the quantity; -1: none, the law is a number, -2: the law uses something else of the
   state. */
static int own_slot(const lw_model *m, const lwi_expr *e, const lwi_slot *own)
{
  int slot = -1;
  for (int i = 0; i < e->nname; i++) {
    if (e->name[i].slot < m->nparameter) continue;
    const lwi_slot *s = &m->slot[e->name[i].slot - m->nparameter];
    if (s->kind != own->kind) return -2;
    if (own->kind == LWI_SLOT_Q
            ? s->index != own->index
            : s->measure.kind != own->measure.kind || s->measure.of != own->measure.of ||
                  s->measure.component != own->measure.component)
      return -2;
    slot = e->name[i].slot;
  }
  return slot;
}

/* slots: [nslot], with values of the parameters */
static lwi_potential potential_of(const lw_model *m, const lwi_expr *e, const lwi_slot *own,
                                  double zero, double slots[])
{
  const int slot = own_slot(m, e, own);
  if (slot == -2) return (lwi_potential){.slot = -1};
  if (slot >= 0) slots[slot] = zero;
  return (lwi_potential){.exists = isfinite(lwi_expr_value(e, slots)), .slot = slot};
}

static void find_of_load(const lw_model *m, lwi_load *e, double slots[])
{
  static const lwi_measure_kind kinds[4][2] = {
      [LWI_ALONG_SPRING] = {LWI_MEASURE_LENGTH, LWI_MEASURE_LENGTH},
      [LWI_ALONG_BUSHING] = {LWI_MEASURE_SHIFT, LWI_MEASURE_TURN},
      [LWI_ALONG_TORSION] = {LWI_MEASURE_ANGLE, LWI_MEASURE_ANGLE}};
  const double zero = e->carrier == LWI_ALONG_SPRING    ? m->spring[e->along].length
                      : e->carrier == LWI_ALONG_TORSION ? m->torsion[e->along].angle
                                                        : 0;
  for (int k = 0; k < 6; k++) {
    const lwi_slot own = {.kind = LWI_SLOT_MEASURE,
                          .measure = {.kind = kinds[e->carrier][k / 3],
                                      .component = e->carrier == LWI_ALONG_BUSHING ? k % 3 : 0,
                                      .of = e->along}};
    e->potential[k] = potential_of(m, k < 3 ? &e->force[k] : &e->torque[k - 3], &own, zero, slots);
  }
}

bool lwi_find_potentials(lwi_compiler *c)
{
  lw_model *m = c->m;
  double *slots = LWI_TAKE(&c->scratch, m->nslot + 1, double);
  if (!slots) return lwi_compile_memory(c);
  memset(slots, 0, ((size_t)m->nslot + 1) * sizeof *slots);
  if (m->nparameter > 0) memcpy(slots, m->parameter, (size_t)m->nparameter * sizeof *slots);
  for (int i = 0; i < m->nmotor; i++)
    if (m->motor[i].q >= 0)
      m->motor[i].potential = potential_of(
          m, &m->motor[i].value, &(lwi_slot){.kind = LWI_SLOT_Q, .index = m->motor[i].q}, 0, slots);
  for (int i = 0; i < m->nload; i++)
    if (m->load[i].carrier) find_of_load(m, &m->load[i], slots);
  return true;
}
