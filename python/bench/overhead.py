# SPDX-License-Identifier: Apache-2.0
"""What Python adds: a batch of 1e5 states and single calls, each against the same work in C.

    python3 python/bench/overhead.py        # after pip install ./python; prints ratios and nanoseconds

The C side of a single call is measured by the library's own loop over states (lw_forward_dynamics_rows with one lane: n states cost n calls); of a batch by
lw_forward_dynamics_n on arrays that are already laid out for it.  Best of several, interleaved."""
import pathlib
import time

import numpy as np

import linkwork as lw
from linkwork import ffi, lib

MODELS = pathlib.Path(__file__).resolve().parents[2] / "models"
N = 100_000


def best(*calls, times=7):
    """The shortest processor time of each call, s; taken in turns, so that a busy machine slows all of them."""
    found = [np.inf] * len(calls)
    for _ in range(times):
        for i, call in enumerate(calls):
            start = time.thread_time()
            call()
            found[i] = min(found[i], time.thread_time() - start)
    return found


def pointer(a):
    return ffi.from_buffer("double[]", a)


def batch(name):
    m = lw.load(MODELS / name)
    rng = np.random.default_rng(1)
    Q, U, TAU = np.tile(m.data().q, (N, 1)), rng.normal(size=(N, m.nu)), rng.normal(size=(N, m.nu))
    columns = [np.ascontiguousarray(x.T) for x in (Q, U, TAU)]
    out = np.empty((m.nu, N))
    w = ffi.gc(lib.lw_work_new_batch(m._model), lib.lw_work_free)
    args = [pointer(x) for x in (*columns, out)]
    c, rows, fortran = best(lambda: lib.lw_forward_dynamics_n(w, N, 0.0, *args), lambda: m.forward_dynamics(Q, U, TAU),
                            lambda: m.forward_dynamics(*(x.T for x in columns)))
    print(f"{name:22} nu = {m.nu:3}: {N} states in C {1e3 * c:7.1f} ms; Python, rows {100 * (rows / c - 1):+5.1f} %, "
          f"Fortran's order {100 * (fortran / c - 1):+5.1f} %")
    return rows / c


def single(name, calls=20_000):
    m = lw.load(MODELS / name)
    d = m.data()
    tau = np.zeros(m.nu)
    q, u, t, x = (np.tile(a, (calls, 1)) for a in (d.q, d.u, tau, tau))
    pq, pu, pt, px = map(pointer, (q, u, t, x))
    kept = pointer(tau), pointer(np.zeros(m.nu))
    forward, w, dq, du = lib.lw_forward_dynamics, d._w, d._pq, d._pu

    def raw():
        for _ in range(calls):
            forward(w, 0.0, dq, du, *kept)

    def friendly():
        udot = d.udot
        for _ in range(calls):
            udot(tau)

    c, low, high = best(lambda: lib.lw_forward_dynamics_rows(w, calls, 0.0, pq, pu, pt, px), raw, friendly)
    print(f"{name:22} nu = {m.nu:3}: one call in C {1e9 * c / calls:7.0f} ns; over it: lib.lw_forward_dynamics {1e9 * (low - c) / calls:5.0f} ns, "
          f"d.udot(tau) {1e9 * (high - c) / calls:5.0f} ns")


for model in ("double-pendulum.yaml", "arm.yaml", "quadruped.yaml"):
    single(model)
for model in ("double-pendulum.yaml", "arm.yaml", "quadruped.yaml"):
    batch(model)
