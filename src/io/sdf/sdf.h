/* SPDX-License-Identifier: Apache-2.0 */
/* sdf.h -- the parts of the reader of SDFormat.

   Models, links, joints and frames are all frames with a name in the model around them; each is
   placed relative to another one.  As they are written, everything is where it starts: frames are
   resolved in the world, and the coordinates of joints are zero there. */
#ifndef LWI_IO_SDF_SDF_H
#define LWI_IO_SDF_SDF_H
#include "base/name_index.h"
#include "io/robot/robot.h"

typedef enum { LWI_SDF_MODEL, LWI_SDF_LINK, LWI_SDF_JOINT, LWI_SDF_FRAME } lwi_sdf_kind;

typedef struct {
  lwi_sdf_kind kind;
  const lwi_xml_element *element;
  const lwi_xml_element *placed; /* whose <pose> counts: the element, or the <include> of a model */
  const char *name, *full;       /* in its model; in the whole */
  int model;                     /* the frame of the model around it; -1: the world */
  bool fixed;                    /* of a model: it is static */
  int version;
  int first_link;  /* of a model: its canonical one; -1: none */
  int link;        /* of a link: which */
  int state;       /* 0: not resolved, 1: on the way, 2: done */
  lwi_frame world; /* when it is resolved */
} lwi_sdf_frame;

typedef struct {
  lwi_robot_joint d[2];
  int njoint;    /* of d: 0: fixed, 2: two axes, one after the other */
  int frame;     /* its own */
  int link[2];   /* parent, child: of lwi_sdf.link; -1: the world */
  bool in_tree;  /* it carries a link ... */
  bool backward; /* ... its parent */
  int number[2]; /* in the robot */
} lwi_sdf_joint;

typedef struct {
  lwi_robot robot;
  int version;
  int nframe, frame_capacity, nlink, link_capacity, njoint, joint_capacity;
  lwi_sdf_frame *frame;
  int *link;            /* [nlink] its frame */
  lwi_sdf_joint *joint; /* [njoint] */
  lwi_name_index names; /* "MODEL NAME" */
  int *frame_of_name, name_capacity;
  int nincluded, nplacement;
  lwi_listing no_inertial, automatic, not_found, dropped, missing;
} lwi_sdf;

/* ---- sdf_model.c: lists what a file has ---- */
bool lwi_sdf_list(lwi_sdf *x);

/* ---- sdf_frames.c ---- */
bool lwi_sdf_add_frame(lwi_sdf *x, const lwi_sdf_frame *f, int *number);
/* A frame by its name, as seen in a model (-1: the world): "a", "nested::a", "__model__"; -1: the
   world; false: there is none. */
bool lwi_sdf_find(const lwi_sdf *x, int model, const char *name, int *frame);
/* The link that a frame is attached to; -1: the world. */
bool lwi_sdf_link_of(lwi_sdf *x, const lwi_xml_element *e, int frame, int *link);
bool lwi_sdf_resolve(lwi_sdf *x, int frame, lwi_frame *world);
/* <pose> of an element, as numbers; relative: what it is relative to, or NULL. */
bool lwi_sdf_pose(lwi_sdf *x, const lwi_xml_element *e, lwi_frame *out, const char **relative);
/* Where an element of a link or joint is: its <pose>, relative to `within` unless it says
   otherwise. */
bool lwi_sdf_place(lwi_sdf *x, const lwi_xml_element *e, int within, lwi_frame *out);

/* ---- numbers in children: <mass>1</mass> ---- */
/* x of version 1.x, which is followed by 1.10; 7, if the file does not say */
int lwi_sdf_version(const lwi_xml_element *root);
bool lwi_sdf_read(lwi_sdf *x, const lwi_xml_element *e, const char *child, int n, double out[]);
bool lwi_sdf_flag(const lwi_xml_element *e, const char *child);
/* The text of a child without spaces around it; NULL: none. */
const char *lwi_sdf_text(lwi_sdf *x, const lwi_xml_element *e, const char *child);

/* ---- sdf_link.c, sdf_joint.c ---- */
bool lwi_sdf_mass(lwi_sdf *x, int frame, lwi_mass *out);
bool lwi_sdf_shapes(lwi_sdf *x, int frame, int number);
bool lwi_sdf_read_joint(lwi_sdf *x, int frame, lwi_sdf_joint *out);
/* Axes and place in the frame of the link that it moves. */
bool lwi_sdf_orient_joint(lwi_sdf *x, lwi_sdf_joint *j, lwi_frame link);

#endif
