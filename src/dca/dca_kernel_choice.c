/* SPDX-License-Identifier: Apache-2.0 */
/* dca_kernel_choice.c -- chooses the widest compiled kernels that this processor supports. */
#include "dca/dca.h"
#include "base/processor.h"

extern const lwi_dca_kernels lwi_dca_kernels_plain;
#ifdef LWI_HAVE_X86_KERNELS
extern const lwi_dca_kernels lwi_dca_kernels_avx2, lwi_dca_kernels_avx512;
#endif

enum { MOST = 3 };

/* narrow to wide; returns how many */
static int list_tables(const lwi_dca_kernels *table[MOST])
{
  int n = 0;
  table[n++] = &lwi_dca_kernels_plain;
#ifdef LWI_HAVE_X86_KERNELS
  if (lwi_has_avx2()) table[n++] = &lwi_dca_kernels_avx2;
  if (lwi_has_avx512()) table[n++] = &lwi_dca_kernels_avx512;
#endif
  return n;
}

const lwi_dca_kernels *lwi_dca_kernels_best(void)
{
  const lwi_dca_kernels *table[MOST];
  return table[list_tables(table) - 1];
}

const lwi_dca_kernels *lwi_dca_kernels_at(int index)
{
  const lwi_dca_kernels *table[MOST];
  const int n = list_tables(table);
  return index >= 0 && index < n ? table[index] : NULL;
}
