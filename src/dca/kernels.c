/* SPDX-License-Identifier: Apache-2.0 */
/* kernels.c -- assemble, disassemble, accelerate: compiled once per instruction set; the table is the
   only symbol, and its name the only thing that depends on it. */
#include "dca/body.h"
#include "dca/eliminate.h"
#include "dca/vary_sweep.h"

#ifndef LW_DCA_KERNELS
#define LW_DCA_KERNELS lwi_dca_kernels_plain
#endif
#define TEXT(x) #x
#define NAME(x) TEXT(x)

static void assemble_leaf(lw_dca *d, int step, double *scratch)
{
  const lwi_dca_step *s = &d->step[step];
  const mobility out = mobility_of(d, step, scratch);
  assemble_body(d, s->link, s->nout > 0 ? out.Z : NULL, out.z);
}

static lw_status assemble(lw_dca *d, int first, int last, double *scratch)
{
  for (int i = first; i <= last; i++) {
    const lwi_dca_step *s = &d->step[i];
    if (s->kind == LWI_ASSEMBLY_LEAF) {
      assemble_leaf(d, i, scratch);
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

static void sweep_leaf(lw_dca *d, int step, double *scratch)
{
  lwi_dca_state *b = &d->state[d->step[step].link];
  memset(b->F, 0, sizeof b->F);
  if (d->step[step].nout > 0) memcpy(mobility_of(d, step, scratch).z, b->z, sizeof b->z);
}

static void sweep(lw_dca *d, int first, int last, double *scratch)
{
  for (int i = first; i <= last; i++) {
    const lwi_dca_step *s = &d->step[i];
    if (s->kind == LWI_ASSEMBLY_LEAF)
      sweep_leaf(d, i, scratch);
    else if (s->idle)
      unite_right_sides(d, i, scratch);
    else if (d->edge[s->edge].kind == LWI_DCA_RELATION)
      lwi_dca_sweep_relation(d, i, scratch);
    else
      sweep_edge(d, i, scratch);
  }
}

/* Loads, outside first; at a leaf all of them are known. */
static void disassemble(lw_dca *d, int first, int last)
{
  for (int i = last; i >= first; i--) {
    const lwi_dca_step *s = &d->step[i];
    if (s->idle) continue;
    if (s->kind != LWI_ASSEMBLY_LEAF) {
      if (d->edge[s->edge].kind == LWI_DCA_RELATION)
        lwi_dca_load_relation(d, i);
      else
        find_load_of(d, s);
      continue;
    }
    lwi_dca_state *b = &d->state[s->link];
    push_body(&d->body[s->link], b, b->F, b->A);
    for (int k = 0; k < 6; k++)
      b->A[k] += b->z[k];
  }
}

/* What the joint of a link does: S udot = A_b - phi* A_a - c, or S u = V_b - phi* V_a after a jump. */
static inline void find_relative(const lw_dca *d, int link, tree_edge *t, double x[6])
{
  const lwi_dca_state *b = &d->state[link], *a = &d->state[d->m->link[link].parent];
  const bool jump = d->pass == LWI_DCA_SWEEP;
  double A[6], B[6], turn[3];
  find_tree_edge(d, link, t);
  for (int k = 0; k < 6; k++) {
    A[k] = jump ? a->A[k] + a->V[k] : a->A[k];
    B[k] = jump ? b->A[k] + b->V[k] : b->A[k] - t->c[k];
  }
  cross3(A, t->r, turn);
  for (int k = 0; k < 3; k++) {
    x[k] = B[k] - A[k];
    x[3 + k] = B[3 + k] - A[3 + k] - turn[k];
  }
}

/* udot of the joints that carry links first ... last, or their speeds after a jump */
static void accelerate(lw_dca *d, int first, int last)
{
  for (int i = first; i <= last; i++) {
    const lwi_link *L = &d->m->link[i];
    if (L->nu == 0) continue;
    tree_edge t;
    double x[6];
    find_relative(d, i, &t, x);
    if (L->kind == LWI_KIND_REVOLUTE) {
      d->udot[L->u] = L->still ? 0 : dot3(t.S[0], x);
      continue;
    }
    for (int j = 0; j < L->nu; j++)
      d->udot[L->u + j] = row_dot6(t.S[j], x);
    solve_normal(L->nu, L->frozen, t.S, d->udot + L->u);
    for (int j = 0; j < L->nu && L->still; j++)
      if (lwi_is_still(L, j)) d->udot[L->u + j] = 0;
  }
}

extern const lwi_dca_kernels LW_DCA_KERNELS;
const lwi_dca_kernels LW_DCA_KERNELS = {
    .name = NAME(LW_DCA_KERNELS),
    .assemble = assemble,
    .sweep = sweep,
    .disassemble = disassemble,
    .accelerate = accelerate,
    .vary_inward = vary_inward,
    .vary_outward = vary_outward,
};
