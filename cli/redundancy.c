/* SPDX-License-Identifier: Apache-2.0 */
/* redundancy.c -- redundant equations in words: who presses against whom, and what to do. */
#define _POSIX_C_SOURCE 200809L /* open_memstream */
#include "redundancy.h"
#include "linkwork/inspect.h"
#include "linkwork/query.h"
#include "linkwork/reader.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_NAMES = 12, MOST_CHANGES = 40, MOST_LINES = 12 };
#define LINE "\x1e" /* between lines: no name shows it */

/* ---- words ---- */

static const char *joiner(int i, int n)
{
  return i == 0 ? "" : i == n - 1 ? " and " : ", ";
}

static const char *number_word(int n)
{
  static const char *const words[] = {"no", "one", "two", "three", "four", "five", "six"};
  return n >= 0 && n < 7 ? words[n] : NULL;
}

static void write_part(FILE *f, const lw_model *m, lw_joint j, lw_constraint c)
{
  if (j.id) {
    fprintf(f, "%s", lw_get_joint(m, j).name);
    return;
  }
  const lw_constraint_info info = lw_get_constraint(m, c);
  fprintf(f, "%s %s", lw_constraint_type_name(info.type), info.name);
}

static void write_parts(FILE *f, const lw_model *m, const lw_stress_group *g)
{
  const int shown = g->npart > MOST_NAMES ? MOST_NAMES - 1 : g->npart;
  const int n = g->npart > shown ? shown + 1 : shown;
  for (int i = 0; i < shown; i++) {
    fprintf(f, "%s", joiner(i, n));
    write_part(f, m, g->part[i].joint, g->part[i].constraint);
  }
  if (n > shown) fprintf(f, " and %d others", g->npart - shown);
}

/* "x", or "(0.6, 0.8, 0)" */
static void write_direction(FILE *f, const double d[3])
{
  const double length = sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
  for (int i = 0; i < 3; i++)
    if (fabs(d[i]) >= (1 - 1e-10) * length) {
      fprintf(f, "%c", 'x' + i);
      return;
    }
  for (int i = 0; i < 3; i++) {
    const double c = d[i] / length;
    fprintf(f, "%s%.3g", i ? ", " : "(", fabs(c) < 5e-7 ? 0.0 : c);
  }
  fprintf(f, ")");
}

static bool is_torque(const double d[6])
{
  return d[3] == 0 && d[4] == 0 && d[5] == 0;
}

/* Where a force that has a moment about `at` passes, and what is left of the moment. */
static void write_line(FILE *f, const double d[6], const double at[3])
{
  const double *t = d, *F = d + 3, square = F[0] * F[0] + F[1] * F[1] + F[2] * F[2];
  const double along = (t[0] * F[0] + t[1] * F[1] + t[2] * F[2]) / square;
  const double p[3] = {at[0] + (F[1] * t[2] - F[2] * t[1]) / square,
                       at[1] + (F[2] * t[0] - F[0] * t[2]) / square,
                       at[2] + (F[0] * t[1] - F[1] * t[0]) / square};
  if (t[0] == 0 && t[1] == 0 && t[2] == 0) return;
  fprintf(f, " through (%.4g, %.4g, %.4g)", p[0], p[1], p[2]);
  if (fabs(along) > 1e-6) fprintf(f, " with %.3g N m about it per N", along);
}

/* "along z and about x and y"; forces come first */
static void write_directions(FILE *f, const lw_stressed_part *p)
{
  int nforce = 0;
  while (nforce < p->n && !is_torque(p->direction[nforce]))
    nforce++;
  for (int i = 0; i < p->n; i++) {
    const bool torque = i >= nforce;
    fprintf(f, "%s", i == nforce && i > 0 ? " and " : "");
    fprintf(f, "%s", torque ? joiner(i - nforce, p->n - nforce) : joiner(i, nforce));
    fprintf(f, "%s", i == nforce ? "about " : i == 0 ? "along " : "");
    write_direction(f, p->direction[i] + (torque ? 0 : 3));
    if (!torque) write_line(f, p->direction[i], p->at);
  }
}

/* Do all parts have the same directions, wherever they are? */
static bool are_alike(const lw_stress_group *g)
{
  for (int p = 0; p < g->npart; p++) {
    const lw_stressed_part *a = &g->part[0], *b = &g->part[p];
    if (a->n != b->n || b->relation) return false;
    for (int i = 0; i < a->n; i++)
      for (int k = 0; k < 6; k++)
        if (fabs(a->direction[i][k] - b->direction[i][k]) > 1e-6) return false;
  }
  return true;
}

static void write_count(FILE *f, int n)
{
  if (n == 1)
    fprintf(f, "this load is not determined");
  else if (number_word(n))
    fprintf(f, "these %s loads are not determined", number_word(n));
  else
    fprintf(f, "these %d loads are not determined", n);
}

static void write_group(FILE *f, const lw_model *m, const lw_stress_group *g)
{
  write_parts(f, m, g);
  if (g->npart == 1)
    fprintf(f, " repeats what holds without it");
  else {
    fprintf(f, " can press against each other");
    if (g->loop || are_alike(g)) fprintf(f, " "), write_directions(f, &g->part[0]);
  }
  fprintf(f, ": ");
  write_count(f, g->n);
}

static void write_release(FILE *f, const lw_model *m, const lw_release *r)
{
  write_part(f, m, r->joint, r->constraint);
  if (r->removed) return;
  if (r->to_constraint)
    fprintf(f, " a %s", lw_constraint_type_name(r->constraint_type));
  else
    fprintf(f, " %s", lw_joint_type_name(r->type));
  if (r->axis[0] == 0 && r->axis[1] == 0 && r->axis[2] == 0) return;
  fprintf(f, " with %s ",
          r->to_constraint          ? "axis"
          : r->type == LW_UNIVERSAL ? "axis2"
          : r->type == LW_GIMBAL    ? "axis3"
                                    : "axis");
  write_direction(f, r->axis);
}

/* "make C spherical and D cylindrical, and remove E"; nothing if nothing is proposed.  All are in the lists of --json, and
   written by --relax. */
static void write_proposal(FILE *f, const lw_model *m, const lw_redundancy *r)
{
  int count[2] = {0}, shown[2] = {0};
  for (int g = 0; g < r->ngroup; g++)
    for (int i = 0; i < r->group[g].nrelease; i++)
      count[r->group[g].release[i].removed]++;
  for (int removed = 0; removed < 2; removed++)
    for (int g = 0; g < r->ngroup; g++)
      for (int i = 0; i < r->group[g].nrelease; i++) {
        const lw_release *x = &r->group[g].release[i];
        if (x->removed != (bool)removed) continue;
        if (shown[0] + shown[1] == MOST_CHANGES) {
          fprintf(f, ", and %d more changes", count[0] + count[1] - MOST_CHANGES);
          return;
        }
        if (shown[removed] == 0)
          fprintf(f, "%s%s ", removed && count[0] ? ", and " : "", removed ? "remove" : "make");
        fprintf(f, "%s", joiner(shown[removed]++, count[removed]));
        write_release(f, m, x);
      }
}

static void write_motion(FILE *f, const lw_model *m, const lw_free_motion *x)
{
  const int shown = x->nbody > MOST_NAMES ? MOST_NAMES - 1 : x->nbody;
  const int n = x->nbody > shown ? shown + 1 : shown;
  for (int i = 0; i < shown; i++)
    fprintf(f, "%s%s", joiner(i, n), lw_body_name(m, x->body[i]));
  if (n > shown) fprintf(f, " and %d others", x->nbody - shown);
  const double *V = x->motion;
  const bool turns = V[0] * V[0] + V[1] * V[1] + V[2] * V[2] > 1e-12;
  fprintf(f, x->nbody > 1 ? " can still move together" : " can still %s ",
          turns ? "turn about" : "move along");
  if (x->nbody == 1) write_direction(f, turns ? V : V + 3);
}

/* ---- sentences ---- */

static void write_part_lines(FILE *f, const lw_model *m, const lw_stress_group *g)
{
  if (g->loop || g->npart == 1 || are_alike(g)) return;
  for (int i = 0; i < g->npart && i < MOST_LINES; i++) {
    if (g->part[i].n == 0) continue;
    fprintf(f, LINE "  ");
    write_part(f, m, g->part[i].joint, g->part[i].constraint);
    fprintf(f, " ");
    write_directions(f, &g->part[i]);
  }
}

typedef void writer(FILE *f, const redundancy *x, int i);

static void write_group_text(FILE *f, const redundancy *x, int i)
{
  write_group(f, x->m, &x->r->group[i]);
}
static void write_proposal_text(FILE *f, const redundancy *x, int i)
{
  (void)i;
  write_proposal(f, x->m, x->r);
}
static void write_motion_text(FILE *f, const redundancy *x, int i)
{
  write_motion(f, x->m, &x->r->free[i]);
}

static bool has_many(const lw_redundancy *r)
{
  bool many = false;
  for (int g = 0; g < r->ngroup; g++)
    many = many || r->group[g].too_many;
  return many;
}

/* Everything that redundancy_print says. */
static void write_lines(FILE *f, const redundancy *x, int unused)
{
  const lw_redundancy *r = x->r;
  (void)unused;
  for (int g = 0; g < r->ngroup && g < MOST_LINES; g++) {
    fprintf(f, "%s%s", g ? LINE : "", x->text[g]);
    write_part_lines(f, x->m, &r->group[g]);
  }
  if (r->ngroup > MOST_LINES) fprintf(f, LINE "... and %d more groups", r->ngroup - MOST_LINES);
  const char *proposal = x->text[r->ngroup];
  if (r->ngroup > 0 && x->singular)
    fprintf(f, LINE "in this singular configuration: nothing is proposed");
  else if (r->ngroup > 0 && !*proposal && has_many(r))
    fprintf(f, LINE "so many loads in one group: changes that release them are not searched for");
  else if (r->ngroup > 0 && !*proposal)
    fprintf(f, LINE "no joint types that release these loads without a further freedom were found");
  else if (r->ngroup > 0)
    fprintf(f, LINE "%s: %s", proposal,
            r->determined ? "then every load is determined, and the freedoms are the same"
                          : "some loads remain undetermined");
  for (int i = 0; i < r->nfree && i < MOST_LINES; i++)
    fprintf(f, "%snot driven: %s", i || r->ngroup ? LINE : "", x->text[r->ngroup + 1 + i]);
  const int listed = r->nfree < MOST_LINES ? r->nfree : MOST_LINES;
  if (r->nleft > listed && r->ndriver > 0)
    fprintf(f, LINE "... and %d more freedoms that are not driven", r->nleft - listed);
}

/* What a writer writes, in memory of its own; NULL: out of memory. */
static char *text_of(writer *write, const redundancy *x, int i)
{
  char *text = NULL;
  size_t size;
  FILE *f = open_memstream(&text, &size);
  if (!f) return NULL;
  write(f, x, i);
  const bool failed = ferror(f) != 0;
  if (fclose(f) == 0 && !failed) return text;
  free(text);
  return NULL;
}

static bool find_texts(redundancy *x)
{
  const lw_redundancy *r = x->r;
  const int n = r->ngroup + 1 + r->nfree;
  bool memory = (x->text = calloc((size_t)n, sizeof *x->text)) != NULL;
  for (int i = 0; i < n && memory; i++) {
    x->text[i] = i < r->ngroup    ? text_of(write_group_text, x, i)
                 : i == r->ngroup ? text_of(write_proposal_text, x, 0)
                                  : text_of(write_motion_text, x, i - r->ngroup - 1);
    memory = x->text[i] != NULL;
  }
  x->lines = memory ? text_of(write_lines, x, 0) : NULL;
  return x->lines != NULL;
}

/* ---- finding it ---- */

static lw_status find_at_start(redundancy *x, lw_work *w, double *q, double *u)
{
  lw_initial_state(x->m, q, u);
  const lw_status status = lw_close_loops(w, 0, q, u, &x->why);
  if (status == LW_OK) x->r = lw_redundancy_new(w, 0, q, &x->why);
  return status == LW_OK && !x->r ? x->why.status : status;
}

lw_status redundancy_find(redundancy *x, const lw_model *m, double t, const double q[],
                          bool singular)
{
  *x = (redundancy){.m = m, .singular = singular};
  lw_work *w = lw_work_new(m);
  double *start = malloc(((size_t)lw_nq(m) + 1) * sizeof *start);
  double *u = malloc(((size_t)lw_nu(m) + 1) * sizeof *u);
  lw_status status = w && start && u ? LW_OK : LW_E_MEMORY;
  if (status == LW_OK && q) {
    x->r = lw_redundancy_new(w, t, q, &x->why);
    status = x->r ? LW_OK : x->why.status;
  } else if (status == LW_OK)
    status = find_at_start(x, w, start, u);
  lw_work_free(w);
  free(start);
  free(u);
  if (status == LW_OK && !find_texts(x)) status = LW_E_MEMORY;
  if (status != LW_E_MEMORY) return LW_OK;
  redundancy_free(x);
  *x = (redundancy){0};
  return status;
}

void redundancy_free(redundancy *x)
{
  for (int i = 0; x->text && i < x->r->ngroup + 1 + x->r->nfree; i++)
    free(x->text[i]);
  free(x->text);
  free(x->lines);
  lw_redundancy_free(x->r);
}

bool redundancy_matters(const redundancy *x)
{
  return !x->r || x->r->ngroup > 0 || (x->r->ndriver > 0 && x->r->nfree > 0);
}

/* ---- output ---- */

void redundancy_print(const redundancy *x, const char *first, const char *next)
{
  const char *begin = first, *at = x->r ? x->lines : x->why.text;
  for (bool more = true; more; begin = next) {
    const size_t n = strcspn(at, LINE);
    char line[sizeof(safe_text)];
    snprintf(line, sizeof line, "%.*s", (int)n, at);
    printf("%s%s\n", begin, show(line).text);
    more = at[n] != 0;
    at += n + more;
  }
}

static void json_part(json *j, const redundancy *x, const lw_stressed_part *p)
{
  json_object(j, NULL);
  json_text(j, "name",
            p->joint.id ? lw_get_joint(x->m, p->joint).name
                        : lw_get_constraint(x->m, p->constraint).name);
  json_list(j, "directions");
  for (int i = 0; i < p->n; i++)
    json_numbers(j, NULL, p->direction[i], 6);
  json_list_end(j);
  json_numbers(j, "at", p->at, 3);
  json_object_end(j);
}

static void json_release(json *j, const redundancy *x, const lw_release *r)
{
  json_object(j, NULL);
  json_text(j, "name",
            r->joint.id ? lw_get_joint(x->m, r->joint).name
                        : lw_get_constraint(x->m, r->constraint).name);
  json_bool(j, "removed", r->removed);
  json_text(j, "type",
            r->removed         ? NULL
            : r->to_constraint ? lw_constraint_type_name(r->constraint_type)
                               : lw_joint_type_name(r->type));
  json_numbers(j, "axis", r->axis, 3);
  json_integer(j, "equations", r->equations);
  json_object_end(j);
}

static void json_group(json *j, const redundancy *x, const lw_stress_group *g)
{
  json_object(j, NULL);
  json_text(j, "text", x->text[g - x->r->group]);
  json_integer(j, "loads", g->n);
  json_bool(j, "loop", g->loop);
  json_bool(j, "too_many", g->too_many);
  json_list(j, "parts");
  for (int i = 0; i < g->npart; i++)
    json_part(j, x, &g->part[i]);
  json_list_end(j);
  json_list(j, "releases");
  for (int i = 0; i < g->nrelease; i++)
    json_release(j, x, &g->release[i]);
  json_list_end(j);
  json_object_end(j);
}

static void json_motion(json *j, const redundancy *x, const lw_free_motion *motion)
{
  json_object(j, NULL);
  json_text(j, "text", x->text[x->r->ngroup + 1 + (motion - x->r->free)]);
  json_list(j, "bodies");
  for (int i = 0; i < motion->nbody; i++)
    json_text(j, NULL, lw_body_name(x->m, motion->body[i]));
  json_list_end(j);
  json_object_end(j);
}

void redundancy_json(json *j, const redundancy *x)
{
  const lw_redundancy *r = x->r;
  json_object(j, "redundancy");
  if (!r) json_text(j, "unknown", x->why.text);
  if (r) {
    json_integer(j, "dof", r->dof);
    json_integer(j, "equations", r->redundant);
    json_bool(j, "determined_by_proposal", r->determined && r->ngroup > 0);
    if (r->ngroup > 0) json_text(j, "proposal", x->text[r->ngroup]);
    json_list(j, "groups");
    for (int g = 0; g < r->ngroup; g++)
      json_group(j, x, &r->group[g]);
    json_list_end(j);
    json_integer(j, "freedoms_not_driven", r->ndriver > 0 ? r->nleft : 0);
    json_list(j, "not_driven");
    for (int i = 0; i < r->nfree; i++)
      json_motion(j, x, &r->free[i]);
    json_list_end(j);
  }
  json_object_end(j);
}
