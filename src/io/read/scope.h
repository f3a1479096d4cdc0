/* SPDX-License-Identifier: Apache-2.0 */
/* scope.h -- what names and numbers of an included file, or of the mirrored copy of a block, mean
   in the model as a whole.

   Each node of the expanded document (expand.h) knows its scope.  A scope is the model file itself
   (0), an include, which puts its name before all names ("hub" is "fl.hub"), or a mirror, which
   replaces words in names ("left" by "right").  Scopes nest: a name passes through them outwards.
   A scope with signs describes a part that is mirrored: with M = diag(sign) positions become M x
   (polar vectors), turns det(M) M x (axial vectors), orientations M R M. */
#ifndef LWI_IO_READ_SCOPE_H
#define LWI_IO_READ_SCOPE_H
#include "io/file/file_text.h"
#include "io/read/yaml_document.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

typedef struct {
  const char *file;            /* in which its nodes were written */
  int parent;                  /* the scope around it; -1: the model file itself */
  bool absolute;               /* names are those of the whole model already: keys of sections */
  const char *as;              /* of an include: its name; NULL: none */
  const lwi_yaml_node *rename; /* of a mirror: a mapping of words to others; NULL: none */
  const lwi_yaml_node *bodies; /* of its bodies, those that are bodies of the scope around it */
  const lwi_yaml_node *ground; /* what its ground is in the scope around it; NULL: ground */
  const lwi_yaml_node *at, *orient; /* where its ground is on that; NULL: at the origin, aligned */
  lwi_position from;                /* where an include is written; line 0: this is none */
  int sign[3];
  dev_t device; /* of the file, to find cycles */
  ino_t inode;
} lwi_scope;

typedef struct {
  int n, capacity;
  lwi_scope *item;        /* [n]; 0 is the model file */
  lwi_yaml_document *doc; /* where texts are kept */
} lwi_scopes;

static inline int lwi_scope_det(const lwi_scope *s)
{
  return s->sign[0] * s->sign[1] * s->sign[2];
}

static inline bool lwi_scope_is_mirrored(const lwi_scope *s)
{
  return s->sign[0] < 0 || s->sign[1] < 0 || s->sign[2] < 0;
}

/* A name of a scope in the whole model; kept with the document.  NULL: out of memory. */
const char *lwi_scope_name(const lwi_scopes *s, int scope, const char *name);

/* The same for bodies: `ground` and others may be bodies of the files around. */
const char *lwi_scope_body(const lwi_scopes *s, int scope, const char *name);

/* An expression of a scope, with all names as they are in the whole model; the same pointer if
   nothing changes.  NULL: out of memory, or (*too_long) longer than an expression may be.
   is_parameter: is this name, of the whole model, a parameter?  flips: does a result column have
   the opposite sign in a mirrored part?
   origin: where each byte is in the text as written. */
typedef struct {
  bool (*is_parameter)(void *context, const char *name);
  bool (*flips)(void *context, const char *column, const char *own);
  void *context;
  const char *const *own; /* names that stay, but for their signs, to NULL; NULL: none */
} lwi_scope_lookup;
const char *lwi_scope_expression(const lwi_scopes *s, int scope, const char *text,
                                 const lwi_scope_lookup *lookup, const uint16_t **origin,
                                 bool *too_long);

#endif
