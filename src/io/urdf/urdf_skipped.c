/* SPDX-License-Identifier: Apache-2.0 */
/* urdf_skipped.c -- one sentence about what a URDF file has and linkwork does not use. */
#include "io/urdf/urdf.h"

#include <stdio.h>
#include <string.h>

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
      safety += lwi_xml_count(e->first, "safety_controller");
      calibration += lwi_xml_count(e->first, "calibration");
    }
    if (!is_known(e->name) && other++ == 0)
      snprintf(unknown, sizeof unknown, "elements such as <%.30s>", e->name);
  }
  lwi_listing_count(text, sizeof text, strengths, "limits of effort and speed");
  lwi_listing_count(text, sizeof text, lwi_xml_count(first, "gazebo"), "gazebo elements");
  lwi_listing_count(text, sizeof text, lwi_xml_count(first, "transmission"), "transmissions");
  lwi_listing_count(text, sizeof text, lwi_xml_count(first, "ros2_control"),
                    "ros2_control elements");
  lwi_listing_count(text, sizeof text, lwi_xml_count(first, "sensor"), "sensors");
  lwi_listing_count(text, sizeof text, safety, "safety controllers");
  lwi_listing_count(text, sizeof text, calibration, "calibrations");
  lwi_listing_count(text, sizeof text, other, unknown);
  if (*text) lwi_robot_note(r, "not used: %s", text);
}
