/* SPDX-License-Identifier: Apache-2.0 */
/* robot_names.c -- names of robot files as names of a spec: as written wherever that is
   possible. */
#include "io/robot/robot.h"

#include "base/quoted_name.h"
#include "linkwork/reader.h"
#include "model/spec/spec_data.h"

#include <stdio.h>
#include <string.h>

enum { LONGEST = 190 }; /* bytes: a number behind it must still fit */

static bool is_taken(const lwi_robot *r, lwi_robot_names space, const char *name)
{
  const size_t length = strlen(name);
  switch (space) {
  case LWI_ROBOT_JOINTS:
    return lw_spec_find_joint(r->spec, name).id > 0 || lwi_spec_find_constraint(r->spec, name) > 0;
  case LWI_ROBOT_FORCES: return lwi_name_find(&r->spec->force_names, name, length) >= 0;
  case LWI_ROBOT_STATES: return lwi_name_find(&r->spec->output_names, name, length) >= 0;
  default:
    return lw_spec_find_body(r->spec, name).id >= 0 || lw_spec_find_point(r->spec, name).id > 0;
  }
}

const char *lwi_robot_name(lwi_robot *r, lwi_robot_names space, const char *written)
{
  char base[LONGEST + 1], name[LONGEST + 16], change[160];
  const bool allowed = lwi_is_name(written) && strlen(written) <= LONGEST;
  if (allowed && !is_taken(r, space, written)) return lwi_arena_text(&r->arena, written);
  snprintf(base, sizeof base, "%s", allowed ? written : "unnamed");
  snprintf(name, sizeof name, "%s", base);
  for (int i = 2; is_taken(r, space, name); i++)
    snprintf(name, sizeof name, "%s_%d", base, i);
  snprintf(change, sizeof change, "%.60s -> %.60s", written, name);
  lwi_listing_add(&r->renamed, change);
  return lwi_arena_text(&r->arena, name);
}

void lwi_robot_note_names(lwi_robot *r)
{
  if (r->renamed.n)
    lwi_robot_note(r, "names that are taken or not allowed are changed: %s",
                   lwi_listing_text(&r->renamed));
}
