#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""format-tables.py [--check]: writes the tables of keys of docs/format.md, from docs/model.schema.json.

A table stands between `<!-- keys of PART -->` (or `<!-- keys of PART: TYPE ... -->`, for a part with types) and
`<!-- end -->`.  Every part of the schema, and every type of it, must be in some table.  --check writes nothing and fails
if a table is not current.
"""
import json
import os
import re
import sys

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")
REFERENCE = os.path.join(ROOT, "docs", "format.md")
SCHEMA = os.path.join(ROOT, "docs", "model.schema.json")


def load(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def tables_of(schema):
    """{"joint": {"revolute": definition, ...}, "body": {None: definition}, ...}"""
    found = {"file": {None: schema}}
    definitions = schema["definitions"]
    for name, one in definitions.items():
        keys = one.get("properties", {})
        if "allOf" in one and keys.keys() == {"type"}:
            types = [x["if"]["properties"]["type"]["const"] for x in one["allOf"]]
        elif keys and all("$ref" in x for x in keys.values()):
            types = list(keys)
        else:
            types = None
        if types:
            found[name] = {t: definitions[f"{t}_{name}"] for t in types}
    several = {f"{t}_{name}" for name, types in found.items() for t in types if t}
    for name, one in definitions.items():
        if name in several or not any("x-is" in x for x in one.get("properties", {}).values()):
            continue
        found[name.removesuffix("_keys")] = {None: one}
    return found


def cell(text):
    return text.replace("|", "\\|")


def rows_of(chosen):
    """One row per key, in order; what differs between types is listed."""
    rows = {}
    for kind, one in chosen.items():
        for key, value in one["properties"].items():
            if "x-is" not in value or (kind and key == "type" and len(chosen) == 1):
                continue
            row = rows.setdefault(key, {"value": value, "units": [], "of": [], "required": []})
            unit = value.get("x-unit")
            if unit and unit not in row["units"]:
                row["units"].append(unit)
            row["of"].append(kind)
            if key in one.get("required", []):
                row["required"].append(kind)
    return rows


def table(chosen):
    many = len(chosen) > 1
    lines = ["| key | type | unit | default | meaning |", "|---|---|---|---|---|"]
    for key, row in rows_of(chosen).items():
        value = row["value"]
        words = value["x-is"]
        if " | " in words:
            words = ", ".join(f"`{w}`" for w in words.split(" | "))
        needed = row["required"] == row["of"] or key == "type"
        default = "required" if needed else value.get("x-default", "")
        meaning = value["description"]
        if many and len(row["of"]) < len(chosen):
            meaning += "; of " + ", ".join(f"`{t}`" for t in row["of"])
        lines.append("| " + " | ".join(cell(x) for x in (f"`{key}`", words, ", ".join(row["units"]), default, meaning))
                     + " |")
    return "\n".join(lines)


def rewrite(text, parts):
    used = set()

    def one(match):
        part, types = match.group(1), (match.group(2) or "").split()
        if part not in parts:
            raise SystemExit(f"docs/format.md: the schema has no part {part}")
        chosen = {t: parts[part][t] for t in types} if types else parts[part]
        used.update((part, t) for t in chosen)
        return f"{match.group(0).splitlines()[0]}\n{table(chosen)}\n<!-- end -->"

    text = re.sub(r"<!-- keys of (\w+)(?:: ([\w ]+))? -->\n(?:.*?)<!-- end -->", one, text, flags=re.S)
    missing = {(p, t) for p, types in parts.items() for t in types} - used
    missing -= {("connection", t) for t in parts["connection"]} | {("joint", "translational")}
    if missing:
        names = sorted(f"{t} {p}" if t else p for p, t in missing)
        raise SystemExit("docs/format.md has no table of keys of " + ", ".join(names))
    return text


def main():
    now = load(REFERENCE)
    wanted = rewrite(now, tables_of(json.loads(load(SCHEMA))))
    if "--check" in sys.argv[1:]:
        if now != wanted:
            raise SystemExit("docs/format.md: tables of keys are out of date; run tools/format-tables.py")
    elif now != wanted:
        with open(REFERENCE, "w", encoding="utf-8") as file:
            file.write(wanted)


main()
