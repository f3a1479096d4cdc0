/* SPDX-License-Identifier: Apache-2.0 */
/* nearest_name.c -- edit distance of Damerau and Levenshtein, in its restricted form: insertions,
   deletions, replacements and swaps of neighbours, no letter touched twice.  A letter in the wrong
   case costs next to nothing, so that "Sin" finds "sin" before "min".

   Not handled: words of more than MAX_LENGTH bytes are never suggested; letters beyond ASCII are
   compared byte by byte. */
#include "base/nearest_name.h"
#include "linkwork/reader.h"

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

enum { MAX_LENGTH = 64, WRONG_CASE = 1, SLIP = MAX_LENGTH + 1 };

static char lower(char c)
{
  return (char)(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
}

static int smaller(int a, int b)
{
  return a < b ? a : b;
}

static int replacement_cost(char a, char b)
{
  if (a == b) return 0;
  return lower(a) == lower(b) ? WRONG_CASE : SLIP;
}

static bool is_swap(const char *a, const char *b, int i, int j)
{
  return i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
}

/* Distance of a[na] and b[nb], or INT_MAX as soon as it is known to exceed limit. */
static int distance(const char *a, int na, const char *b, int nb, int limit)
{
  /* three rows of the table: row i holds the distances of a's first i letters to b's first j */
  int rows[3][MAX_LENGTH + 1];
  int *before = rows[0], *last = rows[1], *row = rows[2];
  for (int j = 0; j <= nb; j++)
    row[j] = j * SLIP;

  for (int i = 1; i <= na; i++) {
    int *const spare = before;
    before = last;
    last = row;
    row = spare;
    row[0] = i * SLIP;
    int best = row[0];
    for (int j = 1; j <= nb; j++) {
      int d = last[j - 1] + replacement_cost(a[i - 1], b[j - 1]);
      d = smaller(d, smaller(last[j], row[j - 1]) + SLIP);
      if (is_swap(a, b, i, j)) d = smaller(d, before[j - 2] + SLIP);
      row[j] = d;
      best = smaller(best, d);
    }
    /* a swap reaches back two rows, hence one slip of grace */
    if (best > limit + SLIP) return INT_MAX;
  }
  return row[nb] <= limit ? row[nb] : INT_MAX;
}

/* The cost of what still counts as a mistyped word: a slip in three letters, but one at least when
   the lengths are almost the same.  Words of one letter resemble nothing but themselves. */
static int tolerable(int na, int nb)
{
  const int longest = na > nb ? na : nb, difference = na > nb ? na - nb : nb - na;
  int slips = difference > 1 ? (longest + 2) / 3 : longest / 3;
  if (slips == 0 && longest > 1) slips = 1;
  return slips * SLIP + MAX_LENGTH * WRONG_CASE;
}

/* Length of a word that is compared at all, otherwise -1. */
static int short_length(const char *word)
{
  const void *end = memchr(word, '\0', MAX_LENGTH + 1);
  return end ? (int)((const char *)end - word) : -1;
}

const char *lwi_nearest(const char *word, const char *const *names, int n)
{
  const char *nearest = NULL;
  const int na = short_length(word);
  int best = INT_MAX;
  for (int i = 0; na > 0 && i < n; i++) {
    const int nb = short_length(names[i]);
    if (nb <= 0) continue;
    const int limit = smaller(tolerable(na, nb), best == INT_MAX ? INT_MAX : best - 1);
    if ((na > nb ? na - nb : nb - na) * SLIP > limit) continue;
    const int d = distance(word, na, names[i], nb, limit);
    if (d == INT_MAX) continue;
    best = d;
    nearest = names[i];
  }
  return nearest;
}

const char *lw_nearest_name(const char *word, const char *const names[], int n)
{
  if (!word || !names) return NULL;
  return lwi_nearest(word, names, n);
}
