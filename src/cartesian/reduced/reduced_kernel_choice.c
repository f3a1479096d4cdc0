/* SPDX-License-Identifier: Apache-2.0 */
/* reduced_kernel_choice.c -- which of the compiled kernels this processor runs best. */
#include "cartesian/reduced/reduced.h"

extern const lwi_reduced_kernels lwi_reduced_kernels_plain;
#ifdef LWI_HAVE_X86_KERNELS
extern const lwi_reduced_kernels lwi_reduced_kernels_avx2;
#endif

const lwi_reduced_kernels *lwi_reduced_kernels_at(int index)
{
  if (index == 0) return &lwi_reduced_kernels_plain;
#ifdef LWI_HAVE_X86_KERNELS
  if (index == 1 && __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
    return &lwi_reduced_kernels_avx2;
#endif
  return NULL;
}

const lwi_reduced_kernels *lwi_reduced_kernels_best(void)
{
  const lwi_reduced_kernels *wide = lwi_reduced_kernels_at(1);
  return wide ? wide : lwi_reduced_kernels_at(0);
}
