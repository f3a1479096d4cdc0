/* SPDX-License-Identifier: Apache-2.0 */
/* asmt_motion.c -- motions of joints: a function of time becomes a driver. */
#include "io/asmt/asmt.h"

#include "model/spec/spec_data.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

/* What is no part of the function: a comment in quotes, the end of a line; 0: it is one. */
static size_t skip_of(const char *at)
{
  const char *end = *at == '"' ? strchr(at + 1, '"') : NULL;
  if (end) return (size_t)(end + 1 - at);
  return strncmp(at, "<n>", 3) == 0 ? 3 : 0;
}

/* 2.0d*pi*time -> 2.0*pi*t, arctan -> atan; false: too long */
static bool translate(const char *from, char *to, size_t size)
{
  size_t n = 0;
  bool in_name = false, in_number = false;
  for (; *from && n + 1 < size; from++) {
    const size_t skipped = skip_of(from);
    if (skipped) {
      from += skipped - 1;
      to[n++] = ' ';
      in_name = in_number = false;
      continue;
    }
    if (!in_name && !in_number && strncmp(from, "arc", 3) == 0) { /* arcsin, arccos, arctan */
      to[n++] = 'a';
      from += 2;
      in_name = true;
      continue;
    }
    const bool digit = (*from >= '0' && *from <= '9') || *from == '.';
    const bool letter = ((*from | 32) >= 'a' && (*from | 32) <= 'z') || *from == '_';
    if (!in_name && !in_number && strncmp(from, "time", 4) == 0 &&
        !isalnum((unsigned char)from[4])) {
      to[n++] = 't';
      from += 3;
      continue;
    }
    if (in_number && *from == 'd') continue;
    in_name = letter && !in_number ? true : in_name && (letter || digit);
    in_number = !in_name && (digit || (in_number && (*from == 'e' || *from == 'E')));
    to[n++] = *from;
  }
  to[n] = '\0';
  return !*from;
}

static bool add_motion(lwi_asmt *x, const lwi_xml_element *e)
{
  lwi_robot *r = &x->robot;
  const bool turns = strcmp(e->name, "RotationalMotion") == 0;
  const bool slides = strcmp(e->name, "TranslationalMotion") == 0;
  const char *written = lwi_asmt_word(e, "Name"), *joint = lwi_asmt_word(e, "MotionJoint");
  const char *function = lwi_asmt_word(e, turns ? "RotationZ" : "TranslationZ");
  const int at = lwi_name_find(&x->joint_names, joint, strlen(joint));
  char text[16000];
  if ((!turns && !slides) || at < 0 || x->joint[at].id < 1 || !*function ||
      !translate(function, text, sizeof text))
    return lwi_listing_add(&x->motions, written), true;
  const lw_joint_type type = r->spec->joints.item[x->joint[at].id - 1].d.type;
  const bool fits = turns ? type == LW_REVOLUTE || type == LW_CYLINDRICAL
                          : type == LW_PRISMATIC || type == LW_CYLINDRICAL;
  if (!fits) return lwi_listing_add(&x->motions, written), true;
  lwi_robot_locate(r, e);
  const lw_term term = {
      .joint = x->joint[at], .dof = slides && type == LW_CYLINDRICAL ? 2 : 1, .coefficient = 1};
  const lw_constraint_desc d = {.name = lwi_robot_name(r, LWI_ROBOT_JOINTS, written),
                                .type = LW_DRIVER,
                                .terms = &term,
                                .nterm = 1,
                                .value = lw_expr(r->spec, text)};
  if (!d.name) return lwi_xml_no_memory(e, r->err);
  lw_add_constraint(r->spec, &d);
  return lw_spec_error(r->spec, r->err) == LW_OK;
}

bool lwi_asmt_add_motions(lwi_asmt *x)
{
  const lwi_xml_element *assembly = lwi_xml_child(x->robot.root, "Assembly");
  const lwi_xml_element *motions =
      lwi_xml_child(lwi_xml_child(assembly, "ConstraintSets"), "Motions");
  for (const lwi_xml_element *e = motions ? motions->first : NULL; e; e = e->next)
    if (!add_motion(x, e)) return false;
  if (x->motions.n)
    lwi_robot_note(&x->robot, "motions that are not of one coordinate of a joint are left out: %s",
                   lwi_listing_text(&x->motions));
  const lwi_xml_element *forces = lwi_xml_child(assembly, "ForceTorques");
  lwi_listing lost = {0};
  for (const lwi_xml_element *e = forces ? forces->first : NULL; e; e = e->next)
    lwi_listing_add(&lost, lwi_asmt_word(e, "Name"));
  if (lost.n) lwi_robot_note(&x->robot, "forces are left out: %s", lwi_listing_text(&lost));
  return true;
}
