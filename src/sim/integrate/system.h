/* SPDX-License-Identifier: Apache-2.0 */
/* system.h -- a model as a system of first order, y' = f(t, y), for integrators.

   What y is, is the system's own affair; it can be made from coordinates q and speeds u of the
   spanning tree and turned back into them.  joint_system.c has y = (q, u), sensitivity_system.c derivatives of it
   beside it. */
#ifndef LWI_SIM_INTEGRATE_SYSTEM_H
#define LWI_SIM_INTEGRATE_SYSTEM_H
#include "linkwork/simulate.h"
#include "sim/formulation/formulation.h"

/* The last evaluation of the right side: of this state, which the dynamics and their work still hold. */
typedef struct {
  double t;
  const double *q, *u, *udot;
  bool stabilized; /* with the pull to where constraints hold */
} lwi_evaluation;

/* Someone wants the computation to end, within steps too. */
typedef struct {
  lw_step_callback callback; /* NULL: nobody */
  void *context;
  bool came; /* then every evaluation fails */
} lwi_interrupt;

typedef struct lwi_system lwi_system;
struct lwi_system {
  const lw_model *m;
  lwi_interrupt *interrupt; /* NULL: none */
  lw_dynamics *dynamics;    /* its work holds the kinematics of the state last shown */
  int nblock; /* y is 1 + nblock blocks of equal size, the first of which does not depend on the
                            others: derivatives of it.  0: one block */
  int n, nposition;     /* numbers in y; the first of them are positions, the others speeds */
  double stabilization; /* how fast y is pulled to where constraints hold: 1/s */
  bool near_singular;   /* the right side is that of the projected state */
  double noise;   /* absolute errors of the rates of blocks but the first; 0: rounding errors */
  double weakest; /* how near a singular configuration is: 1 is far, 0 is there */
  bool tied;      /* constraints must be settled between steps */
  const lwi_evaluation *last; /* NULL: not known, or other states have been looked at since */
  const double
      *rank_state;    /* (q, u) by settle, where constraints hold: until the next evaluation */
  const double *span; /* first and last time at which expressions are evaluated; NULL: any */
  long evaluations, failures;
  lw_status failure;  /* of the last evaluation that failed; LW_OK: none did */
  double failed_at;   /* ... its time, */
  double *failed_y;   /* [n] ... and y; NULL: nobody wants to know */
  const char *reason; /* why begin failed, if there is more to say than its status; else NULL */

  /* y of a state; constraints need not hold yet. */
  lw_status (*begin)(lwi_system *s, double t, const double q[], const double u[], double y[]);
  /* The state that y is, where constraints hold and quaternions have unit length; changes y to be
     that. */
  lw_status (*project_output)(lwi_system *s, double t, double y[], double q[], double u[]);
  /* The same without constraints: y is off them by the error of steps.  NULL: as show. */
  lw_status (*estimate_output)(lwi_system *s, double t, double y[], double q[], double u[]);
  /* The same, and nothing is changed that the integration computes with. */
  lw_status (*copy_output)(lwi_system *s, const double y[], double q[], double u[]);
  /* f = y'.  Anything but LW_OK means that f cannot be computed here. */
  lw_status (*rate)(lwi_system *s, double t, const double y[], double f[]);
  /* The same of the first block alone, and of the others, given it and its rate; only if there are. */
  lw_status (*rate_first)(lwi_system *s, double t, const double y[], double f[]);
  lw_status (*rate_others)(lwi_system *s, double t, const double y[], const double f[],
                           const double *const y_p[], double *const f_p[]);
  /* Evaluates the state that y is, for a fixed step from there, which does not do so again.  NULL: cannot. */
  lw_status (*evaluate)(lwi_system *s, double t, const double y[]);
  /* One fixed step of the integrators that have such. */
  lw_status (*step)(lwi_system *s, lw_integrator method, double t, double y[], double dt);
  /* Between steps, at t in y, before one of size h (0: not known yet): what is decided once per step,
     like the rank of the constraints, is decided here. */
  lw_status (*update_rank)(lwi_system *s, double t, double y[], double h);
  /* Close to a singular configuration: on and off, while it is passed in one step. */
  void (*set_near_singular)(lwi_system *s, bool near_singular);
  void (*free)(lwi_system *s);
};

/* NULL: see err. */
lwi_system *lwi_joint_system_new(const lw_model *m, const lw_simulation_options *options,
                                 lw_error *err);

/* The time at which expressions of time are evaluated for t: sim/events/switches.h. */
static inline double lwi_system_time(const lwi_system *s, double t)
{
  if (!s->span) return t;
  return t < s->span[0] ? s->span[0] : t > s->span[1] ? s->span[1] : t;
}

/* Is it to end?  Asked before each evaluation. */
static inline bool lwi_system_stops(const lwi_system *s, double t)
{
  lwi_interrupt *i = s->interrupt;
  if (!i || !i->callback) return false;
  if (!i->came) i->came = i->callback(i->context, t) != 0;
  return i->came;
}

/* rate, counted and checked: f is finite. */
lw_status lwi_system_rate(lwi_system *s, double t, const double y[], double f[]);
/* The same by blocks; where there is only one, rate_first is rate. */
lw_status lwi_system_rate_first(lwi_system *s, double t, const double y[], double f[]);
lw_status lwi_system_rate_others(lwi_system *s, double t, const double y[], const double f[],
                                 const double *const y_p[], double *const f_p[]);
static inline int lwi_system_block(const lwi_system *s)
{
  return s->n / (1 + s->nblock);
}

#endif
