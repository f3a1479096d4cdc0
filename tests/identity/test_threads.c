/* SPDX-License-Identifier: Apache-2.0 */
/* Eight threads share one model, each with a work of its own, and get what one thread gets, bit for
   bit.  Meant for the thread sanitizer too: cmake -DLINKWORK_SANITIZE=thread. */
#include "lwt.h"
#include "linkwork/batch.h"
#include "linkwork/realtime.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { THREADS = 8, STATES = 24, ROUNDS = 3 };

/* results of all states, in one array: udot, tau, mass matrix, loads, energies, step */
typedef struct {
  const lw_model *m;
  int nq, nu, size; /* size: numbers per state */
  const double *q, *u;
  const double *want; /* [STATES][size]; NULL in the first run */
  double *got;        /* [STATES][size] */
  lw_status status;
  bool same;
} task;

static lw_status evaluate(const task *k, lw_work *w, const double *q, const double *u, double *out)
{
  const lw_model *m = k->m;
  const size_t nu = (size_t)k->nu, nq = (size_t)k->nq;
  double *udot = out, *tau = udot + nu, *M = tau + nu, *loads = M + nu * nu;
  double *energy = loads + 6 * (size_t)lw_njoint(m), *q1 = energy + 2, *u1 = q1 + nq, t = 0.3;
  lw_status st = lw_forward_dynamics(w, t, q, u, NULL, udot);
  if (st == LW_OK) st = lw_joint_loads(w);
  for (int j = 1; j <= lw_njoint(m) && st == LW_OK; j++)
    st = lw_get_load(w, (lw_joint){j}, loads + 6 * (j - 1));
  if (st == LW_OK) st = lw_inverse_dynamics(w, t, q, u, udot, tau);
  if (st == LW_OK) st = lw_mass_matrix(w, q, M);
  if (st == LW_OK) st = lw_energy(w, q, u, &energy[0], &energy[1]);
  memcpy(q1, q, nq * sizeof *q1);
  memcpy(u1, u, nu * sizeof *u1);
  if (st == LW_OK) st = lw_step(w, LW_INTEGRATOR_RK4, 1e-3, NULL, &t, q1, u1);
  return st;
}

/* all states, starting at another one in each thread, several times over */
static void *run(void *argument)
{
  task *k = argument;
  lw_work *w = lw_work_new(k->m), *wide = lw_work_new_batch(k->m);
  double *batch = malloc((size_t)(STATES * k->nu) * sizeof *batch);
  k->status = w && wide && batch ? LW_OK : LW_E_MEMORY;
  k->same = true;
  for (int round = 0; round < ROUNDS && k->status == LW_OK; round++)
    for (int i = 0; i < STATES && k->status == LW_OK; i++) {
      const int s = (i + 5 * round) % STATES;
      double *out = k->got + (size_t)s * (size_t)k->size;
      k->status = evaluate(k, w, k->q + s * k->nq, k->u + s * k->nu, out);
      const size_t bytes = (size_t)k->size * sizeof *out;
      if (k->want && memcmp(out, k->want + (size_t)s * (size_t)k->size, bytes)) k->same = false;
    }
  /* the batch kernels read the model too; q and u as [coordinate][state] do not matter here */
  if (k->status == LW_OK) {
    double *q = malloc((size_t)(STATES * k->nq) * sizeof *q);
    double *u = calloc((size_t)(STATES * k->nu), sizeof *u);
    for (int i = 0; q && u && i < STATES * k->nq; i++)
      q[i] = k->q[i / STATES];
    k->status = q && u ? lw_forward_dynamics_n(wide, STATES, 0, q, u, NULL, batch) : LW_E_MEMORY;
    free(q);
    free(u);
  }
  free(batch);
  lw_work_free(w);
  lw_work_free(wide);
  return NULL;
}

static void threads_that_share_a_model_agree(void **state)
{
  (void)state;
  const lwt_recipe r = {
      .seed = 31, .nbody = 14, .branching = 0.5, .floating = true, .forces = true};
  lw_model *m = lwt_random_model(&r);
  const int nq = lw_nq(m), nu = lw_nu(m);
  const int size = 2 * nu + nu * nu + 6 * lw_njoint(m) + 2 + nq + nu;
  double *q = calloc((size_t)(STATES * nq), sizeof *q),
         *u = calloc((size_t)(STATES * nu), sizeof *u);
  const size_t numbers = (size_t)STATES * (size_t)size;
  double *room = calloc((THREADS + 1) * numbers, sizeof *room);
  for (int s = 0; s < STATES; s++)
    lwt_random_state(m, (unsigned)s, q + s * nq, u + s * nu);

  task alone = {.m = m, .nq = nq, .nu = nu, .size = size, .q = q, .u = u, .got = room};
  run(&alone);
  lwt_ok(alone.status);

  task shared[THREADS];
  pthread_t thread[THREADS];
  for (size_t i = 0; i < THREADS; i++) {
    shared[i] = alone;
    shared[i].want = alone.got;
    shared[i].got = room + (i + 1) * numbers;
    assert_int_equal(pthread_create(&thread[i], NULL, run, &shared[i]), 0);
  }
  for (int i = 0; i < THREADS; i++)
    pthread_join(thread[i], NULL);
  for (int i = 0; i < THREADS; i++) {
    lwt_ok(shared[i].status);
    if (!shared[i].same) fail_msg("thread %d gets other numbers", i);
  }
  free(q);
  free(u);
  free(room);
  lw_model_free(m);
}

/* specs of their own: building and compiling share nothing */
static void *build(void *argument)
{
  const lwt_recipe *r = argument;
  static const char *const texts[] = {"2*L", "L^2 + sin(L)", "max(L, 1, 2)"};
  for (int i = 0; i < 5; i++) {
    lw_spec *s = lw_spec_new();
    lw_add_parameter(s, &(lw_parameter_desc){.name = "L", .value = 1.5});
    for (int b = 1; b <= r->nbody; b++) {
      const char name[4] = {'b', (char)('0' + b / 10), (char)('0' + b % 10), 0};
      const double mass = lw_expr(s, texts[b % 3]);
      lw_add_body(s, &(lw_body_desc){.name = name, .mass = mass, .inertia = {1, 1, 1}});
      lw_add_joint(s, &(lw_joint_desc){.name = name,
                                       .type = (lw_joint_type)(b % LW_JOINT_TYPES),
                                       .parent = {b - 1},
                                       .child = {b}});
    }
    lw_model *m = lw_compile(s, NULL);
    lw_spec_free(s);
    if (!m) return argument;
    lw_model_free(m);
  }
  return NULL;
}

static void threads_can_build_models_of_their_own(void **state)
{
  (void)state;
  lwt_recipe r = {.nbody = 20};
  pthread_t thread[THREADS];
  for (int i = 0; i < THREADS; i++)
    assert_int_equal(pthread_create(&thread[i], NULL, build, &r), 0);
  for (int i = 0; i < THREADS; i++) {
    void *failed = NULL;
    pthread_join(thread[i], &failed);
    assert_null(failed);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(threads_that_share_a_model_agree),
      cmocka_unit_test(threads_can_build_models_of_their_own),
  };
  return cmocka_run_group_tests_name("identity/threads", tests, NULL, NULL);
}
