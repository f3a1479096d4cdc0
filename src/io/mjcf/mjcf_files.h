/* SPDX-License-Identifier: Apache-2.0 */
/* mjcf_files.h -- what an MJCF file is made of before it is read: included files, attached models,
   replicas.  All of that is done on elements, so that the reader finds a file in which everything is
   written out. */
#ifndef LWI_IO_MJCF_MJCF_FILES_H
#define LWI_IO_MJCF_MJCF_FILES_H
#include "io/file/sources.h"
#include "base/name_index.h"
#include "io/xml/xml_values.h"

typedef struct {
  lwi_arena *arena;
  const char *folder_of; /* the path of the model file; NULL: it has none */
  const char *root;      /* the folder in which all files are; NULL: that of the model file */
  lw_sources *sources;   /* where files are kept, or NULL */
  int nfile, ncopy;      /* files that were read, elements that were copied */
  lw_error *err;
} lwi_mjcf_files;

/* mjcf_include.c: the root of the file that the attribute `file` of e names, whose includes are
   resolved; NULL after a message. */
lwi_xml_element *lwi_mjcf_open(lwi_mjcf_files *x, lwi_xml_element *e);
/* Puts the elements of included files in the place of <include>. */
bool lwi_mjcf_include(lwi_mjcf_files *x, lwi_xml_element *parent);

/* mjcf_mesh.c: the name of a mesh without one, that of its file without folder and ending; NULL: no
   memory. */
char *lwi_mjcf_stem(lwi_arena *arena, const char *file);

/* mjcf_copy.c: copies of elements, whose names get a prefix and a suffix */
typedef struct {
  lwi_mjcf_files *files;
  const char *prefix, *suffix;
  bool other_model;     /* materials, meshes and classes are copied with it */
  lwi_name_index names; /* of the bodies, joints, ... that are copied */
} lwi_mjcf_copier;

/* Notes the names of e and of all in it. */
bool lwi_mjcf_note_names(lwi_mjcf_copier *c, const lwi_xml_element *e);
/* NULL after a message. */
lwi_xml_element *lwi_mjcf_copy(lwi_mjcf_copier *c, const lwi_xml_element *e,
                               lwi_xml_element *parent);
lwi_xml_element *lwi_mjcf_add_element(lwi_mjcf_copier *c, const char *name, lwi_xml_element *like,
                                      lwi_xml_element *parent);
bool lwi_mjcf_add_attribute(lwi_mjcf_copier *c, lwi_xml_element *e, const char *name,
                            const char *value);
/* The name that a copy has; NULL: no memory. */
const char *lwi_mjcf_rename(lwi_mjcf_copier *c, const char *name);
/* How often e and what is in it names something that is copied, and something that is not. */
void lwi_mjcf_count_references(const lwi_mjcf_copier *c, const lwi_xml_element *e, int *copied,
                               int *other);

/* mjcf_attach.c: <attach> gets the copy of a model, as an element <mujoco>, or a copy of a part of
   its own model, and is an element <attached> then; <replicate> gets copies of what is in it, as
   elements <replica>, and is an element <replicas>. */
bool lwi_mjcf_attach(lwi_mjcf_files *x, lwi_xml_element *root);

#endif
