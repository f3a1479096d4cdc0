/* SPDX-License-Identifier: Apache-2.0 */
/* modes_print.c -- modes as a table, as JSON, and as CSV. */
#define _POSIX_C_SOURCE 200809L
#include "modes.h"
#include "linkwork/output.h"
#include "linkwork/query.h"

#include <math.h>
#include <stdlib.h>

enum { MANY = 60, SHARES = 3 }; /* rows; joints that are named beside a mode */

/* The joint and dof of speed i of all joints. */
static void speed_name(const lw_model *m, int i, char *out, size_t size)
{
  for (int j = 1; j <= lw_njoint(m); j++) {
    const lw_joint_info info = lw_get_joint(m, (lw_joint){j});
    if (i < info.u_all || i >= info.u_all + info.nu) continue;
    snprintf(out, size, info.nu > 1 ? "%s.%d" : "%s", info.name, i - info.u_all + 1);
    return;
  }
  snprintf(out, size, "?");
}

/* the largest entries of a shape, by name */
static void print_shares(const mode_table *t, const lw_mode *mode)
{
  double below = HUGE_VAL;
  for (int k = 0; k < SHARES; k++) {
    int top = -1;
    double most = 1e-3;
    for (int i = 0; i < t->l->ninput; i++) {
      const double x = hypot(mode->joints[0][i], mode->joints[1][i]);
      if (x > most && x < below) top = i, most = x;
    }
    if (top < 0) break;
    char name[80];
    speed_name(t->m, top, name, sizeof name);
    printf("%s%s %.3g", k ? ", " : "", name, most);
    below = most;
  }
}

/* "; chassis heave, chassis pitch": after the first word a comma */
static void print_word(void *context, const char *body, const char *motion)
{
  int *n = context;
  printf("%s%s %s", (*n)++ ? ", " : ": ", body, motion);
}

void modes_print(const mode_table *t)
{
  printf("%s: %d degree%s of freedom, linearised at the %s", show(model_title(t->m)).text, t->l->n,
         plural(t->l->n), t->at);
  if (t->at[0] == 'e') printf(" (%s)", lw_stability_name(t->report.stability));
  printf("\n\n  mode  kind          frequency/Hz    damping        real/s     imaginary/s  largest "
         "in: what moves\n");
  for (int i = 0; i < t->modes->n && i < MANY; i++) {
    const lw_mode *mode = &t->modes->mode[i];
    printf("  %4d  %-12s %13.6g %10.4g %13.6g %15.6g  ", i + 1, lw_mode_kind_name(mode->kind),
           mode->frequency, mode->damping, mode->real, mode->imaginary);
    print_shares(t, mode);
    mode_words(t->m, mode, print_word, &(int){0});
    printf("\n");
  }
  if (t->modes->n > MANY) printf("  ... and %d more: see --json\n", t->modes->n - MANY);
}

/* ---- JSON ---- */

static void json_matrix(json *j, const char *key, const double *A, int rows, int columns)
{
  json_list(j, key);
  for (int i = 0; i < rows; i++)
    json_numbers(j, NULL, A + (size_t)i * (size_t)columns, columns);
  json_list_end(j);
}

static void json_bodies(json *j, const char *key, const lw_model *m, const double x[])
{
  json_object(j, key);
  for (int b = 1; b <= lw_nbody(m); b++) {
    json_object(j, lw_body_name(m, (lw_body){b}));
    json_numbers(j, "rotation", x + 6 * (b - 1), 3);
    json_numbers(j, "displacement", x + 6 * (b - 1) + 3, 3);
    json_object_end(j);
  }
  json_object_end(j);
}

static bool is_complex(const mode_table *t, const lw_mode *mode)
{
  double most = 0;
  for (int i = 0; i < t->l->ninput; i++)
    most = fmax(most, fabs(mode->joints[1][i]));
  return most > 0;
}

static void json_word(void *context, const char *body, const char *motion)
{
  json_object(context, NULL);
  json_text(context, "body", body);
  json_text(context, "motion", motion);
  json_object_end(context);
}

/* {"xi": 0.1} */
static void json_states(json *j, const char *key, const mode_table *t, const double x[])
{
  if (t->l->nstate == 0) return;
  json_object(j, key);
  for (int i = 0; i < t->l->nstate; i++)
    json_number(j, lw_state_name(t->m, t->l->states[i]), x[i]);
  json_object_end(j);
}

static void json_mode(json *j, const mode_table *t, const lw_mode *mode)
{
  const double eigenvalue[2] = {mode->real, mode->imaginary};
  json_object(j, NULL);
  json_text(j, "kind", lw_mode_kind_name(mode->kind));
  json_numbers(j, "eigenvalue", eigenvalue, 2);
  json_number(j, "frequency", mode->frequency);
  json_number(j, "damping", mode->damping);
  json_list(j, "moves");
  mode_words(t->m, mode, json_word, j);
  json_list_end(j);
  json_state(j, "shape", t->m, SPEEDS, mode->joints[0]);
  json_bodies(j, "bodies", t->m, mode->bodies[0]);
  json_states(j, "states", t, mode->states[0]);
  if (is_complex(t, mode)) {
    json_state(j, "shape_imaginary", t->m, SPEEDS, mode->joints[1]);
    json_bodies(j, "bodies_imaginary", t->m, mode->bodies[1]);
    json_states(j, "states_imaginary", t, mode->states[1]);
  }
  json_object_end(j);
}

static void json_names(json *j, const char *key, const mode_table *t, const int *which, int n)
{
  json_list(j, key);
  for (int i = 0; i < n; i++) {
    char name[80];
    speed_name(t->m, which ? which[i] : i, name, sizeof name);
    json_text(j, NULL, name);
  }
  json_list_end(j);
}

static void json_matrices(json *j, const mode_table *t)
{
  const lw_linearization *l = t->l;
  json_names(j, "inputs", t, NULL, l->ninput);
  json_matrix(j, "M", l->M, l->n, l->n);
  json_matrix(j, "C", l->C, l->n, l->n);
  json_matrix(j, "K", l->K, l->n, l->n);
  const int size = 2 * l->n + l->nstate;
  json_matrix(j, "A", l->A, size, size);
  json_matrix(j, "B", l->B, size, l->ninput);
}

bool modes_json(const mode_table *t, bool matrices)
{
  json j;
  if (!json_start(&j)) return false;
  json_object(&j, NULL);
  json_text(&j, "at", t->at);
  if (t->at[0] == 'e') json_text(&j, "stability", lw_stability_name(t->report.stability));
  json_integer(&j, "dof", t->l->n);
  json_names(&j, "independent", t, t->l->independent, t->l->n);
  json_state(&j, "q", t->m, COORDINATES, t->q);
  json_state(&j, "u", t->m, SPEEDS, t->u);
  json_list(&j, "modes");
  for (int i = 0; i < t->modes->n; i++)
    json_mode(&j, t, &t->modes->mode[i]);
  json_list_end(&j);
  if (matrices) json_matrices(&j, t);
  json_object_end(&j);
  return json_finish(&j);
}

/* ---- CSV ---- */

static void write_names(const mode_table *t, FILE *f)
{
  char name[80];
  fprintf(f, "mode,kind,real,imaginary,frequency,damping");
  for (int k = 0; k < 2; k++)
    for (int i = 0; i < t->l->ninput; i++) {
      speed_name(t->m, i, name, sizeof name);
      fprintf(f, k ? ",im(%s)" : ",%s", name);
    }
  fprintf(f, "\n");
}

static void write_table(const mode_table *t, FILE *f)
{
  write_names(t, f);
  for (int i = 0; i < t->modes->n; i++) {
    const lw_mode *mode = &t->modes->mode[i];
    fprintf(f, "%d,%s,%.17g,%.17g,%.17g,%.17g", i + 1, lw_mode_kind_name(mode->kind), mode->real,
            mode->imaginary, mode->frequency, mode->damping);
    for (int k = 0; k < 2; k++)
      for (int s = 0; s < t->l->ninput; s++)
        fprintf(f, ",%.17g", mode->joints[k][s]);
    fprintf(f, "\n");
  }
}

lw_status modes_csv(const mode_table *t, const char *path, lw_error *err)
{
  char *text = NULL;
  size_t size = 0;
  FILE *f = open_memstream(&text, &size);
  if (f) write_table(t, f);
  const bool complete = f && !ferror(f);
  lw_status status = LW_E_MEMORY;
  if (f && fclose(f) == 0 && complete && text) status = lw_write_file(path, text, size, err);
  if (status == LW_E_MEMORY) *err = (lw_error){.status = status, .text = "out of memory"};
  free(text);
  return status;
}
