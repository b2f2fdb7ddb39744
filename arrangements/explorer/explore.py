"""A page on which rows can be moved, and one sees what becomes possible."""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import TYPE_CHECKING, Literal

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
from arrangements.polyhedra.polyhedron import Polyhedron
from arrangements.polyhedra.reading import Within, read_polyhedron

if TYPE_CHECKING:
    from arrangements.explorer.presets import Preset


@public_class
class Explorer:
    """A page about one matrix, or about a statement of the paper; made by `explore`.

    Parameters
    ----------
    panels : tuple of Panel
        What the page shows side by side.
    title : str
    about : str
        HTML above the pictures.
    command : str
        What opens the page with a server, which a saved page says.

    Notes
    -----
    All that a page says is exact; only its pictures are drawn in floats.
    """

    def __init__(
        self,
        panels: tuple[Panel, ...],
        title: str,
        about: str = "",
        command: str = "arrangements explore FILE",
    ) -> None:
        check_bokeh()
        self._panels, self._title, self._about = panels, title, about
        self._command = command

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
        return cls(found.panels, found.title, found.about, command)

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
        add_page(
            document, self._panels, self._title, self._about, live=False, command=self._command
        )
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
        serve(self._panels, self._title, self._about, port, open_browser, _say)


def explore(
    W: ArrangementLike,
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
    W : (n, d) array_like of int, float, Fraction or SymPy number, or Arrangement
        A row for each label or hyperplane, at most 300.
    offsets : (n,) array_like, optional
        Default zeros.
    show : str, optional
        "rankings", "top-k" for a number k (sets of labels that can be above all others), or
        "chambers". Default chambers for an Arrangement, else rankings.
    plane : "axes", "fitted", or (3, d) array_like, optional
        The plane through the space of x that is drawn: a point and two vectors. Default the first
        two coordinates for d < 4, else the main directions of the rows, rounded.
    rank : int, optional
        As in `chambers` and `rankings`.
    ties : {"error", "drop"}
        Labels that always tie are refused, or all but the first of them dropped.
    labels : iterable of int or str, optional
        Names of the rows.
    within : Polyhedron, or (A, c), optional
        Only regions that meet the relative interior of this polyhedron, which no row moves. Without
        offsets directions count: for three columns, or if it is flat, it is the cone over it.

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
    plot_rankings, plot_arrangement : pictures for print.

    Notes
    -----
    Exact: regions, counts, points and proofs come from the engine, and rows move on a decimal grid.
    In the plane, 12 labels follow a drag within 0.1 s.

    Examples
    --------
    >>> from arrangements import explore
    >>> page = explore([[0, 0], [10, 1], [9, 5], [1, 3], [2, 2]])
    >>> page
    Explorer('20 rankings of 5 labels')
    >>> explore([[1, -1], [2, 0], [0, 1]], within="simplex")
    Explorer('3 rankings of 3 labels inside the polyhedron')
    >>> page.save("page.pdf")
    Traceback (most recent call last):
        ...
    arrangements.errors.InputError: 'page.pdf' must end in .html.
    """
    check_bokeh()
    kind = show or ("chambers" if isinstance(W, Arrangement) else "rankings")
    state: State
    if kind == "chambers":
        own = labels is None
        arrangement = Arrangement.coerce(W, offsets) if own else Arrangement(W, offsets, labels)
        A = as_arrangement(arrangement, None, rank)
        P = _read_within(within, A)
        state = state_of(A.normals, A.offsets, A.labels, kind, plane, P)
    else:
        model = as_score_model(W, offsets, labels, ties, rank)
        P = _read_within(within, model)
        state = state_of(model.weights, model.offsets, model.labels, kind, plane, P)
    return Explorer((Panel(state),), View(state).title)


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
