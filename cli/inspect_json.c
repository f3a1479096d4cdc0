/* SPDX-License-Identifier: Apache-2.0 */
/* inspect_json.c -- the graph of the model for programs. */
#include "tree.h"

static void json_tree(json *j, const lw_model *m, const body_tree *t)
{
  json_list(j, "tree");
  for (int k = 0; k < lw_nbody(m); k++) {
    const lw_body body = {t->order[k]};
    const lw_joint_info joint = lw_get_joint(m, lw_body_joint(m, body));
    const lw_body parent = lw_body_parent(m, body);
    json_object(j, NULL);
    json_text(j, "body", lw_body_name(m, body));
    json_text(j, "parent", parent.id > 0 ? lw_body_name(m, parent) : "ground");
    json_text(j, "joint", joint.name);
    json_text(j, "type", lw_joint_type_name(joint.type));
    json_integer(j, "depth", t->depth[body.id]);
    json_object_end(j);
  }
  json_list_end(j);
}

bool explain_json(const lw_model *m, const body_tree *t)
{
  json j;
  int count[LW_JOINT_TYPES], implicit;
  count_types(m, count, &implicit);
  if (!json_start(&j)) return false;
  json_object(&j, NULL);
  json_text(&j, "name", lw_model_name(m));
  json_bool(&j, "planar", lw_model_is_planar(m));
  json_text(&j, "class", lw_ncut(m) > 0 ? "closed loops" : body_tree_class(t));
  json_text(&j, "spanning_tree", body_tree_class(t));
  json_integer(&j, "bodies", lw_nbody(m));
  json_integer(&j, "joints", lw_njoint(m));
  json_object(&j, "joint_types");
  for (int i = 0; i < LW_JOINT_TYPES; i++)
    if (count[i]) json_integer(&j, lw_joint_type_name((lw_joint_type)i), count[i]);
  json_object_end(&j);
  json_integer(&j, "implicit_joints", implicit);
  json_integer(&j, "groups", t->groups);
  json_integer(&j, "floating", t->floating);
  json_integer(&j, "depth", t->height);
  json_integer(&j, "leaves", t->leaves);
  json_integer(&j, "coordinates", lw_nq(m));
  json_integer(&j, "speeds", lw_nu(m));
  int dof, redundant;
  if (count_closed(m, &dof, &redundant)) {
    json_integer(&j, "dof", dof);
    json_integer(&j, "redundant", redundant);
  }
  json_list(&j, "cut_joints");
  for (int i = 1; i <= lw_njoint(m); i++) {
    const lw_joint_info info = lw_get_joint(m, (lw_joint){i});
    if (info.cut) json_name(&j, info.name, 0);
  }
  json_list_end(&j);
  json_integer(&j, "constraints", lw_nconstraint(m));
  json_tree(&j, m, t);
  json_object_end(&j);
  return json_finish(&j);
}
