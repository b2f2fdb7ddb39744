"""Cosines of item embeddings from matrix factorization (Steck, Ekanadham, Kallus 2024).

A model scores user-item pairs by ``X A B^T``; row j of B embeds item j. For any regular M the
factors ``A M`` and ``B M^-T`` have the same product, so the same predictions, but other cosines.

H. Steck, C. Ekanadham, N. Kallus, Is cosine-similarity of embeddings really about similarity?,
Companion Proc. ACM Web Conf. (2024) 887-890, arXiv:2403.05440.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any, NamedTuple

from numpy.typing import ArrayLike

from arrangements.checks import check_integer, check_option
from arrangements.errors import InputError
from arrangements.exact.coercion import as_fractions
from arrangements.messages import quote
from arrangements.paper.definitions import exact_matrix, exact_number, exact_vector

if TYPE_CHECKING:
    from sympy import ImmutableMatrix, Set

Vector = tuple[Fraction, ...]


class Factors(NamedTuple):
    """Factors of a matrix of scores.

    Attributes
    ----------
    A : (p, k) sympy.ImmutableMatrix
        One row for each feature of a user; in the paper features are items.
    B : (q, k) sympy.ImmutableMatrix
        Embeddings of the items, one row each.
    """

    A: ImmutableMatrix
    B: ImmutableMatrix

    @property
    def product(self) -> ImmutableMatrix:
        """``A B^T``, which is all that predictions depend on.

        Examples
        --------
        >>> Factors(exact_matrix([[1, 2]]), exact_matrix([[3, 4]])).product
        Matrix([[11]])
        """
        return _simplified(self.A * self.B.T)


def same_matrix(first: Any, second: Any) -> bool:
    """Whether two SymPy matrices of algebraic numbers are equal, however they are written.

    Decided by minimal polynomials, in exact arithmetic.

    Examples
    --------
    >>> import sympy
    >>> root = sympy.sqrt(2)
    >>> same_matrix(exact_matrix([[1]]), sympy.Matrix([[sympy.sqrt(3 + 2 * root) - root]]))
    True
    """
    if first.shape != second.shape:
        return False
    return all(_is_zero(_simplify(a - b)) for a, b in zip(first, second, strict=True))


def _is_zero(value: Any) -> bool:
    import sympy  # loads slowly

    t = sympy.Dummy()
    return bool(value == 0 if value.is_Rational else sympy.minimal_polynomial(value, t) == t)


def refactored(A: Any, B: Any, M: Any) -> Factors:
    """Factors ``A M`` and ``B M^-T``: the same product, hence the same predictions.

    Parameters
    ----------
    A : (p, k) array_like or SymPy matrix
    B : (q, k) array_like or SymPy matrix
    M : (k, k) array_like or SymPy matrix
        Regular. The paper takes diagonal ones.

    Returns
    -------
    Factors

    Raises
    ------
    InputError
        If the shapes do not fit or M is singular.

    Examples
    --------
    >>> refactored([[1, 0]], [[1, 2], [3, 4]], [[2, 0], [0, 1]])
    Factors(A=Matrix([[2, 0]]), B=Matrix([
    [1/2, 2],
    [3/2, 4]]))
    """
    import sympy  # loads slowly

    left, right, change = exact_matrix(A), exact_matrix(B), exact_matrix(M)
    k = left.cols
    if right.cols != k or change.shape != (k, k):
        raise InputError(
            f"A, B and M have shapes {left.shape}, {right.shape} and {change.shape}; expected "
            "(p, k), (q, k) and (k, k)."
        )
    if not sympy.simplify(change.det()):
        raise InputError("M is singular; expected a regular matrix, so that its inverse exists.")
    return Factors(_simplified(left * change), _simplified(right * change.inv().T))


def change_for_cosine(B: Any, i: int, j: int, cosine: Any) -> ImmutableMatrix:
    """Regular M for which items i and j have the given cosine in the embeddings ``B M^-T``.

    Parameters
    ----------
    B : (q, k) array_like of int, float, Fraction or SymPy number
    i, j : int
        Items with independent rows.
    cosine : int, Fraction, float or SymPy number
        Strictly between -1 and 1; a float counts as the exact dyadic number it is.

    Returns
    -------
    (k, k) sympy.ImmutableMatrix

    Raises
    ------
    InputError
        If rows i and j are dependent (their cosine stays +1 or -1), or `cosine` is not in (-1, 1).

    Notes
    -----
    ``M^-T`` maps row i to e_1, row j to ``t e_1 + e_2`` with ``t = cosine / sqrt(1 - cosine^2)``,
    and unit vectors that complete them to a basis to the other unit vectors.

    Examples
    --------
    >>> from arrangements.paper import cosine_matrix
    >>> B = [[1, 0], [1, 1], [2, 1]]
    >>> M = change_for_cosine(B, 0, 1, Fraction(-3, 5))
    >>> cosine_matrix(refactored([[1, 1]], B, M).B)[0, 1]
    -3/5
    """
    import sympy  # loads slowly

    rows = exact_matrix(B)
    i, j = (check_integer("item (row of B)", item, 0, rows.rows - 1) for item in (i, j))
    value = exact_number(cosine)
    if not (value > -1 and value < 1):
        raise InputError(f"cosine is {cosine}; expected a number strictly between -1 and 1.")
    k = rows.cols
    frame = sympy.Matrix([rows.row(i), rows.row(j)])
    if frame.rank() < 2:
        raise InputError(
            f"rows {i} and {j} of B are dependent: every regular M keeps their cosine at +1 or -1 "
            "(or undefined, if one is zero)."
        )
    basis = sympy.Matrix([frame, sympy.eye(k)])
    chosen = basis.T.rref()[1]  # columns of the transpose: the first independent rows
    basis = basis.extract(list(chosen), list(range(k)))
    images = sympy.eye(k)  # and minus t below the diagonal: the inverse of basis * M^-T
    images[1, 0] = -sympy.radsimp(value / sympy.sqrt(1 - value**2))
    return _simplified((images * basis).T)


def diagonal_cosine_range(x: ArrayLike, y: ArrayLike) -> Set:
    """All cosines of ``D x`` and ``D y`` over regular diagonal matrices D, exactly.

    Parameters
    ----------
    x, y : (k,) array_like of int, float, Fraction or SymPy number
        Non-zero.

    Returns
    -------
    sympy.Set
        An Interval, open where the end is not reached, or a FiniteSet of one number.

    Raises
    ------
    InputError
        If x or y is zero, or their lengths differ.

    Notes
    -----
    Only the squares t of the diagonal of D count. With ratios ``r_k = y_k / x_k`` and weights
    ``a_k = t_k x_k^2`` of sum 1 the cosine is ``E[r] / sqrt(E[r^2] + s)``, where s >= 0 comes
    from the places with x_k = 0. Weight on one place with r_k > 0 makes it tend to 1. If no
    ratio is positive, but some place has x_k = 0 or y_k = 0 (and not both), weight on it makes the
    cosine tend to 0, from below, or it is 0 throughout. If all ratios are negative, the
    largest cosine is that of the inequality of Polya and Szego, -2 sqrt(m M) / (m + M) for
    the smallest and largest abs(r_k), m and M: with weights M and m on these two.
    The lower end is the mirror image.

    References
    ----------
    .. [1] G. Polya, G. Szego, Problems and Theorems in Analysis I, part II, problem 92.

    Examples
    --------
    >>> diagonal_cosine_range([1, 1], [1, 4])
    Interval.Ropen(4/5, 1)
    >>> diagonal_cosine_range([1, 1], [1, -4])
    Interval.open(-1, 1)
    >>> diagonal_cosine_range([1, 1, 0], [1, 4, 1])
    Interval.open(0, 1)
    >>> diagonal_cosine_range([1, 2], [2, 4])
    {1}
    """
    import sympy  # loads slowly

    pairs = list(zip(*_vectors(x, y), strict=True))
    upper, reached_above = _largest_cosine(pairs)
    lower, reached_below = _largest_cosine([(a, -b) for a, b in pairs])
    if upper == -lower and reached_above and reached_below:
        return sympy.FiniteSet(upper)
    return sympy.Interval(-lower, upper, not reached_below, not reached_above)


def diagonal_towards(
    x: ArrayLike, y: ArrayLike, end: int, weight: Fraction | int
) -> tuple[Fraction, ...]:
    """Squares of a diagonal D by which the cosine of D x and D y is near an end of its range.

    Parameters
    ----------
    x, y : (k,) array_like
    end : 1 or -1
        The upper or the lower end.
    weight : Fraction or int
        The larger, the nearer. If some D reaches the end, this D reaches it when all ratios
        y_k / x_k are among the extreme ones, and comes near otherwise.

    Returns
    -------
    tuple of k Fractions
        Positive.

    Examples
    --------
    >>> diagonal_towards([1, 1, 1], [1, 4, 2], -1, 100)
    (Fraction(400, 1), Fraction(100, 1), Fraction(1, 100))
    """
    first, second = _vectors(x, y)
    check_option("end", end, (1, -1))
    weight = _positive(weight, "weight")
    pairs = [(a, end * b) for a, b in zip(first, second, strict=True)]
    ratios = [b / a for a, b in pairs if a and b]
    one_sided = any((a == 0) != (b == 0) for a, b in pairs)
    mass: dict[Fraction, Fraction] = {}  # of the places that decide, by their ratio
    if any(r > 0 for r in ratios):
        mass = {max(ratios): Fraction(1)}
    elif not one_sided:
        near, far = max(ratios), min(ratios)
        mass = {far: abs(near), near: abs(far)}
    squares = []
    for a, b in pairs:
        if a and b:
            share = mass.get(b / a, Fraction(0)) / ratios.count(b / a)
            squares.append((weight * share or 1 / weight) / a**2)
        else:
            squares.append(1 / weight if mass else weight)
    return tuple(squares)


def regularized_factors(X: ArrayLike, penalty: int | Fraction) -> Factors:
    """Factors that minimize ``|X - X A B^T|^2 + penalty |A B^T|^2``, of full rank.

    Parameters
    ----------
    X : (m, p) array_like of int, float, Fraction or SymPy number
        Users by items, of rank p.
    penalty : int or Fraction
        Positive.

    Returns
    -------
    Factors
        ``A = B = V S^(1/2)``, V the eigenvectors of X^T X and S = diag(e / (e + penalty)) for
        its eigenvalues e.

    Raises
    ------
    InputError
        If the rank of X is less than p, or `penalty` is not positive.

    Notes
    -----
    The objective depends on the product P = A B^T alone and is strictly convex in it; its
    gradient vanishes where ``(X^T X + penalty) P = X^T X``. So every ``refactored(A, B, M)``
    is optimal too, and nothing in the objective prefers one of them. SymPy finds the
    eigenvectors, so this is for small examples with simple ones.

    Examples
    --------
    >>> X = [[1, 2, 2], [4, 2, -4], [6, -6, 3]]
    >>> solution = regularized_factors(X, 9)
    >>> same_matrix(solution.product, ridge_solution(X, 9))
    True
    """
    import sympy  # loads slowly

    gram, penalty = _user_gram(X), _positive(penalty, "penalty")
    vectors, values = [], []
    for value, _, space in gram.eigenvects():
        basis = sympy.GramSchmidt(space, orthonormal=True)
        vectors += [vector.applyfunc(sympy.radsimp) for vector in basis]
        values += [value] * len(basis)
    roots = [sympy.sqrt(sympy.radsimp(e / (e + exact_number(penalty)))) for e in values]
    A = _simplified(sympy.Matrix.hstack(*vectors) * sympy.diag(*roots))
    return Factors(A, A)


def ridge_solution(X: ArrayLike, penalty: int | Fraction) -> ImmutableMatrix:
    """The optimal product ``(X^T X + penalty)^-1 X^T X`` of `regularized_factors`.

    Examples
    --------
    >>> ridge_solution([[1, 0], [0, 2]], 1)
    Matrix([
    [1/2,   0],
    [  0, 4/5]])
    """
    import sympy  # loads slowly

    gram, penalty = _user_gram(X), _positive(penalty, "penalty")
    shifted = gram + exact_number(penalty) * sympy.eye(gram.rows)
    return sympy.ImmutableMatrix(shifted.inv() * gram)


def column_lengths(B: Any) -> ImmutableMatrix:
    """Diagonal matrix D of the lengths of the columns of B.

    The columns of the factors of `regularized_factors` are orthogonal, so ``B D^-1`` is an
    orthogonal matrix. ``refactored(A, B, D)`` has the same predictions, and the cosine matrix of
    its items is the identity, whatever the data.

    Examples
    --------
    >>> from arrangements.paper import cosine_matrix
    >>> A, B = regularized_factors([[1, 2, 2], [4, 2, -4], [6, -6, 3]], 9)
    >>> cosine_matrix(B)[0, 1]
    -5*sqrt(73)/292
    >>> cosine_matrix(refactored(A, B, column_lengths(B)).B)
    Matrix([
    [1, 0, 0],
    [0, 1, 0],
    [0, 0, 1]])
    """
    import sympy  # loads slowly

    rows = exact_matrix(B)
    lengths = [sympy.sqrt(sympy.simplify(c.dot(c))) for c in map(rows.col, range(rows.cols))]
    return sympy.ImmutableMatrix(sympy.diag(*lengths))


def _user_gram(X: ArrayLike) -> Any:
    """``X^T X`` of users by items, checked."""
    users = exact_matrix(X)
    if users.rank() < users.cols:
        raise InputError(f"X has rank {users.rank()}; expected {users.cols}, one per column.")
    return users.T * users


def _positive(value: Any, name: str) -> Fraction:
    number = as_fractions([value], name)[0]
    if not (isinstance(number, Fraction) and number > 0):
        raise InputError(f"{name} is {quote(value)}; expected a positive rational number.")
    return number


def _largest_cosine(pairs: Sequence[tuple[Fraction, Fraction]]) -> tuple[Any, bool]:
    """Supremum of the cosine over diagonal matrices, and whether it is reached."""
    import sympy  # loads slowly

    ratios = {b / a for a, b in pairs if a and b}
    one_sided = any((a == 0) != (b == 0) for a, b in pairs)
    if any(r > 0 for r in ratios):
        return sympy.S.One, len(ratios) == 1 and not one_sided
    if one_sided:
        return sympy.S.Zero, not ratios
    sizes = [abs(r) for r in ratios]
    m, M = exact_number(min(sizes)), exact_number(max(sizes))
    return -2 * sympy.sqrt(m * M) / (m + M), len(ratios) <= 2


def _vectors(x: ArrayLike, y: ArrayLike) -> tuple[Vector, Vector]:
    first, second = exact_vector(x, "x"), exact_vector(y, "y")
    if len(first) != len(second):
        raise InputError(f"x has {len(first)} entries and y {len(second)}; expected the same.")
    if not any(first) or not any(second):
        raise InputError("x or y is zero: it has no direction; expected non-zero vectors.")
    return first, second


def _simplify(entry: Any) -> Any:
    import sympy  # loads slowly

    entry = sympy.expand(entry)
    return entry if entry.is_Rational else sympy.radsimp(sympy.sqrtdenest(entry))


def _simplified(matrix: Any) -> ImmutableMatrix:
    import sympy  # loads slowly

    return sympy.ImmutableMatrix(matrix.applyfunc(_simplify))
