/* SPDX-License-Identifier: Apache-2.0 */
/* urdf.h -- the parts of the reader of URDF. */
#ifndef LWI_IO_URDF_URDF_H
#define LWI_IO_URDF_URDF_H
#include "base/name_index.h"
#include "io/read/yaml_document.h"
#include "io/robot/robot.h"

/* colours by the names of their materials */
typedef struct {
  lwi_name_index names;
  const lwi_xml_element **color; /* [names.n] */
  int capacity;
} lwi_urdf_colors;

/* a joint of the file, fixed ones too */
typedef struct {
  lwi_robot_joint d;
  bool fixed;
  int parent, child;  /* links in the order of the file; child -1: the joint is left out */
  lwi_frame place;    /* in the frame of the parent */
  const char *mimics; /* the name of another joint, or NULL */
  bool odd_limits;    /* without a range between them: not used */
  bool strength;      /* limits of effort or speed */
  bool twice;         /* a second joint follows: two axes */
  lwi_robot_joint second;
} lwi_urdf_joint;

/* the file while it is read */
typedef struct {
  lwi_robot *robot;
  lwi_name_index link_names, joint_names; /* of joints that are not left out */
  lwi_urdf_colors colors;
  const lwi_xml_element **link; /* [link_names.n] in the order of the file */
  lwi_urdf_joint *joint;        /* [njoint] in the order of the file */
  int njoint, *inward;          /* [link] the joint of which it is the child, or -1 */
  int *number;                  /* [link] in the robot */
  int *joint_number;            /* [joint] in the robot, -1: none */
  lwi_yaml_document *side_file; /* NULL: none */
} lwi_urdf;

/* urdf_link.c: <origin xyz rpy>, and the mass properties of a link in its frame. */
bool lwi_urdf_origin(const lwi_xml_element *e, lwi_frame *out, lw_error *err);
bool lwi_urdf_mass(const lwi_xml_element *link, lwi_mass *out, lw_error *err);

/* A frame <origin xyz rpy>, or of another name. */
bool lwi_urdf_frame(const lwi_xml_element *origin, lwi_frame *out, lw_error *err);

/* urdf_joint.c: all but the links. */
bool lwi_urdf_read_joint(const lwi_xml_element *e, lwi_urdf_joint *out, lw_error *err);

/* urdf_shape.c */
bool lwi_urdf_list_colors(lwi_robot *r, lwi_urdf_colors *c);
void lwi_urdf_colors_free(lwi_urdf_colors *c);
bool lwi_urdf_shapes(lwi_robot *r, const lwi_urdf_colors *c, const lwi_xml_element *link,
                     int number);

/* urdf_side_file.c: ROBOT.yaml beside ROBOT.urdf, with types of joints and loops; before the tree
   is made. */
bool lwi_urdf_read_side_file(lwi_urdf *x);
/* urdf_loops.c: <constraint>, and the loops of the side file; after the robot is built. */
bool lwi_urdf_close_constraints(lwi_urdf *x);
bool lwi_urdf_close_side_loops(lwi_urdf *x);

/* urdf_skipped.c: a note about what linkwork does not use. */
void lwi_urdf_note_skipped(lwi_robot *r);

#endif
