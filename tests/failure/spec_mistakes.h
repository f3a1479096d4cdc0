/* SPDX-License-Identifier: Apache-2.0 */
/* A spec with one mistake: what it is added to, and what is said about it. */
#ifndef LWT_SPEC_MISTAKES_H
#define LWT_SPEC_MISTAKES_H
#include "lwt.h"

#include <stdio.h>
#include <string.h>

static const lw_body_desc good_body = {.name = "b", .mass = 1, .inertia = {0.1, 0.1, 0.1}};

/* a body b on a revolute joint j, and a floating body f: what mistakes are added to */
typedef struct {
  lw_spec *s;
  lw_body b, f;
  lw_joint j;
} start;

static inline start start_new(bool planar)
{
  start x = {.s = lw_spec_new()};
  if (planar) lw_set_planar(x.s);
  x.b = lw_add_body(x.s, &good_body);
  x.f = lw_add_body(x.s, &(lw_body_desc){.name = "f", .mass = 1, .inertia = {0.1, 0.1, 0.1}});
  x.j = lw_add_joint(x.s, &(lw_joint_desc){.name = "j", .type = LW_REVOLUTE, .child = x.b});
  return x;
}

/* Compiles, which must fail with this status and a sentence that has all of `words`, separated by |.
   Takes the spec. */
static inline void expect(lw_spec *s, lw_status status, const char *words)
{
  lw_error err = {.status = LW_OK};
  lw_model *m = lw_compile(s, &err);
  if (m) fail_msg("compiles, instead of: %s", words);
  if (err.status != status)
    fail_msg("status \"%s\" instead of \"%s\": %s", lw_status_text(err.status),
             lw_status_text(status), err.text);
  char copy[300];
  snprintf(copy, sizeof copy, "%s", words);
  for (char *word = strtok(copy, "|"); word; word = strtok(NULL, "|"))
    if (!strstr(err.text, word)) fail_msg("\"%s\" does not say \"%s\"", err.text, word);
  lw_spec_free(s);
}

static inline void expect_ok(lw_spec *s)
{
  lw_error err;
  lw_model *m = lw_compile(s, &err);
  if (!m) fail_msg("%s", err.text);
  lw_model_free(m);
  lw_spec_free(s);
}

#endif
