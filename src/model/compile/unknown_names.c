/* SPDX-License-Identifier: Apache-2.0 */
/* unknown_names.c -- why a name with dots cannot be used in the expression of a force, and what to
   write instead. */
#include "base/nearest_name.h"
#include "model/compile/compile.h"

#include <stdio.h>
#include <string.h>

static bool no_part(lwi_compiler *c, const char *field, const char *kind, const char *given,
                    const char *const *names, int n)
{
  const char *near = names ? lwi_nearest(given, names, n) : NULL;
  return lwi_compile_fail(c, LW_E_MODEL, "%s: there is no %s \"%.80s\"%s%s%s", field, kind, given,
                          near ? ", did you mean \"" : "", near ? near : "", near ? "\"?" : "");
}

/* q.J, u.J: no such joint, or no such coordinate of it */
static bool unknown_coordinate(lwi_compiler *c, const char *name, const char *field)
{
  const lw_model *m = c->m;
  const char *joint = name + 2;
  int index;
  const int j = lwi_name_find_indexed(m->joint_index, joint, &index) + 1;
  if (j > 0) {
    const int n = name[0] == 'q' ? m->joint[j].info.nq : m->joint[j].info.nu;
    return lwi_compile_fail(c, LW_E_MODEL, "%s: there is no \"%s\": joint \"%s\" has %d %s%s",
                            field, name, m->joint[j].info.name, n,
                            name[0] == 'q' ? "coordinate" : "speed",
                            n == 1   ? ""
                            : n == 0 ? "s"
                                     : "s, counted from 1 behind another dot");
  }
  const char **names = LWI_TAKE(&c->scratch, m->njoint, const char *);
  for (int i = 1; names && i <= m->njoint; i++)
    names[i - 1] = m->joint[i].info.name;
  return no_part(c, field, "joint", joint, names, m->njoint);
}

/* x.F, x.F.in.G: which of the two frames is missing */
static bool unknown_frame(lwi_compiler *c, const char *name, const char *field)
{
  const lw_model *m = c->m;
  const char *in = strstr(name, ".in.");
  const bool first = in && lwi_frame_find(m, name, (size_t)(in - name)) >= 0;
  char given[80];
  if (first)
    snprintf(given, sizeof given, "%s", in + 4);
  else
    snprintf(given, sizeof given, "%.*s", in ? (int)(in - name) : (int)strlen(name), name);
  const int n = m->nbody + m->npoint + 1;
  const char **names = LWI_TAKE(&c->scratch, n, const char *);
  for (int i = 0; names && i < n; i++)
    names[i] = lwi_frame_at(m, i)->name;
  return no_part(c, field, "body or point", given, names, n);
}

bool lwi_is_law(const lw_spec *s, const lwi_measure *e)
{
  return e->kind == LWI_MEASURE_TENSION && s->springs.item[e->of].d.tension != 0;
}

static bool unknown_spring(lwi_compiler *c, const char *name, const char *field)
{
  const lw_model *m = c->m;
  const int known = lwi_name_find(m->force_index, name, strlen(name));
  if (known >= 0 && known < m->nspring)
    return lwi_compile_fail(
        c, LW_E_MODEL,
        "%s: the tension of spring \"%s\" is a law, known when forces are: write "
        "the law as an output, and use that in both places",
        field, name);
  const char **names = LWI_TAKE(&c->scratch, m->nspring, const char *);
  for (int i = 0; names && i < m->nspring; i++)
    names[i] = c->s->springs.item[i].d.name;
  return no_part(c, field, "spring", name, names, m->nspring);
}

/* does the name begin with one of these words and a dot? */
static bool begins(const char *name, const char *const words[], int n)
{
  const size_t length = strcspn(name, ".");
  for (int i = 0; i < n; i++)
    if (strlen(words[i]) == length && memcmp(words[i], name, length) == 0) return true;
  return false;
}
#define BEGINS(name, ...)                                                                          \
  begins(name, (const char *const[]){__VA_ARGS__},                                                 \
         (int)(sizeof((const char *const[]){__VA_ARGS__}) / sizeof(char *)))

static bool is_motor(const lw_spec *s, const char *name)
{
  for (int i = 0; i < s->motors.n; i++)
    if (strcmp(s->motors.item[i].d.name, name) == 0) return true;
  return false;
}

bool lwi_unknown_state(lwi_compiler *c, const lwi_expr_name *bad, const char *field)
{
  const char *name = bad->text, *rest = strchr(name, '.') + 1;
  if (BEGINS(name, "q", "u")) return unknown_coordinate(c, name, field);
  if (BEGINS(name, "x", "y", "z", "vx", "vy", "vz", "wx", "wy", "wz", "xx", "xy", "xz", "yx", "yy",
             "yz", "zx", "zy", "zz"))
    return unknown_frame(c, rest, field);
  if (BEGINS(name, "length", "rate", "tension")) return unknown_spring(c, rest, field);
  if (BEGINS(name, "angle")) return no_part(c, field, "torsion", rest, NULL, 0);
  if (BEGINS(name, "dx", "dy", "dz", "dvx", "dvy", "dvz", "rx", "ry", "rz", "dwx", "dwy", "dwz"))
    return no_part(c, field, "bushing", rest, NULL, 0);
  if (BEGINS(name, "e0", "e1", "e2", "e3"))
    return lwi_compile_fail(c, LW_E_MODEL,
                            "%s: \"%s\" is not allowed here: a quaternion and its negative are the "
                            "same orientation; use components of the axes, xx.%s to zz.%s",
                            field, name, rest, rest);
  if (BEGINS(name, "load", "power") && is_motor(c->s, rest))
    return lwi_compile_fail(c, LW_E_MODEL,
                            "%s: \"%s\" is not allowed here: what a motor does is known when all "
                            "forces are; write its value as an output, and use that in both places",
                            field, name);
  return lwi_compile_fail(
      c, LW_E_MODEL,
      "%s: \"%s\" is not allowed here: forces see t, parameters and what follows "
      "from positions and velocities (q.J, u.J, x.B, vx.B, wx.B, xx.B, length.S, "
      "rate.S) and states; accelerations, loads and energies follow from the "
      "forces: a state with `every` can sample them",
      field, name);
}
