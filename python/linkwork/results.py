# SPDX-License-Identifier: Apache-2.0
"""Files of results: HDF5 as `run(output="run.h5")` and `linkwork run -o run.h5` write it, and tables in CSV."""
from __future__ import annotations

import os
from typing import Any, Sequence

import numpy as np

from . import errors
from ._linkwork import ffi, lib
from .arrays import Array, copied, freed_text, owned, pointer
from .model import Model
from .run import Event, Hit, Result, Statistics, patterns_of
from .spec import TextSource


def read(path: str | os.PathLike[str], columns: str | Sequence[str] | None = None) -> Result:
    """Reads a file of results, also one that is still being written; columns: names and patterns, default all.

    Momenta at events and the energy balance are not in files: they are NaN and None.  `options` are the facts of the run, as texts.

    >>> import linkwork as lw, tempfile, pathlib
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder) / "run.h5"
    ...     r = lw.load(models / "latch.yaml").run(output=path)
    ...     again = lw.read(path, "q.*")
    >>> again.columns, [e.names for e in again.events]
    (('t', 'q.hinge'), [('latch',), ('open', 'push')])
    >>> bool((again["q.hinge"] == r["q.hinge"]).all())
    True
    """
    err, file = errors.new_error(), os.fspath(path)
    opened = lib.lw_results_open(file.encode(), err)
    if not opened:
        errors.fail(err, file)
    r = owned(opened, lib.lw_results_free)
    n, rows = int(lib.lw_results_columns(r)), int(lib.lw_results_rows(r))
    chosen = ffi.new("bool[]", max(n, 1))
    if lib.lw_results_select(r, patterns_of(columns), chosen, err) != 0:
        errors.fail(err, file)
    wanted = [i for i in range(n) if chosen[i] or i == lib.lw_results_find(r, b"t")]  # times are always there
    table = np.empty((rows, len(wanted)), order="F")
    for k, i in enumerate(wanted):
        if lib.lw_results_read(r, i, 0, rows, pointer(table[:, k]), err) != 0:
            errors.fail(err, file)
    facts = {name: errors.text_of(lib.lw_results_fact(r, name.encode())) for name in
             (errors.text_of(lib.lw_results_fact_name(r, i)) for i in range(lib.lw_results_nfact(r)))}
    s = lib.lw_results_status(r).statistics
    known = Statistics(errors.text_of(s.method), s.steps, s.evaluations, s.rejected, s.smallest_step, s.largest_step) if s.method else None
    model = _model(r)
    start = float(table[0, 0]) if rows and wanted else 0.0
    parts = freed_text(lib.lwpy_results_parts(r, model._model, start)) if model is not None and lib.lw_results_nevent(r) else None
    return Result(tuple(errors.text_of(lib.lw_results_name(r, i)) for i in wanted), table, _events(r), known, None, dict(facts), (),
                  facts.get("name", ""), tuple(errors.text_of(lib.lw_results_unit(r, i)) for i in wanted), model, parts)


def _model(r: Any) -> Model | None:
    """The model that the file holds, with the parameters of the run."""
    sources = lib.lw_results_sources(r)
    if not sources or lib.lw_sources_count(sources) == 0:
        return None
    values = ffi.new("double *")
    parameters = {errors.text_of(lib.lw_results_parameter(r, i, values)): float(values[0]) for i in range(lib.lw_results_nparameter(r))}
    kept = (lib.lw_sources_get(sources, i) for i in range(lib.lw_sources_count(sources)))
    files = [(ffi.string(k.path), bytes(ffi.buffer(k.text, k.length))) for k in kept]
    source = TextSource(files[0][1], files[0][0].decode(), {})
    source.included = tuple(files[1:])
    try:
        m = Model(source)
        changed = {name: value for name, value in parameters.items() if m.parameters.get(name) != value}
        return Model(source, changed) if changed else m
    except errors.Error:  # written by another version, or read with options that the file does not have
        return None


def _events(r: Any) -> list[Event]:
    """Simultaneous events are one."""
    found: dict[int, list[Any]] = {}
    for i in range(lib.lw_results_nevent(r)):
        e = lib.lw_results_event(r, i)
        found.setdefault(int(e.instant), []).append(e)
    hits: dict[int, list[Hit]] = {}
    for i in range(lib.lw_results_nhit(r)):
        h = lib.lw_results_hit(r, i)
        hits.setdefault(int(h.instant), []).append(Hit(errors.text_of(h.name), float(h.impulse)))
    impulses: dict[int, dict[str, Array]] = {}
    for i in range(lib.lw_results_nimpulse(r)):
        p = lib.lw_results_impulse(r, i)
        if p.kind == lib.LW_IMPULSE_JOINT:
            impulses.setdefault(int(p.instant), {})[errors.text_of(p.name)] = copied(p.impulse, 6)
    unknown = np.full(6, np.nan)
    return [Event(e[0].time, tuple(errors.text_of(x.name) for x in e), e[0].kinetic_before, e[0].kinetic_after, e[0].jump_energy, unknown, unknown,
                  impulses.get(k, {}), tuple(hits.get(k, ())), any(bool(x.stops) for x in e), ()) for k, e in found.items()]
