/* SPDX-License-Identifier: Apache-2.0 */
/* singular.h -- configurations at which a mechanism has more degrees of freedom than nearby. */
#ifndef CLI_SINGULAR_H
#define CLI_SINGULAR_H
#include "verbs.h"

typedef enum { AT_START, ON_THE_WAY, AT_END } singular_moment;

enum { SINGULAR_WARNINGS = 3 };

typedef struct {
  double time;
  int dof, dof_there; /* nearby, and there */
  singular_moment when;
  const char *note; /* what was done about it */
} singular_place;

/* Is the configuration q singular?  If that cannot be determined: no.  LW_E_MEMORY: out of
   memory. */
lw_status singular_at(const lw_model *m, double t, const double q[], singular_moment when,
                      bool *singular, singular_place *out);
void singular_text(const singular_place *s, char *text, size_t size);
void singular_warn(const cli_args *a, const singular_place *s); /* on stderr */
/* The same for the first few of them, with the number of the others. */
void singular_warn_all(const cli_args *a, const singular_place s[], int n);
void singular_json(json *j, const char *key, const singular_place s[], int n);

#endif
