/* SPDX-License-Identifier: Apache-2.0 */
/* outputs.c -- keeps the outputs of a spec in the model; result columns resolve their names
   (sim/output). */
#include "model/compile/compile.h"

#include <string.h>

static bool keep_output(lwi_compiler *c, int i)
{
  const lw_output_desc *d = &c->s->outputs.item[i].d;
  const int index = lwi_expr_index(d->value);
  lwi_output *out = &c->m->output[i];
  lwi_compile_at(c, "output", d->name, c->s->outputs.item[i].mark);
  out->mark = c->s->outputs.item[i].mark;
  out->hidden = c->s->outputs.item[i].role.hidden;
  if (!(out->name = lwi_arena_text(c->lasting, d->name))) return lwi_compile_memory(c);
  if (index < 0 || index >= c->s->nexpr)
    return lwi_compile_fail(c, LW_E_MODEL, "a number does not depend on results: use a parameter");
  const lwi_spec_expr *e = &c->s->expr[index];
  void *memory = lwi_arena_take(c->lasting, lwi_expr_size(&e->expr), 1);
  if (!memory) return lwi_compile_memory(c);
  out->expr = lwi_expr_copy_to(&e->expr, memory);
  return true;
}

bool lwi_compile_outputs(lwi_compiler *c)
{
  lw_model *m = c->m;
  if (c->before) {
    m->noutput = c->before->noutput;
    m->output = c->before->output;
    return true;
  }
  m->output = LWI_TAKE(c->lasting, c->s->outputs.n, lwi_output);
  if (!m->output) return lwi_compile_memory(c);
  m->noutput = c->s->outputs.n;
  for (int i = 0; i < m->noutput; i++)
    if (!keep_output(c, i)) return false;
  return true;
}
