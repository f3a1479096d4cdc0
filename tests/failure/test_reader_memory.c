/* SPDX-License-Identifier: Apache-2.0 */
/* Reading and compiling a model survives the failure of each single allocation: no crash, no leak,
   and the status that says so.

   The C library lets a program bring its own malloc, for all libraries it uses; the sanitizers do the
   same and leave no room for another one, so this test runs without them, on glibc. */
#include "lwt.h"

#include "linkwork/file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if defined(__GLIBC__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define OWN_MALLOC 1
#else
#define OWN_MALLOC 0
#endif
#ifdef __has_feature
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#undef OWN_MALLOC
#define OWN_MALLOC 0
#endif
#endif

static const char model[] =
    "linkwork: 1\n"
    "name: &n some name\n"
    "tables:\n"
    "  law: {data: [[-20 deg, 3], [0, 0.5], [0.4, -1], [1, -4]], outside: extend}\n"
    "  grid: {data: [[0, 0, 1], [0, 1, 2], [1, 0, 3], [1, 1, 4]], interpolation: hold}\n"
    "  map: {x: [-1, 0, 1], y: [0, 1], value: [[1, 2], [0, 0.5], [2, 1]], outside: hold}\n"
    "  road: {file: reader_memory_road.csv, x: s, y: \"1\", outside: hold}\n"
    "  plane: {file: reader_memory_road.csv, matrix: true, outside: hold}\n"
    "functions:\n"
    "  push: {of: [x, v], is: \"if(x > 0.1 and v < 0 or x > 9, twice(law(x)), map(x, v))\"}\n"
    "  twice: {of: [x], is: 2*x}\n"
    "parameters: {L: {value: 1000, unit: mm, min: 0.5 m}, k: 2*L, p: \"step(2, 1, 3)*(3 + 4) "
    "mm\"}\n"
    "bodies:\n"
    "  a: {solid: {rod: {length: L, mass: 10, axis: x}}}\n"
    "  b: {mass: 1, com: [L/2, 0, 0], inertia: [1, 1.5, 1.25]}\n"
    "  c: {mass: 6.9, inertia: [0.9, 0.6, 0.5], pose: {at: [0, 0, 2]}}\n"
    "  d0: {mass: 1}\n  d1: {mass: 1}\n  d2: {mass: 1}\n  d3: {mass: 1}\n  d4: {mass: 1}\n"
    "  d5: {mass: 1}\n  d6: {mass: 1}\n  d7: {mass: 1}\n  d8: {mass: 1}\n  d9: {mass: 1}\n"
    "joints:\n"
    "  A: {type: revolute, parent: ground, child: a, q: 30 deg}\n"
    "  B: {type: cylindrical, parent: a, child: b, q: [k, 2]}\n"
    "forces:\n"
    "  s: {type: spring, from: {body: ground}, to: {body: b}, stiffness: k}\n"
    "  m: {type: motor, joint: A, value: \"-2*u.A + q.B.1 + o1 + push(q.A, u.A) + road(1 m*q.A) + "
    "plane(1 m/s*t, q.A)\"}\n"
    "  v: {type: servo, joint: A, target: aim, stiffness: k, limit: 3}\n"
    "  w: {type: bushing, parent: a, child: b, stiffness: 3}\n"
    "  o: {type: torsion, parent: a, child: b, axis: [0, 1, 1], stiffness: 1, start: 7}\n"
    "events:\n"
    "  - {name: latch, at: 0.5, lock: A}\n"
    "  - {at: 1, connect: {name: tip, type: gear, joints: [A, B], ratio: 2}}\n"
    "  - {at: 2, merge: {name: m, bodies: [a, b]}}\n"
    "points: {p: {body: a, at: [L, 0, 0], orient: {rpy: [0, 0, 1]}}}\n"
    "inputs: {aim: 1}\n"
    "states: {z: {start: k, rate: aim - z + x.p.in.b}, h: {every: 0.1, value: fx.A + o1}}\n"
    "outputs: {o1: x.p - z, o2: o1*o1 + length.s}\n"
    "sensitivity: {parameters: [L]}\n"
    "repeat:\n"
    "  - {i: 1..3, w: [x, y, z], bodies: {'r${i}${w}': {mass: '${i}*L'}}}\n"
    "mirror:\n"
    "  across: y\n"
    "  rename: {left: right}\n"
    "  bodies: {left: &left {mass: 1, com: [0, L, 0]}, left_tip: {<<: *left, mass: 2}}\n"
    "  joints: {left_pin: {type: cylindrical, parent: left, child: left_tip, q: [0.1, L]}}\n"
    "  forces: {left: {type: motor, joint: left_pin, dof: 2, value: -2*u.left_pin.2*L}}\n";

static const char urdf[] =
    "<?xml version='1.0'?>\n<robot name='r'>some text<link name='base'/>"
    "<link name='a b'><inertial><origin xyz='0 0 1' rpy='0 1 2'/><mass value='1'/><inertia ixx='3' "
    "iyy='1' izz='1' ixy='0'/></inertial></link>"
    "<link name='c'><inertial><mass value='1'/><inertia ixx='1' iyy='1' izz='1'/></inertial></link>"
    "<link name='ground'><visual><geometry><mesh filename='package://x/y.stl'/></geometry>"
    "<material name='m'><color rgba='1 0 0 1'/></material></visual></link><link name='c'/>"
    "<joint name='j' type='revolute'><parent link='base'/><child link='a b'/><axis xyz='0 1 1'/>"
    "<limit lower='0.1' upper='1'/><dynamics damping='1' friction='1'/></joint>"
    "<joint name='k' type='prismatic'><parent link='a b'/><child link='c'/><mimic "
    "joint='j'/></joint>"
    "<joint name='l' type='fixed'><parent link='c'/><child link='ground'/></joint></robot>";

static const char mjcf[] =
    "<mujoco model='m'><compiler angle='radian'/><default><joint damping='1'/><default class='c'>"
    "<position kp='3'/></default></default><worldbody><site name='w'/><frame pos='0 0 1'><body "
    "name='a' gravcomp='0.5'><freejoint/>"
    "<geom size='1'/><site name='s'/><replicate count='2'><body name='b'><joint name='j' "
    "type='hinge' "
    "range='1 2' stiffness='1 1' springdamper='1 1'/><geom type='box' size='1 1 "
    "1'/></body></replicate><body><joint "
    "type='ball' damping='1'/><geom size='1'/></body></body></frame></worldbody><equality><connect "
    "body1='b0' body2='b1' anchor='1 0 0'/><joint joint1='j0' "
    "joint2='j1'/><tendon tendon1='t'/></equality><tendon><fixed "
    "name='t' stiffness='1'><joint joint='j0' coef='1'/></fixed><spatial name='l' stiffness='1 2'>"
    "<site site='w'/><site site='s'/><pulley divisor='2'/><site site='s'/><site "
    "site='w'/></spatial>"
    "</tendon><sensor><jointpos joint='j0'/><gyro site='s'/><tendonpos tendon='l'/></sensor>"
    "<actuator><position class='c' joint='j0'/><general tendon='t' dyntype='filter'/>"
    "<motor tendon='l'/></actuator><keyframe><key "
    "name='k' "
    "qpos='0 0 0 1 0 0 0 1 1 1 0 0 0' act='1' ctrl='1 2'/></keyframe></mujoco>";

enum { NATIVE, URDF, MJCF, IN_FILES, FILES = IN_FILES + 4 };
static const char *const in_files[] = {"models/double-wishbone.yaml", "tests/fuzz/corpus/loop.sdf",
                                       "tests/fuzz/corpus/slider.asmt",
                                       "tests/fuzz/corpus/mesh.xml"};

/* a file of each kind */
static lw_spec *load(int kind, lw_error *err)
{
  char path[1000];
  if (kind == NATIVE) return lw_spec_parse(model, sizeof model - 1, "model.yaml", err);
  if (kind == MJCF) return lw_spec_parse(mjcf, sizeof mjcf - 1, "robot.xml", err);
  if (kind == URDF) return lw_spec_parse(urdf, sizeof urdf - 1, "robot.urdf", err);
  const char *source = getenv("LINKWORK_SOURCE");
  snprintf(path, sizeof path, "%s/%s", source ? source : ".", in_files[kind - IN_FILES]);
  return lw_spec_load(path, err);
}

#if OWN_MALLOC

/* visible to the shared libraries: libyaml's allocations fail too */
#define OWN __attribute__((visibility("default")))

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t n, size_t size);
void *__libc_realloc(void *block, size_t size);
void *__libc_memalign(size_t alignment, size_t size);
void __libc_free(void *block);

static int nunharmed;       /* failures without consequences */
static long live;           /* blocks that are not freed */
static long countdown = -1; /* allocations until one fails; -1: none does */

/* Is it this one's turn to fail? */
static bool fails(void)
{
  if (countdown < 0 || countdown-- > 0) return false;
  errno = ENOMEM; /* as the C library does */
  return true;
}

static void *counted(void *block)
{
  live += block != NULL;
  return block;
}

OWN void *malloc(size_t size)
{
  return fails() ? NULL : counted(__libc_malloc(size));
}

OWN void *calloc(size_t n, size_t size)
{
  return fails() ? NULL : counted(__libc_calloc(n, size));
}

OWN void *aligned_alloc(size_t alignment, size_t size)
{
  return fails() ? NULL : counted(__libc_memalign(alignment, size));
}

OWN void *realloc(void *block, size_t size)
{
  if (fails()) return NULL;
  void *grown = __libc_realloc(block, size);
  if (!block) counted(grown);
  return grown;
}

OWN void free(void *block)
{
  live -= block != NULL;
  __libc_free(block);
}

/* Reads and compiles with allocation number n failing; false if there were fewer than that. */
static bool try_with_failure(int kind, long n)
{
  lw_error err;
  const long before = live;
  countdown = n;
  lw_spec *s = load(kind, &err);
  lw_model *m = s ? lw_compile(s, &err) : NULL;
  const bool failed = countdown < 0;
  countdown = -1;
  lw_model_free(m);
  lw_spec_free(s);
  if (live != before) fail_msg("allocation %ld: %ld blocks leak", n, live - before);
  /* reading a file does without the buffer of the C library if that cannot be had */
  const bool unharmed = failed && m && err.status == LW_OK;
  nunharmed += unharmed;
  if ((failed != (err.status == LW_E_MEMORY) && !unharmed) || (m != NULL) != (err.status == LW_OK))
    fail_msg("allocation %ld: status %d, %s", n, (int)err.status, err.text);
  return failed;
}

static void every_failed_allocation_is_survived(void **state)
{
  (void)state;
  FILE *road = fopen("reader_memory_road.csv", "w");
  assert_non_null(road);
  fputs("s [mm],1,2\n0,3,4\n500,5,6\n1000,7,9\n", road);
  fclose(road);
  for (int kind = 0; kind < FILES; kind++) {
    long n = 0;
    while (try_with_failure(kind, n))
      n++;
    if (n <= (kind <= IN_FILES ? 100 : 50)) fail_msg("file %d: only %ld allocations", kind, n);
  }
  assert_true(nunharmed <=
              9); /* files: those that are loaded, included ones, meshes, and those of tables */
  remove("reader_memory_road.csv");
}

#else

static void every_failed_allocation_is_survived(void **state)
{
  (void)state;
  (void)load;
  skip();
}

#endif

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_failed_allocation_is_survived),
  };
  return cmocka_run_group_tests_name("failure/reader_memory", tests, NULL, NULL);
}
