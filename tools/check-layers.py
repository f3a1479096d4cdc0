#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks that each file includes only its own room, what layers.txt allows that room, and public headers.
Internal includes are written relative to src/, e.g. "sim/events/jump.h".  Checks too that rooms only name
rooms above them in the table, that no two files of a layer have the same name, that a header with plain static
functions, which is the source of a kernel, is compiled by one file only, that files and lists of parameters are not
too long, and that each source and test is in the list that builds it: one in no list would never be compiled."""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
FOREIGN = {"rate_others"}  # signatures that other libraries ask for
MOST_LINES, MOST_PARAMETERS = 450, 8  # of a file of src, of a function
DEFINITION = re.compile(r"^[a-z][\w *]*?\b(\w+)\(((?:[^(){};]|\([^()]*\))*)\)\n\{", re.MULTILINE)
FUNCTION = re.compile(r"^static (?!inline|const)[^;{}=]*\)\n\{", re.MULTILINE)
INCLUDE = re.compile(r'^\s*#\s*include\s*(["<])([^">]+)[">]', re.MULTILINE)


def read_table():
    """Room -> the rooms and layers that it may include, in the order of the table."""
    lines = (ROOT / "tools/layers.txt").read_text().splitlines()
    pairs = (line.split(":") for line in lines if line.strip() and not line.startswith("#"))
    return {room.strip(): allowed.split() for room, allowed in pairs}


def allows(table, room, other):
    """May files of `room` include those of `other`?  A layer's name stands for all its rooms, but within the
    layer itself for the files that are in no room."""
    if other == room or other in table[room]:
        return True
    layer = other.split("/")[0]
    return layer in table[room] and layer != room.split("/")[0]


def complaint(table, room, quote, name):
    """What is wrong with including `name` in a file of `room`, or None."""
    folder = name.rpartition("/")[0]
    layers = {r.split("/")[0] for r in table}
    if folder == "linkwork":
        return None if (ROOT / "include" / name).exists() else "no such public header"
    if quote == "<" and folder.split("/")[0] not in layers:
        return None  # the system's
    if room == "cli" and not folder:
        return None  # its own
    if room in ("cli", "include"):
        return "only public headers (linkwork/...) may be included here"
    if folder not in table:
        return "write internal includes relative to src/"
    return None if allows(table, room, folder) else f"{room} may not include {folder}"


def table_errors(table):
    """Rooms that name what does not stand above them."""
    known = set()
    for room, allowed in table.items():
        for other in allowed:
            if other not in known and other not in {k.split("/")[0] for k in known}:
                yield f"tools/layers.txt: {room} names {other}, which does not stand above it"
        known.add(room)


def same_names():
    """Two files of one layer with the same name."""
    seen = {}
    for path in sorted((ROOT / "src").rglob("*.[ch]")):
        parts = path.relative_to(ROOT / "src").parts
        first = seen.setdefault((parts[0], parts[-1]), path)
        if first is not path:
            yield f"{path.relative_to(ROOT)}: has the name of {first.relative_to(ROOT)}"


def shared_kernels():
    """Headers with plain static functions that more than one file compiles."""
    texts = {str(p.relative_to(ROOT / "src")): p.read_text(encoding="utf-8") for p in (ROOT / "src").rglob("*.[ch]")}
    inside = {name: {i for _, i in INCLUDE.findall(text) if i in texts} for name, text in texts.items()}

    def reached(name):
        seen, left = set(), [name]
        while left:
            new = inside[left.pop()] - seen
            seen |= new
            left += new
        return seen

    users = {}
    for name in texts:
        for header in reached(name) if name.endswith(".c") else ():
            users.setdefault(header, []).append(name)
    for name, text in sorted(texts.items()):
        if name.endswith(".h") and FUNCTION.search(text) and len(users.get(name, [])) != 1:
            yield f"src/{name}: the source of a kernel, but compiled by {len(users.get(name, []))} files"


def too_long():
    """Files of src with too many lines, functions with too many parameters."""
    for path in sorted((ROOT / "src").rglob("*.[ch]")):
        text, name = path.read_text(encoding="utf-8"), path.relative_to(ROOT)
        if text.count("\n") > MOST_LINES:
            yield f"{name}: {text.count(chr(10))} lines, more than {MOST_LINES}"
        for function, parameters in DEFINITION.findall(text):
            n = re.sub(r"\([^()]*\)", "", parameters).count(",") + 1
            if n > MOST_PARAMETERS and function not in FOREIGN:
                yield f"{name}: {function} has {n} parameters, more than {MOST_PARAMETERS}"


def unlisted():
    """Sources and tests whose name is not a word of the CMakeLists.txt in charge of them."""
    for pattern in ("src/**/*.c", "cli/*.c", "examples/*.c", "bench/*.c", "tests/*/test_*.*"):
        for path in sorted(ROOT.glob(pattern)):
            test = pattern.startswith("tests")
            folder = ROOT / "tests" if test else ROOT.joinpath(*path.relative_to(ROOT).parts[:2 if pattern[:3] == "src" else 1])
            name = path.stem[len("test_"):] if test else path.stem
            if not re.search(rf"\b{name}\b", (folder / "CMakeLists.txt").read_text()):
                yield path.relative_to(ROOT)


def main():
    table = read_table()
    errors = count = 0
    files = [f for top in ("include", "src", "cli") for f in sorted((ROOT / top).rglob("*.[ch]"))]
    for path in files:
        parts = path.relative_to(ROOT).parts
        room = "/".join(parts[1:-1]) if parts[0] == "src" else parts[0]
        text = path.read_text(encoding="utf-8")
        for match in INCLUDE.finditer(text):
            count += 1
            known = room in table or room == "include"
            wrong = complaint(table, room, *match.groups()) if known else "not in tools/layers.txt"
            if wrong:
                errors += 1
                line = text.count("\n", 0, match.start(1)) + 1
                print(f"{'/'.join(parts)}:{line}: {match[2]}: {wrong}", file=sys.stderr)
    others = [*table_errors(table), *same_names(), *shared_kernels(), *too_long(), *(f"{path}: in no CMakeLists.txt" for path in unlisted())]
    for text in others:
        print(text, file=sys.stderr)
    errors += len(others)
    print(f"{len(files)} files, {count} includes, {errors} errors")
    return 1 if errors or not files else 0


sys.exit(main())
