# SPDX-License-Identifier: Apache-2.0
"""Design of a four-bar linkage: crank and coupler lengths for which the crank turns as far as wanted in one second, and the coupler is as light as it
can be.  SciPy minimises, linkwork gives exact gradients of the whole run."""
import numpy as np
from scipy.optimize import minimize

import linkwork as lw

TEXT = """
linkwork: 1
gravity: [0, -9.81, 0]
parameters: {La: 1.0, Lb: 2.0, Lc: 2.0, ground: 1.0, wanted: 0.1}
bodies:
  a: {solid: {rod: {length: La, mass: 10*La, axis: -y}}}
  b: {solid: {rod: {length: Lb, mass: 10*Lb, axis: -y}}}
  c: {solid: {rod: {length: Lc, mass: 10*Lc, axis: -y}}}
joints:
  A: {type: revolute, parent: ground, child: a, q: 30 deg, hold: true}
  B: {type: revolute, parent: a, child: b, at: [0, -La, 0], q: 44.4775 deg}
  C: {type: revolute, parent: ground, child: c, at: [ground, 0, 0], q: 45.5225 deg}
  D: {type: revolute, parent: b, child: c, at: [0, -Lb, 0], child_at: [0, -Lc, 0]}
simulation: {end: 1, output_step: 0.1}
sensitivity:
  parameters: [La, Lb]
  objectives:
    miss: {final: "(q.A - wanted)^2"}
    swing: {integral: "u.A^2"}
"""
model = lw.loads(TEXT)


def cost(x):
    s = model.with_parameters(La=x[0], Lb=x[1]).sens("La", "Lb", columns="q.A")
    miss, swing = s.objectives["miss"], s.objectives["swing"]
    return 100 * miss.value + 0.01 * swing.value, 100 * miss.gradient + 0.01 * swing.gradient


x0 = np.array([1.0, 2.0])
value, gradient = cost(x0)
h = 1e-6
differences = [(cost(x0 + h * e)[0] - cost(x0 - h * e)[0]) / (2 * h) for e in np.eye(2)]
np.testing.assert_allclose(gradient, differences, rtol=1e-4)

found = minimize(cost, x0, jac=True, bounds=[(0.7, 1.3), (1.7, 2.3)], method="L-BFGS-B")
print(f"La = {found.x[0]:.4f}, Lb = {found.x[1]:.4f}: cost {value:.4g} -> {found.fun:.4g} in {found.nfev} runs")
assert found.fun < 0.5 * value
