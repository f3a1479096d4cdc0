# SPDX-License-Identifier: Apache-2.0
"""Masses and friction from a measured motion: Gauss-Newton with exact derivatives of the whole run, the covariance of what is found, and the
directions of the parameters that the measurement does not determine."""
import numpy as np

import linkwork as lw

TEXT = """
linkwork: 1
gravity: [0, -9.81, 0]
parameters: {m1: 1.0, m2: 1.0, c1: 0.1, c2: 0.1}
bodies:
  upper: {solid: {rod: {length: 1, mass: m1, axis: -y}}}
  lower: {solid: {rod: {length: 1, mass: m2, axis: -y}}}
joints:
  A: {type: revolute, parent: ground, child: upper, q: 0.8, damping: c1}
  B: {type: revolute, parent: upper, child: lower, at: [0, -1, 0], q: -0.4, damping: c2}
simulation: {end: 3, output_step: 0.02}
"""
NAMES = ("m1", "m2", "c1", "c2")
COLUMNS = ("q.A", "q.B")
TRUE = np.array([1.3, 0.7, 0.25, 0.15])
model = lw.loads(TEXT)

# the measurement: a run of the true model, with noise
noise = 1e-3
measured = model.with_parameters(dict(zip(NAMES, TRUE))).run(columns=",".join(COLUMNS))
rng = np.random.default_rng(7)
Y = np.concatenate([measured[c] + noise * rng.normal(size=len(measured)) for c in COLUMNS])


def residual(x):
    s = model.with_parameters(dict(zip(NAMES, x))).sens(*NAMES, columns=",".join(COLUMNS))
    r = np.concatenate([s[c] for c in COLUMNS]) - Y
    return r, np.column_stack([np.concatenate([s[c, p] for c in COLUMNS]) for p in NAMES])


x = np.ones(4) * [1, 1, 0.1, 0.1]
for iteration in range(20):
    r, J = residual(x)
    step = np.linalg.lstsq(J / noise, -r / noise, rcond=1e-9)[0]  # the shortest step where directions are undetermined
    while np.any(x + step <= 0):
        step /= 2
    x = x + step
    if np.abs(step).max() < 1e-9:
        break

# What the measurement tells: a direction is unidentifiable if the motion does not change along it.  Free motion depends on ratios only: with all masses and
# all damping larger by one factor it is the same.
_, singular, V = np.linalg.svd(J * x)  # relative changes of parameters
unidentified = V[singular < 1e-6 * singular[0]]
for direction in unidentified:
    print("not identifiable:", " ".join(f"{c:+.2f} d{p}/{p}" for p, c in zip(NAMES, direction)))
assert len(unidentified) == 1
np.testing.assert_allclose(np.abs(unidentified[0]), 0.5, atol=1e-3)

# one mass is weighed: the rest follows, with its covariance
x *= TRUE[0] / x[0]
_, J = residual(x)
known = J[:, 1:]
covariance = noise**2 * np.linalg.inv(known.T @ known)
sigma = np.sqrt(np.diag(covariance))
for p, value, s, true in zip(NAMES[1:], x[1:], sigma, TRUE[1:]):
    print(f"{p} = {value:.5f} +- {s:.5f}   (true {true})")
assert np.all(np.abs(x[1:] - TRUE[1:]) < 5 * sigma)
