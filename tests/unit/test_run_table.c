/* SPDX-License-Identifier: Apache-2.0 */
/* Whole runs as tables: rows at output times and events, callbacks, stops, derivatives. */
#include "lwt.h"

#include "linkwork/file.h"
#include "linkwork/sensitivity.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* a body that slides with u = v, stopped short at 0.35 and at rest from then on */
static const char slider[] =
    "{linkwork: 1, gravity: [0, 0, 0], parameters: {v: 2}, bodies: {a: {mass: 1}}, joints: {A: "
    "{type: prismatic, parent: ground, child: a, axis: x, u: v}}, events: [{at: 0.35, lock: A}], "
    "simulation: {end: 1, output_step: 0.1}, sensitivity: {parameters: [v]}}";
static const char path[] = "test_run_table.tmp";

typedef struct {
  lw_model *m;
  lw_simulation *sim;
  int rows, events;
  double t[32], q[32];
  long end_after; /* rows; 0: never */
  volatile sig_atomic_t stop;
} fixture;

static lw_model *compile(void)
{
  lw_error err;
  lw_spec *s = lw_spec_parse(slider, strlen(slider), "slider", &err);
  lw_model *m = s ? lw_compile(s, &err) : NULL;
  if (!m) fail_msg("%s", err.text);
  lw_spec_free(s);
  return m;
}

static int set_up(void **state)
{
  fixture *f = calloc(1, sizeof *f);
  lw_error err;
  f->m = compile();
  f->sim = lw_simulation_new(f->m, NULL, &err);
  *state = f;
  return !f->sim;
}

static int tear_down(void **state)
{
  fixture *f = *state;
  lw_simulation_free(f->sim);
  lw_model_free(f->m);
  free(f);
  remove(path);
  return 0;
}

static lw_status note(void *context, const lw_row *row)
{
  fixture *f = context;
  assert_true(f->rows < 32);
  f->t[f->rows] = row->t;
  f->q[f->rows++] = row->q[0];
  f->events += row->event != NULL;
  assert_int_equal(row->after, f->events == 2 && row->event);
  if (f->end_after == f->rows) f->stop = 1;
  return LW_OK;
}

/* ---- rows ---- */

/* 0, 0.1, 0.2, 0.3, twice 0.35, 0.4, ... 1 */
static void rows_are_at_output_times_and_events(void **state)
{
  fixture *f = *state;
  lw_run_report report;
  double q[8] = {0}, u[8] = {0};
  lwt_ok(lw_simulation_run(f->sim, &(lw_run_options){.on_row = note, .context = f, .q = q, .u = u},
                           &report, NULL));
  assert_int_equal(report.rows, 13);
  assert_int_equal(f->rows, 13);
  assert_int_equal(f->events, 2);
  assert_true(report.t == 1 && f->t[4] == f->t[5]);
  lwt_near(f->t[5], 0.35, 1e-15, "time of the event");
  for (int i = 0; i < 13; i++)
    lwt_near(f->q[i], 2 * fmin(f->t[i], 0.35), 1e-7, "q");
  lwt_near(q[0], 0.7, 1e-7, "q at the end");
  lwt_near(u[0], 0, 1e-12, "u at the end");
}

static char *read_file(void)
{
  FILE *file = fopen(path, "r");
  char *text = calloc(1, 1 << 14);
  if (!file || !text || fread(text, 1, (1 << 14) - 1, file) == 0)
    fail_msg("%s cannot be read", path);
  fclose(file);
  return text;
}

static int count_lines(const char *text)
{
  int n = 0;
  for (; *text; text++)
    n += *text == '\n';
  return n;
}

static void rows_go_to_the_file(void **state)
{
  fixture *f = *state;
  lwt_ok(
      lw_simulation_run(f->sim, &(lw_run_options){.output = path, .columns = "q.A"}, NULL, NULL));
  char *text = read_file();
  assert_int_equal(strncmp(text, "t,q.A\n0,0\n", 10), 0);
  assert_int_equal(count_lines(text), 14);
  free(text);
}

/* A run goes on from where the simulation is. */
static void runs_continue(void **state)
{
  fixture *f = *state;
  lwt_ok(lw_simulation_advance(f->sim, 0.55, NULL, NULL, NULL));
  lwt_ok(lw_simulation_run(f->sim, &(lw_run_options){.on_row = note, .context = f}, NULL, NULL));
  assert_int_equal(f->rows, 5);
  lwt_near(f->t[0], 0.6, 1e-15, "first row");
}

/* ---- ends before the end ---- */

static void flags_stop_runs(void **state)
{
  fixture *f = *state;
  lw_run_report report;
  lw_error err;
  f->end_after = 3;
  const lw_run_options o = {
      .output = path, .columns = "q.*", .on_row = note, .stop = &f->stop, .context = f};
  assert_int_equal(lw_simulation_run(f->sim, &o, &report, &err), LW_E_STOPPED);
  assert_non_null(strstr(err.text, "the results end at t = 0.2"));
  assert_int_equal(report.rows, 3);
  char *text = read_file();
  assert_int_equal(count_lines(text), 4);
  free(text);
  f->stop = 0;
  f->end_after = 0;
  lwt_ok(lw_simulation_run(f->sim, &(lw_run_options){.on_row = note, .context = f}, &report, NULL));
  assert_true(report.t == 1);
}

static lw_status refuse(void *context, const lw_row *row)
{
  (void)context;
  return row->t > 0.25 ? LW_E_NUMBER : LW_OK;
}

static void callbacks_end_runs_with_their_status(void **state)
{
  fixture *f = *state;
  lw_error err;
  assert_int_equal(lw_simulation_run(f->sim, &(lw_run_options){.on_row = refuse}, NULL, &err),
                   LW_E_NUMBER);
  assert_non_null(strstr(err.text, "at t = 0.3"));
}

static void files_that_cannot_be_written_are_said(void **state)
{
  fixture *f = *state;
  lw_error err;
  assert_int_equal(
      lw_simulation_run(f->sim, &(lw_run_options){.output = "/does/not/exist.csv"}, NULL, &err),
      LW_E_FILE);
  assert_non_null(strstr(err.text, "/does/not/exist.csv"));
  assert_int_equal(lw_simulation_run(f->sim, &(lw_run_options){.columns = "q.Z"}, NULL, &err),
                   LW_E_ARG);
}

/* ---- derivatives ---- */

static lw_status check_derivative(void *context, const lw_row *row)
{
  int *rows = context;
  ++*rows;
  assert_int_equal(row->ncell, 5); /* t, q.A, and d/dv of q, u, udot */
  lwt_near(row->cells[2], fmin(row->t, 0.35), 1e-7, "dq/dv");
  return LW_OK;
}

static void derivatives_are_further_columns(void **state)
{
  fixture *f = *state;
  lw_error err;
  int rows = 0;
  lw_sensitivity *s = lw_sensitivity_new(f->m, NULL, 0, NULL, &err);
  assert_non_null(s);
  lwt_ok(lw_sensitivity_run(
      s,
      &(lw_run_options){
          .output = path, .columns = "q.A", .on_row = check_derivative, .context = &rows},
      NULL, &err));
  char *text = read_file();
  static const char header[] = "t,q.A,d(q.A)/d(v),d(u.A)/d(v),d(udot.A)/d(v)\n";
  assert_int_equal(strncmp(text, header, strlen(header)), 0);
  assert_int_equal(rows, 13);
  assert_int_equal(count_lines(text), 14);
  free(text);
  lw_sensitivity_free(s);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(rows_are_at_output_times_and_events, set_up, tear_down),
      cmocka_unit_test_setup_teardown(rows_go_to_the_file, set_up, tear_down),
      cmocka_unit_test_setup_teardown(runs_continue, set_up, tear_down),
      cmocka_unit_test_setup_teardown(flags_stop_runs, set_up, tear_down),
      cmocka_unit_test_setup_teardown(callbacks_end_runs_with_their_status, set_up, tear_down),
      cmocka_unit_test_setup_teardown(files_that_cannot_be_written_are_said, set_up, tear_down),
      cmocka_unit_test_setup_teardown(derivatives_are_further_columns, set_up, tear_down),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
