"""Deformations of reflection and graphical arrangements: ``root(x) = s`` for chosen shifts s."""

from collections.abc import Iterable, Mapping
from itertools import combinations
from typing import Any

import numpy as np

from arrangements.checks import as_list, check_integer
from arrangements.core.arrangement import Arrangement
from arrangements.errors import InputError
from arrangements.exact.coercion import as_exact_vector
from arrangements.exact.numbers import ExactArray
from arrangements.generators.blocks import check_memory, differences
from arrangements.generators.graphs import as_graph, graphical
from arrangements.generators.reflections import factors, kind_and_rank, positive_roots
from arrangements.messages import quote


def deformation(n: Any, shifts: Iterable[int], *, kind: str = "A") -> Arrangement:
    """Affine arrangement ``root(x) = s`` for all given roots and all s in `shifts`.

    Parameters
    ----------
    n : int, str, graph or central Arrangement
        Whose roots. An integer n: with kind "A" the ``x_i - x_j``, i < j, of n coordinates; with
        another kind the positive roots of rank n. A name such as "B4", or "A2 B3" for a product:
        its positive roots, in simple roots, as in `coxeter`. A graph, or a list of edges: the rows
        of `graphical`. An arrangement: its normals, such as those of ``type_b(4)``.
    shifts : iterable of int, Fraction or float
        At least one; repeated ones give repeated hyperplanes.
    kind : {"A", "B", "C", "D", "E", "F", "G"}
        Type of the root system, if `n` is an integer.

    Returns
    -------
    Arrangement
        One block of rows per shift, in the order given; in a block, the roots are in their order
        (for an integer n and kind "A" the pairs i < j in lexicographic order). + at (s, root)
        means ``root(x) > s``.

    Raises
    ------
    InputError
        If there is no such crystallographic root system, the graph is none, or the arrangement is
        not central; if there are no shifts.

    References
    ----------
    .. [1] A. Postnikov, R. P. Stanley, J. Combin. Theory Ser. A 91 (2000) 544-597.

    Examples
    --------
    >>> A = deformation(2, [0, 3])
    >>> A.normals.tolist(), A.offsets.tolist()
    ([[1, -1], [1, -1]], [0, -3])
    >>> deformation([(0, 1), (1, 2)], [-1, 1])
    Arrangement(4 hyperplanes in dimension 3, affine)
    """
    expected = "at least one number, as in deformation(3, [1])"
    numbers = [] if isinstance(shifts, str) else as_list("shifts", shifts, expected)
    if not numbers:
        raise InputError(f"shifts is {quote(shifts)}; expected {expected}.")
    chosen = as_exact_vector(numbers, len(numbers), "shifts").tolist()
    roots = _roots(n, kind, numbers)
    check_memory(len(chosen) * len(roots), roots.shape[1])
    return Arrangement(
        np.tile(roots, (len(chosen), 1)), np.repeat([-s for s in chosen], len(roots))
    )


def _roots(n: Any, kind: str, shifts: list[Any]) -> ExactArray:
    """Rows to be shifted: those of a root system, a graph or an arrangement."""
    if isinstance(n, str) or kind != "A":
        return _crystallographic_roots(n, kind, shifts)
    if isinstance(n, Arrangement):
        if not n.is_central:
            raise InputError(f"n is {n}; expected a central arrangement, whose rows are shifted.")
        return n.normals
    alone = getattr(n, "ndim", None) == 0
    if isinstance(n, Iterable) and not alone:
        return graphical(n).normals
    return differences(check_integer("n", n, 1))


def _crystallographic_roots(n: Any, kind: str, shifts: list[Any]) -> ExactArray:
    """Positive roots of the types with a name, or of one with a kind and a rank."""
    if isinstance(n, str):
        if kind != "A":
            raise InputError(
                f"n is {quote(n)}, which names the kind; leave kind={quote(kind)} out."
            )
        types = [kind_and_rank(name, None) for name in factors(n)]
        called: list[Any] = [n]
    else:
        types, called = [kind_and_rank(kind, n)], [kind, n]
    if other := next((letter for letter, _ in types if letter in ("H", "I", "I2")), None):
        group = ", ".join(map(quote, called))
        raise InputError(
            f"type {other} is not crystallographic; expected one of A, B, C, D, E, F, G. For "
            f"mirrors with these shifts, deformation(coxeter({group}), {quote(shifts)})."
        )
    return positive_roots(*called)


def shi(n: int | str, k: int = 1, *, kind: str = "A") -> Arrangement:
    """Shi arrangement ``x_i - x_j = 0, 1`` for i < j: (n + 1)^(n - 1) chambers.

    For another type ``root(x) = 0, 1`` for all positive roots: (h + 1)^r chambers for rank r and
    Coxeter number h [1]_.

    Parameters
    ----------
    n : int or str
        Number of coordinates for kind A, at least 1; the rank for other kinds; or a name such as
        "B4", which also "A3" may be: rank 3, in simple roots. "A2 B3" is a product, whose counts
        are the products of those of its factors.
    k : int
        The k-extended arrangement has the shifts -k + 1, .., k and (k h + 1)^r chambers,
        (k h - 1)^r of them relatively bounded [3]_. For kind A, h is n and r is n - 1.
    kind : {"A", "B", "C", "D", "E", "F", "G"}
        As in `deformation`.

    Returns
    -------
    Arrangement
        In the order of `deformation`, shifts ascending.

    References
    ----------
    .. [1] J.-Y. Shi, J. London Math. Soc. 35 (1987) 56-74.
    .. [2] R. P. Stanley, Proc. Natl. Acad. Sci. USA 93 (1996) 2620-2625.
    .. [3] C. A. Athanasiadis, Bull. London Math. Soc. 36 (2004) 294-302.

    Examples
    --------
    >>> shi(3)
    Arrangement(6 hyperplanes in dimension 3, affine)
    >>> shi(3).count_chambers(), shi("F4").count_chambers(), shi(4, kind="B").count_chambers()
    (16, 28561, 6561)
    """
    k = check_integer("k", k, 1)
    check_memory(2 * k, 1)
    return deformation(_coordinates(n), range(1 - k, k + 1), kind=kind)


def catalan(n: int | str, k: int = 1, *, kind: str = "A") -> Arrangement:
    """Catalan arrangement ``x_i - x_j = -1, 0, 1`` for i < j: n! times the n-th Catalan number.

    For another type ``root(x) = -1, 0, 1`` for all positive roots.

    Parameters
    ----------
    n : int or str
        As in `shi`.
    k : int
        The k-extended arrangement has the shifts -k, .., k. With Coxeter number h and exponents
        e_i, it has as many chambers as the group has elements, times the product of
        ``(k h + e_i + 1) / (e_i + 1)`` [2]_; for kind A these are
        ``n! binomial((k + 1) n, n) / (k n + 1)``.
    kind : {"A", "B", "C", "D", "E", "F", "G"}
        As in `deformation`.

    Returns
    -------
    Arrangement
        In the order of `deformation`, shifts ascending.

    References
    ----------
    .. [1] A. Postnikov, R. P. Stanley, J. Combin. Theory Ser. A 91 (2000) 544-597.
    .. [2] C. A. Athanasiadis, Bull. London Math. Soc. 36 (2004) 294-302.

    Examples
    --------
    >>> catalan(3).count_chambers(), catalan("B3").count_chambers()
    (30, 960)
    """
    k = check_integer("k", k, 1)
    check_memory(2 * k + 1, 1)
    return deformation(_coordinates(n), range(-k, k + 1), kind=kind)


def linial(n: int | str, k: int = 1, *, kind: str = "A") -> Arrangement:
    """Linial arrangement ``x_i - x_j = 1`` for i < j.

    It has 1, 2, 7, 36, 246, 2104 chambers for n = 1, .., 6, in general
    ``sum(binomial(n, j) (j + 1)^(n - 1) for j in 0..n) / 2^n`` [1]_. For another type
    ``root(x) = 1`` for all positive roots.

    Parameters
    ----------
    n : int or str
        As in `shi`.
    k : int
        The k-extended arrangement has the shifts 1, .., k [2]_.
    kind : {"A", "B", "C", "D", "E", "F", "G"}
        As in `deformation`.

    Returns
    -------
    Arrangement
        In the order of `deformation`, shifts ascending.

    References
    ----------
    .. [1] A. Postnikov, R. P. Stanley, J. Combin. Theory Ser. A 91 (2000) 544-597.
    .. [2] C. A. Athanasiadis, J. Algebraic Combin. 10 (1999) 207-225.

    Examples
    --------
    >>> linial(3).count_chambers(), linial("B2", 2).count_chambers()
    (7, 29)
    """
    k = check_integer("k", k, 1)
    check_memory(k, 1)
    return deformation(_coordinates(n), range(1, k + 1), kind=kind)


def _coordinates(n: Any) -> int | str:
    """What names a root system: a name, or an integer, of which graphs and rows are refused."""
    return n if isinstance(n, str) else check_integer("n", n, 1)


def semiorder(n: int) -> Arrangement:
    """Semiorder arrangement ``x_i - x_j = -1, 1`` for i < j.

    Its chambers are the semiorders on n labeled elements: 1, 3, 19, 183, 2371, 38703 for
    n = 1, .., 6.

    Parameters
    ----------
    n : int
        Number of coordinates, at least 1.

    Returns
    -------
    Arrangement
        In the order of `deformation`, all shifts -1 first.

    References
    ----------
    .. [1] R. P. Stanley, Proc. Natl. Acad. Sci. USA 93 (1996) 2620-2625.

    Examples
    --------
    >>> semiorder(3).count_chambers()
    19
    """
    return deformation(check_integer("n", n, 1), [-1, 1])


def G_Shi(graph: Any) -> Arrangement:
    """Shi arrangement of a graph: ``x_u - x_v = 0, 1`` for every edge uv, u before v.

    Parameters
    ----------
    graph : networkx.Graph or MultiGraph, list of edges, or anything networkx makes a graph of
        As in `graphical`; "before" is the order of ``graph.nodes``.

    Returns
    -------
    Arrangement
        The rows of ``graphical(graph)`` with shift 0, then with shift 1.

    See Also
    --------
    shi : of the complete graph.

    References
    ----------
    .. [1] S. Hopkins, D. Perkinson, Trans. Amer. Math. Soc. 368 (2016) 709-725.

    Examples
    --------
    >>> import networkx as nx
    >>> G_Shi(nx.cycle_graph(4)).count_chambers()
    61
    """
    return deformation(graphical(graph), [0, 1])


def G_semiorder(graph: Any) -> Arrangement:
    """Semiorder arrangement of a graph: ``x_u - x_v = -1, 1`` for every edge uv.

    Parameters
    ----------
    graph : networkx.Graph or MultiGraph, list of edges, or anything networkx makes a graph of
        As in `graphical`.

    Returns
    -------
    Arrangement
        The rows of ``graphical(graph)`` with shift -1, then with shift 1.

    See Also
    --------
    semiorder : of the complete graph.
    bigraphical : with a shift of its own for every edge and direction.

    References
    ----------
    .. [1] S. Hopkins, D. Perkinson, Trans. Amer. Math. Soc. 368 (2016) 709-725.

    Examples
    --------
    >>> import networkx as nx
    >>> G_semiorder(nx.cycle_graph(4)).count_chambers()
    59
    """
    return deformation(graphical(graph), [-1, 1])


def bigraphical(graph: Any, shifts: Any = None) -> Arrangement:
    """Bigraphical arrangement: ``x_u - x_v = shifts[u][v]`` for every edge uv, and also for vu.

    Parameters
    ----------
    graph : networkx.Graph or MultiGraph, list of edges, or anything networkx makes a graph of
        As in `graphical`.
    shifts : mapping of mappings, (n, n) array_like, "generic" or None
        Numbers for both directions of every edge. A mapping is keyed by the nodes, a matrix has a
        row and a column for each, in the order of ``graph.nodes``. None: all are 1, the hyperplanes
        of `G_semiorder`. "generic": distinct powers of two.

    Returns
    -------
    Arrangement
        For each edge in the order of `graphical`, the row ``e_u - e_v`` and then ``e_v - e_u``, u
        before v in ``graph.nodes``.

    Raises
    ------
    InputError
        If a shift is missing, or is no rational number.

    Notes
    -----
    Shifts are generic if no signed sum of some of them is 0, and then there are as many chambers as
    the graph with all edges doubled has spanning forests [1]_. Distinct powers of two are generic:
    after division by the least one, the sum is odd.

    References
    ----------
    .. [1] S. Hopkins, D. Perkinson, Trans. Amer. Math. Soc. 368 (2016) 709-725.

    Examples
    --------
    >>> import networkx as nx
    >>> C = nx.cycle_graph(4)
    >>> bigraphical(C).count_chambers(), bigraphical(C, "generic").count_chambers()
    (59, 65)
    >>> bigraphical([("a", "b")], {"a": {"b": 1}, "b": {"a": 3}}).offsets.tolist()
    [-1, -3]
    """
    graph = as_graph(graph)
    rows = graphical(graph).normals
    nodes = list(graph.nodes)
    ends = [(int(np.argmax(row)), int(np.argmin(row))) for row in rows]
    directions = [pair for u, v in ends for pair in ((u, v), (v, u))]
    if shifts is None:
        chosen: list[Any] = [1] * len(directions)
    elif isinstance(shifts, str) and shifts == "generic":
        chosen = [1 << power for power in range(len(directions))]
    else:
        chosen = [_shift(shifts, nodes, u, v) for u, v in directions]
    offsets = -as_exact_vector(chosen, len(chosen), "shifts").astype(object)
    return Arrangement(np.stack([rows, -rows], axis=1).reshape(-1, len(nodes)), offsets)


def _shift(shifts: Any, nodes: list[Any], u: int, v: int) -> Any:
    """The shift from node u to node v."""
    try:
        if isinstance(shifts, Mapping):
            return shifts[nodes[u]][nodes[v]]
        return shifts[u][v]
    except Exception as error:  # whatever the value raises
        raise InputError(
            f"shifts has no entry for nodes {quote(nodes[u])} and {quote(nodes[v])}; expected "
            "shifts[u][v] and shifts[v][u] for every edge uv, 'generic' or None."
        ) from error


def ish(n: int) -> Arrangement:
    """Ish arrangement ``x_i = x_j`` and ``x_1 - x_j = i`` for i < j: (n + 1)^(n - 1) chambers.

    It has the characteristic polynomial of `shi`, but another intersection poset [1]_.

    Parameters
    ----------
    n : int
        Number of coordinates, at least 1.

    Returns
    -------
    Arrangement
        The rows of ``braid(n)``, then ``x_1 - x_j - i``, both with the pairs i < j (counted
        from 1) in lexicographic order.

    References
    ----------
    .. [1] D. Armstrong, B. Rhoades, Trans. Amer. Math. Soc. 364 (2012) 1509-1528.

    Examples
    --------
    >>> ish(3).offsets.tolist()
    [0, 0, 0, -1, -1, -2]
    >>> ish(3).count_chambers()
    16
    """
    n = check_integer("n", n, 1)
    check_memory(n * (n - 1), n)
    pairs = list(combinations(range(1, n + 1), 2))
    first = np.zeros((len(pairs), n), np.int64)
    for row, (_, j) in zip(first, pairs, strict=True):
        row[0], row[j - 1] = 1, -1
    offsets = [0] * len(pairs) + [-i for i, _ in pairs]
    return Arrangement(np.concatenate([differences(n), first]), np.array(offsets, np.int64))


def IshB(n: int) -> Arrangement:
    """Ish arrangement of type B: ``x_i = ± x_j`` for i < j, ``x_i = a`` for some integers a.

    These are a from i - n to n - i + 1, where i = 1, .., n. It has the characteristic polynomial
    ``(t - 2 n)^n`` of ``shi(n, kind="B")``, so (2 n + 1)^n chambers [1]_.

    Parameters
    ----------
    n : int
        Number of coordinates, at least 1.

    Returns
    -------
    Arrangement
        The rows of ``type_d(n)``, then ``x_i - a``, i ascending (counted from 1), then a.

    References
    ----------
    .. [1] T. N. Tran, S. Tsujie, Algebr. Comb. 8 (2025) 267-294.

    Examples
    --------
    >>> IshB(2).offsets.tolist()
    [0, 0, 1, 0, -1, -2, 0, -1]
    >>> IshB(2).count_chambers()
    25
    """
    n = check_integer("n", n, 1)
    check_memory(2 * n * n, n)
    pairs = np.concatenate([differences(n), differences(n, 1)])
    levels = [(i, a) for i in range(1, n + 1) for a in range(i - n, n - i + 2)]
    units = np.eye(n, dtype=np.int64)[[i - 1 for i, _ in levels]]
    offsets = [0] * len(pairs) + [-a for _, a in levels]
    return Arrangement(np.concatenate([pairs, units]), np.array(offsets, np.int64))
