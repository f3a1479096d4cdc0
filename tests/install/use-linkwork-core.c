/* SPDX-License-Identifier: Apache-2.0 */
/* Drops a body with linkwork-core alone. */
#include <linkwork/core.h>
#include <math.h>
#include <stdio.h>

int main(void)
{
  lw_error err;
  lw_spec *s = lw_spec_new();
  lw_body stone = lw_add_body(s, &(lw_body_desc){.name = "stone", .mass = 2});
  lw_add_joint(s, &(lw_joint_desc){.name = "rail", .type = LW_PRISMATIC, .child = stone});
  lw_model *m = lw_compile(s, &err);
  lw_spec_free(s);
  if (!m) return fprintf(stderr, "%s\n", err.text), 1;

  lw_work *w = lw_work_new(m);
  double q = 0, u = 0, udot = 0;
  const lw_status status = lw_forward_dynamics(w, 0, &q, &u, NULL, &udot);
  printf("%s: the stone falls with %g m/s^2\n", lw_status_text(status), udot);
  lw_work_free(w);
  lw_model_free(m);
  return status != LW_OK || fabs(udot + 9.81) > 1e-12;
}
