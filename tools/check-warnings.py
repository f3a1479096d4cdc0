#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""check-warnings.py analyzer|tidy BUILD [FILE...]: gcc -fanalyzer, or clang-tidy, on all sources, or on FILEs, as
BUILD/compile_commands.json compiles them.

Each warning is one of tools/analyzer-accepted.txt or tools/tidy-accepted.txt, which says why it is a false alarm, or
fails the check; so does a line of that list which no longer applies (only if all sources are analysed).  Exit 77: there
is no such program."""
import concurrent.futures
import json
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
FLAGS = ["-O1", "-fanalyzer", "-fdiagnostics-plain-output", "-fanalyzer-verbosity=0", "-Wno-all", "-Wno-psabi",
         "-Wno-analyzer-too-complex", "-c", "-o", "/dev/null"]
KEPT = re.compile(r"-(D|I|m|std=)")
FUNCTION = re.compile(r"In function '(\w+)'")
WARNING = re.compile(r"^(?:(\S+?):(\d+):\d+|cc1): warning: (.*?) \[.*-Wanalyzer-([\w-]+)\]")
FINDING = re.compile(r"^(\S+?):(\d+):\d+: (?:warning|error): (.*) \[([\w.-]+)(?:,.*)?\]$")
# Left out: bugprone-sizeof-expression, which takes `sizeof table / sizeof *table` of a table of pointers for a mistake, and
# bugprone-macro-parentheses, which wants them around the names and initialisers that lists as macros are made of;
# core.UndefinedBinaryOperatorResult: arrays filled by loops that it does not follow to their ends, everywhere.
CHECKS = ["-*", "clang-analyzer-core.*", "clang-analyzer-unix.*", "bugprone-suspicious-memset-usage",
          "bugprone-infinite-loop", "-clang-analyzer-core.UndefinedBinaryOperatorResult"]


def commands(build):
    """{file: options that it is compiled with}, the first of several times"""
    options = {}
    for entry in json.loads((pathlib.Path(build) / "compile_commands.json").read_text()):
        words = shlex.split(entry["command"])
        kept = [word for word in words if KEPT.match(word)]
        kept += [f"-isystem{words[i + 1]}" for i, word in enumerate(words) if word == "-isystem"]
        options.setdefault(pathlib.Path(entry["file"]).resolve(), kept)
    return options


def gcc_warnings(build, path, options):
    """(file, function, kind) of each warning, with its text; what is no warning of the analyzer is an error"""
    done = subprocess.run(["gcc", *options, *FLAGS, str(path)], cwd=ROOT, capture_output=True, text=True,
                          env=os.environ | {"LC_ALL": "C"})
    found, function = {}, "?"
    for line in done.stderr.splitlines():
        if match := FUNCTION.search(line):
            function = match.group(1)
        if match := WARNING.match(line):
            where = os.path.relpath(ROOT / (match.group(1) or path), ROOT)
            found[(where, function, match.group(4))] = f"{where}:{match.group(2)}: {function}: {match.group(3)}"
    if done.returncode != 0:
        found[(str(path), "?", "error")] = done.stderr
    return found


def tidy_warnings(build, path, options):
    """the same of clang-tidy, which does not say the function"""
    if path.name.endswith("_kernels.c"):
        return {}  # their vectors are what gcc compiles; the analyzer of gcc sees them
    done = subprocess.run(["clang-tidy", "-quiet", "-p", str(build), f"--checks={','.join(CHECKS)}", str(path)],
                          cwd=ROOT, capture_output=True, text=True)
    found = {}
    for line in done.stdout.splitlines():
        if match := FINDING.match(line):
            where = os.path.relpath(ROOT / match.group(1), ROOT)
            found[(where, "?", match.group(4))] = f"{where}:{match.group(2)}: {match.group(3)}"
    if done.returncode != 0:
        found[(str(path), "?", "error")] = done.stdout + done.stderr
    return found


TOOLS = {"analyzer": ("gcc", gcc_warnings), "tidy": ("clang-tidy", tidy_warnings)}


def accepted(path):
    lines = [line.split("#")[0].split() for line in path.read_text().splitlines()]
    return {tuple(words) for words in lines if words}


def covers(line, key):
    return line == (key[0], key[1] if line[1] != "*" else "*", key[2])


def main():
    tool, build = sys.argv[1:3]
    program, warnings = TOOLS[tool]
    if not shutil.which(program):
        print(f"no {program}")
        return 77
    options = commands(build)
    every = sorted(path for path in options if path.relative_to(ROOT).parts[0] in ("src", "cli"))
    paths = [pathlib.Path(name).resolve() for name in sys.argv[3:]] or every
    listed = ROOT / "tools" / f"{tool}-accepted.txt"
    known = accepted(listed)
    found, new = {}, set()
    with concurrent.futures.ThreadPoolExecutor(int(os.environ.get("JOBS", os.cpu_count() or 1))) as pool:
        for result in pool.map(lambda path: warnings(build, path, options[path]), paths):
            for key in sorted(key for key in result if not any(covers(line, key) for line in known)):
                print(f"{result[key]} [{key[2]}]", flush=True)
                new.add(key)
            found.update(result)
    gone = [key for key in sorted(known) if not any(covers(key, other) for other in found)] if paths == every else []
    for key in gone:
        print(f"{listed.name}: {' '.join(key)}: no longer found")
    print(f"{len(paths)} files, {len(found)} warnings, {len(new)} new, {len(gone)} no longer found")
    return 1 if new or gone else 0


if __name__ == "__main__":
    sys.exit(main())
