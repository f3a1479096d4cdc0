/* SPDX-License-Identifier: Apache-2.0 */
/* system.h -- a model as a system of first order, y' = f(t, y) (the prime is the derivative by
   time), for integrators.

   The content of y is private to the system; it is made from coordinates q and speeds u of the
   spanning tree and converted back to them.  In joint_system.c y is (q, u); in sensitivity_system.c
   it also contains their derivatives by parameters. */
#ifndef LWI_SIM_INTEGRATE_SYSTEM_H
#define LWI_SIM_INTEGRATE_SYSTEM_H
#include "linkwork/simulate.h"
#include "sim/formulation/formulation.h"

/* The last evaluation of the right-hand side, which the dynamics and their work still hold. */
typedef struct {
  double t;
  const double *y; /* as it was given */
  const double *q, *u, *udot;
  bool stabilized; /* with the correction to the constraints */
} lwi_evaluation;

/* A request to stop the computation, also within steps. */
typedef struct {
  lw_step_callback callback; /* NULL: none */
  void *context;
  bool came; /* it was requested; all evaluations fail from then on */
} lwi_interrupt;

typedef struct lwi_system lwi_system;
struct lwi_system {
  const lw_model *m;
  lwi_interrupt *interrupt; /* NULL: none */
  lw_dynamics *dynamics;    /* its work holds the kinematics of the last output state */
  int nblock; /* y has 1 + nblock blocks of equal size; the others are derivatives of the first,
                 which does not depend on them */
  int n, nposition;     /* numbers in y; the first nposition are positions, the others speeds */
  double stabilization; /* rate of the correction to the constraints: 1/s */
  bool near_singular;   /* the right-hand side is that of the projected state */
  double noise;   /* absolute errors of the rates of all blocks but the first; 0: rounding errors */
  double weakest; /* distance from a singular configuration: 1 is far, 0 is singular */
  bool updates_rank;          /* update_rank must be called between steps */
  const lwi_evaluation *last; /* NULL: none, or other states have been evaluated since */
  const double
      *rank_state; /* (q, u) of the last update_rank, where constraints hold; valid until the next
                     evaluation */
  const double *span; /* first and last time at which expressions are evaluated; NULL: any */
  long evaluations, failures;
  lw_status failure;  /* status of the last evaluation that failed; LW_OK: none */
  double failed_at;   /* its time */
  double *failed_y;   /* [n] its y; NULL: not recorded */
  const char *reason; /* why begin failed, if there is more to say than its status; else NULL */

  /* y of a state; the constraints need not hold yet. */
  lw_status (*begin)(lwi_system *s, double t, const double q[], const double u[], double y[]);
  /* Projects y, so that constraints hold and quaternions have unit length, and returns its
     state. */
  lw_status (*project_output)(lwi_system *s, double t, double y[], double q[], double u[]);
  /* The same without projection on the constraints: y is off them by the error of the steps.  NULL:
     use project_output. */
  lw_status (*estimate_output)(lwi_system *s, double t, double y[], double q[], double u[]);
  /* The same without any change of what the integration uses. */
  lw_status (*copy_output)(lwi_system *s, const double y[], double q[], double u[]);
  /* f = y'.  Any status but LW_OK means that f cannot be computed at this state. */
  lw_status (*rate)(lwi_system *s, double t, const double y[], double f[]);
  /* The same for the first block alone, and for the others, given the first and its rate; only used
     if nblock > 0. */
  lw_status (*rate_first)(lwi_system *s, double t, const double y[], double f[]);
  lw_status (*rate_others)(lwi_system *s, double t, const double y[], const double f[],
                           const double *const y_p[], double *const f_p[]);
  /* Evaluates the state y for a fixed step from there, which then does not evaluate it again; y stays
     in place, and who changes it sets `last` to NULL.  NULL: not supported. */
  lw_status (*evaluate)(lwi_system *s, double t, const double y[]);
  /* One fixed step of LW_INTEGRATOR_RK4 or LW_INTEGRATOR_EULER. */
  lw_status (*step)(lwi_system *s, lw_integrator method, double t, double y[], double dt);
  /* Called between steps, at t in y, before a step of size h (0: unknown): decides what is decided
     once per step, like the rank of the constraints. */
  lw_status (*update_rank)(lwi_system *s, double t, double y[], double h);
  /* Switched on while a singular configuration is crossed in one step, and off afterwards. */
  void (*set_near_singular)(lwi_system *s, bool near_singular);
  void (*free)(lwi_system *s);
};

/* Returns NULL on failure; see err. */
lwi_system *lwi_joint_system_new(const lw_model *m, const lw_simulation_options *options,
                                 lw_error *err);

/* The time at which expressions of time are evaluated for t: sim/events/switches.h. */
static inline double lwi_system_time(const lwi_system *s, double t)
{
  if (!s->span) return t;
  return t < s->span[0] ? s->span[0] : t > s->span[1] ? s->span[1] : t;
}

/* Has a stop been requested?  Checked before each evaluation. */
static inline bool lwi_system_stops(const lwi_system *s, double t)
{
  lwi_interrupt *i = s->interrupt;
  if (!i || !i->callback) return false;
  if (!i->came) i->came = i->callback(i->context, t) != 0;
  return i->came;
}

/* s->rate, counted, with a check that f is finite. */
lw_status lwi_system_rate(lwi_system *s, double t, const double y[], double f[]);
/* The same by blocks; without further blocks rate_first is the same as rate. */
lw_status lwi_system_rate_first(lwi_system *s, double t, const double y[], double f[]);
lw_status lwi_system_rate_others(lwi_system *s, double t, const double y[], const double f[],
                                 const double *const y_p[], double *const f_p[]);
static inline int lwi_system_block(const lwi_system *s)
{
  return s->n / (1 + s->nblock);
}

#endif
