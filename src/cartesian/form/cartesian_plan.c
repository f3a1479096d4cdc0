/* SPDX-License-Identifier: Apache-2.0 */
/* cartesian_plan.c -- once per model: bodies, pairs of frames, sets of rows and the bodies they
   touch. */
#include "base/fail.h"
#include "cartesian/form/cartesian.h"

#define TAKE(c, n, type) LWI_TAKE(&(c)->arena, (size_t)(n) + 1, type)

/* ---- bodies ---- */

/* least and mean moment of inertia; det > 0 and the like decide it without eigenvalues */
static bool is_regular(const double a[6])
{
  const double xx = a[0], yy = a[1], zz = a[2], xy = a[3], xz = a[4], yz = a[5];
  const double size = (xx + yy + zz) / 3, minor = xx * yy - xy * xy;
  const double det = xx * (yy * zz - yz * yz) - xy * (xy * zz - yz * xz) + xz * (xy * yz - yy * xz);
  return size > 0 && xx > 0 && minor > 0 && det > 1e-11 * size * size * size;
}

static void set_body(lw_cartesian *c, int i, double mean_mass)
{
  static const int row[6] = {0, 1, 2, 0, 0, 1}, column[6] = {0, 1, 2, 1, 2, 2};
  const lw_model *m = c->m;
  lwi_cartesian_body *b = &c->body[i];
  const lwi_link *L = &m->link[m->body[i].link];
  b->link = m->body[i].link;
  b->mass = L->mass;
  b->inertialess = L->inertialess > 0;
  for (int k = 0; k < 3; k++)
    b->com[k] = L->mass > 0 ? L->h[k] / L->mass : 0;
  const double cc = dot3(b->com, b->com);
  for (int k = 0; k < 6; k++)
    b->inertia[k] = L->J.c[column[k]][row[k]] -
                    L->mass * ((k < 3 ? cc : 0) - b->com[row[k]] * b->com[column[k]]);
  const double *n = m->body[i].R.c[2]; /* planar: the normal, in link axes */
  const double about = n[0] * (b->inertia[0] * n[0] + 2 * b->inertia[3] * n[1]) +
                       n[1] * (b->inertia[1] * n[1] + 2 * b->inertia[5] * n[2]) +
                       n[2] * (b->inertia[2] * n[2] + 2 * b->inertia[4] * n[0]);
  const double size = (b->inertia[0] + b->inertia[1] + b->inertia[2]) / 3;
  const double unit = fmax(size, 0.01 * fmax(b->mass, 0.1 * mean_mass) * m->length * m->length);
  const bool regular = m->planar ? about > 1e-12 * unit : is_regular(b->inertia);
  const lwi_added_mass *added_mass = &m->added_mass[b->link];
  /* which rows count is decided for all of them; 1/m is needed of all */
  const bool ranked = added_mass->loop || m->tree_constraints.nconstraint > 0 || !(b->mass > 0);
  b->added_mass = ranked ? added_mass->mass : 0;
  b->added_inertia = regular || b->inertialess ? 0 : unit;
  if (ranked) b->added_inertia = fmax(b->added_inertia, added_mass->inertia);
  c->light = c->light || b->added_mass > 0 || b->added_inertia > 0;
}

static lw_status set_bodies(lw_cartesian *c, lw_error *err)
{
  double total = 0;
  for (int i = 1; i <= c->nbody; i++)
    total += c->m->body[i].mass;
  if (c->nbody > 0 && !(total > 0))
    return lwi_fail(err, LW_E_UNSUPPORTED, "no body has mass: nothing to compute accelerations of");
  for (int i = 1; i <= c->nbody; i++)
    set_body(c, i, total / c->nbody);
  c->state[0].X = lwi_frame_identity();
  return LW_OK;
}

/* ---- pairs of frames ---- */

static lwi_frame place_on(const lw_cartesian *c, int body, const lwi_frame *in_body)
{
  const lwi_body *b = &c->m->body[body];
  lwi_frame X = {.R = b->R};
  memcpy(X.p, b->p, sizeof X.p);
  X = lwi_frame_mul(X, *in_body);
  for (int k = 0; k < 3 && body > 0; k++)
    X.p[k] -= c->body[body].com[k];
  return X;
}

static void set_pair(lw_cartesian *c, int at, int parent, int child, const lwi_frame *on_parent,
                     const lwi_frame *on_child)
{
  lwi_body_pair *p = &c->pair[at];
  p->body[0] = parent;
  p->body[1] = child;
  p->place[0] = place_on(c, parent, on_parent);
  p->place[1] = place_on(c, child, on_child);
  for (int side = 0; side < 2; side++) {
    const rot3 same = rot_identity();
    p->aligned[side] = memcmp(&p->place[side].R, &same, sizeof same) == 0;
  }
}

static bool holds_origins(const lw_model *m, const lwi_joint *j)
{
  int shifts = 0;
  for (int i = 0; i < j->equations.n; i++)
    shifts += j->equations.row[i] <= LWI_SHIFT_2; /* the first kinds of all */
  return shifts == (m->planar ? 2 : 3);
}

static void set_pairs(lw_cartesian *c)
{
  const lw_model *m = c->m;
  for (int i = 1; i <= m->njoint; i++) {
    set_pair(c, i, m->joint[i].info.parent.id, m->joint[i].info.child.id, &m->joint[i].place,
             &m->joint[i].child_place);
    c->pair[i].together = !m->joint[i].info.cut && holds_origins(m, &m->joint[i]);
  }
  for (int i = 1; i <= m->nconstraint; i++)
    if (m->constraint[i].pair >= 0)
      set_pair(c, m->njoint + i, m->constraint[i].info.parent.id, m->constraint[i].info.child.id,
               &m->constraint[i].place, &m->constraint[i].child_place);
}

/* ---- sets ---- */

/* which block of the set that is being made a body is; adds one if need be */
static int touch(lw_cartesian *c, int body)
{
  const int first = c->touch_start[c->shape.nset];
  int *end = &c->touch_start[c->shape.nset + 1];
  if (body == 0) return -1;
  for (int i = first; i < *end; i++)
    if (c->touch_body[i] == body - 1) return i - first;
  c->touch_body[*end] = body - 1;
  return (*end)++ - first;
}

/* Do all rows of a set hold points of two bodies together, or directions? */
static bool is_of(const lw_cartesian *c, const lwi_row_set *s, bool directions)
{
  const lwi_joint *j = s->joint ? &c->m->joint[s->joint] : NULL;
  const lwi_equations *e = j ? &j->equations : &c->m->constraint[s->constraint].equations;
  const int *at = c->side[s->term];
  bool all = e->n > 0 && s->n == e->n && at[0] != at[1];
  for (int i = 0; i < e->n; i++)
    all = all && (e->row[i] <= LWI_SHIFT_2 ||
                  (directions && (e->row[i] == LWI_SWING_0 || e->row[i] == LWI_SWING_1)));
  return all;
}

static void add_set(lw_cartesian *c, lwi_row_set s, const lwi_relation *r)
{
  const int k = c->shape.nset;
  c->touch_start[k + 1] = c->touch_start[k];
  s.row = c->nrow;
  s.J = c->njacobian;
  s.term = c->nterm;
  if (r) {
    for (int i = 0; i < r->nterm; i++, c->nterm++)
      for (int side = 0; side < 2; side++)
        c->side[c->nterm][side] = touch(c, c->pair[r->term[i].joint].body[side]);
  } else {
    const int at = s.joint ? s.joint : c->m->njoint + s.constraint;
    for (int side = 0; side < 2; side++)
      c->side[c->nterm][side] = touch(c, c->pair[at].body[side]);
    c->nterm++;
  }
  c->njacobian += (size_t)(s.n * c->width) * (size_t)(c->touch_start[k + 1] - c->touch_start[k]);
  c->nrow += s.n;
  c->row_start[k + 1] = c->nrow;
  s.shifts = !r && is_of(c, &s, false);
  s.swings = !r && s.joint && !s.constrained && c->width == 6 && is_of(c, &s, true);
  c->set[k] = s;
  c->shape.nset++;
}

/* Do equations of positions need the coordinates of joints that the tree does not run through? */
static bool reads_cut(const lw_model *m)
{
  bool any = false;
  for (int i = 1; i <= m->njoint; i++) {
    const lwi_joint *j = &m->joint[i];
    any = any || (j->info.cut && (j->locked || j->info.type == LW_HELICAL));
  }
  for (int i = 1; i <= m->nconstraint; i++)
    for (int k = 0; m->constraint[i].pair < 0 && k < m->constraint[i].relation.nterm; k++)
      any = any || m->joint[m->constraint[i].relation.term[k].joint].info.cut;
  return any;
}

static void add_sets(lw_cartesian *c)
{
  const lw_model *m = c->m;
  for (int i = 1; i <= m->njoint; i++) {
    const lwi_joint *j = &m->joint[i];
    const int rotors = lwi_count_locked(lwi_rotors(j));
    const int n = j->equations.n + lwi_count_locked(j->locked) + rotors;
    c->joint_set[i] = n > 0 ? c->shape.nset : -1;
    if (n > 0)
      add_set(c, (lwi_row_set){.joint = i, .n = n, .rotors = rotors, .constrained = j->info.cut},
              NULL);
  }
  for (int i = 1; i <= m->nconstraint; i++) {
    const lwi_constraint *k = &m->constraint[i];
    const bool relation = k->pair < 0;
    const int n = relation ? 1 : k->equations.n;
    c->constraint_set[i] = n > 0 ? c->shape.nset : -1;
    if (n > 0)
      add_set(c, (lwi_row_set){.constraint = i, .n = n, .constrained = true},
              relation ? &k->relation : NULL);
  }
}

static bool take_sets(lw_cartesian *c)
{
  const lw_model *m = c->m;
  const int nset = m->njoint + m->nconstraint;
  int nterm = nset;
  for (int i = 1; i <= m->nconstraint; i++)
    nterm += m->constraint[i].relation.nterm;
  c->body = TAKE(c, m->nbody, lwi_cartesian_body);
  c->state = TAKE(c, m->nbody, lwi_body_state);
  c->pair = TAKE(c, nset, lwi_body_pair);
  c->at = TAKE(c, nset, lwi_body_pair_state);
  c->set = TAKE(c, nset, lwi_row_set);
  c->view = TAKE(c, nset, lwi_view);
  c->joint_set = TAKE(c, m->njoint, int);
  c->constraint_set = TAKE(c, m->nconstraint, int);
  c->side = lwi_arena_take(&c->arena, (size_t)nterm + 1, sizeof *c->side);
  c->row_start = TAKE(c, nset, int);
  c->touch_start = TAKE(c, nset, int);
  c->touch_body = TAKE(c, 2 * nterm, int);
  return c->body && c->state && c->pair && c->at && c->set && c->view && c->joint_set &&
         c->constraint_set && c->side && c->row_start && c->touch_start && c->touch_body;
}

static bool take_compliance(lw_cartesian *c)
{
  if (!c->m->has_armature) return true;
  if (!(c->give = TAKE(c, c->nrow, double))) return false;
  for (int k = 0; k < c->shape.nset; k++) {
    const lwi_row_set *s = &c->set[k];
    int row = s->row + s->n - s->rotors;
    for (int i = 0; i < LW_RATE_PAIRS && s->rotors > 0; i++)
      if (lwi_rotors(&c->m->joint[s->joint]) >> i & 1)
        c->give[row++] = 1 / c->m->joint[s->joint].armature[i];
  }
  return true;
}

static bool take_numbers(lw_cartesian *c)
{
  const lw_model *m = c->m;
  const size_t speeds = lwi_cartesian_speeds(c), nq = (size_t)(m->nq + m->ncut_q),
               nu = (size_t)(m->nu + m->ncut_u);
  bool fine = take_compliance(c);
  c->mass = TAKE(c, c->nbody, lwi_descriptor_mass);
  c->jacobian = TAKE(c, c->njacobian, double);
  c->target = TAKE(c, 3 * (m->nconstraint + 1), double);
  c->start = TAKE(c, m->nconstraint + 1, double);
  c->q = TAKE(c, nq, double);
  c->u = TAKE(c, nu, double);
  c->tau = TAKE(c, nu, double);
  double **wide[] = {&c->force, &c->a}, **rows[] = {&c->gamma, &c->nu, &c->phi, &c->lambda};
  for (int i = 0; i < 2; i++)
    fine = (*wide[i] = TAKE(c, speeds, double)) && fine;
  for (int i = 0; i < 4; i++)
    fine = (*rows[i] = TAKE(c, c->nrow, double)) && fine;
  for (int i = 0; i < 5; i++)
    fine = (c->scratch[i] = TAKE(c, speeds, double)) && fine;
  for (int i = 0; i < 8; i++)
    fine = (c->scratch_rows[i] = TAKE(c, c->nrow, double)) && fine;
  fine = (c->wide = TAKE(c, speeds, long double)) && fine;
  return fine && c->mass && c->jacobian && c->target && c->start && c->q && c->u && c->tau;
}

lw_status lwi_cartesian_plan(lw_cartesian *c, lw_error *err)
{
  const lw_model *m = c->m;
  c->nbody = m->nbody;
  c->width = m->planar ? 3 : 6;
  if (!take_sets(c)) return lwi_fail(err, LW_E_MEMORY, "Cartesian form: out of memory");
  const lw_status status = set_bodies(c, err);
  if (status != LW_OK) return status;
  set_pairs(c);
  add_sets(c);
  c->reads_cut = reads_cut(m);
  c->shape.nbody = c->nbody;
  c->shape.width = c->width;
  c->shape.row = c->row_start;
  c->shape.touch = c->touch_start;
  c->shape.body = c->touch_body;
  if (take_numbers(c)) return LW_OK;
  return lwi_fail(err, LW_E_MEMORY, "Cartesian form: out of memory");
}
