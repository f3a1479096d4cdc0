/* SPDX-License-Identifier: Apache-2.0 */
/* json.h -- JSON, composed in memory. */
#ifndef CLI_JSON_H
#define CLI_JSON_H
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

typedef struct {
  FILE *file;
  char *text;
  size_t size;
  int depth;
  bool empty;    /* nothing yet in the innermost object or list */
  bool infinite; /* a number was not finite */
} json;

/* Each value has a key within objects, NULL within lists and for the outermost object. */
bool json_start(json *j);
void json_object(json *j, const char *key);
void json_object_end(json *j);
void json_list(json *j, const char *key);
void json_list_end(json *j);
void json_number(json *j, const char *key, double x); /* 17 digits */
/* null where it is not finite: it does not exist */
void json_number_or_null(json *j, const char *key, double x);
void json_numbers(json *j, const char *key, const double x[], int n);
void json_integer(json *j, const char *key, long x);
void json_bool(json *j, const char *key, bool x);
void json_text(json *j, const char *key, const char *text); /* NULL: null */
void json_name(json *j, const char *name, int index);       /* in a list: "S.1"; index 0: "A" */
void json_numbers_short(json *j, const char *key, const double x[], int n); /* 9 digits */
void json_raw(json *j, const char *key, const char *text);                  /* JSON already */
/* The text, to be freed; NULL, and nothing to be freed, if a number is not finite or if out of
   memory. */
char *json_take(json *j);

#endif
