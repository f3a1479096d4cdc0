/* SPDX-License-Identifier: Apache-2.0 */
/* xml_values.h -- numbers and words in attributes and texts of elements; mistakes are reported at
   the place of the element. */
#ifndef LWI_IO_XML_XML_VALUES_H
#define LWI_IO_XML_XML_VALUES_H
#include "io/xml/xml_document.h"

/* "FILE:LINE:COLUMN: <element>: ..."; returns false. */
bool lwi_xml_fail(const lwi_xml_element *e, lw_error *err, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
bool lwi_xml_no_memory(const lwi_xml_element *e, lw_error *err);

/* One number, up to white space or the end, whatever the locale is: how many bytes; 0: there is
   none. */
size_t lwi_scan_number(const char *text, double *out);

/* The numbers of a text, separated by white space: how many there are, at most `most`; -1 after a
   message.  `what` is the attribute that holds them. */
int lwi_xml_numbers(const lwi_xml_element *e, const char *what, const char *text, int most,
                    double out[], lw_error *err);

/* An attribute of exactly n numbers; it keeps its value if there is none. */
bool lwi_xml_read(const lwi_xml_element *e, const char *name, int n, double out[], lw_error *err);
bool lwi_xml_number(const lwi_xml_element *e, const char *name, double *out, lw_error *err);

#endif
