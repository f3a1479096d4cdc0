/* SPDX-License-Identifier: Apache-2.0 */
/* contacts.h -- contacts: points, spheres and discs of bodies that touch planes and spheres of
   others.  They are events that the mechanics raises, and constraints while they are closed:
   docs/format.md, section 14. */
#ifndef LINKWORK_CONTACTS_H
#define LINKWORK_CONTACTS_H
#include "linkwork/simulate.h"
#include "linkwork/spec.h"
#ifdef __cplusplus
extern "C" {
#endif

LW_API void lw_add_contact(lw_spec *s, const lw_contact_desc *d);

/* The contacts, limits and frictions (`C`, `lower.J`, `friction.J`) whose loads were not unique at
   some instant of the run, because they held the mechanism more than once: index 0, 1, ...; NULL:
   there are no more.  The motion does not depend on it; load columns have the least loads that are
   possible. */
LW_API const char *lw_simulation_open_load(const lw_simulation *sim, int index);

#ifdef __cplusplus
}
#endif
#endif
