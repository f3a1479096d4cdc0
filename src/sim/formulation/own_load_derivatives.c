/* SPDX-License-Identifier: Apache-2.0 */
/* own_load_derivatives.c -- derivatives along a direction where friction depends on its own load x = y(p(x)).
   With the loads x held the direction changes y by y_d, and each x by itself changes it by D: then

       x_d = y_d + D x_d

   and the derivative with x_d among those of the states is that of the motion. */
#include "sim/formulation/own_load_derivatives.h"
#include "linalg/dense.h"
#include "tree/loops/constraint_loads.h"

#include <string.h>

bool lwi_own_loads_act(const lw_dynamics *d)
{
  const lwi_own_load *item;
  return lwi_own_loads_list(d->own_loads, &item) > 0;
}

lw_status lwi_own_loads_complete(lwi_linearized_dynamics *l, double t, double y[])
{
  const lwi_own_load *item;
  const int n = lwi_own_loads_list(l->dynamics->own_loads, &item), nq = lw_nq(l->m);
  if (n == 0) return LW_OK;
  const lw_status status = lw_dynamics_accelerate(l->dynamics, t, y, y + nq, NULL, l->own.udot);
  for (int i = 0; i < n && status == LW_OK; i++)
    y[item[i].state] = lwi_own_loads_q(l->dynamics->own_loads)[item[i].state];
  return status;
}

/* ---- what the loads change by ---- */

static num_frame body_frame(const lwi_linearized_dynamics *l, int body)
{
  const lwi_moving_frame stored = lwi_derivative_body(l->m, l->d, body);
  return lwi_get_moving(&stored).frame;
}

/* bearing.h, in numbers with derivatives */
static num bearing_load(const num a[3], const num size[3], const num load[6])
{
  const num along = dot3(load + 3, a);
  num turn[3], sum = value_of(along) > 0 ? size[2] * along : -size[2] * along;
  const bool two = value_of(size[1]) != 0;
  cross3(load, a, turn);
  for (int side = -1; side <= (two ? 1 : -1); side += 2) {
    num square = 0;
    for (int i = 0; i < 3; i++) {
      const num across = load[3 + i] - along * a[i];
      const num N = two ? 0.5 * across + side * turn[i] / size[1] : across;
      square += N * N;
    }
    sum += size[0] * num_sqrt(square);
  }
  return sum;
}

double lwi_bearing_derivative(const lwi_linearized_dynamics *l, const lw_model *derivative,
                              const lwi_bearing *b, const double size_p[3])
{
  const lwi_joint *j = &l->m->joint[b->joint];
  const lwi_joint *j_p = derivative ? &derivative->joint[b->joint] : NULL;
  num load[6], in[3], a[3], size[3];
  const num_frame place = lwi_get_frame(&j->child_place, j_p ? &j_p->child_place : NULL);
  lwi_get(j->shape.axis[0], j_p ? j_p->shape.axis[0] : NULL, 3, in);
  rot_mulv(place.R, in, a);
  rot_mulv(body_frame(l, j->info.child.id).R, a, a);
  lwi_get(b->size, size_p, 3, size);
  lwi_joint_load(l->m, l->d, b->joint, load);
  return derivative_of(bearing_load(a, size, load));
}

/* In ground axes: of a plane, or from centre to centre. */
static void find_normal(const lwi_linearized_dynamics *l, const lwi_constraint *k,
                        const lwi_constraint *k_p, num n[3])
{
  const num_frame A = body_frame(l, k->info.parent.id),
                  place = lwi_get_frame(&k->place, k_p ? &k_p->place : NULL),
                  child = lwi_get_frame(&k->child_place, k_p ? &k_p->child_place : NULL);
  num in[3], from[3], to[3];
  if (k->info.type != LW_DISTANCE) {
    lwi_get(k->equations.E.c[2], k_p ? k_p->equations.E.c[2] : NULL, 3, in);
    rot_mulv(place.R, in, n);
    rot_mulv(A.R, n, n);
    return;
  }
  lwi_frame_point(A, place.p, from);
  lwi_frame_point(body_frame(l, k->info.child.id), child.p, to);
  direction3(from, to, n);
}

double lwi_normal_load_derivative(const lwi_linearized_dynamics *l, const lw_model *derivative,
                                  int constraint)
{
  const lwi_constraint *k = &l->m->constraint[constraint];
  const lwi_constraint *k_p = derivative ? &derivative->constraint[constraint] : NULL;
  num load[6], n[3];
  find_normal(l, k, k_p, n);
  lwi_tree_constraint_load(l->m, l->d, k->constraint, load);
  return derivative_of(dot3(n, load + 3));
}

double lwi_friction_load_derivative(const lwi_linearized_dynamics *l, int constraint)
{
  num load[6];
  lwi_tree_constraint_load(l->m, l->d, l->m->constraint[constraint].constraint, load);
  return derivative_of(num_sqrt(dot3(load + 3, load + 3)));
}

/* y_d of all loads along the direction, with the states s */
static lw_status resulting(lwi_linearized_dynamics *l, const lw_direction *x, const double s[],
                           double y_d[])
{
  const lwi_own_load *item;
  const int n = lwi_own_loads_list(l->dynamics->own_loads, &item), first = lwi_first_state(l->m);
  lw_direction along = *x;
  along.states = s;
  lw_status status = lw_forward_derivative(l->d, &along, NULL);
  if (status == LW_OK) status = lw_load_derivatives(l->d);
  const lw_model *derivative = x->model ? x->model->derivative : NULL;
  for (int i = 0; i < n && status == LW_OK; i++)
    y_d[i] = item[i].constraint
                 ? lwi_normal_load_derivative(l, derivative, item[i].constraint)
                 : lwi_bearing_derivative(l, derivative, &item[i].bearing,
                                          derivative ? derivative->state[item[i].state - first].size
                                                     : NULL);
  return status;
}

/* D at the state of l: column j by a unit of load j */
static lw_status find_matrix(lwi_linearized_dynamics *l)
{
  const lwi_own_load *item;
  const int n = lwi_own_loads_list(l->dynamics->own_loads, &item), first = lwi_first_state(l->m);
  double *s = l->own.states, *column = l->own.x;
  lw_status status = LW_OK;
  memset(s, 0, (size_t)l->m->nstate * sizeof *s);
  for (int j = 0; j < n && status == LW_OK; j++) {
    s[item[j].state - first] = 1;
    status = resulting(l, &(lw_direction){0}, s, column);
    s[item[j].state - first] = 0;
    for (int i = 0; i < n; i++)
      l->own.D[i * n + j] = column[i];
  }
  l->own.known = status == LW_OK;
  return status;
}

lw_status lwi_own_loads_derive(lwi_linearized_dynamics *l, const lw_direction *x, double udot[],
                               const double **states)
{
  const lwi_own_load *item;
  const int n = lwi_own_loads_list(l->dynamics->own_loads, &item), first = lwi_first_state(l->m);
  double *s = l->own.states, *x_d = l->own.x;
  lw_direction along = *x;
  *states = x->states;
  if (n == 0) return lw_forward_derivative(l->d, x, udot);
  double *A = l->own.D + n * n;
  lw_status status = l->own.known ? LW_OK : find_matrix(l);
  for (int i = 0; i < l->m->nstate; i++)
    s[i] = x->states ? x->states[i] : 0;
  for (int i = 0; i < n; i++)
    s[item[i].state - first] = 0;
  if (status == LW_OK) status = resulting(l, x, s, x_d);
  if (status != LW_OK) return status;
  for (int i = 0; i < n * n; i++)
    A[i] = (i % (n + 1) == 0) - l->own.D[i];
  if (!lwi_solve_square(n, A, x_d, 1e-12)) return LW_E_SINGULAR;
  for (int i = 0; i < n; i++)
    s[item[i].state - first] = x_d[i];
  *states = along.states = s;
  return lw_forward_derivative(l->d, &along, udot);
}
