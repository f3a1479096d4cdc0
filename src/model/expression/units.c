/* SPDX-License-Identifier: Apache-2.0 */
/* units.c -- the table of units, their prefixes and dimensions (units.h). */
#include "model/expression/units.h"

#include "linkwork/reader.h"

#include "base/nearest_name.h"
#include "model/expression/expr_ops.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* A unit is up/down 10^exponent of the SI; prefixes: may it have one? */
typedef struct {
  const char *name;
  double up, down;
  int exponent;
  int8_t power[4]; /* m, kg, s, A */
  bool prefixes;
} row;

static const row units[] = {
    {"m", 1, 1, 0, {1, 0, 0, 0}, true},
    {"g", 1, 1, -3, {0, 1, 0, 0}, true},
    {"s", 1, 1, 0, {0, 0, 1, 0}, true},
    {"A", 1, 1, 0, {0, 0, 0, 1}, true},
    {"rad", 1, 1, 0, {0, 0, 0, 0}, true},
    {"N", 1, 1, 0, {1, 1, -2, 0}, true},
    {"Nm", 1, 1, 0, {2, 1, -2, 0}, true},
    {"J", 1, 1, 0, {2, 1, -2, 0}, true},
    {"W", 1, 1, 0, {2, 1, -3, 0}, true},
    {"Pa", 1, 1, 0, {-1, 1, -2, 0}, true},
    {"Hz", 1, 1, 0, {0, 0, -1, 0}, true},
    {"V", 1, 1, 0, {2, 1, -3, -1}, true},
    {"C", 1, 1, 0, {0, 0, 1, 1}, true},
    {"F", 1, 1, 0, {-2, -1, 4, 2}, true},
    {"H", 1, 1, 0, {2, 1, -2, -2}, true},
    {"T", 1, 1, 0, {0, 1, -2, -1}, true},
    {"Wb", 1, 1, 0, {2, 1, -2, -1}, true},
    {"ohm", 1, 1, 0, {2, 1, -3, -2}, true},
    {"l", 1, 1, -3, {3, 0, 0, 0}, true},
    {"L", 1, 1, -3, {3, 0, 0, 0}, true},
    {"bar", 1, 1, 5, {-1, 1, -2, 0}, true},
    {"deg", LWI_EXPR_DEG, 1, 0, {0, 0, 0, 0}, false},
    {"rev", 2 * LWI_EXPR_PI, 1, 0, {0, 0, 0, 0}, false},
    {"rpm", 2 * LWI_EXPR_PI, 60, 0, {0, 0, -1, 0}, false},
    {"min", 60, 1, 0, {0, 0, 1, 0}, false},
    {"h", 3600, 1, 0, {0, 0, 1, 0}, false},
    {"tonne", 1, 1, 3, {0, 1, 0, 0}, false},
    {"in", 254, 1, -4, {1, 0, 0, 0}, false},
    {"ft", 3048, 1, -4, {1, 0, 0, 0}, false},
    {"mi", 1609344, 1, -3, {1, 0, 0, 0}, false},
    {"mph", 44704, 1, -5, {1, 0, -1, 0}, false},
    {"lb", 45359237, 1, -8, {0, 1, 0, 0}, false},
    {"kgf", 980665, 1, -5, {1, 1, -2, 0}, false},
    {"lbf", 44482216152605.0, 1, -13, {1, 1, -2, 0}, false},
    {"psi", 44482216152605.0, 64516, -5, {-1, 1, -2, 0}, false}, /* lbf/in^2 */
};
enum { NUNIT = sizeof units / sizeof units[0] };

static const struct {
  char letter;
  int exponent;
} prefixes[] = {{'T', 12}, {'G', 9},  {'M', 6},  {'k', 3},  {'h', 2},   {'d', -1},
                {'c', -2}, {'m', -3}, {'u', -6}, {'n', -9}, {'p', -12}, {'f', -15}};

static const row *find_row(const char *name, size_t length)
{
  for (int i = 0; i < NUNIT; i++)
    if (strlen(units[i].name) == length && memcmp(units[i].name, name, length) == 0)
      return &units[i];
  return NULL;
}

/* A name, perhaps with a prefix: names themselves come first, so that `min` is a minute. */
static const row *find(const char *name, size_t length, int *exponent)
{
  const row *u = find_row(name, length);
  *exponent = 0;
  if (u || length < 2) return u;
  for (size_t i = 0; i < sizeof prefixes / sizeof prefixes[0]; i++) {
    if (prefixes[i].letter != name[0]) continue;
    u = find_row(name + 1, length - 1);
    *exponent = prefixes[i].exponent;
    return u && u->prefixes ? u : NULL;
  }
  return NULL;
}

const char *lwi_unit_nearest(const char *name)
{
  const char *names[NUNIT];
  for (int i = 0; i < NUNIT; i++)
    names[i] = units[i].name;
  return lwi_nearest(name, names, NUNIT);
}

/* ---- reading ---- */

static bool is_letter(char c)
{
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static bool is_word(char c)
{
  return is_letter(c) || (c >= '0' && c <= '9') || c == '_';
}

/* ^2, ^-1, ^1.5 at the start of the text: its length, or 0 */
static size_t read_power(const char *text, size_t length, int *halves)
{
  *halves = 2;
  if (length < 2 || text[0] != '^') return 0;
  const size_t sign = text[1] == '-';
  size_t end = 2 + sign; /* one digit is plenty */
  if (length < end || text[1 + sign] < '0' || text[1 + sign] > '9') return 0;
  int n = 2 * (text[1 + sign] - '0');
  if (length >= end + 2 && text[end] == '.' && text[end + 1] == '5') n++, end += 2;
  if (n == 0 || (length > end && (is_word(text[end]) || text[end] == '.'))) return 0;
  *halves = sign ? -n : n;
  return end;
}

static bool multiply(lwi_unit *to, const row *u, int exponent, int halves)
{
  lwi_dimension d = {.known = 1, .written = 1};
  for (int i = 0; i < 4; i++)
    d.halves[i] = (int8_t)(2 * u->power[i]);
  to->dimension = lwi_dimension_product(d, halves, to->dimension);
  to->tens += halves * (u->exponent + exponent);
  const int n = halves > 0 ? halves : -halves;
  double *up = halves > 0 ? &to->up : &to->down, *down = halves > 0 ? &to->down : &to->up;
  for (int i = 0; i < n / 2; i++) {
    *up *= u->up;
    *down *= u->down;
  }
  *up *= n % 2 ? sqrt(u->up) : 1;
  *down *= n % 2 ? sqrt(u->down) : 1;
  return to->dimension.known;
}

/* Nobody multiplies by litres: in 9.81 m/s^2*L it is a length of the model. */
static bool is_litre(const row *u)
{
  return u->name[1] == '\0' && (u->name[0] == 'l' || u->name[0] == 'L');
}

size_t lwi_unit_read(const char *text, size_t length, lwi_unit *out)
{
  *out = (lwi_unit){.up = 1, .down = 1, .dimension = {.known = 1}};
  size_t end = 0;
  int sign = 1;
  for (size_t at = 0; at < length;) {
    size_t name = at;
    while (name < length && is_letter(text[name]))
      name++;
    if (name == at || (name < length && is_word(text[name]))) break;
    int exponent, halves;
    const row *u = find(text + at, name - at, &exponent);
    const bool factor = at > 0 && text[at - 1] != '/';
    if (!u || (factor && is_litre(u))) break;
    const bool degrees = end == 0 && name - at == 3 && memcmp(text, "deg", 3) == 0;
    halves = 2;
    const size_t tail = degrees ? 0u : read_power(text + name, length - name, &halves);
    if (!multiply(out, u, exponent, sign * halves)) return 0;
    end = name + tail;
    if (end >= length || (text[end] != '/' && (degrees || (text[end] != '*' && text[end] != '.'))))
      break;
    sign = text[end] == '/' ? -1 : 1;
    at = end + 1;
  }
  return end;
}

static double power_of_ten(int halves)
{
  return pow(10, halves / 2) * (halves % 2 ? sqrt(10) : 1); /* exact up to 10^22 */
}

double lwi_unit_convert(const lwi_unit *u, double number)
{
  const double x = number * u->up / u->down;
  return u->tens >= 0 ? x * power_of_ten(u->tens) : x / power_of_ten(-u->tens);
}

/* ---- dimensions ---- */

bool lwi_dimension_agree(lwi_dimension a, lwi_dimension b)
{
  return !a.known || !b.known || memcmp(a.halves, b.halves, sizeof a.halves) == 0;
}

lwi_dimension lwi_dimension_product(lwi_dimension a, int halves, lwi_dimension b)
{
  for (int i = 0; i < 4; i++) {
    const int twice = a.halves[i] * halves, n = twice / 2 + b.halves[i];
    if (twice % 2 || n < -100 || n > 100) return (lwi_dimension){0};
    b.halves[i] = (int8_t)n;
  }
  b.known = a.known && b.known;
  b.written = a.written || b.written;
  return b;
}

/* of one base: m, m^2, m^-1.5 */
static int print_power(const char *base, int halves, bool first, char *to, size_t size)
{
  const char *times = first ? "" : "*";
  if (halves == 2) return snprintf(to, size, "%s%s", times, base);
  return snprintf(to, size, "%s%s^%g", times, base, 0.5 * halves);
}

lwi_dimension_text lwi_dimension_name(lwi_dimension d)
{
  static const char *const base[] = {"m", "kg", "s", "A"};
  static const struct {
    int8_t power[4]; /* whole ones */
    const char *name;
  } common[] = {{{1, 1, -2, 0}, "N"},     {{2, 1, -2, 0}, "N*m"},   {{0, 1, -2, 0}, "N/m"},
                {{0, 1, -1, 0}, "N*s/m"}, {{2, 1, -1, 0}, "N*m*s"}, {{2, 1, -3, 0}, "W"},
                {{1, 0, -1, 0}, "m/s"},   {{1, 0, -2, 0}, "m/s^2"}, {{-3, 1, 0, 0}, "kg/m^3"},
                {{1, 1, -1, 0}, "N*s"},   {{-1, 1, -2, 0}, "Pa"}};
  lwi_dimension_text out = {"a number"};
  for (size_t i = 0; i < sizeof common / sizeof common[0]; i++) {
    bool same = true;
    for (int k = 0; k < 4; k++)
      same = same && 2 * common[i].power[k] == d.halves[k];
    if (!same) continue;
    snprintf(out.text, sizeof out.text, "%s", common[i].name);
    return out;
  }
  if (d.halves[1] == 2 && d.halves[2] == -4 && d.halves[3] == 0) {
    const double power = 0.5 * d.halves[0] - 1;
    snprintf(out.text, sizeof out.text, "N%cm^%g", power < 0 ? '/' : '*', fabs(power));
    return out;
  }
  size_t n = 0;
  for (int i = 0; i < 4; i++) {
    if (d.halves[i] == 0) continue;
    n += (size_t)print_power(base[i], d.halves[i], n == 0, out.text + n, sizeof out.text - n);
  }
  return out;
}

/* "N m" as units are written: N*m */
static bool read_whole(const char *text, lwi_unit *out)
{
  char plain[64];
  const size_t n = strlen(text);
  if (n >= sizeof plain) return false;
  for (size_t i = 0; i <= n; i++)
    plain[i] = (char)(text[i] == ' ' ? '*' : text[i]);
  return lwi_unit_read(plain, n, out) == n;
}

lw_status lw_unit_factor(const char *unit, const char *si, double *factor)
{
  lwi_unit u, to;
  if (!unit || !factor || !*unit || !read_whole(unit, &u)) return LW_E_ARG;
  if (si && strcmp(si, "1") == 0) to = (lwi_unit){.up = 1, .down = 1, .dimension = {.known = 1}};
  const bool known = si && (strcmp(si, "1") == 0 || (*si && read_whole(si, &to)));
  if (known && !lwi_dimension_agree(u.dimension, to.dimension)) return LW_E_UNSUPPORTED;
  *factor = lwi_unit_convert(&u, 1);
  return LW_OK;
}
