# SPDX-License-Identifier: Apache-2.0
"""A pendulum in ten lines: described, simulated, compared with its small-angle period."""
import numpy as np

import linkwork as lw

spec = lw.Spec(gravity=(0, -9.81, 0))
rod = spec.body("rod", solid={"rod": {"length": 1.0, "mass": 2.0, "axis": "-y"}})
spec.joint("A", "revolute", child=rod, q=0.01)
m = spec.compile()
r = m.run(end=4, output_step=0.001, columns="q.*,energy.total")
rising = r.t[1:][(r["q.A"][:-1] < 0) & (r["q.A"][1:] >= 0)]
period, small = np.diff(rising)[0], 2 * np.pi * np.sqrt(2 / 3 * 1.0 / 9.81)
print(f"period {period:.3f} s, of small angles {small:.3f} s")
assert abs(period - small) < 0.002
