/* SPDX-License-Identifier: Apache-2.0 */
/* name_dimensions.c -- the dimensions of time, states and result columns, by their names: what
   follows from the first word of a column, and for coordinates and speeds from the joint. */
#include "linkwork/signals.h"
#include "model/compile/dimensions.h"
#include "model/joint/joint.h"

#include <string.h>

static const struct {
  const char *words;
  int8_t power[3]; /* of m, kg, s */
} columns[] = {
    {" x y z length gap dx dy dz ", {1, 0, 0}},
    {" vx vy vz slip dvx dvy dvz ", {1, 0, -1}},
    {" ax ay az ", {1, 0, -2}},
    {" wx wy wz dwx dwy dwz ", {0, 0, -1}},
    {" wdotx wdoty wdotz ", {0, 0, -2}},
    {" fx fy fz tension ", {1, 1, -2}},
    {" tx ty tz energy work potential ", {2, 1, -2}},
    {" power dissipation ", {2, 1, -3}},
    {" e0 e1 e2 e3 xx xy xz yx yy yz zx zy zz rx ry rz angle state ", {0, 0, 0}},
};

static lwi_dimension of_powers(int m, int kg, int s)
{
  return (lwi_dimension){.halves = {(int8_t)(2 * m), (int8_t)(2 * kg), (int8_t)(2 * s)},
                         .known = 1};
}

static lwi_dimension of_word(const char *name, size_t length)
{
  char word[16];
  if (length == 0 || length + 3 > sizeof word) return (lwi_dimension){0};
  word[0] = ' ';
  memcpy(word + 1, name, length);
  memcpy(word + 1 + length, " ", 2);
  for (size_t i = 0; i < sizeof columns / sizeof *columns; i++)
    if (strstr(columns[i].words, word))
      return of_powers(columns[i].power[0], columns[i].power[1], columns[i].power[2]);
  return (lwi_dimension){0};
}

/* May an event make another joint of it? */
static bool is_replaced(const lwi_known_dimensions *x, const char *joint)
{
  const lw_spec *s = x->s;
  for (int i = 0; x->replaces && i < s->events.n; i++) {
    const lw_event_desc *d = &s->events.item[i].d;
    if (d->action == LW_ACTION_REPLACE && d->joint && strcmp(d->joint, joint) == 0) return true;
  }
  return false;
}

lwi_dimension lwi_freedom_dimension(const lwi_known_dimensions *x, int joint, int index, int rate)
{
  const lw_spec *s = x->s;
  const lw_joint_desc *d = &s->joints.item[joint - 1].d;
  const char *all = lwi_freedoms_of(d->type, s->planar, rate > 0);
  const bool there = index >= 0 && index < (int)strlen(all) && !is_replaced(x, d->name);
  if (!there) return (lwi_dimension){0};
  return of_powers(all[index] == 's', 0, -rate);
}

/* `q.J`, `u.J.2`, `udot.J` */
static lwi_dimension of_coordinate(const lwi_known_dimensions *x, const char *name, size_t length,
                                   int rate)
{
  const lw_spec *s = x->s;
  int index;
  const int at = lwi_name_find_indexed(&s->joint_names, name + length + 1, &index);
  const int joint = at < 0 ? 0 : s->joint_of_name[at];
  if (joint < 1) return (lwi_dimension){0};
  return lwi_freedom_dimension(x, joint, index ? index - 1 : 0, rate);
}

lwi_dimension lwi_name_dimension(const lwi_known_dimensions *x, const char *name)
{
  const lw_spec *s = x->s;
  const int p = lwi_parameters_find(&s->parameters, name);
  if (p >= 0) return x->parameter[p];
  if (strcmp(name, "t") == 0) return of_powers(0, 0, 1);
  for (int i = 0; i < s->states.n; i++)
    if (strcmp(name, s->states.item[i].d.name) == 0)
      return lwi_number_dimension(x, s->states.item[i].d.start);
  const size_t length = strcspn(name, ".");
  if (!name[length]) return (lwi_dimension){0};
  static const char *const coordinates[] = {"q", "u", "udot"};
  for (int rate = 0; rate < 3; rate++)
    if (strlen(coordinates[rate]) == length && memcmp(name, coordinates[rate], length) == 0)
      return of_coordinate(x, name, length, rate);
  return of_word(name, length);
}
