/* SPDX-License-Identifier: Apache-2.0 */
/* records.h -- what a file of results holds besides its rows: records that are appended during a
   run.  docs/results.md describes the file. */
#ifndef LWI_IO_RESULTS_RECORDS_H
#define LWI_IO_RESULTS_RECORDS_H
#include "io/results/hdf5_library.h"

#include <stdbool.h>
#include <stdint.h>

enum { LWI_RECORD_NAME = 256, LWI_RECORD_TEXT = 512 }; /* bytes, zeros at the end */

typedef struct {
  int64_t instant, row; /* from 0; the row just before it */
  double time;
  char name[LWI_RECORD_NAME];
  int32_t stops, transition; /* the run ends; the model changes */
  double kinetic_before, kinetic_after, jump_energy;
} lwi_event_record;

typedef struct {
  int64_t instant;
  char name[LWI_RECORD_NAME];
  double impulse;
} lwi_hit_record;

typedef struct {
  int64_t instant;
  int32_t kind; /* lw_impulse_kind */
  int32_t unused;
  char name[LWI_RECORD_NAME];
  double impulse[6];
} lwi_impulse_record;

/* a piece of what leads to the present model: sim/run/transitions.h */
typedef struct {
  double number[6];
} lwi_transition_record;

typedef struct {
  int64_t rows, steps, evaluations, rejected;
  int32_t state, unused; /* lw_run_state */
  double time, last_step, smallest_step, largest_step, wall_time;
  char method[LWI_RECORD_NAME], message[LWI_RECORD_TEXT];
} lwi_status_record;

/* a row of a table of cases: "ok" or the name of an lw_status, and why */
typedef struct {
  char status[LWI_RECORD_NAME], message[LWI_RECORD_TEXT];
} lwi_case_record;

/* The first numbers of a checkpoint, of which the file has two: one is whole while the other is
   written. */
typedef enum {
  LWI_CHECKPOINT_NUMBER, /* from 1; 0: there is none */
  LWI_CHECKPOINT_SUM,    /* of all other numbers: lwi_checkpoint_sum */
  LWI_CHECKPOINT_ROWS,
  LWI_CHECKPOINT_RECORDS, /* of each kind but the status */
  LWI_CHECKPOINT_HEAD = LWI_CHECKPOINT_RECORDS + 4
} lwi_checkpoint_head;
/* Of x[n] without its own place. */
double lwi_checkpoint_sum(const double x[], size_t n);

typedef enum {
  LWI_RECORD_EVENT,
  LWI_RECORD_HIT,
  LWI_RECORD_IMPULSE,
  LWI_RECORD_TRANSITION,
  LWI_RECORD_STATUS,
  LWI_RECORD_CASE, /* of tables of cases only */
  LWI_RECORD_KINDS
} lwi_record_kind;

/* Name in the file and size of a record. */
const char *lwi_record_set(lwi_record_kind kind);
size_t lwi_record_size(lwi_record_kind kind);
/* Texts of n records that were read end with a 0, whatever the file has. */
void lwi_records_end_texts(lwi_record_kind kind, void *items, long n);
/* Its type, which the caller closes; < 0: failed. */
hid_t lwi_record_type(const lwi_hdf5 *h, lwi_record_kind kind);
/* Text of a fixed number of bytes. */
hid_t lwi_text_type(const lwi_hdf5 *h, size_t bytes);

#endif
