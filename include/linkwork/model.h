/* SPDX-License-Identifier: Apache-2.0 */
/* model.h -- queries of a compiled model.  A model never changes and may be shared between threads.

   Coordinates q and speeds u are plain arrays, joints in the order they were added; the free joints
   that linkwork adds for floating groups come last. */
#ifndef LINKWORK_MODEL_H
#define LINKWORK_MODEL_H
#include "linkwork/spec.h"
#ifdef __cplusplus
extern "C" {
#endif

LW_API void lw_model_free(lw_model *m);
LW_API const char *lw_model_name(const lw_model *m);
LW_API int lw_nq(const lw_model *m); /* coordinates */
LW_API int lw_nu(const lw_model *m); /* speeds */

LW_API int lw_nbody(const lw_model *m); /* without the ground: bodies 1 ... nbody */
LW_API lw_body lw_find_body(const lw_model *m, const char *name); /* id < 0: no such body */
LW_API const char *lw_body_name(const lw_model *m, lw_body b);

LW_API int lw_njoint(const lw_model *m); /* joints 1 ... njoint, implicit free ones last */
LW_API lw_joint lw_find_joint(const lw_model *m, const char *name);
typedef struct {
  const char *name;
  lw_joint_type type;
  lw_body parent, child;
  int q, nq;        /* its coordinates are q[q] ... q[q+nq-1]; q = -1 if it is cut */
  int u, nu;        /* its speeds are u[u] ... u[u+nu-1]; u = -1 if it is cut */
  int q_all, u_all; /* their indices in arrays of all joints */
  bool implicit;    /* added by linkwork for a floating group: has no load */
  bool cut;         /* closes a loop: not in the spanning tree */
  bool cut_refused; /* was requested to be cut, but the shallowest tree needs it */
  int line, column; /* position in the file; 0: not from a file */
  const char *file; /* an included file; NULL: the model file itself */
} lw_joint_info;
LW_API lw_joint_info lw_get_joint(const lw_model *m, lw_joint j);

/* The initial state of the spec; loops need not be closed: lw_close_loops of dynamics.h does that. */
LW_API void lw_initial_state(const lw_model *m, double q[], double u[]);

#ifdef __cplusplus
}
#endif
#endif
