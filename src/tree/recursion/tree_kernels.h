/* SPDX-License-Identifier: Apache-2.0 */
/* tree_kernels.h -- the tree algorithms of one width and instruction set, as a table.  Arrays hold
   `lanes` doubles per coordinate, one per state; the public functions choose the table. */
#ifndef LWI_TREE_RECURSION_TREE_KERNELS_H
#define LWI_TREE_RECURSION_TREE_KERNELS_H
#include "base/carve.h"
#include "linkwork/derivatives.h"
#include "model/measure.h"
#include "model/tree_constraints.h"

/* the frames of a pair, parent's and child's, in ground axes */
typedef struct {
  lwi_frame frame[2];
  double arm[2][4]; /* from the link's origin to the frame's */
  double V[2][8];   /* of the frames' origins: six numbers */
} lwi_pair_state;

struct lwi_expr;
typedef struct lwi_tree_work lwi_tree_work; /* its layout depends on the table */
typedef struct lwi_derivative_work lwi_derivative_work;

/* a direction, from the state at which it begins */
typedef struct {
  const lw_model *derivative; /* a model whose numbers are derivatives; NULL: it is constant */
  const double *q, *u;
  const double *xi, *u_p; /* motion along speeds, change of the speeds */
} lwi_sweep;

/* residuals of links and joints (derivative_local.h), by link; x: [nu] */
typedef struct {
  double (*load)[8], (*handed)[8], (*pi)[8];
  double *x;
} lwi_link_residuals;

/* arrays of cut joints that the caller sets; loads of motors and joint springs on freedoms of the
   tree; where the turns of torsions are counted from; coordinates and speeds of the tree, in models with curves */
typedef enum {
  LWI_CUT_Q,
  LWI_CUT_U,
  LWI_CUT_TAU,
  LWI_TREE_TAU,
  LWI_WOUND,
  LWI_TREE_Q,
  LWI_TREE_U
} lwi_tree_part;

/* independent speeds of clusters (model/clusters.h, tree/loops/embedding.h); the data of a cluster
   is at the offsets in its record, without gaps */
typedef struct {
  int *nv;       /* [ncluster] how many */
  double *X, *g; /* [nmap] and [ncolumn]: udot = X vdot + g */
  double *D;     /* [nmass] mass matrix of each cluster, then its factor L (below the diagonal) */
  double *Dinv;  /* [nspeed] and inverse pivots */
  double *eps;   /* [nspeed] load on the speeds, then L^-1 of it, then vdot */
  double *size;  /* [nspeed] estimate of the mass; only if a body has no inertia about some axis */
} lwi_cluster_motions;

typedef struct {
  int lanes;
  const char *name;
  lwi_tree_work *(*carve)(const lw_model *m, lwi_carver *c);
  void (*prepare)(const lw_model *m, lwi_tree_work *w); /* once, after carving */

  void (*kinematics)(const lw_model *, lwi_tree_work *, const double *q, const double *u);
  /* the same where only u has changed */
  void (*velocities)(const lw_model *, lwi_tree_work *, const double *u);
  /* the same for links first ... last, after all previous links */
  void (*move_links)(const lw_model *, lwi_tree_work *, const double *q, const double *u, int first,
                     int last);
  /* poses and freedoms of one link and of all inward of it alone */
  void (*place_path)(const lw_model *, lwi_tree_work *, const double *q, int link);
  void (*accelerations)(const lw_model *, lwi_tree_work *, const double *udot);
  /* false: a pivot of the mass matrix was not positive */
  bool (*forward)(const lw_model *, lwi_tree_work *, double t, const double *q, const double *u,
                  const double *tau, double *udot);
  void (*inverse)(const lw_model *, lwi_tree_work *, double t, const double *q, const double *u,
                  const double *udot, double *tau);
  /* after forward: of the joints of links from `first` on */
  void (*loads)(const lw_model *, lwi_tree_work *, int first);
  /* loads of all force elements, after kinematics: those on links are read by get_edge; tau[nu],
     unless NULL, receives those of motors and joint springs */
  void (*forces)(const lw_model *, lwi_tree_work *, double t, const double *q, const double *u,
                 double *tau);
  /* element [i*nu + j] of state k < count at M[(i*nu + j)*stride + k] */
  void (*mass_matrix)(const lw_model *, lwi_tree_work *, const double *q, double *M, size_t stride,
                      int count);
  /* entry i of state k at rows[i*stride + k] */
  void (*mass_rows)(const lw_model *, lwi_tree_work *, const double *q, double *rows, size_t stride,
                    int count);
  /* after kinematics */
  void (*skip_zeros)(lwi_tree_work *, bool skip); /* in matrices: lw_skip_zeros */
  void (*energy)(const lw_model *, const lwi_tree_work *, const double *q, double *kinetic,
                 double *potential);
  void (*applied_power)(const lw_model *, lwi_tree_work *, double t, const double *q,
                        const double *u, double *power);

  /* rates of all states, after forces at the same state */
  void (*state_rates)(const lw_model *, const lwi_tree_work *, double *out);
  /* load and power of a motor; [torque; force] of an applied load, in ground axes; after forces */
  void (*get_motor)(const lw_model *, const lwi_tree_work *, int motor, const double *u,
                    double out[2]);
  void (*get_applied)(const lw_model *, const lwi_tree_work *, int load, double out[6]);
  /* load of a joint spring, torsion or bushing: element_loads.h */
  void (*get_element)(const lw_model *, const lwi_tree_work *, int number, const double *q,
                      const double *u, double out[6]);
  double (*get_measure)(const lw_model *, const lwi_tree_work *, const lwi_measure *);

  /* of the first lane, in ground axes */
  void (*get_frame)(const lw_model *, const lwi_tree_work *, int link, double R[9], double p[3]);
  /* columns of R and the angular velocity, each in four numbers of which the last is unused */
  void (*get_pose)(const lw_model *, const lwi_tree_work *, int link, double R[12], double w[4]);
  void (*get_motion)(const lw_model *, const lwi_tree_work *, int link, double V[6], double A[6]);
  double (*get_fastest_turn)(const lw_model *, const lwi_tree_work *); /* |w|^2 */
  void (*get_load)(const lw_model *, const lwi_tree_work *, int link, double f[6], double z1[3],
                   double z2[3]);
  void (*get_momentum)(const lw_model *, const lwi_tree_work *, double h[6], double *mass,
                       double moment[3]);
  /* r and c of tree_work.h, and the applied load (of the last forward or inverse dynamics) */
  void (*get_edge)(const lw_model *, const lwi_tree_work *, int link, double r[3], double c[6],
                   double applied[6]);
  double (*get_pivot)(const lw_model *, const lwi_tree_work *, int column); /* D, after forward */
  void (*get_column)(const lw_model *, const lwi_tree_work *, int column, double S[6]);
  /* angles among the coordinates of a link's joint; the others are not written */
  void (*get_angles)(const lw_model *, const lwi_tree_work *, int link, double q[]);
  void (*choose_lane)(lwi_tree_work *, int lane); /* get_motion, get_edge, get_column read it */

  /* for models with constraints and for impulses, of one state: constraint_sweeps.h.  forward is
     kinematics, forces, free_motion; inverse is kinematics, accelerations, forces, required tau */
  void (*required_tau)(const lw_model *, lwi_tree_work *, double *tau);
  bool (*free_motion)(const lw_model *, lwi_tree_work *, const double *tau, double *udot);
  bool (*factor)(const lw_model *, lwi_tree_work *, const bool *held);
  void (*innovations)(const lw_model *, lwi_tree_work *, const lwi_tree_constraints *,
                      int constraint, const double *J, double scale, const double *slope,
                      double *eps);
  void (*innovate)(const lw_model *, lwi_tree_work *, double (*loads)[6], double *eps);
  void (*place_pair)(const lw_model *, const lwi_tree_work *, int pair, lwi_pair_state *to);
  void (*pivots)(const lw_model *, const lwi_tree_work *, double *Dinv);
  void (*solve_response)(const lw_model *, lwi_tree_work *, const double *eps, double *udot);
  void (*push)(lwi_tree_work *, int link, const double load[6]);
  double *(*part)(lwi_tree_work *, lwi_tree_part part);
  /* [nswitching] expressions instead of those of the model that may switch, NULL: as in the model; kept by the caller */
  void (*hold_loads)(lwi_tree_work *, const struct lwi_expr *const *held);
  /* the same as in another work of the model, while that has them; has anything changed? */
  bool (*follow_holds)(const lwi_tree_work *from, lwi_tree_work *);
  double (*follow_torsions)(const lw_model *, lwi_tree_work *, double most); /* after kinematics */

  /* the same with clusters as nodes: embedded.h */
  void (*drift)(const lw_model *, lwi_tree_work *);
  void (*strip)(const lw_model *, const lwi_tree_work *, int constraint, const double *J,
                const double *scale, const double *slope, double *G, double *residual);
  void (*cluster_motions)(const lw_model *, lwi_tree_work *, const lwi_cluster_motions *);
  bool (*embedded_motion)(const lw_model *, lwi_tree_work *, const lwi_cluster_motions *,
                          const double *tau, double *udot);
  void (*embedded_response)(const lw_model *, lwi_tree_work *, const lwi_cluster_motions *,
                            double *x);

  /* derivatives of trees without constraints: derivative_*.h; NULL in tables of several lanes.
     Each after inverse or forward with the same state; outputs are nu x nu and may be NULL */
  lwi_derivative_work *(*carve_derivatives)(const lw_model *, lwi_carver *, bool matrices);
  void (*prepare_derivatives)(const lw_model *, lwi_derivative_work *);
  void (*derive_inverse)(const lw_model *, lwi_tree_work *, lwi_derivative_work *, const double *q,
                         const double *u, const double *udot, const lw_inverse_matrices *by);
  void (*derive_forward)(const lw_model *, lwi_tree_work *, lwi_derivative_work *, const double *q,
                         const double *u, const double *udot, const lw_forward_matrices *by);
  /* along one direction: derivative_sweep.h, derivative_response.h.  derivative is a model whose
     numbers are derivatives, or NULL */
  void (*derivative_motion)(const lw_model *, const lwi_sweep *, lwi_tree_work *,
                            lwi_derivative_work *);
  void (*derivative_links)(const lw_model *, const lwi_sweep *, lwi_tree_work *,
                           lwi_derivative_work *, int first, int last);
  void (*derivative_accelerations)(const lw_model *, const lw_model *derivative,
                                   const lwi_tree_work *, lwi_derivative_work *, const double *udot,
                                   const double *udot_p);
  void (*derivative_forces)(const lw_model *, const lwi_sweep *, lwi_tree_work *,
                            lwi_derivative_work *, const double *q_p, const double *u_p,
                            double *cut_tau_p);
  void (*derivative_push)(lwi_derivative_work *, int link, const double load[6]);
  void (*derivative_required_tau)(const lw_model *, const lw_model *derivative,
                                  const lwi_tree_work *, lwi_derivative_work *, double *tau_p);
  void (*derivative_response)(const lw_model *, const lwi_tree_work *, lwi_derivative_work *,
                              const double *tau_p, double *udot_p);
  void (*derivative_solve_response)(const lw_model *, const lwi_tree_work *, lwi_derivative_work *,
                                    const double *eps, double *udot_p);
  void (*derivative_compliance)(const lw_model *, const lwi_tree_work *, lwi_derivative_work *,
                                const double *eps, double *udot_p);
  /* the same of forward dynamics in three passes: derivative_response.h */
  void (*derivative_outward)(const lw_model *, const lwi_sweep *, lwi_tree_work *,
                             lwi_derivative_work *, const double *udot);
  void (*derivative_inward)(const lw_model *, const lwi_tree_work *, lwi_derivative_work *,
                            const double *tau_p);
  void (*derivative_follow)(const lw_model *, const lwi_tree_work *, lwi_derivative_work *,
                            double *udot_p);
  void (*derivative_speeds)(const lw_model *, const lwi_tree_work *, lwi_derivative_work *,
                            const double *z);
  void (*derivative_nothing)(const lw_model *, lwi_derivative_work *);
  void (*get_speeds)(const lwi_derivative_work *, int link, double V[6], double V_p[6]);
  void (*get_change)(const lw_model *, const lw_model *derivative, const lwi_derivative_work *,
                     int link, double pose[6], double V[6], double A[6]);
  void (*get_load_change)(const lw_model *, const lwi_derivative_work *, int link, double f[6],
                          double z1[3], double z2[3]);
  void (*derivative_state_rates)(const lw_model *, const lwi_tree_work *,
                                 const lwi_derivative_work *, double *out);
  void (*get_motor_change)(const lw_model *, const lwi_tree_work *, const lwi_derivative_work *,
                           int motor, const double *u, const double *u_p, double out[2]);
  void (*get_applied_change)(const lw_model *, const lw_model *derivative, const lwi_tree_work *,
                             const lwi_derivative_work *, int load, double out[6]);
  void (*get_element_change)(const lw_model *, const lwi_sweep *, const lwi_tree_work *,
                             const lwi_derivative_work *, int number, const double *q_p,
                             const double *u_p, double out[6]);
  double (*get_measure_change)(const lw_model *, const lw_model *derivative, const lwi_tree_work *,
                               const lwi_derivative_work *, const lwi_measure *);
  double (*get_tau_change)(const lwi_derivative_work *, int u);
  void (*derivative_energy)(const lw_model *, const lw_model *derivative, const lwi_tree_work *,
                            const lwi_derivative_work *, const double *q, const double *q_p,
                            double *kinetic_p, double *potential_p);
  /* the equations of each link and joint, after derivative_links: derivative_local.h */
  void (*derivative_hold)(const lw_model *derivative, lwi_derivative_work *, int first, int last);
  void (*derivative_local)(const lw_model *, const lw_model *derivative, const lwi_tree_work *,
                           lwi_derivative_work *, const double *udot, int first, int last,
                           const lwi_link_residuals *out);
  void (*set_load)(lwi_tree_work *, int link, const double f[6]);
  void (*set_load_change)(lwi_derivative_work *, int link, const double f[6]);
} lwi_kernels;

/* The widest table for single states, and for batches, that this processor runs. */
const lwi_kernels *lwi_kernels_single(void);
const lwi_kernels *lwi_kernels_batch(void);
/* Every table that this processor runs, for tests: index 0, 1, ... until NULL. */
const lwi_kernels *lwi_kernels_at(int index);

#endif
