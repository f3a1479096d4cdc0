/* SPDX-License-Identifier: Apache-2.0 */
/* write_code.c -- lw_write_code: the functions of a model as C, and their header (linkwork/code.h). */
#include "base/fail.h"
#include "io/code/code_job.h"
#include "io/code/code_parts.h"
#include "io/code/code_sample.h"
#include "linkwork/dynamics.h"
#include "linkwork/output.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- names ---- */

static void name_job(lwi_code_job *j, const char *path)
{
  const char *slash = strrchr(path, '/'), *file = slash ? slash + 1 : path;
  const char *dot = strrchr(file, '.');
  const char *prefix = j->options.prefix ? j->options.prefix : file;
  const size_t length = j->options.prefix || !dot ? strlen(prefix) : (size_t)(dot - file);
  lwi_code_name(prefix, length, j->prefix);
  for (int i = 0; i < LWI_CODE_PREFIX; i++)
    j->upper[i] = (char)toupper((unsigned char)j->prefix[i]);
}

/* ---- the files ---- */

static void put_beginnings(lwi_code_job *j)
{
  const char *real = j->options.single ? "float" : "double";
  lwi_code_add(&j->h, LWI_HEADER_TEXT, j->prefix, j->upper, j->upper, real, j->prefix, j->upper,
               j->m->nq, j->upper, j->m->nu);
  lwi_code_add(&j->c, LWI_SOURCE_TEXT, j->prefix, j->prefix, j->prefix, j->upper, j->upper,
               j->nrow);
  lwi_code_add(&j->c, "%s", lwi_function_texts);
}

static void put_quaternions(lwi_code_job *j)
{
  const lw_model *m = j->m;
  int n = 0;
  lwi_code_add(&j->c, "static void normalise(real q[])\n{\n");
  for (int i = 1; i < m->nlink; i++) {
    const int at = m->link[i].nu > 0 ? lwi_kind_quat((lwi_kind)m->link[i].kind) : -1;
    if (at < 0) continue;
    lwi_code_add(&j->c, "  unit_quaternion(q + %d);\n", m->link[i].q + at);
    n++;
  }
  if (n == 0) lwi_code_add(&j->c, "  (void)q;\n");
  lwi_code_add(&j->c, "}\n\n");
}

static void list_left_out(lwi_code_job *j)
{
  const lw_model *m = j->m;
  int contact = 0;
  for (int i = 0; i < m->nevent; i++)
    contact += m->event[i].contact > 0;
  if (contact) lwi_leave_out(j, "rigid limits, friction and contacts");
  if (m->nevent > contact) lwi_leave_out(j, "events");
}

static lw_status refuse(lw_error *err, const char *what, const char *name)
{
  return lwi_fail(err, LW_E_UNSUPPORTED, "%s \"%s\" cannot be written as straight-line code", what,
                  name);
}

static lw_status check(const lwi_code_job *j, lw_error *err)
{
  const lw_model *m = j->m;
  const lwi_model_state *moving = lwi_moving_state(m);
  if (moving) return refuse(err, "state", moving->name);
  for (int i = 1; i < m->nlink; i++)
    if (m->link[i].locked)
      return refuse(err, "the locked joint", m->joint[m->link[i].joint].info.name);
  for (int i = 1; i < m->nlink; i++)
    if (m->link[i].regularized || m->link[i].inertialess)
      return refuse(err, "the body without inertia at joint", m->joint[m->link[i].joint].info.name);
  return LW_OK;
}

static lw_status put_all(lwi_code_job *j, lw_error *err)
{
  lwi_code_text functions = {.single = j->options.single};
  j->c = functions;
  lw_status status = lwi_trace_forces(&j->x, err);
  if (status != LW_OK) return status;
  lwi_put_mass_matrix(j);
  lwi_put_rates(j);
  if (lwi_is_constrained(j->m))
    status = lwi_put_constrained(j, err);
  else
    lwi_put_tree(j);
  if (status == LW_OK) status = lwi_put_jacobians(j, err);
  if (status != LW_OK) return status;
  put_quaternions(j);
  const char *step = j->nrow > 0 ? "  close_loops(t + h, q, u);\n" : "";
  lwi_code_add(&j->c, LWI_STEP_TEXT, j->prefix, j->prefix, j->prefix, step);
  lwi_code_add(&j->h, LWI_STEP_DECLARATION, j->prefix, j->prefix, j->prefix, j->prefix, j->prefix,
               j->prefix);
  lwi_code_add(&j->h, "\n#ifdef __cplusplus\n}\n#endif\n#endif\n");
  const lwi_sample_parts parts = {.matrix = j->report.mass_matrix <= LWI_MOST_OPERATIONS,
                                  .derivatives = j->derivatives};
  return lwi_put_sample(&j->c, j->m, j->q, j->u, parts, j->prefix, j->upper, err);
}

/* The beginnings need what is known at the end: they are written last and put before the rest. */
static lw_status write_files(lwi_code_job *j, const char *path, lw_error *err)
{
  lwi_code_text functions = j->c, declarations = j->h;
  j->c = j->h = (lwi_code_text){.single = j->options.single};
  put_beginnings(j);
  lwi_code_add(&j->c, "%s", functions.text ? functions.text : "");
  lwi_code_add(&j->h, "%s", declarations.text ? declarations.text : "");
  const bool full = functions.full || declarations.full || j->c.full || j->h.full || j->x.T.failed;
  lwi_code_text_free(&functions);
  lwi_code_text_free(&declarations);
  if (full) return lwi_fail(err, LW_E_MEMORY, "out of memory");
  const size_t length = strlen(path);
  char *header = malloc(length + 1);
  if (!header) return lwi_fail(err, LW_E_MEMORY, "out of memory");
  memcpy(header, path, length + 1);
  header[length - 1] = 'h';
  lw_status status = lw_write_file(header, j->h.text, j->h.length, err);
  if (status == LW_OK) status = lw_write_file(path, j->c.text, j->c.length, err);
  free(header);
  return status;
}

/* The closed start of the model. */
static lw_status find_start(lwi_code_job *j, lw_error *err)
{
  lw_work *w = lw_work_new(j->m);
  if (!w || !j->q || !j->u || !j->row) {
    lw_work_free(w);
    return lwi_fail(err, LW_E_MEMORY, "out of memory");
  }
  lw_initial_state(j->m, j->q, j->u);
  const lw_status status = lw_close_loops(w, j->m->start, j->q, j->u, err);
  lw_work_free(w);
  return status;
}

lw_status lw_write_code(const lw_model *m, const lw_code_options *options, const char *path,
                        lw_code_report *report, lw_error *err)
{
  lwi_code_job j = {.m = m, .options = options ? *options : (lw_code_options){0}};
  const size_t length = path ? strlen(path) : 0;
  if (!m || length < 3 || strcmp(path + length - 2, ".c") != 0 || j.options.njacobian < 0 ||
      (j.options.njacobian > 0 && !j.options.jacobian))
    return lwi_fail(err, LW_E_ARG,
                    "lw_write_code: a model, and the name of a file that ends in .c");
  name_job(&j, path);
  lw_status status = check(&j, err);
  if (status != LW_OK) return status;
  j.q = calloc((size_t)m->nq + 1, sizeof *j.q);
  j.u = calloc((size_t)m->nu + 1, sizeof *j.u);
  j.row = calloc((size_t)m->tree_constraints.nrow + 1, sizeof *j.row);
  status = find_start(&j, err);
  if (status == LW_OK && !lwi_tree_terms_open(&j.x, m))
    status = lwi_fail(err, LW_E_MEMORY, "out of memory");
  j.x.start = j.q;
  list_left_out(&j);
  if (status == LW_OK) status = put_all(&j, err);
  if (status == LW_OK) status = write_files(&j, path, err);
  j.report.constraints = j.nrow;
  if (report && status == LW_OK) *report = j.report;
  lwi_tree_terms_close(&j.x);
  lwi_code_text_free(&j.c);
  lwi_code_text_free(&j.h);
  free(j.q);
  free(j.u);
  free(j.row);
  return status;
}
