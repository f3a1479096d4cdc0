/* SPDX-License-Identifier: Apache-2.0 */
/* yaml_merge.c -- merge keys of YAML: the entries of other mappings become entries of this one.
   Values are shared, as those of aliases are. */
#include "io/read/yaml_merge.h"

#include "base/name_index.h"

#include <stdbool.h>
#include <string.h>

static int find_merge(const lwi_yaml_node *map)
{
  for (int i = 0; i < map->count; i++) {
    const lwi_yaml_node *key = map->entry[i].key;
    if (key->style == LWI_YAML_PLAIN && strcmp(key->text, "<<") == 0) return i;
  }
  return -1;
}

/* the mappings that a merge key names: one, or those of a list */
static int count_maps(const lwi_yaml_node *value)
{
  return value->kind == LWI_YAML_LIST ? value->count : 1;
}

static const lwi_yaml_node *get_map(const lwi_yaml_node *value, int i)
{
  return value->kind == LWI_YAML_LIST ? value->item[i] : value;
}

typedef struct {
  lwi_name_index names; /* of keys so far, and of those written in the mapping itself */
  lwi_yaml_entry *entry;
  int n;
} merging;

static bool know_key(merging *m, const lwi_yaml_node *key, bool *fresh)
{
  const int before = m->names.n, id = lwi_name_add(&m->names, key->text, (size_t)key->count);
  *fresh = id == before;
  return id >= 0;
}

static bool add_entries(merging *m, const lwi_yaml_node *from)
{
  bool fresh;
  for (int i = 0; i < from->count; i++) {
    if (!know_key(m, from->entry[i].key, &fresh)) return false;
    if (fresh) m->entry[m->n++] = from->entry[i];
  }
  return true;
}

/* The merged entries take the place of the merge key. */
static bool write_entries(merging *m, const lwi_yaml_node *map, int at)
{
  bool fresh;
  const lwi_yaml_node *value = map->entry[at].value;
  for (int i = 0; i < map->count; i++)
    if (!know_key(m, map->entry[i].key, &fresh)) return false;
  for (int i = 0; i < map->count; i++) {
    if (i != at) m->entry[m->n++] = map->entry[i];
    for (int k = 0; i == at && k < count_maps(value); k++)
      if (!add_entries(m, get_map(value, k))) return false;
  }
  return true;
}

lwi_yaml_merge_result lwi_yaml_merge(lwi_yaml_document *doc, lwi_yaml_node *map, int limit,
                                     int *added, const lwi_yaml_node **at)
{
  const int merge = find_merge(map);
  if (merge < 0) return LWI_YAML_MERGED;
  const lwi_yaml_node *value = map->entry[merge].value;
  for (int i = 0; i < count_maps(value); i++) {
    *at = get_map(value, i);
    if ((*at)->kind != LWI_YAML_MAP) return LWI_YAML_MERGE_KIND;
    if ((*at)->count > limit - *added) return LWI_YAML_MERGE_LIMIT;
    *added += (*at)->count;
  }
  merging m = {.entry = lwi_yaml_take(doc, (size_t)(map->count + *added) * sizeof *m.entry)};
  const bool ok = m.entry && write_entries(&m, map, merge);
  lwi_name_index_free(&m.names);
  if (!ok) return LWI_YAML_MERGE_MEMORY;
  map->entry = m.entry;
  map->count = m.n;
  return LWI_YAML_MERGED;
}
