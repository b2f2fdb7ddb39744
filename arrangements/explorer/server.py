"""The explorer in a browser: a server for this machine alone, with one session for each window."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from arrangements.checks import checked_integer
from arrangements.errors import InputError
from arrangements.explorer.page import Panel, add_page

if TYPE_CHECKING:
    from bokeh.document import Document

_LAST_PORT = 65535


def serve(
    panels: Sequence[Panel],
    title: str,
    about: str,
    port: int,
    open_browser: bool,
    say: Callable[[str], Any] = print,
) -> None:
    """Serve a page until Ctrl-C.

    Parameters
    ----------
    panels, title, about
        As in `page.add_page`.
    port : int
        0 for a free one.
    open_browser : bool
    say : function of str
        Gets the address.
    """
    from bokeh.application import Application  # an extra
    from bokeh.application.handlers.function import FunctionHandler  # an extra
    from bokeh.server.server import Server  # an extra

    port = checked_integer("port", port, 0, _LAST_PORT)

    def fill(document: Document) -> None:
        add_page(document, panels, title, about, live=True)

    try:
        # nobody else on the network reaches it, and no page from elsewhere may talk to it
        server = Server({"/": Application(FunctionHandler(fill))}, port=port, address="127.0.0.1")
    except OSError as error:
        raise InputError(
            f"port {port} cannot be used ({error.strerror or error}); choose another one, or 0 for "
            "one that is free."
        ) from error
    address = f"http://localhost:{server.port}/"
    server.start()
    say(address)
    if open_browser:
        server.io_loop.add_callback(server.show, "/")
    try:
        server.io_loop.start()
    except KeyboardInterrupt:
        pass
    finally:
        server.stop()
        server.io_loop.close(all_fds=True)
