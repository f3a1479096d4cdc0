/* SPDX-License-Identifier: Apache-2.0 */
/* tree_kernel_choice.c -- chooses the widest compiled kernels that this processor supports. */
#include "tree/recursion/tree_kernels.h"
#include "base/processor.h"

extern const lwi_kernels lwi_kernels_plain;
#ifdef LWI_HAVE_X86_KERNELS
extern const lwi_kernels lwi_kernels_one_avx2, lwi_kernels_one_avx512, lwi_kernels_four_avx2,
    lwi_kernels_eight_avx512;
#else
extern const lwi_kernels lwi_kernels_four;
#endif

enum { MOST = 5 };

/* narrow to wide, single states before batches; returns how many */
static int list_tables(const lwi_kernels *table[MOST])
{
  int n = 0;
  table[n++] = &lwi_kernels_plain;
#ifdef LWI_HAVE_X86_KERNELS
  if (lwi_has_avx2()) table[n++] = &lwi_kernels_one_avx2;
  if (lwi_has_avx512()) table[n++] = &lwi_kernels_one_avx512;
  if (lwi_has_avx2()) table[n++] = &lwi_kernels_four_avx2;
  if (lwi_has_avx512()) table[n++] = &lwi_kernels_eight_avx512;
#else
  table[n++] = &lwi_kernels_four;
#endif
  return n;
}

const lwi_kernels *lwi_kernels_single(void)
{
  const lwi_kernels *table[MOST], *best = NULL;
  const int n = list_tables(table);
  for (int i = 0; i < n; i++)
    if (table[i]->lanes == 1) best = table[i];
  return best;
}

const lwi_kernels *lwi_kernels_batch(void)
{
  const lwi_kernels *table[MOST];
  return table[list_tables(table) - 1];
}

const lwi_kernels *lwi_kernels_at(int index)
{
  const lwi_kernels *table[MOST];
  const int n = list_tables(table);
  return index >= 0 && index < n ? table[index] : NULL;
}
