/* SPDX-License-Identifier: Apache-2.0 */
/* states.c -- compiles the states of a spec: quantities with rates of first order, inputs, sampled
   values.  They are the last coordinates of q, so that whatever carries coordinates carries
   them. */
#include "model/compile/compile.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static bool compile_sampling(lwi_compiler *c, const lw_state_desc *d, lwi_model_state *out)
{
  out->every = d->every;
  if (d->every == 0) return true;
  if (!lwi_numbers(c, &out->every, 1, "every")) return false;
  if (!(out->every > 0)) return lwi_compile_fail(c, LW_E_MODEL, "every must be > 0");
  const int index = lwi_expr_index(d->value);
  if (index < 0 || index >= c->s->nexpr)
    return lwi_compile_fail(c, LW_E_MODEL, "value: a number does not change: use a parameter");
  const lwi_spec_expr *e = &c->s->expr[index];
  void *memory = lwi_arena_take(c->arena, lwi_expr_size(&e->expr), 1);
  if (!memory) return lwi_compile_memory(c);
  out->value = lwi_expr_copy_to(&e->expr, memory);
  return true;
}

/* The load of a joint whose friction acts: "bearing.J" is that of J. */
static bool find_bearing(lwi_compiler *c, int i, lwi_model_state *out)
{
  static const char first[] = "bearing.";
  const char *name = c->s->states.item[i].d.name;
  if (strncmp(name, first, sizeof first - 1) != 0) return true;
  bool acts = false;
  for (int k = 0; k < c->s->motors.n; k++)
    acts = acts || abs(c->s->motors.item[k].role.friction) == c->s->states.item[i].role.friction;
  const lw_joint_desc *d = NULL;
  for (int k = 0; k < c->s->joints.n && acts; k++)
    if (strcmp(c->s->joints.item[k].d.name, name + sizeof first - 1) == 0)
      d = &c->s->joints.item[k].d;
  if (!d) return true;
  const lw_friction *f = &d->friction[0];
  const double size[3] = {d->type == LW_PRISMATIC ? 1 : f->radius, f->length, f->thrust_radius};
  memcpy(out->size, size, sizeof size);
  if (!lwi_numbers(c, out->size, 3, "friction")) return false;
  out->bearing = lwi_arena_text(c->arena, name + sizeof first - 1);
  return out->bearing || lwi_compile_memory(c);
}

/* The load of a contact whose friction acts: "touch.C.load" is that of C. */
static bool find_contact(lwi_compiler *c, int i, lwi_model_state *out)
{
  static const char first[] = "touch.", last[] = ".load";
  const char *name = c->s->states.item[i].d.name;
  const size_t before = sizeof first - 1, after = sizeof last - 1, length = strlen(name);
  bool acts = false;
  for (int k = 0; k < c->s->loads.n; k++)
    acts = acts || c->s->loads.item[k].role.friction == c->s->states.item[i].role.friction;
  if (!acts || strcmp(name + length - after, last) != 0) return true;
  char *contact = LWI_TAKE(c->arena, length - before - after + 1, char);
  if (!contact) return lwi_compile_memory(c);
  memcpy(contact, name + before, length - before - after);
  out->contact = contact;
  return true;
}

bool lwi_compile_states(lwi_compiler *c)
{
  lw_model *m = c->m;
  m->state = LWI_TAKE(c->arena, m->nstate, lwi_model_state);
  if (!m->state) return lwi_compile_memory(c);
  for (int i = 0; i < m->nstate; i++) {
    const lw_state_desc *d = &c->s->states.item[i].d;
    lwi_model_state *out = &m->state[i];
    lwi_compile_at(c, d->input ? "input" : "state", d->name, c->s->states.item[i].mark);
    out->mark = c->s->states.item[i].mark;
    out->input = d->input;
    out->hidden = c->s->states.item[i].role.hidden;
    if (out->hidden && (!find_contact(c, i, out) || !find_bearing(c, i, out))) return false;
    if (!(out->name = lwi_arena_text(c->arena, d->name))) return lwi_compile_memory(c);
    /* a state whose rate names a joint that does not exist at the moment keeps its value, just as
       forces that do are inactive */
    const bool held = d->input || d->every != 0 || !lwi_names_exist(c, d->rate);
    if (!lwi_state_expr(c, held ? 0 : d->rate, "rate", &out->rate) || !compile_sampling(c, d, out))
      return false;
  }
  return true;
}
