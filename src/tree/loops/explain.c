/* SPDX-License-Identifier: Apache-2.0 */
/* explain.c -- finds the part of a model that makes a state fail: values that are not finite,
   freedoms without inertia, equations that cannot be solved, forces that jump, contradictory speeds
   (explain.h).  Evaluates the parts one by one. */
#include "tree/loops/explain.h"
#include "base/fail.h"
#include "tree/loops/closure.h"
#include "tree/loops/work.h"
#include "linkwork/loops.h"
#include "linkwork/reader.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- names and places ---- */

lwi_mark lwi_mark_of(const lw_model *m, const char *name)
{
  for (int j = 1; j <= m->njoint; j++)
    if (strcmp(m->joint[j].info.name, name) == 0) return m->joint[j].mark;
  const int c = lwi_find_constraint(m, name);
  return c > 0 ? m->constraint[c].mark : (lwi_mark){0};
}

lwi_mark lwi_mark_of_body(const lw_spec *spec, const char *name)
{
  for (int i = 0; spec && i < spec->bodies.n; i++)
    if (strcmp(spec->bodies.item[i].d.name, name) == 0) return spec->bodies.item[i].mark;
  return (lwi_mark){0};
}

static bool found(lwi_failing_part *out, lwi_mark mark, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
static bool found(lwi_failing_part *out, lwi_mark mark, const char *format, ...)
{
  va_list list;
  va_start(list, format);
  vsnprintf(out->text, sizeof out->text, format, list);
  va_end(list);
  out->mark = mark;
  return true;
}

/* ---- numbers that are not finite ---- */

/* the joint whose coordinate or speed is not finite */
static bool find_state(const lw_model *m, const double q[], const double u[], lwi_failing_part *out)
{
  for (int j = 1; j <= m->njoint; j++) {
    const lw_joint_info *i = &m->joint[j].info;
    if (i->cut) continue;
    for (int k = 0; k < i->nq; k++)
      if (!isfinite(q[i->q + k]))
        return found(out, lwi_mark_of(m, i->name),
                     "a coordinate of joint \"%s\" is not finite: the motion is unbounded",
                     i->name);
    for (int k = 0; k < i->nu; k++)
      if (!isfinite(u[i->u + k]))
        return found(out, lwi_mark_of(m, i->name),
                     "a speed of joint \"%s\" is not finite: the motion is unbounded", i->name);
  }
  return false;
}

double *lwi_expression_slots(const lw_model *m, lw_work *w, double t, const double q[],
                             const double u[])
{
  const int nq = lw_nq_all(m), nu = lw_nu_all(m);
  double *slot = malloc((size_t)(m->nslot + nq + nu + 1) * sizeof *slot);
  if (!slot) return NULL;
  double *all_q = slot + m->nslot, *all_u = all_q + nq;
  if (m->nq) memcpy(all_q, q, (size_t)m->nq * sizeof(double));
  if (m->nu) memcpy(all_u, u, (size_t)m->nu * sizeof(double));
  for (int i = m->nq; i < nq; i++)
    all_q[i] = 0;
  for (int i = m->nu; i < nu; i++)
    all_u[i] = 0;
  const bool moved = w && m->nslot > m->nparameter && lw_kinematics(w, q, u) == LW_OK;
  if (moved && m->ncut > 0) lw_get_cut_joints(w, all_q, all_u, NULL);
  if (m->nparameter) memcpy(slot, m->parameter, (size_t)m->nparameter * sizeof(double));
  for (int i = m->nparameter; i < m->nslot; i++) {
    const lwi_slot *s = &m->slot[i - m->nparameter];
    slot[i] = s->kind == LWI_SLOT_TIME ? t
              : s->kind == LWI_SLOT_Q  ? all_q[s->index]
              : s->kind == LWI_SLOT_U  ? all_u[s->index]
              : moved                  ? w->kernels->get_measure(m, w->tree, &s->measure)
                                       : 0;
  }
  return slot;
}

static bool find_driver(const lw_model *m, double t, lwi_failing_part *out)
{
  for (int c = 1; c <= m->nconstraint; c++) {
    const lwi_constraint *k = &m->constraint[c];
    double target[3];
    if (k->pair >= 0 || k->relation.type != LW_DRIVER) continue;
    lwi_relation_target(&k->relation, m->parameter, m->nparameter, 0, t, target);
    for (int i = 0; i < 3; i++)
      if (!isfinite(target[i]))
        return found(out, k->mark, "the %s of driver \"%s\" (%.80s) is not finite at t = %.10g",
                     i == 0   ? "value"
                     : i == 1 ? "rate"
                              : "second derivative",
                     k->info.name, k->text ? k->text : "a number", t);
  }
  return false;
}

/* a speed whose square overflows */
static bool find_fastest(const lw_model *m, const double u[], lwi_failing_part *out)
{
  const lw_joint_info *fastest = NULL;
  double most = 1e100;
  for (int j = 1; j <= m->njoint; j++) {
    const lw_joint_info *i = &m->joint[j].info;
    for (int k = 0; k < i->nu && !i->cut; k++)
      if (fabs(u[i->u + k]) > most) most = fabs(u[i->u + k]), fastest = i;
  }
  if (!fastest) return false;
  return found(out, lwi_mark_of(m, fastest->name),
               "the motion is unbounded: joint \"%s\" has the speed %.3g", fastest->name, most);
}

/* The body with the most extreme mass, if it is outside the range of the computation. */
static bool find_extreme(const lw_model *m, lwi_failing_part *out)
{
  int body = 0;
  double most = 100; /* powers of ten */
  for (int b = 1; b <= m->nbody; b++) {
    const double size = m->body[b].mass > 0 ? fabs(log10(m->body[b].mass)) : 0;
    if (size > most) most = size, body = b;
  }
  return body && found(out, (lwi_mark){0},
                       "the accelerations are not finite: body \"%s\" has a mass of %.3g",
                       m->body[body].name, m->body[body].mass);
}

/* The joint with the largest coordinate or speed, if nothing else was found. */
static bool find_largest(const lw_model *m, double t, const double q[], const double u[],
                         lwi_failing_part *out)
{
  const lw_joint_info *largest = NULL;
  double most = -1;
  for (int j = 1; j <= m->njoint; j++) {
    const lw_joint_info *i = &m->joint[j].info;
    for (int k = 0; k < i->nq && !i->cut; k++)
      if (fabs(q[i->q + k]) > most) most = fabs(q[i->q + k]), largest = i;
    for (int k = 0; k < i->nu && !i->cut; k++)
      if (fabs(u[i->u + k]) > most) most = fabs(u[i->u + k]), largest = i;
  }
  return largest && found(out, lwi_mark_of(m, largest->name),
                          "the accelerations are not finite at t = %.10g: numbers of the model are "
                          "too large or too small; the largest of the state, %.3g, belongs to "
                          "joint \"%s\"",
                          t, most, largest->name);
}

/* ---- gimbal lock ---- */

/* how close a joint is to gimbal lock; 1: it has none, or is not known */
static double lock_of(const lw_model *m, lw_work *w, int joint, const double q[], const double u[])
{
  const lwi_joint *j = &m->joint[joint];
  if (!lwi_joint_locks(j->info.type)) return 1;
  if (!j->info.cut) return fabs(lwi_joint_lock(&j->shape, q + j->info.q));
  if (!w || lw_kinematics(w, q, u) != LW_OK) return 1;
  return fabs(lwi_joint_lock(&j->shape, lwi_cut_near(m, w->kernels, w->tree, joint)));
}

bool lwi_explain_lock(const lw_model *m, lw_work *w, const double q[], const double u[],
                      double near, lwi_failing_part *out)
{
  int joint = 0;
  for (int i = 1; i <= m->njoint; i++) {
    const double lock = lock_of(m, w, i, q, u);
    if (lock < near) near = lock, joint = i;
  }
  if (joint == 0) return false;
  const lwi_joint *j = &m->joint[joint];
  const double skew = fmax(fabs(dot3(j->shape.axis[0], j->shape.axis[1])),
                           fabs(dot3(j->shape.axis[1], j->shape.axis[2])));
  return found(out, lwi_mark_of(m, j->info.name), "%s joint \"%s\" %s gimbal lock: its %s",
               lw_joint_type_name(j->info.type), j->info.name,
               near < 1e-6 ? "is at" : "comes close to",
               skew < 1e-6 ? "first and third axes are parallel" : "three axes lie in one plane");
}

/* ---- equations that are not solved ---- */

/* The body that is lightest relative to the bodies that move through it
   (model/compile/added_mass.c), and the heaviest body of all; 0: the masses are even. */
static int find_lightest(const lw_model *m, int *heaviest)
{
  int lightest = 0;
  double least = HUGE_VAL;
  *heaviest = 1;
  for (int b = 1; b <= m->nbody; b++) {
    const int link = m->body[b].link;
    if (m->body[b].mass > m->body[*heaviest].mass) *heaviest = b;
    if (!(m->added_mass[link].mass > 0) || m->link[link].mass >= least * m->added_mass[link].mass)
      continue;
    least = m->link[link].mass / m->added_mass[link].mass;
    lightest = b;
  }
  return lightest;
}

/* a cut joint, or else the first constraint */
static const char *find_closing(const lw_model *m)
{
  for (int j = 1; j <= m->njoint; j++)
    if (m->joint[j].info.cut) return m->joint[j].info.name;
  return m->nconstraint > 0 ? m->constraint[1].info.name : NULL;
}

/* An equation that was taken for dependent on others, and is not met. */
static bool find_dropped(const lw_model *m, const lwi_unsolved *x, lwi_failing_part *out)
{
  const char *name =
      x->joint ? m->joint[x->joint].info.name : m->constraint[x->constraint].info.name;
  return found(out, lwi_mark_of(m, name),
               "so close to a singular configuration, or at speeds that it does not allow, the "
               "equations of \"%s\" "
               "cannot be told from such as follow from others, but without them it would "
               "accelerate by %.2g of the "
               "largest acceleration: change the configuration or the speeds",
               name, x->residual);
}

/* The equation with the largest residual: of a joint or constraint, or the balance of a body. */
static bool find_worst(const lw_model *m, const lwi_unsolved *x, lwi_failing_part *out)
{
  static const char said[] = "fewer than six digits of the motion are left";
  if (x->joint) {
    const lw_joint_info *j = &m->joint[x->joint].info;
    return found(out, m->joint[x->joint].mark,
                 "%s: the accelerations of bodies \"%s\" and \"%s\" miss the equations of joint "
                 "\"%s\" by %.2g of their size",
                 said, m->body[j->parent.id].name, m->body[j->child.id].name, j->name, x->residual);
  }
  if (x->constraint) {
    const lw_constraint_info *k = &m->constraint[x->constraint].info;
    return found(out, m->constraint[x->constraint].mark,
                 "%s: the accelerations miss the equation of \"%s\" by %.2g of their size", said,
                 k->name, x->residual);
  }
  const lwi_body *b = &m->body[x->body];
  return found(
      out, lwi_mark_of_body(m->spec, b->name),
      "%s: the loads on body \"%s\" (%.3g kg) miss what its acceleration requires by %.2g "
      "of their size%s",
      said, b->name, b->mass, x->residual,
      m->added_mass[b->link].mass > 0
          ? "; it is too light beside what it carries: give it more mass, or fix it to its "
            "neighbour"
          : "");
}

/* All inertias are positive, but fewer than six digits remain. */
static bool find_unsolved(const lw_model *m, const lw_work *w, lwi_failing_part *out)
{
  int heavy = 0;
  if (w && w->unsolved.dropped) return find_dropped(m, &w->unsolved, out);
  if (w && !(w->unsolved.residual <= 1e-6)) return find_worst(m, &w->unsolved, out);
  const int light = m->nbody > 0 ? find_lightest(m, &heavy) : 0;
  const char *closing = find_closing(m);
  if (light > 0 && light != heavy)
    return found(out, lwi_mark_of_body(m->spec, m->body[light].name),
                 "fewer than six digits of the motion are left: body \"%s\" (%.3g kg) is too light "
                 "beside body \"%s\" (%.3g kg); give it more mass, or fix it to its neighbour",
                 m->body[light].name, m->body[light].mass, m->body[heavy].name,
                 m->body[heavy].mass);
  if (!closing) return false;
  return found(
      out, lwi_mark_of(m, closing),
      "fewer than six digits of the motion are left: the equations of \"%s\", which closes "
      "a loop, nearly depend on those of other joints",
      closing);
}

/* ---- all together ---- */

bool lwi_explain(const lw_model *m, lw_work *w, double t, const double q[], const double u[],
                 lw_status status, lwi_failing_part *out)
{
  *out = (lwi_failing_part){0};
  if ((status == LW_E_SINGULAR || status == LW_E_NUMBER) && lwi_explain_lock(m, w, q, u, 1e-3, out))
    return true;
  if (status == LW_E_SINGULAR)
    return (w && lwi_explain_massless(m, w, t, q, out)) || find_unsolved(m, w, out);
  if (status != LW_E_NUMBER) return false;
  if (find_state(m, q, u, out) || find_driver(m, t, out)) return true;
  /* derivatives fail where the domain of a value ends: just after t */
  for (int k = 0; k < 2; k++) {
    const double at = t + k * 1e-9 * (1 + fabs(t));
    double *slot = lwi_expression_slots(m, w, at, q, u);
    const bool force = slot && lwi_explain_expressions(m, at, slot, out);
    free(slot);
    if (force) return true;
  }
  return find_fastest(m, u, out);
}

bool lwi_explain_size(const lw_model *m, double t, const double q[], const double u[],
                      lwi_failing_part *out)
{
  return find_extreme(m, out) || find_largest(m, t, q, u, out);
}

lw_status lw_explain(lw_work *w, double t, const double q[], const double u[], lw_status status,
                     const char *what, lw_error *err)
{
  const lw_model *m = lwi_work_model(w);
  lwi_failing_part why = {0};
  if ((unsigned)status >= LW_STATUS_COUNT) return LW_E_ARG;
  if (w && (!lwi_is_single(m, w) || (m->nq && !q))) return LW_E_ARG;
  double *zero_speed = u || !m ? NULL : calloc((size_t)m->nu + 1, sizeof *zero_speed);
  const double *speeds = u ? u : zero_speed;
  const bool known = m && speeds &&
                     (lwi_explain(m, w, t, q, speeds, status, &why) ||
                      (status == LW_E_NUMBER && lwi_explain_size(m, t, q, speeds, &why)));
  free(zero_speed);
  lwi_fail(err, status, "%s%s%s", what ? what : "", what ? ": " : "",
           known ? why.text : lw_status_text(status));
  if (m) lwi_locate_error(m->files, why.mark, err);
  return status;
}

/* ---- forces that jump ---- */

/* How much an expression changes between two states, compared with its size. */
static double jump_of(const lwi_expr *e, const double *a, const double *b)
{
  const double x = lwi_expr_value(e, a), y = lwi_expr_value(e, b);
  const double size = fmax(fabs(x), fabs(y));
  return size > 0 ? fabs(x - y) / size : 0;
}

/* slots other than parameters and time, moved slightly and to the other side of zero */
static void move_slots(const lw_model *m, int method, const double *from, double *to)
{
  memcpy(to, from, (size_t)m->nslot * sizeof(double));
  for (int i = m->nparameter; i < m->nslot; i++) {
    if (m->slot[i - m->nparameter].kind == LWI_SLOT_TIME) continue;
    const double d = 1e-6 * (1 + fabs(from[i]));
    to[i] += method == 0 ? d : method == 1 ? -d : (i % 2 ? d : -d);
  }
}

bool lwi_explain_jump(const lw_model *m, lw_work *w, double t, const double q[], const double u[],
                      lwi_failing_part *out)
{
  double *slot = lwi_expression_slots(m, w, t, q, u),
         *near = malloc((size_t)(m->nslot + 1) * sizeof *near);
  double most = 1e-3;
  *out = (lwi_failing_part){0};
  for (int method = 0; slot && near && method < 3; method++) {
    move_slots(m, method, slot, near);
    for (int i = 0; i < m->nmotor; i++) {
      const double jump = jump_of(&m->motor[i].value, slot, near);
      if (jump <= most) continue;
      most = jump;
      found(out, m->motor[i].mark, "motor \"%s\" jumps, or changes without bound",
            m->motor[i].name);
    }
    for (int i = 0; i < m->nload; i++)
      for (int k = 0; k < 6; k++) {
        const lwi_load *e = &m->load[i];
        const double jump = jump_of(k < 3 ? &e->force[k] : &e->torque[k - 3], slot, near);
        if (jump <= most) continue;
        most = jump;
        found(out, m->load[i].mark, "force \"%s\" jumps, or changes without bound",
              m->load[i].name);
      }
  }
  free(slot);
  free(near);
  return out->text[0] != 0;
}

/* ---- speeds ---- */

/* names the held and driven joints whose speeds contradict each other; without such it is the configuration */
lw_status lwi_contradictory_speeds(const lw_model *m, double left, lw_error *err)
{
  char names[200] = "";
  const char *first = NULL;
  for (int i = 1; i <= m->njoint + m->nconstraint; i++) {
    const bool joint = i <= m->njoint;
    const int c = i - m->njoint;
    if (joint ? !m->joint[i].hold : m->constraint[c].relation.type != LW_DRIVER) continue;
    if (!joint && m->constraint[c].pair >= 0) continue;
    const char *name = joint ? m->joint[i].info.name : m->constraint[c].info.name;
    const size_t used = strlen(names);
    snprintf(names + used, sizeof names - used, "%s%s \"%.60s\"", first ? ", " : "",
             joint ? "joint" : "driver", name);
    if (!first) first = name;
  }
  if (!first)
    return lwi_fail(err, LW_E_SINGULAR,
                    "so close to a singular configuration rounding errors decide which speeds the "
                    "loops allow: they miss them by %.3g m/s; change the configuration or the "
                    "speeds",
                    left);
  lwi_fail(err, LW_E_NOT_CONVERGED,
           "the speeds that are held or driven contradict the loops, by %.3g m/s: those of %s",
           left, names);
  const lwi_mark mark = lwi_mark_of(m, first);
  lwi_locate_error(m->files, mark, err);
  return LW_E_NOT_CONVERGED;
}
