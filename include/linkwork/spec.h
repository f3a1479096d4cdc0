/* SPDX-License-Identifier: Apache-2.0 */
/* spec.h -- describe a mechanism: parameters, bodies, joints, forces, events.  Any graph.

   SI units, radians, right-handed frames, quaternions (w, x, y, z).  A field left zero takes its
   default.  Building is sticky: after the first mistake lw_add_* does nothing and returns id -1,
   and lw_compile reports that first mistake.

   Every number of a descriptor may be an expression in the parameters:

     lw_add_parameter(s, &(lw_parameter_desc){.name = "La", .value = 1.0});
     lw_body crank = lw_add_body(s, &(lw_body_desc){.name = "crank", .mass = 10,
                       .com = {lw_expr(s, "La/2")}, .inertia = {0, 0.1, lw_expr(s, "10*La^2/12")}});
     lw_add_joint(s, &(lw_joint_desc){.name = "A", .type = LW_REVOLUTE, .child = crank}); */
#ifndef LINKWORK_SPEC_H
#define LINKWORK_SPEC_H
#include "linkwork/status.h"
#include <stdbool.h>
#include <stddef.h>
#ifdef __cplusplus
extern "C" {
#endif

typedef struct lw_spec lw_spec;
typedef struct lw_model lw_model;

/* Handles are typed: a body cannot be passed as a joint.  A negative id means "no such thing". */
typedef struct {
  int id;
} lw_body; /* 0 is the ground */
typedef struct {
  int id;
} lw_joint; /* counts from 1: an unset handle is an error */
typedef struct {
  int id;
} lw_constraint;
typedef struct {
  int id;
} lw_force;
typedef struct {
  int id;
} lw_point; /* counts from 1 */

LW_API lw_spec *lw_spec_new(void); /* NULL: out of memory */
LW_API void lw_spec_free(lw_spec *s);
/* An independent copy; NULL: out of memory. */
LW_API lw_spec *lw_spec_copy(const lw_spec *s);

LW_API void lw_set_name(lw_spec *s, const char *name);
LW_API void lw_set_gravity(lw_spec *s, double gx, double gy, double gz); /* default 0, 0, -9.81 */
/* Every body moves in the x-y plane; call it first.  Default gravity becomes 0, -9.81, 0. */
LW_API void lw_set_planar(lw_spec *s);

/* ---- numbers that are expressions ---- */

/* A number that stands for an expression: usable wherever a descriptor takes a number, of the same
   spec only.  Names are looked up by lw_compile, so parts may come in any order. */
LW_API double lw_expr(lw_spec *s, const char *text);

typedef struct {
  const char *name;
  double value;            /* may be an expression in the other parameters */
  const double *min, *max; /* NULL: no limit */
  const char *unit;        /* in which the numbers are written: "mm"; NULL: SI */
  const char *doc;         /* for readers */
} lw_parameter_desc;
LW_API void lw_add_parameter(lw_spec *s, const lw_parameter_desc *d);

/* ---- functions and tables that expressions may call, added before these ---- */

/* A function may use parameters, t and what else is allowed where it is called. */
typedef struct {
  const char *name;
  int nargument; /* >= 1 */
  const char *const *arguments;
  const char *value; /* an expression of the arguments */
} lw_function_desc;
LW_API void lw_add_function(lw_spec *s, const lw_function_desc *d);

typedef enum { LW_TABLE_AKIMA, LW_TABLE_LINEAR, LW_TABLE_PCHIP, LW_TABLE_HOLD } lw_interpolation;
typedef enum { LW_OUTSIDE_ERROR, LW_OUTSIDE_HOLD, LW_OUTSIDE_EXTEND } lw_outside;

/* A table of one variable (ny = 0), or of two. */
typedef struct {
  const char *name;
  int nx, ny;          /* points, at least two */
  const double *x, *y; /* rising */
  const double *value; /* [nx], or [nx][ny] */
  lw_interpolation interpolation;
  lw_outside
      outside; /* of the points: an error, the value at the end, a straight line from there */
} lw_table_desc;
LW_API void lw_add_table(lw_spec *s, const lw_table_desc *d);

/* Replaces a parameter's value or expression by a number. */
LW_API lw_status lw_set_parameter(lw_spec *s, const char *name, double value);
/* The same by a number with a unit, or a sum of numbers: "500 mm", "1/2".  Without a unit it is in
   that of the parameter. */
LW_API lw_status lw_set_parameter_text(lw_spec *s, const char *name, const char *text,
                                       lw_error *err);

/* ---- places ---- */

typedef enum {
  LW_ORIENT_NONE,      /* aligned */
  LW_ORIENT_QUAT,      /* w, x, y, z; normalised */
  LW_ORIENT_RPY,       /* roll, pitch, yaw: Rz(yaw) Ry(pitch) Rx(roll) */
  LW_ORIENT_AXIS_ANGLE /* x, y, z, angle; axis normalised */
} lw_orient_type;
typedef struct {
  lw_orient_type type;
  double value[4];
} lw_orient;
typedef struct {
  double at[3];
  lw_orient orient;
} lw_place;

/* ---- bodies ---- */

typedef enum {
  LW_SOLID_NONE,
  LW_SOLID_ROD,      /* slender, from `at` along `axis` (default z) for `length`; mass only */
  LW_SOLID_BOX,      /* `size`, centred at `at` */
  LW_SOLID_SPHERE,   /* `radius`, centred at `at` */
  LW_SOLID_CYLINDER, /* `radius`, `length` along `axis` (default z), centred at `at` */
  LW_SOLID_POINT     /* at `at`; mass only */
} lw_solid_type;
typedef struct {
  lw_solid_type type;
  double mass, density; /* one of them */
  double at[3], axis[3], size[3], radius, length;
} lw_solid;

/* Initial pose and velocity of a floating body, in ground axes; velocity of its origin. */
typedef struct {
  lw_place pose;
  double linear[3], angular[3];
} lw_start;

typedef struct {
  const char *name;
  double mass, com[3];   /* mass 0: where joints and loops leave no freedom without mass */
  double inertia[6];     /* about com, body axes: xx yy zz xy xz yz; all zero: a particle */
  lw_solid solid;        /* instead of mass, com and inertia */
  const lw_start *start; /* only for the base of a floating group; NULL: at the origin, at rest */
  bool any_inertia;      /* the inertia is used as it is, also if no rigid body has it */
} lw_body_desc;
LW_API lw_body lw_add_body(lw_spec *s, const lw_body_desc *d);

/* ---- joints: at q = 0 the joint frames of parent and child coincide ---- */

#define LW_JOINT_LIST(X) /* type, name, nq, nu in space */                                         \
  X(LW_FIXED, "fixed", 0, 0)                                                                       \
  X(LW_REVOLUTE, "revolute", 1, 1)       /* angle about axis */                                    \
  X(LW_PRISMATIC, "prismatic", 1, 1)     /* shift along axis */                                    \
  X(LW_HELICAL, "helical", 1, 1)         /* angle about axis, advance pitch*angle along it */      \
  X(LW_CYLINDRICAL, "cylindrical", 2, 2) /* angle about, shift along axis */                       \
  X(LW_UNIVERSAL, "universal", 2, 2)     /* about axis in the parent, then axis2 in the child */   \
  X(LW_GIMBAL, "gimbal", 3, 3)           /* about axis, axis2, axis3, one after the other */       \
  X(LW_SPHERICAL, "spherical", 4, 3)     /* quaternion; angular velocity in child joint axes */    \
  X(LW_PLANAR, "planar", 3, 3)           /* x, y in the parent's joint frame, angle about z */     \
  X(LW_FREE, "free", 7, 6)               /* position, quaternion; [w; v] in child joint axes */

#define LW_JOINT_ENUM(type, name, nq, nu) type,
typedef enum { LW_JOINT_LIST(LW_JOINT_ENUM) LW_JOINT_TYPES } lw_joint_type;
#undef LW_JOINT_ENUM

/* Stops of a freedom.  stiffness 0: rigid, hit with this restitution.  Otherwise compliant: with d
   the way beyond the limit, load = stiffness d + damping u, both growing smoothly from 0 while d <
   onset (docs/format.md 3.17); onset 0: a thousandth of the range. */
typedef struct {
  bool has_lower, has_upper;
  double lower, upper;
  double restitution; /* 0 ... 1 */
  double stiffness, damping, onset;
  bool late; /* rigid: a start beyond it is no error; it acts once the coordinate has come back */
} lw_limits;
/* Dry friction of a freedom: while it slides a load against its speed, while it sticks whatever
   keeps it still, up to the static load; static_load 0: the same as load.  Or from the joint's own
   load, of revolute and prismatic joints (docs/format.md 3.23): unless coefficient is 0, `load` is
   0. */
typedef struct {
  double load, static_load;
  double coefficient, static_coefficient; /* static 0: the same as coefficient */
  double radius;                          /* of a pin: > 0 */
  double length;        /* distance of its two bearings; 0: one, without moments */
  double thrust_radius; /* of a pin: where its thrust acts */
} lw_friction;

enum { LW_RATE_PAIRS = 3 }; /* the most freedoms of a joint whose speeds are rates */
typedef struct {
  const char *name;
  lw_joint_type type;
  lw_body parent, child;
  lw_place place;       /* the joint frame in the parent's body frame */
  lw_place child_place; /* the same frame in the child's body frame, at q = 0 */
  double axis[3];       /* in the joint frame; default z (planar models: prismatic x) */
  double axis2[3];      /* universal: in the child's joint frame; default x; gimbal: y */
  double axis3[3];      /* gimbal: in the child's joint frame; default z, and axis x */
  double pitch;         /* helical: metres per radian */
  double q[7], u[6];    /* initial coordinates and speeds; a zero quaternion is the identity */
  lw_orient q_orient;   /* spherical and free: the initial rotation, instead of a quaternion in q */
  bool has_q, has_u;    /* given by the user: only used where loops require a choice */
  bool hold, cut;
  /* by freedom, of joints whose speeds are rates of their coordinates */
  double damping[LW_RATE_PAIRS];  /* load -damping u */
  double armature[LW_RATE_PAIRS]; /* of a rotor that turns with u: inertia on this freedom alone */
  lw_limits limits[LW_RATE_PAIRS];
  lw_friction friction[LW_RATE_PAIRS];
} lw_joint_desc;
LW_API lw_joint lw_add_joint(lw_spec *s, const lw_joint_desc *d);

/* ---- constraints: joints without coordinates of their own ---- */

#define LW_CONSTRAINT_LIST(X)                                                                      \
  X(LW_DISTANCE, "distance")                                                                       \
  X(LW_GEAR, "gear")                                                                               \
  X(LW_COUPLER, "coupler")                                                                         \
  X(LW_DRIVER, "driver")                                                                           \
  X(LW_POINT_ON_LINE, "point_on_line")                                                             \
  X(LW_POINT_ON_PLANE, "point_on_plane")                                                           \
  X(LW_PARALLEL, "parallel")                                                                       \
  X(LW_PERPENDICULAR, "perpendicular")                                                             \
  X(LW_ROPE, "rope") /* distance <= length */

#define LW_CONSTRAINT_ENUM(type, name) type,
typedef enum {
  LW_CONSTRAINT_LIST(LW_CONSTRAINT_ENUM) LW_CONSTRAINT_TYPES,
  LW_TOUCH = LW_CONSTRAINT_TYPES, /* of a closed contact: from lw_add_contact only ... */
  LW_ROLL,                        /* ... of one that sticks: likewise */
  LW_ROLL_ON_SPHERE               /* ... on a sphere, its axis a normal of a moment ago */
} lw_constraint_type;
#undef LW_CONSTRAINT_ENUM

typedef struct {
  lw_joint joint;
  int dof; /* counts from 1; 0 means 1 */
  double coefficient;
  double higher[3]; /* coupler: coefficients of the second, third and fourth power */
} lw_term;
typedef struct {
  const char *name;
  lw_constraint_type type;
  lw_body parent, child; /* the geometric ones */
  lw_place place, child_place;
  double axis[3], axis2[3];
  double length;        /* distance, rope; touch, rolls: the radius */
  double restitution;   /* rope: 0 ... 1 */
  const lw_term *terms; /* gear: A, B; coupler: any number; driver: one */
  int nterm;
  double ratio;  /* gear: u.B = ratio u.A */
  double offset; /* coupler: sum of coefficient * coordinate, with higher powers */
  double value;  /* driver: an expression of t */
} lw_constraint_desc;
LW_API lw_constraint lw_add_constraint(lw_spec *s, const lw_constraint_desc *d);

/* ---- contacts: bodies that may touch and part; lw_add_contact is in contacts.h ---- */

typedef enum { LW_ON_PLANE, LW_ON_SPHERE, LW_ON_ROPE } lw_contact_on;
/* A point, sphere or disc of a body against a plane or sphere of another one.  It is also a
   constraint of that name, which exists while they touch (docs/format.md, section 14). */
typedef struct {
  const char *name;
  lw_body body;
  double at[3];
  double radius;  /* 0: a point */
  double axis[3]; /* of a disc of this radius; zeros: a sphere */
  lw_contact_on on;
  lw_body other;
  double other_at[3];
  double normal[3];    /* of the plane, out of the other body, in its axes; default z (planar y) */
  double other_radius; /* of the sphere; rope (lw_add_constraint): its length */
  double restitution;  /* 0 ... 1 */
  double friction;     /* Coulomb's coefficient */
  /* unless stiffness is 0, compliant (docs/format.md 14.4): with d the depth, the normal load
     stiffness d^exponent (1 + damping ddot), and friction that grows with the slip up to
     slip_speed */
  double stiffness, damping, exponent, slip_speed;
} lw_contact_desc;

/* ---- forces ---- */

typedef struct {
  const char *name;
  lw_body from, to;
  double from_at[3], to_at[3];
  double stiffness, damping, length; /* tension = stiffness (l - length) + damping dl/dt */
  /* or, unless 0, any law: an expression of its length l and ldot = dl/dt, and of all that motors
     may use.  A law of l and parameters alone has a potential energy, which is 0 at `length`; that
     of others is counted as work. */
  double tension;
} lw_spring_desc;
typedef struct {
  const char *name;
  lw_joint joint;
  int dof;                         /* counts from 1; 0 means 1 */
  double stiffness, damping, rest; /* load = -stiffness (q - rest) - damping u */
  int side;     /* 1, -1: only above or only below rest, as a compliant stop; 0: on both sides */
  double onset; /* ... over this distance the load becomes linear; > 0 */
} lw_joint_spring_desc;
typedef struct {
  const char *name;
  lw_joint joint;
  int dof;      /* counts from 1; 0 means 1 */
  double value; /* may be an expression of t, the parameters, and of what follows from positions and
                   velocities: q.J, u.J, x.B, vx.B ... (docs/format.md, section 6) */
} lw_motor_desc;
typedef struct {
  const char *name;
  lw_body body;
  double at[3];
  double force[3], torque[3]; /* may be expressions, as `value` of a motor */
  bool body_axes;             /* default: ground axes */
} lw_load_desc;
typedef struct {
  const char *name;
  lw_body parent, child;
  lw_place place, child_place;
  double stiffness[3], damping[3], angular_stiffness[3], angular_damping[3];
  /* and any law besides: expressions of displacements dx dy dz, their rates dvx dvy dvz, the
     rotation vector rx ry rz and the angular velocity dwx dwy dwz in its axes, and of all that
     motors may use: the force on the child, and the load on the rotation vector, which for small
     angles is the torque on the child */
  double force[3], torque[3];
} lw_bushing_desc;
typedef struct {
  const char *name;
  lw_body parent, child;
  lw_orient orient, child_orient;   /* frames in the bodies; the angle is 0 where they agree */
  double axis[3];                   /* in both frames; zeros: z */
  double stiffness, damping, angle; /* torque = stiffness (turn - angle) + damping its rate */
  double start;   /* what the turn is nearest to at the start, modulo a whole turn ... */
  bool has_start; /* ... unless it is nearest to angle */
  double
      load; /* or, unless 0, any law: the torque on the child, an expression of its turn `angle` and
               `rate` */
} lw_torsion_desc;
LW_API lw_force lw_add_spring(lw_spec *s, const lw_spring_desc *d);
LW_API lw_force lw_add_joint_spring(lw_spec *s, const lw_joint_spring_desc *d);
LW_API lw_force lw_add_motor(lw_spec *s, const lw_motor_desc *d);
LW_API lw_force lw_add_load(lw_spec *s, const lw_load_desc *d);
LW_API lw_force lw_add_bushing(lw_spec *s, const lw_bushing_desc *d);
LW_API lw_force lw_add_torsion(lw_spec *s, const lw_torsion_desc *d);

/* ---- how to simulate: kept with the model, used by `linkwork run` and lw_simulation_new ---- */

typedef enum {
  LW_FORMULATION_AUTO,
  LW_FORMULATION_TREE,
  LW_FORMULATION_DCA,
  LW_FORMULATION_CARTESIAN
} lw_formulation;
typedef enum { /* how the tree formulation closes loops */
               LW_LOOPS_AUTO,
               LW_LOOPS_CUT,     /* constraints of cut joints */
               LW_LOOPS_EMBEDDED /* loops become nodes of a coarser tree */
} lw_loops;
typedef enum {
  LW_INTEGRATOR_AUTO,
  LW_INTEGRATOR_RK,    /* explicit Runge-Kutta with error control */
  LW_INTEGRATOR_ADAMS, /* multistep with error control */
  LW_INTEGRATOR_BDF,   /* multistep with error control, for stiff systems */
  LW_INTEGRATOR_RK4,   /* fixed step */
  LW_INTEGRATOR_EULER  /* fixed step, semi-implicit */
} lw_integrator;
enum { LW_CHOOSE_FORMULATION = 1, LW_CHOOSE_LOOPS = 2, LW_CHOOSE_INTEGRATOR = 4 };
/* how a state and a parameter change */
typedef struct {
  const double *q_p, *u_p;
  int k;      /* the parameter, by its number in the model: lw_parameter_name */
  double p_p; /* its rate; 0: no parameter changes */
} lw_input_direction;

/* Loads and other laws of the program: inputs of the model (lw_state_desc) whose values it computes
   at every evaluation, from time and state.  What they do, the model says: `force: [thrust, 0, 0]`,
   `value: torque`.  The laws should be smooth in t, q and u; where they switch, let the model do
   it.  q and u are those of the present model (an event may change it), inputs in its order. */
typedef struct {
  /* Overwrites inputs[], which has the values that are held.  Returns 0; positive: cannot be
     computed here, a shorter step is tried; negative: stop.  NULL: none. */
  int (*value)(void *context, double t, const double q[], const double u[], double inputs[]);
  /* Overwrites inputs_p[] with their derivatives along q_p and u_p, while parameter k, on which the
     laws may depend, changes at the rate p_p.  NULL: derivatives of runs need `differences` of
     lw_sensitivity_options. */
  int (*derivative)(void *context, double t, const double q[], const double u[],
                    const lw_input_direction *along, double inputs_p[]);
  void *context;
} lw_input_law;

typedef struct {
  double end, output_step; /* default 1 and end/100, or a longer fixed step; at most end */
  double rtol,
      atol;    /* default 1e-8; rtol/100, with contacts below 1 cm rtol times a typical length */
  double step; /* fixed step, or the largest one; default output_step/10 or free */
  lw_formulation formulation;
  lw_integrator integrator;
  lw_loops loops; /* of the tree formulation */
  /* Which of these three are chosen by linkwork where they are AUTO, whatever the model says:
     LW_CHOOSE_... added up.  Others that are AUTO are as the model says. */
  unsigned choose;
  int threads; /* for formulations that can use several; default 1 */
  /* of the Cartesian formulation: names of linkwork/solvers.h and linkwork/order.h, which must
     outlive what is made with them; NULL: the sparse reduced system, ordered by counted
     operations */
  const char *solver, *ordering;
  /* runs begin at the equilibrium found from the written start: `linkwork run`, and others with
     lw_simulation_start_in_equilibrium of analysis.h; lw_simulation_new itself starts as written */
  bool start_in_equilibrium;
  /* a gap of loops that counts as closed, relative to a typical length; default 1e-10.  Redundant
     equations of rounded numbers contradict one another by their rounding. */
  double loop_tolerance;
  lw_input_law inputs;
} lw_simulation_options;
LW_API void lw_set_simulation(lw_spec *s, const lw_simulation_options *options);

/* ---- events: sudden changes, at a time or when an expression crosses zero ---- */

#define LW_ACTION_LIST(X) /* action, name */                                                       \
  X(LW_ACTION_NONE, "none")                                                                        \
  X(LW_ACTION_LOCK, "lock")             /* `dofs` of `joint` keep their q, u = 0 */                \
  X(LW_ACTION_UNLOCK, "unlock")         /* ... move again */                                       \
  X(LW_ACTION_REPLACE, "replace")       /* `joint` becomes one of another type */                  \
  X(LW_ACTION_CONNECT, "connect")       /* a new joint or constraint */                            \
  X(LW_ACTION_DISCONNECT, "disconnect") /* `joint`, which may be a constraint, goes */             \
  X(LW_ACTION_IMPULSE, "impulse")       /* on `body` at `point` */                                 \
  X(LW_ACTION_IMPACT, "impact")         /* of `body` at `point` on `other`, along `normal` */      \
  X(LW_ACTION_MERGE, "merge")           /* `bodies` become one rigid body */                       \
  X(LW_ACTION_SPLIT, "split")           /* the merge named `merge` ends */                         \
  X(LW_ACTION_STOP, "stop")             /* the simulation ends */                                  \
  X(LW_ACTION_LIMIT, "limit")           /* `joint` hits a rigid limit: from its descriptor only */ \
  X(LW_ACTION_FRICTION, "friction")     /* `joint` sticks, slips or turns back: likewise */        \
  X(LW_ACTION_CONTACT, "contact")       /* `contact` closes: from lw_add_contact only */           \
  X(LW_ACTION_SLIP, "slip")             /* its bodies stick or slide: likewise */

#define LW_ACTION_ENUM(action, name) action,
typedef enum { LW_ACTION_LIST(LW_ACTION_ENUM) LW_ACTIONS } lw_action;
#undef LW_ACTION_ENUM
typedef enum { LW_BOTH_WAYS, LW_RISING, LW_FALLING } lw_crossing;

typedef struct {
  const char *name; /* may be NULL */
  double at;        /* its time, or ... */
  bool has_when;
  double when; /* ... an expression of result columns whose zero crossing fires it, ... */
  lw_crossing direction;
  bool once; /* ... the first time only */

  lw_action action;
  const char *joint; /* lock, unlock, replace, disconnect: its name, as it may not be there yet */
  const int *dofs;   /* lock, unlock: which freedoms, from 1, in the order of u; none: all */
  int ndof;          /* ... at most 6 */
  const char *merge; /* merge, split */
  const lw_body *bodies; /* merge: two or more */
  int nbody;
  const lw_joint_desc *new_joint; /* connect, replace: type, axes, pitch; connect: all but q, u */
  const lw_constraint_desc *new_constraint; /* connect: instead */
  /* connect: a side without a place is put where the other side is at that time */
  bool placed, child_placed;
  bool move; /* connect: sides that do not meet are moved together; else they are an error */
  lw_body body, other;           /* impulse, impact */
  double point[3];               /* in the body's frame */
  double linear[3], angular[3];  /* impulse, ground axes */
  double normal[3], restitution; /* impact, ground axes */
  bool late;                     /* limit: as lw_limits.late */
  double bound[2];               /* friction: kinetic and static load ... */
  bool own_load;                 /* ... or coefficients for the joint's own load, with ... */
  double bearing[3];             /* ... radius (1 of a prismatic joint), length, thrust radius */
  lw_contact_desc contact;       /* contact; without its name */
} lw_event_desc;
LW_API void lw_add_event(lw_spec *s, const lw_event_desc *d);

/* ---- compile ---- */

/* The model: topology analysed, numbers evaluated and checked, sizes fixed.  The spec is not
   changed: several threads may compile it at once.  Returns NULL on failure; see err. */
LW_API lw_model *lw_compile(const lw_spec *s, lw_error *err);

#ifdef __cplusplus
}
#endif
#endif
