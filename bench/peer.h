/* SPDX-License-Identifier: Apache-2.0 */
/* peer.h -- one face for every engine that bench/compare measures, linkwork among them.

   Only `run` is timed.  It starts from q, u and udot or tau in the engine's own coordinates and
   containers (set_state put them there) and ends when the full result lies in the engine's own
   memory; nothing from earlier calls may be used again.  `get` translates that result. */
#ifndef BENCH_PEER_H
#define BENCH_PEER_H
#include "mechanism.h"
#ifdef __cplusplus
extern "C" {
#endif

typedef enum { INVERSE_DYNAMICS, MASS_MATRIX, FORWARD_DYNAMICS, NTASK } peer_task;

typedef struct peer {
  const char *name;
  const char *note; /* what is called, and what must be known to read the numbers */
  /* Ready to do this task for states 0 ... nstate-1; NULL: the engine does not offer it. */
  void *(*create)(const mechanism *m, peer_task task, int nstate);
  void (*set_state)(void *self, int k, const mechanism_state *s);
  void (*run[NTASK])(void *self, int k);
  /* Of the last run, in the mechanism's order: tau [nu], M [nu*nu] or udot [nu]. */
  void (*get[NTASK])(void *self, int k, double out[]);
  void (*destroy)(void *self);
} peer;

extern const peer peer_linkwork, peer_linkwork_plain, peer_linkwork_rows, peer_mujoco,
    peer_mujoco_dense, peer_simbody, peer_kdl, peer_dart, peer_bullet;

#ifdef __cplusplus
}
#endif
#endif
