/* SPDX-License-Identifier: Apache-2.0 */
/* mjcf_load.h -- loads on joints by expressions: of actuators and tendons. */
#ifndef LWI_IO_MJCF_MJCF_LOAD_H
#define LWI_IO_MJCF_MJCF_LOAD_H
#include "io/mjcf/mjcf.h"

/* an expression while it is written */
typedef struct {
  char text[8000];
  bool full;
} lwi_text;
void lwi_text_add(lwi_text *t, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* The length of a tendon, or its rate: what is "q" or "u". */
void lwi_mjcf_write_sum(const lwi_mjcf *x, lwi_text *t, const char *what,
                        const lwi_mjcf_tendon *of);

/* gear times the coefficient times the force on each joint or segment; actuator: within the range
   of the joint's actuators. */
bool lwi_mjcf_add_load(lwi_mjcf *x, const lwi_xml_element *e, const char *name,
                       const lwi_text *force, const lwi_mjcf_tendon *on, double gear,
                       bool actuator);

#endif
