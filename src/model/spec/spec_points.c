/* SPDX-License-Identifier: Apache-2.0 */
/* spec_points.c -- points, notes, states and outputs of a spec. */
#include "model/spec/spec_data.h"
#include "linkwork/reader.h"

#include <string.h>

/* ---- points ---- */

bool lwi_spec_enter_frame_name(lw_spec *s, const char *what, const char *name, const char **kept)
{
  const bool point = what[0] == 'p';
  if (name && strcmp(name, "ground") == 0)
    return lwi_spec_fail(s, LW_E_MODEL, s->mark, "\"ground\" is the ground, not a %s's name", what),
           false;
  if (name && lwi_name_find(point ? &s->body_names : &s->point_names, name, strlen(name)) >= 0)
    return lwi_spec_fail(s, LW_E_MODEL, s->mark,
                         "%s \"%s\": a %s has this name, and their columns would be the same", what,
                         name, point ? "body" : "point"),
           false;
  return lwi_spec_enter_name(s, what, point ? &s->point_names : &s->body_names, name, kept);
}

lw_point lw_add_point(lw_spec *s, const lw_point_desc *d)
{
  const lw_point none = {-1};
  if (!lwi_spec_good(s)) return none;
  if (!d) return lwi_spec_fail(s, LW_E_ARG, s->mark, "lw_add_point: no descriptor"), none;
  lw_point_desc copy = *d;
  if (!lwi_spec_enter_frame_name(s, "point", d->name, &copy.name)) return none;
  if (d->body.id < 0 || d->body.id > s->bodies.n)
    return lwi_spec_fail(s, LW_E_ARG, s->mark, "point \"%s\": no such body", copy.name), none;
  return LWI_SPEC_APPEND(s, points, copy) ? (lw_point){s->points.n} : none;
}

lw_point lw_spec_find_point(const lw_spec *s, const char *name)
{
  const int i = s && name ? lwi_name_find(&s->point_names, name, strlen(name)) : -1;
  return (lw_point){i < 0 ? -1 : i + 1};
}

lw_status lw_spec_get_point(const lw_spec *s, lw_point point, lw_body *body, lw_place *place)
{
  if (!s || point.id < 1 || point.id > s->points.n) return LW_E_ARG;
  if (body) *body = s->points.item[point.id - 1].d.body;
  if (place) *place = s->points.item[point.id - 1].d.place;
  return LW_OK;
}

/* ---- notes ---- */

void lw_spec_add_note(lw_spec *s, const char *text)
{
  if (!lwi_spec_good(s)) return;
  if (!text)
    lwi_spec_fail(s, LW_E_ARG, s->mark, "lw_spec_add_note: no text");
  else if (!lwi_grow(&s->notes, s->nnote, &s->note_capacity, sizeof *s->notes))
    lwi_spec_no_memory(s);
  else if ((s->notes[s->nnote] = lwi_spec_text(s, text)))
    s->nnote++;
}

int lw_spec_nnote(const lw_spec *s)
{
  return s ? s->nnote : 0;
}

const char *lw_spec_get_note(const lw_spec *s, int i)
{
  return s && i >= 0 && i < s->nnote ? s->notes[i] : NULL;
}

/* ---- states and outputs ---- */

void lw_add_state(lw_spec *s, const lw_state_desc *d)
{
  if (!lwi_spec_good(s)) return;
  if (!d) {
    lwi_spec_fail(s, LW_E_ARG, s->mark, "lw_add_state: no descriptor");
    return;
  }
  lw_state_desc copy = *d;
  if (!lwi_spec_enter_name(s, d->input ? "input" : "state", &s->output_names, d->name, &copy.name))
    return;
  if (lwi_expr_is_reserved(copy.name) || strcmp(copy.name, "drift") == 0)
    lwi_spec_fail(s, LW_E_MODEL, s->mark, "state \"%s\": the name is taken", copy.name);
  else
    LWI_SPEC_APPEND(s, states, copy);
}

void lw_add_output(lw_spec *s, const lw_output_desc *d)
{
  if (!lwi_spec_good(s)) return;
  if (!d) {
    lwi_spec_fail(s, LW_E_ARG, s->mark, "lw_add_output: no descriptor");
    return;
  }
  lw_output_desc copy = *d;
  if (!lwi_spec_enter_name(s, "output", &s->output_names, d->name, &copy.name)) return;
  if (lwi_expr_is_reserved(copy.name) || strcmp(copy.name, "drift") == 0)
    lwi_spec_fail(s, LW_E_MODEL, s->mark, "output \"%s\": the name is taken", copy.name);
  else
    LWI_SPEC_APPEND(s, outputs, copy);
}
