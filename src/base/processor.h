/* SPDX-License-Identifier: Apache-2.0 */
/* processor.h -- instruction sets of this processor for which kernels are compiled. */
#ifndef LWI_BASE_PROCESSOR_H
#define LWI_BASE_PROCESSOR_H
#include <stdbool.h>

#ifdef LWI_HAVE_X86_KERNELS
static inline bool lwi_has_avx2(void)
{
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
}
static inline bool lwi_has_avx512(void)
{
  return lwi_has_avx2() && __builtin_cpu_supports("avx512f") &&
         __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
}
#endif

#endif
