/* SPDX-License-Identifier: Apache-2.0 */
/* mesh_file.c -- reads STL and OBJ.  Texts end with a NUL, as lwi_file_read leaves them. */
#include "io/mesh/mesh.h"

#include "base/arena.h"
#include "io/file/file_text.h"
#include "io/xml/xml_values.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

void lwi_mesh_free(lwi_mesh *m)
{
  free(m->vertex);
  free(m->face);
  *m = (lwi_mesh){0};
}

static lwi_mesh_status add_vertex(lwi_mesh *m, const double p[3])
{
  if (!isfinite(p[0]) || !isfinite(p[1]) || !isfinite(p[2])) return LWI_MESH_BROKEN;
  if (!lwi_grow(&m->vertex, m->nvertex, &m->vertex_capacity, sizeof *m->vertex))
    return LWI_MESH_MEMORY;
  memcpy(m->vertex[m->nvertex++], p, sizeof *m->vertex);
  return LWI_MESH_OK;
}

static lwi_mesh_status add_face(lwi_mesh *m, int a, int b, int c)
{
  if (!lwi_grow(&m->face, m->nface, &m->face_capacity, sizeof *m->face)) return LWI_MESH_MEMORY;
  m->face[m->nface][0] = a;
  m->face[m->nface][1] = b;
  m->face[m->nface++][2] = c;
  return LWI_MESH_OK;
}

/* ---- binary STL: 80 bytes, the number of triangles, 50 bytes for each: normal, corners, 2 more
   ---- */

enum { HEAD = 84, TRIANGLE = 50 };

static uint32_t little_endian(const unsigned char *b)
{
  return b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
}

static bool is_binary_stl(const char *text, size_t length)
{
  const unsigned char *b = (const unsigned char *)text;
  return length >= HEAD && (length - HEAD) / TRIANGLE == little_endian(b + 80) &&
         (length - HEAD) % TRIANGLE == 0;
}

static lwi_mesh_status read_binary_stl(const unsigned char *b, size_t length, lwi_mesh *m)
{
  lwi_mesh_status status = LWI_MESH_OK;
  for (size_t at = HEAD; at < length && status == LWI_MESH_OK; at += TRIANGLE) {
    for (size_t k = 0; k < 3 && status == LWI_MESH_OK; k++) {
      double p[3];
      for (size_t i = 0; i < 3; i++) {
        const uint32_t bits = little_endian(b + at + 12 + 12 * k + 4 * i);
        float x;
        memcpy(&x, &bits, sizeof x);
        p[i] = (double)x;
      }
      status = add_vertex(m, p);
    }
    const int n = m->nvertex;
    if (status == LWI_MESH_OK) status = add_face(m, n - 3, n - 2, n - 1);
  }
  return status;
}

/* ---- text ---- */

static const char *skip_blanks(const char *s)
{
  return s + strspn(s, " \t\r");
}

/* Is this the next word?  Then what follows it, else NULL. */
static const char *behind_word(const char *s, const char *word)
{
  const size_t n = strlen(word);
  s = skip_blanks(s);
  return strncmp(s, word, n) == 0 && strchr(" \t\r\n", s[n]) ? s + n : NULL;
}

static bool read_point(const char *s, double p[3])
{
  for (int i = 0; i < 3; i++) {
    s = skip_blanks(s);
    const size_t n = lwi_scan_number(s, &p[i]);
    if (n == 0) return false;
    s += n;
  }
  return true;
}

static const char *next_line(const char *s)
{
  s += strcspn(s, "\n");
  return *s ? s + 1 : s;
}

/* Three lines `vertex x y z` make a triangle; the other words are not needed. */
static lwi_mesh_status read_text_stl(const char *s, lwi_mesh *m)
{
  for (; *s; s = next_line(s)) {
    double p[3];
    const char *numbers = behind_word(s, "vertex");
    if (!numbers) continue;
    if (!read_point(numbers, p)) return LWI_MESH_BROKEN;
    lwi_mesh_status status = add_vertex(m, p);
    const int n = m->nvertex;
    if (status == LWI_MESH_OK && n % 3 == 0) status = add_face(m, n - 3, n - 2, n - 1);
    if (status != LWI_MESH_OK) return status;
  }
  return LWI_MESH_OK;
}

/* ---- OBJ ---- */

/* The number of a vertex, `7`, `7/1`, `7//3` or `-1` (the last one), from 0; -1: none. */
static int read_corner(const char **s, int nvertex)
{
  char *end;
  *s = skip_blanks(*s);
  const long i = strtol(*s, &end, 10);
  if (end == *s) return -1;
  *s = end + strcspn(end, " \t\r\n");
  if (i > 0 && i <= nvertex) return (int)i - 1;
  return i < 0 && i >= -nvertex ? nvertex + (int)i : -1;
}

/* A polygon is cut into triangles from its first corner. */
static lwi_mesh_status read_polygon(const char *s, lwi_mesh *m)
{
  const int first = read_corner(&s, m->nvertex);
  int last = read_corner(&s, m->nvertex);
  if (first < 0 || last < 0) return LWI_MESH_BROKEN;
  while (*(s = skip_blanks(s)) && *s != '\n' && *s != '#') {
    const int next = read_corner(&s, m->nvertex);
    if (next < 0) return LWI_MESH_BROKEN;
    const lwi_mesh_status status = add_face(m, first, last, next);
    if (status != LWI_MESH_OK) return status;
    last = next;
  }
  return LWI_MESH_OK;
}

static lwi_mesh_status read_obj(const char *s, lwi_mesh *m)
{
  lwi_mesh_status status = LWI_MESH_OK;
  for (; *s && status == LWI_MESH_OK; s = next_line(s)) {
    double p[3];
    const char *vertex = behind_word(s, "v"), *face = behind_word(s, "f");
    if (vertex) status = read_point(vertex, p) ? add_vertex(m, p) : LWI_MESH_BROKEN;
    if (face) status = read_polygon(face, m);
  }
  return status;
}

/* ---- by contents ---- */

static bool has_line(const char *s, const char *word)
{
  for (; *s; s = next_line(s))
    if (behind_word(s, word)) return true;
  return false;
}

lwi_mesh_status lwi_mesh_parse(const char *text, size_t length, lwi_mesh *out)
{
  *out = (lwi_mesh){0};
  lwi_mesh_status status = LWI_MESH_UNKNOWN;
  if (is_binary_stl(text, length))
    status = read_binary_stl((const unsigned char *)text, length, out);
  else if (behind_word(text, "solid") && has_line(text, "vertex"))
    status = read_text_stl(text, out);
  else if (has_line(text, "v"))
    status = read_obj(text, out);
  if (status == LWI_MESH_OK && out->nface == 0) status = LWI_MESH_BROKEN;
  if (status != LWI_MESH_OK) lwi_mesh_free(out);
  return status;
}

lwi_mesh_status lwi_mesh_read(const char *path, lwi_mesh *out)
{
  char *text;
  size_t length;
  lw_error err;
  *out = (lwi_mesh){0};
  if (lwi_file_read(path, &text, &length, &err) != LW_OK)
    return err.status == LW_E_MEMORY ? LWI_MESH_MEMORY : LWI_MESH_NO_FILE;
  const lwi_mesh_status status = lwi_mesh_parse(text, length, out);
  free(text);
  return status;
}
