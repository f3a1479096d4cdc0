/* SPDX-License-Identifier: Apache-2.0 */
/* linkwork.c -- linkwork itself, as a peer among peers: one state per call.

   A second entry keeps it to the kernels that any processor of this kind runs: the packages of the
   other engines are compiled for those, while linkwork looks at the processor when it starts.  A
   third one gives the mass matrix without its zeros. */
#include "../linkwork_model.h"
#include "../peer.h"
#include "model/model.h"
#include "tree/loops/work.h"
#include "linkwork/quantities.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
  lw_model *m;
  lw_work *w;
  mechanism_state *states; /* [nstate], the caller's arrays */
  double *result;          /* [nu] or [nu*nu] */
  size_t nresult;
  lw_status status; /* of any call so far */
} engine;

static void destroy(void *self)
{
  engine *e = self;
  if (!e) return;
  lw_work_free(e->w);
  lw_model_free(e->m);
  free(e->states);
  free(e->result);
  free(e);
}

static void *create_with(const mechanism *mech, peer_task task, int nstate, const lwi_kernels *k)
{
  const size_t nu = (size_t)mech->nu;
  engine *e = calloc(1, sizeof *e);
  if (!e) return NULL;
  e->nresult = task == MASS_MATRIX ? nu * nu : nu;
  e->result = calloc(e->nresult, sizeof *e->result);
  e->states = calloc((size_t)nstate, sizeof *e->states);
  e->m = linkwork_model(mech);
  e->w = e->m ? lwi_work_new_with(e->m, k) : NULL;
  if (e->w && e->result && e->states && lw_nu(e->m) == mech->nu && lw_nq(e->m) == mech->nq)
    return e;
  destroy(e);
  return NULL;
}

static void *create(const mechanism *mech, peer_task task, int nstate)
{
  return create_with(mech, task, nstate, lwi_kernels_single());
}

static void *create_plain(const mechanism *mech, peer_task task, int nstate)
{
  return create_with(mech, task, nstate, lwi_kernels_at(0));
}

static void *create_rows(const mechanism *mech, peer_task task, int nstate)
{
  return task == MASS_MATRIX ? create(mech, task, nstate) : NULL;
}

static void set_state(void *self, int k, const mechanism_state *s)
{
  engine *e = self;
  e->states[k] = *s;
}

static void inverse_dynamics(void *self, int k)
{
  engine *e = self;
  const mechanism_state *s = &e->states[k];
  e->status |= lw_inverse_dynamics(e->w, 0, s->q, s->u, s->udot, e->result);
}

static void mass_matrix(void *self, int k)
{
  engine *e = self;
  e->status |= lw_mass_matrix(e->w, e->states[k].q, e->result);
}

static void mass_rows(void *self, int k)
{
  engine *e = self;
  e->status |= lw_mass_rows(e->w, e->states[k].q, e->result);
}

static void forward_dynamics(void *self, int k)
{
  engine *e = self;
  const mechanism_state *s = &e->states[k];
  e->status |= lw_forward_dynamics(e->w, 0, s->q, s->u, s->tau, e->result);
}

static void get(void *self, int k, double out[])
{
  const engine *e = self;
  (void)k;
  memcpy(out, e->result, e->nresult * sizeof *out);
  if (e->status != LW_OK) out[0] = NAN;
}

/* rows written out */
static void get_rows(void *self, int k, double out[])
{
  const engine *e = self;
  const lw_model *m = e->m;
  const size_t nu = (size_t)m->nu;
  (void)k;
  memset(out, 0, nu * nu * sizeof *out);
  for (int c = 0; c < m->nu; c++) {
    const double *row = e->result + m->row_start[c];
    const size_t i = (size_t)m->column_u[c];
    for (int b = c; b >= 0; b = m->before[b]) {
      const size_t j = (size_t)m->column_u[b];
      out[i * nu + j] = out[j * nu + i] = *row++;
    }
  }
  if (e->status != LW_OK) out[0] = NAN;
}

const peer peer_linkwork = {
    "linkwork", "lw_inverse_dynamics, lw_mass_matrix, lw_forward_dynamics", create,
    set_state,  {inverse_dynamics, mass_matrix, forward_dynamics},          {get, get, get},
    destroy};

const peer peer_linkwork_plain = {
    "linkwork plain", "the same with plain kernels, which need no AVX2", create_plain,
    set_state,        {inverse_dynamics, mass_matrix, forward_dynamics}, {get, get, get},
    destroy};

const peer peer_linkwork_rows = {"linkwork rows",
                                 "lw_mass_rows: the mass matrix without its zeros",
                                 create_rows,
                                 set_state,
                                 {NULL, mass_rows, NULL},
                                 {NULL, get_rows, NULL},
                                 destroy};
