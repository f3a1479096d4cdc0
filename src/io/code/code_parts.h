/* SPDX-License-Identifier: Apache-2.0 */
/* code_parts.h -- what all written code has: beginnings, dense factors, steps.  Texts are formats; `%s` stands for the prefix
   of the names unless said otherwise. */
#ifndef LWI_IO_CODE_CODE_PARTS_H
#define LWI_IO_CODE_CODE_PARTS_H

/* prefix, its capitals twice, type, prefix, capitals, nq, capitals, nu */
#define LWI_HEADER_TEXT                                                                            \
  "/* %s.h -- dynamics of one mechanism, written by linkwork codegen.  SI units.\n"                \
  "\n"                                                                                             \
  "   q: coordinates, u: speeds, tau: loads on the freedoms, besides those of the model itself.\n" \
  "   Derivatives by q are along speeds: column k is for the motion of speed k alone.\n"           \
  "   Matrices are stored row by row; Jacobians have six rows: angular, then linear velocity of\n" \
  "   the frame's origin, in ground axes.  Nothing allocates. */\n"                                \
  "#ifndef %s_H\n#define %s_H\n#ifdef __cplusplus\nextern \"C\" {\n#endif\n\n"                     \
  "typedef %s %s_real;\nenum { %s_NQ = %d, %s_NU = %d };\n\n"

/* prefix three times, its capitals twice, number of constraint equations */
#define LWI_SOURCE_TEXT                                                                            \
  "/* %s.c -- written by linkwork codegen: change the model instead. */\n"                         \
  "#include \"%s.h\"\n\n#include <math.h>\n\n"                                                     \
  "typedef %s_real real;\nenum { NQ = %s_NQ, NU = %s_NU, NC = %d };\n\n"

/* no format: functions of expressions, dense factors */
extern const char *const lwi_function_texts;

#define LWI_TREE_TEXT                                                                              \
  "void %s_forward_dynamics_derivatives(real t, const real q[], const real u[],\n"                 \
  "                                     const real tau[], real udot[], real udot_q[],\n"           \
  "                                     real udot_u[])\n"                                          \
  "{ /* -M^-1 times those of inverse dynamics at udot */\n"                                        \
  "  real M[NU * NU + 1];\n"                                                                       \
  "  %s_forward_dynamics(t, q, u, tau, udot);\n"                                                   \
  "  %s_inverse_dynamics_derivatives(t, q, u, udot, udot_q, udot_u);\n"                            \
  "  %s_mass_matrix(q, M);\n"                                                                      \
  "  factor(NU, M);\n"                                                                             \
  "  for (int k = 0; k < 2 * NU; k++) {\n"                                                         \
  "    real *D = k < NU ? udot_q + k : udot_u + k - NU, x[NU + 1];\n"                              \
  "    for (int i = 0; i < NU; i++)\n"                                                             \
  "      x[i] = -D[i * NU];\n"                                                                     \
  "    solve(NU, M, x);\n"                                                                         \
  "    for (int i = 0; i < NU; i++)\n"                                                             \
  "      D[i * NU] = x[i];\n"                                                                      \
  "  }\n"                                                                                          \
  "}\n\n"
#define LWI_TREE_DECLARATIONS                                                                      \
  "void %s_forward_dynamics_derivatives(%s_real t, const %s_real q[], const %s_real u[], const "   \
  "%s_real tau[], %s_real udot[], %s_real udot_q[], %s_real udot_u[]);\n"

#define LWI_CONSTRAINED_TEXT                                                                       \
  "/* M, Y = J M^-1 and K = J M^-1 J^T; M and K as factors */\n"                                   \
  "static void factor_constraints(const real q[], const real J[], real M[], real Y[], real K[])\n" \
  "{\n"                                                                                            \
  "  %s_mass_matrix(q, M);\n"                                                                      \
  "  factor(NU, M);\n"                                                                             \
  "  for (int i = 0; i < NC; i++) {\n"                                                             \
  "    for (int k = 0; k < NU; k++)\n"                                                             \
  "      Y[i * NU + k] = J[i * NU + k];\n"                                                         \
  "    solve(NU, M, Y + i * NU);\n"                                                                \
  "    for (int l = 0; l <= i; l++)\n"                                                             \
  "      K[i * NC + l] = dot(NU, Y + i * NU, J + l * NU);\n"                                       \
  "  }\n"                                                                                          \
  "  factor(NC, K);\n"                                                                             \
  "}\n\n"                                                                                          \
  "void %s_forward_dynamics(real t, const real q[], const real u[], const real tau[],\n"           \
  "                         real udot[])\n"                                                        \
  "{\n"                                                                                            \
  "  real phi[NC + 1], rate[NC + 1], J[NC * NU + 1], gamma[NC + 1];\n"                             \
  "  real M[NU * NU + 1], Y[NC * NU + 1], K[NC * NC + 1], b[NU + 1];\n"                            \
  "  constraints(t, q, u, phi, rate, J, gamma);\n"                                                 \
  "  factor_constraints(q, J, M, Y, K);\n"                                                         \
  "  %s_bias(t, q, u, b);\n"                                                                       \
  "  for (int k = 0; k < NU; k++)\n"                                                               \
  "    b[k] = tau[k] - b[k];\n"                                                                    \
  "  solve(NU, M, b);\n"                                                                           \
  "  for (int i = 0; i < NC; i++)\n"                                                               \
  "    gamma[i] -= dot(NU, J + i * NU, b);\n"                                                      \
  "  solve(NC, K, gamma);\n"                                                                       \
  "  for (int i = 0; i < NC; i++)\n"                                                               \
  "    for (int k = 0; k < NU; k++)\n"                                                             \
  "      b[k] += Y[i * NU + k] * gamma[i];\n"                                                      \
  "  for (int k = 0; k < NU; k++)\n"                                                               \
  "    udot[k] = b[k];\n"                                                                          \
  "}\n\n"                                                                                          \
  "/* Takes back what a step has left of phi and of its rate. */\n"                                \
  "static void close_loops(real t, real q[], real u[])\n"                                          \
  "{\n"                                                                                            \
  "  real phi[NC + 1], rate[NC + 1], J[NC * NU + 1], gamma[NC + 1];\n"                             \
  "  real M[NU * NU + 1], Y[NC * NU + 1], K[NC * NC + 1], d[NU + 1], qdot[NQ + 1];\n"              \
  "  for (int round = 0; round < 3; round++) {\n"                                                  \
  "    constraints(t, q, u, phi, rate, J, gamma);\n"                                               \
  "    factor_constraints(q, J, M, Y, K);\n"                                                       \
  "    real *x = round < 2 ? phi : rate;\n"                                                        \
  "    solve(NC, K, x);\n"                                                                         \
  "    for (int k = 0; k < NU; k++) {\n"                                                           \
  "      d[k] = 0;\n"                                                                              \
  "      for (int i = 0; i < NC; i++)\n"                                                           \
  "        d[k] -= Y[i * NU + k] * x[i];\n"                                                        \
  "    }\n"                                                                                        \
  "    %s_coordinate_rates(q, d, qdot);\n"                                                         \
  "    for (int i = 0; i < NQ && round < 2; i++)\n"                                                \
  "      q[i] += qdot[i];\n"                                                                       \
  "    for (int k = 0; k < NU && round == 2; k++)\n"                                               \
  "      u[k] += d[k];\n"                                                                          \
  "  }\n"                                                                                          \
  "}\n\n"
#define LWI_CONSTRAINED_DECLARATIONS                                                               \
  "void %s_forward_dynamics(%s_real t, const %s_real q[], const %s_real u[], const %s_real "       \
  "tau[], %s_real udot[]);\n"

/* prefix three times; a statement that closes loops, or nothing */
#define LWI_STEP_TEXT                                                                              \
  "static void derive(real t, const real q[], const real u[], const real tau[], real qdot[],\n"    \
  "                   real udot[])\n"                                                              \
  "{\n"                                                                                            \
  "  %s_coordinate_rates(q, u, qdot);\n"                                                           \
  "  %s_forward_dynamics(t, q, u, tau, udot);\n"                                                   \
  "}\n\n"                                                                                          \
  "void %s_step(real t, real h, real q[], real u[], const real tau[])\n"                           \
  "{\n"                                                                                            \
  "  static const real part[] = {0, 0.5, 0.5, 1}, weight[] = {1, 2, 2, 1};\n"                      \
  "  real q1[NQ + 1], u1[NU + 1], qdot[NQ + 1] = {0}, udot[NU + 1] = {0};\n"                       \
  "  real dq[NQ + 1] = {0}, du[NU + 1] = {0};\n"                                                   \
  "  for (int k = 0; k < 4; k++) {\n"                                                              \
  "    for (int i = 0; i < NQ; i++)\n"                                                             \
  "      q1[i] = q[i] + part[k] * h * qdot[i];\n"                                                  \
  "    for (int i = 0; i < NU; i++)\n"                                                             \
  "      u1[i] = u[i] + part[k] * h * udot[i];\n"                                                  \
  "    derive(t + part[k] * h, q1, u1, tau, qdot, udot);\n"                                        \
  "    for (int i = 0; i < NQ; i++)\n"                                                             \
  "      dq[i] += weight[k] * qdot[i];\n"                                                          \
  "    for (int i = 0; i < NU; i++)\n"                                                             \
  "      du[i] += weight[k] * udot[i];\n"                                                          \
  "  }\n"                                                                                          \
  "  for (int i = 0; i < NQ; i++)\n"                                                               \
  "    q[i] += h / 6 * dq[i];\n"                                                                   \
  "  for (int i = 0; i < NU; i++)\n"                                                               \
  "    u[i] += h / 6 * du[i];\n"                                                                   \
  "%s"                                                                                             \
  "  normalise(q);\n"                                                                              \
  "}\n"
#define LWI_STEP_DECLARATION                                                                       \
  "/* From t to t + h by the Runge-Kutta method of fourth order; tau is held. */\n"                \
  "void %s_step(%s_real t, %s_real h, %s_real q[], %s_real u[], const %s_real tau[]);\n"

#endif
