/* SPDX-License-Identifier: Apache-2.0 */
/* Every kind of mistake in a model file is refused, at the right place and in words that help. */
#include "lwt.h"

#include "linkwork/file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- support ---- */

/* Loads and compiles; the first mistake is in *err, whose status is LW_OK if there is none. */
static void try_text(const char *text, size_t length, lw_error *err)
{
  lw_spec *s = lw_spec_parse(text, length, "model.yaml", err);
  assert_int_equal(s == NULL, err->status != LW_OK);
  lw_model *m = s ? lw_compile(s, err) : NULL;
  lw_model_free(m);
  lw_spec_free(s);
}

typedef struct {
  const char *text;
  int line, column;
  const char *says; /* a part of the message */
} bad;

static void expect(const bad *b, size_t length, lw_status status)
{
  lw_error err;
  try_text(b->text, length, &err);
  if (err.status != status || err.line != b->line || err.column != b->column ||
      !strstr(err.text, b->says))
    fail_msg("\n%.300s\ngives status %d at %d:%d: %s\nexpected     %d at %d:%d: %s", b->text,
             (int)err.status, err.line, err.column, err.text, (int)status, b->line, b->column,
             b->says);
}

static void expect_all(const bad *table, size_t n)
{
  for (size_t i = 0; i < n; i++)
    expect(&table[i], strlen(table[i].text), LW_E_MODEL);
}
#define EXPECT_ALL(table) expect_all(table, sizeof(table) / sizeof *(table))

/* a model with one mistake: the first two lines are always the same */
#define HEAD "linkwork: 1\nparameters: {L: 1, m: 2}\n"
#define BODY(text) HEAD "bodies:\n  b: {" text "}\n"
#define BODIES                                                                                     \
  HEAD "bodies: {a: {mass: 1, inertia: [1, 1, 1]}, crank: {mass: 1, inertia: [1, 1, 1]}}\n"
#define JOINT(text) BODIES "joints:\n  A: {" text "}\n"
#define JOINTS                                                                                     \
  BODIES "joints: {A: {type: revolute, parent: ground, child: a}, B: {type: cylindrical, parent: " \
         "a, child: crank}}\n"
#define FORCE(text) JOINTS "forces:\n  F: {" text "}\n"
#define EVENT(text) JOINTS "events:\n  - {" text "}\n"
#define PLANAR "linkwork: 1\nplanar: true\n"

/* ---- text that is not YAML ---- */

static void syntax_errors_have_a_place(void **state)
{
  (void)state;
  static const bad table[] = {
      {"", 1, 1, "the file is empty"},
      {"\n\n# nothing\n", 1, 1, "the file is empty"},
      {"linkwork: 1\nbodies: {a: {mass: 1\n", 3, 1, "expected `,` or `}` (in what starts at 2:13)"},
      {"linkwork: 1\ngravity: [0, 1\nname: x\n", 3, 5, "expected `,` or `]`"},
      {"linkwork: 1\nname: \"four\n", 3, 1, "ends inside a quoted text (in what starts at 2:7)"},
      {"linkwork: 1\nname: 'four", 2, 12, "ends inside a quoted text"},
      {"linkwork: 1\nbodies:\n\ta: {mass: 1}\n", 3, 1, "a tab: indent with spaces"},
      {"linkwork: 1\nbodies:\n  a: {mass: 1}\n\tb: {mass: 1}\n", 4, 1, "a tab: indent with spaces"},
      {"linkwork: 1\n  name: x\n", 2, 7, "a `:` where no key can be"},
      {"linkwork: 1\nname: a: b\n", 2, 8, "a `:` where no key can be"},
      {"linkwork: 1\nname: @x\n", 2, 7, "put it in quotes"},
      {"linkwork: 1\nname\nplanar: true\n", 3, 1, "expected `:` after the key"},
      {"linkwork: 1\n]\n", 2, 1, "expected a key"},
      {"linkwork: 1\ngravity: [0, - 1, 0]\n", 2, 14, "expected a value"},
      {"- 1\nname: x\n", 2, 1, "expected `- `"},
      {"linkwork: 1\n---\nlinkwork: 1\n", 2, 1, "a second document"},
      {"{linkwork: 1} x\n", 1, 15, "something follows the end"},
      {"linkwork: *one\n", 1, 11, "no `&one` before it"},
      {"linkwork: 1\nbodies: &b {a: *b}\n", 2, 16, "is used inside its own value"},
      {"linkwork: !!int 1\n", 1, 11, "tags are not supported"},
      {"%TAG ! tag:x,2000:\n---\nlinkwork: 1\n", 1, 1, "tags are not supported"},
      {"linkwork: 1\nname: a\nname: b\n", 3, 1, "`name` is already defined in line 2"},
      {"linkwork: 1\nbodies: {[a]: {mass: 1}}\n", 2, 10, "a key must be a single word"},
      {BODIES "joints: {A: {type: revolute, parent: ground, child: a}, B: {<<: [3]}}\n", 4, 66,
       "`<<` takes a mapping"},
      {"linkwork: 1\nname: \"a\\0b\"\n", 2, 7, "a NUL character"},
      {"linkwork: 1\nname: caf\xe9\n", 2, 10, "byte 0xe9 is not UTF-8"},
      {"linkwork: 1\nname: \xc3\xa9\xc0\x80\n", 2, 8, "byte 0xc0 is not UTF-8"},
      {"linkwork: 1\r\nname: \a\n", 2, 7, "character U+0007"},
      {"\xff\xfel\0i\0", 1, 1, "text in UTF-16, not a model: save it as UTF-8"},
      {"linkwork: 1\nname: \xed\xa0\x80\n", 2, 7, "not UTF-8"},
  };
  EXPECT_ALL(table);
}

static void a_nul_byte_is_not_the_end(void **state)
{
  (void)state;
  static const char text[] = "linkwork: 1\nname: a\0b\n";
  const bad b = {text, 2, 8, "a NUL byte: this is not a text file"};
  expect(&b, sizeof text - 1, LW_E_MODEL);
}

static void a_byte_order_mark_is_skipped(void **state)
{
  (void)state;
  const bad b = {"\xef\xbb\xbflinkwork: 2\n", 1, 11, "format version 1"};
  expect(&b, strlen(b.text), LW_E_MODEL);
}

/* whatever a file is cut to, there is a model or a message, and no crash */
static void every_truncated_file_is_survived(void **state)
{
  (void)state;
  static const char text[] = FORCE("type: spring, from: {body: a, at: [0, L, \"2*L\"]}, "
                                   "to: {body: crank}, stiffness: &k 5.5, damping: *k");
  for (size_t n = 0; n < sizeof text; n++) {
    char *cut = malloc(n + 1); /* exact size: reading beyond it is caught by the sanitizers */
    lw_error err;
    assert_non_null(cut);
    memcpy(cut, text, n);
    try_text(cut, n, &err);
    if (err.status != LW_OK) assert_true(err.text[0] != '\0');
    free(cut);
  }
}

/* ---- whole files ---- */

static void files_that_are_no_models_are_told_apart(void **state)
{
  (void)state;
  static const bad table[] = {
      {"- a\n- b\n", 1, 1, "a model file is a mapping that has `linkwork: 1`, not a list"},
      {"just words\n", 1, 1, "not a text"},
      {"name: x\n", 1, 1, "`linkwork: 1` is missing"},
      {"linkwork: 2\n", 1, 11, "expected the format version 1 for `linkwork`, found \"2\""},
      {"linkwork: [1]\n", 1, 11, "expected the format version 1 for `linkwork`, found a list"},
      {"linkwork:\n", 1, 10, "found nothing"},
      {HEAD "bodeis: {}\n", 3, 1, "unknown key \"bodeis\", did you mean \"bodies\"?"},
      {HEAD "visual: {}\n", 3, 1, "unknown key \"visual\"; there are linkwork, planar,"},
      {HEAD "bodies: [a, b]\n", 3, 9, "expected a mapping for `bodies`, found a list"},
      {HEAD "joints: 7\n", 3, 9, "expected a mapping for `joints`, found \"7\""},
      {HEAD "events: {a: 1}\n", 3, 9, "expected a list for `events`, found a mapping"},
      {HEAD "name: [a]\n", 3, 7, "expected a text for `name`, found a list"},
      {HEAD "gravity: 9.81\n", 3, 10, "expected a list of 3 numbers for `gravity`, found \"9.81\""},
      {HEAD "gravity: [0, 0]\n", 3, 10, "expected a list of 3 numbers for `gravity`, found 2"},
      {HEAD "planar: yes\n", 3, 9, "expected true or false for `planar`, found \"yes\""},
      {HEAD "planar: True\n", 3, 9, "expected true or false for `planar`, found \"True\""},
      {HEAD "planar: 1\n", 3, 9, "expected true or false"},
  };
  EXPECT_ALL(table);
}

static void files_that_cannot_be_read_are_reported(void **state)
{
  (void)state;
  lw_error err;
  assert_null(lw_spec_load("/does/not/exist.yaml", &err));
  assert_int_equal(err.status, LW_E_FILE);
  assert_int_equal(err.line, 0);
  assert_string_equal(err.text,
                      "/does/not/exist.yaml: cannot be opened: No such file or directory");
  assert_null(lw_spec_load("/", &err));
  assert_int_equal(err.status, LW_E_FILE);
  assert_non_null(strstr(err.text, "a directory"));
  assert_null(lw_spec_load(NULL, &err));
  assert_int_equal(err.status, LW_E_ARG);
  assert_null(lw_spec_parse(NULL, 0, NULL, &err));
  assert_int_equal(err.status, LW_E_ARG);
  assert_null(lw_spec_load("/does/not/exist.yaml", NULL));
  assert_null(lw_spec_parse("a", 1, NULL, NULL));
}

static void a_message_starts_with_file_line_and_column(void **state)
{
  (void)state;
  static const char text[] = JOINT("type: revolute, parent: ground, child: crnak");
  lw_error err;
  assert_null(lw_spec_parse(text, strlen(text), "four-bar.yaml", &err));
  assert_string_equal(err.text, "four-bar.yaml:5:46: joint \"A\": unknown body \"crnak\", "
                                "did you mean \"crank\"?");
}

/* a message is one line of UTF-8 whatever a hostile file or file name holds */
static void a_message_is_one_printable_line(void **state)
{
  (void)state;
  static const char text[] = "linkwork: 1\nbodies: {\"a\\nb\\e[2J\": {mass: 1}}\n";
  char path[2000];
  lw_error err;
  memset(path, 'x', sizeof path);
  memcpy(path, "a\nb", 3);
  path[sizeof path - 1] = '\0';
  assert_null(lw_spec_parse(text, strlen(text), "m.yaml", &err));
  assert_non_null(strstr(err.text, "a?b?[2J"));
  assert_null(lw_spec_parse(text, strlen(text), path, &err));
  assert_non_null(strstr(err.text, ":2:10: "));
  for (const char *c = err.text; *c; c++)
    assert_true(*c >= ' ');
}

/* ---- parameters and numbers ---- */

static void wrong_parameters_are_refused(void **state)
{
  (void)state;
  static const bad table[] = {
      {"linkwork: 1\nparameters: {a: b, b: a}\n", 2, 14, "depend on each other: a -> b -> a"},
      {"linkwork: 1\nparameters:\n  a: 2*a\n", 3, 3, "depends on itself"},
      {"linkwork: 1\nparameters: {a: 1/0}\n", 2, 14, "division by zero"},
      {"linkwork: 1\nparameters: {a: 2*len, lenn: 3}\n", 2, 14, "did you mean \"lenn\"?"},
      {"linkwork: 1\nparameters: {a: nan}\n", 2, 14, "unknown parameter \"nan\""},
      {"linkwork: 1\nparameters: {a: inf}\n", 2, 14, "unknown parameter \"inf\""},
      {"linkwork: 1\nparameters: {a: .inf}\n", 2, 17, "expression \".inf\""},
      {"linkwork: 1\nparameters: {a: .nan}\n", 2, 17, "expression \".nan\""},
      {"linkwork: 1\nparameters: {a: 1:30}\n", 2, 18, "parameter \"a\": expression \"1:30\""},
      {"linkwork: 1\nparameters: {a: 0x10}\n", 2, 18, "expression \"0x10\""},
      {"linkwork: 1\nparameters: {a: 1_000}\n", 2, 18, "expression \"1_000\""},
      {"linkwork: 1\nparameters: {a: yes}\n", 2, 14, "unknown parameter \"yes\""},
      {"linkwork: 1\nparameters: {a: 1e999}\n", 2, 17, "too large for a number"},
      {"linkwork: 1\nparameters: {a: \"2 +\"}\n", 2, 21, "expression \"2 +\""},
      {"linkwork: 1\nparameters: {a: \"\"}\n", 2, 18, "expression \"\""},
      {"linkwork: 1\nparameters: {a: }\n", 2, 17, "expected a number for `a`, found nothing"},
      {"linkwork: 1\nparameters: {a: [1]}\n", 2, 17, "expected a number for `a`, found a list"},
      {"linkwork: 1\nparameters: {a: {unit: m}}\n", 2, 14, "a parameter needs `value`"},
      {"linkwork: 1\nparameters: {a: {value: 1, units: m}}\n", 2, 28,
       "unknown key `units` of a parameter, did you mean `unit`?"},
      {"linkwork: 1\nparameters: {a: {value: 1, min: 2}}\n", 2, 14, "below its minimum"},
      {"linkwork: 1\nparameters: {a: {value: 1, max: 0.5}}\n", 2, 14, "above its maximum"},
      {"linkwork: 1\nparameters: {pi: 3}\n", 2, 14, "reserved"},
      {"linkwork: 1\nparameters: {\"a\\tb\": 3}\n", 2, 14,
       "a name is a text without control characters"},
      {"linkwork: 1\nparameters: {a b: 3, c: \"2*'a  b'\"}\n", 2, 22, "unknown parameter \"a  b\""},
      {"linkwork: 1\nparameters: {a: t}\n", 2, 14, "only parameters are allowed here"},
  };
  EXPECT_ALL(table);
}

/* ---- bodies ---- */

static void wrong_bodies_are_refused(void **state)
{
  (void)state;
  static const bad table[] = {
      {BODY(""), 4, 3, "body \"b\": a body needs `mass` or `solid`"},
      {HEAD "bodies:\n  b:\n", 4, 5, "body \"b\": expected a mapping for `b`, found nothing"},
      {BODY("mass: -1"), 4, 13, "body \"b\": `mass` must not be negative, and is -1"},
      {BODY("mass: L - 3"), 4, 3, "body \"b\": mass must not be negative, and is -2"},
      {BODY("solid: {box: {size: [1, 1, 1], mass: 0}}"), 4, 44, "`mass` must be positive, not 0"},
      {BODY("mass: [1]"), 4, 13, "body \"b\": expected a number for `mass`, found a list"},
      {BODY("mass: true"), 4, 13, "no parameter \"true\""},
      {BODY("mass: 2*mm"), 4, 15, "no parameter \"mm\", did you mean \"m\"?"},
      {BODY("mass: q.A"), 4, 13, "is not allowed here: parameters only"},
      {BODY("mas: 1"), 4, 7, "unknown key `mas` of a body, did you mean `mass`?"},
      {BODY("mass: 1, visual: {}"), 4, 16, "unknown key `visual` of a body; there are mass, com,"},
      {BODY("mass: 1, com: 2"), 4, 21, "expected a list of 3 numbers for `com`, found \"2\""},
      {BODY("mass: 1, com: [1, 2]"), 4, 21, "expected a list of 3 numbers for `com`, found 2"},
      {BODY("mass: 1, com: [1, 2, {}]"), 4, 28, "expected a number for `com`, found a mapping"},
      {BODY("mass: 1, inertia: 1"), 4, 25, "expected a list of 3 or 6 numbers for `inertia`"},
      {BODY("mass: 1, inertia: [1, 2, 3, 4]"), 4, 25,
       "expected 3 or 6 numbers for `inertia`, found 4"},
      {BODY("mass: 1, inertia: [1, 1, 5]"), 4, 3, "no rigid body has this inertia"},
      {BODY("mass: 1, inertia: [1, 1, -1]"), 4, 3, "no rigid body has this inertia"},
      {BODY("mass: 1, inertia: [1, 1, 1, 2, 0, 0]"), 4, 3, "no rigid body has this inertia"},
      {BODY("solid: rod"), 4, 14, "expected a mapping for `solid`, found \"rod\""},
      {BODY("solid: {}"), 4, 14, "`solid` takes one shape, found 0"},
      {BODY("solid: {rod: {}, box: {}}"), 4, 14, "`solid` takes one shape, found 2"},
      {BODY("solid: {bar: {}}"), 4, 15, "unknown solid \"bar\""},
      {BODY("solid: {sphre: {}}"), 4, 15, "did you mean \"sphere\"?"},
      {BODY("solid: {rod: {mass: 1}}"), 4, 15, "a rod needs `length`"},
      {BODY("solid: {rod: {length: 1}}"), 4, 15, "a rod needs `mass`"},
      {BODY("solid: {rod: {length: 1, density: 1}}"), 4, 32, "`density` is not a key of a rod"},
      {BODY("solid: {rod: {length: 1, mass: 1, axis: w}}"), 4, 47, "one of x, y, z, -x, -y, -z"},
      {BODY("solid: {rod: {length: 1, mass: 1, axis: [0, 0, 0]}}"), 4, 47, "`axis` has length 0"},
      {BODY("solid: {rod: {length: 0, mass: 1}}"), 4, 29, "`length` must be positive"},
      {BODY("solid: {box: {size: [1, 1, 1]}}"), 4, 20, "a box needs `mass` or `density`"},
      {BODY("solid: {box: {size: [1, 1, 1], mass: 1, density: 1}}"), 4, 20, "not both"},
      {BODY("solid: {box: {size: [1, 0, 1], mass: 1}}"), 4, 31, "`size` must be positive"},
      {BODY("solid: {sphere: {mass: 1}}"), 4, 15, "a sphere needs `radius`"},
      {BODY("solid: {point: {mass: 1, radius: 1}}"), 4, 32, "`radius` is not a key of a point"},
      {BODY("solid: {point: {mass: 1}}, com: [0, 0, 0]"), 4, 39,
       "`com` cannot be combined with `solid`"},
      {BODY("mass: 1, pose: {orient: 1}"), 4, 31, "expected one of {rpy: ...}, {quat: ...}"},
      {BODY("mass: 1, pose: {orient: {rpy: [0, 0, 0], quat: [1, 0, 0, 0]}}"), 4, 31,
       "found 2 keys"},
      {BODY("mass: 1, pose: {orient: {quat: [0, 0, 0, 0]}}"), 4, 38, "`quat` has length 0"},
      {BODY("mass: 1, pose: {orient: {axis_angle: [0, 0, 0, 1]}}"), 4, 44, "has length 0"},
      {BODY("mass: 1, pose: {orient: {euler: [0, 0, 0]}}"), 4, 32, "unknown orientation \"euler\""},
      {BODY("mass: 1, velocity: {angular: 1}"), 4, 36,
       "expected a list of 3 numbers for `angular`"},
      {HEAD "bodies: {ground: {mass: 1}}\n", 3, 10, "\"ground\" is the ground"},
      {HEAD "bodies: {\"a\\nb\": {mass: 1}}\n", 3, 10, "is not a name for a body"},
      {HEAD "bodies: {b: {mass: 1}, c: {mass: 1}, b: {mass: 1}}\n", 3, 38,
       "`b` is already defined"},
  };
  EXPECT_ALL(table);
}

static void numbers_that_are_not_finite_have_their_own_status(void **state)
{
  (void)state;
  const bad b = {BODY("mass: 1/(L - 1)"), 4, 14, "body \"b\": mass: division by zero"};
  expect(&b, strlen(b.text), LW_E_NUMBER);
}

/* ---- joints and constraints ---- */

static void wrong_joints_are_refused(void **state)
{
  (void)state;
  static const bad table[] = {
      {JOINT("parent: ground, child: a"), 5, 3, "joint \"A\": `type` is missing"},
      {JOINT("type: revolut, parent: ground, child: a"), 5, 13,
       "unknown type \"revolut\", did you mean \"revolute\"?"},
      {JOINT("type: revolute, child: a"), 5, 3, "joint \"A\": a revolute joint needs `parent`"},
      {JOINT("type: fixed, parent: a"), 5, 3, "joint \"A\": a fixed joint needs `child`"},
      {JOINT("type: revolute, parent: a, child: b"), 5, 41, "unknown body \"b\""},
      {JOINT("type: revolute, parent: [a], child: a"), 5, 31,
       "expected the name of a body for `parent`"},
      {JOINT("type: revolute, parent: a, child: a"), 5, 3, "parent and child are the same body"},
      {JOINT("type: revolute, parent: ground, child: a, pitch: 1"), 5, 49,
       "joint \"A\": `pitch` is not a key of a revolute joint; there are type, parent,"},
      {JOINT("type: helical, parent: ground, child: a"), 5, 3, "a helical joint needs `pitch`"},
      {JOINT("type: planar, parent: ground, child: a, axis: z"), 5, 47,
       "`axis` is not a key of a planar joint"},
      {JOINT("type: spherical, parent: ground, child: a, axis2: z"), 5, 50,
       "`axis2` is not a key of a spherical joint"},
      {JOINT("type: fixed, parent: ground, child: a, q: 1"), 5, 46,
       "`q` is not a key of a fixed joint"},
      {JOINT("type: revolute, parent: ground, child: a, axs: z"), 5, 49,
       "unknown key `axs` of a revolute joint, did you mean `axis`?"},
      {JOINT("type: revolute, parent: ground, child: a, axis: [0, 0, 0]"), 5, 55,
       "`axis` has length 0"},
      {JOINT("type: revolute, parent: ground, child: a, q: [1, 2]"), 5, 52,
       "expected a list of 1 number for `q`, found 2"},
      {JOINT("type: cylindrical, parent: ground, child: a, q: 1"), 5, 55,
       "expected a list of 2 numbers for `q`, found \"1\""},
      {JOINT("type: revolute, parent: ground, child: a, q: {quat: [1, 0, 0, 0]}"), 5, 52,
       "expected a number for `q`, found a mapping"},
      {JOINT("type: spherical, parent: ground, child: a, q: [0, 0, 0, 0]"), 5, 53,
       "the quaternion of `q` has length 0"},
      {JOINT("type: spherical, parent: ground, child: a, q: {at: [0, 0, 0]}"), 5, 54,
       "unknown key of `q` \"at\""},
      {JOINT("type: free, parent: ground, child: a, q: {quat: [1, 0, 0, 0], rpy: [0, 0, 0]}"), 5,
       69, "`q` has a rotation already"},
      {JOINT("type: free, parent: ground, child: a, u: [1, 2, 3]"), 5, 48,
       "expected a list of 6 numbers for `u`, found 3"},
      {JOINT("type: revolute, parent: ground, child: a, hold: on"), 5, 55,
       "expected true or false for `hold`, found \"on\""},
      {JOINT("type: universal, parent: ground, child: a, axis2: z"), 5, 3,
       "axis and axis2 are parallel"},
      {BODIES "joints: {\"\": {type: free, parent: ground, child: a}}\n", 4, 10,
       "is not a name for a joint"},
  };
  EXPECT_ALL(table);
}

static void wrong_constraints_are_refused(void **state)
{
  (void)state;
#define CONSTRAINT(text)                                                                           \
  BODIES "joints:\n  A: {type: revolute, parent: ground, child: a}\n  C: {" text "}\n"
  static const bad table[] = {
      {CONSTRAINT("type: distance, parent: ground, child: a"), 6, 3,
       "a distance constraint needs `length`"},
      {CONSTRAINT("type: distance, parent: ground, child: a, length: 0"), 6, 57,
       "must be positive"},
      {CONSTRAINT("type: gear, joints: [A], ratio: 2"), 6, 27, "a gear has two joints, found 1"},
      {CONSTRAINT("type: gear, joints: A, ratio: 2"), 6, 27, "expected a list of two joints"},
      {CONSTRAINT("type: gear, joints: [A, B], ratio: 2"), 6, 31, "unknown joint \"B\""},
      {CONSTRAINT("type: gear, joints: [A, C], ratio: 2"), 6, 31, "unknown joint \"C\""},
      {CONSTRAINT("type: gear, joints: [A, A]"), 6, 3, "a gear constraint needs `ratio`"},
      {CONSTRAINT("type: gear, joints: [A, A.x], ratio: 1"), 6, 31, "like A or A.2, for `joints`"},
      {CONSTRAINT("type: gear, joints: [A, A], ratio: 1, parent: a"), 6, 45,
       "`parent` is not a key of a gear constraint"},
      {CONSTRAINT("type: coupler, joints: [A, A]"), 6, 30,
       "expected a mapping of joints to coefficients"},
      {CONSTRAINT("type: coupler, joints: {}"), 6, 30,
       "expected a mapping of joints to coefficients"},
      {CONSTRAINT("type: coupler, joints: {A: x y}"), 6, 36, "expression \"x y\""},
      {CONSTRAINT("type: driver, joint: A"), 6, 3, "a driver constraint needs `value`"},
      {CONSTRAINT("type: driver, value: t"), 6, 3, "a driver constraint needs `joint`"},
      {CONSTRAINT("type: driver, joint: A, dof: 0, value: t"), 6, 36,
       "a number that counts from 1"},
      {CONSTRAINT("type: driver, joint: A, dof: 1.5, value: t"), 6, 36,
       "a number that counts from 1"},
      {CONSTRAINT("type: parallel, parent: ground, child: a, axis2: x"), 6, 49,
       "`axis2` is not a key of a parallel constraint"},
  };
  EXPECT_ALL(table);
}

/* ---- forces, events, settings ---- */

static void wrong_forces_are_refused(void **state)
{
  (void)state;
  static const bad table[] = {
      {FORCE("joint: A"), 6, 3, "force \"F\": `type` is missing"},
      {FORCE("type: contact"), 6, 13, "unknown type \"contact\"; there are spring, joint_spring,"},
      {FORCE("type: moter, joint: A"), 6, 13, "did you mean \"motor\"?"},
      {FORCE("type: motor, joint: A"), 6, 3, "a motor needs `value`"},
      {FORCE("type: motor, joint: AB, value: 1"), 6, 27, "unknown joint \"AB\""},
      {FORCE("type: motor, joint: A, dof: one, value: 1"), 6, 35, "a number that counts from 1"},
      {FORCE("type: motor, joint: A, stiffness: 1"), 6, 30, "unknown key `stiffness` of a motor"},
      {FORCE("type: joint_spring, joint: A"), 6, 3,
       "a joint_spring has `stiffness`, or a law `load`"},
      {FORCE("type: spring, from: {body: a}, stiffness: 1"), 6, 3, "a spring needs `to`"},
      {FORCE("type: spring, from: [a], to: {body: a}, stiffness: 1"), 6, 27,
       "expected a mapping for `from`"},
      {FORCE("type: spring, from: a, to: {body: a}, stiffness: 1"), 6, 3,
       "both ends are on the same body"},
      {FORCE("type: spring, from: c, to: {body: a}, stiffness: 1"), 6, 27, "unknown body \"c\""},
      {FORCE("type: spring, from: {at: [0, 0, 0]}, to: {body: a}, stiffness: 1"), 6, 27,
       "an end of a spring needs `body`"},
      {FORCE("type: spring, from: {body: c}, to: {body: a}, stiffness: 1"), 6, 34,
       "unknown body \"c\""},
      {FORCE("type: force, body: a"), 6, 3, "a force needs `force` or `torque`"},
      {FORCE("type: force, body: a, force: [1, 0, 0], axes: world"), 6, 53,
       "unknown axes \"world\""},
      {FORCE("type: force, body: a, force: [1, 0]"), 6, 36, "expected a list of 3 numbers"},
      {FORCE("type: bushing, parent: ground, child: a, stiffness: [1, 2]"), 6, 59,
       "expected a list of 3 numbers for `stiffness`, found 2"},
      {FORCE("type: bushing, parent: ground"), 6, 3, "a bushing needs `child`"},
  };
  EXPECT_ALL(table);
}

#define POINTS(points, rest)                                                                       \
  "linkwork: 1\nbodies: {a: {mass: 1, inertia: [1, 1, 1]}}\npoints: {" points "}\n" rest
static void wrong_points_are_refused(void **state)
{
  (void)state;
  static const bad table[] = {
      {POINTS("p: {at: [0, 0, 1]}", ""), 3, 10, "a point needs `body`"},
      {POINTS("p: {body: b}", ""), 3, 20, "unknown body \"b\""},
      {POINTS("p: {body: a, att: 1}", ""), 3, 23,
       "unknown key `att` of a point, did you mean `at`?"},
      {POINTS("a: {body: a}", ""), 3, 10, "point \"a\": a body has this name"},
      {POINTS("p: {body: a}, q: {body: p}", ""), 3, 34,
       "\"p\" is a point; a body is expected here"},
      {POINTS("p: {body: a}",
              "joints: {A: {type: fixed, parent: ground, child: p, child_at: [0, 0, 1]}}"),
       4, 63, "`child: p` is a point, which says where: leave out `child_at`"},
      {POINTS(
           "p: {body: a, orient: {rpy: [0, 1, 0]}}",
           "joints: {A: {type: fixed, parent: ground, child: p, child_orient: {rpy: [1, 0, 0]}}}"),
       4, 67, "leave out `child_orient`"},
      {POINTS("p: {body: a}",
              "forces: {F: {type: force, body: p, at: [0, 0, 1], force: [1, 0, 0]}}"),
       4, 40, "leave out `at`"},
  };
  EXPECT_ALL(table);
}

static void wrong_events_are_refused(void **state)
{
  (void)state;
  static const bad table[] = {
      {EVENT("lock: A"), 6, 5, "event 1: an event has `at` or `when`"},
      {EVENT("at: 1, when: x.a, lock: A"), 6, 5, "not both"},
      {EVENT("at: 1"), 6, 5, "found none"},
      {EVENT("at: 1, lock: A, stop: true"), 6, 5, "found several"},
      {EVENT("at: -1, lock: A"), 6, 10, "must not be negative"},
      {EVENT("at: 1, lock: AA"), 6, 19, "unknown joint \"AA\""},
      {EVENT("at: 1, lok: A"), 6, 13, "unknown key `lok` of an event, did you mean `lock`?"},
      {EVENT("at: 1, lock: {joint: B, dofs: 2}"), 6, 36, "expected a list of freedoms"},
      {EVENT("at: 1, lock: {dofs: [1]}"), 6, 19, "lock needs `joint`"},
      {EVENT("at: 1, direction: rising, lock: A"), 6, 24, "`direction` belongs to `when`"},
      {EVENT("when: x.a, direction: up, lock: A"), 6, 28, "unknown direction \"up\""},
      {EVENT("when: x.a, once: 1, lock: A"), 6, 23, "expected true or false"},
      {EVENT("at: 1, connect: {name: c, type: revolute, parent: a}"), 6, 5, "needs `child`"},
      {EVENT("at: 1, connect: {type: revolute, parent: ground, child: a}"), 6, 5, "needs `name`"},
      {EVENT("at: 1, connect: {name: A, type: revolute, parent: ground, child: a}"), 6, 29,
       "is taken"},
      {EVENT("at: 1, connect: {name: c, type: revolute, parent: ground, child: a, q: 1}"), 6, 74,
       "`q` is not a key of a revolute joint"},
      {EVENT("at: 1, replace: {joint: A, type: gear}"), 6, 22, "a joint cannot become a gear"},
      {EVENT("at: 1, replace: {joint: A, type: fixed, parent: a}"), 6, 46, "`parent` is not a key"},
      {EVENT("at: 1, disconnect: tip"), 6, 25, "unknown joint \"tip\""},
      {EVENT("at: 1, impulse: {linear: [1, 0, 0]}"), 6, 22, "an impulse needs `body`"},
      {EVENT("at: 1, impulse: {body: a}"), 6, 22, "an impulse needs `linear` or `angular`"},
      {EVENT("at: 1, impact: {body: a}"), 6, 21, "an impact needs `normal`"},
      {EVENT("at: 1, merge: {name: m, bodies: [a]}"), 6, 38, "a list of two or more bodies"},
      {EVENT("at: 1, split: m"), 6, 20, "unknown merge \"m\""},
      {EVENT("name: e, at: 1, lock: A}\n  - {name: e, at: 2, unlock: A"), 7, 12,
       "event 2: the name is taken"},
  };
  EXPECT_ALL(table);
}

static void wrong_settings_are_refused(void **state)
{
  (void)state;
  static const bad table[] = {
      {HEAD "simulation: {ende: 1}\n", 3, 14, "did you mean `end`?"},
      {HEAD "simulation: {end: 0}\n", 3, 19, "`end` must be positive, not 0"},
      {HEAD "simulation: {rtol: -1e-3}\n", 3, 20, "`rtol` must be positive, not -1e-3"},
      {HEAD "simulation: {formulation: trees}\n", 3, 27, "did you mean \"tree\"?"},
      {HEAD "simulation: {integrator: rk5}\n", 3, 26, "unknown integrator \"rk5\", did you mean"},
      {HEAD "sensitivity: {parameters: L}\n", 3, 27, "expected a list of parameters"},
      {HEAD "sensitivity: {parameters: [La]}\n", 3, 28,
       "unknown parameter \"La\", did you mean \"L\"?"},
      {HEAD "sensitivity: {objectives: {h: {finl: x.a}}}\n", 3, 32, "did you mean \"final\"?"},
      {HEAD "sensitivity: {objectives: {h: {}}}\n", 3, 28, "an objective has one of final"},
      {HEAD "sensitivity: {objectives: {h: {max: [1]}}}\n", 3, 37, "expected a number for `max`"},
  };
  EXPECT_ALL(table);
}

/* ---- planar models ---- */

static void planar_models_have_two_coordinates(void **state)
{
  (void)state;
  static const bad table[] = {
      {PLANAR "gravity: [0, 0, -9.81]\n", 3, 17, "z of `gravity` must be 0 in a planar model"},
      {PLANAR "bodies: {b: {mass: 1, com: [1]}}\n", 3, 28,
       "expected a list of 2 numbers for `com`, found 1"},
      {PLANAR "bodies: {b: {mass: 1, inertia: [1, 1, 1]}}\n", 3, 32, "expected a list of 1 number"},
      {PLANAR "bodies: {b: {mass: 1, pose: {orient: {rpy: [0, 0, 0]}}}}\n", 3, 38,
       "expected a number for `orient`, found a mapping"},
      {PLANAR "bodies: {b: {mass: 1, velocity: {angular: [1, 0, 0]}}}\n", 3, 44,
       "x of `angular` must be 0"},
      {PLANAR "bodies: {b: {mass: 1, inertia: -1}}\n", 3, 10, "inertia must not be negative"},
      {PLANAR "bodies: {b: {mass: 1}}\njoints: {J: {type: spherical, parent: ground, child: b}}\n",
       4, 20, "a planar model has no spherical joints"},
      {PLANAR "bodies: {b: {mass: 1}}\njoints: {J: {type: free, parent: ground, child: b, q: {at: "
              "[0, 0]}}}\n",
       4, 55, "expected a list of 3 numbers for `q`, found a mapping"},
      {PLANAR
       "bodies: {b: {mass: 1}}\njoints: {J: {type: revolute, parent: ground, child: b, axis: x}}\n",
       4, 10, "axis must be z in a planar model"},
      {PLANAR "bodies: {b: {mass: 1}}\njoints: {J: {type: prismatic, parent: ground, child: b, "
              "axis: z}}\n",
       4, 10, "axis must lie in the plane"},
  };
  EXPECT_ALL(table);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(syntax_errors_have_a_place),
      cmocka_unit_test(a_nul_byte_is_not_the_end),
      cmocka_unit_test(a_byte_order_mark_is_skipped),
      cmocka_unit_test(every_truncated_file_is_survived),
      cmocka_unit_test(files_that_are_no_models_are_told_apart),
      cmocka_unit_test(files_that_cannot_be_read_are_reported),
      cmocka_unit_test(a_message_starts_with_file_line_and_column),
      cmocka_unit_test(a_message_is_one_printable_line),
      cmocka_unit_test(wrong_parameters_are_refused),
      cmocka_unit_test(wrong_bodies_are_refused),
      cmocka_unit_test(numbers_that_are_not_finite_have_their_own_status),
      cmocka_unit_test(wrong_joints_are_refused),
      cmocka_unit_test(wrong_constraints_are_refused),
      cmocka_unit_test(wrong_forces_are_refused),
      cmocka_unit_test(wrong_points_are_refused),
      cmocka_unit_test(wrong_events_are_refused),
      cmocka_unit_test(wrong_settings_are_refused),
      cmocka_unit_test(planar_models_have_two_coordinates),
  };
  return cmocka_run_group_tests_name("failure/bad_files", tests, NULL, NULL);
}
