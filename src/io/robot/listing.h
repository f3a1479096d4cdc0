/* SPDX-License-Identifier: Apache-2.0 */
/* listing.h -- names in a sentence: "a", "b" and 3 more. */
#ifndef LWI_IO_ROBOT_LISTING_H
#define LWI_IO_ROBOT_LISTING_H

typedef struct {
  int n, shown;
  char text[360];
} lwi_listing;

void lwi_listing_add(lwi_listing *x, const char *name);
/* The list as it goes into a sentence. */
const char *lwi_listing_text(lwi_listing *x);

#endif
