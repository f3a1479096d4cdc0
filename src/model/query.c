/* SPDX-License-Identifier: Apache-2.0 */
/* query.c -- sizes, names and initial state of a model, its bodies, joints and constraints by name
   or number. */
#include "model/model.h"
#include "linkwork/signals.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void lw_model_free(lw_model *m)
{
  if (!m) return;
  lwi_store_drop(m->lasting);
  lwi_store_drop(m->store);
  lwi_store_drop(m->constraint_store);
  lw_spec_free(m->spec);
  lwi_arena_free(&m->arena);
  free(m);
}

const char *lw_model_name(const lw_model *m)
{
  if (!m) return NULL;
  return m->name;
}
bool lw_model_is_planar(const lw_model *m)
{
  if (!m) return false;
  return m->planar;
}
int lw_nq(const lw_model *m)
{
  if (!m) return 0;
  return m->nq;
}
int lw_nu(const lw_model *m)
{
  if (!m) return 0;
  return m->nu;
}
int lw_nq_all(const lw_model *m)
{
  if (!m) return 0;
  return m->nq + m->ncut_q;
}
int lw_nu_all(const lw_model *m)
{
  if (!m) return 0;
  return m->nu + m->ncut_u;
}
int lw_dof_of_tree(const lw_model *m)
{
  if (!m) return 0;
  return m->ndof;
}
void lw_gravity(const lw_model *m, double g[3])
{
  if (!m || !g) return;
  memcpy(g, m->gravity, 3 * sizeof(double));
}
lw_simulation_options lw_simulation_defaults(const lw_model *m)
{
  if (!m) return (lw_simulation_options){0};
  return m->simulation;
}

/* ---- bodies ---- */

static bool is_body(const lw_model *m, lw_body b)
{
  return b.id >= 0 && b.id <= m->nbody;
}
int lw_nbody(const lw_model *m)
{
  if (!m) return 0;
  return m->nbody;
}
lw_body lw_find_body(const lw_model *m, const char *name)
{
  if (!m) return (lw_body){0};
  if (!name) return (lw_body){-1};
  if (strcmp(name, "ground") == 0) return (lw_body){0};
  const int i = lwi_name_find(m->body_index, name, strlen(name)); /* points come after bodies */
  return (lw_body){i < 0 || i >= m->nbody ? -1 : i + 1};
}
lw_body lw_find_point(const lw_model *m, const char *name, double at[3])
{
  if (!m || !name || !at) return (lw_body){-1};
  const int i = lwi_name_find(m->body_index, name, strlen(name)) - m->nbody;
  if (i < 0 || i >= m->npoint || m->point[i].hidden) return (lw_body){-1};
  const lwi_body *body = &m->body[m->point[i].body];
  double offset[3];
  for (int k = 0; k < 3; k++)
    offset[k] = m->point[i].p[k] - body->p[k];
  rot_tmulv(body->R, offset, at);
  return (lw_body){m->point[i].body};
}
const char *lw_body_name(const lw_model *m, lw_body b)
{
  if (!m) return NULL;
  return is_body(m, b) ? m->body[b.id].name : NULL;
}
double lw_body_mass(const lw_model *m, lw_body b)
{
  if (!m) return NAN;
  return is_body(m, b) ? m->body[b.id].mass : (double)NAN;
}
lw_joint lw_body_joint(const lw_model *m, lw_body b)
{
  if (!m) return (lw_joint){0};
  return (lw_joint){is_body(m, b) && b.id > 0 ? m->link[m->body[b.id].link].joint : -1};
}
lw_body lw_body_parent(const lw_model *m, lw_body b)
{
  if (!m) return (lw_body){0};
  const lw_joint j = lw_body_joint(m, b);
  if (j.id < 1) return (lw_body){-1};
  const lwi_joint *joint = &m->joint[j.id];
  return joint->reversed ? joint->info.child : joint->info.parent;
}

/* ---- joints ---- */

int lw_njoint(const lw_model *m)
{
  if (!m) return 0;
  return m->njoint;
}
lw_joint lw_find_joint(const lw_model *m, const char *name)
{
  if (!m) return (lw_joint){0};
  const int i = name ? lwi_name_find(m->joint_index, name, strlen(name)) : -1;
  return (lw_joint){i < 0 ? -1 : i + 1};
}
lw_joint_info lw_get_joint(const lw_model *m, lw_joint j)
{
  if (!m) return (lw_joint_info){0};
  const bool known = j.id >= 1 && j.id <= m->njoint;
  return known ? m->joint[j.id].info : (lw_joint_info){.parent = {-1}, .child = {-1}};
}

int lw_ncut(const lw_model *m)
{
  if (!m) return 0;
  return m->ncut;
}
static int count_events(const lw_model *m, lw_action action)
{
  int n = 0;
  for (int i = 0; m && i < m->nevent; i++)
    n += m->event[i].d.action == action;
  return n;
}
int lw_nlimit(const lw_model *m)
{
  return count_events(m, LW_ACTION_LIMIT);
}
int lw_nfriction(const lw_model *m)
{
  return count_events(m, LW_ACTION_FRICTION);
}
int lw_ncontact(const lw_model *m)
{
  return count_events(m, LW_ACTION_CONTACT);
}
int lw_nevent(const lw_model *m)
{
  const int raised =
      lw_nlimit(m) + lw_nfriction(m) + lw_ncontact(m) + count_events(m, LW_ACTION_SLIP);
  return m ? m->nevent - raised : 0;
}
lw_friction_info lw_get_friction(const lw_model *m, int index)
{
  for (int i = 0; m && index >= 0 && i < m->nevent; i++) {
    const lw_event_desc *d = &m->event[i].d;
    if (d->action == LW_ACTION_FRICTION && index-- == 0)
      return (lw_friction_info){lw_find_joint(m, d->joint), d->dofs[0], d->bound[0], d->bound[1],
                                d->own_load};
  }
  return (lw_friction_info){0};
}
int lw_nconstraint(const lw_model *m)
{
  if (!m) return 0;
  return m->nconstraint;
}
lw_constraint_info lw_get_constraint(const lw_model *m, lw_constraint c)
{
  if (!m) return (lw_constraint_info){0};
  const bool known = c.id >= 1 && c.id <= m->nconstraint;
  return known ? m->constraint[c.id].info : (lw_constraint_info){.parent = {-1}, .child = {-1}};
}
int lwi_find_constraint(const lw_model *m, const char *name)
{
  for (int i = 1; i <= m->nconstraint; i++)
    if (strcmp(m->constraint[i].info.name, name) == 0) return i;
  return 0;
}

/* ---- parameters ---- */

int lwi_find_parameter(const lw_model *m, const char *name)
{
  for (int i = 0; i < m->nparameter; i++)
    if (strcmp(m->parameter_name[i], name) == 0) return i;
  return -1;
}

int lw_nparameter(const lw_model *m)
{
  if (!m) return 0;
  return m->nparameter;
}
const char *lw_parameter_name(const lw_model *m, int index)
{
  if (!m) return NULL;
  return index >= 0 && index < m->nparameter ? m->parameter_name[index] : NULL;
}
double lw_parameter_value(const lw_model *m, int index)
{
  if (!m) return NAN;
  return index >= 0 && index < m->nparameter ? m->parameter[index] : (double)NAN;
}

lw_status lw_parameter_range(const lw_model *m, int index, double *min, double *max)
{
  if (!m || index < 0 || index >= m->nparameter || !min || !max) return LW_E_ARG;
  *min = -(double)INFINITY;
  *max = (double)INFINITY;
  if (m->spec) lwi_parameters_range(&m->spec->parameters, m->parameter, index, min, max);
  return LW_OK;
}

/* ---- states ---- */

void lw_initial_state(const lw_model *m, double q[], double u[])
{
  if (!m) return;
  if (q) memcpy(q, m->q0, (size_t)m->nq * sizeof(double));
  if (u) memcpy(u, m->u0, (size_t)m->nu * sizeof(double));
}

lw_status lw_normalize(const lw_model *m, double q[])
{
  if (!m || (m->nq && !q)) return LW_E_ARG;
  for (int i = 1; i < m->nlink; i++) {
    const int quat = lwi_kind_quat((lwi_kind)m->link[i].kind);
    if (quat < 0) continue;
    double *e = q + m->link[i].q + quat;
    const double n = sqrt(e[0] * e[0] + e[1] * e[1] + e[2] * e[2] + e[3] * e[3]);
    if (!(n > 0) || !isfinite(n)) return LW_E_NUMBER;
    for (int k = 0; k < 4; k++)
      e[k] /= n;
  }
  return LW_OK;
}

/* 1/2 e o w for w in the axes of the turned frame */
static void quat_rate(const double e[4], const double w[3], double out[4])
{
  out[0] = -0.5 * (e[1] * w[0] + e[2] * w[1] + e[3] * w[2]);
  out[1] = 0.5 * (e[0] * w[0] + e[2] * w[2] - e[3] * w[1]);
  out[2] = 0.5 * (e[0] * w[1] + e[3] * w[0] - e[1] * w[2]);
  out[3] = 0.5 * (e[0] * w[2] + e[1] * w[1] - e[2] * w[0]);
}

/* R(e) v for a quaternion of any length but zero */
static void quat_turn(const double e[4], const double v[3], double out[3])
{
  const double *a = e + 1, s = 2 / (e[0] * e[0] + a[0] * a[0] + a[1] * a[1] + a[2] * a[2]);
  const double t[3] = {a[1] * v[2] - a[2] * v[1], a[2] * v[0] - a[0] * v[2],
                       a[0] * v[1] - a[1] * v[0]};
  out[0] = v[0] + s * (e[0] * t[0] + a[1] * t[2] - a[2] * t[1]);
  out[1] = v[1] + s * (e[0] * t[1] + a[2] * t[0] - a[0] * t[2]);
  out[2] = v[2] + s * (e[0] * t[2] + a[0] * t[1] - a[1] * t[0]);
}

void lwi_joint_coordinate_rates(const lw_model *m, int joint, const double q[], const double u[],
                                double qdot[])
{
  const lw_joint_info *j = &m->joint[joint].info;
  const double *qj = q + j->q, *uj = u + j->u;
  double *out = qdot + j->q;
  switch (lwi_joint_speeds(j->type, m->planar)) {
  case LWI_SPEEDS_ARE_RATES: memcpy(out, uj, (size_t)j->nq * sizeof(double)); return;
  case LWI_SPEEDS_TURN: quat_rate(qj, uj, out); return;
  case LWI_SPEEDS_MOVE:
    quat_turn(qj + 3, uj + 3, out);
    quat_rate(qj + 3, uj, out + 3);
    return;
  case LWI_SPEEDS_MOVE_PLANAR: {
    const double c = cos(qj[2]), s = sin(qj[2]);
    out[0] = c * uj[1] - s * uj[2];
    out[1] = s * uj[1] + c * uj[2];
    out[2] = uj[0];
  }
  }
}

int lw_nstate(const lw_model *m)
{
  if (!m) return 0;
  return m->nstate;
}

const char *lw_state_name(const lw_model *m, int index)
{
  if (!m) return NULL;
  return index >= 0 && index < m->nstate ? m->state[index].name : NULL;
}

bool lw_state_is_input(const lw_model *m, int index)
{
  return m && index >= 0 && index < m->nstate && m->state[index].input;
}

bool lw_state_is_internal(const lw_model *m, int index)
{
  return m && index >= 0 && index < m->nstate && m->state[index].hidden;
}

void lwi_tree_coordinate_rates(const lw_model *m, const double q[], const double u[], double qdot[])
{
  for (int i = 1; i <= m->njoint; i++)
    if (!m->joint[i].info.cut) lwi_joint_coordinate_rates(m, i, q, u, qdot);
}

void lw_coordinate_rates(const lw_model *m, const double q[], const double u[], double qdot[])
{
  if (!m || !u || !qdot) return;
  lwi_tree_coordinate_rates(m, q, u, qdot);
  for (int i = lwi_first_state(m); i < m->nq; i++)
    qdot[i] = 0;
}

/* ---- shapes ---- */

int lw_nshape(const lw_model *m)
{
  return m ? m->nshape : 0;
}

lw_status lw_get_shape(const lw_model *m, int i, lw_shape_desc *out)
{
  if (!m || !out || i < 0 || i >= m->nshape) return LW_E_ARG;
  *out = m->shape[i];
  return LW_OK;
}
