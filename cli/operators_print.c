/* SPDX-License-Identifier: Apache-2.0 */
/* operators_print.c -- inverse, factors and compliance as tables and as JSON. */
#include "operators.h"

enum { WIDE = 12, BLOCKS = 10 }; /* columns that fit a screen; blocks of compliance */

/* ---- to read ---- */

static void print_rows(const double x[], size_t rows, size_t columns, size_t stride)
{
  for (size_t i = 0; i < rows; i++) {
    for (size_t k = 0; k < columns; k++)
      printf(" %12.6g", x[i * stride + k] == 0 ? 0 : x[i * stride + k]); /* no -0 */
    printf("\n");
  }
}

static void print_matrix(const char *title, const double x[], int n)
{
  printf("\n%s\n", title);
  if (n <= WIDE)
    print_rows(x, (size_t)n, (size_t)n, (size_t)n);
  else
    printf("  (%d x %d: see --json)\n", n, n);
}

static void print_compliance(const operators *o)
{
  const size_t rows = 6 * (size_t)o->nbody;
  int shown = 0;
  printf("\ncompliance: accelerations [angular; linear] of one body origin under unit loads\n"
         "[torque; force] at another, ground axes\n");
  for (int i = 0; i < o->nbody; i++)
    for (int k = i; k < o->nbody; k++) {
      if (shown++ >= BLOCKS) continue;
      printf("  %s under loads on %s\n", lw_body_name(o->m, o->body[i]),
             lw_body_name(o->m, o->body[k]));
      print_rows(o->compliance + 6 * ((size_t)i * rows + (size_t)k), 6, 6, rows);
    }
  if (shown > BLOCKS) printf("  ... and %d more blocks: see --json\n", shown - BLOCKS);
}

static void print_independent(const operators *o)
{
  printf("\nindependent speeds:");
  for (int i = 0; i < o->n; i++) {
    const lw_joint_info info = lw_get_joint(o->m, (lw_joint){o->owner[o->speed[i]]});
    printf("%s %s", i ? "," : "", show(info.name).text);
    if (info.nu > 1) printf(".%d", o->speed[i] - info.u + 1);
  }
  printf("\nlog determinant of their mass matrix %.9g\n", o->logdet);
}

void operators_print(const operators *o)
{
  if (o->closed && o->sko) print_independent(o);
  if (o->inverse) print_matrix("inverse of the mass matrix", o->inverse, o->n);
  if (o->factor) print_matrix("innovations factor I + H A K, tree order", o->factor, o->n);
  if (o->compliance) print_compliance(o);
}

/* ---- as JSON ---- */

static void json_order(json *j, const operators *o, const int speed[])
{
  json_list(j, "order");
  for (int i = 0; i < o->n; i++) {
    const lw_joint_info info = lw_get_joint(o->m, (lw_joint){o->owner[speed[i]]});
    json_name(j, info.name, info.nu > 1 ? speed[i] - info.u + 1 : 0);
  }
  json_list_end(j);
}

static void json_matrix(json *j, const char *key, const double x[], int n)
{
  json_list(j, key);
  for (int i = 0; i < n; i++)
    json_numbers(j, NULL, x + (size_t)i * (size_t)n, n);
  json_list_end(j);
}

/* One square block for each joint, or cluster of loops, that has freedoms. */
static void json_blocks(json *j, const operators *o)
{
  json_list(j, "D");
  for (int v = 0; v < lw_sko_nnode(o->sko); v++) {
    const int n = lw_sko_get_node(o->sko, v).nfreedom;
    if (n == 0 || lw_sko_get_block(o->sko, LW_SKO_BLOCK_D, v, o->D) != LW_OK) continue;
    json_matrix(j, NULL, o->D, n);
  }
  json_list_end(j);
}

void operators_json(const operators *o, json *j)
{
  if (o->closed && o->sko) {
    json_object(j, "independent");
    json_order(j, o, o->speed);
    json_number(j, "log_determinant", o->logdet);
    json_integer(j, "sign", 1);
    json_object_end(j);
  }
  if (o->inverse) {
    json_object(j, "mass_matrix_inverse");
    json_order(j, o, o->speed);
    json_matrix(j, "matrix", o->inverse, o->n);
    json_object_end(j);
  }
  if (o->factor) {
    json_object(j, "factorisation");
    json_order(j, o, lw_sko_speeds(o->sko));
    json_blocks(j, o);
    json_matrix(j, "factor", o->factor, o->n);
    json_object_end(j);
  }
  if (o->compliance) {
    json_object(j, "compliance");
    json_list(j, "bodies");
    for (int b = 0; b < o->nbody; b++)
      json_name(j, lw_body_name(o->m, o->body[b]), 0);
    json_list_end(j);
    json_matrix(j, "matrix", o->compliance, 6 * o->nbody);
    json_object_end(j);
  }
}
