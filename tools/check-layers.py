#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks that each file includes only its own layer, the layers that layers.txt allows it, and
public headers.  Internal includes are written relative to src/, e.g. "math/vec3.h".
Checks too that each source and test is in the list that builds it: one in no list would rot."""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
INCLUDE = re.compile(r'^\s*#\s*include\s*(["<])([^">]+)[">]', re.MULTILINE)


def read_table():
    lines = (ROOT / "tools/layers.txt").read_text().splitlines()
    pairs = (line.split(":") for line in lines if line.strip() and not line.startswith("#"))
    return {layer.strip(): set(allowed.split()) for layer, allowed in pairs}


def complaint(table, layer, quote, name):
    """What is wrong with including `name` in a file of `layer`, or None."""
    folder = name.split("/")[0] if "/" in name else None
    if folder == "linkwork":
        return None if (ROOT / "include" / name).exists() else "no such public header"
    if quote == "<" and folder not in table:
        return None  # the system's
    if layer == "cli" and folder is None:
        return None  # its own
    if layer in ("cli", "include"):
        return "only public headers (linkwork/...) may be included here"
    if folder not in table:
        return "write internal includes relative to src/"
    return None if folder in table[layer] | {layer} else f"{layer} may not include {folder}"


def unlisted():
    """Sources and tests whose name is not a word of the CMakeLists.txt in charge of them."""
    for pattern in ("src/*/*.c", "cli/*.c", "examples/*.c", "bench/*.c", "tests/*/test_*.*"):
        for path in sorted(ROOT.glob(pattern)):
            test = pattern.startswith("tests")
            folder = ROOT / "tests" if test else path.parent
            name = path.stem[len("test_"):] if test else path.stem
            if not re.search(rf"\b{name}\b", (folder / "CMakeLists.txt").read_text()):
                yield path.relative_to(ROOT)


def main():
    table = read_table()
    errors = count = 0
    files = [f for top in ("include", "src", "cli") for f in sorted((ROOT / top).rglob("*.[ch]"))]
    for path in files:
        parts = path.relative_to(ROOT).parts
        layer = parts[1] if parts[0] == "src" else parts[0]
        text = path.read_text(encoding="utf-8")
        for match in INCLUDE.finditer(text):
            count += 1
            known = layer in table or layer == "include"
            wrong = complaint(table, layer, *match.groups()) if known else "not in tools/layers.txt"
            if wrong:
                errors += 1
                line = text.count("\n", 0, match.start(1)) + 1
                print(f"{'/'.join(parts)}:{line}: {match[2]}: {wrong}", file=sys.stderr)
    for path in unlisted():
        errors += 1
        print(f"{path}: in no CMakeLists.txt", file=sys.stderr)
    print(f"{len(files)} files, {count} includes, {errors} errors")
    return 1 if errors or not files else 0


sys.exit(main())
