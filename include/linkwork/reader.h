/* SPDX-License-Identifier: Apache-2.0 */
/* reader.h -- for programs that build specs from other files: positions of parts in files,
   names; the schema of the model file. */
#ifndef LINKWORK_READER_H
#define LINKWORK_READER_H
#include "linkwork/spec.h"
#ifdef __cplusplus
extern "C" {
#endif

/* The first error so far, or LW_OK. */
LW_API lw_status lw_spec_error(const lw_spec *s, lw_error *err);

/* The position in a file of the parts and expressions that are added next; 0, 0: none. */
LW_API void lw_spec_locate(lw_spec *s, int line, int column);
/* The file of these positions, which lw_error.file then names; NULL: the model file itself. */
LW_API void lw_spec_locate_file(lw_spec *s, const char *file);

/* What the expressions that are added next are: the key of the file, for messages, and the unit of
   their dimension; NULL: none in particular.  key must live as long as the spec. */
LW_API void lw_spec_measure(lw_spec *s, const char *key, const char *unit);

/* What a reader changed, repaired or left out: sentences for the user, in the order in which they
   were added. */
LW_API void lw_spec_add_note(lw_spec *s, const char *text);
LW_API int lw_spec_nnote(const lw_spec *s);
LW_API const char *lw_spec_get_note(const lw_spec *s, int i); /* from 0; NULL: no such note */

/* Sets the initial coordinates or speeds of a joint (NULL: unchanged), and holds it: both are kept
   when loops are closed. */
LW_API lw_status lw_hold_joint(lw_spec *s, const char *name, const double q[], const double u[]);
/* No joint is held. */
LW_API void lw_release_joints(lw_spec *s);

/* ---- robot files: docs/robot-files.md ---- */

/* Files that a model was read from: the model file, what it includes, tables of numbers. */
typedef struct lw_sources lw_sources;
typedef struct {
  const char *path, *text; /* text ends with a NUL that does not count */
  size_t length;
} lw_source;
LW_API lw_sources *lw_sources_new(void); /* NULL: out of memory */
LW_API void lw_sources_free(lw_sources *s);
/* Keeps a text, which is then read instead of the file of this path: models from memory that
   include others.  A path that is there already is LW_E_ARG. */
LW_API lw_status lw_sources_add(lw_sources *s, const char *path, const char *text, size_t length);
LW_API int lw_sources_count(const lw_sources *s);
LW_API lw_source lw_sources_get(const lw_sources *s, int i); /* from 0, in the order of reading */

/* How robot files are read; zero is the default. */
typedef enum {
  LW_INERTIA_AUTO,  /* repaired if a principal moment is negative, otherwise kept */
  LW_INERTIA_KEEP,  /* as written, also if no rigid body has it */
  LW_INERTIA_REPAIR /* the nearest that a rigid body has */
} lw_inertia_rule;
typedef struct {
  lw_inertia_rule inertia;
  bool floating_base; /* links that are not attached to anything float, instead of standing still */
  const char *key;    /* MJCF: the keyframe to start in; NULL: the reference configuration */
  const char *root; /* MJCF: includes files of this folder and below; NULL: of that of the model */
  lw_sources
      *sources; /* keeps what is read, and gives what it has already instead of the file; or NULL */
} lw_load_options;
/* As lw_spec_load of file.h; options NULL: the defaults. */
LW_API lw_spec *lw_spec_load_with(const char *path, const lw_load_options *options, lw_error *err);
/* As lw_spec_parse of file.h. */
LW_API lw_spec *lw_spec_parse_with(const char *text, size_t length, const char *name,
                                   const lw_load_options *options, lw_error *err);

/* Writes the spec as a native model file in YAML.  LW_E_UNSUPPORTED: it has functions, tables or
   compliant contacts, or names loops or threads of the simulation, which cannot be written yet. */
LW_API lw_status lw_spec_save(const lw_spec *s, const char *path, lw_error *err);

typedef enum { LW_FILE_YAML, LW_FILE_URDF, LW_FILE_MJCF } lw_file_format;
/* The same in one of the formats.  What URDF or MJCF cannot say is left out, and listed in a new
   note of the spec; what would leave a body without its joint is LW_E_UNSUPPORTED. */
LW_API lw_status lw_spec_save_as(lw_spec *s, const char *path, lw_file_format format,
                                 lw_error *err);

/* ---- names of what was added ---- */

LW_API lw_body lw_spec_find_body(const lw_spec *s, const char *name);
LW_API lw_point lw_spec_find_point(const lw_spec *s, const char *name);
/* The body and the place of a point, in which numbers may be expressions. */
LW_API lw_status lw_spec_get_point(const lw_spec *s, lw_point point, lw_body *body,
                                   lw_place *place);
LW_API lw_joint lw_spec_find_joint(const lw_spec *s, const char *name);
LW_API int lw_joint_type_nq(lw_joint_type type, bool planar);
LW_API int lw_joint_type_nu(lw_joint_type type, bool planar);
LW_API const char *lw_joint_type_name(lw_joint_type type);
LW_API const char *lw_action_name(lw_action action);

/* ---- the format ---- */

/* The JSON schema (draft 7) of the model file, made from the tables by which it is read: editors
   complete and check with it.  Writes at most `size` bytes, the last one 0, and returns the length
   of the whole text without it; text NULL: only counts. */
LW_API size_t lw_schema(char text[], size_t size);

/* ---- units ---- */

/* How many SI units a unit is: "mm" is 0.001.  si: what its dimension must be, as lw_columns_unit says; NULL or "": anything.
   LW_E_ARG: it is no unit; LW_E_UNSUPPORTED: of another dimension. */
LW_API lw_status lw_unit_factor(const char *unit, const char *si, double *factor);

/* ---- names in messages ---- */

/* The name among names[n] of which `word` is most likely a misspelling; NULL: none is close. */
LW_API const char *lw_nearest_name(const char *word, const char *const names[], int n);

/* ---- names in options ---- */

/* Reads the name with which text begins: up to one of the characters of `until` that is not in
   quotes, or to the end.  Quotes (" or ') around it, or around a part after a dot, are no part of
   the name: q."left, knee" is q.left, knee; the same quote twice stands for one.  name has
   strlen(text) + 1 bytes.  Returns the number of bytes read. */
LW_API size_t lw_read_name(const char *text, const char *until, char *name);

#ifdef __cplusplus
}
#endif
#endif
