#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""mutate.py [options] FOLDER_OR_FILE...: does a test notice when the code is wrong?

Makes one small change at a time in C files (a sign, a constant, a comparison, an operator, a condition), builds, and
runs the tests.  A change that no test notices survives: either the code does not matter there, or a test is missing.
Works in a copy of the repository (git worktree) in --build, so that nothing here is touched.

  --build DIR      where the copy lives, default build/mutate
  --tests REGEX    tests to run, as ctest -R; default: those of the folder's layer, all if it has none
  --limit N        at most N changes, spread evenly over all there are; default 60
  --timeout S      seconds per test, default 120; a test that hangs has noticed
  --out FILE       the list of survivors, default tests/mutation/survivors.txt

What is known of survivors is in tests/mutation/README.md.
"""
import argparse
import os
import re
import subprocess
import sys

CHANGES = [  # what, pattern, replacement
    ("sign", r" \+ ", " - "), ("sign", r" - ", " + "), ("sign", r" \+= ", " -= "), ("sign", r" -= ", " += "),
    ("operator", r" \* ", " / "), ("operator", r" / ", " * "),
    ("comparison", r" <= ", " < "), ("comparison", r" < ", " <= "), ("comparison", r" >= ", " > "),
    ("comparison", r" > ", " >= "), ("comparison", r" == ", " != "), ("comparison", r" != ", " == "),
    ("condition", r" && ", " || "), ("condition", r" \|\| ", " && "),
    ("constant", r"\b0\.5\b", "0.25"), ("constant", r"\b1e-(\d+)\b", r"1e-\g<1>0"), ("constant", r"\b2\b", "3"),
    ("return", r"return true;", "return false;"), ("return", r"return false;", "return true;"),
]
TESTS = {"math": "unit/math|unit/joints|identity/oracle", "linalg": "unit/(envelope|dense|pivoted)|identity/(loops|sko)",
         "graph": "unit/(graph|order|spanning_tree|segments|tree_order|aggregate|assembly_tree|model_graph)"}


def code_lines(path):
    """(number, line) without comments and preprocessor lines."""
    inside = False
    for number, line in enumerate(open(path), 1):
        stripped = line.strip()
        if stripped.startswith("/*"):
            inside = "*/" not in stripped
            continue
        if inside:
            inside = "*/" not in stripped
            continue
        if not stripped.startswith(("#", "//", "*")):
            yield number, line


def find_changes(paths):
    found = []
    for path in paths:
        for number, line in code_lines(path):
            code = line.split("/*")[0]
            for kind, pattern, replacement in CHANGES:
                for at in re.finditer(pattern, code):
                    new = line[:at.start()] + at.expand(replacement) + line[at.end():]
                    found.append((path, number, kind, line, new))
    return found


def run(command, folder, timeout=None):
    try:
        return subprocess.run(command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                              timeout=timeout, check=False)
    except subprocess.TimeoutExpired:
        return None


def prepare(copy):
    if not os.path.isdir(copy):
        subprocess.run(["git", "worktree", "add", "--detach", copy, "HEAD"], check=True, stdout=subprocess.DEVNULL)
    subprocess.run(["cmake", "--preset", "ci", "-DLINKWORK_WERROR=OFF"], cwd=copy, check=True, stdout=subprocess.DEVNULL)


def try_change(copy, change, tests, timeout):
    """None: noticed; else how it survived."""
    path, number, _, old, new = change
    place = os.path.join(copy, path)
    lines = open(place).read().splitlines(keepends=True)
    assert lines[number - 1] == old, f"{path}:{number} is not what it was"
    lines[number - 1] = new
    with open(place, "w") as file:
        file.writelines(lines)
    try:
        built = run(["cmake", "--build", "--preset", "ci"], copy, 1800)
        if built is None or built.returncode != 0:
            return None  # the compiler noticed
        tested = run(["ctest", "--preset", "ci", "-R", tests, "-LE", "slow", "--timeout", str(timeout), "--stop-on-failure"],
                     copy, 3600)
        return "no test noticed" if tested is not None and tested.returncode == 0 else None
    finally:
        lines[number - 1] = old
        with open(place, "w") as file:
            file.writelines(lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("where", nargs="+")
    parser.add_argument("--build", default="build/mutate")
    parser.add_argument("--tests")
    parser.add_argument("--limit", type=int, default=60)
    parser.add_argument("--timeout", type=int, default=120)
    parser.add_argument("--out", default="tests/mutation/survivors.txt")
    o = parser.parse_args()
    paths = sorted(os.path.join(folder, f) for w in o.where for folder, _, files in
                   (os.walk(w) if os.path.isdir(w) else [(os.path.dirname(w), [], [os.path.basename(w)])])
                   for f in files if f.endswith((".c", ".h")))
    layer = o.where[0].rstrip("/").split("/")[1] if "/" in o.where[0] else ""
    tests = o.tests or TESTS.get(layer, ".")
    every = find_changes(paths)
    step = max(1, len(every) // o.limit)
    changes = every[::step][:o.limit]
    prepare(o.build)
    survivors = []
    for i, change in enumerate(changes, 1):
        fate = try_change(o.build, change, tests, o.timeout)
        path, number, kind, old, new = change
        print(f"{i}/{len(changes)} {path}:{number} {kind}: {'SURVIVED' if fate else 'noticed'}", flush=True)
        if fate:
            survivors.append(f"{path}:{number} {kind}\n  - {old.strip()}\n  + {new.strip()}\n")
    os.makedirs(os.path.dirname(o.out), exist_ok=True)
    with open(o.out, "w") as file:
        file.write(f"{' '.join(o.where)}: {len(survivors)} of {len(changes)} changes survived ({len(every)} possible), "
                   f"tests: {tests}\n\n" + "\n".join(survivors))
    return 0


if __name__ == "__main__":
    sys.exit(main())
