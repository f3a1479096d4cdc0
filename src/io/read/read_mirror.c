/* SPDX-License-Identifier: Apache-2.0 */
/* read_mirror.c -- what mirrored joints need besides the signs of written vectors: axes that are
   not written, and ranges of freedoms that change their sign. */
#include "io/read/read_common.h"
#include "model/joint/joint.h"
#include "linkwork/reader.h"

/* Axes that are not written have mirror images, too. */
static void mirror_defaults(lwi_reader *r, const lwi_yaml_node *map, lw_joint_desc *d)
{
  if (!lwi_read_is_mirrored(r, map)) return;
  const lwi_scope *s = &r->scopes->item[map->scope];
  if (d->type == LW_PRISMATIC) {
    if (!lwi_yaml_find(map, "axis")) d->axis[r->planar ? 0 : 2] = s->sign[r->planar ? 0 : 2];
    return;
  }
  static const char *const name[LWI_MOST_AXES] = {"axis", "axis2", "axis3"};
  double *const axis[LWI_MOST_AXES] = {d->axis, d->axis2, d->axis3};
  const lwi_joint_traits traits = lwi_joint_traits_of(d->type);
  for (int k = 0; k < traits.axes; k++) {
    const int usual = traits.axis[k] - 'x';
    if (!lwi_yaml_find(map, name[k])) axis[k][usual] = lwi_read_axial_sign(r, map, usual);
  }
}

/* Limits of a freedom that changes its sign. */
static bool mirror_limits(lwi_reader *r, const lwi_yaml_node *map, lw_joint_desc *d)
{
  int sign[6];
  if (!lwi_joint_has_rate_pair(d->type)) return true;
  lwi_read_u_signs(r, map, d->type, sign);
  for (int i = 0; i < lw_joint_type_nu(d->type, r->planar); i++) {
    const lw_limits before = d->limits[i];
    lw_limits *l = &d->limits[i];
    if (sign[i] > 0 || (!before.has_lower && !before.has_upper)) continue;
    l->has_lower = before.has_upper, l->lower = before.upper;
    l->has_upper = before.has_lower, l->upper = before.lower;
    if (!lwi_read_flip(r, -1, &l->lower) || !lwi_read_flip(r, -1, &l->upper)) return false;
  }
  return true;
}

bool lwi_read_mirror_joint(lwi_reader *r, const lwi_yaml_node *map, lw_joint_desc *d)
{
  mirror_defaults(r, map, d);
  return mirror_limits(r, map, d);
}
