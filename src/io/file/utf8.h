/* SPDX-License-Identifier: Apache-2.0 */
/* utf8.h -- characters of UTF-8 text. */
#ifndef LWI_IO_FILE_UTF8_H
#define LWI_IO_FILE_UTF8_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Bytes of the character at s (n bytes are left, n > 0) and its code; 0: this is not UTF-8.
   Refuses over-long forms, surrogates and codes above U+10FFFF. */
static inline size_t lwi_utf8_decode(const unsigned char *s, size_t n, uint32_t *code)
{
  static const uint32_t smallest[] = {0, 0, 0x80, 0x800, 0x10000};
  if (s[0] < 0x80) return *code = s[0], 1;

  const size_t length = s[0] >= 0xf0 ? 4 : s[0] >= 0xe0 ? 3 : 2;
  if (s[0] < 0xc2 || s[0] > 0xf4 || length > n) return 0;
  uint32_t c = s[0] & (0xffU >> (length + 1));
  for (size_t i = 1; i < length; i++) {
    if ((s[i] & 0xc0) != 0x80) return 0;
    c = c << 6 | (s[i] & 0x3fU);
  }
  if (c < smallest[length] || c > 0x10ffff || (c >= 0xd800 && c <= 0xdfff)) return 0;
  *code = c;
  return length;
}

/* Is it safe to print on a terminal?  Not control characters, line breaks, and changes of writing
   direction, with which a text can look like another one (Unicode UAX 9, UTR 36). */
static inline bool lwi_utf8_is_printable(uint32_t code)
{
  if (code < 0x20 || (code >= 0x7f && code < 0xa0)) return false;
  if (code == 0x61c || code == 0x200e || code == 0x200f) return false;
  if ((code >= 0x2028 && code <= 0x202e) || (code >= 0x2066 && code <= 0x2069)) return false;
  return code != 0xfeff && code != 0xfffe && code != 0xffff;
}

#endif
