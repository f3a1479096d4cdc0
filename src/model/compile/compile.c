/* SPDX-License-Identifier: Apache-2.0 */
/* compile.c -- lw_compile: runs the steps of compilation in order and reports errors. */
#include "model/compile/constants.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void lwi_compile_at(lwi_compiler *c, const char *part, const char *name, lwi_mark mark)
{
  c->part = part;
  c->name = name;
  c->mark = mark;
}

bool lwi_compile_fail(lwi_compiler *c, lw_status status, const char *format, ...)
{
  lw_error *e = c->err;
  if (!e) return false;
  *e = (lw_error){.status = status};
  lwi_locate_error(c->s->files, c->mark, e);
  int n = 0;
  if (c->part) n = snprintf(e->text, sizeof e->text, "%s \"%s\": ", c->part, c->name);
  va_list args;
  va_start(args, format);
  vsnprintf(e->text + n, sizeof e->text - (size_t)n, format, args);
  va_end(args);
  return false;
}

bool lwi_compile_memory(lwi_compiler *c)
{
  c->part = NULL;
  return lwi_compile_fail(c, LW_E_MEMORY, "out of memory");
}

static bool take_whole(lwi_compiler *c)
{
  const lw_model *before = c->before;
  lw_model *m = c->m;
  m->name = before->name;
  m->files = before->files;
  m->planar = before->planar;
  m->simulation = before->simulation;
  m->start = c->phase->time;
  memcpy(m->gravity, before->gravity, sizeof m->gravity);
  return true;
}

static bool copy_files(lwi_compiler *c)
{
  const char **files = LWI_TAKE(c->lasting, c->s->nfile, const char *);
  if (!files) return lwi_compile_memory(c);
  for (int i = 0; i < c->s->nfile; i++)
    if (!(files[i] = lwi_arena_text(c->lasting, c->s->files[i]))) return lwi_compile_memory(c);
  c->m->files = files;
  return true;
}

static bool compile_whole(lwi_compiler *c)
{
  if (c->before) return take_whole(c);
  lw_model *m = c->m;
  const lw_spec *s = c->s;
  if (!copy_files(c)) return false;
  if (!(m->name = lwi_arena_text(c->lasting, s->name ? s->name : ""))) return lwi_compile_memory(c);
  m->planar = s->planar;
  m->simulation = s->simulation;
  m->start = c->phase->time;
  lwi_compile_at(c, NULL, NULL, (lwi_mark){0});
  if (!lwi_gravity_numbers(c)) return false;
  double *o[] = {&m->simulation.end,  &m->simulation.output_step, &m->simulation.rtol,
                 &m->simulation.atol, &m->simulation.step,        &m->simulation.loop_tolerance};
  const char *const names[] = {"end", "output_step", "rtol", "atol", "step", "loop_tolerance"};
  for (int i = 0; i < 6; i++)
    if (!lwi_numbers(c, o[i], 1, names[i])) return false;
  return true;
}

bool lwi_compile_open(lwi_compiler *c)
{
  lw_model *m = c->m;
  lwi_store **const store[] = {&m->lasting, &m->store, &m->constraint_store};
  for (int i = 0; i < 3; i++)
    if (!*store[i] && !(*store[i] = lwi_store_new())) return lwi_compile_memory(c);
  c->lasting = lwi_store_arena(m->lasting);
  c->arena = lwi_store_arena(m->store);
  c->tree_constraints = lwi_store_arena(m->constraint_store);
  c->own = &m->arena;
  return true;
}

void lwi_compile_close(lwi_compiler *c)
{
  lwi_name_index_free(&c->slots);
  free(c->slot);
  lwi_arena_free(&c->scratch);
}

uint64_t lwi_model_id(void)
{
  static _Atomic uint64_t last;
  return ++last;
}

static lw_model *compile_active(const lwi_phase *p, const lw_model *before, lw_error *err)
{
  lw_error unused;
  lw_model *m = calloc(1, sizeof *m);
  if (!m) return lwi_out_of_memory(err, NULL), NULL;
  m->id = lwi_model_id();
  lwi_compiler c = {
      .s = p->spec, .phase = p, .before = before, .m = m, .out = m, .err = err ? err : &unused};
  if (before) m->lasting = lwi_store_hold(before->lasting);
  const bool ok = lwi_compile_open(&c) && lwi_compile_parameters(&c) && compile_whole(&c) &&
                  lwi_compile_bodies(&c) && lwi_compile_joints(&c) && lwi_compile_topology(&c) &&
                  lwi_keep_joints(&c) && lwi_compile_links(&c) && lwi_compile_constraints(&c) &&
                  lwi_compile_start(&c) && lwi_compile_tree_constraints(&c) &&
                  lwi_compile_points(&c) && lwi_compile_shapes(&c) && lwi_compile_forces(&c) &&
                  lwi_compile_outputs(&c) && lwi_compile_sensitivity(&c) && lwi_check_study(&c);
  lwi_compile_close(&c);
  if (ok) return m;
  lw_model_free(m);
  return NULL;
}

lw_model *lwi_compile_phase(const lwi_phase *p, const lw_model *before, lw_error *err)
{
  if (!lwi_phase_is_partial(p)) return compile_active(p, before, err);
  lwi_active_phase active;
  lw_model *m = NULL;
  if (lwi_active_phase_init(&active, p))
    m = compile_active(&active.phase, before, err);
  else
    lwi_out_of_memory(err, NULL);
  lwi_active_phase_free(&active);
  return m;
}

/* keeps the events, and the spec from which simulations compile later phases */
static bool keep_events(lw_model *m, lw_spec *s, lw_error *err)
{
  m->spec = s;
  m->event = LWI_TAKE(&m->arena, s->events.n, lwi_event);
  m->nevent = s->events.n;
  m->nraising = m->nevent;
  m->raising = m->event;
  if (!m->event) return lwi_out_of_memory(err, NULL), false;
  for (int i = 0; i < m->nevent; i++)
    if (!lwi_event_init(&m->event[i], m->spec, &m->spec->events.item[i].d,
                        m->spec->events.item[i].mark, i + 1, m->parameter, err))
      return false;
  return true;
}

lw_model *lw_compile(const lw_spec *s, lw_error *err)
{
  if (err) *err = (lw_error){.status = LW_OK};
  if (!s) return lwi_fail(err, LW_E_ARG, "lw_compile: no spec"), NULL;
  if (s->error.status != LW_OK) {
    if (err) *err = s->error;
    return NULL;
  }
  lwi_phase first;
  lw_model *m = NULL;
  lw_spec *own = lwi_spec_copy(s);
  if (!own) return lwi_out_of_memory(err, NULL), NULL;
  const bool good = lwi_spec_expand_outputs(own);
  if (!good && err) *err = own->error;
  if (good && lwi_phase_init(&first, own)) {
    m = lwi_compile_phase(&first, NULL, err);
    lwi_phase_close(&first);
  } else if (good) {
    lwi_out_of_memory(err, NULL);
    lwi_phase_close(&first);
  }
  if (m && keep_events(m, own, err)) return m;
  if (!m) lw_spec_free(own);
  lw_model_free(m);
  return NULL;
}
