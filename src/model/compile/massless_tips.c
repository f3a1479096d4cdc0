/* SPDX-License-Identifier: Apache-2.0 */
/* massless_tips.c -- bodies without mass at the tips of a spanning tree.

   A tip without mass, which only a loop holds, would make the mass matrix of the tree singular,
   though that of the mechanism is not.  It shall carry what a joint outside of the tree connects it
   to, up to the first body with mass (of a hydraulic cylinder, the rod and what the rod drives):
   the joint that carried that body is cut instead. */
#include "model/compile/spans.h"

/* The first body with mass from b towards the ground; 0: there is none, or it carries the tip, or
   another tip without mass would be left. */
static int first_heavy(const lwi_compiler *c, const int *children, const lwi_spans *s, int b,
                       int tip)
{
  while (b > 0 && !(c->solid[b].mass > 0))
    b = s->parent[b];
  int above = tip;
  while (above != b && above > 0)
    above = s->parent[above];
  if (b == 0 || above == b) return 0; /* b carries the tip itself */
  const int carrier = s->parent[b];
  return carrier > 0 && children[carrier] == 1 && !(c->solid[carrier].mass > 0) ? 0 : b;
}

/* Does it for one side of a joint.  children: of each body in the tree. */
static void load_tip(const lwi_compiler *c, int joint, bool side, int *children, lwi_spans *s)
{
  const lwi_joint_values *h = &c->joint_values[joint];
  int from = side ? h->parent : h->child, b = side ? h->child : h->parent, via = joint;
  if (from == 0 || b == 0 || children[from] > 0 || c->solid[from].mass > 0) return;
  if (s->joint[from] == joint || s->joint[b] == joint) return; /* of the tree */
  const int heavy = first_heavy(c, children, s, b, from);
  for (bool done = heavy == 0; !done;) {
    const int next = s->parent[b], next_joint = s->joint[b];
    children[next]--;
    children[from]++;
    s->parent[b] = from;
    s->joint[b] = via;
    s->reversed[b] = from == c->joint_values[via].child;
    done = b == heavy;
    from = b, b = next, via = next_joint;
  }
}

bool lwi_load_massless_tips(lwi_compiler *c, int nbody, const int body[], int nedge,
                            const int edge[], lwi_spans *s)
{
  bool any = false;
  for (int i = 0; i < nbody && !any; i++)
    any = !(c->solid[body[i]].mass > 0);
  if (!any) return true;
  int *children = LWI_TAKE(&c->scratch, c->m->nbody + 1, int);
  if (!children) return lwi_compile_memory(c);
  for (int i = 0; i < nbody; i++)
    children[s->parent[body[i]]]++;
  for (int e = 0; e < 2 * nedge; e++)
    load_tip(c, edge[e / 2], e % 2, children, s);
  return true;
}
