/* SPDX-License-Identifier: Apache-2.0 */
/* picture.h -- the parts of the picture of a model's topology.  Each is made (sizes known), then
   drawn with its upper left corner at a place. */
#ifndef LWI_IO_PICTURE_PICTURE_H
#define LWI_IO_PICTURE_PICTURE_H
#include "model/joint/joint.h"
#include "base/arena.h"
#include "io/picture/svg.h"
#include "io/picture/tree_layout.h"
#include "linkwork/inspect.h"
#include "linkwork/scene.h"

typedef struct {
  const lw_model *m;
  const lw_topology *t;
  lwi_arena *arena;
  const lw_scene *scene; /* forces, motors and contacts to be drawn, too; NULL: not asked for */
  const char *segment;   /* "S" or what no body or joint is called: before numbers of segments */
} lwi_pictured_model;

/* An edge that is not in the tree: a cut joint, a constraint, a spring, a force. */
typedef struct {
  int from, to; /* bodies; 0 is the ground */
  const char *name, *type;
  const char *look, *name_look;
} lwi_outer_edge;

/* ---- the digraph: graph_picture.c, and loop_picture.c for what is not in the tree ---- */

typedef struct {
  lwi_pictured_model s;
  lw_tree *tree;          /* ground, bodies, ports of loop edges; NULL: a chain in rows */
  lwi_tree_layout layout; /* of that tree */
  double *box;            /* [nnode] width */
  int nouter;
  lwi_outer_edge *outer; /* [nouter] */
  int *leaves, *arrives; /* [nouter] in whose row an edge leaves its parent, reaches its child */
  int *track;            /* [nouter] */
  double channel;        /* where the first track is */
  double width, height;
} lwi_graph_picture;

bool lwi_graph_picture_make(lwi_graph_picture *p,
                            const lwi_pictured_model *s); /* returns false if out of memory */
void lwi_graph_picture_draw(const lwi_graph_picture *p, lwi_svg *out, lwi_svg_point at);
void lwi_graph_picture_free(lwi_graph_picture *p);

enum { LWI_BOX = 26, LWI_ROW = 52, LWI_PORT_ROW = 30, LWI_CURVE = 34 };

/* Adds the ports to parent[], port[], height[] behind the first nbody + 1 nodes; returns the new
   number of nodes, -1 without memory. */
int lwi_loops_add_ports(lwi_graph_picture *p, int parent[], unsigned char port[], double height[]);
bool lwi_loops_list(lwi_graph_picture *p);    /* outer edges: outer_edges.c; false: no memory */
bool lwi_loops_lay_out(lwi_graph_picture *p); /* after the tree; false: no memory */
void lwi_loops_draw(const lwi_graph_picture *p, lwi_svg *out, lwi_svg_point at);

/* A serial chain of more bodies than fit one row: chain_picture.c */
void lwi_chain_measure(lwi_graph_picture *p);
void lwi_chain_draw(const lwi_graph_picture *p, lwi_svg *out, lwi_svg_point at);

void lwi_draw_ground(lwi_svg *out, lwi_svg_point corner, double width);
void lwi_draw_body(const lwi_graph_picture *p, lwi_svg *out, int body, lwi_svg_point corner);
double lwi_joint_label_width(const lwi_pictured_model *s, int joint);
/* Name above, type below a horizontal line, around `middle`. */
void lwi_draw_joint_label(lwi_svg *out, const lwi_pictured_model *s, int joint,
                          lwi_svg_point middle);
/* The type of a joint, with the motors and drivers that act on it if elements are asked for. */
void lwi_joint_type_text(const lwi_pictured_model *s, int joint, char text[], size_t size);

/* From a parent, along a row, to a child: the line of an edge of a tree. */
void lwi_draw_tree_edge(lwi_svg *out, const char *look, lwi_svg_point from, double bend,
                        lwi_svg_point to);

/* ---- the tree of serial segments: segment_picture.c ---- */

typedef struct {
  lwi_pictured_model s;
  int nhidden;   /* segments beyond the levels that are drawn */
  int levels;    /* ... of so many */
  int *segment;  /* [nnode] which one each node is; -1: the ground */
  lw_tree *tree; /* ground and segments */
  lwi_tree_layout layout;
  double *box;
  double width, height;
} lwi_segment_picture;
bool lwi_segment_picture_make(lwi_segment_picture *p, const lwi_pictured_model *s);
void lwi_segment_picture_draw(const lwi_segment_picture *p, lwi_svg *out, lwi_svg_point at);
void lwi_segment_picture_free(lwi_segment_picture *p);

/* ---- the pattern of the mass matrix: pattern_picture.c ---- */

typedef struct {
  lwi_pictured_model s;
  int *start;  /* [nsegment + 1] first speed of each segment, in tree order */
  double unit; /* pixels per speed */
  double side, margin;
  bool by_speed; /* axes name speeds, not segments */
  double width, height;
} lwi_pattern_picture;
bool lwi_pattern_picture_make(lwi_pattern_picture *p, const lwi_pictured_model *s, double side);
void lwi_pattern_picture_draw(const lwi_pattern_picture *p, lwi_svg *out, lwi_svg_point at);

#endif
