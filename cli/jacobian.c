/* SPDX-License-Identifier: Apache-2.0 */
/* jacobian.c -- eval --jacobian B@X,Y,Z or --jacobian POINT: velocities of a point of a body by unit speeds of joints. */
#include "jacobian.h"
#include "linkwork/query.h"

#include <stdlib.h>
#include <string.h>

/* "hand@0,0,0.1", "hand", or "tip", a point of the model */
static int read_point(const cli_args *a, jacobian *x, char *text)
{
  const char *rest;
  char *name = read_name(text, "@", &rest);
  if (!name) return out_of_memory(a);
  char *number = *rest ? text + (rest - text) + 1 : NULL;
  x->body = lw_find_body(x->m, name);
  const bool is_point = x->body.id < 0;
  if (is_point) x->body = lw_find_point(x->m, name, x->point);
  const int unknown =
      x->body.id < 1 ? usage_error(a->verb, "--jacobian: no body or point \"%s\"", name)
      : is_point && number
          ? usage_error(a->verb,
                        "--jacobian: \"%s\" is a point, which says where: leave out @X,Y,Z", name)
          : CLI_DONE;
  free(name);
  if (unknown != CLI_DONE) return unknown;
  for (int i = 0; i < 3 && number; i++) {
    char *comma = strchr(number, ',');
    if (!comma != (i == 2)) break;
    if (comma) *comma = '\0';
    if (!read_with_unit(number, "m", &x->point[i])) break;
    number = comma ? comma + 1 : NULL;
  }
  if (number) return usage_error(a->verb, "--jacobian: write the point as BODY@X,Y,Z");
  return CLI_DONE;
}

int jacobian_start(jacobian *x, const cli_args *a, const lw_model *m)
{
  const char *given = args_text(a, "jacobian");
  if (!given) return CLI_DONE;
  x->m = m;
  x->J = calloc(6 * (size_t)lw_nu(m) + 1, sizeof *x->J);
  char *text = malloc(strlen(given) + 1);
  int status = CLI_DONE;
  if (x->J && text) {
    strcpy(text, given);
    status = read_point(a, x, text);
  } else {
    status = out_of_memory(a);
  }
  free(text);
  return status;
}

lw_status jacobian_compute(jacobian *x, const lw_work *w)
{
  return x->m ? lw_jacobian(w, x->body, x->point, x->J) : LW_OK;
}

static const char *const rows[] = {"wx", "wy", "wz", "vx", "vy", "vz"};

void jacobian_print(const jacobian *x)
{
  enum { WIDE = 12 };
  if (!x->m) return;
  const int nu = lw_nu(x->m);
  printf("\njacobian of %s at (%g, %g, %g), ground axes%s\n", lw_body_name(x->m, x->body),
         x->point[0], x->point[1], x->point[2], lw_ncut(x->m) ? ", of the spanning tree" : "");
  for (int i = 0; i < 6 && nu <= WIDE; i++) {
    printf("  %s", rows[i]);
    for (int k = 0; k < nu; k++)
      printf(" %12.6g", x->J[i * nu + k]);
    printf("\n");
  }
  if (nu > WIDE) printf("  (6 x %d: see --json)\n", nu);
}

void jacobian_json(const jacobian *x, json *j)
{
  if (!x->m) return;
  const int nu = lw_nu(x->m);
  json_object(j, "jacobian");
  json_text(j, "body", lw_body_name(x->m, x->body));
  json_numbers(j, "point", x->point, 3);
  json_list(j, "order");
  for (int i = 1; i <= lw_njoint(x->m); i++) {
    const lw_joint_info info = lw_get_joint(x->m, (lw_joint){i});
    for (int k = 1; k <= info.nu && !info.cut; k++)
      json_name(j, info.name, info.nu > 1 ? k : 0);
  }
  json_list_end(j);
  json_list(j, "matrix");
  for (int i = 0; i < 6; i++)
    json_numbers(j, NULL, x->J + (size_t)i * (size_t)nu, nu);
  json_list_end(j);
  json_object_end(j);
}

void jacobian_free(jacobian *x)
{
  free(x->J);
}
