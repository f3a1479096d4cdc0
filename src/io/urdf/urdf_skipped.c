/* SPDX-License-Identifier: Apache-2.0 */
/* urdf_skipped.c -- one sentence about what a URDF file has and linkwork does not use. */
#include "io/urdf/urdf.h"

#include <stdio.h>
#include <string.h>

static int count(const lwi_xml_element *at, const char *name)
{
  int n = 0;
  for (at = lwi_xml_find(at, name); at; at = lwi_xml_find(at->next, name))
    n++;
  return n;
}

static void add(char *text, size_t size, int n, const char *what)
{
  const size_t used = strlen(text);
  if (n > 0) snprintf(text + used, size - used, "%s%d %s", used ? ", " : "", n, what);
}

static bool is_known(const char *name)
{
  static const char *const known[] = {"link",         "joint",  "material",     "gazebo",
                                      "transmission", "sensor", "ros2_control", "constraint"};
  for (size_t i = 0; i < sizeof known / sizeof *known; i++)
    if (strcmp(known[i], name) == 0) return true;
  return false;
}

void lwi_urdf_note_skipped(lwi_robot *r)
{
  const lwi_xml_element *first = r->root->first;
  int strengths = 0, safety = 0, calibration = 0, other = 0;
  char text[600] = "", unknown[60] = "";
  for (const lwi_xml_element *e = first; e; e = e->next) {
    const bool joint = strcmp(e->name, "joint") == 0;
    if (joint) {
      const lwi_xml_element *limit = lwi_xml_child(e, "limit");
      strengths += lwi_xml_get(limit, "effort") || lwi_xml_get(limit, "velocity");
      safety += count(e->first, "safety_controller");
      calibration += count(e->first, "calibration");
    }
    if (!is_known(e->name) && other++ == 0)
      snprintf(unknown, sizeof unknown, "elements such as <%.30s>", e->name);
  }
  add(text, sizeof text, strengths, "limits of effort and speed");
  add(text, sizeof text, count(first, "gazebo"), "gazebo elements");
  add(text, sizeof text, count(first, "transmission"), "transmissions");
  add(text, sizeof text, count(first, "ros2_control"), "ros2_control elements");
  add(text, sizeof text, count(first, "sensor"), "sensors");
  add(text, sizeof text, safety, "safety controllers");
  add(text, sizeof text, calibration, "calibrations");
  add(text, sizeof text, other, unknown);
  if (*text) lwi_robot_note(r, "not used: %s", text);
}
