/* SPDX-License-Identifier: Apache-2.0 */
/* One spec is compiled by several threads at once: none of them changes it.  Meant for the thread sanitizer too
   (tools/check-threads.sh). */
#include "lwt.h"

#include "linkwork/derivatives.h"
#include "linkwork/file.h"
#include "linkwork/query.h"

#include <pthread.h>
#include <string.h>

enum { THREADS = 4, ROUNDS = 25 };

static const char text[] = "{linkwork: 1, gravity: [0, -g, 0], parameters: {g: 9.81, b: 2*a + c, "
                           "a: {value: c/3, min: c/4, max: c}, c: 3,"
                           " h: sin(b)}, bodies: {x: {mass: a, inertia: [b, b, c]}, y: {solid: "
                           "{rod: {length: c, mass: b}}}}, joints:"
                           " {A: {type: revolute, parent: ground, child: x, q: h}, B: {type: "
                           "spherical, parent: x, child: y, at: [a, 0,"
                           " 0]}}, forces: {m: {type: motor, joint: A, value: \"-b*q.A + "
                           "sin(c*t)\"}}, events: [{when: \"q.A - h/2\","
                           " lock: {joint: B}}]}";

typedef struct {
  const lw_spec *s;
  double value[5], slope;
  bool good;
} task;

static void *compile(void *argument)
{
  task *k = argument;
  lw_error err;
  k->good = true;
  for (int i = 0; i < ROUNDS && k->good; i++) {
    lw_model *m = lw_compile(k->s, &err);
    lw_model_derivative *slope = m ? lw_model_derivative_new(m, "c", &err) : NULL;
    k->good = m && slope;
    for (int p = 0; p < 5 && m; p++)
      k->value[p] = lw_parameter_value(m, p);
    lw_model_derivative_free(slope);
    lw_model_free(m);
  }
  return NULL;
}

static void a_spec_is_compiled_by_several_threads(void **state)
{
  (void)state;
  lw_error err = {0};
  lw_spec *s = lw_spec_parse(text, strlen(text), "text", &err);
  assert_string_equal(err.text, "");
  pthread_t thread[THREADS];
  task tasks[THREADS];
  for (int i = 0; i < THREADS; i++) {
    tasks[i] = (task){.s = s};
    assert_int_equal(pthread_create(&thread[i], NULL, compile, &tasks[i]), 0);
  }
  for (int i = 0; i < THREADS; i++)
    pthread_join(thread[i], NULL);
  for (int i = 0; i < THREADS; i++) {
    assert_true(tasks[i].good);
    assert_memory_equal(tasks[i].value, tasks[0].value, sizeof tasks[0].value);
  }
  assert_true(tasks[0].value[1] == 5); /* b */
  lw_spec_free(s);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(a_spec_is_compiled_by_several_threads)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
