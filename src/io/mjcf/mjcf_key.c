/* SPDX-License-Identifier: Apache-2.0 */
/* mjcf_key.c -- keyframes: the one that the options name is the start. */
#include "io/mjcf/mjcf.h"

#include "linkwork/reader.h"

#include <string.h>

static int coordinates(lw_joint_type type)
{
  return lw_joint_type_nq(type, false);
}

/* Numbers of an attribute: all of them, or none if there is no such attribute; NULL after a
   message. */
static double *read_all(lwi_mjcf *x, const lwi_xml_element *key, const char *name, int n,
                        int *found)
{
  const char *text = lwi_xml_get(key, name);
  double *values = LWI_TAKE(&x->robot.arena, n + 1, double);
  *found = 0;
  if (!values) return lwi_xml_no_memory(key, x->robot.err), NULL;
  if (!text) return values;
  *found = lwi_xml_numbers(key, name, text, n, values, x->robot.err);
  if (*found < 0) return NULL;
  if (*found == n) return values;
  return lwi_xml_fail(key, x->robot.err, "%s needs %d numbers, found %d", name, n, *found), NULL;
}

/* A quaternion of zeros is no rotation. */
static void turn_none(double quat[4])
{
  if (quat[0] == 0 && quat[1] == 0 && quat[2] == 0 && quat[3] == 0) quat[0] = 1;
}

static bool read_key(lwi_mjcf *x, const lwi_xml_element *key)
{
  lwi_robot *r = &x->robot;
  int nq = 0, nu = 0, found;
  for (int i = 0; i < r->njoint; i++) {
    nq += coordinates(r->joint[i].type);
    nu += lw_joint_type_nu(r->joint[i].type, false);
  }
  const double *q = read_all(x, key, "qpos", nq, &found);
  if (!q) return false;
  for (int i = 0; i < r->njoint && found > 0; i++) {
    const int n = coordinates(r->joint[i].type);
    memcpy(r->joint[i].q, q, (size_t)n * sizeof *q);
    if (n >= 4) turn_none(r->joint[i].q + n - 4);
    q += n;
  }
  const double *u = read_all(x, key, "qvel", nu, &found);
  if (!u) return false;
  for (int i = 0; i < r->njoint && found > 0; i++) {
    lwi_robot_joint *j = &r->joint[i];
    const int n = lw_joint_type_nu(j->type, false);
    memcpy(j->u, u, (size_t)n * sizeof *u);
    if (j->type == LW_FREE) { /* MuJoCo: velocity in the axes of the world, then angular velocity */
      rot3 R = rot_identity();
      lwi_rot_quat(j->q + 3, &R);
      memcpy(j->u, u + 3, 3 * sizeof *u);
      rot_tmulv(R, u, j->u + 3);
    }
    u += n;
  }
  x->key = key;
  return true;
}

/* The keyframe of this name; NULL: the first that has coordinates. */
static const lwi_xml_element *find_key(const lwi_mjcf *x, const char *wanted)
{
  const lwi_xml_element *list = lwi_xml_child(x->robot.root, "keyframe");
  for (; list; list = lwi_xml_find(list->next, "keyframe"))
    for (const lwi_xml_element *e = lwi_xml_child(list, "key"); e;
         e = lwi_xml_find(e->next, "key")) {
      const char *name = lwi_xml_get(e, "name");
      if (wanted ? name && strcmp(name, wanted) == 0 : lwi_xml_get(e, "qpos") != NULL) return e;
    }
  return NULL;
}

/* Is a coordinate of the reference configuration outside its range? */
static const char *find_outside(const lwi_robot *r)
{
  for (int i = 0; i < r->njoint; i++) {
    const lwi_robot_joint *j = &r->joint[i];
    if ((j->has_lower && j->q[0] < j->lower) || (j->has_upper && j->q[0] > j->upper))
      return j->name;
  }
  return NULL;
}

bool lwi_mjcf_read_key(lwi_mjcf *x)
{
  lwi_robot *r = &x->robot;
  const char *wanted = r->options->key, *outside = find_outside(r);
  const lwi_xml_element *key = wanted || outside ? find_key(x, wanted) : NULL;
  if (wanted && !key)
    return lwi_xml_fail(r->root, r->err, "the model has no keyframe \"%.80s\"", wanted);
  if (!key || !read_key(x, key)) return !key;
  const char *name = lwi_xml_get(key, "name");
  if (!wanted)
    lwi_robot_note(
        r,
        "it starts in the keyframe \"%.80s\", as the reference configuration is outside the "
        "range of \"%.80s\"",
        name ? name : "", outside);
  return true;
}
