"""Reflection arrangements: the mirrors of the finite Coxeter groups."""

import re
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arrangements.checks import as_list, check_integer
from arrangements.core.arrangement import Arrangement
from arrangements.errors import InputError, TooLargeError
from arrangements.exact.field_entries import twice_cosine
from arrangements.generators.blocks import check_memory, differences
from arrangements.messages import quote


def boolean(n: int) -> Arrangement:
    """Coordinate hyperplanes ``x_i = 0`` of R^n: 2^n chambers.

    Parameters
    ----------
    n : int
        Number of coordinates, at least 1.

    Returns
    -------
    Arrangement
        The rows ``e_i``.

    Examples
    --------
    >>> boolean(2).normals.tolist()
    [[1, 0], [0, 1]]
    """
    n = check_integer("n", n, 1)
    check_memory(n, n)
    return Arrangement(np.eye(n, dtype=np.int64))


def braid(n: int) -> Arrangement:
    """Braid arrangement ``x_i = x_j``, i < j, pairs in lexicographic order: n! chambers.

    Row (i, j) is ``e_i - e_j``, so + at (i, j) means ``x_i > x_j``. The rank is n - 1.

    Parameters
    ----------
    n : int
        Number of items, at least 1; braid(1) has no hyperplanes.

    Returns
    -------
    Arrangement
        n (n - 1) / 2 hyperplanes in R^n.

    Examples
    --------
    >>> braid(3).normals.tolist()
    [[1, -1, 0], [1, 0, -1], [0, 1, -1]]
    >>> braid(5).count_chambers()
    120
    """
    return Arrangement(differences(check_integer("n", n, 1)))


def type_b(n: int) -> Arrangement:
    """Reflection arrangement of type B: ``x_i = 0`` and ``x_i = ± x_j``; 2^n n! chambers.

    Parameters
    ----------
    n : int
        Number of coordinates, at least 1.

    Returns
    -------
    Arrangement
        n^2 hyperplanes in R^n: the rows ``e_i``, then ``e_i - e_j``, then ``e_i + e_j``,
        i < j lexicographic.

    Examples
    --------
    >>> type_b(2).normals.tolist()
    [[1, 0], [0, 1], [1, -1], [1, 1]]
    """
    n = check_integer("n", n, 1)
    check_memory(n * n, n)
    unit = np.eye(n, dtype=np.int64)
    return Arrangement(np.concatenate([unit, differences(n), differences(n, 1)]))


def type_d(n: int) -> Arrangement:
    """Reflection arrangement of type D: ``x_i = ± x_j``; 2^(n-1) n! chambers.

    Parameters
    ----------
    n : int
        Number of coordinates, at least 2.

    Returns
    -------
    Arrangement
        n (n - 1) hyperplanes in R^n: the rows ``e_i - e_j``, then ``e_i + e_j``, i < j
        lexicographic.

    Examples
    --------
    >>> type_d(2).normals.tolist()
    [[1, -1], [1, 1]]
    """
    n = check_integer("n", n, 2)
    check_memory(n * (n - 1), n)
    return Arrangement(np.concatenate([differences(n), differences(n, 1)]))


def coxeter(kind: str, n: int | None = None) -> Arrangement:
    """Reflection arrangement of a finite Coxeter group, in simple roots.

    The chambers correspond to the elements of the group W [1]_:

    ========  ================  =====================  =========================
    kind      n                 hyperplanes            chambers, the order of W
    ========  ================  =====================  =========================
    A         1, 2, ..          n (n + 1) / 2          (n + 1)!
    B, C      1, 2, ..          n^2                    2^n n!
    D         2, 3, ..          n (n - 1)              2^(n - 1) n!
    E         6, 7, 8           36, 63, 120            51840, 2903040, 696729600
    F         4                 24                     1152
    G         2                 6                      12
    H         3, 4              15, 60                 120, 14400
    I, I2     2, 3, ..          n                      2 n
    ========  ================  =====================  =========================

    Parameters
    ----------
    kind : {"A", "B", "C", "D", "E", "F", "G", "H", "I", "I2"}, or a name such as "B4"
        Type of the group. A name has the rank in it, as in "B4", "b4", "B_4" or "B 4"; that of
        the dihedral group I_2(n) is "I2(n)". Several, as in "A2 B3" or "A2 x B3", name the product.
    n : int, optional
        Rank; for kinds I and I2 the number of lines of the dihedral arrangement I_2(n). To be left
        out if `kind` is a name.

    Returns
    -------
    Arrangement
        The positive roots as combinations of the n simple ones: row c stands for
        ``c_1 x_1 + .. + c_n x_n = 0``, where x_i is the value of simple root i, numbered as by
        Bourbaki. So the arrangement is essential, the first n rows are the unit vectors, and the
        fundamental chamber has all signs +. Further roots are ordered by depth, the number of
        simple reflections that lead to them. Kind H has entries in Q(sqrt 5), kind I2 in
        Q(cos(pi / n)); kind I has rational lines of the same combinatorial type: (1, 0), (0, 1),
        (1, 1), .., (1, n - 2).

    Raises
    ------
    InputError
        If there is no such group.
    TooLargeError
        If answers over Q(cos(pi / n)) would not fit into the memory: from n of about 3000 on.

    See Also
    --------
    braid, type_b, type_d : types A, B and D in the customary coordinates.
    positive_roots : the rows as an array.

    Notes
    -----
    The lines of I_2(n) can be moved to rational ones without changing a sign vector. The mirrors of
    H_3, which are among those of H_4, cannot: choose coordinates in which four planes in general
    position have the normals e_1, e_2, e_3 and e_1 + e_2 + e_3; then the lines that several planes
    share force a root of ``t^2 - 3 t + 1`` into the other normals.

    References
    ----------
    .. [1] J. E. Humphreys, Reflection Groups and Coxeter Groups, Cambridge 1990, chapter 2.

    Examples
    --------
    >>> coxeter("B", 2).normals.tolist()
    [[1, 0], [0, 1], [1, 2], [1, 1]]
    >>> coxeter("I", 5).normals.tolist()
    [[1, 0], [0, 1], [1, 1], [1, 2], [1, 3]]
    >>> coxeter("H3").exponents(), coxeter("I2(7)").count_chambers()
    ((1, 5, 9), 14)
    >>> coxeter("E", 6)
    Arrangement(36 hyperplanes in dimension 6, central)
    >>> coxeter("A2 B3")
    Arrangement(12 hyperplanes in dimension 5, central)
    """
    return Arrangement(positive_roots(kind, n))


def inversion(w: Iterable[int], *, kind: str | None = None) -> Arrangement:
    """Inversion arrangement of an element of a reflection group: the mirrors it turns over.

    These are the mirrors of the positive roots that w takes to negative ones. There are at most as
    many chambers as elements below w in Bruhat order; for a permutation exactly as many if and only
    if it avoids the patterns 4231, 35142, 42513 and 351624 [1]_.

    Parameters
    ----------
    w : iterable of int
        Without `kind`, a permutation of 1, .., n in one-line notation, w(1), .., w(n). With it,
        numbers of simple reflections from 1 to the rank, as numbered by Bourbaki, whose product
        is the element; the last one acts first, and the word need not be reduced.
    kind : str, optional
        Type of the group with its rank, such as "B4".

    Returns
    -------
    Arrangement
        Central. For a permutation, the rows ``e_i - e_j`` in R^n for i < j with w(i) > w(j), pairs
        in lexicographic order; with `kind` the rows of ``coxeter(kind)`` that are inversions.

    Raises
    ------
    InputError
        If w is not a permutation or has no such reflections, or there is no such group.

    References
    ----------
    .. [1] A. Hultman, S. Linusson, J. Shareshian, J. Sjostrand, J. Combin. Theory Ser. A 116 (2009)
       564-580.

    Examples
    --------
    >>> inversion([3, 1, 2]).normals.tolist()
    [[1, -1, 0], [1, 0, -1]]
    >>> inversion([4, 2, 3, 1]).count_chambers()         # 20 elements lie below 4231
    18
    >>> inversion([1, 2, 1, 2], kind="B2") == coxeter("B2")
    True
    """
    entries = [check_integer("an entry of w", entry, 1) for entry in as_list("w", w)]
    if kind is None:
        if not entries or sorted(entries) != list(range(1, len(entries) + 1)):
            raise InputError(f"w is {quote(w)}; expected a permutation of 1, .., n.")
        rows = differences(len(entries))
        return Arrangement(rows[rows @ np.array(entries) > 0])
    if len(factors(kind)) > 1:
        raise InputError(f"kind is {quote(kind)}; expected one irreducible type, such as 'B4'.")
    letter, n = kind_and_rank(kind, None)
    roots = coxeter(letter, n).normals
    if letter in ("I", "I2", "H"):
        raise InputError(f"kind is {quote(kind)}; expected a type of A, B, C, D, E, F, G.")
    if max(entries, default=1) > n:
        raise InputError(f"w is {quote(w)}; expected numbers of simple reflections from 1 to {n}.")
    cartan = _cartan_matrix(letter, n)
    turned = [tuple(root) for root in roots.tolist()]
    for i in reversed(entries):
        turned = [_reflected(root, i - 1, cartan) for root in turned]
    return Arrangement(roots[[min(root) < 0 for root in turned]])


def positive_roots(kind: str, n: int | None = None) -> NDArray[Any]:
    """Positive roots of a finite Coxeter group in simple roots: the rows of `coxeter`.

    Parameters
    ----------
    kind : str
        As for `coxeter`.
    n : int, optional
        As for `coxeter`.

    Returns
    -------
    (m, n) ndarray of int64, or of objects for kinds H and I2
        For H, SymPy numbers of Q(sqrt 5); for I2, numbers of the `NumberField` Q(cos(pi / n)); for
        I, integers with the same signs as the roots.

    Raises
    ------
    InputError
        If there is no such group.

    References
    ----------
    .. [1] J. E. Humphreys, Reflection Groups and Coxeter Groups, Cambridge 1990, chapter 2.

    Examples
    --------
    >>> positive_roots("H", 3)[3]
    array([1, 1/2 + sqrt(5)/2, 0], dtype=object)
    """
    names = factors(kind) if n is None else [kind]
    if len(names) > 1:
        return _block_diagonal([positive_roots(name) for name in names])
    kind, n = kind_and_rank(kind, n)
    if kind == "I":
        return np.array([[1, 0], [0, 1], *([1, k] for k in range(1, n - 1))], np.int64)
    if kind == "H":
        return _golden_roots(n)
    if kind == "I2":
        return _dihedral_roots(n)
    return np.array(_positive_roots(_cartan_matrix(kind, n)), np.int64)


_RANKS = {"E": (6, 7, 8), "F": (4,), "G": (2,), "H": (3, 4)}
_LEAST = {"A": 1, "B": 1, "C": 1, "D": 2, "I": 2, "I2": 2}


# Between the names of factors of a product: "x", or a space after a rank and before a letter.
_BETWEEN = re.compile(r"\s*[x×]\s*|(?<=[0-9)])\s+(?=[A-Ia-i])")
_NAME = re.compile(r"([A-H])[ _]?([0-9]{1,9})|I[ _]?2 ?\(([0-9]{1,9})\)", re.ASCII)


def factors(kind: str) -> list[str]:
    """The names of the factors of a product; any other name alone.

    Examples
    --------
    >>> factors("A2 x B3"), factors("B4")
    (['A2', 'B3'], ['B4'])
    """
    names = _BETWEEN.split(kind.strip()) if isinstance(kind, str) else []
    product = len(names) > 1 and all(_NAME.fullmatch(name.upper()) for name in names)
    return names if product else [kind]


def kind_and_rank(kind: str, n: int | None) -> tuple[str, int]:
    """The letter of a type and its rank, or number of lines, checked."""
    letter = kind.strip().upper() if isinstance(kind, str) else ""
    if found := _NAME.fullmatch(letter):
        if n is not None:
            raise InputError(
                f"kind is {quote(kind)}, which names the rank; leave n={quote(n)} out."
            )
        letter, n = found[1] or "I2", int(found[2] or found[3])
    if letter not in _RANKS and letter not in _LEAST:
        raise InputError(
            f"kind is {quote(kind)}; expected one of A, B, C, D, E, F, G, H, I, I2, or a name such "
            "as 'B4', 'I2(5)' or 'A2 x B3'."
        )
    n = check_integer("n", n, _LEAST.get(letter))
    if letter in _LEAST:
        plane = letter in ("I", "I2")
        check_memory(n if plane else n * (n + 1) // 2, 2 if plane else n)
    elif n not in _RANKS[letter]:
        ranks = " or ".join(map(str, _RANKS[letter]))
        raise InputError(
            f"there is no Coxeter group {letter}_{quote(n)}; expected n={ranks} for {letter}."
        )
    return letter, n


def _block_diagonal(blocks: list[NDArray[Any]]) -> NDArray[Any]:
    """The rows of all blocks, each in coordinates of its own."""
    rows, columns = (sum(block.shape[axis] for block in blocks) for axis in (0, 1))
    table = np.zeros((rows, columns), np.result_type(*blocks))
    at = np.zeros(2, int)
    for block in blocks:
        end = at + block.shape
        table[at[0] : end[0], at[1] : end[1]] = block
        at = end
    return table


def _cartan_matrix(kind: str, n: int) -> list[list[int]]:
    """Entry (i, j) is the value of coroot i on root j, in Bourbaki's numbering from 0."""
    edges = [(i, i + 1) for i in range(n - 1)]
    if kind == "D":
        edges = [*edges[: n - 2], *([(n - 3, n - 1)] if n > 2 else [])]
    if kind == "E":
        edges = [(0, 2), (1, 3), *edges[2:]]
    cartan = [[2 * (i == j) for j in range(n)] for i in range(n)]
    for i, j in edges:
        cartan[i][j] = cartan[j][i] = -1
    # The long root of a multiple edge takes the multiple of the short one.
    if kind == "B" and n > 1:
        cartan[n - 1][n - 2] = -2
    if kind == "C" and n > 1:
        cartan[n - 2][n - 1] = -2
    if kind == "F":
        cartan[2][1] = -2
    if kind == "G":
        cartan[0][1] = -3
    return cartan


def _positive_roots(cartan: Sequence[Sequence[Any]]) -> list[tuple[Any, ...]]:
    """All positive roots in simple ones, over the ring of the matrix entries.

    Simple reflection i permutes the positive roots other than simple root i.
    """
    n = len(cartan)
    zero = cartan[0][0] - cartan[0][0]
    one = zero + 1
    simple = [tuple(one if i == j else zero for j in range(n)) for i in range(n)]
    roots = dict.fromkeys(simple)
    layer = simple
    while layer:
        images = [
            _reflected(root, i, cartan) for root in layer for i in range(n) if root != simple[i]
        ]
        layer = list(dict.fromkeys(image for image in images if image not in roots))
        roots.update(dict.fromkeys(layer))
    return list(roots)


def _reflected(root: tuple[Any, ...], i: int, cartan: Sequence[Sequence[Any]]) -> tuple[Any, ...]:
    """Image of the root under simple reflection i."""
    value = sum((c * a for c, a in zip(root, cartan[i], strict=True)), start=0 * root[0])
    return (*root[:i], root[i] - value, *root[i + 1 :])


def _dihedral_roots(n: int) -> NDArray[Any]:
    """Positive roots of I_2(n) over Q(cos(pi / n))."""
    try:
        edge = 0 if n == 2 else twice_cosine(2 * n)
    except TooLargeError as error:
        raise TooLargeError(
            f"I2({n}): {error} Kind 'I' has rational lines of the same combinatorial type."
        ) from error
    return np.array(_positive_roots([[2, -edge], [-edge, 2]]), dtype=object)


def _golden_roots(n: int) -> NDArray[Any]:
    """Positive roots of H_n over Q(sqrt 5), edge 5 between the first two."""
    from sympy import QQ, sqrt  # loads slowly

    field = QQ.algebraic_field(sqrt(5))
    golden = field.from_sympy((1 + sqrt(5)) / 2)
    cartan = [[field(e) for e in row] for row in _cartan_matrix("A", n)]
    cartan[0][1] = cartan[1][0] = -golden
    roots = _positive_roots(cartan)
    rows = np.empty((len(roots), n), dtype=object)
    for row, root in zip(rows, roots, strict=True):
        row[:] = [field.to_sympy(c) for c in root]
    return rows
