/* SPDX-License-Identifier: Apache-2.0 */
/* model.h -- what lw_compile makes of a spec: numbers evaluated, tree links in order.

   Links are the bodies in the order of computing: depth first, so that parent[i] < i, a subtree is
   contiguous, and link i+1 is a child of link i unless i is a leaf.  Link 0 is the ground.  The
   frame of a link is its side of the joint that carries it, turned so that one-axis joints act
   about z; all constants are in that frame. */
#ifndef LWI_MODEL_MODEL_H
#define LWI_MODEL_MODEL_H
#include "linkwork/model.h"
#include "linkwork/query.h"
#include "base/arena.h"
#include "base/name_index.h"
#include "math/rotation.h"
#include "model/clusters.h"
#include "model/compiled_events.h"
#include "model/expression/expr.h"
#include "model/spec/force_list.h"
#include "model/joint/joint.h"
#include "model/joint/joint_relative.h"
#include "model/joint/relations.h"
#include "model/measure.h"
#include "model/spec/spec_data.h"
#include "model/shared_store.h"
#include "model/tree_constraints.h"

#include <stdint.h>
#include <stdalign.h>

typedef struct {
  alignas(64) rot3 R; /* joint frame on the parent's side, in the parent's link frame */
  double p[4];        /* its origin */
  rot3 J;             /* inertia about the link's origin */
  double h[4];        /* mass times centre of mass */
  double mass, pitch;
  int parent, joint;
  int kind;        /* lwi_kind */
  int q, u;        /* first coordinate and speed, in the caller's order */
  int nu, column;  /* freedoms, and the first of them in link order */
  int angle;       /* first of its angles among all angles */
  int middle;      /* several axes: index of the fixed rotation from the first to the second */
  int branch;      /* index among links with several children; -1 */
  int inertialess; /* leading freedoms that a particle does not have: 3 or 0 */
  unsigned locked; /* bit j: freedom j is locked */
  bool has_armature;
  double armature[LW_RATE_PAIRS]; /* inertia of a rotor on freedom j, not more than three */
  bool regularized;               /* inertia was given where nothing turns: merged.c */
  bool hands_on;                  /* its parent is link i-1, the next one inward */
  bool last;                      /* the last child: inward, the first one to reach its parent */
} lwi_link;

/* a body, or a point of one: a frame that is fixed in a link */
typedef struct {
  const char *name;
  int link;
  rot3 R; /* the body frame in the link's frame */
  double p[4];
  double mass;
  int body;    /* of a point */
  bool hidden; /* a point of a contact: no columns */
} lwi_body;

/* what a light body is made heavier by where mobilities are added and ranks decided:
   added_mass.c */
typedef struct {
  double mass, inertia; /* at the centre of mass, about any axis */
  bool loop;            /* it is in a loop ... */
  bool tip;             /* ... and light, with all that it carries */
} lwi_added_mass;

typedef struct {
  lw_joint_info info;
  lwi_mark mark;
  int link;      /* which link it carries; 0 if it closes a loop */
  bool reversed; /* that link is the joint's parent */
  /* as a relation of two frames, also where the tree runs through it */
  lwi_joint_shape shape;
  lwi_equations equations;
  lwi_frame place, child_place; /* its frames in the body frames of parent and child */
  double q[7], u[6];            /* as written, or as a driver starts them */
  bool has_q, has_u, hold;      /* written; kept when loops are assembled */
  int pair, constraint;         /* of a cut joint: its frames, its equations; else -1 */
  unsigned locked;              /* bit i: freedom i is locked */
  double armature[LW_RATE_PAIRS];
  int lock; /* of a cut joint: the equations of its locked freedoms; else -1 */
} lwi_joint;

/* a geometric constraint (equations.n > 0) or a relation of coordinates (relation.nterm > 0) */
typedef struct {
  lw_constraint_info info;
  lwi_equations equations;
  lwi_frame place, child_place; /* its frames in the body frames of parent and child */
  lwi_relation relation;
  int pair, constraint; /* its frames (-1: a relation), its equations */
  lwi_mark mark;
  const char *text; /* of a driver: its value, as written; NULL: a number */
} lwi_constraint;

/* a point of a link, in its frame */
typedef struct {
  int link;
  double p[4];
} lwi_point;
typedef struct {
  const char *name;
  lwi_point from, to;
  double stiffness, damping, length;
  bool has_law; /* its tension is the load ... */
  int law;      /* ... of this number, from 1; 0: that does not act at present */
} lwi_spring;
typedef struct {
  int q, u;
  int side; /* 1, -1: acts above or below rest only, from there smoothly over `onset`; 0: both */
  double stiffness, damping, rest, onset;
} lwi_joint_spring;
/* the potential of a law, of which the work is that of a single quantity:
   model/compile/potentials.c */
typedef struct {
  bool exists;
  int slot; /* of the quantity in the law; -1: the law is a number */
} lwi_potential;
typedef struct {
  int u;
  int q; /* the coordinate whose law it is; -1: a motor */
  lwi_expr value;
  lwi_potential potential; /* from q = 0 on */
  const char *name;
  lwi_mark mark;
} lwi_motor;
typedef struct {
  const char *name;
  lwi_mark mark;
  lwi_point point;
  bool body_axes;
  rot3 R; /* body axes in link axes */
  lwi_expr force[3], torque[3];
  lwi_carrier carrier;
  int along;                  /* which of these elements */
  lwi_potential potential[6]; /* of force and torque */
} lwi_load;
typedef struct {
  lwi_point parent, child; /* joint frames: origins ... */
  rot3 Rp, Rc;             /* ... and axes, in link axes */
  double stiffness[3], damping[3], angular_stiffness[3], angular_damping[3];
  int law; /* as of a spring */
} lwi_bushing;
#define LWI_WHOLE_TURN 6.28318530717958647692
/* an angle of the tree, and by how many turns it winds a torsion up in one */
typedef struct {
  int angle, sense;
} lwi_winding;
typedef struct {
  int id;               /* its place in the list of the model */
  int body[2], link[2]; /* parent, child */
  rot3 R[2];            /* frames of both, in link axes; z is the axis */
  double stiffness, damping, angle;
  int law;              /* as of a spring */
  int nwinding;         /* how its turns are counted (force.c): the turn is within half a turn of */
  lwi_winding *winding; /* [nwinding] sum of sense * angle ... */
  double wound;         /* ... + wound at the start; works have their own */
} lwi_torsion;

/* where a slot of the state expressions comes from */
typedef enum { LWI_SLOT_TIME, LWI_SLOT_Q, LWI_SLOT_U, LWI_SLOT_MEASURE } lwi_slot_kind;
typedef struct {
  lwi_slot_kind kind;
  int index; /* of the coordinate or speed */
  lwi_measure measure;
} lwi_slot;

/* a quantity with a rate of first order, the last coordinates of q: index nq - nstate + i */
typedef struct {
  const char *name;
  lwi_mark mark;
  lwi_expr rate;  /* zero of inputs and sampled values */
  double every;   /* between samples; 0: not sampled */
  lwi_expr value; /* of sampled ones: an expression of results, names not looked up */
  bool input;
  bool hidden; /* of the friction of a contact: no column */
  const char
      *contact; /* the normal load of this contact, which slides, as a constraint of the model; or
                  NULL */
  const char *bearing; /* the load of the bearings of this joint, which slides; or NULL */
  double size[3];      /* ... their radius, length and thrust radius */
} lwi_model_state;

/* a result column of the model's own: an expression of other columns, in which outputs are
   expanded */
typedef struct {
  const char *name;
  lwi_mark mark;
  lwi_expr expr; /* names not looked up */
  bool hidden;   /* a part of others: no column */
} lwi_output;

struct lw_model {
  uint64_t id; /* no other model has it: what is made for this one remembers it */
  char *name;
  const char *const *files; /* that parts were included from: lwi_mark */
  bool planar;
  bool has_armature; /* some freedom has */
  bool has_curves;   /* some relation has powers of coordinates */
  bool light; /* the mass matrix may be singular: some body has no inertia about some axis, or some
                 joint has singular positions */
  double gravity[4];
  int nlink; /* with the ground */
  int nq, nu, nangle, nbranch, nmiddle, ndof;
  lwi_link *link; /* [nlink] */
  rot3 *middle;   /* [nmiddle] */
  int *angle_q;   /* [nangle] which coordinate the angle is */
  /* freedoms in link order: inward from freedom k come k-1, ..., run_start[k], then
     before[run_start[k]], and so on until -1 */
  int *column_u, *run_start, *before; /* [nu]; column_u: which speed it is */
  size_t *row_start;                  /* [nu] where the row of a freedom starts in lw_mass_rows */
  size_t nentry;                      /* of one triangle of the mass matrix, zeros left out */

  int nshape;
  lw_shape_desc *shape; /* [nshape] for viewers, all numbers evaluated */
  int nbody, npoint, njoint, ncut, nconstraint;
  lwi_body *body;             /* [nbody + 1], 0 is the ground */
  lwi_body *point;            /* [npoint] */
  const lwi_solid *solid;     /* [nbody + 1] in body frames */
  lwi_joint *joint;           /* [njoint + 1], from 1 */
  lwi_constraint *constraint; /* [nconstraint + 1], from 1 */
  int npair, ncut_q, ncut_u;
  lwi_pair *pair;                        /* [npair] */
  lwi_tree_constraints tree_constraints; /* what binds the tree */
  lwi_tree_constraints assembly;         /* the same with held cut joints: only while assembling */
  lwi_tree_constraints near;             /* constraints again, in the same order, but local */
  lwi_clusters clusters;                 /* of constraints that hang together */
  bool *held;                 /* [nu] in link order: held, does not move while assembling */
  double length;              /* of a typical lever arm: metres per radian */
  double mobility;            /* of all bodies together: 1 / mass */
  lwi_added_mass *added_mass; /* [nlink] */
  bool has_light_bodies;      /* a body in a loop has added mass: ranks by geometry alone */

  /* forces, in the order of the spec: nspring, spring and so on */
#define FORCES(item, ...)                                                                          \
  int n##item;                                                                                     \
  lwi_##item *item;
  LWI_FORCE_LIST(FORCES)
#undef FORCES
  /* slots of the state expressions: parameters first, then what of the state is used */
  int nparameter, nslot;
  int nswitching;              /* loads and rates of states that may switch: lwi_expr.switching */
  const char **parameter_name; /* [nparameter] */
  double *parameter;           /* [nparameter] */
  lwi_slot *slot;              /* [nslot - nparameter] */

  int nstate;
  lwi_model_state *state; /* [nstate] */
  int noutput;
  lwi_output *output; /* [noutput] */

  double start;    /* when it begins */
  double *q0, *u0; /* [nq], [nu] then */
  lw_simulation_options simulation;
  int nevent;
  int nsensitivity, *sensitivity; /* parameters by which derivatives are wanted */
  lwi_event *event;               /* [nevent] */
  int nraising;
  const lwi_event *
      raising; /* [nraising] events of the model that a simulation began with, also of its later phases:
                               among them are contacts, limits and friction */
  lw_spec *spec; /* a copy of its own; NULL: a model that a simulation made */

  /* bodies and then points; joints; force elements in the order of force_list.h */
  lwi_name_index *body_index, *joint_index, *force_index;
  /* who owns all this: models that events make one from another share stores, compile.h says of
     what */
  lwi_store *lasting, *store, *constraint_store;
  lwi_arena arena;
};

/* bodies and points by one number: lwi_measure */
static inline const lwi_body *lwi_frame_at(const lw_model *m, int frame)
{
  return frame <= m->nbody ? &m->body[frame] : &m->point[frame - m->nbody - 1];
}
/* where the states begin in q */
static inline int lwi_first_state(const lw_model *m)
{
  return m->nq - m->nstate;
}
/* the first state that changes by itself, not by the caller; NULL: none does */
static inline const lwi_model_state *lwi_moving_state(const lw_model *m)
{
  for (int i = 0; i < m->nstate; i++)
    if (!m->state[i].input) return &m->state[i];
  return NULL;
}
/* is freedom j of a link locked? */
static inline bool lwi_is_locked(const lwi_link *L, int j)
{
  return L->locked >> j & 1;
}
/* the inertia of its rotor */
static inline double lwi_armature(const lwi_link *L, int j)
{
  return j < LW_RATE_PAIRS ? L->armature[j] : 0;
}
/* bit j: freedom j of a joint moves a rotor */
static inline unsigned lwi_rotors(const lwi_joint *joint)
{
  unsigned bits = 0;
  for (int j = 0; j < LW_RATE_PAIRS && j < joint->info.nu; j++)
    if (joint->armature[j] > 0 && !(joint->locked >> j & 1)) bits |= 1u << j;
  return bits;
}
/* how many freedoms are */
static inline int lwi_count_locked(unsigned locked)
{
  int n = 0;
  for (; locked; locked &= locked - 1)
    n++;
  return n;
}
/* a cut joint that allows every motion constrains nothing, but has coordinates, and forces may act
   on it */
static inline bool lwi_is_constrained(const lw_model *m)
{
  return m->tree_constraints.nconstraint > 0 || m->ncut > 0;
}
/* are there forces that push links, and that push freedoms? */
static inline bool lwi_has_link_elements(const lw_model *m)
{
#define COUNT(item, items, name, on, kind) LWI_IF(LINKS, on, +m->n##item)
  return 0 LWI_FORCE_LIST(COUNT) > 0;
#undef COUNT
}
static inline bool lwi_has_freedom_elements(const lw_model *m)
{
#define COUNT(item, items, name, on, kind) LWI_IF(FREEDOM, on, +m->n##item)
  return 0 LWI_FORCE_LIST(COUNT) > 0;
#undef COUNT
}
/* ... and that expressions describe? */
static inline bool lwi_has_applied_elements(const lw_model *m)
{
#define COUNT(item, items, name, on, kind) LWI_IF(APPLIED, kind, +m->n##item)
  return 0 LWI_FORCE_LIST(COUNT) > 0;
#undef COUNT
}
/* loads on links, of constraints too, and not only on coordinates */
static inline bool lwi_has_link_forces(const lw_model *m)
{
  return lwi_has_link_elements(m) || lwi_is_constrained(m);
}
/* Winds torsions up to these turns at the start q0 of the model. */
void lwi_wind_torsions(const lw_model *m, lwi_torsion torsion[], const double turns[]);
/* The turn of a torsion where the bodies have these poses and the tree these coordinates; wound: of
   a work at a state nearby (force.c). */
double lwi_torsion_turn(const lw_model *m, int torsion, const lwi_frame pose[], const double q[],
                        double wound);
/* Does any element damp (force.c)? */
bool lwi_has_dampers(const lw_model *m);

/* query.c: the number of a constraint, 0: there is none; of a parameter, -1: there is none */
int lwi_find_constraint(const lw_model *m, const char *name);
int lwi_find_parameter(const lw_model *m, const char *name);
/* measure.c: the number of a body or point, -1: there is none; a measure by its name */
int lwi_frame_find(const lw_model *m, const char *name, size_t length);
bool lwi_measure_find(const lw_model *m, const char *name, lwi_measure *out);
/* the element with this number among all, in the order of force_list.h, and its own number among
   those of its kind; LWI_FORCE_KINDS: none */
#define LWI_KIND(item, ...) LWI_FORCE_##item,
typedef enum { LWI_FORCE_LIST(LWI_KIND) LWI_FORCE_KINDS } lwi_force_kind;
#undef LWI_KIND
lwi_force_kind lwi_force_at(const lw_model *m, int number, int *own);

/* lw_coordinate_rates of the joints; rates of states stay as they are. */
void lwi_tree_coordinate_rates(const lw_model *m, const double q[], const double u[],
                               double qdot[]);
/* lw_coordinate_rates of one joint of the tree. */
void lwi_joint_coordinate_rates(const lw_model *m, int joint, const double q[], const double u[],
                                double qdot[]);

uint64_t lwi_model_id(void); /* a new one */

/* Is this the model that something was made for?  Cheap, and right also if a model was freed and
   another one is in its place. */
static inline bool lwi_is_model(const lw_model *m, uint64_t id)
{
  return m && m->id == id;
}

#endif
