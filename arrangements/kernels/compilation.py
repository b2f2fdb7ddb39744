"""How kernels are compiled: entries, which Python calls, and their parts.

A part is made into machine code only within the entries that use it. Left to itself, numba would
optimize and compile every part, with all that it calls, also alone, and again in each caller.
"""

import gc
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FunctionType
from typing import Any

from numba import config, njit

from arrangements.kernels.numba_internals import (
    Compiler,
    CPUDispatcher,
    EntryCompiler,
    LateCompiler,
    OutlinedCompiler,
    Part,
    PartCompiler,
    keep_code,
)

if config.DISABLE_JIT:
    raise ImportError(
        "NUMBA_DISABLE_JIT is set, and arrangements computes with compiled code only; unset it."
    )

Decorator = Callable[[Any], Any]


def _options(allocates: bool) -> dict[str, Any]:
    # Without its run time numba counts no references to arrays: these atomic counts, two for each
    # array in each call, took half of the time. Nothing can be allocated in such a function.
    return {"error_model": "numpy", "_nrt": allocates}


class _Entry(CPUDispatcher):  # type: ignore[misc]
    """A function that Python calls; it never swallows Ctrl-C."""

    def compile(self, signature: Any) -> Any:
        """As numba's. KeyboardInterrupt ends it as soon as Python runs again."""
        with _heeding_ctrl_c(), _uncollected():
            return _with_room(super().compile, signature)


def _call(function: Callable[[Any], Any], argument: Any) -> Any:
    return function(argument)


# Python keeps the frames of calls in pieces of 16 KiB, and returns a piece to the system once it is
# empty. Numba compiles by deep recursion: whatever is called often where a piece ends asks the
# system for the next one each time, 200,000 times for first rankings, a sixth of their time. The
# frame of this function claims a megabyte, so that it gets a piece of two.
_with_room = FunctionType(_call.__code__.replace(co_stacksize=2**17), globals(), "_with_room")


@contextmanager
def _uncollected() -> Iterator[None]:
    """No garbage collection: it looks at numba's objects again and again, a tenth of the time."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


@contextmanager
def _heeding_ctrl_c() -> Iterator[None]:
    """Raise KeyboardInterrupt at the end if it was lost on the way.

    Python runs a signal's handler between two steps of its own. During compilation these are often
    in a function that LLVM calls, or in a finalizer, where exceptions are reported and dropped; or
    another exception takes the interrupt's place.
    """
    if threading.current_thread() is not threading.main_thread():  # no signal gets there
        yield
        return
    # Ctrl-C, and what other handlers raise to end the process
    lost: list[BaseException] = []
    report = sys.unraisablehook

    def notice(unraisable: Any) -> None:
        if isinstance(unraisable.exc_value, KeyboardInterrupt | SystemExit):
            lost.append(unraisable.exc_value)
        else:
            report(unraisable)

    sys.unraisablehook = notice
    try:
        yield
    except Exception as error:
        if lost:
            raise lost[0] from error
        if _comes_from_ctrl_c(error):
            raise KeyboardInterrupt from error
        raise
    finally:
        sys.unraisablehook = report
    if lost:
        raise lost[0]


def _comes_from_ctrl_c(error: BaseException | None) -> bool:
    while error is not None and not isinstance(error, KeyboardInterrupt):
        error = error.__context__
    return error is not None


def _entry(*, allocates: bool, pipeline: type[Compiler] = EntryCompiler) -> Decorator:
    def decorate(function: Any) -> Any:
        # nothing else but Python and kernels calls it
        compiled = njit(
            nogil=True, no_cfunc_wrapper=True, pipeline_class=pipeline, **_options(allocates)
        )(function)
        compiled.__class__ = _Entry
        keep_code(compiled)
        return compiled

    return decorate


def _part(
    *,
    allocates: bool = False,
    forceinline: bool = False,
    pipeline: type[Compiler] = PartCompiler,
    **options: Any,
) -> Decorator:
    # always pass it; otherwise numba inherits it from the first caller
    options["forceinline"] = forceinline
    # unpacking the arrays of a workspace for a call from Python took a seventh of compilation
    wrappers = {"no_cpython_wrapper": True, "no_cfunc_wrapper": True}

    def decorate(function: Any) -> Any:
        compiled = njit(pipeline_class=pipeline, **_options(allocates), **wrappers, **options)(
            function
        )
        compiled.__class__ = Part
        return compiled

    return decorate


# Called from Python.
entry, allocating_entry = _entry(allocates=False), _entry(allocates=True)
# Called from Python or by its address (``kernels.late``), for too short a time to load all that is
# passed by reference beforehand.
late_entry = _entry(allocates=False, pipeline=LateCompiler)
# Called from other kernels only.
kernel, allocating_kernel = _part(), _part(allocates=True)
# The same, with sums in any order, so that they vectorize: for proposals, never for a sign.
proposing = _part(fastmath={"reassoc", "contract"})
# Never inlined: for rare cases, so that the loop around prepares nothing for them.
outlined = _part(pipeline=OutlinedCompiler)
# Always inlined, by LLVM.
inlined = _part(forceinline=True)
