/* SPDX-License-Identifier: Apache-2.0 */
/* ranks.c -- a study by the processes that mpirun has started (ranks.h).

   A rank sends what it has computed and gets the number of its next case; rank 0 answers in the order in which messages come,
   while a thread of its own computes cases too.  One message in each direction per case. */
#define _POSIX_C_SOURCE 200809L
#include "base/fail.h"
#include "linkwork/ranks.h"
#include "study/mpi_library.h"
#include "study/started_by_mpi.h"
#include "study/study_data.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { TAG = 22, NOTHING = -1, LEAVES = -2, NO_MEMORY = -3, ABSENT = -4 };

/* what a rank sends: a case, or one of the enum */
typedef struct {
  long index;
  double t;
  lw_error err;
  double number[]; /* values, results */
} message;

/* ---- processes ---- */

static bool started;

lw_status lw_ranks_start(int *rank, int *count, lw_error *err)
{
  if (!rank || !count) return lwi_fail(err, LW_E_ARG, "lw_ranks_start: an argument is missing");
  *rank = 0;
  *count = 1;
  if (!lwi_started_by_mpi()) return LW_OK;
  const lwi_mpi_functions *mpi = lwi_mpi();
  if (!mpi)
    return lwi_fail(err, LW_E_UNSUPPORTED,
                    "this program was started by mpirun, but Open MPI cannot be loaded: %s",
                    lwi_mpi_problem());
  int level;
  if (!started && mpi->Init_thread(NULL, NULL, MPI_THREAD_FUNNELED, &level) != MPI_SUCCESS)
    return lwi_fail(err, LW_E_UNSUPPORTED, "MPI cannot be started");
  started = true;
  mpi->Comm_rank(mpi->world, rank);
  mpi->Comm_size(mpi->world, count);
  return LW_OK;
}

void lw_ranks_end(void)
{
  if (started) lwi_mpi()->Finalize();
  started = false;
}

void lw_ranks_leave(int exit_status)
{
  if (!started) return;
  int rank;
  const lwi_mpi_functions *mpi = lwi_mpi();
  const message m = {.index = ABSENT};
  mpi->Comm_rank(mpi->world, &rank);
  if (rank == 0)
    mpi->Abort(mpi->world, exit_status);
  else
    mpi->Send(&m, sizeof m, mpi->byte, 0, TAG, mpi->world);
}

static size_t message_size(const lw_study *y)
{
  return sizeof(message) + (size_t)(y->o.design.nfactor + y->results.n) * sizeof(double);
}

/* ---- rank 0 ---- */

typedef struct {
  lwi_queue queue;
  int ranks; /* others that are at work */
  message *m;
  lw_error *err;
} server;

static void take_message(server *s, int rank)
{
  const message *m = s->m;
  lwi_queue *k = &s->queue;
  if (m->index >= 0)
    lwi_queue_report(
        k, &(lw_case){m->index, m->number, m->number + k->y->o.design.nfactor, m->t, &m->err});
  if (m->index == NO_MEMORY) atomic_store(&k->lost, true);
  if (m->index == ABSENT)
    lwi_fail(s->err, LW_E_STOPPED,
             "rank %d could not read the model and the options that rank 0 has read", rank);
  if (m->index < NOTHING) atomic_store(&k->ended, true);
}

static void answer(server *s, const lwi_mpi_functions *mpi, int rank)
{
  const bool leaves = s->m->index < NOTHING;
  const long next = leaves ? NOTHING : lwi_queue_take(&s->queue);
  if (next < 0) s->ranks--;
  if (!leaves) mpi->Send(&next, sizeof next, mpi->byte, rank, TAG, mpi->world);
}

/* Until all others have gone.  MPI would wait for messages by asking all the time, and take a processor from the cases. */
static void serve(server *s)
{
  const lwi_mpi_functions *mpi = lwi_mpi();
  const int size = (int)message_size(s->queue.y);
  while (s->ranks > 0) {
    int there = 0;
    MPI_Status status;
    mpi->Iprobe(MPI_ANY_SOURCE, TAG, mpi->world, &there, &status);
    if (!there) {
      nanosleep(&(struct timespec){.tv_nsec = 200000}, NULL);
      continue;
    }
    mpi->Recv(s->m, size, mpi->byte, status.MPI_SOURCE, TAG, mpi->world, MPI_STATUS_IGNORE);
    take_message(s, status.MPI_SOURCE);
    answer(s, mpi, status.MPI_SOURCE);
  }
}

static void serve_and_compute(void *context, int thread)
{
  server *s = context;
  if (thread == 0)
    serve(s);
  else
    lwi_queue_compute(&s->queue);
}

static lw_status lead(const lw_study *y, const lw_study_run_options *options, int ranks,
                      lw_error *err)
{
  server s = {.queue = {.y = y, .o = options}, .ranks = ranks - 1, .err = err};
  s.m = malloc(message_size(y));
  if (!s.m) return LW_E_MEMORY;
  s.queue.team = lwi_team_new(2);
  lwi_team_run(s.queue.team, serve_and_compute, &s);
  lwi_queue_compute(&s.queue); /* those that are left, if there was no thread for them */
  lwi_team_free(s.queue.team);
  free(s.m);
  return lwi_queue_status(&s.queue);
}

/* ---- the others ---- */

static lw_status follow(const lw_study *y, const lw_study_run_options *options)
{
  const lwi_mpi_functions *mpi = lwi_mpi();
  const size_t size = message_size(y);
  message *m = calloc(1, size);
  if (!m) return LW_E_MEMORY;
  lw_computed_case c = {
      .value = m->number, .result = m->number + y->o.design.nfactor, .stop = options->stop};
  lw_status status = LW_OK;
  m->index = NOTHING;
  for (;;) {
    mpi->Send(m, (int)size, mpi->byte, 0, TAG, mpi->world);
    if (m->index < NOTHING) break;
    mpi->Recv(&m->index, sizeof m->index, mpi->byte, 0, TAG, mpi->world, MPI_STATUS_IGNORE);
    if (m->index < 0) break;
    status = lw_study_compute(y, m->index, &c);
    m->t = c.t;
    m->err = c.err;
    if (status != LW_OK) m->index = status == LW_E_STOPPED ? LEAVES : NO_MEMORY;
  }
  free(m);
  return status;
}

lw_status lw_study_run_ranks(const lw_study *y, const lw_study_run_options *options, lw_error *err)
{
  int rank, count;
  if (err) *err = (lw_error){.status = LW_OK};
  if (!y || !options) return LW_E_ARG;
  const lw_status status = lw_ranks_start(&rank, &count, err);
  if (status != LW_OK) return status;
  lw_study_run_options one = *options;
  one.threads = 1;
  return count == 1  ? lw_study_run(y, &one)
         : rank == 0 ? lead(y, options, count, err)
                     : follow(y, options);
}
