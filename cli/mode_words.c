/* SPDX-License-Identifier: Apache-2.0 */
/* mode_words.c -- what moves in a mode, in words: of the bodies that move and turn most, by mass,
   heave, surge, sway and pitch, roll, yaw.

   Heave and yaw are along and about the vertical, the axis of the ground that is nearest to gravity
   (y in a planar model without gravity, else z); surge and roll belong to the first of the other
   two axes, sway and pitch to the last. */
#include "modes.h"
#include "linkwork/query.h"

#include <math.h>

enum { BODIES = 2 };             /* that are named for translations, and for rotations */
static const double SAME = 0.5;  /* of the largest component: a motion of its own */
static const double LESS = 0.25; /* of the largest energy: not worth naming */

static const char *const word[2][3] = {{"roll", "pitch", "yaw"}, {"surge", "sway", "heave"}};

/* axis[0 ... 2]: surge, sway, heave */
static void find_axes(const lw_model *m, int axis[3])
{
  double g[3] = {0};
  lw_gravity(m, g);
  int up = lw_model_is_planar(m) ? 1 : 2;
  for (int k = 0; k < 3; k++)
    if (fabs(g[k]) > fabs(g[up])) up = k;
  axis[2] = up;
  axis[0] = up == 0 ? 1 : 0;
  axis[1] = 3 - up - axis[0];
}

/* rotation (part 0) or displacement (part 1) of a body about or along an axis */
static double size_of(const lw_mode *mode, int body, int part, int axis)
{
  const int i = 6 * (body - 1) + 3 * part + axis;
  return hypot(mode->bodies[0][i], mode->bodies[1][i]);
}

static double energy_of(const lw_model *m, const lw_mode *mode, int body, int part)
{
  double sum = 0;
  for (int k = 0; k < 3; k++)
    sum += pow(size_of(mode, body, part, k), 2);
  return lw_body_mass(m, (lw_body){body}) * sum;
}

/* the words of one body */
static void say_body(const lw_model *m, const lw_mode *mode, int body, int part, mode_say *say,
                     void *context)
{
  int axis[3];
  double most = 0;
  find_axes(m, axis);
  for (int k = 0; k < 3; k++)
    most = fmax(most, size_of(mode, body, part, k));
  for (int k = 0; k < 3; k++)
    if (size_of(mode, body, part, axis[k]) >= SAME * most)
      say(context, lw_body_name(m, (lw_body){body}), word[part][k]);
}

void mode_words(const lw_model *m, const lw_mode *mode, mode_say *say, void *context)
{
  for (int part = 1; part >= 0; part--) {
    double below = HUGE_VAL, first = 0;
    for (int n = 0; n < BODIES; n++) {
      int top = 0;
      double most = 0;
      for (int b = 1; b <= lw_nbody(m); b++) {
        const double e = energy_of(m, mode, b, part);
        if (e > most && e < below) top = b, most = e;
      }
      if (n == 0) first = most;
      if (top == 0 || most < LESS * first || most < 1e-12) break;
      say_body(m, mode, top, part, say, context);
      below = most;
    }
  }
}
