/* SPDX-License-Identifier: Apache-2.0 */
/* state.c -- coordinates and speeds by joint: read from options, written as tables and JSON. */
#include "from.h"
#include "linkwork/columns.h"
#include "linkwork/query.h"
#include "linkwork/reader.h"
#include "linkwork/signals.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Index of a joint's values in the array of all joints. */
static int first_value(const lw_joint_info *j, state_kind kind, int *n)
{
  *n = kind == COORDINATES ? j->nq : kind == TREE_SPEEDS && j->cut ? 0 : j->nu;
  return kind == COORDINATES ? j->q_all : j->u_all;
}

int unknown_joint(const cli_args *a, const lw_model *m, const char *option, const char *name)
{
  const int n = lw_njoint(m);
  const char **names = malloc(((size_t)n + 1) * sizeof *names);
  if (!names) return out_of_memory(a);
  for (int j = 1; j <= n; j++)
    names[j - 1] = lw_get_joint(m, (lw_joint){j}).name;
  const char *nearest = lw_nearest_name(name, names, n);
  const int status = nearest ? usage_error(a->verb, "--%s: no joint \"%s\"; did you mean \"%s\"?",
                                           option, name, nearest)
                             : usage_error(a->verb, "--%s: no joint \"%s\"", option, name);
  free(names);
  return status;
}

/* The units of values of a joint, by the columns q.J or u.J; of loads those of the speeds.  NULL: no memory. */
static lw_columns *find_units(const lw_model *m, const char *option, const char *joint, int n)
{
  const char letter = strcmp(option, "q") == 0 ? 'q' : 'u';
  const size_t size = 2 * strlen(joint) + 16;
  char *pattern = malloc(size), *to = pattern;
  if (!pattern) return NULL;
  to += sprintf(to, "%c.\"", letter);
  for (const char *c = joint; *c; c++) {
    if (*c == '"') *to++ = '"';
    *to++ = *c;
  }
  strcpy(to, n > 1 ? "\".*" : "\"");
  lw_columns *c = lw_columns_new(m, pattern, NULL);
  free(pattern);
  return c;
}

static const char *unit_at(const lw_columns *c, const char *option, int i)
{
  const char *unit = lw_columns_unit(c, i + 1); /* behind that of time */
  if (!unit || (strcmp(option, "q") == 0 || strcmp(option, "u") == 0)) return unit;
  if (strcmp(option, "udot") == 0) return strcmp(unit, "rad/s") == 0 ? "rad/s^2" : "m/s^2";
  return strcmp(unit, "rad/s") == 0 ? "N*m" : "N";
}

/* "0.9,0.1,0.2,0.3": exactly n values; *wrong: which of them is none. */
static bool read_list(char *text, const lw_columns *c, const char *option, double x[], int n,
                      int *wrong)
{
  for (*wrong = 0; *wrong < n; ++*wrong) {
    char *comma = strchr(text, ',');
    if (!comma != (*wrong == n - 1)) return false;
    if (comma) *comma = '\0';
    if (!read_with_unit(text, unit_at(c, option, *wrong), &x[*wrong])) return false;
    if (comma) text = comma + 1;
  }
  return true;
}

static bool is_state(const lw_model *m, const char *name)
{
  for (int i = 0; i < lw_nstate(m); i++)
    if (strcmp(lw_state_name(m, i), name) == 0) return true;
  return false;
}

static int read_joint(const cli_args *a, const lw_model *m, const char *option, const char *name,
                      char *numbers, double x[])
{
  const lw_joint joint = lw_find_joint(m, name);
  if (joint.id < 1 && is_state(m, name))
    return usage_error(
        a->verb,
        "--%s: \"%s\" is a state: it begins at its `start`, which may be a parameter "
        "for --set, or where --from says",
        option, name);
  if (joint.id < 1) return unknown_joint(a, m, option, name);

  const lw_joint_info info = lw_get_joint(m, joint);
  double value[7];
  int n;
  const int first = first_value(&info, strcmp(option, "q") == 0 ? COORDINATES : SPEEDS, &n);
  if (n == 0) return usage_error(a->verb, "--%s: joint \"%s\" has no freedom", option, name);
  int wrong;
  lw_columns *units = find_units(m, option, name, n);
  if (!units) return out_of_memory(a);
  const bool good = read_list(numbers, units, option, value, n, &wrong);
  const char *unit = good ? NULL : unit_at(units, option, wrong);
  const int status =
      good ? CLI_DONE
           : usage_error(a->verb, "--%s: joint \"%s\" needs %d finite number%s%s%s", option, name,
                         n, n > 1 ? "s, separated by commas" : "",
                         unit && strcmp(unit, "1") != 0 ? ", with or without a unit of " : "",
                         unit && strcmp(unit, "1") != 0 ? unit : "");
  lw_columns_free(units);
  if (status != CLI_DONE) return status;
  memcpy(x + first, value, (size_t)n * sizeof(double));
  return CLI_DONE;
}

int read_state(const cli_args *a, const lw_model *m, const char *option, double x[])
{
  int status = CLI_DONE;
  const char *given;
  for (int at = 0; status == CLI_DONE && (given = args_next(a, option, &at));) {
    const char *equals;
    char *name = read_name(given, "=", &equals);
    char *numbers = name ? malloc(strlen(equals) + 1) : NULL;
    if (numbers && *equals)
      status = read_joint(a, m, option, name, strcpy(numbers, equals + 1), x);
    else
      status =
          !numbers
              ? out_of_memory(a)
              : usage_error(a->verb, "--%s %s: write it as JOINT=NUMBER or JOINT=NUMBER,NUMBER,...",
                            option, given);
    free(numbers);
    free(name);
  }
  return status;
}

void json_state(json *j, const char *key, const lw_model *m, state_kind kind, const double x[])
{
  json_object(j, key);
  for (int i = 1; i <= lw_njoint(m); i++) {
    const lw_joint_info info = lw_get_joint(m, (lw_joint){i});
    int n;
    const int first = first_value(&info, kind, &n);
    if (n == 1)
      json_number(j, info.name, x[first]);
    else if (n > 1)
      json_numbers(j, info.name, x + first, n);
  }
  json_object_end(j);
}

/* Line `line` of the table rows of a joint: its k-th coordinate beside its k-th speed. */
static void print_line(const lw_joint_info *info, int line, int lines, const state_column columns[],
                       int n)
{
  char label[64];
  snprintf(label, sizeof label, lines > 1 ? "%s.%d" : "%s", info->name, line + 1);
  printf("  %-16s", label);
  for (int k = 0; k < n; k++) {
    int count;
    const int first = first_value(info, columns[k].kind, &count);
    if (line < count)
      printf(" %16.9g", columns[k].x[first + line]);
    else
      printf(" %16s", "");
  }
  printf("\n");
}

void print_states(const lw_model *m, const state_column columns[], int n, int limit)
{
  int rows = 0, hidden = 0;
  printf("  %-16s", "joint");
  for (int k = 0; k < n; k++)
    printf(" %16s", columns[k].title);
  printf("\n");
  for (int i = 1; i <= lw_njoint(m); i++) {
    const lw_joint_info info = lw_get_joint(m, (lw_joint){i});
    const int lines = info.nq > info.nu ? info.nq : info.nu;
    if (rows + lines > limit) {
      hidden++;
      continue;
    }
    for (int line = 0; line < lines; line++)
      print_line(&info, line, lines, columns, n);
    rows += lines;
  }
  if (hidden > 0) printf("  ... and %d more joints\n", hidden);
}

int start_state(const cli_args *a, const lw_model *m, lw_work *w, double t, double q[], double u[])
{
  lw_error err = {0};
  lw_initial_state(m, q, u);
  if (lw_normalize(m, q) != LW_OK) return usage_error(a->verb, "--q: a quaternion is zero");
  if (lw_close_loops(w, t, q, u, &err) != LW_OK) return report_model_error(a, &err);
  double time_of_row = t;
  int status = read_from(a, m, &time_of_row, q, u);
  if (status == CLI_DONE) status = read_state(a, m, "q", q);
  if (status == CLI_DONE) status = read_state(a, m, "u", u);
  if (status == CLI_DONE && lw_normalize(m, q) != LW_OK)
    return usage_error(a->verb, "--q: a quaternion is zero");
  if (status == CLI_DONE && lw_close_loops(w, t, q, u, &err) != LW_OK)
    return report_model_error(a, &err);
  return status;
}

void choose_quaternions(const lw_model *m, double q[])
{
  for (int j = 1; j <= lw_njoint(m); j++) {
    const lw_joint_info info = lw_get_joint(m, (lw_joint){j});
    double *e = q + info.q_all + info.nq - 4;
    if (info.nq == info.nu || info.cut || !(e[0] < 0)) continue;
    for (int i = 0; i < 4; i++)
      e[i] = -e[i];
  }
}
