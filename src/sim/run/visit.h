/* SPDX-License-Identifier: Apache-2.0 */
/* visit.h -- numbers of a structure are counted, saved and loaded by one function that visits all
   of them. */
#ifndef LWI_SIM_RUN_VISIT_H
#define LWI_SIM_RUN_VISIT_H
#include "sim/events/contacts.h"

#include <string.h>

typedef struct {
  enum { LWI_COUNT, LWI_SAVE, LWI_LOAD } mode;
  double *at;
  size_t n;
} lwi_visit;

static inline void lwi_visit_numbers(lwi_visit *v, double x[], size_t n)
{
  if (v->mode == LWI_SAVE && n > 0) memcpy(v->at + v->n, x, n * sizeof *x);
  if (v->mode == LWI_LOAD && n > 0) memcpy(x, v->at + v->n, n * sizeof *x);
  v->n += n;
}

/* Of any type of whole numbers. */
#define LWI_VISIT_WHOLE(v, field)                                                                  \
  do {                                                                                             \
    double whole = (double)(field);                                                                \
    lwi_visit_numbers(v, &whole, 1);                                                               \
    if ((v)->mode == LWI_LOAD) (field) = (__typeof__(field))whole;                                 \
  } while (0)

/* checkpoint.c: what a contact is and does. */
void lwi_visit_contact(lwi_visit *v, lwi_contact *k);

#endif
