/* SPDX-License-Identifier: Apache-2.0 */
/* Whatever is done to a model file, there is a model or an error with a text, and no crash or leak:
   thousands of deterministic mutations of models that use every key.  Runs under the sanitizers too;
   tests/fuzz/fuzz_deep.c goes further. */
#include "lwt.h"

#include "linkwork/file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_SIZE = 8192, ROUNDS = 1500 }; /* of each seed model */

/* ---- models to start from ---- */

static const char spatial[] =
    "linkwork: 1\n"
    "name: every key\n"
    "gravity: [0, 0, -9.81]\n"
    "parameters:\n"
    "  L: 1.0\n"
    "  rho: {value: 7860/L, unit: kg/m^3, min: 1000, max: 9e3, doc: steel}\n"
    "bodies:\n"
    "  a: {solid: {rod: {length: L, mass: 10, axis: x, radius: 0.01}}}\n"
    "  b:\n"
    "    mass: 1\n"
    "    com: [L/2, 0, 0]\n"
    "    inertia: [1, 1.5, 1.25, 0.1, 0, 0]\n"
    "  c: {solid: {box: {size: [1, 0.1, 0.1], density: rho, at: [0.5, 0, 0]}}}\n"
    "  d: {solid: {cylinder: {radius: 0.1, length: 1, axis: -y, mass: 2}}}\n"
    "  e: {mass: 6.9, inertia: [0.9, 0.6, 0.5], pose: {at: [0, 0, 2], orient: {quat: [1, 0, 0, "
    "0]}},\n"
    "      velocity: {linear: [1, 0, 0], angular: [0, 0, 0.3]}}\n"
    "  f: {solid: {sphere: {radius: 0.1, mass: 2}}}\n"
    "  p: {solid: {point: {mass: 2, at: [0, 0, 0]}}}\n"
    "joints:\n"
    "  A: {type: revolute, parent: ground, child: a, at: [0, 0, 0], orient: {rpy: [0, 0, 0]}, "
    "axis: [0, 0, 1],\n"
    "      q: 30 deg, u: 0, hold: true}\n"
    "  B: {type: cylindrical, parent: a, child: b, child_at: [0, 1, 0], q: [1, 2]}\n"
    "  C: {type: spherical, parent: b, child: c, q: {axis_angle: [1, 0, 0, pi/2]}, u: [1, 2, 3]}\n"
    "  D: {type: universal, parent: c, child: d, axis: x, axis2: [0, 1, 0]}\n"
    "  F: {type: helical, parent: d, child: f, pitch: 0.1}\n"
    "  P: {type: free, parent: f, child: p, q: {at: [1, 2, 3], quat: [1, 0, 0, 0]}, cut: false}\n"
    "  G: {type: gear, joints: [A, B.2], ratio: 2}\n"
    "  H: {type: coupler, joints: {A: 1, B.2: -3}, offset: L}\n"
    "  I: {type: driver, joint: A, dof: 1, value: \"0.3*sin(2*t)\"}\n"
    "  K: {type: distance, parent: a, child: c, length: 2}\n"
    "forces:\n"
    "  s: {type: spring, from: {body: ground, at: [1, 2, 3]}, to: {body: b}, stiffness: &k 5, "
    "damping: *k}\n"
    "  j: {type: joint_spring, joint: B, dof: 2, stiffness: 1, rest: 3}\n"
    "  m: {type: motor, joint: A, value: -2*u.A + q.B.1}\n"
    "  g: {type: force, body: a, at: [0, 1, 0], force: [\"sin(t)\", 0, 1], torque: [1, 2, 3], "
    "axes: body}\n"
    "  w: {type: bushing, parent: a, child: b, stiffness: [1, 2, 3], angular_damping: 4}\n"
    "  o: {type: torsion, parent: a, child: b, axis: [0, 1, 1], stiffness: 1, start: 7}\n"
    "events:\n"
    "  - {name: latch, at: 0.5, lock: {joint: B, dofs: [1]}}\n"
    "  - {when: \"y.b - 1\", direction: falling, once: true, stop: true}\n"
    "  - {at: 1, connect: {name: tip, type: revolute, parent: ground, child: c, child_at: [0, -L, "
    "0]}}\n"
    "simulation: {end: 5, output_step: 0.5, rtol: 1e-11, atol: 1e-12, integrator: adams, "
    "formulation: auto}\n"
    "sensitivity: {parameters: [L], objectives: {h: {final: \"y.c\"}}}\n";

static const char planar[] =
    "{\"linkwork\": 1, \"planar\": true, \"gravity\": [0, 0],\n"
    " \"bodies\": {\"K1\": {\"mass\": 0.04325, \"inertia\": 2.194e-6, \"com\": [1, 2]},\n"
    "  \"K2\": {\"mass\": 1, \"pose\": {\"at\": [1, 2], \"orient\": 0.5}}},\n"
    " \"joints\": {\"O\": {\"type\": \"revolute\", \"parent\": \"ground\", \"child\": \"K1\",\n"
    "  \"child_at\": [-0.00092, 0], \"q\": -0.06, \"hold\": true}},\n"
    " \"forces\": {\"drive\": {\"type\": \"motor\", \"joint\": \"O\", \"value\": 0.033}}}\n";

/* ---- mutations ---- */

typedef struct {
  char text[MAX_SIZE];
  int n;
} file;

/* Replaces cut bytes at a place by others, as far as there is room. */
static void splice(file *f, int at, int cut, const char *text, int n)
{
  cut = cut < f->n - at ? cut : f->n - at;
  if (f->n - cut + n > MAX_SIZE) return;
  memmove(f->text + at + n, f->text + at + cut, (size_t)(f->n - at - cut));
  memcpy(f->text + at, text, (size_t)n);
  f->n += n - cut;
}

static void mutate(file *f, lwt_random *r)
{
  static const char *const words[] = {"0",
                                      "-1",
                                      "1e999",
                                      "nan",
                                      "[",
                                      "]",
                                      "{",
                                      "}",
                                      ":",
                                      ": ",
                                      ", ",
                                      "\n",
                                      "  ",
                                      "\t",
                                      "- ",
                                      "&a ",
                                      "*a",
                                      "\"",
                                      "'",
                                      "#",
                                      "|",
                                      "!x ",
                                      "true",
                                      "no",
                                      "ground",
                                      "type",
                                      "a",
                                      "1/0",
                                      "sin(",
                                      "^^",
                                      "()",
                                      "q.A",
                                      "t",
                                      "spherical",
                                      "gear",
                                      "[0, 0, 0]",
                                      "{quat: [0, 0, 0, 0]}",
                                      "---\n",
                                      "\xc3\xa9",
                                      "\xff",
                                      "<<: *a",
                                      "1:30",
                                      "parameters",
                                      "deg",
                                      "A.2",
                                      "B.",
                                      ".5",
                                      "5.",
                                      "1e",
                                      "mass: 0",
                                      "ground: 1"};
  const int at = lwt_pick(r, f->n + 1);
  char byte = (char)lwt_pick(r, 256), copy[64];
  switch (lwt_pick(r, 6)) {
  case 0: splice(f, at, 1, &byte, 1); break;
  case 1: splice(f, at, lwt_pick(r, 40), "", 0); break;
  case 2:
  case 3: {
    const char *word = words[lwt_pick(r, (int)(sizeof words / sizeof *words))];
    splice(f, at, lwt_pick(r, 8), word, (int)strlen(word));
    break;
  }
  case 4: { /* some of it twice, elsewhere */
    const int from = lwt_pick(r, f->n + 1), n = lwt_pick(r, 64) % (f->n - from + 1);
    memcpy(copy, f->text + from, (size_t)n);
    splice(f, at, lwt_pick(r, 16), copy, n);
    break;
  }
  default: f->n = lwt_pick(r, 8) ? f->n : at; /* cut off, sometimes */
  }
}

/* ---- the property ---- */

static void expect_model_or_message(const char *text, size_t n)
{
  lw_error err;
  lw_spec *s = lw_spec_parse(text, n, "fuzz.yaml", &err);
  lw_model *m = s ? lw_compile(s, &err) : NULL;
  const bool good = m ? err.status == LW_OK : err.status != LW_OK && err.text[0] != '\0';
  lw_model_free(m);
  lw_spec_free(s);
  assert_true(good);
  assert_null(strchr(err.text, '\n'));
}

static void fuzz(const char *seed_text, size_t length, unsigned seed)
{
  assert_true(length < MAX_SIZE);
  for (unsigned i = 0; i < ROUNDS; i++) {
    lwt_random r = lwt_seed(1000 * seed + i);
    file f = {.n = (int)length};
    memcpy(f.text, seed_text, length);
    for (int k = lwt_pick(&r, 4); k >= 0; k--)
      mutate(&f, &r);
    char *exact = malloc((size_t)f.n + 1); /* reading beyond the end is caught by the sanitizers */
    assert_non_null(exact);
    memcpy(exact, f.text, (size_t)f.n);
    expect_model_or_message(exact, (size_t)f.n);
    free(exact);
  }
}

static void the_models_to_start_from_are_good(void **state)
{
  (void)state;
  lw_error err;
  lw_spec *s = lw_spec_parse(spatial, strlen(spatial), "spatial", &err);
  assert_string_equal(err.text, "");
  lw_spec_free(s);
  s = lw_spec_parse(planar, strlen(planar), "planar", &err);
  assert_string_equal(err.text, "");
  lw_spec_free(s);
}

static void a_mutated_spatial_model_is_survived(void **state)
{
  (void)state;
  fuzz(spatial, strlen(spatial), 1);
}

static void a_mutated_planar_json_model_is_survived(void **state)
{
  (void)state;
  fuzz(planar, strlen(planar), 2);
}

static void mutated_example_models_are_survived(void **state)
{
  (void)state;
  static const char *const models[] = {"double-pendulum", "arm", "cart-pole", "joint-zoo",
                                       "satellite"};
  const char *source = getenv("LINKWORK_SOURCE");
  if (!source) skip();
  for (unsigned i = 0; i < sizeof models / sizeof *models; i++) {
    static char text[MAX_SIZE];
    char path[1000];
    snprintf(path, sizeof path, "%s/models/%s.yaml", source, models[i]);
    FILE *f = fopen(path, "rb");
    if (!f) continue; /* the example may have another name by now */
    const size_t n = fread(text, 1, sizeof text - 1, f);
    fclose(f);
    fuzz(text, n, 10 + i);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_models_to_start_from_are_good),
      cmocka_unit_test(a_mutated_spatial_model_is_survived),
      cmocka_unit_test(a_mutated_planar_json_model_is_survived),
      cmocka_unit_test(mutated_example_models_are_survived),
  };
  return cmocka_run_group_tests_name("failure/reader_fuzz", tests, NULL, NULL);
}
