/* SPDX-License-Identifier: Apache-2.0 */
/* robot_names.c -- names of robot files as names of a spec: as written wherever that is possible. */
#include "io/robot/robot.h"

#include "linkwork/reader.h"
#include "model/expression/expr_lex.h"
#include "model/spec/spec_data.h"

#include <stdio.h>
#include <string.h>

enum { LONGEST = 190 }; /* bytes: a suffix must still fit */

static bool is_taken(const lwi_robot *r, lwi_robot_names space, const char *name)
{
  if (space == LWI_ROBOT_JOINTS)
    return lw_spec_find_joint(r->spec, name).id > 0 || lwi_spec_find_constraint(r->spec, name) > 0;
  return lw_spec_find_body(r->spec, name).id >= 0 || lw_spec_find_point(r->spec, name).id > 0;
}

/* The one place that knows which characters a name of a spec may have. */
static void make_allowed(const char *written, char out[LONGEST + 1])
{
  size_t n = 0;
  const bool digit = written[0] >= '0' && written[0] <= '9';
  if (digit || !written[0]) out[n++] = '_';
  for (const char *c = written; *c && n < LONGEST; c++) {
    const bool word = (*c >= '0' && *c <= '9') || lwi_expr_is_identifier(c, 1);
    out[n++] = word ? *c : '_';
  }
  out[n] = '\0';
}

const char *lwi_robot_name(lwi_robot *r, lwi_robot_names space, const char *written)
{
  char base[LONGEST + 1], name[LONGEST + 16], change[2 * LONGEST + 32];
  const bool allowed = lwi_expr_is_name(written) && strlen(written) <= LONGEST;
  if (allowed && !is_taken(r, space, written)) return lwi_arena_text(&r->arena, written);
  if (allowed)
    snprintf(base, sizeof base, "%s", written);
  else
    make_allowed(written, base);
  snprintf(name, sizeof name, "%s", base);
  for (int i = 2; is_taken(r, space, name); i++)
    snprintf(name, sizeof name, "%s_%d", base, i);
  snprintf(change, sizeof change, "%.60s -> %.60s", written, name);
  lwi_name_list_add(&r->renamed, change);
  return lwi_arena_text(&r->arena, name);
}

void lwi_robot_note_names(lwi_robot *r)
{
  if (r->renamed.n)
    lwi_robot_note(r, "names that are taken or not allowed are changed: %s",
                   lwi_name_list_text(&r->renamed));
}
