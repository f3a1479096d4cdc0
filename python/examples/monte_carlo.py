# SPDX-License-Identifier: Apache-2.0
"""Monte Carlo: accelerations of 100,000 random states in one call, and the spread of a run with uncertain lengths, on threads."""
import pathlib
import sys
from concurrent.futures import ThreadPoolExecutor

import numpy as np

import linkwork as lw

models = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).resolve().parents[2] / "models")
m = lw.load(models / "double-pendulum.yaml")
rng = np.random.default_rng(1)
n = 100_000
Q, U = rng.uniform(-np.pi, np.pi, (n, m.nq)), rng.normal(0, 2, (n, m.nu))
UDOT = m.forward_dynamics(Q, U, threads=2)
print(f"{n} states: largest acceleration {abs(UDOT).max():.1f} rad/s^2, mean of the squares {(UDOT**2).mean(axis=0).round(2)}")
d = m.data(Q[17], U[17])
np.testing.assert_allclose(UDOT[17], d.udot(), rtol=1e-9)


def tip(sample):
    return m.with_parameters(La=sample[0], Lb=sample[1]).run(end=2, columns="y.lower")["y.lower"][-1]


samples = rng.normal(1.0, 0.01, (40, 2))
with ThreadPoolExecutor(2) as pool:
    heights = np.array(list(pool.map(tip, samples)))
s = m.sens("La", "Lb", end=2, columns="y.lower")
slope = np.array([s["y.lower", p][-1] for p in ("La", "Lb")])
predicted = 0.01 * np.linalg.norm(slope)
print(f"height of the lower pivot after 2 s: spread {heights.std(ddof=1):.5f} m, predicted by derivatives {predicted:.5f} m")
assert 0.5 < heights.std(ddof=1) / predicted < 1.6
