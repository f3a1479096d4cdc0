/* SPDX-License-Identifier: Apache-2.0 */
/* load_crossing.c -- the time at which what sticks gives way, as a function of the state and its derivatives. */
#include "sim/sensitivity/load_crossing.h"
#include "math/differences.h"
#include "sim/formulation/own_load_derivatives.h"
#include "sim/run/own_bounds.h"
#include "sim/run/simulation_data.h"

#include <math.h>
#include <string.h>

/* The friction in the load of a contact: its own, or that of the freedom beside its limit; NULL: none. */
static const lwi_contact *friction_of(const lwi_contacts *c, const lwi_contact *k)
{
  if (lwi_is_friction(k) || lwi_is_slip(k)) return k;
  return k->friction >= 0 ? &c->item[k->friction] : NULL;
}

int lwi_load_crossing_find(const lw_simulation *sim, int number)
{
  const lwi_contacts *c = &sim->contacts;
  const lwi_contact *k = lwi_contact_leaving(c, number);
  return k && friction_of(c, k) ? (int)(k - c->item) : -1;
}

/* ---- values ---- */

static double bound_of(const lwi_contacts *c, const lwi_contact *k, const lw_dynamics *d)
{
  if (!lwi_is_slip(k)) return lwi_friction_bound(friction_of(c, k), 1);
  return k->e->d.contact.friction * lwi_contact_load(&c->item[k->normal], d);
}

lw_status lwi_load_crossing_value(lw_simulation *sim, int which, double t, const double y[],
                                  double g[2])
{
  lwi_contacts *c = &sim->contacts;
  lwi_contact *k = &c->item[which];
  lw_dynamics *d = c->dynamics;
  lw_status status = d ? LW_OK : LW_E_ARG;
  if (status == LW_OK)
    status =
        lw_dynamics_accelerate(d, lwi_simulation_time(sim, t), y, y + lw_nq(sim->m), NULL, c->udot);
  if (status == LW_OK) status = lw_dynamics_find_loads(d);
  if (status != LW_OK) return status;
  lwi_contacts_find_bearings(c, d);
  const double load = lwi_contact_load(k, d);
  g[1] = bound_of(c, k, d);
  g[0] = (friction_of(c, k) == k ? fabs(load) : -load) - g[1];
  return LW_OK;
}

lw_status lwi_load_crossing_rate(lw_simulation *sim, int which, double t, const double y[],
                                 const double f[], int nmotion, double scratch[], double *rate)
{
  const lwi_difference_sizes size = lwi_sizes_along(y, f, nmotion);
  const double h = 1e-3 * size.y / fmax(1, size.y_p);
  lw_status status = LW_OK;
  *rate = 0;
  for (int c = 0; c < LWI_DIFFERENCE_POINTS && status == LW_OK; c++) {
    const double dt = lwi_difference_place[c] * h;
    double g[2] = {0};
    for (int i = 0; i < nmotion; i++)
      scratch[i] = y[i] + dt * f[i];
    status = lw_normalize(sim->m, scratch);
    if (status == LW_OK) status = lwi_load_crossing_value(sim, which, t + dt, scratch, g);
    *rate += lwi_difference_weight[c] / (LWI_DIFFERENCE_DIVISOR * h) * g[0];
  }
  return status;
}

/* ---- derivatives ---- */

/* of |f| - mu N */
static double slip_slope(const lwi_contacts *c, const lwi_contact *k,
                         const lwi_linearized_dynamics *l, const lw_model *derivative,
                         const lw_event_desc slope[])
{
  const int friction = lwi_find_constraint(l->m, k->e->contact_name),
            normal = lwi_find_constraint(l->m, c->item[k->normal].e->contact_name);
  const double mu = k->e->d.contact.friction, mu_p = slope[k->e->number - 1].contact.friction;
  const double N = lwi_contact_load(&c->item[k->normal], c->dynamics);
  return lwi_friction_load_derivative(l, friction) - mu_p * N -
         mu * lwi_normal_load_derivative(l, derivative, normal);
}

/* Fs_p */
static double bound_slope(const lwi_contact *k, const lwi_linearized_dynamics *l,
                          const lw_model *derivative, const lw_event_desc slope[])
{
  const lw_event_desc *k_p = &slope[k->e->number - 1];
  if (!k->e->d.own_load) return k_p->bound[1];
  lwi_bearing bearing;
  if (!lwi_bearing_init(&bearing, l->m, k->e->d.joint, k->e->d.bearing)) return 0;
  return k_p->bound[1] * k->bears +
         k->e->d.bound[1] * lwi_bearing_derivative(l, derivative, &bearing, k_p->bearing);
}

lw_status lwi_load_crossing_slope(const lw_simulation *sim, int which,
                                  const lwi_linearized_dynamics *l, const lw_model *derivative,
                                  const lw_event_desc slope[], double *g_p)
{
  const lwi_contacts *c = &sim->contacts;
  lwi_contact *k = &c->item[which];
  const lwi_contact *friction = friction_of(c, k);
  double load_p = 0;
  if (lwi_is_slip(k)) return *g_p = slip_slope(c, k, l, derivative, slope), LW_OK;
  const int constraint = lwi_find_constraint(l->m, k->e->contact_name);
  const lw_status status =
      lw_get_relation_load_derivative(l->d, (lw_constraint){constraint}, &load_p);
  const double sense = friction == k ? (lwi_contact_load(k, c->dynamics) > 0 ? 1 : -1) : -1;
  *g_p = sense * k->e->d.normal[0] * load_p - bound_slope(friction, l, derivative, slope);
  return status;
}
