#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""draw-layers.py [--check]: docs/architecture.svg from tools/layers.txt: a band per layer, the lowest at the
bottom; in it a box per room, which may include the rooms to its left and all layers that its layer may include.
Layers that are independent of each other share a band.  --check: fails if the picture is not current."""
import html
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
PICTURE = ROOT / "docs/architecture.svg"
WHAT = {  # what a room holds, in few words
    "base": "memory, names, errors", "math": "3-vectors, rotations, spatial algebra", "graph": "digraphs, trees, orderings",
    "linalg": "small and block factors", "model/expression": "text to values and derivatives", "model/joint": "joints, equations, frames",
    "model/spec": "what users describe", "model": "what is compiled", "model/compile": "spec to model, and its derivative",
    "tree/recursion": "kernels, one per width", "tree/loops": "cut joints, embedding, closing", "tree/derivatives": "along directions",
    "tree/sko": "operators of the papers", "tree": "public calls", "dca": "divide and conquer", "cartesian/reduced": "block Cholesky",
    "cartesian/form": "rows, partitioning", "cartesian/solvers": "solvers to compare", "sim/formulation": "one interface for three",
    "sim/integrate": "steps", "sim/output": "columns of results", "sim/events": "when and what", "sim/run": "a model over time",
    "sim/sensitivity": "derivatives of runs", "analysis": "equilibrium, modes, inverse", "io/file": "reading, safe writing", "io/read": "model files",
    "io/table": "CSV", "io/picture": "SVG", "cli": "the command line: public headers only",
}
WIDTH, BAND, GAP, MARGIN, LABEL = 1120, 62, 14, 20, 96


def read_table():
    lines = (ROOT / "tools/layers.txt").read_text().splitlines()
    pairs = (line.split(":") for line in lines if line.strip() and not line.startswith("#"))
    return {room.strip(): allowed.split() for room, allowed in pairs}


def levels(table):
    """Layers by level: one above the highest layer that any of its rooms may include."""
    level = {}
    for room, allowed in table.items():
        layer = room.split("/")[0]
        below = [level[a.split("/")[0]] for a in allowed if a.split("/")[0] != layer]
        level[layer] = max([level.get(layer, 0), *(b + 1 for b in below)])
    level["cli"] = max(level.values()) + 1
    return level


def draw(table):
    level = levels(table)
    ranks = sorted(set(level.values()), reverse=True)
    height = 2 * MARGIN + len(ranks) * (BAND + GAP)
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{height}" viewBox="0 0 {WIDTH} {height}" '
           'font-family="sans-serif" font-size="13">',
           "<style>.band{fill:#eef2f7}.room{fill:#fff;stroke:#47617f}.name{font-weight:600;fill:#1d2f45}.what{font-size:10.5px;fill:#47617f}</style>"]
    for row, rank in enumerate(ranks):
        y = MARGIN + row * (BAND + GAP)
        layers = [layer for layer in level if level[layer] == rank]
        out.append(f'<rect class="band" x="{MARGIN}" y="{y}" width="{WIDTH - 2 * MARGIN}" height="{BAND}" rx="6"/>')
        share = (WIDTH - 2 * MARGIN) / len(layers)
        for at, layer in enumerate(layers):
            rooms = [r for r in table if r.split("/")[0] == layer]
            x0 = MARGIN + at * share
            out.append(f'<text class="name" x="{x0 + 10:.0f}" y="{y + BAND / 2 + 5:.0f}">{layer}</text>')
            step = (share - LABEL - 6) / len(rooms)
            for k, room in enumerate(rooms):
                x, width = x0 + LABEL + k * step, step - 8
                name = room.split("/")[-1] if "/" in room else room
                out += [f'<rect class="room" x="{x:.0f}" y="{y + 8}" width="{width:.0f}" height="{BAND - 16}" rx="4"/>',
                        f'<text class="name" x="{x + 8:.0f}" y="{y + 27}">{name}</text>',
                        f'<text class="what" x="{x + 8:.0f}" y="{y + 44}">{html.escape(WHAT.get(room, ""))}</text>']
    return "\n".join([*out, "</svg>", ""])


def main():
    picture = draw(read_table())
    if "--check" not in sys.argv:
        PICTURE.write_text(picture)
        return 0
    if PICTURE.exists() and PICTURE.read_text() == picture:
        return 0
    print("docs/architecture.svg is not that of tools/layers.txt: run tools/draw-layers.py", file=sys.stderr)
    return 1


sys.exit(main())
