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

from llvmlite import ir
from numba import config, njit
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import Compiler
from numba.core.registry import CPUDispatcher
from numba.core.types import unliteral  # type: ignore[attr-defined]

from arrangements.kernels.cache import keep_code

# Arguments of numba's functions before those of the kernel: where to put the result and an error.
_OWN_ARGUMENTS = 2
# How the names of functions that Python calls begin: they take a kernel's arguments apart.
_WRAPPER = "_ZN7cpython"


class _Library(JITCodeLibrary):  # type: ignore[misc]
    """Code for which LLVM leaves out what takes long and matters little."""

    def add_ir_module(self, ir_module: Any) -> None:
        for function in ir_module.functions:
            if function.name.startswith(_WRAPPER) and not function.is_declaration:
                # long for a workspace of 40 arrays; this costs 1 us a call
                function.attributes.add("optnone")
                function.attributes.add("noinline")
        super().add_ir_module(ir_module)

    def _optimize_functions(self, ll_module: Any) -> None:
        """Simplify functions before they are inlined; all of it is optimized afterwards."""
        ll_module.data_layout = self._codegen._data_layout
        passes, builder = self._codegen._function_pass_manager(opt=1)
        for function in ll_module.functions:
            if not function.is_declaration:
                passes.run(function, builder)


class _EntryLibrary(_Library):
    """Code of entries: what they take by reference (``kernels.shared``) may be loaded at once."""

    def add_ir_module(self, ir_module: Any) -> None:
        for function in ir_module.functions:
            for argument in function.args[_OWN_ARGUMENTS:]:
                kind = argument.type
                if isinstance(kind, ir.PointerType) and isinstance(kind.pointee, ir.BaseStructType):
                    size = kind.pointee.get_abi_size(self._codegen.target_data)
                    argument.attributes.dereferenceable = size
                    argument.attributes.align = 8
                    argument.attributes.add("noalias")
        super().add_ir_module(ir_module)


class _PartLibrary(_Library):
    """Code to be linked into that of entries, and optimized there."""

    def _optimize_final_module(self) -> None:
        pass

    def _finalize_final_module(self) -> None:
        self._finalize_dynamic_globals()
        self._finalized = True

    def get_pointer_to_function(self, name: str) -> int:
        """0: there is no machine code."""
        self._ensure_finalized()
        return 0

    @property
    def codegen(self) -> Any:
        return _NoEnvironments


class _OutlinedLibrary(_PartLibrary):
    """Code that stays a function of its own."""

    def add_ir_module(self, ir_module: Any) -> None:
        for function in ir_module.functions:
            if not (function.is_declaration or "alwaysinline" in function.attributes):
                function.attributes.add("noinline")
        super().add_ir_module(ir_module)


class _NoEnvironments:
    """What a call from Python would need, objects named in messages for example, is not kept."""

    @staticmethod
    def set_env(name: str, environment: object) -> None:
        pass


class _PartCompiler(Compiler):  # type: ignore[misc]
    library: type[JITCodeLibrary] = _PartLibrary

    def define_pipelines(self) -> Any:
        state = self.state
        state.library = self.library(state.targetctx.codegen(), state.func_id.func_qualname)
        state.library.enable_object_caching()  # as numba does for a library of its own
        return super().define_pipelines()


class _EntryCompiler(_PartCompiler):
    library = _EntryLibrary


class _LateCompiler(_PartCompiler):
    library = _Library


class _OutlinedCompiler(_PartCompiler):
    library = _OutlinedLibrary


class _Part(CPUDispatcher):  # type: ignore[misc]
    """A function for kernels only: it has no code to be called from Python."""

    def __call__(self, *arguments: object, **named: object) -> None:
        raise TypeError(f"{self.__name__} can only be called from compiled code.")

    def get_call_template(self, args: Any, kws: Any) -> Any:
        """As numba's, but without a version of its own for every constant that is passed."""
        named = {name: unliteral(kind) for name, kind in kws.items()}
        return super().get_call_template([unliteral(kind) for kind in args], named)


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
    if not gc.isenabled():
        yield
        return
    gc.disable()
    try:
        yield
    finally:
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


def _entry(*, allocates: bool, pipeline: type[Compiler] = _EntryCompiler) -> Decorator:
    def decorate(function: Any) -> Any:
        # nothing else but Python and kernels calls it
        compiled = njit(
            nogil=True, no_cfunc_wrapper=True, pipeline_class=pipeline, **_options(allocates)
        )(function)
        if not config.DISABLE_JIT:
            compiled.__class__ = _Entry
            keep_code(compiled)
        return compiled

    return decorate


def _part(
    *,
    allocates: bool = False,
    forceinline: bool = False,
    pipeline: type[Compiler] = _PartCompiler,
    **options: Any,
) -> Decorator:
    # said in any case: what is not said is as it is in the function that needs the part first
    options["forceinline"] = forceinline
    # what unpacks the arrays of a workspace for a call from Python took a seventh of compilation
    wrappers = {"no_cpython_wrapper": True, "no_cfunc_wrapper": True}

    def decorate(function: Any) -> Any:
        if config.DISABLE_JIT:
            return function
        compiled = njit(pipeline_class=pipeline, **_options(allocates), **wrappers, **options)(
            function
        )
        compiled.__class__ = _Part
        return compiled

    return decorate


# Called from Python.
entry, allocating_entry = _entry(allocates=False), _entry(allocates=True)
# Called from Python or by its address (``kernels.late``), for too short a time to load all that is
# passed by reference beforehand.
late_entry = _entry(allocates=False, pipeline=_LateCompiler)
# Called from other kernels only.
kernel, allocating_kernel = _part(), _part(allocates=True)
# The same, with sums in any order, so that they vectorize: for proposals, never for a sign.
proposing = _part(fastmath={"reassoc", "contract"})
# Never inlined: what is seldom done, so that nothing is made ready for it in the loop around.
outlined = _part(pipeline=_OutlinedCompiler)
# Always inlined, by LLVM.
inlined = _part(forceinline=True)
