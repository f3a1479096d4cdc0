// SPDX-License-Identifier: Apache-2.0
// free_base.hpp -- the speeds of a free joint in the conventions of other engines.
//
// Here u = [w; v]: angular velocity and velocity of the body origin in body axes.  Engines that use
// ground axes for one or both have speeds s = T u with an orthogonal T = diag(A, B) (or its halves
// swapped), A and B being the rotation R of the body or 1.  Then
//   ds/dt = T (du/dt + [0; w x v if B is R])    and    load_s = T load_u.
#ifndef BENCH_FREE_BASE_HPP
#define BENCH_FREE_BASE_HPP
#include "../mechanism.h"
#include <vector>

class free_base
{
public:
  free_base(bool angular_in_ground, bool linear_in_ground, bool linear_first)
      : in_ground{angular_in_ground, linear_in_ground}, at{linear_first ? 3 : 0,
                                                           linear_first ? 0 : 3}
  {
  }

  // speeds or loads
  void to_peer(const mechanism_state &s, const double x[6], double y[6]) const
  {
    double R[9];
    mechanism_rotation(s.q + 3, R);
    for (int half = 0; half < 2; half++)
      for (int i = 0; i < 3; i++) {
        const double *h = x + 3 * half, *row = R + 3 * i;
        y[at[half] + i] = in_ground[half] ? row[0] * h[0] + row[1] * h[1] + row[2] * h[2] : h[i];
      }
  }
  void from_peer(const mechanism_state &s, const double y[6], double x[6]) const
  {
    double R[9];
    mechanism_rotation(s.q + 3, R);
    for (int half = 0; half < 2; half++)
      for (int i = 0; i < 3; i++) {
        const double *h = y + at[half];
        x[3 * half + i] = in_ground[half] ? R[i] * h[0] + R[3 + i] * h[1] + R[6 + i] * h[2] : h[i];
      }
  }

  void acceleration_to_peer(const mechanism_state &s, const double udot[6], double y[6]) const
  {
    double x[6], turn[3];
    carried(s, turn);
    for (int i = 0; i < 6; i++)
      x[i] = udot[i] + (i < 3 ? 0 : turn[i - 3]);
    to_peer(s, x, y);
  }
  void acceleration_from_peer(const mechanism_state &s, const double y[6], double udot[6]) const
  {
    double turn[3];
    carried(s, turn);
    from_peer(s, y, udot);
    for (int i = 0; i < 3; i++)
      udot[3 + i] -= turn[i];
  }

  // M_u = T' M_s T for the nu x nu matrix whose first six rows belong to the free joint
  void matrix_from_peer(const mechanism_state &s, int nu, double M[]) const
  {
    for (int i = 0; i < nu; i++)
      from_peer_in_place(s, M + i * nu, 1);
    for (int j = 0; j < nu; j++)
      from_peer_in_place(s, M + j, nu);
  }

private:
  void carried(const mechanism_state &s, double c[3]) const // w x v, where it is needed
  {
    const double *w = s.u, *v = s.u + 3;
    for (int i = 0; i < 3; i++) {
      const int j = (i + 1) % 3, k = (i + 2) % 3;
      c[i] = in_ground[1] ? w[j] * v[k] - w[k] * v[j] : 0;
    }
  }
  void from_peer_in_place(const mechanism_state &s, double *x, int stride) const
  {
    double y[6], z[6];
    for (int i = 0; i < 6; i++)
      y[i] = x[i * stride];
    from_peer(s, y, z);
    for (int i = 0; i < 6; i++)
      x[i * stride] = z[i];
  }

  bool in_ground[2]; // angular, linear
  int at[2];
};
#endif
