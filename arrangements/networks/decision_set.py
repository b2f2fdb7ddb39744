"""Decision regions of a network: where which output is the largest, in convex pieces."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from fractions import Fraction
from functools import cached_property
from typing import Any, NamedTuple, overload

import numpy as np
from numpy.typing import NDArray

from arrangements import notebook
from arrangements.addresses import Immutable, public_class
from arrangements.checks import check_integer
from arrangements.errors import IncompleteError, InputError
from arrangements.exact.numbers import read_only
from arrangements.messages import quote
from arrangements.networks.decision_shares import Class, Shares, class_of, class_order, measure
from arrangements.networks.domain import Domain
from arrangements.networks.layer import Layer
from arrangements.networks.network import Network, Point
from arrangements.networks.region import Region
from arrangements.networks.tournaments import Tournament
from arrangements.polyhedra.polyhedron import Polyhedron
from arrangements.sets import ternary

Codes = NDArray[np.int64]


class Pieces(NamedTuple):
    """Pieces as rows of arrays.

    Attributes
    ----------
    codes : (m, words) ndarray of int64
        The patterns of their linear regions.
    winners : (m, n) ndarray of bool
        Which outputs are the largest.
    points : (m, d) ndarray of float64, or None
        A point of each, proved, or NaN.
    """

    codes: Codes
    winners: NDArray[np.bool_]
    points: NDArray[np.float64] | None

    @property
    def row_bytes(self) -> int:
        """Bytes of a piece."""
        return sum(x.itemsize * x.shape[1] for x in self if x is not None)

    def rows(self, index: Any) -> Pieces:
        """Some of them."""
        points = None if self.points is None else self.points[index]
        return Pieces(self.codes[index], self.winners[index], points)

    def unique(self) -> Pieces:
        """The same without repetitions of a region with the same outputs."""
        bits = np.packbits(self.winners, axis=1)
        table = np.hstack([np.ascontiguousarray(self.codes).view(np.uint8), bits])
        _, first = np.unique(table, axis=0, return_index=True)
        return self if len(first) == len(table) else self.rows(np.sort(first))


@public_class
class DecisionRegion(Immutable):
    """A convex piece of a decision region: the part of a linear region with one class.

    Attributes
    ----------
    region : Region
        The linear region of which it is a part.
    labels : tuple of int
        The outputs that are the largest in it: one, or several that are equal in all of it. Of a
        single output, 1 where it is positive and 0 where it is negative.

    Examples
    --------
    >>> from arrangements import Polyhedron
    >>> from arrangements.networks import Network, decision_regions
    >>> net = Network([([[1, 0], [0, 1]], None), ([[1, 0], [0, 1]], None)])
    >>> found = decision_regions(net, within=Polyhedron.box(-1, 1, dimension=2))
    >>> sorted((piece.labels, str(piece.polyhedron.volume)) for piece in found)
    [((0,), '1'), ((0,), '1/2'), ((0, 1), '1'), ((1,), '1'), ((1,), '1/2')]
    """

    region: Region
    labels: tuple[int, ...]
    _part: Region

    def __init__(self, region: Region, labels: tuple[int, ...], part: Region) -> None:
        self.__dict__.update(region=region, labels=labels, _part=part)

    @property
    def label(self) -> int | None:
        """The class; None where several outputs are the largest."""
        return self.labels[0] if len(self.labels) == 1 else None

    @property
    def point(self) -> Point:
        """A point of it, exact, at which all other outputs are smaller."""
        return self._part.point

    @property
    def polyhedron(self) -> Polyhedron:
        """The closed piece, exact."""
        return self._part.polyhedron

    @cached_property
    def rivals(self) -> tuple[int, ...]:
        """The outputs that are as large on a facet: beyond it is a piece of theirs."""
        n, others = self.region.network.n_units, _others(self.region.network, self.labels[0])
        units = {u for wall in self._part.walls for u in wall.units if u >= n}
        return tuple(sorted(others[u - n] for u in units))

    def __repr__(self) -> str:
        n, d = len(self.region.pattern), self.region.network.dimension
        named = _text(self.labels)
        noun = f"{n} unit{'s' * (n != 1)}"
        return f"DecisionRegion(label {named}, a part of a region of {noun} in dimension {d})"

    def _repr_html_(self) -> str:
        facts = [("rivals", ", ".join(map(str, self.rivals)) or "none")]
        return notebook.card(repr(self), [*facts, ("point", notebook.point(self.point))])


@public_class
class DecisionRegions(Immutable):
    """The decision regions of a network, in convex pieces; immutable.

    `decision_regions` returns this class. ``found[i]`` is a `DecisionRegion`.

    Attributes
    ----------
    network : Network
    classes : tuple of int, or tuple of int
        The classes of pieces: numbers of outputs that are the largest, then tuples of outputs that
        are the largest together, equal in all of a piece. Of a single output, 1 is positive and 0
        negative.
    complete : bool
        False if the search was cut short: then there are no shares.

    Examples
    --------
    >>> from arrangements import Polyhedron
    >>> from arrangements.networks import Network, decision_regions
    >>> net = Network([([[1, 0], [-1, 0]], None), ([[1, 1], [0, 0]], [0, 1])])
    >>> found = decision_regions(net, within=Polyhedron.box(-2, 2, dimension=2))
    >>> found, found.labels.tolist().count(0)
    (DecisionRegions(4 pieces, labels 0, 1, complete), 2)
    >>> found.shares, found.components            # |x_1| > 1 on the left and on the right
    ({0: Fraction(1, 2), 1: Fraction(1, 2)}, {0: 2, 1: 1})
    """

    network: Network
    classes: tuple[Class, ...]
    complete: bool
    _domain: Domain | None
    _tournament: Tournament
    _codes: Codes
    _kinds: NDArray[np.intp]
    _points: NDArray[np.float64] | None
    _is_all: bool

    def __init__(
        self,
        network: Network,
        domain: Domain | None,
        tournament: Tournament,
        pieces: Pieces,
        complete: bool,
        is_all: bool,
    ) -> None:
        rows, kinds = np.unique(pieces.winners, axis=0, return_inverse=True)
        classes = [class_of(row) for row in rows]
        order = sorted(range(len(rows)), key=lambda k: class_order(classes[k]))
        places = np.argsort(np.array(order, np.intp))
        self.__dict__.update(
            network=network,
            classes=tuple(classes[k] for k in order),
            complete=complete,
            _domain=domain,
            _tournament=tournament,
            _codes=read_only(pieces.codes),
            _kinds=read_only(places[kinds.ravel()] if len(rows) else np.zeros(0, np.intp)),
            _points=None if pieces.points is None else read_only(pieces.points),
            _is_all=is_all,
        )

    @property
    def within(self) -> Polyhedron | None:
        """The polyhedron of which the pieces are parts; None if it is empty."""
        return None if self._domain is None else self._domain.polyhedron

    @cached_property
    def labels(self) -> NDArray[np.intp]:
        """(m,) the class of each piece; -1 where several outputs are the largest."""
        of_class = [k if isinstance(k, int) else -1 for k in self.classes]
        return read_only(np.array(of_class, np.intp)[self._kinds])

    @cached_property
    def shares(self) -> dict[Class, Fraction]:
        """The share of the length, area or volume of `within` of each class, exact; they sum to 1.

        Raises
        ------
        InputError
            If `within` is not bounded, or has more than 6 dimensions.
        IncompleteError
            If the search was cut short.

        Notes
        -----
        Only facets between classes contribute, with the exact coordinates of their vertices: their
        digits, and so those of a share, grow with the depth of the network and the number of these
        facets.
        """
        return self._measured.volumes

    @cached_property
    def components(self) -> dict[Class, int]:
        """How many connected parts each class has: pieces that share a facet are connected.

        Raises as `shares`.
        """
        return self._measured.components

    @cached_property
    def _measured(self) -> Shares:
        if not (self.complete and self._is_all):
            raise IncompleteError(
                "not all pieces are here; decision_regions without limit has shares."
            )
        if self._domain is None:
            return Shares({}, {})
        return measure(self._tournament, self._domain)

    def __len__(self) -> int:
        return len(self._kinds)

    def __iter__(self) -> Iterator[DecisionRegion]:
        return map(self.__getitem__, range(len(self)))

    @overload
    def __getitem__(self, index: int) -> DecisionRegion: ...

    @overload
    def __getitem__(self, index: slice) -> list[DecisionRegion]: ...

    def __getitem__(self, index: int | slice) -> DecisionRegion | list[DecisionRegion]:
        if isinstance(index, slice):
            return [self[i] for i in range(*index.indices(len(self)))]
        i = check_integer("the number of a piece", index)
        if not -len(self) <= i < len(self):
            raise IndexError(f"row {quote(i)} of {len(self)} pieces")
        i %= len(self)
        pattern = ternary.decode(self._codes[i : i + 1], self.network.n_units)[0]
        point = None
        if self._points is not None and np.isfinite(self._points[i]).all():
            point = tuple(map(Fraction, self._points[i].tolist()))
        label, domain = self.classes[self._kinds[i]], self._domain
        assert domain is not None  # it has pieces
        labels = (label,) if isinstance(label, int) else label
        return _piece(self.network, domain, pattern, labels, point)

    def pieces(self, label: int) -> list[DecisionRegion]:
        """The pieces where this output alone is the largest.

        Examples
        --------
        >>> from arrangements.networks import Network, decision_regions
        >>> net = Network([([[1], [-1]], None), ([[1, 0], [0, 1], [0, 0]], [0, 0, 1])])
        >>> found = decision_regions(net)
        >>> [piece.polyhedron.contains([3]) for piece in found.pieces(0)]
        [True]
        """
        k, n = check_integer("label", label), len(self._tournament.order)
        if not 0 <= k < n:
            raise InputError(f"label is {quote(label)}; expected the number of one of {n} classes.")
        return [self[i] for i in np.flatnonzero(self.labels == k).tolist()]

    def table(self) -> list[dict[str, Any]]:
        """A row for each class: its pieces; if they can be found, its share and connected parts.

        Examples
        --------
        >>> from arrangements import Polyhedron
        >>> from arrangements.networks import Network, decision_regions
        >>> net = Network([([[1], [-1]], None), ([[1, 0], [0, 1]], None)])
        >>> decision_regions(net, within=Polyhedron.box(-1, 2, dimension=1)).table()[0]
        {'label': 0, 'pieces': 1, 'share': Fraction(2, 3), 'components': 1}
        """
        counts = Counter(self._kinds.tolist())
        rows: list[dict[str, Any]] = [
            {"label": label, "pieces": counts[k]} for k, label in enumerate(self.classes)
        ]
        try:
            found = self._measured
        except (InputError, IncompleteError):
            return rows
        for row in rows:
            row["share"] = found.volumes[row["label"]]
            row["components"] = found.components[row["label"]]
        return rows

    def __repr__(self) -> str:
        shown = [_text(label) for label in self.classes[:10]]
        shown += [".."] * (len(self.classes) > 10)
        state = "complete" if self.complete else "truncated"
        noun = f"{len(self)} piece{'s' * (len(self) != 1)}"
        named = f"label{'s' * (len(shown) != 1)} {', '.join(shown)}, " if shown else ""
        return f"DecisionRegions({noun}, {named}{state})"

    def _repr_html_(self) -> str:
        counts = Counter(self._kinds.tolist())
        known: Shares | None = self.__dict__.get("_measured")  # nothing is computed for a card
        head, rows = ["label", "pieces"], []
        for k, label in enumerate(self.classes[: notebook.ROWS]):
            row: list[Any] = [_text(label), counts[k]]
            if known is not None:
                row += [notebook.number(known.volumes[label]), known.components[label]]
            rows.append(row)
        head += ["share", "parts"] if known is not None else []
        return notebook.card(repr(self), (), notebook.table(head, rows, len(self.classes)))


def _text(label: Class) -> str:
    return str(label) if isinstance(label, int) else " = ".join(map(str, label))


def _others(network: Network, label: int) -> list[int]:
    """The labels with which one is compared."""
    return [k for k in range(max(2, network.n_outputs)) if k != label]


def _piece(
    network: Network,
    domain: Domain,
    pattern: NDArray[np.int8],
    labels: tuple[int, ...],
    point: Point | None,
) -> DecisionRegion:
    """A piece as a region of the network with a unit for each rival."""
    last, label = len(network.layers) - 1, labels[0]
    others = _others(network, label)
    if network.n_outputs == 1:
        layer = Layer([[1 if label else -1]], slope=0, inputs=[last])
    else:
        table = -np.eye(network.n_outputs, dtype=np.int64)[others]
        table[:, label] = 1
        layer = Layer(table, slope=0, inputs=[last])
    signs = np.array([k not in labels for k in others], np.int8)
    compared = Network([*network.layers, layer])
    part = Region(compared, np.concatenate([pattern, signs]), domain, point)
    return DecisionRegion(Region(network, pattern, domain, point), labels, part)
