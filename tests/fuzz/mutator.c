/* SPDX-License-Identifier: Apache-2.0 */
/* mutator.c -- for libFuzzer: its own mutations, and those of mutations.h, which leave more models. */
#include "mutations.h"

size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max_size);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned int seed);

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned int seed)
{
  static input x, from;
  source s = {.state = seed};
  for (int k = 0; k < 4; k++)
    pick(&s, 2);
  if (size == 0 || size > MAX_SIZE / 2 || pick(&s, 8) > 0)
    return LLVMFuzzerMutate(data, size, max_size);
  memcpy(x.text, data, size);
  x.text[size] = '\0';
  x.n = (int)size;
  if (pick(&s, 8) == 0) {
    from = x;
    change_line(&x, &from, &s);
  }
  for (int k = pick(&s, 3); k >= 0; k--)
    change_number(&x, &s);
  if ((size_t)x.n > max_size) return LLVMFuzzerMutate(data, size, max_size);
  memcpy(data, x.text, (size_t)x.n);
  return (size_t)x.n;
}
