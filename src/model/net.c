/* SPDX-License-Identifier: Apache-2.0 */
/* net.c -- lists the blocks of a net, their ends on links, their order. */
#include "model/net.h"
#include "model/compile.h"
#include "model/tie_order.h"

/* freedoms of a link that may move; those that a particle does not have count as such */
static int moving(const lw_model *m, const lwi_link *L, bool holding)
{
  int n = L->nu;
  for (int j = L->frozen; j < L->nu; j++)
    n -= holding ? m->locked[L->column + j] : lwi_is_still(L, j);
  return n;
}

/* links of a tie, the ground among them, some perhaps twice */
static int tie_links(const lw_model *m, const lwi_ties *x, const lwi_tie *t, int *out)
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

static void add_block(lwi_net *net, lwi_net_block b, const int *links, int n)
{
  if (b.n == 0) return;
  b.first = net->nend;
  for (int i = 0; i < n; i++) {
    bool new = links[i] > 0;
    for (int e = b.first; e < net->nend; e++)
      new = new && net->end[e].link != links[i];
    if (!new) continue;
    net->end[net->nend++] = (lwi_net_end){.link = links[i]};
    b.nend++;
  }
  net->block[net->nblock++] = b;
}

/* in any order; ends one after the other */
static bool list_blocks(lwi_compiler *c, const lwi_ties *x, bool holding)
{
  const lw_model *m = c->m;
  lwi_net *net = x->net;
  int most = 2 * m->nlink, widest = 2;
  for (int t = 0; t < x->ntie; t++) {
    const int n = 2 * (x->tie[t].npair + x->tie[t].nterm);
    most += n;
    widest = n > widest ? n : widest;
  }
  int *links = LWI_TAKE(&c->scratch, widest, int);
  net->block = LWI_TAKE(c->arena, m->nlink + x->ntie, lwi_net_block);
  net->end = LWI_TAKE(c->arena, most, lwi_net_end);
  if (!links || !net->block || !net->end) return lwi_compile_memory(c);
  for (int i = 1; i < m->nlink; i++) {
    const int n = (m->planar ? 3 : 6) - moving(m, &m->link[i], holding);
    links[0] = m->link[i].parent, links[1] = i;
    add_block(net, (lwi_net_block){.link = i, .tie = -1, .n = n}, links, 2);
    net->ntree += n;
  }
  for (int t = 0; t < x->ntie; t++) {
    const int n = tie_links(m, x, &x->tie[t], links);
    add_block(net, (lwi_net_block){.tie = t, .n = x->tie[t].n}, links, n);
  }
  return true;
}

static bool order_blocks(lwi_compiler *c, lwi_net *net)
{
  const int n = net->nblock, nlink = c->m->nlink;
  int *start = LWI_TAKE(&c->scratch, n + 1, int), *link = LWI_TAKE(&c->scratch, net->nend, int);
  int *order = LWI_TAKE(&c->scratch, n, int);
  int *room = LWI_TAKE(&c->scratch, 3 * n + 2 * nlink + 1 + net->nend, int);
  lwi_net_block *old = LWI_TAKE(&c->scratch, n, lwi_net_block);
  lwi_net_end *ends = LWI_TAKE(&c->scratch, net->nend, lwi_net_end);
  if (!start || !link || !order || !room || !old || !ends) return lwi_compile_memory(c);
  for (int b = 0; b < n; b++)
    start[b] = net->block[b].first, old[b] = net->block[b];
  start[n] = net->nend;
  for (int e = 0; e < net->nend; e++)
    link[e] = net->end[e].link, ends[e] = net->end[e];
  lwi_order_near(&(lwi_incidence){n, nlink, start, link}, order, room);
  for (int b = 0, at = 0; b < n; b++) {
    lwi_net_block *to = &net->block[b];
    *to = old[order[b]];
    const int from = to->first;
    to->first = at;
    to->row = net->nrow;
    net->nrow += to->n;
    for (int e = 0; e < to->nend; e++) {
      net->end[at++] = (lwi_net_end){.block = b, .link = ends[from + e].link, .J = net->nJ};
      net->nJ += 6 * (size_t)to->n;
    }
  }
  return true;
}

static bool list_ends(lwi_compiler *c, lwi_net *net)
{
  const int n = c->m->nlink;
  net->start = LWI_TAKE(c->arena, n + 1, int);
  net->at = LWI_TAKE(c->arena, net->nend, int);
  if (!net->start || !net->at) return lwi_compile_memory(c);
  for (int e = 0; e < net->nend; e++)
    net->start[net->end[e].link]++;
  for (int i = 0; i < n; i++)
    net->start[i + 1] += net->start[i];
  for (int e = net->nend - 1; e >= 0; e--)
    net->at[--net->start[net->end[e].link]] = e;
  return true;
}

static bool shape_envelope(lwi_compiler *c, lwi_net *net)
{
  lwi_envelope *v = &net->envelope;
  v->nblock = net->nblock;
  v->block = LWI_TAKE(c->arena, net->nblock + 1, int);
  v->first = LWI_TAKE(c->arena, net->nblock, int);
  v->row = LWI_TAKE(c->arena, net->nrow, size_t);
  if (!v->block || !v->first || !v->row) return lwi_compile_memory(c);
  for (int b = 0; b < net->nblock; b++) {
    const lwi_net_block *own = &net->block[b];
    int first = b;
    for (int e = own->first; e < own->first + own->nend; e++) {
      const int other = net->end[net->at[net->start[net->end[e].link]]].block;
      first = other < first ? other : first;
    }
    v->block[b] = own->row;
    v->first[b] = net->block[first].row;
  }
  v->block[net->nblock] = net->nrow;
  lwi_envelope_layout(v);
  return true;
}

bool lwi_compile_net(lwi_compiler *c, lwi_ties *x, bool holding)
{
  x->net = LWI_TAKE(c->arena, 1, lwi_net);
  if (!x->net) return lwi_compile_memory(c);
  return list_blocks(c, x, holding) && order_blocks(c, x->net) && list_ends(c, x->net) &&
         shape_envelope(c, x->net);
}
