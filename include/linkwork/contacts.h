/* SPDX-License-Identifier: Apache-2.0 */
/* contacts.h -- contacts: points, spheres and discs of bodies that touch planes and spheres of others.  They are events
   that the mechanics raises, and constraints while they are closed: docs/format.md, section 14. */
#ifndef LINKWORK_CONTACTS_H
#define LINKWORK_CONTACTS_H
#include "linkwork/spec.h"
#ifdef __cplusplus
extern "C" {
#endif

LW_API void lw_add_contact(lw_spec *s, const lw_contact_desc *d);

#ifdef __cplusplus
}
#endif
#endif
