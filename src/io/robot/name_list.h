/* SPDX-License-Identifier: Apache-2.0 */
/* name_list.h -- names in a sentence: "a", "b" and 3 more. */
#ifndef LWI_IO_ROBOT_NAME_LIST_H
#define LWI_IO_ROBOT_NAME_LIST_H

typedef struct {
  int n, shown;
  char text[360];
} lwi_name_list;

void lwi_name_list_add(lwi_name_list *x, const char *name);
/* The list as it goes into a sentence. */
const char *lwi_name_list_text(lwi_name_list *x);

#endif
