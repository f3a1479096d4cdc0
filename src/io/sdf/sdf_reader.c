/* SPDX-License-Identifier: Apache-2.0 */
/* sdf_reader.c -- the reader of SDFormat: links and joints become a robot.

   Joints may form loops, and may be written from either end.  A search from the world outward, and
   then from the first link of what is attached to nothing, which floats, chooses the tree; the
   joints that are left over close loops. */
#include "io/sdf/sdf.h"

#include "io/file/file_kind.h"
#include "io/read/model_format.h"

#include <stdlib.h>
#include <string.h>

/* ---- the tree ---- */

typedef struct {
  int *inward;       /* [nlink] joint that carries it; -1: none */
  int *order, n;     /* [nlink] parents before their children */
  bool *reached;     /* [nlink] */
  int *first, *next; /* [nlink + 1], [2 njoint] joints at each link, the world last */
} search;

static bool read_joints(lwi_sdf *x)
{
  for (int i = 0; i < x->njoint; i++)
    if (!lwi_sdf_read_joint(x, x->joint[i].frame, &x->joint[i])) return false;
  return true;
}

static bool is_used(const lwi_sdf *x, const lwi_sdf_joint *j)
{
  for (int k = 0; k < 2; k++)
    if (j->njoint >= 0 && j->link[k] >= 0 && !x->frame[x->link[j->link[k]]].fixed) return true;
  return false;
}

/* Links of static models are parts of the world. */
static int node_of(const lwi_sdf *x, int link)
{
  return link < 0 || x->frame[x->link[link]].fixed ? x->nlink : link;
}

static bool start_search(lwi_sdf *x, search *s)
{
  lwi_arena *a = &x->robot.arena;
  s->inward = LWI_TAKE(a, x->nlink + 1, int);
  s->order = LWI_TAKE(a, x->nlink + 1, int);
  s->reached = LWI_TAKE(a, x->nlink + 1, bool);
  s->first = LWI_TAKE(a, x->nlink + 1, int);
  s->next = LWI_TAKE(a, 2 * x->njoint + 1, int);
  if (!s->inward || !s->order || !s->reached || !s->first || !s->next)
    return lwi_xml_no_memory(x->robot.root, x->robot.err);
  for (int i = 0; i <= x->nlink; i++)
    s->first[i] = s->inward[i] = -1;
  for (int i = x->njoint - 1; i >= 0; i--)
    for (int k = 0; k < 2 && is_used(x, &x->joint[i]); k++) {
      int *head = &s->first[node_of(x, x->joint[i].link[k])];
      s->next[2 * i + k] = *head;
      *head = 2 * i + k;
    }
  return true;
}

/* Breadth first from a node whose links are reached. */
static void spread(lwi_sdf *x, search *s, int node, int at)
{
  for (;;) {
    for (int e = s->first[node]; e >= 0; e = s->next[e]) {
      lwi_sdf_joint *j = &x->joint[e / 2];
      const int other = node_of(x, j->link[1 - e % 2]);
      if (other == x->nlink || s->reached[other]) continue;
      s->reached[other] = j->in_tree = true;
      j->backward = e % 2 == 1;
      s->inward[other] = e / 2;
      s->order[s->n++] = other;
    }
    if (at == s->n) return;
    node = s->order[at++];
  }
}

static bool choose_tree(lwi_sdf *x, search *s)
{
  if (!start_search(x, s)) return false;
  for (int i = 0; i < x->nlink; i++)
    if (x->frame[x->link[i]].fixed) s->reached[i] = true, s->order[s->n++] = i;
  const int fixed = s->n;
  spread(x, s, x->nlink, fixed);
  for (int i = 0; i < x->nlink; i++) {
    if (s->reached[i]) continue;
    s->reached[i] = true;
    s->order[s->n++] = i;
    spread(x, s, i, s->n);
  }
  return true;
}

/* ---- the robot ---- */

/* Joints keep the order of the file. */
static bool add_joints(lwi_sdf *x, search *s, int number[])
{
  for (int i = 0; i < x->njoint; i++) {
    lwi_sdf_joint *j = &x->joint[i];
    lwi_frame link;
    const int carried = j->in_tree ? j->link[j->backward ? 0 : 1] : -1;
    if (carried < 0 || s->inward[carried] != i) continue;
    if (!lwi_sdf_resolve(x, x->link[carried], &link) || !lwi_sdf_orient_joint(x, j, link))
      return false;
    for (int k = 0; k < j->njoint; k++) {
      lwi_robot_joint *d = &j->d[j->backward ? j->njoint - 1 - k : k];
      d->link = number[carried];
      if ((j->number[k] = lwi_robot_add_joint(&x->robot, d)) < 0) return false;
    }
  }
  return true;
}

static bool add_link(lwi_sdf *x, const search *s, int i, int number[])
{
  lwi_robot *r = &x->robot;
  const lwi_sdf_frame *f = &x->frame[x->link[i]];
  const lwi_sdf_joint *j = s->inward[i] >= 0 ? &x->joint[s->inward[i]] : NULL;
  const int other = j ? j->link[j->backward ? 1 : 0] : -1;
  lwi_frame world, base = lwi_frame_identity();
  lwi_robot_link l = {.name = f->full, .element = f->element, .parent = -1};
  if (other >= 0) {
    l.parent = number[other];
    if (!lwi_sdf_resolve(x, x->link[other], &base)) return false;
  }
  if (!lwi_sdf_resolve(x, x->link[i], &world)) return false;
  l.place = lwi_frame_mul(lwi_frame_inverse(base), world);
  l.free = !j && !f->fixed;
  l.njoint = j ? j->njoint : 0;
  if (!(l.joint = LWI_TAKE(&r->arena, 2, int))) return lwi_xml_no_memory(l.element, r->err);
  for (int k = 0; k < l.njoint; k++)
    l.joint[k] = j->number[k];
  if (!lwi_sdf_mass(x, x->link[i], &l.own)) return false;
  if (lwi_robot_add_link(r, &l) < 0) return false;
  return lwi_sdf_shapes(x, x->link[i], number[i]);
}

/* Where both sides of a joint that closes a loop meet, with its axis as written. */
static bool close_loop(lwi_sdf *x, lwi_sdf_joint *j, const int number[])
{
  lwi_frame place[2], joint;
  int link[2];
  bool closed;
  static const char *const how = "joints of two axes that close a loop";
  lwi_robot_joint fixed = {
      .name = x->frame[j->frame].full, .element = x->frame[j->frame].element, .type = LW_FIXED};
  if (j->njoint == 2) return lwi_listing_add(&x->dropped, how), true;
  if (!lwi_sdf_resolve(x, j->frame, &joint) || !lwi_sdf_orient_joint(x, j, joint)) return false;
  for (int k = 0; k < 2; k++) {
    lwi_frame world;
    link[k] = j->link[k] < 0 ? -1 : number[j->link[k]];
    if (!lwi_sdf_resolve(x, j->link[k] < 0 ? -1 : x->link[j->link[k]], &world)) return false;
    place[k] = lwi_frame_mul(lwi_frame_inverse(world), joint);
  }
  return lwi_robot_close_loop(&x->robot, j->njoint ? &j->d[0] : &fixed, link, place, &closed);
}

static bool build(lwi_sdf *x)
{
  lwi_robot *r = &x->robot;
  search s = {0};
  if (!read_joints(x) || !choose_tree(x, &s)) return false;
  int *number = LWI_TAKE(&r->arena, x->nlink + 1, int);
  if (!number) return lwi_xml_no_memory(r->root, r->err);
  for (int i = 0; i < s.n; i++)
    number[s.order[i]] = i;
  if (!add_joints(x, &s, number)) return false;
  for (int i = 0; i < s.n; i++)
    if (!add_link(x, &s, s.order[i], number)) return false;
  if (!lwi_robot_build(r)) return false;
  for (int i = 0; i < x->njoint; i++)
    if (!x->joint[i].in_tree && is_used(x, &x->joint[i]) && !close_loop(x, &x->joint[i], number))
      return false;
  return true;
}

/* ---- notes ---- */

static int count(const lwi_xml_element *e, const char *name)
{
  int n = 0;
  for (e = e ? e->first : NULL; e; e = e->next)
    n += (strcmp(e->name, name) == 0) + count(e, name);
  return n;
}

static void note(lwi_sdf *x, lwi_listing *list, const char *sentence)
{
  if (list->n) lwi_robot_note(&x->robot, "%s: %s", sentence, lwi_listing_text(list));
}

static void note_skipped(lwi_sdf *x)
{
  const int plugins = count(x->robot.root, "plugin"), sensors = count(x->robot.root, "sensor");
  note(x, &x->no_inertial, "links without <inertial> have 1 kg and 1 kg m^2, as the format says");
  note(x, &x->automatic, "inertia from shapes (auto) is not computed: as written");
  note(x, &x->not_found, "included models that are not there are left out");
  note(x, &x->dropped, "joints of types that linkwork does not have are left out");
  note(x, &x->missing, "joints without two existing links are left out");
  if (plugins || sensors)
    lwi_robot_note(&x->robot, "not used: %d plugins, %d sensors", plugins, sensors);
}

/* ---- the whole ---- */

static bool read_robot(lwi_sdf *x, const char *text, size_t length, const char *file)
{
  lwi_robot *r = &x->robot;
  if (!(r->root = lwi_xml_parse(&r->arena, text, length, file, r->err))) return false;
  if (lwi_sdf_version(r->root) < 2)
    return lwi_xml_fail(
        r->root, r->err,
        "SDFormat 1.0 has attributes where later versions have elements: convert it "
        "with `gz sdf -p FILE`");
  if (!(r->spec = lw_spec_new())) return lwi_xml_no_memory(r->root, r->err);
  if (!lwi_sdf_list(x) || !build(x)) return false;
  note_skipped(x);
  return lwi_robot_finish(r);
}

static lw_spec *read_text(const char *text, size_t length, const char *name,
                          const lw_load_options *options, lw_error *err)
{
  lwi_sdf x = {.robot = {.no_files = !name, .options = options, .err = err}};
  const bool ok = read_robot(&x, text, length, name ? name : "model");
  lwi_name_index_free(&x.names);
  free(x.frame_of_name);
  free(x.frame);
  free(x.link);
  free(x.joint);
  return lwi_robot_take(&x.robot, ok);
}

/* the root of versions up to 1.2 is <gazebo> */
static bool is_sdf(const char *text, size_t length)
{
  return lwi_file_is_xml(text, length, "sdf") || lwi_file_is_xml(text, length, "gazebo");
}

const lwi_model_format lwi_sdf_format = {"SDFormat", is_sdf, read_text, true, false};
