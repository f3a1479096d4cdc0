/* SPDX-License-Identifier: Apache-2.0 */
/* asmt_text.c -- the outline of an assembly file. */
#include "io/asmt/asmt.h"

#include "io/robot/robot_frames.h"

#include <math.h>
#include <string.h>

static const char *const heads[] = {"freeCAD: 3D CAD with Motion Simulation", "OndselSolver"};

bool lwi_asmt_recognises(const char *text, size_t length)
{
  for (int i = 0; i < 2; i++) {
    const size_t n = strlen(heads[i]);
    const char *end = length > n ? memchr(text, '\n', length) : NULL;
    if (!end || memcmp(text, heads[i], n) != 0) continue;
    return (size_t)(text + length - end) > 8 && memcmp(end + 1, "Assembly", 8) == 0;
  }
  return false;
}

/* ---- the tree ---- */

static const char *keep_line(lwi_arena *arena, const char *start, size_t n)
{
  while (n > 0 && strchr(" \t\r", start[n - 1]))
    n--;
  char *text = LWI_TAKE(arena, n + 1, char);
  if (text) memcpy(text, start, n);
  return text;
}

static void append(lwi_xml_element *parent, lwi_xml_element *e)
{
  e->parent = parent;
  if (parent->last)
    parent->last->next = e;
  else
    parent->first = e;
  parent->last = e;
}

static lwi_xml_element *new_element(lwi_arena *arena, const char *file, const char *name, int line)
{
  lwi_xml_element *e = name ? LWI_TAKE(arena, 1, lwi_xml_element) : NULL;
  if (e) *e = (lwi_xml_element){.name = name, .file = file, .line = line, .column = 1, .text = ""};
  return e;
}

static lwi_xml_element *no_memory(const char *file, lw_error *err)
{
  lwi_file_fail(err, LW_E_MEMORY, (lwi_position){.file = file}, "out of memory");
  return NULL;
}

lwi_xml_element *lwi_asmt_parse(lwi_arena *arena, const char *text, size_t length, const char *file,
                                lw_error *err)
{
  lwi_xml_element *open[LWI_XML_MAX_DEPTH + 1];
  const char *end = text + length, *next;
  const char *name = lwi_arena_text(arena, file);
  int depth = 0, line = 1;
  if (!name || !(open[0] = new_element(arena, name, "file", 1))) return no_memory(file, err);
  for (const char *s = text; s < end; s = next, line++) {
    const char *newline = memchr(s, '\n', (size_t)(end - s));
    next = newline ? newline + 1 : end;
    int tabs = 0;
    while (s + tabs < end && s[tabs] == '\t')
      tabs++;
    const char *kept = keep_line(arena, s + tabs, (size_t)((newline ? newline : end) - s - tabs));
    if (!kept) return no_memory(file, err);
    if (!*kept) continue;
    if (tabs == 0 && strcmp(kept, "TimeSeries") == 0) break;
    if (tabs > depth || tabs >= LWI_XML_MAX_DEPTH) {
      lwi_file_fail(err, LW_E_MODEL, (lwi_position){file, line, tabs + 1},
                    "the line is indented by %d tabs, at most %d fit here", tabs, depth);
      return NULL;
    }
    lwi_xml_element *e = new_element(arena, name, kept, line);
    if (!e) return no_memory(file, err);
    append(open[tabs], e);
    open[depth = tabs + 1] = e;
  }
  return open[0];
}

/* ---- values ---- */

const char *lwi_asmt_word(const lwi_xml_element *e, const char *child)
{
  const lwi_xml_element *c = lwi_xml_child(e, child);
  return c && c->first ? c->first->name : "";
}

bool lwi_asmt_numbers(lwi_asmt *x, const lwi_xml_element *e, const char *child, int n, double out[])
{
  const lwi_xml_element *c = lwi_xml_child(e, child);
  int count = 0;
  for (const lwi_xml_element *line = c ? c->first : NULL; line; line = line->next) {
    const int found =
        lwi_xml_numbers(line, child, line->name, n - count, out + count, x->robot.err);
    if (found < 0) return false;
    count += found;
  }
  return !c || count == n ||
         lwi_xml_fail(c, x->robot.err, "%d numbers are needed, found %d", n, count);
}

/* Rows of a rotation matrix that is only rounded; as a quaternion it is one again. */
bool lwi_asmt_frame(lwi_asmt *x, const lwi_xml_element *e, lwi_frame *out)
{
  double R[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, quat[4];
  *out = lwi_frame_identity();
  if (!lwi_asmt_numbers(x, e, "Position3D", 3, out->p) ||
      !lwi_asmt_numbers(x, e, "RotationMatrix", 9, R))
    return false;
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) {
      double product = 0;
      for (int k = 0; k < 3; k++)
        product += R[3 * i + k] * R[3 * j + k];
      if (fabs(product - (i == j)) > 1e-3)
        return lwi_xml_fail(e, x->robot.err, "its RotationMatrix is no rotation");
      out->R.c[j][i] = R[3 * i + j];
    }
  quat_from_rot(out->R, quat);
  return lwi_rot_quat(quat, &out->R);
}
