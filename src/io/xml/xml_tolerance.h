/* SPDX-License-Identifier: Apache-2.0 */
/* xml_tolerance.h -- nearly XML as XML. */
#ifndef LWI_IO_XML_XML_TOLERANCE_H
#define LWI_IO_XML_XML_TOLERANCE_H
#include <stdbool.h>
#include <stddef.h>

/* A copy of the text, of the same length, to be freed; NULL: out of memory. */
char *lwi_xml_tolerate(const char *text, size_t length);

#endif
