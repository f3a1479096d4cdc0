/* SPDX-License-Identifier: Apache-2.0 */
/* listing.h -- names in a sentence: "a", "b" and 3 more. */
#ifndef LWI_IO_ROBOT_LISTING_H
#define LWI_IO_ROBOT_LISTING_H
#include <stddef.h>

typedef struct {
  int n, shown;
  char text[360];
} lwi_listing;

void lwi_listing_add(lwi_listing *x, const char *name);
/* The list as it goes into a sentence. */
const char *lwi_listing_text(lwi_listing *x);
/* Appends "3 sensors" to a list separated by commas; nothing if n is 0. */
void lwi_listing_count(char *text, size_t size, int n, const char *what);

#endif
