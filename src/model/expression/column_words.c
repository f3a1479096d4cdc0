/* SPDX-License-Identifier: Apache-2.0 */
/* column_words.c -- the words with which names of result columns begin. */
#include "model/expression/column_words.h"

#include <string.h>

bool lwi_is_column(const char *name)
{
  static const char *const words[] = {
      "q",    "u",   "udot", "x",     "y",      "z",     "e0",    "e1",     "e2",      "e3",
      "wx",   "wy",  "wz",   "vx",    "vy",     "vz",    "ax",    "ay",     "az",      "fx",
      "fy",   "fz",  "tx",   "ty",    "tz",     "xx",    "xy",    "xz",     "yx",      "yy",
      "yz",   "zx",  "zy",   "zz",    "length", "rate",  "load",  "energy", "tension", "power",
      "work", "gap", "slip", "state", "wdotx",  "wdoty", "wdotz", "angle",  "dx",      "dy",
      "dz",   "dvx", "dvy",  "dvz",   "rx",     "ry",    "rz",    "dwx",    "dwy",     "dwz"};
  const size_t length = strcspn(name, ".");
  for (size_t i = 0; name[length] && i < sizeof words / sizeof *words; i++)
    if (strlen(words[i]) == length && memcmp(name, words[i], length) == 0) return true;
  return false;
}
