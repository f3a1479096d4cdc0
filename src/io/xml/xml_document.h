/* SPDX-License-Identifier: Apache-2.0 */
/* xml_document.h -- an XML file as a tree of elements that know where they were written.

   Names are as written, with their prefix (`xacro:property`).  Refused, with the place: what is not
   well formed, a document type with declarations (entities that multiply, external ones), and
   whatever exceeds the limits below. */
#ifndef LWI_IO_XML_XML_DOCUMENT_H
#define LWI_IO_XML_XML_DOCUMENT_H
#include "base/arena.h"
#include "io/file/file_text.h"

#include <stdbool.h>

enum {
  LWI_XML_MAX_DEPTH = 200,     /* elements in one another */
  LWI_XML_MAX_TEXT = 1 << 20,  /* bytes of an attribute or of the text of an element */
  LWI_XML_MAX_PARTS = 2000000, /* elements and attributes */
};

typedef struct lwi_xml_attribute lwi_xml_attribute;
struct lwi_xml_attribute {
  const char *name, *value;
  const lwi_xml_attribute *next; /* in the order of the file */
};

typedef struct lwi_xml_element lwi_xml_element;
struct lwi_xml_element {
  const char *name, *file;
  int line, column; /* from 1 */
  const char *text; /* what is between its tags before its first child; never NULL */
  const lwi_xml_attribute *attribute;
  lwi_xml_element *parent, *first, *last, *next;
};

/* The root of the file, in memory of the arena; NULL on failure: err says what is wrong and where.
   `file` names it in messages. */
lwi_xml_element *lwi_xml_parse(lwi_arena *arena, const char *text, size_t length, const char *file,
                               lw_error *err);

/* The first child of this name at or after `at`, or NULL: for (c = lwi_xml_find(e->first, "link");
   c; c = lwi_xml_find(c->next, "link")). */
const lwi_xml_element *lwi_xml_find(const lwi_xml_element *at, const char *name);
int lwi_xml_count(const lwi_xml_element *at, const char *name); /* how many there are */
const lwi_xml_element *lwi_xml_child(const lwi_xml_element *e, const char *name);
/* The value of an attribute, or NULL. */
const char *lwi_xml_get(const lwi_xml_element *e, const char *name);

#endif
