/* SPDX-License-Identifier: Apache-2.0 */
/* nearest_name.h -- "did you mean": the known name closest to a misspelt one. */
#ifndef LWI_BASE_NEAREST_NAME_H
#define LWI_BASE_NEAREST_NAME_H

/* The one of names[n] that takes the fewest typing slips to turn into word; the first of equals.
   NULL if none is close enough to be worth suggesting. */
const char *lwi_nearest(const char *word, const char *const *names, int n);

#endif
