# SPDX-License-Identifier: Apache-2.0
"""A URDF arm follows a path under computed-torque control: tau = M (qdd_wanted + kd e' + kp e) + bias."""
import sys

import numpy as np

import linkwork as lw

URDF = """<robot name="arm"><link name="base"/>
{links}</robot>"""
LINK = """<link name="link{i}"><inertial><origin xyz="0 0 0.2"/><mass value="{mass}"/>
  <inertia ixx="0.02" iyy="0.02" izz="0.002" ixy="0" ixz="0" iyz="0"/></inertial></link>
<joint name="joint{i}" type="continuous"><parent link="{parent}"/><child link="link{i}"/>
  <origin xyz="0 0 {at}"/><axis xyz="{axis}"/></joint>
"""


def arm():
    links = ""
    for i, axis in enumerate(["0 0 1", "0 1 0", "0 1 0", "1 0 0"]):
        links += LINK.format(i=i, mass=3 - 0.5 * i, parent=f"link{i - 1}" if i else "base", at=0.4 if i else 0, axis=axis)
    return lw.loads(URDF.format(links=links), name="arm.urdf")


m = lw.load(sys.argv[1]) if len(sys.argv) > 1 else arm()
d = m.data()
amplitude, rate, kp, kd, dt = 0.5, 2.0, 100.0, 20.0, 1e-3
d.q[:] += 0.1  # begins off the path
error = []
for k in range(3000):
    wanted = amplitude * np.sin(rate * d.t) * np.ones(m.nu)
    speed = amplitude * rate * np.cos(rate * d.t) * np.ones(m.nu)
    udot = -amplitude * rate**2 * np.sin(rate * d.t) + kd * (speed - d.u) + kp * (wanted - d.q)
    d.step(dt, d.id(udot))
    error.append(abs(amplitude * np.sin(rate * d.t) - d.q).max())
print(f"{m.nu} joints: error {error[0]:.3f} rad at the start, {max(error[-500:]):.2e} rad at the end")
assert max(error[-500:]) < 2e-3
