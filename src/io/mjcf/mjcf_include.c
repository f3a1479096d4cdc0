/* SPDX-License-Identifier: Apache-2.0 */
/* mjcf_include.c -- <include file="..."/>: the elements within the outermost one of another file,
   in its place.  Files are looked for in the folder of the model file and below it only, or in the
   folder that the options name (root): by the path from the model file, and then from the file that
   includes them. */
#define _XOPEN_SOURCE 700
#include "io/mjcf/mjcf_files.h"

#include "io/file/sources.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { MOST = 200 }; /* files */

static bool leads_out(const char *path)
{
  if (path[0] == '/' || strchr(path, '\\') || strchr(path, ':')) return true;
  for (const char *p = path; p; p = strchr(p, '/')) {
    p += *p == '/';
    if (strncmp(p, "..", 2) == 0 && (p[2] == '/' || p[2] == '\0')) return true;
  }
  return false;
}

/* Is the file in the folder `root` or below, links followed? */
static bool is_within(const char *root, const char *path)
{
  char *outer = realpath(root, NULL), *inner = realpath(path, NULL);
  const size_t n = outer ? strlen(outer) : 0;
  const bool within =
      inner && n > 0 && strncmp(inner, outer, n) == 0 && (outer[n - 1] == '/' || inner[n] == '/');
  free(outer);
  free(inner);
  return within;
}

static bool is_open(const lwi_xml_element *e, const char *path)
{
  for (; e; e = e->parent)
    if (strcmp(e->file, path) == 0) return true;
  return false;
}

/* FOLDER/NAME, with the folder of a file; NULL: out of memory. */
static char *beside(const lwi_mjcf_files *x, const char *file, const char *name)
{
  const char *slash = strrchr(file, '/');
  const size_t folder = slash ? (size_t)(slash - file) + 1 : 0;
  char *path = LWI_TAKE(x->arena, folder + strlen(name) + 1, char);
  if (!path) return NULL;
  memcpy(path, file, folder);
  strcpy(path + folder, name);
  return path;
}

/* The path of an included file; NULL after a message. */
static const char *find_path(const lwi_mjcf_files *x, const lwi_xml_element *e)
{
  const char *name = lwi_xml_get(e, "file");
  struct stat found;
  if (!x->folder_of)
    return lwi_xml_fail(e, x->err, "a text without a name cannot include files"), NULL;
  if (!name || !*name) return lwi_xml_fail(e, x->err, "no file is named"), NULL;
  if (!x->root && leads_out(name))
    return lwi_xml_fail(
               e, x->err,
               "\"%.100s\" leads out of the folder of the model: --root FOLDER reads files "
               "of a folder around it",
               name),
           NULL;
  char *path = beside(x, x->folder_of, name);
  if (path && stat(path, &found) != 0) {
    char *other = beside(x, e->file, name);
    if (!other || stat(other, &found) == 0) path = other;
  }
  if (!path) return lwi_xml_no_memory(e, x->err), NULL;
  if (x->root && stat(path, &found) == 0 && !is_within(x->root, path))
    return lwi_xml_fail(e, x->err, "\"%.100s\" is not in the folder \"%.100s\"", name, x->root),
           NULL;
  if (!is_open(e, path)) return path;
  return lwi_xml_fail(e, x->err, "\"%.100s\" includes itself", name), NULL;
}

lwi_xml_element *lwi_mjcf_open(lwi_mjcf_files *x, lwi_xml_element *e)
{
  char *text;
  size_t length;
  const char *path = find_path(x, e);
  if (!path) return NULL;
  if (++x->nfile > MOST)
    return lwi_xml_fail(e, x->err, "more than %d files are included", MOST), NULL;
  lw_error why = {0};
  if (lwi_sources_read(x->sources, path, &text, &length, &why) != LW_OK) {
    if (why.status == LW_E_MEMORY) return lwi_xml_no_memory(e, x->err), NULL;
    return lwi_xml_fail(e, x->err, "\"%.100s\" cannot be read", lwi_xml_get(e, "file")), NULL;
  }
  lwi_xml_element *root = lwi_xml_parse(x->arena, text, length, path, x->err);
  free(text);
  if (!root) return NULL;
  root->parent = e; /* so that files that are being read can be found */
  return lwi_mjcf_include(x, root) ? root : NULL;
}

/* Replaces e by the children of root, which become those of its parent. */
static void splice(lwi_xml_element *before, lwi_xml_element *e, lwi_xml_element *root)
{
  lwi_xml_element *parent = e->parent, *first = root->first ? root->first : e->next;
  for (lwi_xml_element *c = root->first; c; c = c->next)
    c->parent = parent;
  if (root->last) root->last->next = e->next;
  if (before)
    before->next = first;
  else
    parent->first = first;
  if (!e->next) parent->last = root->last ? root->last : before;
}

bool lwi_mjcf_include(lwi_mjcf_files *x, lwi_xml_element *parent)
{
  lwi_xml_element *before = NULL;
  for (lwi_xml_element *e = parent->first; e;) {
    lwi_xml_element *next = e->next;
    if (strcmp(e->name, "include") == 0) {
      lwi_xml_element *root = lwi_mjcf_open(x, e);
      if (!root) return false;
      splice(before, e, root);
      before = before ? before : parent->first == next ? NULL : parent->first;
      while (before && before->next != next)
        before = before->next;
    } else {
      if (!lwi_mjcf_include(x, e)) return false;
      before = e;
    }
    e = next;
  }
  return true;
}
