/* SPDX-License-Identifier: Apache-2.0 */
/* Reads a falling body from text and lets it fall for two seconds. */
#include <linkwork/linkwork.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static const char *text = "linkwork: 1\n"
                          "name: stone\n"
                          "bodies:\n"
                          "  stone: {mass: 2}\n"
                          "joints:\n"
                          "  rail: {type: prismatic, parent: ground, child: stone}\n";

int main(void)
{
  lw_error err = {0};
  lw_spec *s = lw_spec_parse(text, strlen(text), "stone.yaml", &err);
  lw_model *m = s ? lw_compile(s, &err) : NULL;
  lw_simulation *sim = m ? lw_simulation_new(m, NULL, &err) : NULL;
  double q = 0, u = 0;
  const lw_status status = sim ? lw_simulation_advance(sim, 2.0, &q, &u, &err) : err.status;
  printf("%s: the stone fell %g m\n", status == LW_OK ? "done" : err.text, -q);
  lw_simulation_free(sim);
  lw_model_free(m);
  lw_spec_free(s);
  return status != LW_OK || fabs(q + 0.5 * 9.81 * 4) > 1e-6;
}
