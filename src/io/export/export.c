/* SPDX-License-Identifier: Apache-2.0 */
/* export.c -- the tree of bodies, numbers and texts of robot files that are written. */
#include "io/export/export.h"

#include "io/file/file_text.h"
#include "io/robot/robot_frames.h"
#include "io/write/write_parts.h"
#include "linkwork/linkwork.h"
#include "linkwork/output.h"
#include "model/joint/joint.h"
#include "linkwork/loops.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_BODIES = 20000 }; /* the search for the tree looks at all joints for each */

/* ---- numbers ---- */

static int find_parameter(const char *name, void *context)
{
  const lw_model *m = context;
  for (int i = 0; i < m->nparameter; i++)
    if (strcmp(m->parameter_name[i], name) == 0) return i;
  return -1;
}

double lwi_export_number(lwi_export *x, double written)
{
  const int e = lwi_expr_index(written);
  x->varies = false;
  if (e < 0) return written;
  const lwi_expr *from = &x->s->expr[e].expr;
  void *memory = lwi_arena_take(&x->arena, lwi_expr_size(from), 1);
  if (!memory) return x->text.full = true, 0;
  lwi_expr own = lwi_expr_copy_to(from, memory);
  if (lwi_expr_resolve(&own, find_parameter, x->m)) return x->varies = true, 0;
  return lwi_expr_value(&own, x->m->parameter);
}

lwi_frame lwi_export_place(lwi_export *x, const lw_place *place)
{
  lwi_frame f = lwi_frame_identity();
  double v[4];
  for (int i = 0; i < 3; i++)
    f.p[i] = lwi_export_number(x, place->at[i]);
  for (int i = 0; i < 4; i++)
    v[i] = lwi_export_number(x, place->orient.value[i]);
  if (place->orient.type == LW_ORIENT_QUAT) lwi_rot_quat(v, &f.R);
  if (place->orient.type == LW_ORIENT_RPY) f.R = lwi_rot_rpy(v);
  if (place->orient.type == LW_ORIENT_AXIS_ANGLE && lwi_normalise(v)) f.R = lwi_rot_about(v, v[3]);
  return f;
}

/* ---- the tree ---- */

static void attach(lwi_export *x, int b, int joint, bool backward, int parent, int *n)
{
  lwi_export_body *p = &x->body[parent], *own = &x->body[b];
  *own = (lwi_export_body){joint, backward, parent, -1, -1};
  int *link = &p->first;
  while (*link >= 0)
    link = &x->body[*link].next;
  *link = b;
  x->order[(*n)++] = b;
  if (joint >= 0) x->in_tree[joint] = true;
}

/* Breadth first: from the ground, then from bodies that float. */
static bool choose_tree(lwi_export *x)
{
  const lw_spec *s = x->s;
  int n = 0;
  for (int b = 0; b <= s->bodies.n; b++)
    x->body[b] = (lwi_export_body){-1, false, -1, -1, -1};
  for (int at = -1, root = 1;;) {
    const int from = at < 0 ? 0 : x->order[at];
    for (int j = 0; j < s->joints.n; j++) {
      const lw_joint_desc *d = &s->joints.item[j].d;
      if (s->joints.item[j].announced || x->in_tree[j]) continue;
      const bool backward = d->child.id == from;
      const int other = backward ? d->parent.id : d->child.id;
      if ((d->parent.id != from && !backward) || other == 0 || x->body[other].parent >= 0) continue;
      attach(x, other, j, backward, from, &n);
    }
    if (++at < n) continue;
    while (root <= s->bodies.n && x->body[root].parent >= 0)
      root++;
    if (root > s->bodies.n) return true;
    attach(x, root, -1, false, 0, &n);
  }
}

static bool find_start(lwi_export *x);

bool lwi_export_open(lwi_export *x)
{
  const lw_spec *s = x->s;
  x->text.spec = s;
  if (!(x->m = lw_compile(s, x->err))) return false;
  x->body = LWI_TAKE(&x->arena, s->bodies.n + 1, lwi_export_body);
  x->order = LWI_TAKE(&x->arena, s->bodies.n + 1, int);
  x->in_tree = LWI_TAKE(&x->arena, s->joints.n + 1, bool);
  const lwi_position at = {.file = x->path};
  if (!x->body || !x->order || !x->in_tree || !find_start(x))
    return lwi_file_fail(x->err, LW_E_MEMORY, at, "out of memory"), false;
  if (s->bodies.n > MOST_BODIES || s->joints.n > MOST_BODIES)
    return lwi_file_fail(x->err, LW_E_UNSUPPORTED, at, "more than %d bodies or joints",
                         MOST_BODIES),
           false;
  if (s->planar)
    return lwi_file_fail(x->err, LW_E_UNSUPPORTED, at, "planar models cannot be written"), false;
  return choose_tree(x);
}

lw_status lwi_export_close(lwi_export *x, bool ok)
{
  lw_status status = ok ? LW_OK : x->err ? x->err->status : LW_E_UNSUPPORTED;
  if (ok && x->text.full)
    status = lwi_file_fail(x->err, LW_E_MEMORY, (lwi_position){.file = x->path}, "out of memory");
  if (status == LW_OK) status = lw_write_file(x->path, x->text.text, x->text.length, x->err);
  if (status == LW_OK && x->nlost) {
    char note[1000];
    snprintf(note, sizeof note, "not written, as the format does not have it: %s", x->lost);
    lw_spec_add_note(x->s, note);
  }
  free(x->text.text);
  lw_work_free(x->work);
  lw_model_free(x->m);
  lwi_arena_free(&x->arena);
  return status;
}

void lwi_export_frames(lwi_export *x, int b, lwi_frame *own, lwi_frame *other)
{
  const lw_joint_desc *d = &x->s->joints.item[x->body[b].joint].d;
  const lwi_frame parent = lwi_export_place(x, &d->place);
  const lwi_frame child = lwi_export_place(x, &d->child_place);
  *own = x->body[b].backward ? parent : child;
  *other = x->body[b].backward ? child : parent;
}

/* ---- joints ---- */

static void set_axis(lwi_export *x, const double written[3], int usual, double out[3])
{
  for (int i = 0; i < 3; i++)
    out[i] = lwi_export_number(x, written[i]);
  if (lwi_normalise(out)) return;
  for (int i = 0; i < 3; i++)
    out[i] = i == usual;
}

int lwi_export_steps(lwi_export *x, int b, lwi_step steps[LWI_MOST_STEPS])
{
  static const double none[3] = {0};
  const lw_joint_desc *d = &x->s->joints.item[x->body[b].joint].d;
  const bool gimbal = d->type == LW_GIMBAL, planar = d->type == LW_PLANAR;
  const double *axes[3] = {planar ? none : d->axis, planar ? none : d->axis2,
                           planar ? none : d->axis3};
  const int usual[3] = {gimbal || planar ? 0 : 2, gimbal || planar ? 1 : 0, 2};
  int n = lw_joint_type_nu(d->type, false);
  if (d->type == LW_SPHERICAL || d->type == LW_FREE) n = 1;
  if (d->type == LW_HELICAL) return -1;
  for (int i = 0; i < n; i++) {
    lwi_step *s = &steps[x->body[b].backward ? n - 1 - i : i];
    const bool slide =
        d->type == LW_PRISMATIC || (d->type == LW_CYLINDRICAL && i == 1) || (planar && i < 2);
    s->kind = d->type == LW_SPHERICAL ? LWI_STEP_BALL
              : d->type == LW_FREE    ? LWI_STEP_FREE
              : slide                 ? LWI_STEP_SLIDE
                                      : LWI_STEP_HINGE;
    s->dof = i;
    const int which = d->type == LW_CYLINDRICAL ? 0 : i;
    set_axis(x, axes[which], usual[which], s->axis);
    for (int k = 0; k < 3 && x->body[b].backward; k++)
      s->axis[k] = -s->axis[k];
  }
  return n;
}

/* ---- the start ---- */

lwi_frame lwi_export_start(const lwi_export *x, int b)
{
  lw_pose pose;
  lwi_frame f = lwi_frame_identity();
  if (lw_get_pose(x->work, (lw_body){b}, &pose) != LW_OK) return f;
  memcpy(f.p, pose.p, sizeof f.p);
  lwi_rot_quat(pose.quat, &f.R);
  return f;
}

void lwi_export_velocity(const lwi_export *x, int b, double linear[3], double angular[3])
{
  double V[6] = {0};
  lw_get_velocity(x->work, (lw_body){b}, V);
  memcpy(angular, V, 3 * sizeof *V);
  memcpy(linear, V + 3, 3 * sizeof *V);
}

void lwi_export_coordinates(lwi_export *x, int joint, double q[7], double u[6])
{
  const lw_joint_info info = lw_get_joint(x->m, (lw_joint){joint + 1});
  for (int i = 0; i < info.nq; i++)
    q[i] = x->q[info.q_all + i];
  for (int i = 0; i < info.nu; i++)
    u[i] = x->u[info.u_all + i];
}

/* Loops are closed as `eval` would close them; what cannot be closed starts as written. */
static bool find_start(lwi_export *x)
{
  const lw_model *m = x->m;
  lw_error unused;
  x->q = LWI_TAKE(&x->arena, lw_nq_all(m) + 1, double);
  x->u = LWI_TAKE(&x->arena, lw_nu_all(m) + 1, double);
  x->work = lw_work_new(m);
  if (!x->q || !x->u || !x->work) return false;
  lw_initial_state(m, x->q, x->u);
  if (lw_close_loops(x->work, 0, x->q, x->u, &unused) != LW_OK) lw_initial_state(m, x->q, x->u);
  /* joints that the model cuts may be in the tree of the file */
  if (lw_kinematics(x->work, x->q, x->u) == LW_OK) lw_get_cut_joints(x->work, x->q, x->u, NULL);
  return true;
}

/* ---- text ---- */

void lwi_export_text(lwi_export *x, const char *text)
{
  for (; *text; text++) {
    const char *entity = *text == '<'   ? "&lt;"
                         : *text == '&' ? "&amp;"
                         : *text == '"' ? "&quot;"
                                        : NULL;
    if (entity)
      lwi_yaml_add(&x->text, "%s", entity);
    else
      lwi_yaml_add(&x->text, "%c", *text);
  }
}

void lwi_export_name(lwi_export *x, const char *name, int dof, int n)
{
  lwi_yaml_add(&x->text, " name=\"");
  lwi_export_text(x, name);
  if (n > 1) lwi_yaml_add(&x->text, "_%d", dof + 1);
  lwi_yaml_add(&x->text, "\"");
}

void lwi_export_numbers(lwi_export *x, const char *key, const double v[], int n)
{
  lwi_yaml_add(&x->text, " %s=\"", key);
  for (int i = 0; i < n; i++) {
    if (i) lwi_yaml_add(&x->text, " ");
    lwi_yaml_value(&x->text, v[i]);
  }
  lwi_yaml_add(&x->text, "\"");
}

/* ---- what is lost ---- */

void lwi_export_lose(lwi_export *x, const char *what, const char *name)
{
  const size_t used = strlen(x->lost);
  if (x->nlost++ < 12)
    snprintf(x->lost + used, sizeof x->lost - used, "%s%s \"%.60s\"", used ? ", " : "", what, name);
  else if (x->nlost == 13)
    snprintf(x->lost + used, sizeof x->lost - used, " and more");
}

void lwi_export_lose_rest(lwi_export *x)
{
  const lw_spec *s = x->s;
#define LOSE(list, what)                                                                           \
  for (int i = 0; i < s->list.n; i++)                                                              \
    if (lwi_name_find(&s->force_names, s->list.item[i].d.name, strlen(s->list.item[i].d.name)) >=  \
        0)                                                                                         \
  lwi_export_lose(x, what, s->list.item[i].d.name)
  LOSE(motors, "motor");
  LOSE(loads, "force");
  LOSE(bushings, "bushing");
  LOSE(torsions, "torsion");
#undef LOSE
  for (int i = 0; i < s->events.n; i++) /* with inputs and outputs of their own */
    if (s->events.item[i].d.action == LW_ACTION_CONTACT)
      lwi_export_lose(x, s->events.item[i].d.contact.on == LW_ON_ROPE ? "rope" : "contact",
                      s->events.item[i].d.name);
  for (int i = 0; i < s->states.n; i++)
    if (!s->states.item[i].role.hidden)
      lwi_export_lose(x, s->states.item[i].d.input ? "input" : "state", s->states.item[i].d.name);
  for (int i = 0; i < s->outputs.n; i++)
    if (!s->outputs.item[i].role.hidden && !lwi_write_is_of_contact(s, s->outputs.item[i].d.name))
      lwi_export_lose(x, "output", s->outputs.item[i].d.name);
  if (lwi_written_events(s, s->events.n) > 0) lwi_export_lose(x, "section", "events");
}
