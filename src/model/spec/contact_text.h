/* SPDX-License-Identifier: Apache-2.0 */
/* contact_text.h -- expressions of contacts: what contact_elements.c and contact_friction.c
   share. */
#ifndef LWI_MODEL_SPEC_CONTACT_TEXT_H
#define LWI_MODEL_SPEC_CONTACT_TEXT_H
#include "model/spec/joint_elements.h"

enum { LWI_CONTACT_TEXT = 4000, LWI_CONTACT_WORD = 280 };

typedef struct {
  lw_spec *s;
  const lw_contact_desc *d;
  bool good;
  char point[2][LWI_CONTACT_WORD]; /* names of the points: of the body, of the other one */
  char n[3][LWI_CONTACT_WORD * 3], c[3][LWI_CONTACT_WORD * 3]; /* components as texts; "0": none */
  char radius[LWI_CONTACT_WORD * 3];
} lwi_contact_parts;

typedef struct {
  char text[LWI_CONTACT_TEXT];
  size_t length;
} lwi_contact_text;

/* Appends to a text; what is too long is an error when it is used. */
void lwi_contact_add(lwi_contact_text *t, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* Writes a text of limited length; expressions that are cut off do not parse. */
void lwi_contact_put(char *out, size_t size, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
double lwi_contact_expression(lwi_contact_parts *k, const lwi_contact_text *t);
/* An output WHAT.CONTACT.COMPONENT. */
bool lwi_contact_output(lwi_contact_parts *k, const char *what, const char *component,
                        const lwi_contact_text *t, bool hidden);
/* "vx.touch.C.body.in.touch.C.other" */
const char *lwi_contact_measure(const lwi_contact_parts *k, const char *what,
                                char out[3 * LWI_CONTACT_WORD]);
extern const char *const lwi_axis_name[3];

/* The forces touch.C.fx ... as loads: on the body at its point, in ground axes; on the other one at
   its own, in its axes.  friction: the constraint that exists instead while the bodies stick; 0:
   there is none. */
bool lwi_contact_loads(lwi_contact_parts *k, const char *name, const char *reaction, int friction);
/* contact_compliant.c: the law of a compliant contact, after its geometry. */
bool lwi_contact_law(lwi_contact_parts *k);
/* contact_friction.c: after all else of the contact. */
bool lwi_contact_friction(lwi_contact_parts *k);

#endif
