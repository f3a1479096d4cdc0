/* SPDX-License-Identifier: Apache-2.0 */
/* robot.h -- a robot as robot files describe it: a tree of links, each with the joints by which it
   moves relative to its parent.  Readers of formats fill it in; robot_build.c makes a spec of it.

   A link without joints is fixed to its parent and becomes a part of the same body; its frame stays
   as a point.  Joints of one link act one after the other, each in the frame that the earlier ones
   have moved. */
#ifndef LWI_IO_ROBOT_ROBOT_H
#define LWI_IO_ROBOT_ROBOT_H
#include "io/robot/listing.h"
#include "io/xml/xml_values.h"
#include "linkwork/reader.h"
#include "linkwork/shapes.h"
#include "linkwork/spec.h"
#include "model/joint/frame.h"

typedef struct {
  double mass, com[3];
  double inertia[6]; /* about com, axes of the link: xx yy zz xy xz yz */
} lwi_mass;

typedef struct {
  const char *name;
  const lwi_xml_element *element; /* where it was written */
  int link;                       /* that it moves */
  lw_joint_type type; /* revolute, prismatic, helical, spherical, planar (normal to axis), free */
  double at[3], axis[3];
  double reference;  /* the coordinate at which the link is where `place` says */
  double q[7], u[6]; /* at the start */
  bool has_lower, has_upper;
  double lower, upper;
  double damping, friction, stiffness, rest, armature;
  double higher[4]; /* stiffness of the second and third degree, damping of these degrees */
  /* time constant and damping ratio, from which stiffness and damping follow; or 0 */
  double springdamper[2];
  double pitch; /* helical: metres per radian */
  bool has_strength;
  double strength[2]; /* range of the loads of actuators */
  int mimic;          /* another joint whose coordinate determines that of this one, or -1: */
  double multiplier, offset;
  /* made by robot_merge.c and robot_build.c */
  bool held; /* nothing with mass moves with it */
  lw_joint id;
} lwi_robot_joint;

/* parents come before their children */
typedef struct {
  const char *name;
  const lwi_xml_element *element;
  int parent;      /* -1: the ground */
  lwi_frame place; /* in the frame of the parent */
  lwi_mass own;
  int njoint, *joint; /* of lwi_robot.joint, in the order in which they act */
  bool free;          /* attached to nothing, it floats whatever the options say */
  bool silent;        /* its frame needs no point: it has no name in the file */
  double balanced;    /* the part of its weight that a load of its own carries */
  /* made by robot_merge.c */
  bool floats;       /* a base that is not attached to anything */
  int base;          /* the link whose body it is a part of, itself if it moves; -1: the ground */
  lwi_frame in_base; /* its frame there */
  lwi_mass merged;   /* of a base: with all its parts */
  double outward;    /* mass and inertia of all that moves with it, added up: 0 if there is none */
  lw_body body;
} lwi_robot_link;

typedef struct {
  const char *name;
  const lwi_xml_element *element;
  int link; /* -1: the ground */
  lwi_frame place;
} lwi_robot_point;

/* what a link looks like */
typedef struct {
  lw_shape_desc d; /* but body and place */
  const lwi_xml_element *element;
  int link; /* -1: the ground */
  lwi_frame place;
  bool spare; /* shown only where the link has no other shapes: for collisions */
} lwi_robot_shape;

typedef struct {
  lwi_arena arena;
  bool no_files; /* the text has no file name, beside which others could be */
  const lw_load_options *options;
  lw_error *err;
  lw_spec *spec;
  int nlink, link_capacity, njoint, joint_capacity, npoint, point_capacity, nshape, shape_capacity;
  lwi_robot_link *link;
  lwi_robot_joint *joint;
  lwi_robot_point *point;
  lwi_robot_shape *shape;
  const lwi_xml_element *root;
  lwi_listing renamed;
  int lost_shapes; /* that could not be understood */
} lwi_robot;

/* What ends every reader: names that have changed are noted; false: the spec has an error. */
bool lwi_robot_finish(lwi_robot *r);
/* Frees the robot and returns its spec; NULL, where reading it has failed. */
lw_spec *lwi_robot_take(lwi_robot *r, bool ok);
/* Each returns its index; -1: out of memory, which err then says. */
int lwi_robot_add_link(lwi_robot *r, const lwi_robot_link *link);
int lwi_robot_add_joint(lwi_robot *r, const lwi_robot_joint *joint);
int lwi_robot_add_point(lwi_robot *r, const lwi_robot_point *point);
/* robot_shapes.c: the same; one without extent is left out. */
bool lwi_robot_add_shape(lwi_robot *r, const lwi_robot_shape *shape);
bool lwi_robot_build_shapes(lwi_robot *r);

/* robot_files.c: the path of a file that is named in the file `beside`: in its folder, or package://NAME/... in
   a folder above it.  *found: there is one; if not, the name as written is returned.  NULL: out of
   memory. */
const char *lwi_robot_find_file(lwi_robot *r, const char *beside, const char *written, bool *found);

/* A sentence for the user of the file: what was repaired, changed or left out. */
void lwi_robot_note(lwi_robot *r, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* robot_inertia.c: is it the inertia of a rigid body?  Repairs it or not, as the options say; adds
   notes.  All links. */
bool lwi_robot_check_inertias(lwi_robot *r);
/* Adds b, which is given in a frame at `place`, to a. */
void lwi_mass_add(lwi_mass *a, const lwi_mass *b, lwi_frame place);
/* Can a rigid body have it?  As the compiler of models decides. */
bool lwi_mass_is_rigid(const lwi_mass *m);
/* R I R^T */
void lwi_inertia_turn(const double I[6], rot3 R, double out[6]);

/* robot_start.c: coordinates at the start, within the limits. */
bool lwi_robot_start(lwi_robot *r);

/* robot_merge.c: which links are parts of which body; the mass of each. */
bool lwi_robot_merge(lwi_robot *r);
void lwi_robot_add_masses(lwi_robot *r);
/* Where a revolute or prismatic joint carries its link at the start. */
lwi_frame lwi_robot_displacement(const lwi_robot_joint *j);

/* robot_particles.c: gives an inertia to points of mass that joints only turn.  After merging. */
bool lwi_robot_check_particles(lwi_robot *r);

/* robot_build.c: bodies, points and joints, with mimic joints as couplers. */
bool lwi_robot_build(lwi_robot *r);
/* robot_couple.c: couplers of joints that mimic others. */
bool lwi_robot_couple(lwi_robot *r);
lw_place lwi_place_of(lwi_frame x);
/* After that: a joint that closes a loop, between frames of two links (-1: the ground).  *closed:
   it does; both may be parts of one body. */
bool lwi_robot_close_loop(lwi_robot *r, const lwi_robot_joint *j, const int link[2],
                          const lwi_frame place[2], bool *closed);
/* After that: the body of a link (-1: the ground), where the frame of the link is in it, and the
   position in the file of what is added next. */
lw_body lwi_robot_body(const lwi_robot *r, int link);
lwi_frame lwi_robot_frame(const lwi_robot *r, int link);
void lwi_robot_locate(lwi_robot *r, const lwi_xml_element *e);

/* robot_effective.c: one freedom of a joint in the reference configuration; world: frames of all
   links. */
typedef struct {
  double w[3], v[3]; /* its motion: of the point at the ground's origin */
  double armature;
  int link; /* that it moves */
} lwi_robot_freedom;
lwi_robot_freedom lwi_robot_freedom_of(const lwi_robot *r, const lwi_frame world[], int joint,
                                       int k);
/* The velocity of a point, given in the ground, of a link (-1: the ground) by a unit speed. */
void lwi_robot_velocity(const lwi_robot *r, const lwi_robot_freedom *f, int link, const double p[3],
                        double out[3]);
/* The inertia that it moves. */
double lwi_robot_inertia_of(const lwi_robot *r, const lwi_frame world[],
                            const lwi_robot_freedom *f);
/* That of a joint with one coordinate while all others are free to move; 0: the mass matrix is
   singular. */
bool lwi_robot_free_inertia(lwi_robot *r, const lwi_frame world[], int joint, double *out);

/* robot_names.c: the name under which a part goes into the spec: as written, unless that is taken
   or not allowed; lwi_robot_note_names then says what they became.  NULL: out of memory. */
typedef enum {
  LWI_ROBOT_FRAMES,
  LWI_ROBOT_JOINTS,
  LWI_ROBOT_FORCES,
  LWI_ROBOT_STATES
} lwi_robot_names;
const char *lwi_robot_name(lwi_robot *r, lwi_robot_names space, const char *written);
void lwi_robot_note_names(lwi_robot *r);

#endif
