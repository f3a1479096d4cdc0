/* SPDX-License-Identifier: Apache-2.0 */
/* row.h -- a row of six numbers as vector registers, by value: the one thing in the
   divide-and-conquer kernels that depends on the instruction set.  In memory rows of mobilities are
   LWI_ROW apart; loading from rows that are six apart may read two numbers too many, which are
   never used. */
#ifndef LWI_DCA_ROW_H
#define LWI_DCA_ROW_H

#if defined(__AVX512F__)

typedef double row __attribute__((vector_size(64)));
typedef row row_anywhere __attribute__((aligned(8), may_alias));
static inline row row_load(const double *p)
{
  return *(const row_anywhere *)(const void *)p;
}
static inline void row_store(double *p, row x)
{
  *(row_anywhere *)(void *)p = x;
}
/* stores exactly six numbers, which may then be loaded one by one */
static inline void row_put(double *p, row x)
{
  typedef double four __attribute__((vector_size(32)));
  typedef double two __attribute__((vector_size(16)));
  typedef four four_anywhere __attribute__((aligned(8), may_alias));
  typedef two two_anywhere __attribute__((aligned(8), may_alias));
  *(four_anywhere *)(void *)p = (four){x[0], x[1], x[2], x[3]};
  *(two_anywhere *)(void *)(p + 4) = (two){x[4], x[5]};
}
static inline row row_zero(void)
{
  return (row){0};
}
static inline row row_set(double a, double b, double c, double d, double e, double f)
{
  return (row){a, b, c, d, e, f, 0, 0};
}
static inline row row_scale(double s, row x)
{
  return s * x;
}
/* a + s x */
static inline row row_fma(row a, double s, row x)
{
  return a + s * x;
}
static inline row row_fms(row a, double s, row x)
{
  return a - s * x;
}
static inline row row_add(row a, row b)
{
  return a + b;
}
static inline row row_sub(row a, row b)
{
  return a - b;
}

#elif defined(__AVX2__)

typedef double row_four __attribute__((vector_size(32)));
typedef row_four row_four_anywhere __attribute__((aligned(8), may_alias));
typedef double row_two __attribute__((vector_size(16)));
typedef row_two row_two_anywhere __attribute__((aligned(8), may_alias));
typedef struct {
  row_four a;
  row_two b;
} row;
static inline row row_load(const double *p)
{
  return (row){*(const row_four_anywhere *)(const void *)p,
               *(const row_two_anywhere *)(const void *)(p + 4)};
}
static inline void row_store(double *p, row x)
{
  *(row_four_anywhere *)(void *)p = x.a;
  *(row_two_anywhere *)(void *)(p + 4) = x.b;
}
static inline void row_put(double *p, row x)
{
  row_store(p, x);
}
static inline row row_zero(void)
{
  return (row){{0}, {0}};
}
static inline row row_set(double a, double b, double c, double d, double e, double f)
{
  return (row){{a, b, c, d}, {e, f}};
}
static inline row row_scale(double s, row x)
{
  return (row){s * x.a, s * x.b};
}
static inline row row_fma(row y, double s, row x)
{
  return (row){y.a + s * x.a, y.b + s * x.b};
}
static inline row row_fms(row y, double s, row x)
{
  return (row){y.a - s * x.a, y.b - s * x.b};
}
static inline row row_add(row x, row y)
{
  return (row){x.a + y.a, x.b + y.b};
}
static inline row row_sub(row x, row y)
{
  return (row){x.a - y.a, x.b - y.b};
}

#else

typedef struct {
  double x[6];
} row;
static inline row row_load(const double *p)
{
  row r;
  for (int i = 0; i < 6; i++)
    r.x[i] = p[i];
  return r;
}
static inline void row_store(double *p, row a)
{
  for (int i = 0; i < 6; i++)
    p[i] = a.x[i];
}
static inline void row_put(double *p, row x)
{
  row_store(p, x);
}
static inline row row_zero(void)
{
  return (row){{0}};
}
static inline row row_set(double a, double b, double c, double d, double e, double f)
{
  return (row){{a, b, c, d, e, f}};
}
static inline row row_scale(double s, row a)
{
  for (int i = 0; i < 6; i++)
    a.x[i] *= s;
  return a;
}
static inline row row_fma(row y, double s, row a)
{
  for (int i = 0; i < 6; i++)
    y.x[i] += s * a.x[i];
  return y;
}
static inline row row_fms(row y, double s, row a)
{
  for (int i = 0; i < 6; i++)
    y.x[i] -= s * a.x[i];
  return y;
}
static inline row row_add(row a, row b)
{
  for (int i = 0; i < 6; i++)
    a.x[i] += b.x[i];
  return a;
}
static inline row row_sub(row a, row b)
{
  for (int i = 0; i < 6; i++)
    a.x[i] -= b.x[i];
  return a;
}

#endif

static inline double row_dot6(const double *a, const double *b)
{
  return ((a[0] * b[0] + a[1] * b[1]) + (a[2] * b[2] + a[3] * b[3])) + (a[4] * b[4] + a[5] * b[5]);
}

#endif
