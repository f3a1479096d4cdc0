/* SPDX-License-Identifier: Apache-2.0 */
/* rows.c -- the equations of all joints, constraints and relations on the bodies they touch:
   violation, Jacobian, and the right sides of speeds and accelerations. */
#include "cartesian/form/cartesian.h"
#include "tree/loops/closure.h"

static const lwi_equations *equations_of(const lw_cartesian *c, const lwi_row_set *s)
{
  return s->joint ? &c->m->joint[s->joint].equations : &c->m->constraint[s->constraint].equations;
}
static const lwi_body_pair_state *frames_of(const lw_cartesian *c, const lwi_row_set *s)
{
  return &c->at[s->joint ? s->joint : c->m->njoint + s->constraint];
}
static bool is_relation(const lw_cartesian *c, const lwi_row_set *s)
{
  return s->constraint && c->m->constraint[s->constraint].pair < 0;
}
static int blocks_of(const lw_cartesian *c, const lwi_row_set *s)
{
  const long k = s - c->set;
  return c->touch_start[k + 1] - c->touch_start[k];
}

/* ---- Jacobian ---- */

/* adds a row about a frame's origin to a block, about the centre of mass */
static void add_row(lw_cartesian *c, const lwi_row_set *s, int block, int r, const double arm[3],
                    const double J[6], double factor)
{
  double at_com[6], moment[3];
  double *out = c->jacobian + s->J + (size_t)((block * s->n + r) * c->width);
  cross3(arm, J + 3, moment);
  for (int k = 0; k < 3; k++) {
    at_com[k] = factor * (J[k] + moment[k]);
    at_com[3 + k] = factor * J[3 + k];
  }
  const double *from = c->width == 6 ? at_com : at_com + 2;
  for (int k = 0; k < c->width; k++)
    out[k] += from[k];
}

static unsigned held(const lw_cartesian *c, const lwi_row_set *s)
{
  return s->joint ? c->m->joint[s->joint].locked : 0;
}
/* the freedom of row r, one of those after the equations; locked ones come first */
static int freedom_of(const lw_cartesian *c, const lwi_row_set *s, int r)
{
  const lwi_joint *j = &c->m->joint[s->joint];
  int n = j->equations.n;
  for (int pass = 0; pass < 2; pass++)
    for (int k = 0; k < 6; k++)
      if ((pass == 0 ? j->locked : lwi_rotors(j)) >> k & 1 && n++ == r) return k;
  return 0;
}
static bool has_speed_rows(const lw_cartesian *c, const lwi_row_set *s)
{
  return held(c, s) || s->rotors > 0;
}

void lwi_cartesian_pair_rows(const lw_cartesian *c, const lwi_row_set *s, double J[2][6][6])
{
  const lwi_body_pair_state *p = frames_of(c, s);
  double G[2][6][6];
  lwi_equations_jacobian(equations_of(c, s), &p->frame[0], &p->frame[1], J[0], J[1]);
  if (!has_speed_rows(c, s)) return;
  const lwi_joint_at at = lwi_cartesian_joint_at(c, s->joint);
  lwi_joint_speed_rows(&at, G[0], G[1]);
  for (int r = equations_of(c, s)->n; r < s->n; r++) {
    const int k = freedom_of(c, s, r);
    memcpy(J[0][r], G[0][k], sizeof J[0][r]);
    memcpy(J[1][r], G[1][k], sizeof J[1][r]);
  }
}

/* factor times [J_w + arm x J_v; J_v], or of planar models the entries that they have */
static void put_row(double *out, int width, const double arm[3], const double J[6], double factor)
{
  if (width == 3) {
    out[0] = factor * (J[2] + arm[0] * J[4] - arm[1] * J[3]);
    out[1] = factor * J[3];
    out[2] = factor * J[4];
    return;
  }
  double moment[3];
  cross3(arm, J + 3, moment);
  for (int k = 0; k < 3; k++) {
    out[k] = factor * (J[k] + moment[k]);
    out[3 + k] = factor * J[3 + k];
  }
}

static void clear_rows(lw_cartesian *c, const lwi_row_set *s)
{
  memset(c->jacobian + s->J, 0, (size_t)(blocks_of(c, s) * s->n * c->width) * sizeof(double));
}

static bool is_joining(const lw_cartesian *c, const lwi_row_set *s)
{
  return s->shifts || (s->swings && c->joined);
}

/* A pair's rows act on B at its origin, and opposite on A at the same point. */
static void pair_rows(lw_cartesian *c, const lwi_row_set *s)
{
  const lwi_body_pair_state *p = frames_of(c, s);
  const int *at = c->side[s->term];
  double J[2][6][6], reach[3];
  lwi_view *x = &c->view[s - c->set];
  lwi_equations_look(equations_of(c, s), &p->frame[0], &p->frame[1], x);
  if (has_speed_rows(c, s) || at[0] == at[1]) {
    lwi_cartesian_pair_rows(c, s, J);
    clear_rows(c, s);
    for (int side = 0; side < 2; side++)
      for (int r = 0; r < s->n && at[side] >= 0; r++)
        add_row(c, s, at[side], r, p->arm[side], J[side][r], 1);
    return;
  }
  lwi_equations_rows_seen(equations_of(c, s), x, J[1]);
  for (int k = 0; k < 3; k++)
    reach[k] = p->arm[0][k] + x->d[k];
  for (int side = 0; side < 2; side++) {
    if (at[side] < 0) continue; /* the ground */
    double *out = c->jacobian + s->J + (size_t)(at[side] * s->n * c->width);
    for (int r = 0; r < s->n; r++, out += c->width)
      put_row(out, c->width, side ? p->arm[1] : reach, J[1][r], side ? 1 : -1);
  }
}

/* The sum of the rows on the child, times their loads, about the centre of mass. */
static void add_rows_on_child(const lw_cartesian *c, const lwi_row_set *s, double load[6])
{
  const double *J = c->jacobian + s->J + (size_t)(c->side[s->term][1] * s->n * c->width);
  double *first = c->width == 6 ? load : load + 2;
  for (int r = 0; r < s->n; r++, J += c->width)
    for (int k = 0; k < c->width; k++)
      first[k] -= c->lambda[s->row + r] * J[k];
}

void lwi_cartesian_load_on_child(const lw_cartesian *c, const lwi_row_set *s, double load[6])
{
  const int *at = c->side[s->term];
  double J[2][6][6], moment[3];
  memset(load, 0, 6 * sizeof(double));
  if (!has_speed_rows(c, s) && at[1] >= 0 && at[0] != at[1]) {
    add_rows_on_child(c, s, load);
    cross3(frames_of(c, s)->arm[1], load + 3, moment);
    for (int k = 0; k < 3; k++)
      load[k] -= moment[k];
    return;
  }
  lwi_cartesian_pair_rows(c, s, J);
  for (int r = 0; r < s->n - s->rotors; r++)
    for (int k = 0; k < 6; k++)
      load[k] -= c->lambda[s->row + r] * J[1][r][k];
}

static double dot6(const double a[6], const double b[6])
{
  return dot3(a, b) + dot3(a + 3, b + 3);
}

static double coordinate_of(const lw_cartesian *c, const lwi_relation_term *t)
{
  return c->q[c->m->joint[t->joint].info.q_all + t->dof];
}

static void relation_row(lw_cartesian *c, const lwi_row_set *s)
{
  const lwi_relation *rel = &c->m->constraint[s->constraint].relation;
  clear_rows(c, s);
  for (int i = 0; i < rel->nterm; i++) {
    const lwi_relation_term *t = &rel->term[i];
    const lwi_body_pair_state *p = &c->at[t->joint];
    const double slope = lwi_term_slope(t, coordinate_of(c, t));
    double J[2][6][6];
    const lwi_joint_at at = lwi_cartesian_joint_at(c, t->joint);
    lwi_joint_speed_rows(&at, J[0], J[1]);
    for (int side = 0; side < 2; side++)
      if (c->side[s->term + i][side] >= 0)
        add_row(c, s, c->side[s->term + i][side], 0, p->arm[side], J[side][t->dof], slope);
  }
}

static void set_rows(lw_cartesian *c, const lwi_row_set *s)
{
  if (is_joining(c, s))
    lwi_joining_rows(c, s);
  else if (is_relation(c, s))
    relation_row(c, s);
  else
    pair_rows(c, s);
}

void lwi_cartesian_rows(lw_cartesian *c)
{
  for (int k = 0; k < c->shape.nset; k++)
    set_rows(c, &c->set[k]);
}

void lwi_cartesian_other_rows(lw_cartesian *c)
{
  for (int k = 0; k < c->shape.nset; k++) {
    const lwi_row_set *s = &c->set[k];
    const bool joined = s->joint && c->pair[s->joint].together && c->joined;
    if (!(joined && (s->shifts || s->swings))) set_rows(c, s);
  }
}

/* ---- right sides ---- */

static void relation_residual(lw_cartesian *c, const lwi_row_set *s)
{
  const lwi_relation *rel = &c->m->constraint[s->constraint].relation;
  double phi = -c->target[3 * s->constraint];
  for (int i = 0; i < rel->nterm; i++)
    phi += lwi_term_value(&rel->term[i], coordinate_of(c, &rel->term[i]));
  c->phi[s->row] = phi;
}

static void pair_residual(lw_cartesian *c, const lwi_row_set *s)
{
  const lw_model *m = c->m;
  const lwi_body_pair_state *p = frames_of(c, s);
  const bool turns = s->joint && m->joint[s->joint].info.nq > 0;
  double *phi = c->phi + s->row;
  lwi_equations_residual(equations_of(c, s), &p->frame[0], &p->frame[1],
                         turns ? c->q[m->joint[s->joint].info.q_all] : 0, phi);
  const int rigid = s->n - s->rotors;
  if (held(c, s)) {
    const lwi_joint *j = &m->joint[s->joint];
    double lock[6];
    lwi_lock_residual(j, p->frame, c->q + j->info.q_all, lock);
    memcpy(phi + j->equations.n, lock, (size_t)(rigid - j->equations.n) * sizeof(double));
  }
  for (int r = rigid; r < s->n; r++)
    phi[r] = 0;
}

static void find_residual(lw_cartesian *c, bool of_tree)
{
  for (int k = 0; k < c->shape.nset; k++) {
    const lwi_row_set *s = &c->set[k];
    if (!of_tree && !s->constrained)
      memset(c->phi + s->row, 0, (size_t)s->n * sizeof(double));
    else if (is_relation(c, s))
      relation_residual(c, s);
    else
      pair_residual(c, s);
  }
}

void lwi_cartesian_residual(lw_cartesian *c)
{
  find_residual(c, true);
}

void lwi_cartesian_gaps(lw_cartesian *c)
{
  find_residual(c, false);
}

void lwi_cartesian_rates(lw_cartesian *c)
{
  if (c->nrow) memset(c->nu, 0, (size_t)c->nrow * sizeof(double));
  for (int i = 1; i <= c->m->nconstraint; i++)
    if (c->m->constraint[i].pair < 0)
      c->nu[c->set[c->constraint_set[i]].row] = c->target[3 * i + 1];
}

/* what the swing of an arm adds: rows act on the accelerations of the centres of mass, and the
   frames' origins have w x (w x arm) more */
static void swing_of(const lwi_body_pair_state *p, int side, double swing[3])
{
  double turn[3];
  cross3(p->V[side], p->arm[side], turn);
  cross3(p->V[side], turn, swing);
}
static double swing(const lwi_body_pair_state *p, int side, const double J[6])
{
  double turn[3];
  swing_of(p, side, turn);
  return dot3(J + 3, turn);
}

/* the same for all rows of a set: their parts in v are those of the Jacobian */
static void subtract_swing(lw_cartesian *c, const lwi_row_set *s, int side)
{
  const int block = c->side[s->term][side], first = c->width == 6 ? 3 : 1;
  double turn[3];
  if (block < 0) return;
  swing_of(&c->at[s->joint ? s->joint : c->m->njoint + s->constraint], side, turn);
  const double *J = c->jacobian + s->J + (size_t)(block * s->n * c->width) + first;
  for (int r = 0; r < s->n; r++, J += c->width)
    for (int k = 0; k < c->width - first; k++)
      c->gamma[s->row + r] -= J[k] * turn[k];
}

static void pair_gamma(lw_cartesian *c, const lwi_row_set *s)
{
  const lwi_body_pair_state *p = frames_of(c, s);
  const lwi_equations *e = equations_of(c, s);
  double g[6];
  lwi_equations_gamma_seen(e, &c->view[s - c->set], p->V[0], p->V[1], c->gamma + s->row);
  if (has_speed_rows(c, s)) {
    const lwi_joint_at at = lwi_cartesian_joint_at(c, s->joint);
    lwi_joint_speed_gamma(&at, p->V[0], p->V[1], g);
    for (int r = e->n; r < s->n; r++)
      c->gamma[s->row + r] = g[freedom_of(c, s, r)];
  }
  subtract_swing(c, s, 0);
  subtract_swing(c, s, 1);
}

static void relation_gamma(lw_cartesian *c, const lwi_row_set *s)
{
  const lwi_relation *rel = &c->m->constraint[s->constraint].relation;
  double gamma = c->target[3 * s->constraint + 2];
  for (int i = 0; i < rel->nterm; i++) {
    const lwi_relation_term *t = &rel->term[i];
    const lwi_joint_at at = lwi_cartesian_joint_at(c, t->joint);
    const lwi_body_pair_state *p = &c->at[t->joint];
    double J[2][6][6], g[6];
    lwi_joint_speed_gamma(&at, p->V[0], p->V[1], g);
    lwi_joint_speed_rows(&at, J[0], J[1]);
    const double q = coordinate_of(c, t);
    const double u = dot6(J[0][t->dof], p->V[0]) + dot6(J[1][t->dof], p->V[1]);
    gamma +=
        lwi_term_slope(t, q) * (g[t->dof] - swing(p, 0, J[0][t->dof]) - swing(p, 1, J[1][t->dof]));
    gamma -= lwi_term_bend(t, q) * u * u;
  }
  c->gamma[s->row] = gamma;
}

void lwi_cartesian_gamma(lw_cartesian *c)
{
  for (int k = 0; k < c->shape.nset; k++)
    if (is_joining(c, &c->set[k]))
      lwi_joining_gamma(c, &c->set[k]);
    else if (is_relation(c, &c->set[k]))
      relation_gamma(c, &c->set[k]);
    else
      pair_gamma(c, &c->set[k]);
}

/* ---- products ---- */

void lwi_cartesian_multiply(const lw_cartesian *c, const double x[], double out[])
{
  const int width = c->width;
  for (int k = 0; k < c->shape.nset; k++) {
    const lwi_row_set *s = &c->set[k];
    const double *J = c->jacobian + s->J;
    for (int r = 0; r < s->n; r++)
      out[s->row + r] = 0;
    for (int b = 0; b < blocks_of(c, s); b++) {
      const double *v = x + (size_t)(c->touch_body[c->touch_start[k] + b] * width);
      for (int r = 0; r < s->n; r++, J += width)
        for (int i = 0; i < width; i++)
          out[s->row + r] += J[i] * v[i];
    }
  }
}

void lwi_cartesian_add_loads(const lw_cartesian *c, double factor, const double y[], double out[])
{
  const int width = c->width;
  for (int k = 0; k < c->shape.nset; k++) {
    const lwi_row_set *s = &c->set[k];
    const double *J = c->jacobian + s->J;
    for (int b = 0; b < blocks_of(c, s); b++) {
      double *f = out + (size_t)(c->touch_body[c->touch_start[k] + b] * width);
      for (int r = 0; r < s->n; r++, J += width)
        for (int i = 0; i < width; i++)
          f[i] += factor * J[i] * y[s->row + r];
    }
  }
}

void lwi_cartesian_mass_multiply(const lw_cartesian *c, const double x[], double y[])
{
  for (int b = 0; b < c->nbody; b++, x += c->width, y += c->width) {
    const double *J = c->state[b + 1].inertia, mass = c->body[b + 1].mass;
    const int v = c->width == 6 ? 3 : 1;
    if (c->width == 6) {
      y[0] = J[0] * x[0] + J[3] * x[1] + J[4] * x[2];
      y[1] = J[3] * x[0] + J[1] * x[1] + J[5] * x[2];
      y[2] = J[4] * x[0] + J[5] * x[1] + J[2] * x[2];
    } else {
      y[0] = J[2] * x[0];
    }
    for (int k = v; k < c->width; k++)
      y[k] = mass * x[k];
  }
}
