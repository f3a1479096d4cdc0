/* SPDX-License-Identifier: Apache-2.0 */
/* nlopt_library.h -- NLopt, loaded when it is first needed, as LAPACK is (linalg/lapack_library.h).  Names are those of NLopt without
   nlopt_. */
#ifndef LWI_STUDY_NLOPT_LIBRARY_H
#define LWI_STUDY_NLOPT_LIBRARY_H
#include <nlopt.h>

#define LWI_NLOPT_LIST(X)                                                                          \
  X(create)                                                                                        \
  X(destroy)                                                                                       \
  X(set_min_objective)                                                                             \
  X(set_lower_bounds)                                                                              \
  X(set_upper_bounds)                                                                              \
  X(add_inequality_constraint)                                                                     \
  X(add_equality_constraint)                                                                       \
  X(set_ftol_rel) X(set_ftol_abs) X(set_xtol_rel) X(force_stop) X(optimize)

#define LWI_NLOPT_MEMBER(name) __typeof__(nlopt_##name) *name;
typedef struct {
  LWI_NLOPT_LIST(LWI_NLOPT_MEMBER)
} lwi_nlopt_functions;
#undef LWI_NLOPT_MEMBER

/* NULL: it cannot be loaded.  Any number of threads may ask. */
const lwi_nlopt_functions *lwi_nlopt(void);
/* Why: a sentence. */
const char *lwi_nlopt_problem(void);

#endif
