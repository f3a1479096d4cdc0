#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Draws momentum and kinetic energy across the events of a run without external loads.

    linkwork run models/coarse-graining.yaml --json | tools/plot-transitions.py > docs/theory/coarse-graining.svg
"""
import json
import math
import sys

PHASES = ["particles", "rigid bodies", "articulated", "rigid bodies", "particles"]
WIDTH, HEIGHT = 550, 120


def curve(events, value, end):
    """Points (t, y): a step at each event; in between nothing changes."""
    points = [(0.0, value(events[0], "before"))]
    for event in events:
        points += [(event["time"], value(event, "before")), (event["time"], value(event, "after"))]
    return points + [(end, points[-1][1])]


def draw(points, end, top, color, label):
    most = max(y for _, y in points)
    line = " ".join(f"{60 + WIDTH * t / end:.1f},{top + 130 - HEIGHT * y / most:.1f}" for t, y in points)
    return [
        f'<polyline fill="none" stroke="{color}" stroke-width="2" points="{line}"/>',
        f'<text x="66" y="{top - 6}" fill="{color}">{label}, largest {most:.6g}</text>',
        f'<path d="M60 {top} V{top + 130} H620" fill="none" stroke="#888"/>',
    ]


def main():
    run = json.load(sys.stdin)
    events, end = run["events"], run["time"]
    if not events:
        sys.exit("the run has no events")

    def norm(key):
        return lambda event, side: math.hypot(*event[f"{key}_momentum_{side}"])

    svg = [
        '<svg xmlns="http://www.w3.org/2000/svg" width="660" height="560" '
        'font-family="sans-serif" font-size="13">',
        '<rect width="100%" height="100%" fill="white"/>',
    ]
    svg += draw(curve(events, norm("linear"), end), end, 40, "#1f5fa8", "linear momentum, N s")
    svg += draw(curve(events, norm("angular"), end), end, 210, "#2b8a3e", "angular momentum, N m s")
    svg += draw(curve(events, lambda e, side: e[f"kinetic_{side}"], end), end, 380, "#c0392b",
                "kinetic energy, J")
    starts = [0.0] + [event["time"] for event in events]
    for i, (t, name) in enumerate(zip(starts, PHASES)):
        x = 60 + WIDTH * t / end
        svg.append(f'<text x="{x + 4:.0f}" y="535">{name}</text>')
        if i:
            svg.append(f'<path d="M{x:.0f} 30 V540" stroke="#bbb"/>')
    print("\n".join(svg + ["</svg>"]))


if __name__ == "__main__":
    main()
