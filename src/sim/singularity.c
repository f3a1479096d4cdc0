/* SPDX-License-Identifier: Apache-2.0 */
#include "sim/singularity.h"
#include "tree/closure.h"
#include "tree/work.h"

#include <math.h>
#include <stdlib.h>

enum { MOST = 10000, NARROWINGS = 6 };

bool lwi_singularities_init(lwi_singularities *x, const lwi_system *s)
{
  const size_t nq = (size_t)lw_nq(s->m), nu = (size_t)lw_nu(s->m), n = (size_t)s->n;
  if (!s->tied) return true;
  x->probe = lw_work_new(s->m);
  x->y = calloc(n + nq + nu + 1, sizeof *x->y);
  if (!x->probe || !x->y) return false;
  x->q = x->y + n;
  x->u = x->q + nq;
  return true;
}

void lwi_singularities_free(lwi_singularities *x)
{
  lw_work_free(x->probe);
  free(x->y);
  free(x->found);
}

/* how weak the constraints are at a time within the step across; 0: some depend on others */
static lw_status probe(lwi_singularities *x, const lwi_passage *p, lwi_system *s, double t,
                       int usual, int *dof, double *weakest)
{
  int redundant;
  lw_status status = lwi_passage_get(p, s, t, x->y);
  if (status == LW_OK) status = s->show(s, t, x->y, x->q, x->u);
  if (status == LW_OK) status = lw_count_freedoms(s->m, x->probe, x->q, dof, &redundant);
  if (status == LW_OK) *weakest = *dof > usual ? 0 : x->probe->closure->rank.weakest;
  return status;
}

static lw_status add(lwi_singularities *x, lw_singularity one)
{
  if (x->n >= MOST) return LW_OK;
  if (x->n == x->capacity) {
    const int more = 2 * x->capacity + 8;
    lw_singularity *found = realloc(x->found, (size_t)more * sizeof *found);
    if (!found) return LW_E_MEMORY;
    x->found = found;
    x->capacity = more;
  }
  x->found[x->n++] = one;
  return LW_OK;
}

/* the time at which a parabola through three equally spaced values is lowest */
static double vertex(double t, double d, const double f[3])
{
  const double curve = f[0] - 2 * f[1] + f[2];
  return curve > 0 ? t + fmin(1, fmax(-1, 0.5 * (f[0] - f[2]) / curve)) * d : t;
}

lw_status lwi_singularities_note(lwi_singularities *x, const lwi_passage *p, lwi_system *s)
{
  double t = 0.5 * (p->from + p->to), d = 0.25 * (p->to - p->from), f[3] = {0};
  int usual, dof = 0;
  lw_status status = probe(x, p, s, p->from + 1e-3 * d, 0, &usual, f);
  if (status == LW_OK) status = probe(x, p, s, p->to - 1e-3 * d, usual, &dof, f);
  if (status == LW_OK && dof > usual) return LW_OK; /* creeps there: it is not passed */
  for (int k = 0; k < NARROWINGS && status == LW_OK; k++) {
    for (int i = 0; i < 3 && status == LW_OK; i++) {
      status = probe(x, p, s, t + (i - 1) * d, usual, &dof, &f[i]);
      if (status != LW_OK || dof <= usual) continue;
      return add(x, (lw_singularity){t + (i - 1) * d, usual, dof});
    }
    t = vertex(t, d, f);
    d *= 0.2;
  }
  if (status == LW_OK) status = probe(x, p, s, t, usual, &dof, f);
  return status == LW_OK && dof > usual ? add(x, (lw_singularity){t, usual, dof}) : LW_OK;
}
