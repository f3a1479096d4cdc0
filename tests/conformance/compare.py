# SPDX-License-Identifier: Apache-2.0
"""compare.py LINKWORK MUJOCO_STATE FILE...: mass matrix, bias and accelerations of robot files at random states, by linkwork
and by MuJoCo.  Shapes, which need mesh files, are removed from the copy that MuJoCo reads; bodies that have no inertia
without them are left to linkwork's own tests.
"""
import json
import os
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ElementTree

SEEDS = 5
TOLERANCE = 1e-9
FREE, BALL = 0, 1


def strip_urdf(root):
    for link in root.iter("link"):
        for tag in ("visual", "collision"):
            for shape in link.findall(tag):
                link.remove(shape)
    extension = ElementTree.SubElement(root, "mujoco")
    ElementTree.SubElement(extension, "compiler", {"fusestatic": "false", "strippath": "false"})


def strip_mjcf(root):
    for parent in list(root.iter()):
        for child in list(parent):
            mesh = child.tag == "geom" and (child.get("mesh") or child.get("type") == "mesh")
            if mesh or child.tag in ("asset", "keyframe", "sensor", "contact", "camera", "light"):
                parent.remove(child)
            elif child.tag in ("geom", "site", "position", "general"):
                for key in ("material", "dampratio", "inheritrange"):
                    child.attrib.pop(key, None)
            if child.tag == "option" and child.get("integrator") == "implicitfast":
                child.set("integrator", "Euler")
            if child.tag == "joint":
                for key in ("actuatorfrcrange", "actuatorgravcomp"):
                    child.attrib.pop(key, None)


def stripped(path, folder):
    tree = ElementTree.parse(path)
    root = tree.getroot()
    urdf = root.tag == "robot"
    (strip_urdf if urdf else strip_mjcf)(root)
    out = os.path.join(folder, "robot.urdf" if urdf else "robot.xml")
    tree.write(out)
    return out


def quat_to_matrix(e):
    w, x, y, z = e
    return [[1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)]]


def cross(a, b):
    return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]


def mul(A, x):
    return [sum(a * b for a, b in zip(row, x)) for row in A]


def transpose(A):
    return [list(c) for c in zip(*A)]


class Reference:
    """MuJoCo's numbers in linkwork's speeds: of a free joint [w; v] in body axes, where MuJoCo has [v; w] with v in ground
    axes: u_mujoco = T u, and its rate T udot + c."""

    def __init__(self, data):
        n = len(data["u"])
        self.q, self.u, self.names = {}, {}, []
        T = [[0.0] * n for _ in range(n)]
        c = [0.0] * n
        for j in data["joints"]:
            name, at = j["name"] or j["body"], j["u"]
            size = 6 if j["type"] == FREE else 3 if j["type"] == BALL else 1
            nq = {FREE: 7, BALL: 4}.get(j["type"], 1)
            self.q[name] = data["q"][j["q"]:j["q"] + nq]
            u = data["u"][at:at + size]
            if j["type"] == FREE:
                R = quat_to_matrix(self.q[name][3:])
                v = mul(transpose(R), u[:3])
                turn = mul(R, cross(u[3:], v))
                for i in range(3):
                    T[at + 3 + i][at + i] = 1.0
                    c[at + i] = turn[i]
                    for k in range(3):
                        T[at + i][at + 3 + k] = R[i][k]
                u = u[3:] + v
            else:
                for i in range(size):
                    T[at + i][at + i] = 1.0
            self.u[name] = u
            self.names += [name] if size == 1 else [f"{name}.{i + 1}" for i in range(size)]
        M = [data["M"][i * n:(i + 1) * n] for i in range(n)]
        Tt = transpose(T)
        MT = [[sum(M[i][k] * T[k][j] for k in range(n)) for j in range(n)] for i in range(n)]
        self.M = [[sum(Tt[i][k] * MT[k][j] for k in range(n)) for j in range(n)] for i in range(n)]
        loads = [b - p - a for b, p, a in zip(data["bias"], data["passive"], data["actuator"])]
        Mc = mul(M, c)
        self.bias = mul(Tt, [x + y for x, y in zip(Mc, loads)])
        # T is orthogonal
        self.udot = mul(Tt, [a - b for a, b in zip(data["qacc"], c)])


def evaluate(linkwork, path, reference):
    command = [linkwork, "eval", path, "--json"]
    for option, values in (("--q", reference.q), ("--u", reference.u)):
        for name, value in values.items():
            quoted = '"' + name.replace('"', '""') + '"'
            command += [option, quoted + "=" + ",".join("%.17g" % x for x in value)]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(done.stderr.strip().splitlines()[-1])
    return json.loads(done.stdout)


def difference(mine, its):
    scale = max(max(abs(x) for x in its), 1e-300)
    return max(abs(a - b) for a, b in zip(mine, its)) / scale


def flat(udot, names):
    values = {}
    for joint, value in udot.items():
        if isinstance(value, list):
            values.update({f"{joint}.{i + 1}": x for i, x in enumerate(value)})
        else:
            values[joint] = value
    return [values[name] for name in names]


def compare(linkwork, helper, path, model, seed):
    """The largest relative differences of mass matrix, bias and accelerations."""
    done = subprocess.run([helper, model, str(seed)], capture_output=True, text=True)
    if done.returncode:
        raise LookupError("MuJoCo: " + done.stderr.strip().replace("\n", " "))
    reference = Reference(json.loads(done.stdout))
    mine = evaluate(linkwork, path, reference)
    order = [mine["mass_matrix"]["order"].index(name) for name in reference.names]
    M = mine["mass_matrix"]["matrix"]
    worst = max(difference([M[a][b] for b in order], row) * max(map(abs, row)) for a, row in zip(order, reference.M))
    scale = max(max(map(abs, row)) for row in reference.M)
    bias = flat(mine["bias"], reference.names) if isinstance(mine["bias"], dict) else [mine["bias"][i] for i in order]
    found = [worst / scale, difference(bias, reference.bias)]
    if not mine.get("constraints"):
        found.append(difference(flat(mine["udot"], reference.names), reference.udot))
    return found


def main(linkwork, helper, *paths):
    failed = 0
    for path in paths:
        with tempfile.TemporaryDirectory() as folder:
            try:
                model = stripped(path, folder)
                worst = [max(x) for x in zip(*(compare(linkwork, helper, path, model, s) for s in range(SEEDS)))]
            except LookupError as error:
                print(f"{path}: skipped: {error}")
                continue
            except (RuntimeError, KeyError, ValueError) as error:
                print(f"{path}: FAILED: {error}")
                failed += 1
                continue
        good = max(worst) < TOLERANCE
        failed += not good
        print(f"{path}: {'ok' if good else 'FAILED'}: M %.1e, bias %.1e, udot %.1e" % tuple(worst + [0] * (3 - len(worst))))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
