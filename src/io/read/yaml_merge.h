/* SPDX-License-Identifier: Apache-2.0 */
/* yaml_merge.h -- merge keys of YAML: {<<: *base, mass: 2} is base with another mass. */
#ifndef LWI_IO_READ_YAML_MERGE_H
#define LWI_IO_READ_YAML_MERGE_H
#include "io/read/yaml_document.h"

typedef enum {
  LWI_YAML_MERGED,
  LWI_YAML_MERGE_MEMORY,
  LWI_YAML_MERGE_KIND, /* not a mapping, nor a list of them */
  LWI_YAML_MERGE_LIMIT
} lwi_yaml_merge_result;

/* Replaces the entry << of a mapping, if it has one, by the entries of the mappings it names whose
   keys are not there yet.  *added: values that the merged entries stand for, at most limit.  *at:
   what is wrong. */
lwi_yaml_merge_result lwi_yaml_merge(lwi_yaml_document *doc, lwi_yaml_node *map, int limit,
                                     int *added, const lwi_yaml_node **at);

#endif
