/* SPDX-License-Identifier: Apache-2.0 */
/* link_system.c -- lists the blocks of a link system, their ends on links, and their order
   (model/link_system.h). */
#include "model/link_system.h"
#include "model/compile/compile.h"
#include "model/compile/shared_column_order.h"

/* number of freedoms of a link that may move; those that are inertialess are included */
static int moving(const lw_model *m, const lwi_link *L, bool holding)
{
  int n = L->nu;
  for (int j = L->inertialess; j < L->nu; j++)
    n -= holding ? m->held[L->column + j] : lwi_is_locked(L, j);
  return n;
}

/* links of a constraint, possibly with the ground and with repetitions */
static int constraint_links(const lw_model *m, const lwi_tree_constraints *x,
                            const lwi_tree_constraint *t, int *out)
{
  int n = 0;
  for (int i = 0; i < 2 * t->npair; i++)
    out[n++] = m->pair[x->pair[t->pair + i / 2].pair].link[i % 2];
  for (int i = t->term; i < t->term + t->nterm; i++) {
    out[n++] = x->term[i].link;
    out[n++] = m->link[x->term[i].link].parent;
  }
  return n;
}

static void add_block(lwi_link_system *link_system, lwi_link_system_block b, const int *links,
                      int n)
{
  if (b.n == 0) return;
  b.first = link_system->nend;
  for (int i = 0; i < n; i++) {
    bool new = links[i] > 0;
    for (int e = b.first; e < link_system->nend; e++)
      new = new && link_system->end[e].link != links[i];
    if (!new) continue;
    link_system->end[link_system->nend++] = (lwi_link_system_end){.link = links[i]};
    b.nend++;
  }
  link_system->block[link_system->nblock++] = b;
}

/* in any order; ends one after the other */
static bool list_blocks(lwi_compiler *c, const lwi_tree_constraints *x, bool holding)
{
  const lw_model *m = c->m;
  lwi_link_system *link_system = x->link_system;
  int most = 2 * m->nlink, widest = 2;
  for (int t = 0; t < x->nconstraint; t++) {
    const int n = 2 * (x->constraint[t].npair + x->constraint[t].nterm);
    most += n;
    widest = n > widest ? n : widest;
  }
  int *links = LWI_TAKE(&c->scratch, widest, int);
  link_system->block = LWI_TAKE(c->arena, m->nlink + x->nconstraint, lwi_link_system_block);
  link_system->end = LWI_TAKE(c->arena, most, lwi_link_system_end);
  if (!links || !link_system->block || !link_system->end) return lwi_compile_memory(c);
  for (int i = 1; i < m->nlink; i++) {
    const int n = (m->planar ? 3 : 6) - moving(m, &m->link[i], holding);
    links[0] = m->link[i].parent, links[1] = i;
    add_block(link_system, (lwi_link_system_block){.link = i, .constraint = -1, .n = n}, links, 2);
    link_system->ntree += n;
  }
  for (int t = 0; t < x->nconstraint; t++) {
    const int n = constraint_links(m, x, &x->constraint[t], links);
    add_block(link_system, (lwi_link_system_block){.constraint = t, .n = x->constraint[t].n}, links,
              n);
  }
  return true;
}

static bool order_blocks(lwi_compiler *c, lwi_link_system *link_system)
{
  const int n = link_system->nblock, nlink = c->m->nlink;
  int *start = LWI_TAKE(&c->scratch, n + 1, int),
      *link = LWI_TAKE(&c->scratch, link_system->nend, int);
  int *order = LWI_TAKE(&c->scratch, n, int);
  int *scratch = LWI_TAKE(&c->scratch, 3 * n + 2 * nlink + 1 + link_system->nend, int);
  lwi_link_system_block *old = LWI_TAKE(&c->scratch, n, lwi_link_system_block);
  lwi_link_system_end *ends = LWI_TAKE(&c->scratch, link_system->nend, lwi_link_system_end);
  if (!start || !link || !order || !scratch || !old || !ends) return lwi_compile_memory(c);
  for (int b = 0; b < n; b++)
    start[b] = link_system->block[b].first, old[b] = link_system->block[b];
  start[n] = link_system->nend;
  for (int e = 0; e < link_system->nend; e++)
    link[e] = link_system->end[e].link, ends[e] = link_system->end[e];
  lwi_order_near(&(lwi_incidence){n, nlink, start, link}, order, scratch);
  for (int b = 0, at = 0; b < n; b++) {
    lwi_link_system_block *to = &link_system->block[b];
    *to = old[order[b]];
    const int from = to->first;
    to->first = at;
    to->row = link_system->nrow;
    link_system->nrow += to->n;
    for (int e = 0; e < to->nend; e++) {
      link_system->end[at++] =
          (lwi_link_system_end){.block = b, .link = ends[from + e].link, .J = link_system->nJ};
      link_system->nJ += 6 * (size_t)to->n;
    }
  }
  return true;
}

static bool list_ends(lwi_compiler *c, lwi_link_system *link_system)
{
  const int n = c->m->nlink;
  link_system->start = LWI_TAKE(c->arena, n + 1, int);
  link_system->at = LWI_TAKE(c->arena, link_system->nend, int);
  if (!link_system->start || !link_system->at) return lwi_compile_memory(c);
  for (int e = 0; e < link_system->nend; e++)
    link_system->start[link_system->end[e].link]++;
  for (int i = 0; i < n; i++)
    link_system->start[i + 1] += link_system->start[i];
  for (int e = link_system->nend - 1; e >= 0; e--)
    link_system->at[--link_system->start[link_system->end[e].link]] = e;
  return true;
}

static bool shape_envelope(lwi_compiler *c, lwi_link_system *link_system)
{
  lwi_envelope *v = &link_system->envelope;
  v->nblock = link_system->nblock;
  v->block = LWI_TAKE(c->arena, link_system->nblock + 1, int);
  v->first = LWI_TAKE(c->arena, link_system->nblock, int);
  v->row = LWI_TAKE(c->arena, link_system->nrow, size_t);
  if (!v->block || !v->first || !v->row) return lwi_compile_memory(c);
  for (int b = 0; b < link_system->nblock; b++) {
    const lwi_link_system_block *own = &link_system->block[b];
    int first = b;
    for (int e = own->first; e < own->first + own->nend; e++) {
      const int other =
          link_system->end[link_system->at[link_system->start[link_system->end[e].link]]].block;
      first = other < first ? other : first;
    }
    v->block[b] = own->row;
    v->first[b] = link_system->block[first].row;
  }
  v->block[link_system->nblock] = link_system->nrow;
  lwi_envelope_layout(v);
  return true;
}

bool lwi_compile_link_system(lwi_compiler *c, lwi_tree_constraints *x, bool holding)
{
  x->link_system = LWI_TAKE(c->arena, 1, lwi_link_system);
  if (!x->link_system) return lwi_compile_memory(c);
  return list_blocks(c, x, holding) && order_blocks(c, x->link_system) &&
         list_ends(c, x->link_system) && shape_envelope(c, x->link_system);
}
