# SPDX-License-Identifier: Apache-2.0
"""A run as a page for browsers and notebooks."""
from __future__ import annotations

import json
import os
import tempfile
from dataclasses import asdict
from html import escape
from typing import TYPE_CHECKING, Any, Iterable, Sequence

import numpy as np

from . import errors
from ._linkwork import ffi, lib
from .arrays import Array, pointer

if TYPE_CHECKING:
    from .run import Result

_COLOURS = ("#1f6f8b", "#c8553d", "#588157", "#7b5ea7", "#b08900", "#3d405b", "#d17b88", "#2a9d8f")
_WIDTH, _HEIGHT, _LEFT, _MOST = 640, 180, 70, 1500


def write(r: Result, path: str) -> None:
    """The page of `linkwork run --report`: the mechanism in three dimensions, plots, tables."""
    if r.model is None:
        raise errors.ArgumentError("a report needs the model: these results do not have it", path)
    model = r.model._model
    texts = [ffi.new("char[]", x.encode()) for x in (*r.columns, *r.units)]
    table, err = np.ascontiguousarray(r.table), errors.new_error()
    said = [ffi.new("char[]", x.encode()) for x in (json.dumps(_facts(r)), r._parts or "")]
    heads, data = ffi.new("const char *[]", texts), pointer(table)
    x = ffi.new("lw_page_table *", {"text": heads, "ncolumn": len(r.columns), "data": data, "rows": len(r), "facts": said[0],
                                    "parts": said[1] if r._parts else ffi.NULL})
    if lib.lw_page_of_table(model, x, path.encode(), err) != 0:
        errors.fail(err, path)


def html(r: Result) -> str:
    """The same as text."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "page.html")
        write(r, path)
        with open(path, encoding="utf-8") as f:
            return f.read()


def inline(r: Result) -> str:
    """For notebooks: the page in a frame; without poses of bodies the plots."""
    try:
        page = html(r)
    except errors.Error:
        return summary(r, ())
    return f'<iframe srcdoc="{escape(page)}" style="width:100%;height:640px;border:0" title="{escape(r.name or "run")}"></iframe>'


def _number(x: float) -> float | None:
    return float(x) if np.isfinite(x) else None


def _facts(r: Result) -> dict[str, Any]:
    """As `linkwork run --json` says them."""
    facts: dict[str, Any] = {"name": r.name, "rows": len(r), "time": float(r.t[-1]) if len(r) else 0.0, "formulation": r.options.get("formulation")}
    facts["events"] = [{"time": e.time, "names": list(e.names), "kinetic_before": _number(e.kinetic_before), "kinetic_after": _number(e.kinetic_after),
                        "kinetic_lost": _number(e.kinetic_before - e.kinetic_after), "hits": {h.name: _number(h.impulse) for h in e.hits}}
                       for e in r.events]
    facts["event_warnings"] = [{"text": w} for e in r.events for w in e.warnings]
    facts["singularities"] = [{"time": t, "dof": dof, "dof_there": there} for t, dof, there in r.singularities]
    if r.balance is not None and "energy.error" in r and len(r):
        b = r.balance
        facts["energy"] = {"start": {"total": _number(r["energy.total"][0])}, "end": {"total": b.kinetic + b.potential}, "work": b.work, "events": b.events,
                           "error": b.error, "largest_error": _number(float(np.nanmax(np.abs(r["energy.error"])))), "explained": b.explained,
                           "balanced": bool(abs(b.error) <= b.explained)}
    if "drift" in r and len(r):
        facts["drift"] = _number(float(np.nanmax(r["drift"])))
    if r.statistics is not None:
        facts["statistics"] = {**asdict(r.statistics), **{k: _number(float(r.options[k])) for k in ("rtol", "atol") if k in r.options}}
    return facts


def summary(r: Result, patterns: Sequence[str]) -> str:
    """Plots and events, for a page or a notebook."""
    groups: dict[str, list[str]] = {}
    for name in r.match(*(patterns or ("q.*", "energy.*"))):
        groups.setdefault(name.split(".")[0], []).append(name)
    plots = "".join(_plot(r, group, names) for group, names in groups.items())
    span = f", t = {r.t[0]:g} ... {r.t[-1]:g} s" if len(r) else ""
    return f"<h2>{escape(r.name or 'run')}</h2><p>{len(r)} rows, {len(r.columns)} columns{span}</p>{plots}{_events(r)}{_balance(r)}"


def _plot(r: Result, group: str, names: Sequence[str]) -> str:
    """Lines over time.  Long runs are thinned to the extremes of equal parts, which keeps peaks."""
    shown = names[:len(_COLOURS)]
    finite = np.concatenate([r[n][np.isfinite(r[n])] for n in shown])
    if len(r) < 2 or finite.size == 0:
        return ""
    low, high = float(finite.min()), float(finite.max())
    high += (high - low == 0) * max(1.0, abs(low))
    x = _LEFT + (_WIDTH - _LEFT - 10) * (r.t - r.t[0]) / max(float(r.t[-1] - r.t[0]), 1e-300)
    lines = []
    for name, colour in zip(shown, _COLOURS):
        y = _HEIGHT - 20 - (_HEIGHT - 30) * (r[name] - low) / (high - low)
        keep = _thinned(y)
        lines += [f"<polyline fill='none' stroke='{colour}' stroke-width='1.3' points='{piece}'/>" for piece in _pieces(x[keep], y[keep])]
    labels = (f"<text x='{_LEFT - 6}' y='16' text-anchor='end'>{high:.4g}</text><text x='{_LEFT - 6}' y='{_HEIGHT - 18}' text-anchor='end'>{low:.4g}</text>"
              f"<text x='{_LEFT}' y='{_HEIGHT - 3}'>{r.t[0]:g}</text><text x='{_WIDTH - 10}' y='{_HEIGHT - 3}' text-anchor='end'>{r.t[-1]:g} s</text>")
    frame = f"<rect x='{_LEFT}' y='10' width='{_WIDTH - _LEFT - 10}' height='{_HEIGHT - 30}' fill='none' stroke='#ccc'/>"
    keys = " ".join(f"<span style='color:{c}'>{escape(n)}</span>" for n, c in zip(shown, _COLOURS))
    more = f" and {len(names) - len(shown)} more" if len(names) > len(shown) else ""
    return (f"<p><b>{escape(group)}</b> {keys}{more}</p><svg viewBox='0 0 {_WIDTH} {_HEIGHT}' width='{_WIDTH}' font-size='11' fill='#555'>"
            f"{frame}{''.join(lines)}{labels}</svg>")


def _thinned(y: Array) -> Any:
    if len(y) <= _MOST:
        return np.arange(len(y))
    parts = np.array_split(np.arange(len(y)), _MOST // 2)
    filled = np.where(np.isfinite(y), y, 0.0)
    return np.unique(np.concatenate([[p[0], p[np.argmin(filled[p])], p[np.argmax(filled[p])]] for p in parts] + [[len(y) - 1]]))


def _pieces(x: Array, y: Array) -> Iterable[str]:
    """Polylines, broken where a column does not exist."""
    points: list[str] = []
    for a, b in zip(x, y):
        if np.isfinite(b):
            points.append(f"{a:.1f},{b:.1f}")
        elif points:
            yield " ".join(points)
            points = []
    if points:
        yield " ".join(points)


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    cells = "".join("<tr>" + "".join(f"<td>{escape(c)}</td>" for c in row) + "</tr>" for row in rows)
    return "<table><tr>" + "".join(f"<th>{escape(h)}</th>" for h in head) + f"</tr>{cells}</table>"


def _events(r: Result) -> str:
    if not r.events:
        return ""
    rows = [(f"{e.time:.6g}", ", ".join(e.names), f"{e.kinetic_before:.6g}", f"{e.kinetic_after:.6g}") for e in r.events[:200]]
    more = f"<p>and {len(r.events) - 200} more</p>" if len(r.events) > 200 else ""
    return "<h3>Events</h3>" + _table(("t [s]", "what", "kinetic energy before [J]", "after [J]"), rows) + more


def _balance(r: Result) -> str:
    b = r.balance
    if b is None:
        return ""
    return (f"<p>Energy: kinetic {b.kinetic:.6g} J, potential {b.potential:.6g} J, work {b.work:.6g} J; error {b.error:.2g} J, "
            f"of which the tolerances explain {b.explained:.2g} J.</p>")
