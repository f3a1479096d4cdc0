/* SPDX-License-Identifier: Apache-2.0 */
/* csr.h -- items by key in two arrays: item[start[k] .. start[k+1]-1] are those of key k. */
#ifndef LWI_GRAPH_CSR_H
#define LWI_GRAPH_CSR_H

typedef struct {
  int nkey;
  int *start; /* [nkey+1] */
  int *item;  /* [nitem]  */
} lwi_csr;

/* Sorts items 0 .. nitem-1 by key[item] + shift, which must be in 0 .. nkey-1; equal keys keep the
   order of listing, or of the numbers if it is NULL.  start must be zero. */
static inline void lwi_csr_fill(lwi_csr *c, int nitem, const int key[], int shift,
                                const int listing[])
{
  /* count, and sum to the places where the lists begin */
  for (int i = 0; i < nitem; i++)
    c->start[key[i] + shift + 1]++;
  for (int k = 0; k < c->nkey; k++)
    c->start[k + 1] += c->start[k];

  /* filling moves every start to its end, which is the next one's start */
  for (int i = 0; i < nitem; i++) {
    const int x = listing ? listing[i] : i;
    c->item[c->start[key[x] + shift]++] = x;
  }
  for (int k = c->nkey; k > 0; k--)
    c->start[k] = c->start[k - 1];
  c->start[0] = 0;
}

#endif
