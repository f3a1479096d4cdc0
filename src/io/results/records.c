/* SPDX-License-Identifier: Apache-2.0 */
/* records.c -- the types of the records of a file of results (records.h). */
#include "io/results/records.h"

#include <stddef.h>
#include <string.h>

typedef enum { INTEGER8, INTEGER4, REAL, REALS6, NAME, TEXT } member_type;
typedef struct {
  const char *name;
  size_t offset;
  member_type type;
} member;
#define MEMBER(record, field, type)                                                                \
  {                                                                                                \
#field, offsetof(record, field), type                                                          \
  }

static const member event_members[] = {
    MEMBER(lwi_event_record, instant, INTEGER8),    MEMBER(lwi_event_record, row, INTEGER8),
    MEMBER(lwi_event_record, time, REAL),           MEMBER(lwi_event_record, name, NAME),
    MEMBER(lwi_event_record, stops, INTEGER4),      MEMBER(lwi_event_record, transition, INTEGER4),
    MEMBER(lwi_event_record, kinetic_before, REAL), MEMBER(lwi_event_record, kinetic_after, REAL),
    MEMBER(lwi_event_record, jump_energy, REAL)};
static const member hit_members[] = {MEMBER(lwi_hit_record, instant, INTEGER8),
                                     MEMBER(lwi_hit_record, name, NAME),
                                     MEMBER(lwi_hit_record, impulse, REAL)};
static const member impulse_members[] = {
    MEMBER(lwi_impulse_record, instant, INTEGER8), MEMBER(lwi_impulse_record, kind, INTEGER4),
    MEMBER(lwi_impulse_record, name, NAME), MEMBER(lwi_impulse_record, impulse, REALS6)};
static const member transition_members[] = {MEMBER(lwi_transition_record, number, REALS6)};
static const member status_members[] = {MEMBER(lwi_status_record, rows, INTEGER8),
                                        MEMBER(lwi_status_record, steps, INTEGER8),
                                        MEMBER(lwi_status_record, evaluations, INTEGER8),
                                        MEMBER(lwi_status_record, rejected, INTEGER8),
                                        MEMBER(lwi_status_record, state, INTEGER4),
                                        MEMBER(lwi_status_record, time, REAL),
                                        MEMBER(lwi_status_record, last_step, REAL),
                                        MEMBER(lwi_status_record, smallest_step, REAL),
                                        MEMBER(lwi_status_record, largest_step, REAL),
                                        MEMBER(lwi_status_record, wall_time, REAL),
                                        MEMBER(lwi_status_record, method, NAME),
                                        MEMBER(lwi_status_record, message, TEXT)};
static const member case_members[] = {MEMBER(lwi_case_record, status, NAME),
                                      MEMBER(lwi_case_record, message, TEXT)};

#define COUNT(list) (int)(sizeof(list) / sizeof *(list))
static const struct {
  const char *set;
  size_t size;
  const member *member;
  int n;
} kinds[LWI_RECORD_KINDS] = {
    [LWI_RECORD_EVENT] = {"events", sizeof(lwi_event_record), event_members, COUNT(event_members)},
    [LWI_RECORD_HIT] = {"hits", sizeof(lwi_hit_record), hit_members, COUNT(hit_members)},
    [LWI_RECORD_IMPULSE] = {"impulses", sizeof(lwi_impulse_record), impulse_members,
                            COUNT(impulse_members)},
    [LWI_RECORD_TRANSITION] = {"transitions", sizeof(lwi_transition_record), transition_members,
                               COUNT(transition_members)},
    [LWI_RECORD_STATUS] = {"status", sizeof(lwi_status_record), status_members,
                           COUNT(status_members)},
    [LWI_RECORD_CASE] = {"cases", sizeof(lwi_case_record), case_members, COUNT(case_members)},
};

const char *lwi_record_set(lwi_record_kind kind)
{
  return kinds[kind].set;
}

size_t lwi_record_size(lwi_record_kind kind)
{
  return kinds[kind].size;
}

void lwi_records_end_texts(lwi_record_kind kind, void *items, long n)
{
  for (int k = 0; k < kinds[kind].n; k++) {
    const member *m = &kinds[kind].member[k];
    const size_t length = m->type == NAME ? LWI_RECORD_NAME : m->type == TEXT ? LWI_RECORD_TEXT : 0;
    for (long i = 0; i < n && length > 0; i++)
      ((char *)items)[(size_t)i * kinds[kind].size + m->offset + length - 1] = '\0';
  }
}

hid_t lwi_text_type(const lwi_hdf5 *h, size_t bytes)
{
  const hid_t type = h->H5Tcopy(*h->H5T_C_S1_g);
  h->H5Tset_size(type, bytes ? bytes : 1);
  h->H5Tset_cset(type, H5T_CSET_UTF8);
  h->H5Tset_strpad(type, H5T_STR_NULLPAD);
  return type;
}

static hid_t member_hid(const lwi_hdf5 *h, member_type type)
{
  const hsize_t six = 6;
  switch (type) {
  case INTEGER8: return h->H5Tcopy(*h->H5T_NATIVE_INT64_g);
  case INTEGER4: return h->H5Tcopy(*h->H5T_NATIVE_INT32_g);
  case REAL: return h->H5Tcopy(*h->H5T_NATIVE_DOUBLE_g);
  case REALS6: return h->H5Tarray_create2(*h->H5T_NATIVE_DOUBLE_g, 1, &six);
  case NAME: return lwi_text_type(h, LWI_RECORD_NAME);
  case TEXT: return lwi_text_type(h, LWI_RECORD_TEXT);
  }
  return -1;
}

hid_t lwi_record_type(const lwi_hdf5 *h, lwi_record_kind kind)
{
  const hid_t record = h->H5Tcreate(H5T_COMPOUND, kinds[kind].size);
  bool ok = record >= 0;
  for (int i = 0; i < kinds[kind].n && ok; i++) {
    const member *m = &kinds[kind].member[i];
    const hid_t type = member_hid(h, m->type);
    ok = type >= 0 && h->H5Tinsert(record, m->name, m->offset, type) >= 0;
    if (type >= 0) h->H5Tclose(type);
  }
  if (ok || record < 0) return record;
  h->H5Tclose(record);
  return -1;
}

/* FNV-1a of the bytes, 52 bits of it: a whole number. */
double lwi_checkpoint_sum(const double x[], size_t n)
{
  uint64_t hash = 14695981039346656037u;
  for (size_t i = 0; i < n; i++) {
    uint64_t bits;
    if (i == LWI_CHECKPOINT_SUM) continue;
    memcpy(&bits, &x[i], sizeof bits);
    for (int k = 0; k < 8; k++)
      hash = (hash ^ (bits >> 8 * k & 255)) * 1099511628211u;
  }
  return (double)(hash >> 12);
}
