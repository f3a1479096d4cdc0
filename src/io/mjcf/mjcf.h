/* SPDX-License-Identifier: Apache-2.0 */
/* mjcf.h -- the parts of the reader of MJCF. */
#ifndef LWI_IO_MJCF_MJCF_H
#define LWI_IO_MJCF_MJCF_H
#include "base/name_index.h"
#include "io/mjcf/mjcf_files.h"
#include "io/mesh/mesh.h"
#include "io/robot/robot.h"
#include "io/robot/robot_frames.h"

/* a default class: its elements, and the class it is within; the outermost one of the file is
   class 0 */
typedef struct {
  const char *name;
  const lwi_xml_element *element; /* NULL: the file has none */
  int parent;                     /* -1: none */
} lwi_mjcf_class;

/* <compiler> */
typedef struct {
  bool degrees, autolimits, global;
  char eulerseq[4];
  enum { LWI_MJCF_GEOM_NEVER, LWI_MJCF_GEOM_AUTO, LWI_MJCF_GEOM_ALWAYS } from_geoms;
  double groups[2]; /* whose geoms have mass */
  double least_mass, least_inertia, total_mass;
  bool balance;
  const char *meshdir;
  bool exact_meshes, fit_box; /* exactmeshinertia, fitaabb */
} lwi_mjcf_compiler;

/* the model of the file, or one that is attached to it */
typedef struct {
  const lwi_xml_element *root;
  lwi_mjcf_compiler compiler;
  int main_class; /* -1: it has none */
} lwi_mjcf_model;

/* a mesh, whose vertices p of the file are at `place` * (scale p) in the frame of the geom, with
   refpos and refquat as reference */
typedef struct {
  const lwi_xml_element *element;
  const char *path; /* as found, or as written */
  bool found;
  double scale[3];
  lwi_frame reference, place;
  lwi_mesh_rule rule;
  enum { LWI_MJCF_MESH_NEW, LWI_MJCF_MESH_MEASURED, LWI_MJCF_MESH_LOST } state;
  lwi_mesh_measures measures; /* once measured */
} lwi_mjcf_mesh;

/* A tendon: a sum of coordinates, or of lengths of segments.  With the length L = constant + sum
   coefficient x of the coordinates or segments, a force F that would lengthen it puts coefficient F
   on each of them. */
typedef struct {
  const char *name;
  const lwi_xml_element *element;
  int nterm, *joint;       /* fixed */
  lw_spring_desc *segment; /* spatial: [nterm], with the names they have in the spec */
  double *coefficient, constant;
} lwi_mjcf_tendon;

typedef struct {
  lwi_robot robot;
  int nmodel, model_capacity, current; /* the model whose elements are being read ... */
  lwi_mjcf_model *model;               /* [nmodel], the one of the file first */
  lwi_mjcf_compiler compiler;          /* ... its settings ... */
  int main_class;                      /* ... and outermost class */
  int nclass, class_capacity;
  lwi_mjcf_class *classes;
  lwi_name_index class_names, body_names, joint_names, site_names, tendon_names, mesh_names,
      material_names;
  int *link_of_name, link_name_capacity; /* [body_names.n] */
  int *joint_of_name, joint_name_capacity;
  int *site_of_name, site_name_capacity;
  int tendon_capacity;
  lwi_mjcf_tendon *tendon; /* [tendon_names.n] */
  lwi_mjcf_mesh *mesh;     /* [mesh_names.n] */
  int mesh_capacity, material_capacity;
  const lwi_xml_element **material; /* [material_names.n] */
  lwi_frame *world;                 /* [nlink] of the reference configuration */
  const lwi_xml_element *key;       /* where it starts; NULL: in the reference configuration */
  double *act;                      /* [nact] of the keyframe: states of actuators ... */
  int nact, next_act;               /* ... and how many are used */
  int unnamed;                      /* bodies so far */
  lwi_listing no_mass, lost_meshes, not_hulls, limits, dropped, joint_loads, tendon_limits, broken,
      parts, shells, actuators, tendons, sensors;
  double gravity[3], magnetic[3];
  int ngeom;
} lwi_mjcf;

/* ---- mjcf_models.c: the models that the file consists of ---- */
/* The root with everything written out; named: there is a model file, beside which others are looked
   for. */
bool lwi_mjcf_prepare(lwi_mjcf *x, lwi_xml_element *root, bool named);
void lwi_mjcf_use_model(lwi_mjcf *x, int model);
int lwi_mjcf_model_of(const lwi_mjcf *x, const lwi_xml_element *root);
/* The section of this name after `at` (NULL: the first one), of any model, which is used then;
   NULL: there is none, and the model of the file is used. */
const lwi_xml_element *lwi_mjcf_next_section(lwi_mjcf *x, const lwi_xml_element *at,
                                             const char *name);

/* ---- mjcf_default.c ---- */

/* An element, of which attributes may be those of a default class. */
typedef struct {
  const lwi_xml_element *element;
  const char *kind; /* the element of default classes that it takes its attributes from */
  int class;        /* -1: none */
} lwi_mjcf_item;

bool lwi_mjcf_read_classes(lwi_mjcf *x);
/* The class of an element: that of its attribute `key`, or childclass of what it is within. */
bool lwi_mjcf_find_class(lwi_mjcf *x, const lwi_xml_element *e, const char *key, int within,
                         int *class);
bool lwi_mjcf_item_of(lwi_mjcf *x, const lwi_xml_element *e, const char *kind, int within,
                      lwi_mjcf_item *out);
const char *lwi_mjcf_get(const lwi_mjcf *x, const lwi_mjcf_item *item, const char *name);
/* At most `most` numbers: how many, -1 after a message; 0: no such attribute. */
int lwi_mjcf_numbers(lwi_mjcf *x, const lwi_mjcf_item *item, const char *name, int most,
                     double out[]);
/* Exactly n numbers; kept as they are if there is no such attribute. */
bool lwi_mjcf_read(lwi_mjcf *x, const lwi_mjcf_item *item, const char *name, int n, double out[]);
/* true, false, or auto (which is `automatic`) */
bool lwi_mjcf_flag(const lwi_mjcf *x, const lwi_mjcf_item *item, const char *name, bool automatic);

/* ---- mjcf_compiler.c: <compiler> and <option> ---- */
bool lwi_mjcf_read_compilers(lwi_mjcf *x);
bool lwi_mjcf_read_option(lwi_mjcf *x);

/* ---- mjcf_frame.c: pos, and one of quat, axisangle, euler, xyaxes, zaxis ---- */
bool lwi_mjcf_frame(lwi_mjcf *x, const lwi_mjcf_item *item, lwi_frame *out);

/* ---- mjcf_joint.c ---- */
/* place: of what it is written in, in the frame of the body; name: the one it gets. */
bool lwi_mjcf_joint(lwi_mjcf *x, const lwi_xml_element *e, int within, lwi_frame place,
                    const char *name, lwi_robot_joint *out);

/* After all bodies are read: springdamper. */
bool lwi_mjcf_set_springs(lwi_mjcf *x);

/* ---- mjcf_mesh.c: <mesh> of <asset> ---- */
bool lwi_mjcf_read_meshes(lwi_mjcf *x);
lwi_mjcf_mesh *lwi_mjcf_find_mesh(const lwi_mjcf *x, const char *name); /* NULL: none */
/* Reads the file when it is first needed; false: out of memory.  state says whether there is a
   result. */
bool lwi_mjcf_measure_mesh(lwi_mjcf *x, lwi_mjcf_mesh *m);

/* ---- mjcf_geom.c ---- */
typedef struct {
  lwi_mjcf_item item;
  bool solid; /* of one of the types, not a plane or the like */
  lw_shape_type type;
  double half[3]; /* sizes: radius, half length; half edges; semi-axes */
  lwi_frame place;
  double group;
  lwi_mjcf_mesh *mesh; /* or NULL */
  bool fitted;         /* a simple shape about a mesh whose size is not known */
} lwi_mjcf_geom;
/* place: of what it is written in, in the frame of the body */
bool lwi_mjcf_read_geom(lwi_mjcf *x, const lwi_xml_element *e, int within, lwi_frame place,
                        lwi_mjcf_geom *out);
bool lwi_mjcf_add_geom_shape(lwi_mjcf *x, const lwi_mjcf_geom *g, int link);

/* ---- mjcf_inertia.c ---- */
/* Both in the frame that `place` is in.  Adds the mass of a geom; missing: it is a mesh without a
   file, of which nothing is known. */
bool lwi_mjcf_inertial(lwi_mjcf *x, const lwi_xml_element *e, lwi_frame place, lwi_mass *out);
bool lwi_mjcf_add_geom_mass(lwi_mjcf *x, const lwi_mjcf_geom *g, lwi_mass *out, bool *missing);

/* After all bodies are read: boundmass, boundinertia and settotalmass of <compiler>. */
void lwi_mjcf_adjust_masses(lwi_mjcf *x);

/* ---- mjcf_body.c: the tree ---- */
bool lwi_mjcf_read_bodies(lwi_mjcf *x);
bool lwi_mjcf_add_rotors(lwi_mjcf *x); /* armature of ball and free joints; after masses */

/* ---- what needs the bodies ---- */
bool lwi_mjcf_read_equality(lwi_mjcf *x); /* mjcf_equality.c */
bool lwi_mjcf_read_tendons(lwi_mjcf *x);  /* mjcf_tendon.c */
/* mjcf_spatial.c; known: it is one that linkwork has */
bool lwi_mjcf_read_spatial(lwi_mjcf *x, const lwi_xml_element *e, lwi_mjcf_tendon *t, bool *known);
/* Adds its segments to the spec, without force, or one segment as the spring that it is. */
bool lwi_mjcf_add_segments(lwi_mjcf *x, lwi_mjcf_tendon *t, const lw_spring_desc *whole);
/* Its length where all joints are where their springs rest. */
double lwi_mjcf_spatial_rest(const lwi_mjcf *x, const lwi_mjcf_tendon *t);
/* dL/dq of a freedom in the reference configuration. */
double lwi_mjcf_spatial_arm(const lwi_mjcf *x, const lwi_mjcf_tendon *t,
                            const lwi_robot_freedom *f);
bool lwi_mjcf_read_actuators(lwi_mjcf *x);
bool lwi_mjcf_read_sensors(lwi_mjcf *x); /* mjcf_sensor.c */
bool lwi_mjcf_add_higher_loads(
    lwi_mjcf *x); /* mjcf_load.c: stiffness and damping of joints above the first degree */
bool lwi_mjcf_balance_weights(lwi_mjcf *x); /* mjcf_load.c: gravcomp of bodies */
bool lwi_mjcf_read_key(lwi_mjcf *x);        /* mjcf_key.c */
void lwi_mjcf_note_skipped(lwi_mjcf *x);

/* The number behind a name; -1: none. */
int lwi_mjcf_find(const lwi_name_index *names, const int *number, const char *name);
/* Something names a part that is not there: it is left out, and listed; returns true. */
bool lwi_mjcf_leave_out(lwi_mjcf *x, const lwi_xml_element *e, const char *missing);
/* Notes a name and its number, if the element has one. */
bool lwi_mjcf_enter(lwi_mjcf *x, const lwi_xml_element *e, lwi_name_index *names, int **number,
                    int *capacity, const char *name, int value);

#endif
