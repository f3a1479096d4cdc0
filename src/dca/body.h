/* SPDX-License-Identifier: Apache-2.0 */
/* body.h -- assemble one body: leaf.h with 3-vectors in registers. */
#ifndef LWI_DCA_BODY_H
#define LWI_DCA_BODY_H
#include "dca/leaf.h"
#include "math/mat3.h"

/* [a; b] */
static inline row row_join(vec3 a, vec3 b)
{
#if defined(__AVX512F__) && LW_PACKED
  return __builtin_shufflevector(a, b, 0, 1, 2, 4, 5, 6, 3, 3);
#elif defined(__AVX2__) && LW_PACKED
  return (row){__builtin_shufflevector(a, b, 0, 1, 2, 4), __builtin_shufflevector(a, b, 5, 6)};
#else
  return row_set(v3_x(a), v3_y(a), v3_z(a), v3_x(b), v3_y(b), v3_z(b));
#endif
}

static inline vec3 load3(const double a[3])
{
  return v3(a[0], a[1], a[2]);
}

/* R S for a symmetric matrix xx yy zz xy xz yz, then R S R^T */
static inline mat3 rotate_symmetric(mat3 R, const double S[6])
{
  const mat3 A = {v3_fma(v3_fma(v3_scale(R.x, S[0]), R.y, S[3]), R.z, S[4]),
                  v3_fma(v3_fma(v3_scale(R.x, S[3]), R.y, S[1]), R.z, S[5]),
                  v3_fma(v3_fma(v3_scale(R.x, S[4]), R.y, S[5]), R.z, S[2])};
  return m3_mul(A, m3_transpose(R));
}

static inline void keep_symmetric(mat3 K, double S[6])
{
  S[0] = v3_x(K.x);
  S[1] = v3_y(K.y);
  S[2] = v3_z(K.z);
  S[3] = v3_y(K.x);
  S[4] = v3_z(K.x);
  S[5] = v3_z(K.y);
}

/* im: 1/m of each direction.  Z = [K, -K c~; c~ K, 1/m - c~ K c~] */
static inline void put_mobility(const double im[3], mat3 K, vec3 c, double *Z)
{
  /* columns of c~ K, which are the rows of -K c~, since K is symmetric; and its rows */
  const mat3 N = {v3_cross(c, K.x), v3_cross(c, K.y), v3_cross(c, K.z)}, M = m3_transpose(N);
  row_store(Z, row_join(K.x, N.x));
  row_store(Z + LWI_ROW, row_join(K.y, N.y));
  row_store(Z + 2 * LWI_ROW, row_join(K.z, N.z));
  row_store(Z + 3 * LWI_ROW, row_join(M.x, v3_add(v3_cross(c, M.x), v3(im[0], 0, 0))));
  row_store(Z + 4 * LWI_ROW, row_join(M.y, v3_add(v3_cross(c, M.y), v3(0, im[1], 0))));
  row_store(Z + 5 * LWI_ROW, row_join(M.z, v3_add(v3_cross(c, M.z), v3(0, 0, im[2]))));
}

/* K, c, z of the present state, F = 0; its mobility, unless it has no handle */
static inline void assemble_body(lw_dca *d, int link, double *Z, double *z)
{
  const lwi_dca_body *b = &d->body[link];
  lwi_dca_state *s = &d->state[link];
  double columns[12], turn[4], F[6], local[3], Iw[3];
  d->kernels->get_pose(d->m, d->work, link, columns, turn);
  const mat3 R = {v3_param(columns), v3_param(columns + 4), v3_param(columns + 8)};
  const vec3 w = v3_param(turn);
  const mat3 K = rotate_symmetric(R, b->inverse);
  const vec3 c = m3_mulv(R, load3(b->com));
  row right = row_zero();
  keep_symmetric(K, s->K);
  s->c[0] = v3_x(c), s->c[1] = v3_y(c), s->c[2] = v3_z(c);
  if (d->pass != LWI_DCA_FACTOR) {
    const vec3 v = m3_tmulv(R, w);
    local[0] = v3_x(v), local[1] = v3_y(v), local[2] = v3_z(v);
    sym_mulv(b->inertia, local, Iw);
    find_applied(d, link, F);
    const vec3 f = load3(F + 3);
    const vec3 t = v3_sub(v3_sub(load3(F), v3_cross(w, m3_mulv(R, load3(Iw)))), v3_cross(c, f));
    const vec3 alpha = m3_mulv(K, t);
    const double *im = s->inverse_mass, *g = d->m->gravity, own = b->own_mass;
    const vec3 a =
        v3(im[0] * F[3] + (im[0] > 0 ? own * g[0] : 0), im[1] * F[4] + (im[1] > 0 ? own * g[1] : 0),
           im[2] * F[5] + (im[2] > 0 ? own * g[2] : 0));
    const vec3 swing = v3_scale(v3_cross(w, v3_cross(w, c)), own);
    right = row_join(alpha, v3_sub(v3_add(a, v3_cross(c, alpha)), swing));
  }
  row_put(s->z, right);
  row_put(s->F, row_zero());
  if (!Z) return;
  put_mobility(s->inverse_mass, K, c, Z);
  row_store(z, right);
}

#endif
