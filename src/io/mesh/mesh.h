/* SPDX-License-Identifier: Apache-2.0 */
/* mesh.h -- triangles from STL (binary and text) and OBJ files, and what they enclose. */
#ifndef LWI_IO_MESH_MESH_H
#define LWI_IO_MESH_MESH_H
#include <stdbool.h>
#include <stddef.h>

typedef struct {
  int nvertex, nface, vertex_capacity, face_capacity;
  double (*vertex)[3]; /* [nvertex] */
  int (*face)[3];      /* [nface] */
} lwi_mesh;

typedef enum {
  LWI_MESH_OK,
  LWI_MESH_MEMORY,
  LWI_MESH_NO_FILE, /* it cannot be read */
  LWI_MESH_UNKNOWN, /* neither STL nor OBJ */
  LWI_MESH_BROKEN   /* numbers that are none, vertices that do not exist, no triangles */
} lwi_mesh_status;

/* mesh_file.c: by its contents; on failure the mesh is empty. */
lwi_mesh_status lwi_mesh_parse(const char *text, size_t length, lwi_mesh *out);
lwi_mesh_status lwi_mesh_read(const char *path, lwi_mesh *out);
void lwi_mesh_free(lwi_mesh *m);

/* mesh_mass.c: how MuJoCo takes a mesh for a solid. */
typedef enum {
  LWI_MESH_EXACT,  /* what a closed surface encloses */
  LWI_MESH_LEGACY, /* the sum of pyramids from the centre to the triangles, all counted as
                      positive */
  LWI_MESH_SHELL   /* the surface itself */
} lwi_mesh_rule;
typedef struct {
  double volume; /* of a shell: its area */
  double com[3];
  double inertia[6]; /* per density, about com: xx yy zz xy xz yz */
} lwi_mesh_measures;
/* false: it encloses nothing. */
bool lwi_mesh_measure(const lwi_mesh *m, lwi_mesh_rule rule, lwi_mesh_measures *out);

#endif
