/* SPDX-License-Identifier: Apache-2.0 */
/* projection.c -- parallel projection, and the outline of projected points. */
#include "io/picture/projection.h"

#include "linkwork/query.h"
#include "math/rotation.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void unit(double a[3])
{
  const double n = norm3(a);
  for (int i = 0; i < 3; i++)
    a[i] /= n;
}

static void combine(const double a[3], double ka, const double b[3], double kb, const double c[3],
                    double kc, double out[3])
{
  for (int i = 0; i < 3; i++)
    out[i] = ka * a[i] + kb * b[i] + kc * c[i];
  unit(out);
}

void lwi_projection_turn(lwi_projection *p, const lw_model *m, lw_view view)
{
  double up[3], x[3] = {1, 0, 0}, depth[3];
  const bool planar = lw_model_is_planar(m);
  lw_gravity(m, up);
  for (int i = 0; i < 3; i++)
    up[i] = -up[i];
  if (!(norm3(up) > 0)) up[planar ? 1 : 2] = 1;
  unit(up);
  if (fabs(up[0]) > 0.9) x[0] = 0, x[1] = 1;
  const double along = dot3(x, up);
  for (int i = 0; i < 3; i++)
    x[i] -= along * up[i];
  unit(x);
  cross3(up, x, depth);
  if (planar) { /* the plane of the paper */
    const double plane[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, -1}};
    memcpy(x, plane[0], sizeof x);
    memcpy(up, plane[1], sizeof up);
    memcpy(depth, plane[2], sizeof depth);
  }
  if (view == LW_VIEW_AUTO) view = planar ? LW_VIEW_FRONT : LW_VIEW_OBLIQUE;
  const double *side = view == LW_VIEW_SIDE ? depth : x;
  const double oblique = view == LW_VIEW_OBLIQUE;
  if (oblique != 0)
    combine(depth, -1, x, 0.75, up, 0.5, p->toward);
  else if (view == LW_VIEW_TOP)
    memcpy(p->toward, up, sizeof up);
  else
    combine(view == LW_VIEW_SIDE ? x : depth, view == LW_VIEW_SIDE ? 1 : -1, x, 0, up, 0,
            p->toward);
  if (oblique != 0)
    cross3(up, p->toward, p->right);
  else
    memcpy(p->right, side, sizeof p->right);
  unit(p->right);
  cross3(p->toward, p->right, p->up);
}

lwi_svg_point lwi_project(const lwi_projection *p, const double at[3])
{
  const double scale = p->scale > 0 ? p->scale : 1;
  return (lwi_svg_point){p->left + scale * dot3(at, p->right), p->top - scale * dot3(at, p->up)};
}

double lwi_depth(const lwi_projection *p, const double at[3])
{
  return dot3(at, p->toward);
}

static int compare(const void *a, const void *b)
{
  const lwi_svg_point *p = a, *q = b;
  if (p->x != q->x) return p->x < q->x ? -1 : 1;
  return p->y < q->y ? -1 : p->y > q->y;
}

static double turn(lwi_svg_point a, lwi_svg_point b, lwi_svg_point c)
{
  return (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x);
}

/* The lower and then the upper half: A. M. Andrew's monotone chain. */
int lwi_hull(lwi_svg_point p[], int n, lwi_svg_point h[])
{
  if (n < 3) return n;
  qsort(p, (size_t)n, sizeof *p, compare);
  int k = 0;
  for (int i = 0; i < n; i++) {
    while (k >= 2 && turn(h[k - 2], h[k - 1], p[i]) <= 0)
      k--;
    h[k++] = p[i];
  }
  for (int i = n - 2, lower = k + 1; i >= 0; i--) {
    while (k >= lower && turn(h[k - 2], h[k - 1], p[i]) <= 0)
      k--;
    h[k++] = p[i];
  }
  const int count = k > 1 ? k - 1 : k;
  memcpy(p, h, (size_t)(count < n ? count : n) * sizeof *p);
  return count < n ? count : n;
}
