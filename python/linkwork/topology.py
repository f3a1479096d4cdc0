# SPDX-License-Identifier: Apache-2.0
"""The topology of a model as plain objects."""
from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from . import errors
from ._linkwork import ffi, lib
from .arrays import integers, owned

if TYPE_CHECKING:
    from .model import Model


@dataclass(frozen=True)
class Edge:
    """A joint or constraint between two bodies; `in_tree`: it carries a body of the spanning tree."""
    name: str
    type: str
    parent: str
    child: str
    in_tree: bool


@dataclass(frozen=True)
class Topology:
    """What kind of system a model is, its graph, its spanning tree, its loops.

    `parent` is the spanning tree: the body that carries each body.  A loop is the tuple of the names of its edges, the last of which closes it.
    `segments` are the serial chains of the tree, from base to tip.  `freedoms` are counted: 6 per body (planar 3) minus one per
    equation; redundant equations are counted like others.
    """
    kind: str
    bodies: tuple[str, ...]
    edges: tuple[Edge, ...]
    parent: dict[str, str]
    loops: tuple[tuple[str, ...], ...]
    segments: tuple[tuple[str, ...], ...]
    groups: tuple[tuple[str, ...], ...]
    floating: tuple[bool, ...]
    freedoms: int
    mass_entries: int

    def to_networkx(self) -> Any:
        """A networkx.MultiDiGraph: bodies are nodes, joints and constraints are edges with `name`, `type` and `in_tree`.

        >>> import linkwork as lw
        >>> t = lw.load(models / "four-bar.yaml").topology()
        >>> try:
        ...     t.to_networkx().number_of_edges()
        ... except ImportError:
        ...     4
        4
        """
        import networkx
        g = networkx.MultiDiGraph()
        g.add_nodes_from(("ground", *self.bodies))
        for e in self.edges:
            g.add_edge(e.parent, e.child, key=e.name, name=e.name, type=e.type, in_tree=e.in_tree)
        return g


def topology(self: Model, svg: str | os.PathLike[str] | None = None) -> Topology:
    """The topology of the model; svg: a file that receives a picture of it.

    >>> import linkwork as lw
    >>> t = lw.load(models / "four-bar.yaml").topology()
    >>> t.kind, t.parent, t.loops
    ('closed-chain (constrained) system', {'a': 'ground', 'b': 'a', 'c': 'ground'}, (('C', 'A', 'B', 'D'),))
    """
    err = errors.new_error()
    if svg is not None and lib.lw_write_graph_svg(self._model, os.fspath(svg).encode(), err) != 0:
        errors.fail(err, os.fspath(svg))
    made = lib.lw_topology_new(self._model, err)
    if not made:
        errors.fail(err, self.file)
    t = owned(made, lib.lw_topology_free, self._model)
    bodies = self.bodies
    node = ("ground", *bodies)
    closing = set(integers(t.loop_edge, t.nloop).tolist())
    edges = tuple(_edge(self, t, node, e, e not in closing) for e in range(t.nedge))
    length = 2 * t.tree.nlevel + 2
    loops = []
    for k in range(t.nloop):
        path = ffi.new("int[]", length)
        n = lib.lw_topology_loop(t, k, ffi.NULL, path)
        loops.append(tuple(edges[path[i]].name for i in range(n)))
    s = t.segments
    group = integers(t.group, t.nbody)
    return Topology(
        errors.text_of(lib.lw_system_class_name(t.kind)), bodies, edges,
        {bodies[b]: node[t.tree.parent[b] + 1] for b in range(t.nbody)}, tuple(loops),
        tuple(tuple(bodies[s.node[i]] for i in range(s.start[k], s.start[k + 1])) for k in range(s.nsegment)),
        tuple(tuple(bodies[b] for b in range(t.nbody) if group[b] == g) for g in range(t.ngroup)),
        tuple(bool(t.floating[g]) for g in range(t.ngroup)), t.freedoms, t.mass_entries)


def _edge(model: Model, t: Any, node: tuple[str, ...], e: int, in_tree: bool) -> Edge:
    parent, child = node[lib.lw_graph_from(t.graph, e)], node[lib.lw_graph_to(t.graph, e)]
    if e < t.njoint:
        info = lib.lw_get_joint(model._model, {"id": e + 1})
        return Edge(errors.text_of(info.name), errors.text_of(lib.lw_joint_type_name(info.type)), parent, child, in_tree)
    c = lib.lw_get_constraint(model._model, {"id": t.constraint[e - t.njoint]})
    return Edge(errors.text_of(c.name), errors.text_of(lib.lw_constraint_type_name(c.type)), parent, child, in_tree)
