/* SPDX-License-Identifier: Apache-2.0 */
/* Models that a test writes as text, and simulations of them. */
#ifndef LWT_MODEL_TEXTS_H
#define LWT_MODEL_TEXTS_H
#include "linkwork/file.h"
#include "linkwork/simulate.h"
#include "lwt.h"

#include <string.h>

/* NULL: err says why. */
static inline lw_model *try_model(const char *text, lw_error *err)
{
  lw_spec *s = lw_spec_parse(text, strlen(text), "test", err);
  lw_model *m = s ? lw_compile(s, err) : NULL;
  lw_spec_free(s);
  return m;
}

static inline lw_model *read_model(const char *text)
{
  lw_error err = {0};
  lw_model *m = try_model(text, &err);
  if (!m) fail_msg("%s", err.text);
  return m;
}

/* Returns what is said about a model that is refused. */
static inline lw_error refused_model(const char *text)
{
  lw_error err = {0};
  assert_null(try_model(text, &err));
  return err;
}

/* Of a spec that is right; frees it. */
static inline lw_model *compile_model(lw_spec *s)
{
  lw_error err = {0};
  lw_model *m = lw_compile(s, &err);
  assert_string_equal(err.text, "");
  lw_spec_free(s);
  return m;
}

static inline lw_simulation *simulate(const lw_model *m, lw_formulation f)
{
  lw_error err = {0};
  lw_simulation *sim = lw_simulation_new(m, &(lw_simulation_options){.formulation = f}, &err);
  if (!sim) fail_msg("%s", err.text);
  return sim;
}

#endif
