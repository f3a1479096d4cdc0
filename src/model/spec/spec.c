/* SPDX-License-Identifier: Apache-2.0 */
/* spec.c -- build a spec.  Sticky: the first mistake is kept and everything after it is ignored. */
#include "base/quoted_name.h"
#include "model/joint/joint.h"
#include "model/spec/joint_elements.h"
#include "model/spec/laws.h"
#include "linkwork/reader.h"

#include <math.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- mistakes ---- */

void lwi_locate_error(const char *const *files, lwi_mark mark, lw_error *err)
{
  if (!err) return;
  err->line = mark.line;
  err->column = mark.column;
  snprintf(err->file, sizeof err->file, "%s", mark.file ? files[mark.file - 1] : "");
}

void lwi_spec_fail(lw_spec *s, lw_status status, lwi_mark mark, const char *format, ...)
{
  if (s->error.status != LW_OK) return;
  s->error = (lw_error){.status = status};
  lwi_locate_error(s->files, mark, &s->error);
  va_list args;
  va_start(args, format);
  vsnprintf(s->error.text, sizeof s->error.text, format, args);
  va_end(args);
}

bool lwi_spec_good(const lw_spec *s)
{
  return s && s->error.status == LW_OK;
}

void lwi_spec_no_memory(lw_spec *s)
{
  lwi_spec_fail(s, LW_E_MEMORY, s->mark, "out of memory");
}

lw_status lw_spec_error(const lw_spec *s, lw_error *err)
{
  if (!s) return LW_E_ARG;
  if (err) *err = s->error;
  return s->error.status;
}

void lw_spec_locate(lw_spec *s, int line, int column)
{
  if (s) s->mark.line = line, s->mark.column = column;
}

/* Parts come file by file: the newest files are looked at first. */
void lw_spec_locate_file(lw_spec *s, const char *file)
{
  if (!lwi_spec_good(s)) return;
  s->mark.file = 0;
  if (!file) return;
  int i = s->nfile;
  while (i > 0 && strcmp(s->files[i - 1], file) != 0)
    i--;
  if (i == 0) {
    const char *kept = lwi_spec_text(s, file);
    if (!kept) return;
    if (!lwi_grow(&s->files, s->nfile, &s->file_capacity, sizeof *s->files)) {
      lwi_spec_no_memory(s);
      return;
    }
    s->files[s->nfile++] = kept;
    i = s->nfile;
  }
  s->mark.file = i;
}

/* ---- the whole ---- */

lw_spec *lw_spec_new(void)
{
  lw_spec *s = calloc(1, sizeof *s);
  return s;
}

/* what a branch owns */
static void free_branch(lw_spec *s)
{
  free(s->joints.item);
  free(s->constraints.item);
  free(s->events.item);
  free(s->joint_of_name);
  lwi_name_index_free(&s->joint_names);
  lwi_arena_free(&s->arena);
  free(s);
}

void lw_spec_free(lw_spec *s)
{
  if (!s) return;
  if (s->borrows) {
    free_branch(s);
    return;
  }
#define FREE(field, desc) free(s->field.item);
#define FREE_FORCES(item, items, ...) FREE(items, )
  LWI_SPEC_LISTS(FREE)
  LWI_FORCE_LIST(FREE_FORCES)
#undef FREE_FORCES
#undef FREE
  for (int i = 0; i < s->nexpr; i++)
    lwi_expr_free(&s->expr[i].expr);
  free(s->expr);
  free(s->files);
  free(s->notes);
  free(s->parameter_mark);
  free(s->joint_of_name);
  lwi_parameters_free(&s->parameters);
  lwi_library_release(s->library);
  lwi_name_index_free(&s->body_names);
  lwi_name_index_free(&s->point_names);
  lwi_name_index_free(&s->output_names);
  lwi_name_index_free(&s->joint_names);
  lwi_name_index_free(&s->force_names);
  lwi_arena_free(&s->arena);
  free(s);
}

const char *lwi_spec_text(lw_spec *s, const char *text)
{
  const char *copy = lwi_arena_text(s->texts ? s->texts : &s->arena, text);
  if (text && !copy) lwi_spec_no_memory(s);
  return copy;
}

void lw_set_name(lw_spec *s, const char *name)
{
  if (lwi_spec_good(s)) s->name = lwi_spec_text(s, name);
}

void lw_set_gravity(lw_spec *s, double gx, double gy, double gz)
{
  if (!lwi_spec_good(s)) return;
  s->has_gravity = true;
  s->gravity[0] = gx, s->gravity[1] = gy, s->gravity[2] = gz;
}

void lw_set_planar(lw_spec *s)
{
  if (!lwi_spec_good(s)) return;
  if (s->bodies.n + s->joints.n > 0)
    lwi_spec_fail(s, LW_E_ARG, s->mark, "lw_set_planar must come before bodies and joints");
  s->planar = true;
}

void lw_set_simulation(lw_spec *s, const lw_simulation_options *options)
{
  if (lwi_spec_good(s) && options) s->simulation = *options;
}

/* ---- parts ---- */

bool lwi_spec_enter_name(lw_spec *s, const char *what, lwi_name_index *index, const char *name,
                         const char **kept)
{
  if (!lwi_is_name(name)) {
    lwi_spec_fail(s, LW_E_MODEL, s->mark, "\"%.80s\" is not a name for a %s: " LWI_NOT_A_NAME,
                  name ? name : "", what);
    return false;
  }
  if (strlen(name) > 200) return lwi_spec_fail(s, LW_E_MODEL, s->mark, "a name is too long"), false;
  const int before = index->n;
  *kept = lwi_spec_text(s, name);
  const int at = *kept ? lwi_name_add(index, *kept, strlen(*kept)) : -1;
  if (at < 0) return lwi_spec_no_memory(s), false;
  if (at < before)
    lwi_spec_fail(s, LW_E_MODEL, s->mark, "%s \"%s\": the name is taken", what, name);
  return at == before;
}

static bool is_body(const lw_spec *s, lw_body b)
{
  return b.id >= 0 && b.id <= s->bodies.n;
}

lw_body lw_add_body(lw_spec *s, const lw_body_desc *d)
{
  const lw_body none = {-1};
  if (!lwi_spec_good(s)) return none;
  if (!d) return lwi_spec_fail(s, LW_E_ARG, s->mark, "lw_add_body: no descriptor"), none;
  lw_body_desc copy = *d;
  if (!lwi_spec_enter_frame_name(s, "body", d->name, &copy.name)) return none;
  if (d->start) {
    lw_start *start = LWI_TAKE(&s->arena, 1, lw_start);
    if (!start) return lwi_spec_no_memory(s), none;
    *start = *d->start;
    copy.start = start;
  }
  return LWI_SPEC_APPEND(s, bodies, copy) ? (lw_body){s->bodies.n} : none;
}

/* the two bodies that a joint, constraint, bushing or torsion connects */
static bool check_pair(lw_spec *s, const char *what, const char *name, lw_body a, lw_body b)
{
  if (!is_body(s, a) || !is_body(s, b))
    return lwi_spec_fail(s, LW_E_ARG, s->mark, "%s \"%s\": no such body", what, name), false;
  if (a.id == b.id) {
    lwi_spec_fail(s, LW_E_MODEL, s->mark, "%s \"%s\": parent and child are the same body", what,
                  name);
    return false;
  }
  return true;
}

bool lwi_spec_enter_joint_id(lw_spec *s, int id)
{
  const int n = s->joint_names.n;
  if (!lwi_grow(&s->joint_of_name, n - 1, &s->joint_of_name_capacity, sizeof(int)))
    return lwi_spec_no_memory(s), false;
  s->joint_of_name[n - 1] = id;
  return true;
}

lw_joint lw_add_joint(lw_spec *s, const lw_joint_desc *d)
{
  const lw_joint none = {-1};
  if (!lwi_spec_good(s)) return none;
  if (!d || (unsigned)d->type >= LW_JOINT_TYPES)
    return lwi_spec_fail(s, LW_E_ARG, s->mark, "lw_add_joint: no such joint type"), none;
  lw_joint_desc copy = *d;
  if (!lwi_spec_enter_name(s, "joint", &s->joint_names, d->name, &copy.name)) return none;
  if (!lwi_spec_enter_joint_id(s, s->joints.n + 1)) return none;
  if (!check_pair(s, "joint", copy.name, d->parent, d->child)) return none;
  if (s->planar && !lwi_joint_traits_of(d->type).plane) {
    lwi_spec_fail(s, LW_E_MODEL, s->mark, "joint \"%s\": a planar model has no %s joints",
                  copy.name, lw_joint_type_name(d->type));
    return none;
  }
  const bool added = LWI_SPEC_APPEND(s, joints, copy) && lwi_add_joint_elements(s, &copy);
  return added ? (lw_joint){s->joints.n} : none;
}

lw_constraint lw_add_constraint(lw_spec *s, const lw_constraint_desc *d)
{
  const lw_constraint none = {-1};
  if (!lwi_spec_good(s)) return none;
  if (!d || (unsigned)d->type >= LW_CONSTRAINT_TYPES || d->nterm < 0 || (d->nterm && !d->terms))
    return lwi_spec_fail(s, LW_E_ARG, s->mark, "lw_add_constraint: wrong descriptor"), none;
  lw_constraint_desc copy = *d;
  if (!lwi_spec_enter_name(s, "constraint", &s->joint_names, d->name, &copy.name)) return none;
  if (!lwi_spec_enter_joint_id(s, 0)) return none;
  const bool relation = d->type == LW_GEAR || d->type == LW_COUPLER || d->type == LW_DRIVER;
  if (!relation && !check_pair(s, "constraint", copy.name, d->parent, d->child)) return none;
  for (int i = 0; i < d->nterm; i++)
    if (d->terms[i].joint.id < 1 || d->terms[i].joint.id > s->joints.n)
      return lwi_spec_fail(s, LW_E_ARG, s->mark, "constraint \"%s\": no such joint", copy.name),
             none;
  lw_term *terms = LWI_TAKE(&s->arena, d->nterm, lw_term);
  if (!terms) return lwi_spec_no_memory(s), none;
  if (d->nterm) memcpy(terms, d->terms, (size_t)d->nterm * sizeof *terms);
  copy.terms = terms;
  if (!LWI_SPEC_APPEND(s, constraints, copy)) return none;
  const bool good = copy.type != LW_ROPE || lwi_add_rope(s, &copy);
  return good ? (lw_constraint){s->constraints.n} : none;
}

static bool check_joint(lw_spec *s, const char *name, lw_joint j)
{
  if (j.id >= 1 && j.id <= s->joints.n) return true;
  return lwi_spec_fail(s, LW_E_ARG, s->mark, "force \"%s\": no such joint", name), false;
}

/* the number of a force: all kinds share one name space */
static lw_force newest_force(const lw_spec *s)
{
  return (lw_force){s->force_names.n};
}

static bool enter_force(lw_spec *s, const char *name, const char **kept)
{
  return lwi_spec_good(s) && lwi_spec_enter_name(s, "force", &s->force_names, name, kept);
}

lw_force lw_add_spring(lw_spec *s, const lw_spring_desc *d)
{
  const lw_force none = {-1};
  lw_spring_desc copy = d ? *d : (lw_spring_desc){0};
  if (!enter_force(s, copy.name, &copy.name)) return none;
  if (!is_body(s, copy.from) || !is_body(s, copy.to))
    return lwi_spec_fail(s, LW_E_ARG, s->mark, "force \"%s\": no such body", copy.name), none;
  const lw_force spring = newest_force(s);
  if (!LWI_SPEC_APPEND(s, springs, copy)) return none;
  return lwi_add_tension(s, &copy) ? spring : none;
}

lw_force lw_add_joint_spring(lw_spec *s, const lw_joint_spring_desc *d)
{
  const lw_force none = {-1};
  lw_joint_spring_desc copy = d ? *d : (lw_joint_spring_desc){0};
  if (!enter_force(s, copy.name, &copy.name) || !check_joint(s, copy.name, copy.joint)) return none;
  return LWI_SPEC_APPEND(s, joint_springs, copy) ? newest_force(s) : none;
}

lw_force lw_add_motor(lw_spec *s, const lw_motor_desc *d)
{
  const lw_force none = {-1};
  lw_motor_desc copy = d ? *d : (lw_motor_desc){0};
  if (!enter_force(s, copy.name, &copy.name) || !check_joint(s, copy.name, copy.joint)) return none;
  return LWI_SPEC_APPEND(s, motors, copy) ? newest_force(s) : none;
}

lw_force lw_add_load(lw_spec *s, const lw_load_desc *d)
{
  const lw_force none = {-1};
  lw_load_desc copy = d ? *d : (lw_load_desc){0};
  if (!enter_force(s, copy.name, &copy.name)) return none;
  if (!is_body(s, copy.body))
    return lwi_spec_fail(s, LW_E_ARG, s->mark, "force \"%s\": no such body", copy.name), none;
  return LWI_SPEC_APPEND(s, loads, copy) ? newest_force(s) : none;
}

lw_force lw_add_bushing(lw_spec *s, const lw_bushing_desc *d)
{
  const lw_force none = {-1};
  lw_bushing_desc copy = d ? *d : (lw_bushing_desc){0};
  if (!enter_force(s, copy.name, &copy.name)) return none;
  if (!check_pair(s, "force", copy.name, copy.parent, copy.child)) return none;
  const lw_force bushing = newest_force(s);
  if (!LWI_SPEC_APPEND(s, bushings, copy)) return none;
  return lwi_add_bushing_law(s, &copy) ? bushing : none;
}

lw_force lw_add_torsion(lw_spec *s, const lw_torsion_desc *d)
{
  const lw_force none = {-1};
  lw_torsion_desc copy = d ? *d : (lw_torsion_desc){0};
  if (!enter_force(s, copy.name, &copy.name)) return none;
  if (!check_pair(s, "force", copy.name, copy.parent, copy.child)) return none;
  const lw_force torsion = newest_force(s);
  if (!LWI_SPEC_APPEND(s, torsions, copy)) return none;
  return lwi_add_torsion_law(s, &copy) ? torsion : none;
}

/* ---- look back ---- */

lw_body lw_spec_find_body(const lw_spec *s, const char *name)
{
  if (!s || !name) return (lw_body){-1};
  if (strcmp(name, "ground") == 0) return (lw_body){0};
  const int i = lwi_name_find(&s->body_names, name, strlen(name));
  return (lw_body){i < 0 ? -1 : i + 1};
}

lw_joint lw_spec_find_joint(const lw_spec *s, const char *name)
{
  const int i = s && name ? lwi_name_find(&s->joint_names, name, strlen(name)) : -1;
  return (lw_joint){i < 0 || s->joint_of_name[i] == 0 ? -1 : s->joint_of_name[i]};
}

void lw_release_joints(lw_spec *s)
{
  for (int i = 0; s && i < s->joints.n; i++)
    s->joints.item[i].d.hold = false;
}

lw_status lw_hold_joint(lw_spec *s, const char *name, const double q[], const double u[])
{
  const lw_joint j = lw_spec_find_joint(s, name);
  if (j.id < 1) return LW_E_ARG;
  lw_joint_desc *d = &s->joints.item[j.id - 1].d;
  const int nq = lw_joint_type_nq(d->type, s->planar), nu = lw_joint_type_nu(d->type, s->planar);
  for (int i = 0; i < nq && q; i++)
    d->q[i] = q[i];
  for (int i = 0; i < nu && u; i++)
    d->u[i] = u[i];
  if (q) d->q_orient = (lw_orient){.type = LW_ORIENT_NONE};
  d->has_q = d->has_q || q;
  d->has_u = d->has_u || u;
  d->hold = true;
  return LW_OK;
}
