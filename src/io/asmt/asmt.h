/* SPDX-License-Identifier: Apache-2.0 */
/* asmt.h -- the parts of the reader of assemblies of FreeCAD and OndselSolver (.asmt).

   The file is an outline: a word in a line, what belongs to it in the lines below, one tab further
   in.  It is read into the elements of XML documents: `name` is the text of a line, children are
   the lines below it. */
#ifndef LWI_IO_ASMT_ASMT_H
#define LWI_IO_ASMT_ASMT_H
#include "base/name_index.h"
#include "io/robot/robot.h"

typedef struct {
  const lwi_xml_element *element;
  const char *name;
  lwi_frame world;
  double linear[3], angular[3];
  lwi_mass mass;
  int group; /* parts that joints connect: the lowest number; -1: the ground */
  lw_body body;
} lwi_asmt_part;

typedef struct {
  int part; /* -1: the assembly, which is the ground */
  lwi_frame place;
} lwi_asmt_marker;

typedef struct {
  lwi_robot robot;
  const char *name; /* of the assembly */
  lwi_frame world;
  int npart, part_capacity, marker_capacity, joint_capacity;
  lwi_asmt_part *part;
  lwi_name_index marker_names, joint_names; /* "/Assembly/Part/Marker", "/Assembly/Joint" */
  lwi_asmt_marker *marker;
  lw_joint *joint; /* [joint_names.n]; id < 1: a constraint */
  lwi_listing dropped, motions;
} lwi_asmt;

/* asmt_text.c: the outline, up to the results. */
lwi_xml_element *lwi_asmt_parse(lwi_arena *arena, const char *text, size_t length, const char *file,
                                lw_error *err);
bool lwi_asmt_recognises(const char *text, size_t length);
/* The line below a word, "" if there is none. */
const char *lwi_asmt_word(const lwi_xml_element *e, const char *child);
/* n numbers below a word; they stay as they are if it is not there. */
bool lwi_asmt_numbers(lwi_asmt *x, const lwi_xml_element *e, const char *child, int n,
                      double out[]);
bool lwi_asmt_frame(lwi_asmt *x, const lwi_xml_element *e, lwi_frame *out);

/* asmt_joint.c: joints and constraints; asmt_motion.c: what drives them. */
bool lwi_asmt_group_parts(lwi_asmt *x);
bool lwi_asmt_add_joints(lwi_asmt *x);
bool lwi_asmt_add_motions(lwi_asmt *x);

#endif
