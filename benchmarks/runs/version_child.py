"""A process that calls public functions of the version it is installed with, and times them.

It is run by its path, in the environment of another version, so it imports nothing else of the
package. Python: ``python -I version_child.py ADDRESS KEY``.
"""

import importlib
import sys
import time
import traceback
from multiprocessing.connection import Client


def main() -> None:
    """Answer questions, which say what to call with what and how often, until there are none."""
    package = importlib.import_module("arrangements")
    with Client(sys.argv[1], authkey=bytes.fromhex(sys.argv[2])) as connection:
        while True:
            try:
                function, arguments, options, calls, share = connection.recv()
            except EOFError:
                return
            try:
                connection.send(_timed(package, function, arguments, options, calls, share))
            except Exception:
                connection.send(traceback.format_exc().strip().rpartition("\n")[2])


def _timed(package, function, arguments, options, calls, share):  # type: ignore[no-untyped-def]
    """The number of patterns, and the seconds of at most `calls` calls after an untimed one."""
    asked = getattr(package, function)

    def run():  # type: ignore[no-untyped-def]
        answer = asked(*arguments, **options)
        if isinstance(answer, int):
            return answer
        # a stream of blocks, or a set
        return sum(map(len, answer)) if function.startswith("iter_") else len(answer)

    count = run()
    times: list[float] = []
    began = time.perf_counter()
    while len(times) < calls and (not times or time.perf_counter() - began < share):
        start = time.perf_counter()
        run()
        times.append(time.perf_counter() - start)
    return count, times


if __name__ == "__main__":
    main()
