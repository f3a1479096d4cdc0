/* SPDX-License-Identifier: Apache-2.0 */
/* code_functions.c -- the functions of a model as C (code_job.h): terms traced, counted and printed. */
#include "base/fail.h"
#include "io/code/code_job.h"
#include "io/code/code_parts.h"
#include "io/code/code_sample.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void lwi_code_name(const char *from, size_t length, char out[LWI_CODE_PREFIX])
{
  size_t n = 0;
  if (length == 0 || isdigit((unsigned char)from[0])) out[n++] = 'm';
  for (size_t i = 0; i < length && n < LWI_CODE_PREFIX - 1; i++)
    out[n++] = isalnum((unsigned char)from[i]) ? from[i] : '_';
  out[n] = 0;
}

/* ---- functions of terms ---- */

/* Which inputs a function has, in the order of lwi_tree_terms. */
enum { TIME = 1, Q = 2, U = 4, UDOT = 8, TAU = 16 };

static int list_inputs(const lwi_code_job *j, int which, lwi_code_input in[5])
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
static void put_head(lwi_code_job *j, lwi_code_text *c, bool local, const char *name, int which,
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

static void put_function(lwi_code_job *j, bool local, const char *name, int which,
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
void lwi_leave_out(lwi_code_job *j, const char *what)
{
  char *to = j->report.left_out;
  const size_t used = strlen(to), size = sizeof j->report.left_out;
  snprintf(to + used, size - used, "%s%s", used ? ", " : "", what);
}

static int count(lwi_code_job *j, const lwi_term out[], int n)
{
  lwi_term_count k = {0};
  if (!lwi_count_terms(&j->x.T, out, n, &k)) j->x.T.failed = true;
  return k.additions + k.multiplications + k.divisions + k.functions;
}

static lwi_term *take(lwi_code_job *j, size_t n)
{
  lwi_term *list = calloc(n + 1, sizeof *list);
  if (!list) j->x.T.failed = true;
  return list;
}

/* ---- trees ---- */

void lwi_put_mass_matrix(lwi_code_job *j)
{
  const size_t nu = (size_t)j->m->nu;
  lwi_term *M = take(j, nu * nu);
  if (!M) return;
  lwi_trace_mass_matrix(&j->x, M);
  j->report.mass_matrix = count(j, M, (int)(nu * nu));
  if (j->report.mass_matrix <= LWI_MOST_OPERATIONS)
    put_function(j, false, "mass_matrix", Q, &(lwi_code_output){"M", M, (int)(nu * nu)}, 1);
  else
    lwi_leave_out(j, "the mass matrix");
  free(M);
}

/* The cheaper one of two ways to the same accelerations. */
static void put_forward(lwi_code_job *j)
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

static void put_inverse(lwi_code_job *j)
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

static void put_bias(lwi_code_job *j)
{
  lwi_term *b = take(j, (size_t)j->m->nu);
  if (!b) return;
  lwi_trace_inverse(&j->x, NULL, b);
  put_function(j, false, "bias", TIME | Q | U, &(lwi_code_output){"b", b, j->m->nu}, 1);
  free(b);
}

/* tau_q along speeds, and tau_u.  False: there are too many operations in them. */
static bool put_inverse_derivatives(lwi_code_job *j)
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
    few = T->n - before < 4 * LWI_MOST_OPERATIONS;
  }
  few = few && !T->failed && count(j, D, (int)(2 * nu * nu)) <= LWI_MOST_OPERATIONS;
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

static void put_derivatives(lwi_code_job *j)
{
  j->derivatives = j->report.mass_matrix <= LWI_MOST_OPERATIONS && put_inverse_derivatives(j);
  if (!j->derivatives) {
    lwi_leave_out(j, "derivatives");
    return;
  }
  lwi_code_add(&j->c, LWI_TREE_TEXT, j->prefix, j->prefix, j->prefix, j->prefix);
  lwi_code_add(&j->h, LWI_TREE_DECLARATIONS, j->prefix, j->prefix, j->prefix, j->prefix, j->prefix,
               j->prefix, j->prefix, j->prefix);
}

void lwi_put_tree(lwi_code_job *j)
{
  put_forward(j);
  put_inverse(j);
  put_derivatives(j);
}

void lwi_put_rates(lwi_code_job *j)
{
  lwi_term *qdot = take(j, (size_t)j->m->nq);
  if (!qdot) return;
  lwi_trace_rates(&j->x, j->x.u, qdot);
  put_function(j, false, "coordinate_rates", Q | U, &(lwi_code_output){"qdot", qdot, j->m->nq}, 1);
  free(qdot);
}

static void put_jacobian(lwi_code_job *j, const lwi_body *b)
{
  char name[2 * LWI_CODE_PREFIX + 16], body[LWI_CODE_PREFIX];
  lwi_term *J = take(j, 6 * (size_t)j->m->nu);
  if (!J) return;
  lwi_code_name(b->name, strlen(b->name), body);
  snprintf(name, sizeof name, "jacobian_%s", body);
  lwi_trace_jacobian(&j->x, b, J);
  put_function(j, false, name, Q, &(lwi_code_output){"J", J, 6 * j->m->nu}, 1);
  free(J);
}

/* Of the points and of bodies that carry no others, or of those that are named. */
lw_status lwi_put_jacobians(lwi_code_job *j, lw_error *err)
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
static lw_status put_constraints(lwi_code_job *j, lw_error *err)
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

lw_status lwi_put_constrained(lwi_code_job *j, lw_error *err)
{
  if (j->report.mass_matrix > LWI_MOST_OPERATIONS)
    return lwi_fail(
        err, LW_E_UNSUPPORTED,
        "the model is too large for straight-line code: its mass matrix has %d operations",
        j->report.mass_matrix);
  lwi_leave_out(j, "inverse dynamics and derivatives");
  put_bias(j);
  return put_constraints(j, err);
}
