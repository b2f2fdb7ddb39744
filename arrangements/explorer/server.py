"""The explorer in a browser: a server for this user alone, with one session for each window.

The server listens on the loopback interface. Two things keep others out. The address holds a random
token, which other users of the machine do not know. And a request must name the host that was
bound: a page from elsewhere whose name was made to point here (DNS rebinding) names its own. Both
are checked before anything is computed.
"""

from __future__ import annotations

import gc
import logging
import secrets
import webbrowser
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

from arrangements.checks import check_integer
from arrangements.errors import InputError
from arrangements.messages import printable

if TYPE_CHECKING:
    from bokeh.document import Document
    from bokeh.server.server import BaseServer

_LAST_PORT = 65535


def serve(
    fill: Callable[[Document], None],
    port: int,
    open_browser: bool,
    say: Callable[[str], Any] = print,
) -> None:
    """Serve a page until Ctrl-C.

    Parameters
    ----------
    fill : function of a bokeh.document.Document
        Makes the page in it.
    port : int
        0 for a free one.
    open_browser : bool
    say : function of str
        Gets the address.
    """
    port = check_integer("port", port, 0, _LAST_PORT)
    try:
        server, address = _server(fill, port)
    except OSError as error:
        raise InputError(
            f"port {port} cannot be used ({error.strerror or error}); choose another one, or 0 for "
            "one that is free."
        ) from error
    server.start()
    gc.freeze()  # to search all that is loaded for garbage would delay replies by 0.1 s
    say(address)
    if open_browser:
        server.io_loop.add_callback(webbrowser.open, address)
    try:
        server.io_loop.start()
    except KeyboardInterrupt:
        pass
    finally:
        gc.unfreeze()
        server.stop()
        server.io_loop.close(all_fds=True)


def _log(handler: Any, token: str) -> None:
    """Say which request was refused, without the token and what could command a terminal."""
    if handler.get_status() >= 400:
        path = handler.request.path.replace(token, "..")
        what = f"{handler.get_status()} {handler.request.method} {path}"
        logging.getLogger("tornado.access").warning(printable(what))


def _escape(record: logging.LogRecord) -> bool:
    record.msg, record.args = printable(record.getMessage()), ()
    return True


def _server(fill: Callable[[Document], None], port: int) -> tuple[BaseServer, str]:
    """A server that only this user reaches, and its address."""
    from bokeh.application import Application  # an extra
    from bokeh.application.handlers.function import FunctionHandler  # an extra
    from bokeh.server.connection import ServerConnection  # an extra
    from bokeh.server.server import BaseServer  # an extra
    from bokeh.server.tornado import BokehTornado  # an extra
    from bokeh.server.util import bind_sockets  # an extra
    from tornado.httpserver import HTTPServer  # with Bokeh
    from tornado.ioloop import IOLoop  # with Bokeh
    from tornado.web import ErrorHandler  # with Bokeh

    class Prompt(HTTPServer):
        """Sends small messages at once.

        A reply is three of them, the second of which would wait 40 ms for the browser's word that
        it has the first. Tornado would have it so again after the first answer of a connection.
        """

        def handle_stream(self, stream: Any, address: Any) -> None:
            stream.set_nodelay(True)
            stream.set_nodelay = lambda value: None
            super().handle_stream(stream, address)

    class Silent(ServerConnection):  # type: ignore[misc]
        """Does not tell the traceback of an error, nor the paths in it."""

        def error(self, message: Any, text: str) -> Any:
            reply = super().error(message, "the message was not understood")
            reply.content["traceback"] = None
            return reply

    class Guarded(BokehTornado):  # type: ignore[misc]
        """Answers requests to the hosts that were bound."""

        def find_handler(self, request: Any, **more: Any) -> Any:
            if request.host in hosts:
                return super().find_handler(request, **more)
            return self.get_handler_delegate(request, ErrorHandler, {"status_code": 403})

        def new_connection(self, *arguments: Any) -> ServerConnection:
            connection = Silent(*arguments)
            self._clients.add(connection)
            return connection

    sockets, port = bind_sockets("127.0.0.1", port)
    hosts = [f"localhost:{port}", f"127.0.0.1:{port}"]
    token = secrets.token_urlsafe(24)
    application = Application(FunctionHandler(fill))
    pages = Guarded({"/": application}, prefix=token, extra_websocket_origins=hosts)
    pages.settings["log_function"] = partial(_log, token=token)
    logging.getLogger("tornado.general").addFilter(_escape)
    http = Prompt(pages)
    http.add_sockets(sockets)
    return BaseServer(IOLoop.current(), pages, http), f"http://localhost:{port}/{token}/"
