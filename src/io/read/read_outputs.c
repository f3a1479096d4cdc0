/* SPDX-License-Identifier: Apache-2.0 */
/* read_outputs.c -- the section `outputs`: names and expressions. */
#include "io/read/read_common.h"
#include "linkwork/reader.h"
#include "linkwork/signals.h"

static bool read_output(lwi_reader *r, const lwi_yaml_node *name, const lwi_yaml_node *value)
{
  lw_output_desc d = {.name = name->text};
  if (!lwi_read_number(r, value, &d.value)) return false;
  lwi_read_locate(r, name);
  lw_add_output(r->spec, &d);
  return lwi_read_check(r);
}

bool lwi_read_outputs(lwi_reader *r, const lwi_yaml_node *section)
{
  return lwi_read_parts(r, section, "output", read_output);
}
