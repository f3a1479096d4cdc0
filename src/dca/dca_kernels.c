/* SPDX-License-Identifier: Apache-2.0 */
/* dca_kernels.c -- assemble, disassemble, accelerate: compiled once per instruction set; the table
   is the only symbol, and its name the only thing that depends on it. */
#include "base/fetch.h"
#include "dca/body.h"
#include "dca/eliminate.h"
#include "dca/edge_load.h"
#include "dca/derivative_sweeps.h"

#ifndef LW_DCA_KERNELS
#define LW_DCA_KERNELS lwi_dca_kernels_plain
#endif
#define TEXT(x) #x
#define NAME(x) TEXT(x)

enum { AHEAD = 12 }; /* steps between prefetching memory and using it: some hundred nanoseconds */

static inline size_t kept_bytes(const lwi_dca_step *s)
{
  return lwi_dca_kept(s->nout, s->m) * sizeof(double);
}

/* prefetches what a step writes */
static inline void fetch_inward(const lw_dca *d, const lwi_dca_step *s)
{
  if (s->kept) {
    lwi_fetch_to_write(s->kept, kept_bytes(s));
  } else {
    lwi_fetch_to_write(&d->state[s->link], sizeof *d->state);
    lwi_fetch(&d->body[s->link], sizeof *d->body);
  }
}

/* prefetches what it reads outward, or in a sweep with another right side */
static inline void fetch_outward(const lw_dca *d, const lwi_dca_step *s)
{
  if (s->kept)
    lwi_fetch(s->kept, kept_bytes(s));
  else
    lwi_fetch(&d->state[s->link], sizeof *d->state);
}

static lw_status assemble(lw_dca *d, int first, int last, double *scratch)
{
  for (int i = first; i <= last; i++) {
    const lwi_dca_step *s = &d->step[i];
    if (i + AHEAD <= last) fetch_inward(d, s + AHEAD);
    if (s->kind == LWI_ASSEMBLY_LEAF) {
      const mobility out = mobility_of(d, i, scratch);
      assemble_body(d, s->link, s->nout > 0 ? out.Z : NULL, out.z);
    } else if (s->idle) {
      unite(d, i, scratch);
      unite_right_sides(d, i, scratch);
    } else {
      const lw_status status = eliminate_edge(d, i, scratch);
      if (status != LW_OK) return status;
    }
  }
  return LW_OK;
}

static void sweep(lw_dca *d, int first, int last, double *scratch)
{
  for (int i = first; i <= last; i++) {
    const lwi_dca_step *s = &d->step[i];
    if (i + AHEAD <= last) fetch_outward(d, s + AHEAD);
    if (s->kind == LWI_ASSEMBLY_LEAF) {
      lwi_dca_state *b = &d->state[s->link];
      memset(b->F, 0, sizeof b->F);
      if (s->nout > 0) memcpy(mobility_of(d, i, scratch).z, b->z, sizeof b->z);
    } else if (s->idle) {
      unite_right_sides(d, i, scratch);
    } else if (s->edge_kind == LWI_DCA_RELATION) {
      lwi_dca_sweep_relation(d, i, scratch);
    } else {
      sweep_edge(d, i, scratch);
    }
  }
}

/* Loads, outermost assemblies first; at a leaf all of them are known. */
static void disassemble(lw_dca *d, int first, int last)
{
  for (int i = last; i >= first; i--) {
    const lwi_dca_step *s = &d->step[i];
    if (i - AHEAD >= first) fetch_outward(d, s - AHEAD);
    if (s->idle) continue;
    if (s->kind != LWI_ASSEMBLY_LEAF) {
      if (s->edge_kind == LWI_DCA_RELATION)
        lwi_dca_load_relation(d, i);
      else
        find_load_of(d, s);
      continue;
    }
    lwi_dca_state *b = &d->state[s->link];
    push_body(b, b->F, b->A);
    for (int k = 0; k < 6; k++)
      b->A[k] += b->z[k];
  }
}

/* Relative motion in the joint of a link: S udot = A_b - phi* A_a - c, or S u = V_b - phi* V_a
   after a jump. */
static inline void find_relative(const lw_dca *d, int link, tree_edge *t, double x[6])
{
  const int parent = d->m->link[link].parent;
  const double *a = d->state[parent].A, *b = d->state[link].A;
  const bool jump = d->speeds;
  double A[6], B[6], turn[3];
  find_tree_edge(d, link, t);
  for (int k = 0; k < 6; k++) {
    A[k] = jump ? a[k] + d->V[parent][k] : a[k];
    B[k] = jump ? b[k] + d->V[link][k] : b[k] - t->c[k];
  }
  cross3(A, t->r, turn);
  for (int k = 0; k < 3; k++) {
    x[k] = B[k] - A[k];
    x[3 + k] = B[3 + k] - A[3 + k] - turn[k];
  }
}

static bool accelerate_link(lw_dca *d, int link)
{
  const lwi_link *L = &d->m->link[link];
  double x[6], *udot = d->udot + L->u;
  bool finite = true;
  tree_edge t;
  find_relative(d, link, &t, x);
  for (int j = 0; j < L->nu; j++)
    udot[j] = row_dot6(t.S[j], x);
  solve_normal(L->nu, L->inertialess, t.S, udot);
  for (int j = 0; j < L->nu; j++) {
    if (lwi_is_locked(L, j)) udot[j] = 0;
    finite = finite && isfinite(udot[j]);
  }
  return finite;
}

/* of a revolute joint: its axis n is known, and n^T c = 0 */
static inline double revolute_rate(const lw_dca *d, const lwi_dca_step *s)
{
  const double *n = lwi_dca_kept_axis(s->kept);
  const double *a = d->state[s->link_a].A, *b = d->state[s->link_b].A;
  const double x[3] = {b[0] - a[0], b[1] - a[1], b[2] - a[2]};
  if (!d->speeds) return dot3(n, x);
  a = d->V[s->link_a], b = d->V[s->link_b];
  const double v[3] = {x[0] + (b[0] - a[0]), x[1] + (b[1] - a[1]), x[2] + (b[2] - a[2])};
  return dot3(n, v);
}

static bool accelerate(lw_dca *d, int first, int last)
{
  bool finite = true;
  for (int i = first; i <= last; i++) {
    const lwi_dca_step *s = &d->step[i];
    if (!s->kept || s->link == 0) continue;
    if (s->edge_kind == LWI_DCA_REVOLUTE) {
      const double rate = revolute_rate(d, s);
      d->udot[s->u] = rate;
      finite &= (bool)isfinite(rate);
    } else {
      finite &= accelerate_link(d, s->link);
    }
  }
  return finite;
}

extern const lwi_dca_kernels LW_DCA_KERNELS;
const lwi_dca_kernels LW_DCA_KERNELS = {
    .name = NAME(LW_DCA_KERNELS),
    .assemble = assemble,
    .sweep = sweep,
    .disassemble = disassemble,
    .accelerate = accelerate,
    .accelerate_link = accelerate_link,
    .derivative_inward = derivative_inward,
    .derivative_outward = derivative_outward,
};
