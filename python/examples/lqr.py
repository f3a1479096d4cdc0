# SPDX-License-Identifier: Apache-2.0
"""Linear-quadratic control of a cart-pole: linearize gives A and B, SciPy the gains, and the controller holds the pole upright."""
import numpy as np
from scipy.linalg import solve_continuous_are

import linkwork as lw

spec = lw.Spec("cart-pole", planar=True)
spec.input("push")
spec.body("cart", mass=1.0, inertia=0.01)
spec.body("pole", solid={"rod": {"length": 0.6, "mass": 0.3, "axis": (0, 1)}})
spec.joint("rail", "prismatic", child="cart")
spec.joint("pin", "revolute", parent="cart", child="pole")          # 0 is upright
spec.motor("drive", "rail", "push")
m = spec.compile()

x = m.linearize()                                                   # about the upright position, at rest
B = x.B[:, [x.inputs.index("rail")]]
assert np.linalg.eigvals(x.A).real.max() > 1                        # it falls by itself
P = solve_continuous_are(x.A, B, np.diag([10.0, 10, 1, 1]), np.eye(1))
K = B.T @ P
poles = np.linalg.eigvals(x.A - B @ K)
print("gains", K.ravel().round(2), "slowest pole", poles.real.max().round(2), "1/s")
order = [int(i) for i in x.independent]                             # z are these coordinates, w these speeds

sim = m.simulation(q={"pin": 0.3})
sim.control(0.005, lambda t, q, u: {"push": float(-(K @ np.concatenate([q[order], u[order]]))[0])})
sim.advance(10.0)
print(f"after 10 s: cart at {sim['q.rail']:.1e} m, pole at {sim['q.pin']:.1e} rad")
assert abs(sim["q.pin"]) < 1e-3 and abs(sim["q.rail"]) < 5e-3
