"""A page on which rows can be moved, and one sees what becomes possible."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, cast

from numpy.typing import ArrayLike

from arrangements.addresses import public_class
from arrangements.checks import check_flag
from arrangements.core.arrangement import Arrangement, ArrangementLike
from arrangements.core.labels import Label
from arrangements.core.questions import as_arrangement
from arrangements.core.score_model import ScoreModel, Ties, as_score_model
from arrangements.errors import InputError
from arrangements.explorer.page import Panel, add_page, check_bokeh
from arrangements.explorer.server import serve
from arrangements.explorer.state import State, state_of
from arrangements.explorer.views import View
from arrangements.files.atomic import atomic_write
from arrangements.files.paths import check_writable
from arrangements.messages import quote
from arrangements.networks.network import Network
from arrangements.networks.slices import Slice
from arrangements.polyhedra.polyhedron import Polyhedron
from arrangements.polyhedra.reading import Within, read_polyhedron

if TYPE_CHECKING:
    from bokeh.document import Document

    from arrangements.explorer.presets import Preset


@public_class
class Explorer:
    """A page about one matrix, or about a statement of the paper; made by `explore`.

    Parameters
    ----------
    fill : function of a bokeh.document.Document and bool
        Makes the page in the document, for a server or to be saved.
    title : str

    Notes
    -----
    All that a page says is exact; only its pictures are drawn in floats.
    """

    def __init__(self, fill: Callable[[Document, bool], None], title: str) -> None:
        check_bokeh()
        self._fill, self._title = fill, title

    @classmethod
    def of_preset(cls, name: str) -> Explorer:
        """The page about a statement of the paper, such as "bjorner"; see `docs/explorer.md`.

        Parameters
        ----------
        name : str
            "translation", "shortened-row", "differences", "bjorner", "unrestricted", "centered",
            or "centered-unit-length".

        Examples
        --------
        >>> from arrangements.plot import Explorer
        >>> Explorer.of_preset("bjorner")
        Explorer('Theorem H.1: the sign pattern does not determine the ranking pattern')
        """
        from arrangements.explorer.presets import preset  # loads SymPy

        found: Preset = preset(name)
        command = f"arrangements explore --preset {name}"

        def fill(document: Document, live: bool) -> None:
            add_page(document, found.panels, found.title, found.about, live, command)

        return cls(fill, found.title)

    def __repr__(self) -> str:
        return f"Explorer({self._title!r})"

    def to_html(self) -> str:
        """The page as one file, with all it needs: it asks no server and no network.

        Rows cannot be dragged freely on it. Sliders go through steps that are computed now, some
        hundred of them, as many as fit.
        """
        from bokeh.document import Document  # an extra
        from bokeh.embed import file_html  # an extra
        from bokeh.resources import INLINE  # an extra

        document = Document()
        self._fill(document, False)
        html: str = file_html(
            document,
            INLINE,
            self._title,
            template=document.template,
            template_variables=document.template_variables,
        )
        return html

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write `to_html` to a file, in one step.

        Parameters
        ----------
        path : str or path-like
            Ends in .html.

        Raises
        ------
        InputError
            If the name ends in something else, or the file cannot be written.
        """
        check_page(path)
        with atomic_write(path) as stream:
            stream.write(self.to_html().encode())

    def serve(self, port: int = 0, open_browser: bool = True) -> None:
        """Show the page in a browser, with rows that can be dragged, until Ctrl-C.

        Parameters
        ----------
        port : int
            Of the server, which only this machine can reach; 0 for a free one.
        open_browser : bool
            Whether the browser is opened. The address is printed in any case.

        Raises
        ------
        InputError
            If the port is taken.
        """
        open_browser = check_flag("open_browser", open_browser)
        serve(lambda document: self._fill(document, True), port, open_browser, _say)


def explore(
    W: ArrangementLike | Network | Slice | Sequence[Network],
    offsets: ArrayLike | None = None,
    *,
    show: str | None = None,
    plane: Literal["axes", "fitted"] | ArrayLike | None = None,
    rank: int | None = None,
    ties: Ties = "error",
    labels: Iterable[Label] | None = None,
    within: Within | None = None,
) -> Explorer:
    """A page on which the rows of W can be moved, and one sees what becomes possible.

    Parameters
    ----------
    W : (n, d) array_like of int, float, Fraction or SymPy number, Arrangement, Network or Slice
        A row for each label or hyperplane, at most 300; or a network of ReLU units, a slice of one,
        or a list of networks of one shape, the steps of a training.
    offsets : (n,) array_like, optional
        Default zeros.
    show : str, optional
        "rankings", "top-k" for a number k (sets of labels that can be above all others), or
        "chambers". Default chambers for an Arrangement, else rankings. Of a network the colors of
        its regions: by "class" (default), "pattern" or affine "map".
    plane : "axes", "fitted", or (3, d) array_like, optional
        The plane through the space of x that is drawn: a point and two vectors. Default the first
        two coordinates for d < 4, else the main directions of the rows, rounded. Of a network of
        more than two inputs, (k, d): a point, two vectors, and others along which sliders move the
        plane; default the axes.
    rank : int, optional
        As in `chambers` and `rankings`.
    ties : {"error", "drop"}
        Labels that always tie are refused, or all but the first of them dropped.
    labels : iterable of int or str, optional
        Names of the rows.
    within : Polyhedron, or (A, c), optional
        Only regions that meet the relative interior of this polyhedron, which no row moves; of a
        network, in the coordinates of the plane. Without offsets directions count: for three
        columns, or if it is flat, it is the cone over it.

    Returns
    -------
    Explorer
        With methods `save` for a page that needs no server, and `serve`.

    Raises
    ------
    MissingDependencyError
        Without Bokeh (extra ``explore``).
    TooLargeError
        If the plane meets more than 4000 regions.
    InputError
        If something cannot be read, or `within` is empty.

    See Also
    --------
    plot_rankings, plot_arrangement, plot_network : pictures for print.

    Notes
    -----
    Exact: regions, counts, points and proofs come from the engine, and rows move on a decimal grid.
    In the plane, 12 labels follow a drag within 0.1 s, and so do 60 regions of a network.

    Examples
    --------
    >>> from arrangements import explore
    >>> page = explore([[0, 0], [10, 1], [9, 5], [1, 3], [2, 2]])
    >>> page
    Explorer('20 rankings of 5 labels')
    >>> explore([[1, -1], [2, 0], [0, 1]], within="simplex")
    Explorer('3 rankings of 3 labels inside the polyhedron')
    >>> from arrangements.networks import Network
    >>> explore(Network([([[1, 0], [0, 1], [1, 1]], [0, 0, -1]), ([[1, -1, 2]], [0])]))
    Explorer('7 regions of 3 units')
    >>> page.save("page.pdf")
    Traceback (most recent call last):
        ...
    arrangements.errors.InputError: 'page.pdf' must end in .html.
    """
    check_bokeh()
    if isinstance(W[0] if isinstance(W, list | tuple) and W else W, Network | Slice):
        given = {"offsets": offsets, "rank": rank, "ties": ties}
        return _explore_network(W, given, labels, plane, within, show)
    rows = cast(ArrangementLike, W)
    kind = show or ("chambers" if isinstance(W, Arrangement) else "rankings")
    state: State
    if kind == "chambers":
        own = labels is None
        arrangement = (
            Arrangement.coerce(rows, offsets) if own else Arrangement(rows, offsets, labels)
        )
        A = as_arrangement(arrangement, None, rank)
        P = _read_within(within, A)
        state = state_of(A.normals, A.offsets, A.labels, kind, plane, P)
    else:
        model = as_score_model(rows, offsets, labels, ties, rank)
        P = _read_within(within, model)
        state = state_of(model.weights, model.offsets, model.labels, kind, plane, P)
    title = View(state).title
    return Explorer(
        lambda document, live: add_page(document, (Panel(state),), title, "", live), title
    )


def _explore_network(
    networks: Any, given: Mapping[str, Any], labels: Any, plane: Any, within: Any, show: str | None
) -> Explorer:
    """The page about networks, which takes no arguments about rows."""
    from arrangements.explorer.network_page import add_network_page  # loads networks
    from arrangements.explorer.network_state import network_state  # loads networks
    from arrangements.explorer.network_view import NetworkView  # loads networks

    for name, value in given.items():
        if value is not None and not (isinstance(value, str) and value == "error"):
            raise InputError(f"{name} was given for a network; expected it for a matrix only.")
    state = network_state(
        networks, labels=labels, plane=plane, within=within, color=show or "class"
    )
    return Explorer(
        lambda document, live: add_network_page(document, state, live), NetworkView(state).title
    )


def _read_within(within: Within | None, subject: Arrangement | ScoreModel) -> Polyhedron | None:
    if within is None:
        return None
    P = read_polyhedron(within, subject)
    if P.is_empty:
        raise InputError(f"within is {P}; expected one with points.")
    return P


def check_page(path: str | os.PathLike[str]) -> None:
    """Refuse the name of a page that does not end in .html, or cannot be written."""
    if not os.fspath(path).lower().endswith((".html", ".htm")):
        raise InputError(f"{quote(os.fspath(path))} must end in .html.")
    check_writable(path)


def _say(address: str) -> None:
    print(f"The explorer is at {address} (Ctrl-C ends it)", flush=True)
