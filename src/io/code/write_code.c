/* SPDX-License-Identifier: Apache-2.0 */
/* write_code.c -- lw_write_code: the functions of a model as C, and their header (linkwork/code.h). */
#include "base/fail.h"
#include "io/code/code_parts.h"
#include "io/code/code_text.h"
#include "io/code/code_sample.h"
#include "io/code/tree_terms.h"
#include "linkwork/code.h"
#include "linkwork/dynamics.h"
#include "linkwork/output.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
  PREFIX = 64,
  MOST_OPERATIONS = 40000 /* of one function: compilers take minutes for more */
};

typedef struct {
  const lw_model *m;
  lw_code_options options;
  lw_code_report report;
  char prefix[PREFIX], upper[PREFIX];
  lwi_tree_terms x;
  lwi_code_text c, h;
  double *q, *u;    /* the closed start */
  bool derivatives; /* are among the functions */
  int nrow, *row;   /* constraint equations that are independent there */
} job;

/* ---- names ---- */

static void make_name(const char *from, size_t length, char out[PREFIX])
{
  size_t n = 0;
  if (length == 0 || isdigit((unsigned char)from[0])) out[n++] = 'm';
  for (size_t i = 0; i < length && n < PREFIX - 1; i++)
    out[n++] = isalnum((unsigned char)from[i]) ? from[i] : '_';
  out[n] = 0;
}

static void name_job(job *j, const char *path)
{
  const char *slash = strrchr(path, '/'), *file = slash ? slash + 1 : path;
  const char *dot = strrchr(file, '.');
  const char *prefix = j->options.prefix ? j->options.prefix : file;
  const size_t length = j->options.prefix || !dot ? strlen(prefix) : (size_t)(dot - file);
  make_name(prefix, length, j->prefix);
  for (int i = 0; i < PREFIX; i++)
    j->upper[i] = (char)toupper((unsigned char)j->prefix[i]);
}

/* ---- functions of terms ---- */

/* Which inputs a function has, in the order of lwi_tree_terms. */
enum { TIME = 1, Q = 2, U = 4, UDOT = 8, TAU = 16 };

static int list_inputs(const job *j, int which, lwi_code_input in[5])
{
  const int nq = j->m->nq, nu = j->m->nu;
  const lwi_code_input all[] = {{"t", 0, 0},
                                {"q", 1, nq},
                                {"u", 1 + nq, nu},
                                {"udot", 1 + nq + nu, nu},
                                {"tau", 1 + nq + 2 * nu, nu}};
  int n = 0;
  for (int i = 0; i < 5; i++)
    if (which >> i & 1) in[n++] = all[i];
  return n;
}

/* "void PREFIX_name(real t, const real q[], ..., real out[])", in the source and the header. */
static void put_head(job *j, lwi_code_text *c, bool local, const char *name, int which,
                     const lwi_code_output out[], int nout)
{
  lwi_code_input in[5];
  const int n = list_inputs(j, which, in);
  const bool header = c == &j->h;
  lwi_code_add(c, "%svoid %s%s%s(", local ? "static " : "", local ? "" : j->prefix,
               local ? "" : "_", name);
  for (int i = 0; i < n + nout; i++) {
    const bool reads = i < n, time = reads && strcmp(in[i].name, "t") == 0;
    lwi_code_add(c, "%s%s%s%s %s%s", i > 0 ? ", " : "", reads && !time ? "const " : "",
                 header ? j->prefix : "real", header ? "_real" : "",
                 reads ? in[i].name : out[i - n].name, time ? "" : "[]");
  }
  lwi_code_add(c, ")");
}

static void put_function(job *j, bool local, const char *name, int which,
                         const lwi_code_output out[], int nout)
{
  lwi_code_input in[5];
  const int n = list_inputs(j, which, in);
  if (!local) {
    put_head(j, &j->h, false, name, which, out, nout);
    lwi_code_add(&j->h, ";\n");
  }
  put_head(j, &j->c, local, name, which, out, nout);
  lwi_code_add(&j->c, "\n{\n");
  for (int i = 0; i < n; i++)
    lwi_code_add(&j->c, "  (void)%s;\n", in[i].name);
  lwi_code_body(&j->c, &j->x.T, in, n, out, nout);
  lwi_code_add(&j->c, "}\n\n");
}

/* Notes what is not written. */
static void leave_out(job *j, const char *what)
{
  char *to = j->report.left_out;
  const size_t used = strlen(to), size = sizeof j->report.left_out;
  snprintf(to + used, size - used, "%s%s", used ? ", " : "", what);
}

static int count(job *j, const lwi_term out[], int n)
{
  lwi_term_count k = {0};
  if (!lwi_count_terms(&j->x.T, out, n, &k)) j->x.T.failed = true;
  return k.additions + k.multiplications + k.divisions + k.functions;
}

static lwi_term *take(job *j, size_t n)
{
  lwi_term *list = calloc(n + 1, sizeof *list);
  if (!list) j->x.T.failed = true;
  return list;
}

/* ---- trees ---- */

static void put_mass_matrix(job *j)
{
  const size_t nu = (size_t)j->m->nu;
  lwi_term *M = take(j, nu * nu);
  if (!M) return;
  lwi_trace_mass_matrix(&j->x, M);
  j->report.mass_matrix = count(j, M, (int)(nu * nu));
  if (j->report.mass_matrix <= MOST_OPERATIONS)
    put_function(j, false, "mass_matrix", Q, &(lwi_code_output){"M", M, (int)(nu * nu)}, 1);
  else
    leave_out(j, "the mass matrix");
  free(M);
}

/* The cheaper one of two ways to the same accelerations. */
static void put_forward(job *j)
{
  const int nu = j->m->nu;
  lwi_term *a = take(j, 2 * (size_t)nu);
  if (!a) return;
  lwi_term *b = a + nu;
  lwi_trace_articulated(&j->x, a);
  const int articulated = count(j, a, nu);
  const bool tried = nu <= 40 && lwi_trace_by_mass_matrix(&j->x, b);
  const int direct = tried ? count(j, b, nu) : articulated;
  j->report.articulated = articulated <= direct;
  j->report.forward = j->report.articulated ? articulated : direct;
  put_function(j, false, "forward_dynamics", TIME | Q | U | TAU,
               &(lwi_code_output){"udot", j->report.articulated ? a : b, nu}, 1);
  free(a);
}

static void put_inverse(job *j)
{
  const int nu = j->m->nu;
  lwi_term *tau = take(j, (size_t)nu);
  if (!tau) return;
  lwi_trace_inverse(&j->x, j->x.udot, tau);
  j->report.inverse = count(j, tau, nu);
  put_function(j, false, "inverse_dynamics", TIME | Q | U | UDOT,
               &(lwi_code_output){"tau", tau, nu}, 1);
  free(tau);
}

static void put_bias(job *j)
{
  lwi_term *b = take(j, (size_t)j->m->nu);
  if (!b) return;
  lwi_trace_inverse(&j->x, NULL, b);
  put_function(j, false, "bias", TIME | Q | U, &(lwi_code_output){"b", b, j->m->nu}, 1);
  free(b);
}

/* tau_q along speeds, and tau_u.  False: there are too many operations in them. */
static bool put_inverse_derivatives(job *j)
{
  const lw_model *m = j->m;
  const size_t nu = (size_t)m->nu;
  lwi_terms *T = &j->x.T;
  lwi_term *tau = take(j, nu), *D = take(j, 2 * nu * nu), *column = take(j, nu);
  lwi_term *rate = take(j, (size_t)j->x.ninput), *unit = take(j, nu);
  const int before = T->n;
  bool few = true;
  if (tau) lwi_trace_inverse(&j->x, j->x.udot, tau);
  for (size_t k = 0; k < 2 * nu && !T->failed && few; k++) {
    memset(rate, 0, (size_t)j->x.ninput * sizeof *rate);
    memset(unit, 0, nu * sizeof *unit);
    unit[k % nu] = LWI_TERM_ONE;
    if (k < nu)
      lwi_trace_rates(&j->x, unit, rate + 1);
    else
      rate[1 + (size_t)m->nq + k - nu] = LWI_TERM_ONE;
    if (!lwi_differentiate(T, rate, tau, m->nu, column)) T->failed = true;
    for (size_t i = 0; i < nu && !T->failed; i++)
      D[(k < nu ? 0 : nu * nu) + i * nu + k % nu] = column[i];
    few = T->n - before < 4 * MOST_OPERATIONS;
  }
  few = few && !T->failed && count(j, D, (int)(2 * nu * nu)) <= MOST_OPERATIONS;
  if (few) {
    const lwi_code_output out[] = {{"tau_q", D, (int)(nu * nu)},
                                   {"tau_u", D + nu * nu, (int)(nu * nu)}};
    put_function(j, false, "inverse_dynamics_derivatives", TIME | Q | U | UDOT, out, 2);
  }
  free(tau);
  free(D);
  free(column);
  free(rate);
  free(unit);
  return few;
}

static void put_derivatives(job *j)
{
  j->derivatives = j->report.mass_matrix <= MOST_OPERATIONS && put_inverse_derivatives(j);
  if (!j->derivatives) {
    leave_out(j, "derivatives");
    return;
  }
  lwi_code_add(&j->c, LWI_TREE_TEXT, j->prefix, j->prefix, j->prefix, j->prefix);
  lwi_code_add(&j->h, LWI_TREE_DECLARATIONS, j->prefix, j->prefix, j->prefix, j->prefix, j->prefix,
               j->prefix, j->prefix, j->prefix);
}

static void put_rates(job *j)
{
  lwi_term *qdot = take(j, (size_t)j->m->nq);
  if (!qdot) return;
  lwi_trace_rates(&j->x, j->x.u, qdot);
  put_function(j, false, "coordinate_rates", Q | U, &(lwi_code_output){"qdot", qdot, j->m->nq}, 1);
  free(qdot);
}

static void put_jacobian(job *j, const lwi_body *b)
{
  char name[2 * PREFIX + 16], body[PREFIX];
  lwi_term *J = take(j, 6 * (size_t)j->m->nu);
  if (!J) return;
  make_name(b->name, strlen(b->name), body);
  snprintf(name, sizeof name, "jacobian_%s", body);
  lwi_trace_jacobian(&j->x, b, J);
  put_function(j, false, name, Q, &(lwi_code_output){"J", J, 6 * j->m->nu}, 1);
  free(J);
}

/* Of the points and of bodies that carry no others, or of those that are named. */
static lw_status put_jacobians(job *j, lw_error *err)
{
  const lw_model *m = j->m;
  for (int i = 0; i < j->options.njacobian; i++) {
    const char *name = j->options.jacobian[i];
    const int frame = lwi_frame_find(m, name, strlen(name));
    if (frame < 0) return lwi_fail(err, LW_E_ARG, "there is no body or point \"%s\"", name);
    put_jacobian(j, lwi_frame_at(m, frame));
  }
  if (j->options.jacobian) return LW_OK;
  for (int i = 0; i < m->npoint; i++)
    if (!m->point[i].hidden) put_jacobian(j, &m->point[i]);
  for (int b = 1; b <= m->nbody; b++) {
    bool tip = m->body[b].link > 0;
    for (int i = 1; i < m->nlink; i++)
      tip = tip && m->link[i].parent != m->body[b].link;
    if (tip) put_jacobian(j, &m->body[b]);
  }
  return LW_OK;
}

/* ---- closed loops and relations ---- */

/* phi, its rate phi_q qdot + phi_t, the rows J = d(rate)/du, and -gamma, what the rate changes by at udot = 0 */
static lw_status put_constraints(job *j, lw_error *err)
{
  const lw_model *m = j->m;
  lwi_terms *T = &j->x.T;
  const int nrow = m->tree_constraints.nrow;
  const size_t n = (size_t)nrow, nu = (size_t)m->nu;
  lwi_term *phi = take(j, n), *rate = take(j, n), *J = take(j, n * nu), *turn = take(j, n);
  lwi_term *way = take(j, (size_t)j->x.ninput), *column = take(j, n);
  lw_status status = T->failed ? LW_E_MEMORY : lwi_trace_constraints(&j->x, phi, err);
  if (status == LW_OK) {
    way[0] = LWI_TERM_ONE;
    lwi_trace_rates(&j->x, j->x.u, way + 1);
    lwi_differentiate(T, way, phi, nrow, rate);
    lwi_differentiate(T, way, rate, nrow, turn);
    for (size_t k = 0; k < nu; k++) {
      memset(way, 0, (size_t)j->x.ninput * sizeof *way);
      way[1 + (size_t)m->nq + k] = LWI_TERM_ONE;
      lwi_differentiate(T, way, rate, nrow, column);
      for (size_t i = 0; i < n; i++)
        J[i * nu + k] = column[i];
    }
    j->nrow = lwi_independent_rows(&j->x, j->q, j->u, nrow, J, j->row);
    if (j->nrow < 0) status = LW_E_MEMORY;
  }
  for (int i = 0; i < j->nrow && status == LW_OK;
       i++) { /* rising: what is read is not yet written */
    phi[i] = phi[j->row[i]];
    rate[i] = rate[j->row[i]];
    turn[i] = lwi_term_neg(T, turn[j->row[i]]);
    memmove(J + (size_t)i * nu, J + (size_t)j->row[i] * nu, nu * sizeof *J);
  }
  if (status == LW_OK) {
    const int k = j->nrow;
    const lwi_code_output out[] = {
        {"phi", phi, k}, {"rate", rate, k}, {"J", J, k * m->nu}, {"gamma", turn, k}};
    lwi_code_add(&j->c, "/* phi(t, q) = 0, its rate, and J udot = gamma */\n");
    put_function(j, true, "constraints", TIME | Q | U, out, 4);
    lwi_code_add(&j->c, LWI_CONSTRAINED_TEXT, j->prefix, j->prefix, j->prefix, j->prefix);
    lwi_code_add(&j->h, LWI_CONSTRAINED_DECLARATIONS, j->prefix, j->prefix, j->prefix, j->prefix,
                 j->prefix, j->prefix);
  }
  free(phi);
  free(rate);
  free(J);
  free(turn);
  free(way);
  free(column);
  return status;
}

/* ---- the files ---- */

static void put_beginnings(job *j)
{
  const char *real = j->options.single ? "float" : "double";
  lwi_code_add(&j->h, LWI_HEADER_TEXT, j->prefix, j->upper, j->upper, real, j->prefix, j->upper,
               j->m->nq, j->upper, j->m->nu);
  lwi_code_add(&j->c, LWI_SOURCE_TEXT, j->prefix, j->prefix, j->prefix, j->upper, j->upper,
               j->nrow);
  lwi_code_add(&j->c, "%s", lwi_function_texts);
}

static void put_quaternions(job *j)
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

static void list_left_out(job *j)
{
  const lw_model *m = j->m;
  int contact = 0;
  for (int i = 0; i < m->nevent; i++)
    contact += m->event[i].contact > 0;
  if (contact) leave_out(j, "rigid limits, friction and contacts");
  if (m->nevent > contact) leave_out(j, "events");
}

static lw_status refuse(lw_error *err, const char *what, const char *name)
{
  return lwi_fail(err, LW_E_UNSUPPORTED, "%s \"%s\" cannot be written as straight-line code", what,
                  name);
}

static lw_status check(const job *j, lw_error *err)
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

static lw_status put_all(job *j, lw_error *err)
{
  lwi_code_text functions = {.single = j->options.single};
  j->c = functions;
  lw_status status = lwi_trace_forces(&j->x, err);
  if (status != LW_OK) return status;
  put_mass_matrix(j);
  put_rates(j);
  if (lwi_is_constrained(j->m)) {
    if (j->report.mass_matrix > MOST_OPERATIONS)
      return lwi_fail(
          err, LW_E_UNSUPPORTED,
          "the model is too large for straight-line code: its mass matrix has %d operations",
          j->report.mass_matrix);
    leave_out(j, "inverse dynamics and derivatives");
    put_bias(j);
    status = put_constraints(j, err);
  } else {
    put_forward(j);
    put_inverse(j);
    put_derivatives(j);
  }
  if (status == LW_OK) status = put_jacobians(j, err);
  if (status != LW_OK) return status;
  put_quaternions(j);
  const char *step = j->nrow > 0 ? "  close_loops(t + h, q, u);\n" : "";
  lwi_code_add(&j->c, LWI_STEP_TEXT, j->prefix, j->prefix, j->prefix, step);
  lwi_code_add(&j->h, LWI_STEP_DECLARATION, j->prefix, j->prefix, j->prefix, j->prefix, j->prefix,
               j->prefix);
  lwi_code_add(&j->h, "\n#ifdef __cplusplus\n}\n#endif\n#endif\n");
  const lwi_sample_parts parts = {.matrix = j->report.mass_matrix <= MOST_OPERATIONS,
                                  .derivatives = j->derivatives};
  return lwi_put_sample(&j->c, j->m, j->q, j->u, parts, j->prefix, j->upper, err);
}

/* The beginnings need what is known at the end: they are written last and put before the rest. */
static lw_status write_files(job *j, const char *path, lw_error *err)
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
static lw_status find_start(job *j, lw_error *err)
{
  lw_work *w = lw_work_new(j->m);
  if (!w || !j->q || !j->u || !j->row) {
    lw_work_free(w);
    return lwi_fail(err, LW_E_MEMORY, "out of memory");
  }
  lw_initial_state(j->m, j->q, j->u);
  const lw_status status = lw_assemble(w, j->m->start, j->q, j->u, err);
  lw_work_free(w);
  return status;
}

lw_status lw_write_code(const lw_model *m, const lw_code_options *options, const char *path,
                        lw_code_report *report, lw_error *err)
{
  job j = {.m = m, .options = options ? *options : (lw_code_options){0}};
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
