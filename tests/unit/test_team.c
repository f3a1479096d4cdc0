/* SPDX-License-Identifier: Apache-2.0 */
/* Threads that help: every part is done once, whoever comes; nobody is waited for who has nothing to do. */
#define _POSIX_C_SOURCE 200809L
#include "base/team.h"
#include "lwt.h"

#include <stdatomic.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static void rest(long us)
{
  nanosleep(&(struct timespec){.tv_nsec = 1000 * us}, NULL);
}

enum { PARTS = 1000, ROUNDS = 300 };

typedef struct {
  lwi_team *team;
  atomic_int next, helped;
  int done[PARTS], turns; /* turns: under the lock */
} job;

static void take_parts(void *context, int thread)
{
  job *k = context;
  for (int i; (i = atomic_fetch_add(&k->next, 1)) < PARTS;) {
    k->done[i]++;
    lwi_team_lock(k->team);
    k->turns++;
    lwi_team_unlock(k->team);
    if (thread > 0) atomic_fetch_add(&k->helped, 1);
  }
}

static bool every_part_is_done(lwi_team *t)
{
  job k = {.team = t};
  lwi_team_run(t, take_parts, &k);
  bool once = k.turns == PARTS;
  for (int i = 0; i < PARTS; i++)
    once = once && k.done[i] == 1;
  return once;
}

static void parts_are_done_once_whoever_helps(void **state)
{
  (void)state;
  for (int n = 0; n < 6; n++) {
    lwi_team *t = lwi_team_new(n);
    assert_int_equal(lwi_team_size(t), n > 1 && lwi_team_exists() ? n : 1);
    for (int i = 0; i < ROUNDS; i++)
      assert_true(every_part_is_done(t));
    lwi_team_free(t);
  }
}

static void wait_for_help(void *context, int thread)
{
  atomic_int *came = context;
  atomic_fetch_or(came, 1 << thread);
  while (thread == 0 && atomic_load(came) == 1)
    rest(100);
}

static void helpers_come_when_they_are_asleep_too(void **state)
{
  (void)state;
  lwi_team *t = lwi_team_new(2);
  if (!t) skip();
  for (int i = 0; i < 20; i++) {
    atomic_int came = 0;
    rest(i % 2 ? 1000 : 0); /* longer than they spin */
    lwi_team_run(t, wait_for_help, &came);
    assert_int_equal(atomic_load(&came), 3);
  }
  lwi_team_free(t);
}

/* its helpers are in the parent */
static void a_forked_child_works_alone(void **state)
{
  (void)state;
  lwi_team *t = lwi_team_new(3);
  const pid_t child = fork();
  if (child == 0) {
    const bool done = every_part_is_done(t);
    lwi_team_free(t);
    _exit(done ? 0 : 1);
  }
  int status = -1;
  assert_true(waitpid(child, &status, 0) == child && status == 0);
  assert_true(every_part_is_done(t));
  lwi_team_free(t);
}

/* Which is faster is up to the machine, but both are tried, and what was faster is used until the next
   trial. */
static void both_paces_are_tried(void **state)
{
  (void)state;
  lwi_team *t = lwi_team_new(2);
  if (!t) skip();
  lwi_pace p = {0};
  int alone = 0, calls = 400;
  for (int i = 0; i < calls; i++) {
    lwi_team *used = lwi_pace_begin(&p, t);
    alone += used == NULL;
    rest(used ? 200 : 0); /* as if the team were slow */
    lwi_pace_end(&p, t);
  }
  assert_true(alone > calls / 2 && alone < calls);
  assert_null(lwi_pace_begin(&p, NULL));
  lwi_pace_end(&p, NULL);
  lwi_team_free(t);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(parts_are_done_once_whoever_helps),
      cmocka_unit_test(helpers_come_when_they_are_asleep_too),
      cmocka_unit_test(a_forked_child_works_alone),
      cmocka_unit_test(both_paces_are_tried),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
