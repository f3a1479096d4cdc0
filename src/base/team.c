/* SPDX-License-Identifier: Apache-2.0 */
/* team.c -- threads that help with one computation: POSIX threads; without them (LWI_THREADS is not
   defined) the caller does all of it.

   One word says whether work is open, how many helpers are inside, and which work it is:

     generation | open | helpers inside

   A helper enters by counting itself in, which succeeds only while the work is open; the caller
   closes it when its own part is done and waits for the count to be zero. */
#define _POSIX_C_SOURCE 200809L
#include "base/team.h"

#include <stddef.h>

#ifdef LWI_THREADS
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

enum {
  INSIDE = 0xffff, /* mask of the count */
  OPEN = 0x10000,
  GENERATION =
      0x20000 /* added for each work; wraps around, which costs a helper one turn at worst */
};
static const double patience = 50e-6; /* s that a thread spins before it sleeps */

typedef struct {
  lwi_team *team;
  pthread_t thread;
  int number;
} helper;

struct lwi_team {
  atomic_uint state;
  atomic_int asleep;     /* helpers */
  atomic_bool expected;  /* the caller sleeps until the last helper leaves */
  atomic_bool dismissed; /* helpers end */
  lwi_team_work *work;
  void *context;
  pthread_mutex_t mutex, turn; /* of falling asleep; of lwi_team_lock */
  pthread_cond_t call, leave;  /* to helpers, to the caller */
  pid_t process;               /* a forked child has no helpers */
  int nhelper;
  helper helper[];
};

static double now(void)
{
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static inline void pause_briefly(void)
{
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#endif
}

/* ---- helpers ---- */

/* work that a helper has not seen, or the end */
static bool is_called(lwi_team *t, unsigned seen)
{
  const unsigned state = atomic_load(&t->state);
  return atomic_load(&t->dismissed) || ((state & OPEN) && state / GENERATION != seen);
}

static void wait_for_call(lwi_team *t, unsigned seen)
{
  for (double until = now() + patience; now() < until;)
    for (int k = 0; k < 64; k++, pause_briefly())
      if (is_called(t, seen)) return;
  pthread_mutex_lock(&t->mutex);
  atomic_fetch_add(&t->asleep,
                   1); /* first this, then a look: the caller does it the other way round */
  while (!is_called(t, seen))
    pthread_cond_wait(&t->call, &t->mutex);
  atomic_fetch_sub(&t->asleep, 1);
  pthread_mutex_unlock(&t->mutex);
}

/* Does the work that is open, if it is still; returns its generation. */
static unsigned join_in(lwi_team *t, int number, unsigned seen)
{
  unsigned state = atomic_load(&t->state);
  do
    if (!(state & OPEN)) return seen;
  while (!atomic_compare_exchange_weak(&t->state, &state, state + 1));
  t->work(t->context, number);
  atomic_fetch_sub(&t->state, 1);
  if (atomic_load(&t->expected)) {
    pthread_mutex_lock(&t->mutex);
    pthread_cond_signal(&t->leave);
    pthread_mutex_unlock(&t->mutex);
  }
  return state / GENERATION;
}

static void *help(void *argument)
{
  const helper *h = argument;
  unsigned seen = 0;
  for (;;) {
    wait_for_call(h->team, seen);
    if (atomic_load(&h->team->dismissed)) return NULL;
    seen = join_in(h->team, h->number, seen);
  }
}

/* ---- the caller ---- */

bool lwi_team_exists(void)
{
  return true;
}

int lwi_team_size(const lwi_team *t)
{
  return t ? t->nhelper + 1 : 1;
}

/* Helpers leave signals to the threads of the program. */
static void hire(lwi_team *t, int n)
{
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  for (int i = 0; i < n; i++) {
    t->helper[i] = (helper){.team = t, .number = i + 1};
    if (pthread_create(&t->helper[i].thread, NULL, help, &t->helper[i]) != 0) break;
    t->nhelper++;
  }
  pthread_sigmask(SIG_SETMASK, &before, NULL);
}

lwi_team *lwi_team_new(int nthread)
{
  if (nthread < 2) return NULL;
  lwi_team *t = calloc(1, sizeof *t + (size_t)(nthread - 1) * sizeof(helper));
  if (!t) return NULL;
  pthread_mutex_init(&t->mutex, NULL);
  pthread_mutex_init(&t->turn, NULL);
  pthread_cond_init(&t->call, NULL);
  pthread_cond_init(&t->leave, NULL);
  t->process = getpid();
  hire(t, nthread - 1);
  if (t->nhelper) return t;
  lwi_team_free(t);
  return NULL;
}

void lwi_team_free(lwi_team *t)
{
  if (!t) return;
  if (t->process == getpid()) {
    pthread_mutex_lock(&t->mutex);
    atomic_store(&t->dismissed, true);
    pthread_cond_broadcast(&t->call);
    pthread_mutex_unlock(&t->mutex);
    for (int i = 0; i < t->nhelper; i++)
      pthread_join(t->helper[i].thread, NULL);
    pthread_mutex_destroy(&t->mutex);
    pthread_mutex_destroy(&t->turn);
    pthread_cond_destroy(&t->call);
    pthread_cond_destroy(&t->leave);
  }
  free(t);
}

static bool is_empty(lwi_team *t)
{
  return (atomic_load(&t->state) & INSIDE) == 0;
}

static void wait_for_helpers(lwi_team *t)
{
  for (double until = now() + patience; now() < until;)
    for (int k = 0; k < 64; k++, pause_briefly())
      if (is_empty(t)) return;
  pthread_mutex_lock(&t->mutex);
  atomic_store(&t->expected, true); /* first this, then a look: helpers do it the other way round */
  while (!is_empty(t))
    pthread_cond_wait(&t->leave, &t->mutex);
  atomic_store(&t->expected, false);
  pthread_mutex_unlock(&t->mutex);
}

void lwi_team_run(lwi_team *t, lwi_team_work *work, void *context)
{
  if (!t) {
    work(context, 0);
    return;
  }
  t->work = work;
  t->context = context;
  atomic_fetch_add(&t->state, (unsigned)GENERATION + OPEN);
  if (atomic_load(&t->asleep)) {
    pthread_mutex_lock(&t->mutex);
    pthread_cond_broadcast(&t->call);
    pthread_mutex_unlock(&t->mutex);
  }
  work(context, 0);
  atomic_fetch_sub(&t->state, (unsigned)OPEN);
  if (!is_empty(t)) wait_for_helpers(t);
}

void lwi_team_lock(lwi_team *t)
{
  if (t) pthread_mutex_lock(&t->turn);
}

void lwi_team_unlock(lwi_team *t)
{
  if (t) pthread_mutex_unlock(&t->turn);
}

/* ---- does it pay? ---- */

enum {
  WINDOW = 8, /* calls that are measured together */
  SHORTEST_STAY = 4,
  LONGEST_STAY = 128 /* windows */
};

lwi_team *lwi_pace_begin(lwi_pace *p, lwi_team *t)
{
  if (t) p->began = now();
  return p->alone != p->trial ? NULL : t;
}

void lwi_pace_end(lwi_pace *p, const lwi_team *t)
{
  if (!t) return;
  p->spent += now() - p->began;
  if (++p->calls < WINDOW) return;
  p->time[p->alone != p->trial] = p->spent;
  p->spent = p->calls = 0;
  if (!p->trial) {
    p->trial = --p->windows < 0;
    return;
  }
  const bool better = p->time[!p->alone] < p->time[p->alone];
  p->alone = p->alone != better;
  p->stay = better || !p->stay       ? SHORTEST_STAY
            : p->stay < LONGEST_STAY ? 2 * p->stay
                                     : LONGEST_STAY;
  p->windows = p->stay;
  p->trial = false;
}

#else

bool lwi_team_exists(void)
{
  return false;
}

lwi_team *lwi_team_new(int nthread)
{
  (void)nthread;
  return NULL;
}

void lwi_team_free(lwi_team *t)
{
  (void)t;
}

int lwi_team_size(const lwi_team *t)
{
  (void)t;
  return 1;
}

void lwi_team_run(lwi_team *t, lwi_team_work *work, void *context)
{
  (void)t;
  work(context, 0);
}

void lwi_team_lock(lwi_team *t)
{
  (void)t;
}

void lwi_team_unlock(lwi_team *t)
{
  (void)t;
}

lwi_team *lwi_pace_begin(lwi_pace *p, lwi_team *t)
{
  (void)p;
  return t;
}

void lwi_pace_end(lwi_pace *p, const lwi_team *t)
{
  (void)p;
  (void)t;
}
#endif
