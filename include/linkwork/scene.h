/* SPDX-License-Identifier: Apache-2.0 */
/* scene.h -- what a picture of a mechanism shows: solids of its bodies, and where joints, points,
   springs, forces and contacts are.  Numbers are those of the start; bodies move by their poses
   (lw_get_pose).

     lw_scene *s = lw_scene_new(m, true, NULL);
     for (int i = 0; i < s->nshape; i++) draw(s->shape[i].body, s->shape[i].type, s->shape[i].size);
     lw_scene_free(s); */
#ifndef LINKWORK_SCENE_H
#define LINKWORK_SCENE_H
#include "linkwork/contacts.h"
#include "linkwork/dynamics.h"
#include "linkwork/shapes.h"
#ifdef __cplusplus
extern "C" {
#endif

/* Triangles of a file, which several shapes may have. */
typedef struct {
  int nvertex, ntriangle;
  const double (*vertex)[3];
  const int (*triangle)[3];
} lw_scene_mesh;

typedef struct {
  lw_body body;
  lw_shape_type type;
  lw_pose pose; /* of its centre in the body frame */
  double
      size[3]; /* box, ellipsoid: extents; sphere: radius; cylinder, capsule: radius, length; mesh:
              scale */
  int mesh;    /* from 0; -1: none */
  double color[4]; /* all 0: none is given */
  bool guessed;    /* from the inertia alone: other bodies may be inside it */
} lw_scene_shape;

typedef struct {
  const char *name;
  double mass, com[3];
  double inertia[6]; /* about com, body axes: xx yy zz xy xz yz */
} lw_scene_body;

typedef struct {
  const char *name;
  lw_joint_type type;
  lw_body parent, child;
  lw_pose place, child_place; /* its frame in the frames of both bodies */
  int naxis;
  double axis[3][3]; /* [naxis] in the joint frame; the second and third in the child's */
  bool cut, implicit;
} lw_scene_joint;

typedef struct {
  const char *name;
  lw_constraint_type type;
  lw_body parent, child;
  lw_pose place, child_place;
  double axis[3]; /* in the parent's frame of the constraint */
} lw_scene_constraint;

typedef struct {
  const char *name;
  lw_body body;
  double at[3]; /* in the body frame */
} lw_scene_point;

typedef struct {
  const char *name; /* NULL: none */
  lw_body from, to;
  double from_at[3], to_at[3];
  double length; /* without load; of bushings 0 */
  bool bushing;
} lw_scene_spring;

typedef struct {
  const char *name;
  lw_joint joint;
  int dof; /* from 1 */
} lw_scene_motor;

typedef struct {
  int nbody, nshape, njoint, nconstraint, npoint, nspring, nload, nmotor, ncontact;
  const lw_scene_body *body;   /* [nbody + 1]; 0 is the ground */
  const lw_scene_shape *shape; /* [nshape] by body */
  int nmesh, nmissing;
  const lw_scene_mesh *mesh;
  const char *const *missing;            /* [nmissing] files of meshes that could not be read */
  const lw_scene_joint *joint;           /* [njoint] of joint j: joint[j-1] */
  const lw_scene_constraint *constraint; /* [nconstraint] geometric ones */
  const lw_scene_point *point;
  const lw_scene_spring *spring; /* springs and bushings */
  const lw_scene_point *load;    /* where applied forces act */
  const lw_scene_motor *motor;
  const lw_contact_desc *contact; /* numbers evaluated */
  double thickness;               /* of links of which only the joints are known */
  double size;                    /* of the mechanism at its start: the radius about `centre` */
  double centre[3];
} lw_scene;

/* Bodies with shapes look like these; bodies with a solid like that; others like links between
   their joints, or like the solid of constant density that has their inertia.  shapes false:
   without them, for what else events have changed.  Valid as long as the model is. */
LW_API lw_scene *lw_scene_new(const lw_model *m, bool shapes, lw_error *err);
LW_API void lw_scene_free(lw_scene *s);

/* ---- a picture in a file ---- */

/* From where: front, side and top along an axis of the ground, upright against gravity; oblique
   from above. */
typedef enum { LW_VIEW_AUTO, LW_VIEW_FRONT, LW_VIEW_SIDE, LW_VIEW_TOP, LW_VIEW_OBLIQUE } lw_view;
typedef struct {
  int ninstant;
  const lw_pose *pose; /* [ninstant][nbody + 1] of all bodies at each instant; 0 is the ground */
  const double *time;  /* [ninstant] for the caption; NULL: none */
  lw_view view;        /* auto: front of a planar model, else oblique */
  double width;        /* pixels; 0: 800 */
} lw_drawing;
/* Draws the mechanism in parallel projection as SVG; of several instants the earlier ones are
   paler. */
LW_API lw_status lw_write_mechanism_svg(const lw_model *m, const lw_drawing *d, const char *path,
                                        lw_error *err);

#ifdef __cplusplus
}
#endif
#endif
