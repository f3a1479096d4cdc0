/* SPDX-License-Identifier: Apache-2.0 */
/* contact_compliant.c -- the law of a compliant contact.  With the depth d = -gap, its rate ddot =
   -pn and p the slip across the normal n (contact_elements.c):

     N = stiffness d^exponent max(0, 1 + damping ddot),    0 where d <= 0       (Hunt and Crossley)
     f = N n - drag p across n,   drag = friction N / sqrt(slip^2 + slip_speed^2)

   The elastic part has the potential stiffness d^(exponent + 1) / (exponent + 1); the rest of the
   power N ddot, and that of friction, is lost. */
#include "model/spec/contact_text.h"
#include "linkwork/reader.h"

#include <stdio.h>
#include <string.h>

/* the numbers of the law as texts */
typedef struct {
  char stiffness[LWI_CONTACT_WORD], damping[LWI_CONTACT_WORD], exponent[LWI_CONTACT_WORD],
      friction[LWI_CONTACT_WORD], slip_speed[LWI_CONTACT_WORD];
} law;

static void write_number(const lwi_contact_parts *k, double number, char out[LWI_CONTACT_WORD])
{
  char buffer[40];
  lwi_contact_put(out, LWI_CONTACT_WORD, "(%.270s)",
                  lwi_text_of_number(k->s, number, buffer, sizeof buffer));
}

static law law_of(const lwi_contact_parts *k)
{
  law l;
  write_number(k, k->d->stiffness, l.stiffness);
  write_number(k, k->d->damping, l.damping);
  write_number(k, k->d->exponent == 0 ? 1.5 : k->d->exponent, l.exponent);
  write_number(k, k->d->friction, l.friction);
  write_number(k, k->d->slip_speed, l.slip_speed);
  return l;
}

/* The depth to a power; `more` is added to the exponent. */
static void add_elastic(const lwi_contact_parts *k, const law *l, const char *more,
                        lwi_contact_text *t)
{
  lwi_contact_add(t, "%s*max(0, -gap.%s)^(%s%s)", l->stiffness, k->d->name, l->exponent, more);
}

/* Between spheres, d from centre to centre: c x f = r m and the moment on the other body (|d| - r)
   m with m = drag d x p / |d|. */
static bool add_moments(lwi_contact_parts *k)
{
  const char *C = k->d->name;
  lwi_contact_text t = {.length = 0};
  char m[2][3 * LWI_CONTACT_WORD], number[40];
  lwi_contact_add(&t, "gap.%s + (%s)", C,
                  lwi_text_of_number(k->s, k->d->other_radius, number, sizeof number));
  if (!lwi_contact_output(k, "touch", ".arm", &t, true)) return false;
  for (int i = 0; i < 3; i++) {
    const int j = (i + 1) % 3, l = (i + 2) % 3;
    char component[8];
    t.length = 0;
    lwi_contact_add(&t, "touch.%s.drag*(%s*touch.%s.p%s - %s*touch.%s.p%s)/(touch.%s.arm + (%s))",
                    C, lwi_contact_measure(k, lwi_axis_name[j], m[0]), C, lwi_axis_name[l],
                    lwi_contact_measure(k, lwi_axis_name[l], m[1]), C, lwi_axis_name[j], C,
                    k->radius);
    lwi_contact_put(component, sizeof component, ".m%s", lwi_axis_name[i]);
    if (!lwi_contact_output(k, "touch", component, &t, true)) return false;
  }
  return true;
}

/* The square of the slip: where it is zero slip.C has no derivative; and friction by slip. */
static bool add_drag(lwi_contact_parts *k, const law *l)
{
  const char *C = k->d->name;
  lwi_contact_text t = {.length = 0};
  for (int i = 0; i < 3; i++)
    lwi_contact_add(&t, "touch.%s.p%s^2 + ", C, lwi_axis_name[i]);
  lwi_contact_add(&t, "-touch.%s.pn^2", C);
  if (!lwi_contact_output(k, "touch", ".pp", &t, true)) return false;
  t.length = 0;
  lwi_contact_add(&t, "%s*load.%s/sqrt(touch.%s.pp + %s^2)", l->friction, C, C, l->slip_speed);
  return lwi_contact_output(k, "touch", ".drag", &t, true) &&
         (k->d->on != LW_ON_SPHERE || add_moments(k));
}

/* f = (N + drag pn) n - drag p on the body, in the axes of the other one */
static bool add_force(lwi_contact_parts *k)
{
  const char *C = k->d->name;
  const bool rough = k->d->friction != 0;
  for (int i = 0; i < 3; i++) {
    lwi_contact_text t = {.length = 0};
    char component[8];
    if (strcmp(k->n[i], "0") != 0) lwi_contact_add(&t, "load.%s*(%s)", C, k->n[i]);
    if (rough && strcmp(k->n[i], "0") != 0)
      lwi_contact_add(&t, " + touch.%s.drag*touch.%s.pn*(%s)", C, C, k->n[i]);
    if (rough) lwi_contact_add(&t, " - touch.%s.drag*touch.%s.p%s", C, C, lwi_axis_name[i]);
    if (t.length == 0) lwi_contact_add(&t, "0*t");
    lwi_contact_put(component, sizeof component, ".f%s", lwi_axis_name[i]);
    if (!lwi_contact_output(k, "touch", component, &t, true)) return false;
  }
  return true;
}

static bool add_energies(lwi_contact_parts *k, const law *l)
{
  const char *C = k->d->name;
  lwi_contact_text t = {.length = 0};
  add_elastic(k, l, " + 1", &t);
  lwi_contact_add(&t, "/(%s + 1)", l->exponent);
  if (!lwi_contact_output(k, "potential", "", &t, false)) return false;
  t.length = 0;
  lwi_contact_add(&t, "(");
  add_elastic(k, l, "", &t);
  lwi_contact_add(&t, " - load.%s)*touch.%s.pn", C, C);
  if (k->d->friction != 0) lwi_contact_add(&t, " + touch.%s.drag*touch.%s.pp", C, C);
  return lwi_contact_output(k, "dissipation", "", &t, false);
}

bool lwi_contact_law(lwi_contact_parts *k)
{
  const law l = law_of(k);
  lwi_contact_text t = {.length = 0}; /* the normal load */
  add_elastic(k, &l, "", &t);
  if (k->d->damping != 0) lwi_contact_add(&t, "*max(0, 1 - %s*touch.%s.pn)", l.damping, k->d->name);
  return lwi_contact_output(k, "load", "", &t, false) && (k->d->friction == 0 || add_drag(k, &l)) &&
         add_force(k) && add_energies(k, &l) && lwi_contact_loads(k, "contact ", "reaction of ", 0);
}
