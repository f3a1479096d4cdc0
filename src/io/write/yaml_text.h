/* SPDX-License-Identifier: Apache-2.0 */
/* yaml_text.h -- a growing text of YAML: names, numbers and mappings in one line. */
#ifndef LWI_IO_WRITE_YAML_TEXT_H
#define LWI_IO_WRITE_YAML_TEXT_H
#include "model/spec/spec_data.h"

typedef struct {
  const lw_spec *spec; /* whose expressions numbers may be */
  const char *path;    /* where it will be written */
  char *text;
  size_t length, capacity;
  bool full;  /* out of memory */
  bool first; /* of the mapping that is open */
} lwi_yaml_text;

void lwi_yaml_text_free(lwi_yaml_text *y);
void lwi_yaml_add(lwi_yaml_text *y, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* A name or text: in quotes if YAML would read it otherwise. */
void lwi_yaml_name(lwi_yaml_text *y, const char *name);
/* The shortest decimal that is the same number, or an expression. */
void lwi_yaml_value(lwi_yaml_text *y, double number);

/* "  NAME: {" ... "}" */
void lwi_yaml_open(lwi_yaml_text *y, const char *name);
void lwi_yaml_close(lwi_yaml_text *y);
/* Entries of the open mapping: `key: value`. */
void lwi_yaml_key(lwi_yaml_text *y, const char *key);
void lwi_yaml_word(lwi_yaml_text *y, const char *key, const char *word);
void lwi_yaml_number(lwi_yaml_text *y, const char *key, double number); /* unless it is 0 */
void lwi_yaml_list(lwi_yaml_text *y, const char *key, const double x[],
                   int n); /* unless all are 0 */
void lwi_yaml_place(lwi_yaml_text *y, const char *at, const char *orient, const lw_place *place);

#endif
