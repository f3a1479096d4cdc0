/* SPDX-License-Identifier: Apache-2.0 */
/* mjcf_skipped.c -- one sentence about what an MJCF file has and linkwork does not use. */
#include "io/mjcf/mjcf.h"

#include <stdio.h>
#include <string.h>

static int count_in_section(const lwi_xml_element *section, const char *name)
{
  int n = 0;
  for (const lwi_xml_element *e = section->first; e; e = e->next)
    n += !name || strcmp(e->name, name) == 0;
  return n;
}

/* of all models */
static int count_in(lwi_mjcf *x, const char *section, const char *name)
{
  int n = 0;
  for (const lwi_xml_element *s = NULL; (s = lwi_mjcf_next_section(x, s, section));)
    n += count_in_section(s, name);
  return n;
}

static int count_attached_keys(lwi_mjcf *x)
{
  int n = count_in(x, "keyframe", NULL);
  const lwi_xml_element *s = lwi_xml_child(x->robot.root, "keyframe");
  for (; s; s = lwi_xml_find(s->next, "keyframe"))
    n -= count_in_section(s, NULL);
  return n;
}

void lwi_mjcf_note_skipped(lwi_mjcf *x)
{
  char text[600] = "";
  lwi_listing_count(text, sizeof text, x->ngeom, "contacts of geoms");
  lwi_listing_count(text, sizeof text, count_in(x, "contact", "pair"), "contact pairs");
  lwi_listing_count(text, sizeof text, count_in(x, "deformable", NULL), "deformable parts");
  lwi_listing_count(text, sizeof text, count_in(x, "extension", NULL), "extensions");
  lwi_listing_count(text, sizeof text, count_attached_keys(x), "keyframes of attached models");
  if (*text) lwi_robot_note(&x->robot, "not used: %s", text);
  if (x->actuators.n)
    lwi_robot_note(&x->robot,
                   "actuators of kinds that linkwork does not have, whose forces are missing: %s",
                   lwi_listing_text(&x->actuators));
  if (x->tendons.n)
    lwi_robot_note(&x->robot,
                   "tendons that wrap around geoms, whose forces are missing, and those of their "
                   "actuators: %s",
                   lwi_listing_text(&x->tendons));
  if (x->sensors.n)
    lwi_robot_note(&x->robot, "sensors that are not outputs: %s", lwi_listing_text(&x->sensors));
  if (x->parts.n)
    lwi_robot_note(&x->robot, "parts that linkwork does not make, whose bodies are missing: %s",
                   lwi_listing_text(&x->parts));
  if (x->shells.n)
    lwi_robot_note(&x->robot, "shellinertia is not used, geoms are solid: bodies %s",
                   lwi_listing_text(&x->shells));
  if (x->broken.n)
    lwi_robot_note(&x->robot, "left out, as they name what is not there: %s",
                   lwi_listing_text(&x->broken));
  if (x->no_mass.n)
    lwi_robot_note(&x->robot, "the mass of meshes that are not there is missing: bodies %s",
                   lwi_listing_text(&x->no_mass));
  if (x->lost_meshes.n)
    lwi_robot_note(&x->robot, "meshes that cannot be used: %s", lwi_listing_text(&x->lost_meshes));
  if (x->not_hulls.n)
    lwi_robot_note(&x->robot,
                   "inertia=\"convex\": the mass is that of the mesh, not of its hull: %s",
                   lwi_listing_text(&x->not_hulls));
  if (x->limits.n)
    lwi_robot_note(&x->robot,
                   "ranges that are empty or of joints without a single coordinate are "
                   "not used: %s",
                   lwi_listing_text(&x->limits));
  if (x->joint_loads.n)
    lwi_robot_note(
        &x->robot,
        "frictionloss and stiffness of ball and free joints, and armature of ball joints on "
        "moving bodies, are not used: %s",
        lwi_listing_text(&x->joint_loads));
  if (x->tendon_limits.n)
    lwi_robot_note(&x->robot, "range, frictionloss and armature of tendons are not used: %s",
                   lwi_listing_text(&x->tendon_limits));
}
