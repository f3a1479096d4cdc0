/* SPDX-License-Identifier: Apache-2.0 */
/* Closed loops and constraints on random trees (loop_cases.h), by cut joints and embedded, against a dense
   solve and against the balance of every single body. */
#include "loop_cases.h"
#include "linkwork/analysis.h"

static void accelerations_solve_the_dense_system(void **state)
{
  (void)state;
  for (unsigned k = 0; k < 150; k++) {
    const lwt_loops d = lwt_loops_recipe(k);
    lwt_case c = mechanism_case(&d);
    dense_rows g = find_rows(&c);
    double *lambda = calloc((size_t)g.n + 1, sizeof *lambda);
    int rank = solve_kkt(&c, &g, c.x, lambda);
    if (rank < g.n) { /* speeds must be possible */
      memset(c.u, 0, (size_t)c.nu * sizeof(double));
      dense_rows_free(&g);
      g = find_rows(&c);
      rank = solve_kkt(&c, &g, c.x, lambda);
    }
    lwt_ok(lw_forward_dynamics(c.w, c.t, c.q, c.u, c.tau, c.udot));
    lwt_close(c.udot, c.x, c.nu, 1e-9, G + lwt_scale(c.x, c.nu), "seed %u, %d rows of rank %d", k,
              g.n, rank);
    free(lambda);
    dense_rows_free(&g);
    lwt_case_free(&c);
  }
}

static void equal_joints_side_by_side_change_no_motion(void **state)
{
  (void)state;
  for (unsigned k = 0; k < 60; k++) {
    lwt_loops d = lwt_loops_recipe(k);
    d.relations = 0;
    d.constraints = 0;
    lwt_case once = mechanism_case(&d);
    d.twice = true;
    lwt_case both = mechanism_case(&d);
    memset(once.u, 0, (size_t)once.nu * sizeof(double));
    memset(both.u, 0, (size_t)both.nu * sizeof(double));
    assert_int_equal(once.nu, both.nu);
    lwt_ok(lw_forward_dynamics(once.w, 0, once.q, once.u, NULL, once.udot));
    lwt_ok(lw_forward_dynamics(both.w, 0, both.q, both.u, NULL, both.udot));
    lwt_close(both.udot, once.udot, once.nu, 1e-9, G + lwt_scale(once.udot, once.nu), "seed %u", k);
    lwt_case_free(&once);
    lwt_case_free(&both);
  }
}

/* M A + b of a link, about the ground origin, without gravity's part */
static void link_demand(const lwt_case *c, int link, double out[6])
{
  const lwi_link *L = &c->m->link[link];
  double C[9], p[3], V[6], A[6], J[3], h[3], x[3], y[3], *t = out, *f = out + 3;
  c->w->kernels->get_frame(c->m, c->w->tree, link, C, p);
  c->w->kernels->get_motion(c->m, c->w->tree, link, V, A);
  const rot3 R = rot_columns(C), I = rot_mul(rot_mul(R, L->J), rot_transpose(R));
  for (int i = 0; i < 3; i++)
    A[3 + i] -= c->m->gravity[i];
  rot_mulv(R, L->h, h);
  rot_mulv(I, A, t);
  rot_mulv(I, V, J);
  cross3(V, J, x);
  cross3(h, A + 3, y);
  for (int i = 0; i < 3; i++)
    t[i] += x[i] + y[i];
  cross3(A, h, x);
  cross3(V, h, y);
  cross3(V, y, y);
  for (int i = 0; i < 3; i++)
    f[i] = L->mass * A[3 + i] + x[i] + y[i];
  cross3(p, f, x);
  for (int i = 0; i < 3; i++)
    t[i] += x[i];
}

/* adds a load at the child's frame to the sums of both bodies */
static void add_load(const lwt_case *c, lw_body parent, lw_body child, const lwi_frame *child_place,
                     const double load[6], double (*sum)[6])
{
  lw_pose X;
  double moment[3];
  lwt_ok(lw_get_pose(c->w, child, &X));
  const lwi_frame B = lwi_frame_mul(frame_of(&X), *child_place);
  cross3(B.p, load + 3, moment);
  for (int i = 0; i < 6; i++) {
    const double x = load[i] + (i < 3 ? moment[i] : 0);
    sum[child.id][i] += x;
    sum[parent.id][i] -= x;
  }
}

static void joint_loads_balance_every_body(void **state)
{
  (void)state;
  for (unsigned k = 0; k < 100; k++) {
    lwt_loops d = lwt_loops_recipe(k);
    d.relations = 0;
    d.twice = k % 5 == 0;
    lwt_case c = mechanism_case(&d);
    if (d.twice) memset(c.u, 0, (size_t)c.nu * sizeof(double));
    double(*sum)[6] = calloc((size_t)c.m->nbody + 1, sizeof *sum), need[6], load[6];
    lwt_ok(lw_forward_dynamics(c.w, 0, c.q, c.u, NULL, c.udot));
    lwt_ok(lw_joint_loads(c.w));
    for (int j = 1; j <= c.m->njoint; j++) {
      const lwi_joint *i = &c.m->joint[j];
      lwt_ok(lw_get_load(c.w, (lw_joint){j}, load));
      add_load(&c, i->info.parent, i->info.child, &i->child_place, load, sum);
    }
    for (int j = 1; j <= c.m->nconstraint; j++) {
      const lwi_constraint *i = &c.m->constraint[j];
      lwt_ok(lw_get_constraint_load(c.w, (lw_constraint){j}, load));
      add_load(&c, i->info.parent, i->info.child, &i->child_place, load, sum);
    }
    double scale = 1;
    for (int b = 1; b <= c.m->nbody; b++)
      scale = fmax(scale, lwt_scale(sum[b], 6));
    for (int b = 1; b <= c.m->nbody; b++) {
      link_demand(&c, c.m->body[b].link, need);
      lwt_close(sum[b], need, 6, 1e-9, scale, "seed %u, body %d", k, b);
    }
    free(sum);
    lwt_case_free(&c);
  }
}

/* a mechanism that may move, with random speeds among those that are possible */
static lwt_case moving_case(unsigned k)
{
  lwt_loops d = lwt_loops_recipe(k);
  d.relations = 0;
  d.loops = 1 + (int)(k % 2);
  d.constraints = (int)(k % 2);
  lwt_case c = way_case(lwt_loops_model(&d), k);
  double *u = malloc((size_t)(c.nu + 1) * sizeof *u);
  lw_error err = {0};
  lw_initial_state(c.m, c.q, u);
  free(u);
  lw_close_loops(c.w, 0, c.q, c.u, &err);
  assert_string_equal(err.text, "");
  return c;
}

static double total_energy(const lwt_case *c)
{
  double kinetic, potential;
  lwt_ok(lw_energy(c->w, c->q, c->u, &kinetic, &potential));
  return kinetic + potential;
}

static void energy_is_kept_and_loops_stay_closed(void **state)
{
  (void)state;
  const lw_simulation_options o = {.end = 1, .rtol = 1e-9, .loops = loop_way};
  for (unsigned k = 0; k < 40; k++) {
    lwt_case c = moving_case(k);
    lw_error err = {0};
    double drift;
    const double before = total_energy(&c);
    lw_simulation *sim = lw_simulation_new(c.m, &o, &err);
    lw_simulation_start(sim, 0, c.q, c.u, &err);
    for (int i = 1; i <= 5; i++) {
      lw_simulation_advance(sim, 0.2 * i, c.q, c.u, &err);
      if (err.text[0]) fail_msg("seed %u: %s", k, err.text);
      lwt_ok(lw_drift(c.w, 0.2 * i, c.q, &drift));
      lwt_near(drift, 0, 1e-10, "seed %u: drift", k);
    }
    lwt_near(total_energy(&c), before, 1e-6 * (10 + fabs(before)), "seed %u: energy", k);
    lw_simulation_free(sim);
    lwt_case_free(&c);
  }
}

static void a_disturbed_mechanism_is_assembled_again(void **state)
{
  (void)state;
  for (unsigned k = 0; k < 80; k++) {
    lwt_case c = moving_case(k);
    lwt_random r = lwt_seed(k + 77);
    lw_error err = {0};
    double drift;
    for (int i = 0; i < c.nq; i++)
      c.q[i] += lwt_uniform(&r, -0.1, 0.1);
    lw_close_loops(c.w, 0, c.q, c.u, &err);
    if (err.text[0]) fail_msg("seed %u: %s", k, err.text);
    lwt_ok(lw_drift(c.w, 0, c.q, &drift));
    lwt_near(drift, 0, 1e-11, "seed %u", k);
    lwt_case_free(&c);
  }
}

/* accelerations of all bodies, and the energy, at the assembled start */
static void start_motion(const lwt_loops *d, double (*A)[6], double energy[2])
{
  lwt_case c = way_case(lwt_loops_model(d), d->tree.seed);
  lw_error err = {0};
  lw_initial_state(c.m, c.q, c.u);
  lw_close_loops(c.w, 0, c.q, c.u, &err);
  assert_string_equal(err.text, "");
  lwt_ok(lw_energy(c.w, c.q, c.u, &energy[0], &energy[1]));
  lwt_ok(lw_forward_dynamics(c.w, 0, c.q, c.u, NULL, c.udot));
  for (int b = 1; b <= c.m->nbody; b++)
    lwt_ok(lw_get_acceleration(c.w, (lw_body){b}, A[b]));
  lwt_case_free(&c);
}

static void which_joints_are_cut_does_not_matter(void **state)
{
  (void)state;
  for (unsigned k = 0; k < 100; k++) {
    double A[2][40][6] = {{{0}}}, energy[2][2];
    lwt_loops d = lwt_loops_recipe(k);
    d.relations = 0;
    d.forces = k % 2;
    start_motion(&d, A[0], energy[0]);
    d.prefer = true;
    start_motion(&d, A[1], energy[1]);
    lwt_close(&A[1][0][0], &A[0][0][0], 240, 1e-8, G + lwt_scale(&A[0][0][0], 240), "seed %u", k);
    lwt_close(energy[1], energy[0], 2, 1e-9, 1 + lwt_scale(energy[0], 2), "energy, seed %u", k);
  }
}

/* ---- what redundancy leaves undetermined: the left null space of the equations of all joints ---- */

typedef struct {
  int n, nbody;    /* equations */
  double *C;       /* [n][6 nbody] on the motions of bodies */
  double (*JB)[6]; /* [n] the load on the child of each */
  int first[60];   /* [njoint + nconstraint] of each joint, then each constraint; and the end */
} all_rows;

static void add_rows(const lwt_case *c, all_rows *a, lw_body parent, lw_body child,
                     const lwi_frame *place, const lwi_frame *child_place, const lwi_equations *e)
{
  const lw_body body[2] = {parent, child};
  const lwi_frame *at[2] = {place, child_place};
  lwi_frame f[2];
  double J[2][6][6], o[2][3];
  for (int i = 0; i < 2; i++) {
    lw_pose X;
    lwt_ok(lw_get_pose(c->w, body[i], &X));
    f[i] = lwi_frame_mul(frame_of(&X), *at[i]);
    for (int k = 0; k < 3; k++)
      o[i][k] = f[i].p[k] - X.p[k];
  }
  lwi_equations_jacobian(e, &f[0], &f[1], J[0], J[1]);
  for (int r = 0; r < e->n; r++, a->n++) {
    memcpy(a->JB[a->n], J[1][r], sizeof J[1][r]);
    for (int i = 0; i < 2; i++) {
      double moment[3], *row = a->C + a->n * 6 * a->nbody + 6 * (body[i].id - 1);
      cross3(o[i], J[i][r] + 3, moment);
      for (int k = 0; k < 6 && body[i].id > 0; k++)
        row[k] += J[i][r][k] + (k < 3 ? moment[k] : 0);
    }
  }
}

static all_rows find_all_rows(const lwt_case *c)
{
  const lw_model *m = c->m;
  const int most = 6 * (m->njoint + m->nconstraint);
  all_rows a = {.nbody = m->nbody};
  a.C = calloc((size_t)(most * 6 * m->nbody) + 1, sizeof *a.C);
  a.JB = calloc((size_t)most + 1, sizeof *a.JB);
  lwt_ok(lw_kinematics(c->w, c->q, c->u));
  for (int i = 1; i <= m->njoint + m->nconstraint; i++) {
    a.first[i - 1] = a.n;
    if (i <= m->njoint) {
      const lwi_joint *j = &m->joint[i];
      add_rows(c, &a, j->info.parent, j->info.child, &j->place, &j->child_place, &j->equations);
    } else {
      const lwi_constraint *k = &m->constraint[i - m->njoint];
      add_rows(c, &a, k->info.parent, k->info.child, &k->place, &k->child_place, &k->equations);
    }
  }
  a.first[m->njoint + m->nconstraint] = a.n;
  return a;
}

/* basis of { x : x' C = 0 } by Gaussian elimination of C' with full pivoting; returns its size */
static int left_null(const all_rows *a, double *N)
{
  const int n = a->n, rows = 6 * a->nbody;
  double *T = malloc((size_t)(n * rows + 1) * sizeof *T);
  int *column = malloc((size_t)(n + 1) * sizeof *column), rank = 0;
  for (int i = 0; i < rows; i++)
    for (int j = 0; j < n; j++)
      T[i * n + j] = a->C[j * rows + i];
  for (int j = 0; j < n; j++)
    column[j] = j;
  for (; rank < n && rank < rows; rank++) {
    int pr = rank, pc = rank;
    for (int i = rank; i < rows; i++)
      for (int j = rank; j < n; j++)
        if (fabs(T[i * n + column[j]]) > fabs(T[pr * n + column[pc]])) pr = i, pc = j;
    if (!(fabs(T[pr * n + column[pc]]) > 1e-9)) break;
    const int swap = column[pc];
    column[pc] = column[rank], column[rank] = swap;
    for (int j = 0; j < n; j++) {
      const double t = T[pr * n + j];
      T[pr * n + j] = T[rank * n + j], T[rank * n + j] = t;
    }
    for (int i = 0; i < rows; i++) {
      if (i == rank) continue;
      const double f = T[i * n + swap] / T[rank * n + swap];
      for (int j = 0; j < n; j++)
        T[i * n + j] -= f * T[rank * n + j];
    }
  }
  memset(N, 0, (size_t)(n * (n - rank)) * sizeof *N);
  for (int k = rank; k < n; k++) {
    double *x = N + (k - rank) * n;
    x[column[k]] = 1;
    for (int i = 0; i < rank; i++)
      x[column[i]] = -T[i * n + column[k]] / T[i * n + column[i]];
  }
  free(T), free(column);
  return n - rank;
}

/* x without its part along the n directions */
static double outside(double D[6][6], int n, const double x[6])
{
  double y[6], size = 0;
  memcpy(y, x, sizeof y);
  for (int k = 0; k < n; k++) {
    double along = 0;
    for (int i = 0; i < 6; i++)
      along += D[k][i] * x[i];
    for (int i = 0; i < 6; i++)
      y[i] -= along * D[k][i];
  }
  for (int i = 0; i < 6; i++)
    size += y[i] * y[i];
  return sqrt(size);
}

/* adds x to an orthonormal set if it is new */
static int extend(double D[6][6], int n, const double x[6])
{
  double y[6];
  const double size = outside(D, n, x);
  if (n == 6 || !(size > 1e-6)) return n;
  memcpy(y, x, sizeof y);
  for (int pass = 0; pass < 2; pass++)
    for (int k = 0; k < n; k++) {
      double along = 0;
      for (int i = 0; i < 6; i++)
        along += D[k][i] * y[i];
      for (int i = 0; i < 6; i++)
        y[i] -= along * D[k][i];
    }
  for (int i = 0; i < 6; i++)
    D[n][i] = y[i] / size;
  return n + 1;
}

static void undetermined_loads_are_the_left_null_space_of_all_equations(void **state)
{
  (void)state;
  for (unsigned k = 0; k < 60; k++) {
    lwt_loops d = lwt_loops_recipe(k);
    d.relations = 0;
    d.tree.nbody = 3 + (int)(k % 5);
    d.twice = k % 3 == 0;
    lwt_case c = mechanism_case(&d);
    memset(c.u, 0, (size_t)c.nu * sizeof(double));
    all_rows a = find_all_rows(&c);
    double *N = malloc((size_t)(a.n * a.n + 1) * sizeof *N);
    const int nnull = left_null(&a, N);
    int dof, redundant;
    lwt_ok(lw_dof(c.w, c.q, &dof, &redundant));
    assert_int_equal(redundant, nnull);
    lwt_ok(lw_forward_dynamics(c.w, 0, c.q, c.u, NULL, c.udot));
    lw_self_stress *u = lw_self_stress_new(c.w);
    assert_non_null(u);
    for (int j = 1; j <= c.m->njoint + c.m->nconstraint; j++) {
      double D[6][6], E[6][6] = {{0}};
      int n = 0;
      const int given = j <= c.m->njoint
                            ? lw_self_stress_of_joint(u, (lw_joint){j}, D)
                            : lw_self_stress_of_constraint(u, (lw_constraint){j - c.m->njoint}, D);
      for (int i = 0; i < nnull; i++) {
        double x[6] = {0};
        for (int r = a.first[j - 1]; r < a.first[j]; r++)
          for (int e = 0; e < 6; e++)
            x[e] += N[i * a.n + r] * a.JB[r][e];
        n = extend(E, n, x);
      }
      if (given != n) fail_msg("seed %u, joint %d: %d directions, expected %d", k, j, given, n);
      for (int i = 0; i < n; i++)
        lwt_near(outside(E, n, D[i]), 0, 1e-6, "seed %u, joint %d, direction %d", k, j, i);
    }
    lw_self_stress_free(u);
    free(N), free(a.C), free(a.JB);
    lwt_case_free(&c);
  }
}

static double length_of(const double *x, int n)
{
  double sum = 0;
  for (int i = 0; i < n; i++)
    sum += x[i] * x[i];
  return sqrt(sum);
}

static void inverse_dynamics_finds_the_smallest_loads_of_a_motion(void **state)
{
  (void)state;
  for (unsigned k = 0; k < 80; k++) {
    lwt_case c = moving_case(k);
    lwt_ok(lw_forward_dynamics(c.w, 0, c.q, c.u, c.tau, c.udot));
    lwt_ok(lw_inverse_dynamics(c.w, 0, c.q, c.u, c.udot, c.x));
    assert_true(length_of(c.x, c.nu) <= length_of(c.tau, c.nu) * (1 + 1e-6));
    lwt_ok(lw_forward_dynamics(c.w, 0, c.q, c.u, c.x, c.y));
    lwt_close(c.y, c.udot, c.nu, 1e-7, G + lwt_scale(c.udot, c.nu), "seed %u", k);
    lwt_case_free(&c);
  }
}

static void inverse_dynamics_refuses_what_cannot_move(void **state)
{
  (void)state;
  lwt_case c = moving_case(1);
  lwt_ok(lw_forward_dynamics(c.w, 0, c.q, c.u, NULL, c.udot));
  for (int i = 0; i < c.nu; i++)
    c.udot[i] += 1 + i;
  assert_int_equal(lw_inverse_dynamics(c.w, 0, c.q, c.u, c.udot, c.x), LW_E_ARG);
  lwt_case_free(&c);
}

/* side by side, two equal joints share the load equally: the smallest multipliers */
static void equal_joints_carry_equal_loads(void **state)
{
  (void)state;
  for (unsigned k = 0; k < 40; k++) {
    lwt_loops d = lwt_loops_recipe(k);
    d.relations = d.constraints = 0;
    d.twice = true;
    lwt_case c = mechanism_case(&d);
    memset(c.u, 0, (size_t)c.nu * sizeof(double));
    lwt_ok(lw_forward_dynamics(c.w, 0, c.q, c.u, NULL, c.udot));
    lwt_ok(lw_joint_loads(c.w));
    for (int i = 0; i < d.loops; i++) {
      char name[2][32];
      double load[2][6];
      snprintf(name[0], 32, "loop%d", i);
      snprintf(name[1], 32, "again%d", i);
      lw_joint j[2] = {lw_find_joint(c.m, name[0]), lw_find_joint(c.m, name[1])};
      if (!lw_get_joint(c.m, j[0]).cut || !lw_get_joint(c.m, j[1]).cut) continue;
      for (int s = 0; s < 2; s++)
        lwt_ok(lw_get_load(c.w, j[s], load[s]));
      lwt_close(load[1], load[0], 6, 1e-8, 10 + lwt_scale(load[0], 6), "seed %u, loop %d", k, i);
    }
    lwt_case_free(&c);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      BOTH_WAYS(accelerations_solve_the_dense_system),
      BOTH_WAYS(equal_joints_side_by_side_change_no_motion),
      BOTH_WAYS(joint_loads_balance_every_body),
      BOTH_WAYS(equal_joints_carry_equal_loads),
      BOTH_WAYS(inverse_dynamics_finds_the_smallest_loads_of_a_motion),
      BOTH_WAYS(inverse_dynamics_refuses_what_cannot_move),
      BOTH_WAYS(undetermined_loads_are_the_left_null_space_of_all_equations),
      BOTH_WAYS(which_joints_are_cut_does_not_matter),
      BOTH_WAYS(energy_is_kept_and_loops_stay_closed),
      BOTH_WAYS(a_disturbed_mechanism_is_assembled_again),
  };
  return cmocka_run_group_tests_name("identity/loops", tests, NULL, NULL);
}
