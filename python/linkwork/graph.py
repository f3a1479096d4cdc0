# SPDX-License-Identifier: Apache-2.0
"""Graphs, trees and spatial kernel operators, with or without mechanics."""
from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Iterable, Sequence

import numpy as np

from . import errors
from ._linkwork import ffi, lib
from .arrays import Array, ArrayLike, choice, integers, numbers, owned, pointer

if TYPE_CHECKING:
    from .data import Data
    from .model import Model


def _made(p: Any, free: Any, err: Any, *made_for: Any) -> Any:
    if not p:
        errors.fail(err)
    return owned(p, free, *made_for)


def _flags(nodes: Iterable[int], n: int) -> Any:
    """A set of nodes as the library has it."""
    flags = ffi.new("unsigned char[]", max(n, 1))
    for v in nodes:
        if not 0 <= v < n:
            raise IndexError(f"there is no node {v}")
        flags[v] = 1
    return flags


def _set(flags: Any, n: int) -> set[int]:
    return {v for v in range(n) if flags[v]}


class Graph:
    """A directed graph of nodes 0 ... n-1 and edges (from, to); parallel edges and loops are allowed.

    >>> import linkwork as lw
    >>> g = lw.Graph(4, [(0, 1), (1, 2), (0, 3), (3, 2)])      # a four-bar linkage: node 0 is the ground
    >>> g.classify()["nloop"], g.spanning_tree().cut
    (1, (3,))
    """

    def __init__(self, n: int, edges: Sequence[tuple[int, int]]) -> None:
        err = errors.new_error()
        start, to = ffi.new("int[]", [e[0] for e in edges] or [0]), ffi.new("int[]", [e[1] for e in edges] or [0])
        self._graph = _made(lib.lw_graph_new(n, len(edges), start, to, err), lib.lw_graph_free, err)
        self.n, self.edges = n, tuple((int(a), int(b)) for a, b in edges)

    def classify(self) -> dict[str, Any]:
        """What kind of graph it is: connected, rooted, acyclic, tree, serial_chain, ...; numbers of loops, roots, leaves.

        >>> import linkwork as lw
        >>> g = lw.Graph(4, [(0, 1), (1, 2), (0, 3), (3, 2)])
        >>> g.classify()["rooted"], g.classify()["tree"]
        (True, False)
        """
        c = lib.lw_graph_classify(self._graph)
        return {name: getattr(c, name) for name, _ in ffi.typeof("lw_graph_class").fields}

    def components(self) -> list[int]:
        """The weak component of every node.

        >>> import linkwork as lw
        >>> g = lw.Graph(4, [(0, 1), (1, 2), (0, 3), (3, 2)])
        >>> g.components()
        [0, 0, 0, 0]
        """
        return [int(x) for x in integers(lib.lw_graph_components(self._graph), self.n)]

    def reach(self, nodes: Iterable[int], *, against: bool = False) -> list[int]:
        """Nodes that can be reached from these along (against) the edges, breadth first.

        >>> import linkwork as lw
        >>> g = lw.Graph(4, [(0, 1), (1, 2), (0, 3), (3, 2)])
        >>> sorted(g.reach([1])), sorted(g.reach([1], against=True))
        ([1, 2], [0, 1])
        """
        reached, found = ffi.new("unsigned char[]", max(self.n, 1)), ffi.new("int[]", max(self.n, 1))
        n = lib.lw_graph_reach(self._graph, lib.LW_TO_PARENTS if against else lib.LW_TO_CHILDREN, _flags(nodes, self.n), reached, found)
        return [found[i] for i in range(n)]

    def spanning_tree(self, *, mode: str = "breadth_first", rank: Sequence[int] | None = None) -> SpanningTree:
        """A spanning forest; mode "breadth_first" or "by_rank": edges of low rank are preferred.

        >>> import linkwork as lw
        >>> g = lw.Graph(4, [(0, 1), (1, 2), (0, 3), (3, 2)])
        >>> g.spanning_tree().parent
        (-1, 0, 1, 0)
        """
        err = errors.new_error()
        ranks = ffi.new("int[]", list(rank)) if rank is not None else ffi.NULL
        how = ffi.new("lw_span_options *", {"mode": choice("lw_span_mode", mode), "rank": ranks})
        s = _made(lib.lw_spanning_tree_new(self._graph, how, err), lib.lw_spanning_tree_free, err)
        loops = []
        for k in range(s.ncut):
            edges = ffi.new("int[]", self.n + 1)
            n = lib.lw_spanning_tree_loop(s, k, ffi.NULL, edges, ffi.NULL)
            loops.append(tuple(edges[i] for i in range(n)))
        return SpanningTree(tuple(integers(s.parent, self.n).tolist()), tuple(integers(s.edge, self.n).tolist()),
                            tuple(integers(s.depth, self.n).tolist()), tuple(integers(s.cut, s.ncut).tolist()), tuple(loops))


@dataclass(frozen=True)
class SpanningTree:
    """parent[v] (-1: a root), edge[v] to it, depth[v]; edges left out (`cut`), and the edges of the loop that each closes."""
    parent: tuple[int, ...]
    edge: tuple[int, ...]
    depth: tuple[int, ...]
    cut: tuple[int, ...]
    loops: tuple[tuple[int, ...], ...]


class Tree:
    """A tree or forest by parents; -1 is the ground, which carries the roots.

    >>> import linkwork as lw
    >>> t = lw.Tree([-1, 0, 0, 2])
    >>> t.common_ancestor(1, 3), t.path(1, 3), t.segments()
    (0, [1, 0, 2, 3], [[0], [1], [2, 3]])
    """

    def __init__(self, parent: Sequence[int]) -> None:
        err = errors.new_error()
        self.parent = tuple(int(p) for p in parent)
        self.n = len(self.parent)
        self._tree = _made(lib.lw_tree_new(self.n, ffi.new("int[]", list(self.parent) or [0]), ffi.NULL, err), lib.lw_tree_free, err)

    @property
    def order(self) -> list[int]:
        """Every node before its children, subtrees together.

        >>> import linkwork as lw
        >>> t = lw.Tree([-1, 0, 0, 2])
        >>> t.order
        [0, 1, 2, 3]
        """
        return [int(x) for x in integers(self._tree.order, self.n)]

    @property
    def depth(self) -> list[int]:
        """0 at roots.

        >>> import linkwork as lw
        >>> t = lw.Tree([-1, 0, 0, 2])
        >>> t.depth
        [0, 1, 1, 2]
        """
        return [int(x) for x in integers(self._tree.depth, self.n)]

    def children(self, node: int) -> list[int]:
        """The children of a node; of -1: the roots.

        >>> import linkwork as lw
        >>> t = lw.Tree([-1, 0, 0, 2])
        >>> t.children(0), t.children(-1)
        ([1, 2], [0])
        """
        count = ffi.new("int *")
        return [int(x) for x in integers(lib.lw_tree_children(self._tree, node, count), count[0])]

    def is_ancestor(self, a: int, b: int) -> bool:
        """Is a a proper ancestor of b?

        >>> import linkwork as lw
        >>> t = lw.Tree([-1, 0, 0, 2])
        >>> t.is_ancestor(0, 3), t.is_ancestor(1, 3)
        (True, False)
        """
        return bool(lib.lw_tree_is_ancestor(self._tree, a, b))

    def common_ancestor(self, a: int, b: int) -> int:
        """The deepest node whose subtree holds both; -1: only the ground's does.

        >>> import linkwork as lw
        >>> t = lw.Tree([-1, 0, 0, 2])
        >>> t.common_ancestor(1, 3)
        0
        """
        return int(lib.lw_tree_common_ancestor(self._tree, a, b))

    def path(self, a: int, b: int) -> list[int]:
        """The nodes from a up to the common ancestor and down to b.

        >>> import linkwork as lw
        >>> t = lw.Tree([-1, 0, 0, 2])
        >>> t.path(3, 1)
        [3, 2, 0, 1]
        """
        found = ffi.new("int[]", 2 * self._tree.nlevel + 2)
        return [found[i] for i in range(lib.lw_tree_path(self._tree, a, b, found))]

    def is_path_induced(self, nodes: Iterable[int]) -> bool:
        """Does every path down the tree between two of these nodes stay among them?

        >>> import linkwork as lw
        >>> t = lw.Tree([-1, 0, 0, 2])
        >>> t.is_path_induced([0, 3])
        False
        """
        return bool(lib.lw_tree_is_path_induced(self._tree, _flags(nodes, self.n)))

    def path_closure(self, nodes: Iterable[int]) -> set[int]:
        """The smallest path-induced set that contains these nodes.

        >>> import linkwork as lw
        >>> t = lw.Tree([-1, 0, 0, 2])
        >>> t.path_closure([0, 3])
        {0, 2, 3}
        """
        closure = ffi.new("unsigned char[]", max(self.n, 1))
        lib.lw_tree_path_closure(self._tree, _flags(nodes, self.n), closure)
        return _set(closure, self.n)

    def aggregation_set(self, nodes: Iterable[int]) -> set[int]:
        """The smallest set that contains these nodes and can become one node of a tree.

        >>> import linkwork as lw
        >>> t = lw.Tree([-1, 0, 0, 2])
        >>> t.aggregation_set([2, 3])
        {2, 3}
        """
        found = ffi.new("unsigned char[]", max(self.n, 1))
        lib.lw_tree_aggregation_set(self._tree, _flags(nodes, self.n), found, ffi.NULL)
        return _set(found, self.n)

    def segments(self) -> list[list[int]]:
        """The maximal serial chains, from base to tip.

        >>> import linkwork as lw
        >>> t = lw.Tree([-1, 0, 0, 2])
        >>> t.segments()
        [[0], [1], [2, 3]]
        """
        err = errors.new_error()
        s = _made(lib.lw_segments_new(self._tree, err), lib.lw_segments_free, err)
        return [[s.node[i] for i in range(s.start[k], s.start[k + 1])] for k in range(s.nsegment)]


class Sko:
    """The equations of motion of a tree as spatial kernel operators H, A, M: V = A* H* thd, Mass = H A M A* H*.

    >>> import linkwork as lw
    >>> m = lw.load(models / "double-pendulum.yaml")
    >>> d = m.data()
    >>> k = lw.Sko(m).update(d)
    >>> bool(np.allclose(k.mass_matrix(), d.M)), k.aggregate_segments().nnode
    (True, 1)
    """

    def __init__(self, model: Model, _sko: Any = None, _source: Sko | None = None) -> None:
        err = errors.new_error()
        self.model = model
        source: Any = model._model if _source is None else _source._sko
        self._sko: Any = _made(_sko if _sko is not None else lib.lw_sko_from_model(model._model, err), lib.lw_sko_free, err, source)

    @property
    def nnode(self) -> int:
        """Number of nodes.

        >>> import linkwork as lw
        >>> d = lw.load(models / "double-pendulum.yaml").data()
        >>> k = lw.Sko(d.model).update(d)
        >>> k.nnode
        2
        """
        return int(lib.lw_sko_nnode(self._sko))

    @property
    def nrow(self) -> int:
        """Rows of all nodes.

        >>> import linkwork as lw
        >>> d = lw.load(models / "double-pendulum.yaml").data()
        >>> k = lw.Sko(d.model).update(d)
        >>> k.nrow
        12
        """
        return int(lib.lw_sko_nrow(self._sko))

    @property
    def nfreedom(self) -> int:
        """Freedoms of all nodes.

        >>> import linkwork as lw
        >>> d = lw.load(models / "double-pendulum.yaml").data()
        >>> k = lw.Sko(d.model).update(d)
        >>> k.nfreedom
        2
        """
        return int(lib.lw_sko_nfreedom(self._sko))

    def _other(self, p: Any, err: Any) -> Sko:
        if not p:
            errors.fail(err)
        return Sko(self.model, p, self)

    def aggregate_segments(self) -> Sko:
        """The same with every serial segment as one node.

        >>> import linkwork as lw
        >>> d = lw.load(models / "double-pendulum.yaml").data()
        >>> k = lw.Sko(d.model).update(d)
        >>> k.aggregate_segments().nnode
        1
        """
        err = errors.new_error()
        return self._other(lib.lw_sko_aggregate_segments(self._sko, err), err)

    def aggregate(self, nodes: Iterable[int]) -> Sko:
        """The same with a set of nodes as one node.

        >>> import linkwork as lw
        >>> d = lw.load(models / "double-pendulum.yaml").data()
        >>> k = lw.Sko(d.model).update(d)
        >>> k.aggregate([0, 1]).nnode
        1
        """
        err = errors.new_error()
        return self._other(lib.lw_sko_aggregate_set(self._sko, _flags(nodes, self.nnode), err), err)

    def restrict(self, nodes: Iterable[int]) -> Sko:
        """These nodes alone, as if those that carry them were at rest.

        >>> import linkwork as lw
        >>> d = lw.load(models / "double-pendulum.yaml").data()
        >>> k = lw.Sko(d.model).update(d)
        >>> k.restrict([1]).nfreedom
        1
        """
        err = errors.new_error()
        return self._other(lib.lw_sko_restrict(self._sko, _flags(nodes, self.nnode), err), err)

    def update(self, data: Data) -> Sko:
        """Fills in the numbers at a state, with all forces of the model, and factors.

        >>> import linkwork as lw
        >>> d = lw.load(models / "double-pendulum.yaml").data()
        >>> k = lw.Sko(d.model).update(d)
        >>> k.update(d) is k
        True
        """
        errors.check(lib.lw_sko_update_with_forces(self._sko, data._w, data.t, data._pq, data._pu))
        errors.check(lib.lw_sko_factor(self._sko))
        return self

    def mass_matrix(self) -> Array:
        """nfreedom x nfreedom.

        >>> import linkwork as lw
        >>> d = lw.load(models / "double-pendulum.yaml").data()
        >>> k = lw.Sko(d.model).update(d)
        >>> bool(np.allclose(k.mass_matrix(), d.M))
        True
        """
        out = np.empty((self.nfreedom, self.nfreedom))
        errors.check(lib.lw_sko_mass_matrix(self._sko, pointer(out)))
        return out

    def bias(self) -> Array:
        """T for thdd = 0.

        >>> import linkwork as lw
        >>> d = lw.load(models / "double-pendulum.yaml").data()
        >>> k = lw.Sko(d.model).update(d)
        >>> bool(np.allclose(k.bias(), d.bias))
        True
        """
        out = np.empty(self.nfreedom)
        errors.check(lib.lw_sko_bias(self._sko, pointer(out)))
        return out

    def forward_dynamics(self, T: ArrayLike | None = None) -> Array:
        """thdd = Mass^-1 (T + load - C).

        >>> import linkwork as lw
        >>> d = lw.load(models / "double-pendulum.yaml").data()
        >>> k = lw.Sko(d.model).update(d)
        >>> bool(np.allclose(k.forward_dynamics(), d.udot()))
        True
        """
        out = np.empty(self.nfreedom)
        given = ffi.NULL if T is None else pointer(numbers(T, self.nfreedom, "T"))
        errors.check(lib.lw_sko_forward_dynamics(self._sko, given, pointer(out), ffi.NULL))
        return out

    def apply(self, operator: str, x: ArrayLike, *, transposed: bool = False) -> Array:
        """operator x, or operator* x: "E", "A", "H", "M", "mass", "D", "G", "K", "psi", "factor", "mass_inverse", ...

        >>> import linkwork as lw
        >>> d = lw.load(models / "double-pendulum.yaml").data()
        >>> k = lw.Sko(d.model).update(d)
        >>> bool(np.allclose(k.apply("mass", [1, 0]), d.M[:, 0]))
        True
        """
        rows, freedoms = self.nrow, self.nfreedom
        sizes = {"h": (freedoms, rows), "g": (rows, freedoms), "k": (rows, freedoms),
                 **{name: (freedoms, freedoms) for name in ("mass", "d", "factor", "factor_inverse", "mass_inverse")}}
        op = choice("lw_sko_operator", operator)
        out, given = sizes.get(operator.lower(), (rows, rows))
        if transposed:
            out, given = given, out
        y = np.empty(out)
        call = lib.lw_sko_apply_transposed if transposed else lib.lw_sko_apply
        errors.check(call(self._sko, op, pointer(numbers(x, given, "x")), pointer(y)))
        return y

    def block(self, block: str, node: int) -> Array:
        """A block of a node: "H", "A", "M", "P", "P_plus", "D", "G", "tau_bar".

        >>> import linkwork as lw
        >>> d = lw.load(models / "double-pendulum.yaml").data()
        >>> k = lw.Sko(d.model).update(d)
        >>> k.block("M", 0).shape
        (6, 6)
        """
        n = lib.lw_sko_get_node(self._sko, node)
        if n.row < 0:
            raise IndexError(f"there is no node {node}")
        rows, freedoms = n.nrow, n.nfreedom
        above = lib.lw_sko_get_node(self._sko, n.parent).nrow if n.parent >= 0 else 0
        shape = {"h": (freedoms, rows), "a": (above, rows), "d": (freedoms, freedoms), "g": (rows, freedoms)}.get(block.lower(), (rows, rows))
        out = np.empty(shape)
        errors.check(lib.lw_sko_get_block(self._sko, choice("lw_sko_block", block), node, pointer(out)))
        return out

    def log_determinant(self) -> float:
        """log det Mass.

        >>> import linkwork as lw
        >>> d = lw.load(models / "double-pendulum.yaml").data()
        >>> k = lw.Sko(d.model).update(d)
        >>> bool(np.isclose(k.log_determinant(), d.log_det_M))
        True
        """
        x = ffi.new("double *")
        errors.check(lib.lw_sko_log_determinant(self._sko, x))
        return float(x[0])
