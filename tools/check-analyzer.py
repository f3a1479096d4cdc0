#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""check-analyzer.py [FILE...]: gcc -fanalyzer on all sources, or on FILEs.

Each warning is one of tools/analyzer-accepted.txt, which says why it is a false alarm, or fails the check; so does a
line of that list which no longer applies (only if all sources are analysed).  Exit 77: there is no gcc."""
import concurrent.futures
import os
import pathlib
import re
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
ACCEPTED = ROOT / "tools" / "analyzer-accepted.txt"
FLAGS = ["-std=c17", "-O1", "-fanalyzer", "-fdiagnostics-plain-output", "-fanalyzer-verbosity=0", "-Wno-all",
         "-Wno-analyzer-too-complex", "-D_GNU_SOURCE", "-DLW_LANES=1", '-DLINKWORK_VERSION="x"', "-c", "-o", "/dev/null"]
FUNCTION = re.compile(r"In function '(\w+)'")
WARNING = re.compile(r"^(\S+?):(\d+):\d+: warning: (.*?) \[.*-Wanalyzer-([\w-]+)\]")


def analyse(path):
    """(file, function, kind) of each warning, with its text; what is no warning of the analyzer is an error"""
    include = [f"-I{ROOT / name}" for name in ("include", "src", "cli")]
    done = subprocess.run(["gcc", *FLAGS, *include, str(path)], cwd=ROOT, capture_output=True, text=True,
                          env=os.environ | {"LC_ALL": "C"})
    found, function = {}, "?"
    for line in done.stderr.splitlines():
        if match := FUNCTION.search(line):
            function = match.group(1)
        if match := WARNING.match(line):
            where = os.path.relpath(ROOT / match.group(1), ROOT)
            found[(where, function, match.group(4))] = f"{where}:{match.group(2)}: {function}: {match.group(3)}"
    if done.returncode != 0:
        found[(str(path), "?", "error")] = done.stderr
    return found


def accepted():
    lines = [line.split("#")[0].split() for line in ACCEPTED.read_text().splitlines()]
    return {tuple(words) for words in lines if words}


def main():
    if not shutil.which("gcc"):
        print("no gcc")
        return 77
    every = sorted(path for folder in ("src", "cli") for path in (ROOT / folder).rglob("*.c"))
    paths = [pathlib.Path(name).resolve() for name in sys.argv[1:]] or every
    found = {}
    with concurrent.futures.ThreadPoolExecutor(int(os.environ.get("JOBS", os.cpu_count() or 1))) as pool:
        for result in pool.map(analyse, paths):
            found.update(result)
    new = sorted(set(found) - accepted())
    gone = sorted(accepted() - set(found)) if paths == every else []
    for key in new:
        print(f"{found[key]} [{key[2]}]")
    for key in gone:
        print(f"{ACCEPTED.name}: {' '.join(key)}: no longer found")
    print(f"{len(paths)} files, {len(found)} warnings, {len(new)} new, {len(gone)} no longer found")
    return 1 if new or gone else 0


if __name__ == "__main__":
    sys.exit(main())
