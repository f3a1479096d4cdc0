/* SPDX-License-Identifier: Apache-2.0 */
/* inverse_table.c -- linkwork inverse --motion: loads of actuators along a prescribed motion.
   Joints of the table are held where loops are closed; the others follow, each row from the one
   before. */
#include "inverse.h"
#include "files.h"
#include "motion.h"
#include "linkwork/derivatives.h"
#include "linkwork/file.h"
#include "linkwork/loops.h"
#include "linkwork/query.h"
#include "linkwork/reader.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
  const cli_args *a;
  lw_spec *spec;
  lw_model *m;
  motion_table table;
  inverse_motion x;
  bool cut;                     /* a joint of the table closes a loop */
  double *rate, *second, *last; /* [nq] of the tree; last: [nq + nu] state of the row before */
  bool placed;                  /* there is a row before, ... */
  double before;                /* ... at this time */
  lw_table *out;
  double *row;
  double *least, *most; /* [nu of all] of tau */
} run;

/* ---- the state at a time ---- */

/* Coordinates, and their rates, of the joints of the table. */
static void place(run *r)
{
  const inverse_motion *x = &r->x;
  for (int i = 0; i < r->table.ncurve; i++) {
    const motion_curve *c = &r->table.curve[i];
    const lw_joint_info j = lw_get_joint(r->m, (lw_joint){c->joint});
    double at[3];
    motion_at(&r->table, c, x->t, at);
    x->q[c->index] = at[0];
    if (j.nq == j.nu) {
      const int k = j.u_all + c->index - j.q_all;
      x->u[k] = at[1], x->udot[k] = at[2], x->given[k] = true;
    } else if (!j.cut) {
      r->rate[c->index] = at[1], r->second[c->index] = at[2];
    }
  }
}

/* Speeds of joints whose speeds are no rates.  With qdot = N(q) u: u of N^-1 qdot, and du/dt of
   N^-1 of the second rate, less the rotation of the axes in which a floating body has its velocity,
   w x v. */
static void turn(run *r)
{
  const lw_model *m = r->m;
  inverse_motion *x = &r->x;
  double *u = r->last + lw_nq(m) + lw_nu(m), *a = u + lw_nu(m);
  lw_motion_of(m, x->q, r->rate, u);
  lw_motion_of(m, x->q, r->second, a);
  for (int i = 0; i < r->table.ncurve; i++) {
    const lw_joint_info j = lw_get_joint(m, (lw_joint){r->table.curve[i].joint});
    if (j.nq == j.nu || j.cut || r->table.curve[i].index != j.q_all) continue;
    const double *w = u + j.u, *v = w + 3;
    for (int k = 0; k < j.nu; k++) {
      x->u[j.u_all + k] = u[j.u + k];
      x->udot[j.u_all + k] = a[j.u + k];
      x->given[j.u_all + k] = true;
    }
    double *acceleration = x->udot + j.u_all + 3;
    for (int k = 0; k < 3 && j.nu == 6; k++)
      acceleration[k] -= w[(k + 1) % 3] * v[(k + 2) % 3] - w[(k + 2) % 3] * v[(k + 1) % 3];
  }
}

/* In the metric of e/|e| the rates of a quaternion lose their part along it, and what that does to
   the second ones. */
static void normalize(run *r)
{
  for (int i = 0; i < r->table.ncurve; i++) {
    const lw_joint_info j = lw_get_joint(r->m, (lw_joint){r->table.curve[i].joint});
    if (j.nq == j.nu || j.cut || r->table.curve[i].index != j.q_all) continue;
    const int at = j.q + j.nq - 4;
    double *e = r->x.q + at, *v = r->rate + at, *a = r->second + at, size = 0, along = 0;
    for (int k = 0; k < 4; k++)
      size += e[k] * e[k];
    size = sqrt(size);
    for (int k = 0; k < 4 && size > 0; k++)
      e[k] /= size, along += e[k] * v[k] / size;
    for (int k = 0; k < 4 && size > 0; k++)
      v[k] = v[k] / size - along * e[k], a[k] = a[k] / size - 2 * along * v[k];
  }
}

/* Compiles again with the joints of the table at their values: those that close loops are held
   there. */
static int hold(run *r)
{
  lw_error err = {0};
  for (int i = 0; i < r->table.ncurve; i++) {
    const lw_joint_info j = lw_get_joint(r->m, (lw_joint){r->table.curve[i].joint});
    if (r->table.curve[i].index != j.q_all || j.implicit) continue;
    if (lw_hold_joint(r->spec, j.name, r->x.q + j.q_all, r->x.u + j.u_all) != LW_OK)
      return usage_error(r->a->verb, "--motion: joint \"%s\" cannot be held", j.name);
  }
  lw_model *m = lw_compile(r->spec, &err);
  if (!m) return report_model_error(r->a, &err);
  lw_work *w = lw_work_new(m);
  if (!w) return lw_model_free(m), out_of_memory(r->a);
  lw_work_free(r->x.w);
  lw_model_free(r->m);
  r->m = m;
  r->x.m = m;
  r->x.w = w;
  return CLI_DONE;
}

/* Where the joints would be that the table does not have, if they went on as they move: r->rate is
   scratch here. */
static void predict(run *r, double dt)
{
  const int nq = lw_nq(r->m);
  lw_coordinate_rates(r->m, r->last, r->last + nq, r->rate);
  for (int i = 0; i < nq - lw_nstate(r->m); i++)
    r->last[i] += dt * r->rate[i];
}

static int find_state(run *r)
{
  inverse_motion *x = &r->x;
  lw_error err = {0};
  if (r->placed) predict(r, x->t - r->before);
  r->placed = true;
  r->before = x->t;
  memcpy(x->q, r->last, (size_t)lw_nq(r->m) * sizeof(double));
  memcpy(x->u, r->last + lw_nq(r->m), (size_t)lw_nu(r->m) * sizeof(double));
  place(r);
  normalize(r);
  turn(r);
  const int status = r->cut ? hold(r) : CLI_DONE;
  if (status != CLI_DONE) return status;
  if (lw_normalize(r->m, x->q) != LW_OK)
    return usage_error(r->a->verb, "--motion: a quaternion is zero at t = %.10g", x->t);
  if (lw_close_loops(x->w, x->t, x->q, x->u, &err) != LW_OK) {
    print_message("--motion, t = %.10g: joints that loops make follow others cannot be prescribed "
                  "besides them: leave them out of the table",
                  x->t);
    return report_model_error(r->a, &err);
  }
  memcpy(r->last, x->q, (size_t)lw_nq(r->m) * sizeof(double));
  memcpy(r->last + lw_nq(r->m), x->u, (size_t)lw_nu(r->m) * sizeof(double));
  return inverse_find_loads(r->a, x);
}

/* ---- results ---- */

enum { MOST_NAME = 300 };

static void name_columns(const run *r, const char *kind, bool speeds, char *text, const char **name,
                         int *n)
{
  for (int i = 1; i <= lw_njoint(r->m); i++) {
    const lw_joint_info j = lw_get_joint(r->m, (lw_joint){i});
    const int count = speeds ? j.nu : j.nq;
    for (int k = 0; k < count; k++) {
      char *to = text + (size_t)*n * MOST_NAME;
      if (count == 1)
        snprintf(to, MOST_NAME, "%s.%s", kind, j.name);
      else
        snprintf(to, MOST_NAME, "%s.%s.%d", kind, j.name, k + 1);
      name[(*n)++] = to;
    }
  }
}

static int open_table(run *r)
{
  lw_error err = {0};
  const size_t most = (size_t)lw_nq_all(r->m) + 3 * (size_t)lw_nu_all(r->m) + 1;
  const char *path = args_text(r->a, "output");
  if (!path) return CLI_DONE;
  char *text = malloc(most * MOST_NAME);
  const char **name = malloc(most * sizeof *name);
  r->row = malloc(most * sizeof *r->row);
  int n = 1;
  if (text && name && r->row) {
    strcpy(text, "t");
    name[0] = text;
    name_columns(r, "q", false, text, name, &n);
    name_columns(r, "u", true, text, name, &n);
    name_columns(r, "udot", true, text, name, &n);
    name_columns(r, "tau", true, text, name, &n);
    r->out = lw_table_create(path, name, n, &err);
  }
  const bool memory = text && name && r->row;
  free(text);
  free(name);
  if (!memory) return out_of_memory(r->a);
  return r->out ? CLI_DONE : report_model_error(r->a, &err);
}

static int put(double row[], int n, const double x[], int count)
{
  memcpy(row + n, x, (size_t)count * sizeof *x);
  return n + count;
}

/* In the order of joints of the model, which is that of the arrays of all joints by q_all and
   u_all. */
static int put_joints(const run *r, double row[], int n, const double x[], bool speeds)
{
  for (int i = 1; i <= lw_njoint(r->m); i++) {
    const lw_joint_info j = lw_get_joint(r->m, (lw_joint){i});
    n = speeds ? put(row, n, x + j.u_all, j.nu) : put(row, n, x + j.q_all, j.nq);
  }
  return n;
}

static int write_row(run *r)
{
  const inverse_motion *x = &r->x;
  for (int i = 0; i < lw_nu_all(r->m); i++) {
    r->least[i] = fmin(r->least[i], x->tau[i]);
    r->most[i] = fmax(r->most[i], x->tau[i]);
  }
  if (!r->out) return CLI_DONE;
  r->row[0] = x->t;
  int n = put_joints(r, r->row, 1, x->q, false);
  n = put_joints(r, r->row, n, x->u, true);
  n = put_joints(r, r->row, n, x->udot, true);
  put_joints(r, r->row, n, x->tau, true);
  const lw_status status = lw_table_write(r->out, r->row);
  return status == LW_OK ? CLI_DONE : complain_status(r->a, "the table cannot be written", status);
}

static int say(const run *r, int rows)
{
  json j;
  if (args_has(r->a, "json")) {
    if (!json_start(&j)) return out_of_memory(r->a);
    json_object(&j, NULL);
    json_integer(&j, "rows", rows);
    json_number(&j, "begin", r->table.t[0]);
    json_number(&j, "end", r->table.t[r->table.n - 1]);
    json_state(&j, "least", r->m, SPEEDS, r->least);
    json_state(&j, "most", r->m, SPEEDS, r->most);
    json_object_end(&j);
    return json_finish(&j) ? CLI_DONE
                           : complain_status(r->a, "the results cannot be written", LW_E_NUMBER);
  }
  const state_column columns[] = {{"least tau", SPEEDS, r->least}, {"most tau", SPEEDS, r->most}};
  printf("%d rows from t = %g to %g\n\n", rows, r->table.t[0], r->table.t[r->table.n - 1]);
  print_states(r->m, columns, 2, 60);
  return CLI_DONE;
}

/* ---- the whole ---- */

static int follow(run *r)
{
  double step = 0;
  int rows = r->table.n, status = args_number(r->a, "output-step", &step);
  const double *t = r->table.t, span = t[r->table.n - 1] - t[0];
  if (status != CLI_DONE) return status;
  if (args_has(r->a, "output-step") && !(step > 0 && span / step < 1e9))
    return usage_error(r->a->verb, "--output-step must be positive");
  if (step > 0) rows = (int)floor(span / step * (1 + 1e-12)) + 1;
  for (int i = 0; i < rows && status == CLI_DONE; i++) {
    r->x.t = step > 0 ? fmin(t[0] + i * step, t[r->table.n - 1]) : t[i];
    status = find_state(r);
    if (status == CLI_DONE) status = write_row(r);
  }
  lw_error err = {0};
  if (r->out && lw_table_close(r->out, &err) != LW_OK && status == CLI_DONE)
    status = report_model_error(r->a, &err);
  r->out = NULL;
  return status == CLI_DONE ? say(r, rows) : status;
}

static bool allocate(run *r)
{
  const size_t nq = (size_t)lw_nq_all(r->m), nu = (size_t)lw_nu_all(r->m);
  r->rate = calloc(3 * nq + 5 * nu + 1, sizeof *r->rate);
  if (!r->rate || !inverse_allocate(&r->x, r->m)) return false;
  r->second = r->rate + nq;
  r->last = r->second + nq;
  r->least = r->last + nq + 3 * nu;
  r->most = r->least + nu;
  for (size_t i = 0; i < nu; i++)
    r->least[i] = (double)INFINITY, r->most[i] = -(double)INFINITY;
  lw_initial_state(r->m, r->last, r->last + lw_nq(r->m));
  return true;
}

/* The start that the file describes, with its loops closed: from there joints that the table does
   not have move on.  q: of all joints, in their order. */
static int find_start(run *r, double **q)
{
  lw_error err = {0};
  lw_model *m = lw_compile(r->spec, &err);
  if (!m) return report_model_error(r->a, &err);
  lw_work *w = lw_work_new(m);
  const size_t nq = (size_t)lw_nq_all(m);
  *q = calloc(2 * nq + (size_t)lw_nu_all(m) + 1, sizeof **q);
  int status = w && *q ? CLI_DONE : out_of_memory(r->a);
  if (status == CLI_DONE) {
    double *all = *q + nq, *u = all + nq;
    lw_initial_state(m, all, u);
    if (lw_normalize(m, all) != LW_OK || lw_close_loops(w, 0, all, u, &err) != LW_OK ||
        lw_kinematics(w, all, u) != LW_OK || lw_get_cut_joints(w, all, NULL, NULL) != LW_OK)
      status = report_model_error(r->a, &err);
    int n = 0; /* in the order of joints, which all models of the spec share */
    for (int i = 1; i <= lw_njoint(m) && status == CLI_DONE; i++) {
      const lw_joint_info j = lw_get_joint(m, (lw_joint){i});
      for (int k = 0; k < j.nq; k++)
        (*q)[n++] = all[j.q_all + k];
    }
  }
  lw_work_free(w);
  lw_model_free(m);
  return status;
}

static void take_start(run *r, const double q[])
{
  int n = 0;
  for (int i = 1; i <= lw_njoint(r->m); i++) {
    const lw_joint_info j = lw_get_joint(r->m, (lw_joint){i});
    for (int k = 0; k < j.nq; k++, n++)
      if (!j.cut) r->last[j.q + k] = q[n];
  }
}

/* Joints of the table are held; the spanning tree prefers them. */
static int hold_joints(run *r)
{
  lw_error err = {0};
  int status;
  lw_release_joints(r->spec);
  for (int pass = 0; pass < 2; pass++) {
    lw_model_free(r->m);
    if (!(r->m = lw_compile(r->spec, &err))) return report_model_error(r->a, &err);
    motion_free(&r->table);
    if ((status = motion_read(r->a, r->m, &r->table)) != CLI_DONE) return status;
    r->cut = false;
    for (int i = 0; i < r->table.ncurve; i++) {
      const lw_joint_info j = lw_get_joint(r->m, (lw_joint){r->table.curve[i].joint});
      if (!j.implicit) lw_hold_joint(r->spec, j.name, NULL, NULL);
      r->cut = r->cut || j.cut;
    }
  }
  return CLI_DONE;
}

static int open(run *r)
{
  int status;
  double *start = NULL;
  r->spec = load_spec(r->a, &status);
  if (!r->spec) return status;
  status = find_start(r, &start);
  if (status == CLI_DONE) status = hold_joints(r);
  if (status == CLI_DONE && !allocate(r)) status = out_of_memory(r->a);
  if (status == CLI_DONE) take_start(r, start);
  free(start);
  if (status == CLI_DONE) status = inverse_read_actuators(r->a, true, &r->x);
  return status == CLI_DONE ? open_table(r) : status;
}

int inverse_of_table(const cli_args *a)
{
  static const char *const other[] = {"q", "u", "udot", "t"};
  for (size_t i = 0; i < sizeof other / sizeof *other; i++)
    if (args_has(a, other[i]))
      return usage_error(a->verb, "--%s and --motion exclude each other", other[i]);
  run r = {.a = a};
  int status = check_file(a, "output", "CSV");
  if (status == CLI_DONE) status = open(&r);
  if (status == CLI_DONE) status = follow(&r);
  lw_table_close(r.out, NULL);
  inverse_release(&r.x);
  motion_free(&r.table);
  free(r.rate);
  free(r.row);
  lw_model_free(r.m);
  lw_spec_free(r.spec);
  return status;
}
