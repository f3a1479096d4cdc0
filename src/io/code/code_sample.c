/* SPDX-License-Identifier: Apache-2.0 */
/* code_sample.c -- which constraint equations are independent, and the test that written code has (code_sample.h). */
#include "io/code/code_sample.h"
#include "base/fail.h"
#include "linkwork/derivatives.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double dependent = 1e-8; /* of the length of a row: what the others leave of it */

/* ---- independent equations ---- */

static double square_of(const double *row, int n)
{
  double sum = 0;
  for (int k = 0; k < n; k++)
    sum += row[k] * row[k];
  return sum;
}

/* Rows are taken in turn, the one of which most is left first, and their parts along it removed from the others. */
static int choose_rows(double *A, double *left, int n, int nu, bool *taken)
{
  int count = 0;
  for (; count < n; count++) {
    int best = -1;
    double most = dependent * dependent;
    for (int i = 0; i < n; i++) {
      const double share = left[i] > 0 ? square_of(A + i * nu, nu) / left[i] : 0;
      if (!taken[i] && share > most) most = share, best = i;
    }
    if (best < 0) return count;
    taken[best] = true;
    const double *b = A + best * nu, length = square_of(b, nu);
    for (int i = 0; i < n; i++) {
      double along = 0;
      for (int k = 0; k < nu; k++)
        along += A[i * nu + k] * b[k] / length;
      for (int k = 0; k < nu && !taken[i]; k++)
        A[i * nu + k] -= along * b[k];
    }
  }
  return count;
}

int lwi_independent_rows(const lwi_tree_terms *x, const double q[], const double u[], int n,
                         const lwi_term J[], int row[])
{
  const lw_model *m = x->m;
  const size_t nu = (size_t)m->nu, all = (size_t)n;
  double *input = calloc((size_t)x->ninput, sizeof *input);
  double *A = calloc(all * nu + 1, sizeof *A), *left = calloc(all + 1, sizeof *left);
  bool *taken = calloc(all + 1, sizeof *taken);
  int count = -1;
  if (input && A && left && taken) {
    input[0] = m->start;
    memcpy(input + 1, q, (size_t)m->nq * sizeof *q);
    memcpy(input + 1 + m->nq, u, nu * sizeof *u);
    if (lwi_evaluate_terms(&x->T, input, J, n * m->nu, A)) {
      for (int i = 0; i < n; i++)
        left[i] = square_of(A + i * m->nu, m->nu);
      count = choose_rows(A, left, n, m->nu, taken);
      for (int i = 0, k = 0; i < n; i++)
        if (taken[i]) row[k++] = i;
    }
  }
  free(input);
  free(A);
  free(left);
  free(taken);
  return count;
}

/* ---- the test ---- */

static void put_numbers(lwi_code_text *c, const char *name, const double x[], int n)
{
  lwi_code_add(c, "  static const real %s[] = {", name);
  for (int i = 0; i < n; i++) {
    lwi_code_add(c, i == 0 ? "" : i % 6 ? ", " : ",\n    ");
    lwi_code_number(c, x[i]);
  }
  lwi_code_add(c, "%s};\n", n > 0 ? "" : "0");
}

/* A state that is not special: trees move away from their start, closed mechanisms stay there. */
static void choose_state(const lw_model *m, double q[], double u[], double tau[])
{
  const bool tree = !lwi_is_constrained(m);
  for (int i = 0; i < lwi_first_state(m) && tree; i++)
    q[i] += 0.3 * sin(1 + 2.7 * i);
  for (int i = 0; i < m->nu; i++) {
    if (tree) u[i] += 0.5 * cos(1 + 1.9 * i);
    tau[i] = sin(2 + 1.3 * i);
  }
}

static const char test_text[] =
    "static int check(const char *what, const real got[], const real right[], int n)\n"
    "{\n"
    "  double error = 0, scale = 0;\n"
    "  for (int i = 0; i < n; i++) {\n"
    "    error = fmax(error, fabs((double)got[i] - (double)right[i]));\n"
    "    scale = fmax(scale, fabs((double)right[i]));\n"
    "  }\n"
    "  const double relative = scale > 0 ? error / scale : error;\n"
    "  const int good = relative <= (sizeof(real) == sizeof(float) ? 1e-3 : 1e-9);\n"
    "  printf(\"%s: %.1e %s\\n\", what, relative, good ? \"ok\" : \"WRONG\");\n"
    "  return !good;\n"
    "}\n\n";

/* What the program compares. */
static void put_main(lwi_code_text *c, const lw_model *m, lwi_sample_parts parts,
                     const char *prefix)
{
  lwi_code_add(c, "  real x[NU * NU + 1], y[NU * NU + 1], z[NU + 1];\n  int wrong = 0;\n");
  lwi_code_add(c, "  (void)y, (void)z;\n");
  if (parts.matrix)
    lwi_code_add(c, "  %s_mass_matrix(q, x);\n  wrong += check(\"mass matrix\", x, M, NU * NU);\n",
                 prefix);
  lwi_code_add(c,
               "  %s_forward_dynamics(t, q, u, tau, x);\n"
               "  wrong += check(\"forward dynamics\", x, udot, NU);\n",
               prefix);
  if (!lwi_is_constrained(m))
    lwi_code_add(c,
                 "  %s_inverse_dynamics(t, q, u, udot, x);\n"
                 "  wrong += check(\"inverse dynamics\", x, tau, NU);\n",
                 prefix);
  if (parts.derivatives)
    lwi_code_add(c,
                 "  %s_forward_dynamics_derivatives(t, q, u, tau, z, x, y);\n"
                 "  wrong += check(\"derivatives by q\", x, udot_q, NU * NU);\n"
                 "  wrong += check(\"derivatives by u\", y, udot_u, NU * NU);\n",
                 prefix);
  lwi_code_add(c, "  return wrong > 0;\n}\n#endif\n");
}

/* Numbers of the library at one state. */
typedef struct {
  double *q, *u, *tau, *udot, *M, *udot_q, *udot_u;
} sample;

static lw_status evaluate(const lw_model *m, lwi_sample_parts parts, sample *s)
{
  lw_work *w = lw_work_new(m);
  lw_derivatives *d = parts.derivatives ? lw_derivatives_new(m) : NULL;
  lw_status status = w && (d || !parts.derivatives) ? LW_OK : LW_E_MEMORY;
  if (status == LW_OK) status = lw_mass_matrix(w, s->q, s->M);
  if (status == LW_OK) status = lw_forward_dynamics(w, m->start, s->q, s->u, s->tau, s->udot);
  if (status == LW_OK && d)
    status =
        lw_forward_dynamics_derivatives(d, m->start, s->q, s->u, s->tau, s->udot,
                                        &(lw_forward_matrices){.q = s->udot_q, .u = s->udot_u});
  lw_derivatives_free(d);
  lw_work_free(w);
  return status;
}

static void put_sample(lwi_code_text *c, const lw_model *m, lwi_sample_parts parts, const sample *s)
{
  lwi_code_add(c, "int main(void)\n{ /* at one state, beside linkwork */\n  const real t = ");
  lwi_code_number(c, m->start);
  lwi_code_add(c, ";\n");
  put_numbers(c, "q", s->q, m->nq);
  put_numbers(c, "u", s->u, m->nu);
  put_numbers(c, "tau", s->tau, m->nu);
  put_numbers(c, "udot", s->udot, m->nu);
  if (parts.matrix) put_numbers(c, "M", s->M, m->nu * m->nu);
  if (parts.derivatives) put_numbers(c, "udot_q", s->udot_q, m->nu * m->nu);
  if (parts.derivatives) put_numbers(c, "udot_u", s->udot_u, m->nu * m->nu);
}

lw_status lwi_put_sample(lwi_code_text *c, const lw_model *m, const double q[], const double u[],
                         lwi_sample_parts parts, const char *prefix, const char *upper,
                         lw_error *err)
{
  const size_t nq = (size_t)m->nq, nu = (size_t)m->nu;
  double *block = calloc(nq + 3 * nu + 3 * nu * nu + 1, sizeof *block);
  if (!block) return lwi_fail(err, LW_E_MEMORY, "out of memory");
  sample s = {.q = block, .u = block + nq};
  s.tau = s.u + nu;
  s.udot = s.tau + nu;
  s.M = s.udot + nu;
  s.udot_q = s.M + nu * nu;
  s.udot_u = s.udot_q + nu * nu;
  memcpy(s.q, q, nq * sizeof *q);
  memcpy(s.u, u, nu * sizeof *u);
  choose_state(m, s.q, s.u, s.tau);
  const lw_status status = evaluate(m, parts, &s);
  if (status == LW_OK) {
    lwi_code_add(c, "\n#ifdef %s_TEST\n#include <stdio.h>\n\n%s", upper, test_text);
    put_sample(c, m, parts, &s);
    put_main(c, m, parts, prefix);
  } else {
    lwi_fail(err, status, "the model cannot be evaluated: %s", lw_status_text(status));
  }
  free(block);
  return status;
}
