# SPDX-License-Identifier: Apache-2.0
"""compare.py LINKWORK MUJOCO_STATE FILE...: mass matrix, bias, accelerations and Jacobians of points of robot files at random
states, by linkwork and by MuJoCo 2.2.2.  Both read a copy without shapes, whose mesh files need not be there, without constraints,
which a random state does not satisfy, and without what this version of MuJoCo does not know.  Of MJCF files with closed loops then the
accelerations at rest, where linkwork closes the loops, with MuJoCo's soft constraints in the limit of stiff ones.
"""
import json
import math
import os
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ElementTree

SEEDS = 5
TOLERANCE = 1e-9
FREE, BALL = 0, 1


def eigen(A):
    """Jacobi's rotations: the diagonal, and V with A = V diag V^T."""
    A = [row[:] for row in A]
    V = [[float(i == j) for j in range(3)] for i in range(3)]
    for _ in range(30):
        for p, q in ((0, 1), (0, 2), (1, 2)):
            if A[p][q] == 0:
                continue
            theta = (A[q][q] - A[p][p]) / (2 * A[p][q])
            t = (-1 if theta < 0 else 1) / (abs(theta) + math.sqrt(theta * theta + 1))
            c = 1 / math.sqrt(t * t + 1)
            s = t * c
            for M in (A, V):
                for row in M:
                    row[p], row[q] = c * row[p] - s * row[q], s * row[p] + c * row[q]
            A[p], A[q] = [c * x - s * y for x, y in zip(A[p], A[q])], [s * x + c * y for x, y in zip(A[p], A[q])]
    columns = transpose(V)
    if sum(a * b for a, b in zip(columns[2], cross(columns[0], columns[1]))) < 0:
        columns[2] = [-x for x in columns[2]]
    return [A[i][i] for i in range(3)], transpose(columns)


def rpy_matrix(rpy):
    (sr, sp, sy), (cr, cp, cy) = [[f(x) for x in rpy] for f in (math.sin, math.cos)]
    return [[cy * cp, cy * sp * sr - sy * cr, cy * sp * cr + sy * sr],
            [sy * cp, sy * sp * sr + cy * cr, sy * sp * cr - cy * sr], [-sp, cp * sr, cp * cr]]


def matrix_rpy(R):
    return [math.atan2(R[2][1], R[2][2]), math.atan2(-R[2][0], math.hypot(R[0][0], R[1][0])),
            math.atan2(R[1][0], R[0][0])]


def words(numbers):
    return " ".join("%.17g" % x for x in numbers)


def is_rigid(moments):
    return min(moments) > 1e-12 and all(2 * x <= sum(moments) for x in moments)


URDF_INERTIA = ("ixx", "ixy", "ixz", "ixy", "iyy", "iyz", "ixz", "iyz", "izz")


def tame_urdf(root):
    """MuJoCo refuses inertias that no rigid body has: both engines get spheres instead."""
    for inertia in root.iter("inertia"):
        x = [float(inertia.get(key, 0)) for key in URDF_INERTIA]
        if not is_rigid(eigen([x[0:3], x[3:6], x[6:9]])[0]):
            size = max((x[0] + x[4] + x[8]) / 3, 1e-4)
            inertia.attrib = {"ixx": str(size), "iyy": str(size), "izz": str(size), "ixy": "0", "ixz": "0", "iyz": "0"}


def diagonal_urdf(root):
    """MuJoCo finds principal axes to about eight digits only: it gets them."""
    for inertial in root.iter("inertial"):
        inertia, origin = inertial.find("inertia"), inertial.find("origin")
        if inertia is None:
            continue
        if origin is None:
            origin = ElementTree.SubElement(inertial, "origin", {"xyz": "0 0 0"})
        x = [float(inertia.get(key, 0)) for key in URDF_INERTIA]
        moments, V = eigen([x[0:3], x[3:6], x[6:9]])
        R = rpy_matrix([float(w) for w in origin.get("rpy", "0 0 0").split()])
        axes = [[sum(R[i][k] * V[k][j] for k in range(3)) for j in range(3)] for i in range(3)]
        origin.set("rpy", words(matrix_rpy(axes)))
        inertia.attrib = {"ixx": "%.17g" % moments[0], "iyy": "%.17g" % moments[1], "izz": "%.17g" % moments[2],
                          "ixy": "0", "ixz": "0", "iyz": "0"}


def diagonal_mjcf(root):
    for inertial in root.iter("inertial"):
        full = inertial.attrib.pop("fullinertia", None)
        if full:
            xx, yy, zz, xy, xz, yz = (float(w) for w in full.split())
            moments, V = eigen([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
            columns = transpose(V)
            inertial.set("diaginertia", words(moments))
            inertial.set("xyaxes", words(columns[0] + columns[1]))


def strip_urdf(root):
    for part in root:
        for tag in ("visual", "collision", "mimic"):
            for child in part.findall(tag):
                part.remove(child)
    extension = ElementTree.SubElement(root, "mujoco")
    ElementTree.SubElement(extension, "compiler", {"fusestatic": "false", "strippath": "false"})


def include(root, folder):
    """Puts the elements of included files in the place of <include>."""
    for parent in list(root.iter()):
        for at, child in reversed(list(enumerate(parent))):
            if child.tag == "include":
                inner = ElementTree.parse(os.path.join(folder, child.get("file"))).getroot()
                include(inner, folder)
                parent[at:at + 1] = list(inner)


# attributes that this version of MuJoCo does not know, of which both engines get none
LATER = {"body": ("gravcomp", "sleep"), "joint": ("actuatorfrcrange", "actuatorgravcomp", "actuatorfrclimited"),
         "geom": ("material", "fluidshape", "fluidcoef"), "site": ("material",), "tendon": ("armature", "actuatorfrcrange"),
         "general": ("material", "dampratio", "inheritrange", "actearly"), "compiler": ("assetdir", "fitaabb", "alignfree", "inertiagrouprange"),
         "position": ("material", "dampratio", "inheritrange", "kv", "timeconst"), "motor": ("actearly",),
         "option": ("ls_iterations", "ls_tolerance", "ccd_iterations", "ccd_tolerance", "sdf_iterations", "sdf_initpoints",
                    "noslip_iterations", "o_margin", "o_friction", "actuatorgroupdisable", "sleep_tolerance")}


def strip_mjcf(root, loops=False):
    dropped = ("asset", "keyframe", "sensor", "contact", "camera", "light", "visual", "statistic", "custom", "size",
               "adhesion", "extension", "deformable") + (() if loops else ("equality",))
    for parent in list(root.iter()):
        for child in list(parent):
            mesh = child.tag == "geom" and (child.get("mesh") or child.get("type") == "mesh")
            if mesh or child.tag in dropped:
                parent.remove(child)
            for key in LATER.get(child.tag, ()):
                child.attrib.pop(key, None)
            if child.get("dyntype") == "filterexact":
                child.set("dyntype", "filter")
            if child.tag == "option":
                child.attrib.pop("integrator", None)
                for flag in child.findall("flag"):
                    child.remove(flag)
            if child.tag == "compiler":
                child.set("autolimits", "true")


def same_actuators(root):
    """What this version of MuJoCo and newer ones (which linkwork follows) understand differently, or linkwork has not: a
    position actuator that has the damping of a general one of its class, tendons that wrap around geoms, and slider-cranks."""
    if root.find("actuator/position") is not None:
        for default in root.iter("default"):
            for general in default.findall("general"):
                default.remove(general)
    for actuators in root.findall("actuator"):
        for crank in actuators.findall("*[@cranksite]"):
            actuators.remove(crank)
    for tendons in root.findall("tendon"):
        for tendon in tendons.findall("spatial"):
            if tendon.find("geom") is not None:
                tendons.remove(tendon)
                for actuators in root.findall("actuator"):
                    for actuator in actuators.findall(f"*[@tendon='{tendon.get('name')}']"):
                        actuators.remove(actuator)


def weigh_mjcf(root):
    """Bodies whose mass was that of meshes get one: MuJoCo refuses bodies without."""
    for body in root.iter("body"):
        if body.find("inertial") is None and (body.find("joint") is not None or body.find("freejoint") is not None):
            for geom in body.findall("geom"):
                body.remove(geom)
            ElementTree.SubElement(body, "inertial", {"pos": "0.01 0.02 0.03", "mass": "0.3", "diaginertia": "0.002 0.003 0.004"})


def stripped(path, folder, loops=False):
    """The copies that linkwork and MuJoCo read."""
    tree = ElementTree.parse(path)
    root = tree.getroot()
    urdf = root.tag == "robot"
    name = "robot.urdf" if urdf else "robot.xml"
    if urdf:
        strip_urdf(root)
    else:
        include(root, os.path.dirname(path))
        meshes = any(g.get("mesh") or g.get("type") == "mesh" for g in root.iter("geom"))
        strip_mjcf(root, loops)
        same_actuators(root)
        if meshes:
            weigh_mjcf(root)
    if urdf:
        tame_urdf(root)
    tree.write(os.path.join(folder, name))
    (diagonal_urdf if urdf else diagonal_mjcf)(root)
    tree.write(os.path.join(folder, "principal-" + name))
    return os.path.join(folder, name), os.path.join(folder, "principal-" + name)


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
        n = len(data["qacc"])
        self.q, self.u, self.names, self.J = {}, {}, [], None
        T = [[0.0] * n for _ in range(n)]
        c = [0.0] * n
        for j in data["joints"]:
            name, at = j["name"], j["u"]
            size = 6 if j["type"] == FREE else 3 if j["type"] == BALL else 1
            nq = {FREE: 7, BALL: 4}.get(j["type"], 1)
            self.q[name] = data["q"][j["q"]:j["q"] + nq]
            u = data.get("u", [0] * n)[at:at + size]
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
        Tt = transpose(T)
        # T is orthogonal
        self.udot = mul(Tt, [a - b for a, b in zip(data["qacc"], c)])
        if "J" in data:  # rows w, then v
            rows = [data["J"][i * n:(i + 1) * n] for i in (3, 4, 5, 0, 1, 2)]
            self.J = [[sum(row[k] * T[k][j] for k in range(n)) for j in range(n)] for row in rows]
            self.body = data["body"]
        if "M" not in data:
            return
        M = [data["M"][i * n:(i + 1) * n] for i in range(n)]
        MT = [[sum(M[i][k] * T[k][j] for k in range(n)) for j in range(n)] for i in range(n)]
        self.M = [[sum(Tt[i][k] * MT[k][j] for k in range(n)) for j in range(n)] for i in range(n)]
        loads = [b - p - a for b, p, a in zip(data["bias"], data["passive"], data["actuator"])]
        Mc = mul(M, c)
        self.bias = mul(Tt, [x + y for x, y in zip(Mc, loads)])


def evaluate(linkwork, path, reference):
    command = [linkwork, "eval", path, "--json"]
    if reference.J:
        quoted = '"' + reference.body.replace('"', '""') + '"'
        command += ["--jacobian", quoted + "@0.1,-0.2,0.3"]
    for option, values in (("--q", reference.q), ("--u", reference.u)):
        for name, value in values.items():
            quoted = '"' + name.replace('"', '""') + '"'
            command += [option, quoted + "=" + ",".join("%.17g" % x for x in value)]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(done.stderr.strip().splitlines()[-1])
    return json.loads(done.stdout)


def difference(mine, its):
    scale = max(max(abs(x) for x in its), 1e-12)
    return max(abs(a - b) for a, b in zip(mine, its)) / scale


def flat(udot, names):
    values = {}
    for joint, value in udot.items():
        if isinstance(value, list):
            values.update({f"{joint}.{i + 1}": x for i, x in enumerate(value)})
        else:
            values[joint] = value
    return [values[name] for name in names]


def compare(linkwork, helper, model, principal, seed):
    """The largest relative differences of mass matrix, bias and accelerations."""
    done = subprocess.run([helper, principal, str(seed)], capture_output=True, text=True)
    if done.returncode:
        raise LookupError("MuJoCo: " + done.stderr.strip().replace("\n", " "))
    reference = Reference(json.loads(done.stdout))
    if not reference.names:
        raise LookupError("it has no joints")
    mine = evaluate(linkwork, model, reference)
    order = [mine["mass_matrix"]["order"].index(name) for name in reference.names]
    M = mine["mass_matrix"]["matrix"]
    worst = max(difference([M[a][b] for b in order], row) * max(map(abs, row)) for a, row in zip(order, reference.M))
    scale = max(max(map(abs, row)) for row in reference.M)
    bias = flat(mine["bias"], reference.names) if isinstance(mine["bias"], dict) else [mine["bias"][i] for i in order]
    found = [worst / scale, difference(bias, reference.bias)]
    found.append(difference(flat(mine["udot"], reference.names), reference.udot))
    found.append(0.0)
    if reference.J:
        J = mine["jacobian"]
        order = [J["order"].index(name) for name in reference.names]
        found[-1] = difference([row[k] for row in J["matrix"] for k in order], sum(reference.J, []))
    return found


# ---- closed loops ----

def compare_loops(linkwork, helper, model, principal):
    """At rest where linkwork closes the loops: the relative differences of accelerations between both engines, and between two
    extrapolations of MuJoCo's."""
    first = subprocess.run([helper, principal, "0"], capture_output=True, text=True)
    if first.returncode:
        raise LookupError("MuJoCo: " + first.stderr.strip().replace("\n", " "))
    done = subprocess.run([linkwork, "eval", model, "--json"], capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(done.stderr.strip().splitlines()[-1])
    mine, q = json.loads(done.stdout), []
    for j in json.loads(first.stdout)["joints"]:
        value = mine["q"][j["name"]]
        q += value if isinstance(value, list) else [value]
    done = subprocess.run([helper, principal, "loops", *("%.17g" % x for x in q)], capture_output=True, text=True)
    if done.returncode:
        raise LookupError("MuJoCo: " + done.stderr.strip().replace("\n", " "))
    data = json.loads(done.stdout)
    reference = Reference(data)
    if data["residual"] > 1e-9:
        raise ValueError("MuJoCo's loops are open by %.1e" % data["residual"])
    return difference(flat(mine["udot"], reference.names), reference.udot), difference(data["fewer"], data["qacc"])


def has_loops(path):
    root = ElementTree.parse(path).getroot()
    return root.tag == "mujoco" and any(len(e) for e in root.findall("equality"))


def report_loops(linkwork, helper, path):
    with tempfile.TemporaryDirectory() as folder:
        try:
            found, uncertain = compare_loops(linkwork, helper, *stripped(path, folder, True))
        except LookupError as error:
            print(f"{path}: loops skipped: {error}")
            return True
        except (RuntimeError, KeyError, ValueError) as error:
            print(f"{path}: loops FAILED: {error}")
            return False
    good = found < max(TOLERANCE, uncertain)
    print(f"{path}: loops {'ok' if good else 'FAILED'}: udot %.1e, MuJoCo's limit is known to %.1e" % (found, uncertain))
    return good


def main(linkwork, helper, *paths):
    failed = 0
    for path in paths:
        with tempfile.TemporaryDirectory() as folder:
            try:
                copies = stripped(path, folder)
                worst = [max(x) for x in zip(*(compare(linkwork, helper, *copies, s) for s in range(SEEDS)))]
            except LookupError as error:
                print(f"{path}: skipped: {error}")
                continue
            except (ElementTree.ParseError, OSError) as error:
                print(f"{path}: skipped: {error}")
                continue
            except (RuntimeError, KeyError, ValueError) as error:
                print(f"{path}: FAILED: {error}")
                failed += 1
                continue
        good = max(worst) < TOLERANCE
        failed += not good
        print(f"{path}: {'ok' if good else 'FAILED'}: M %.1e, bias %.1e, udot %.1e, J %.1e" % tuple(worst))
        if has_loops(path):
            failed += not report_loops(linkwork, helper, path)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
