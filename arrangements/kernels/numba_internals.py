"""Every part of numba beyond its public interface that the package uses.

A release of numba may move any of it. ``setup.cfg`` states the releases that work.
`tests/kernels/test_numba_internals.py` names the parts that another release lacks: it reads the
imports, and lists the members of classes that are overridden or used below.
"""

import contextlib
import inspect
import os
import pickle
import uuid
from collections.abc import Callable, Iterator
from typing import IO, Any

from llvmlite import ir
from numba import config
from numba.core import (
    cgutils,  # loops, allocas and calls of functions in LLVM code
    event,  # tells when a function is compiled
)
from numba.core.caching import (  # files of compiled code, made robust below
    CompileResultCacheImpl,
    FunctionCache,
    IndexDataCacheFile,
    InTreeCacheLocator,
)
from numba.core.codegen import JITCodeLibrary  # LLVM's passes over the code of one function
from numba.core.compiler import Compiler  # gives a function its library
from numba.core.errors import NumbaError  # raised when a function of a user does not compile
from numba.core.imputils import (  # types of values that kernels take by reference
    impl_ret_borrowed,
    lower_getattr_generic,
)
from numba.core.registry import (
    CPUDispatcher,  # the class of compiled functions
    cpu_target,  # the processor that code is made for
)
from numba.core.types import (  # type: ignore[attr-defined]
    BaseTuple,  # the type of named tuples
    unliteral,  # the type without a constant value
)
from numba.core.typing.templates import AttributeTemplate, infer_getattr  # attributes of types

from arrangements.kernels.cache import (
    DIGEST_BYTES,
    digest,
    digest_of_sources,
    is_open,
    make_private,
    open_as_own,
    others_can_write,
    warn_of_no_folder,
    warn_of_open_folder,
)

# Passed on to other files.
__all__ = [
    "AttributeTemplate",
    "BaseTuple",
    "CPUDispatcher",
    "Compiler",
    "NumbaError",
    "cgutils",
    "cpu_target",
    "impl_ret_borrowed",
    "infer_getattr",
    "lower_getattr_generic",
]

# Arguments of numba's functions before those of the kernel: where to put the result and an error.
_OWN_ARGUMENTS = 2
# How the names of functions that Python calls begin: they take a kernel's arguments apart.
_WRAPPER = "_ZN7cpython"


class _Library(JITCodeLibrary):  # type: ignore[misc]
    """Code for which LLVM skips passes that take long and matter little."""

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
    """Code of entries, whose arguments by reference (``kernels.shared``) may be loaded at once."""

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
    """Drops objects that only a call from Python needs, such as those named in messages."""

    @staticmethod
    def set_env(name: str, environment: object) -> None:
        pass


class PartCompiler(Compiler):  # type: ignore[misc]
    """Compiles parts."""

    library: Any = _PartLibrary

    def define_pipelines(self) -> Any:
        """As numba's, for a library of the class `library`."""
        state = self.state
        state.library = self.library(state.targetctx.codegen(), state.func_id.func_qualname)
        state.library.enable_object_caching()  # as numba does for a library of its own
        return super().define_pipelines()


class EntryCompiler(PartCompiler):
    """Compiles entries."""

    library: Any = _EntryLibrary


class LateCompiler(PartCompiler):
    """Compiles entries that are called by their address."""

    library: Any = _Library


class OutlinedCompiler(PartCompiler):
    """Compiles parts that are never inlined."""

    library: Any = _OutlinedLibrary


class Part(CPUDispatcher):  # type: ignore[misc]
    """A function for kernels only: it has no code to be called from Python."""

    def __call__(self, *arguments: object, **named: object) -> None:
        raise TypeError(f"{self.__name__} can only be called from compiled code.")

    def get_call_template(self, args: Any, kws: Any) -> Any:
        """As numba's, but without a version of its own for every constant that is passed."""
        named = {name: unliteral(kind) for name, kind in kws.items()}
        return super().get_call_template([unliteral(kind) for kind in args], named)


class _Files(IndexDataCacheFile):  # type: ignore[misc]
    """Index and data files that may be damaged or of another origin: then as if not there.

    What is missing is looked for among `shared`, files that this user may only read.
    """

    shared: "_Files | None" = None

    @property
    def hold_code(self) -> bool:
        """Whether there is code for the files of kernels as they are."""
        return bool(self._load_index()) or (self.shared is not None and self.shared.hold_code)

    def _read(self, path: str) -> Any:
        with open(path, "rb") as stream:
            if is_open(os.fstat(stream.fileno())):  # whoever wrote it
                return None
            found, data = stream.read(DIGEST_BYTES), stream.read()
        return pickle.loads(data) if found == digest(data) else None

    def _write(self, path: str, content: Any) -> None:
        data = self._dump(content)
        with self._open_for_write(path) as stream:
            stream.write(digest(data) + data)

    def _load_index(self) -> dict[Any, str]:
        with contextlib.suppress(Exception):  # unpickling raises anything
            stamp, index = self._read(self._index_path)
            if stamp == (self._version, self._source_stamp) and isinstance(index, dict):
                return index
        return {}

    def _save_index(self, index: dict[Any, str]) -> None:
        self._write(self._index_path, ((self._version, self._source_stamp), index))

    def _load_data(self, name: str) -> Any:
        return self._read(self._data_path(name))

    def _save_data(self, name: str, data: Any) -> None:
        self._write(self._data_path(name), data)

    def load(self, key: Any) -> Any:
        """The data of a key, or None."""
        with contextlib.suppress(Exception):
            owner, data = super().load(key)
            if owner == (self._source_stamp, key):
                return data
        return None if self.shared is None else self.shared.load(key)

    def save(self, key: Any, data: Any) -> None:
        """Data first: numba's order leaves, on a full disk, an index that names older data.

        With the key, since two machines that save at the same time may choose the same name; the
        index of one would name the code of the other.
        """
        index = self._load_index()
        numbers = (self._data_name(i) for i in range(1, len(index) + 2))
        name = index.get(key) or next(name for name in numbers if name not in index.values())
        self._save_data(name, ((self._source_stamp, key), data))
        self._save_index(index | {key: name})

    @contextlib.contextmanager
    def _open_for_write(self, filepath: str) -> Iterator[IO[bytes]]:
        """As numba's, but nothing is left behind after Ctrl-C either."""
        temporary = f"{filepath}.tmp.{uuid.uuid4().hex[:16]}"
        try:
            with open(temporary, "wb", opener=open_as_own) as stream:
                yield stream
            os.replace(temporary, filepath)
        finally:
            with contextlib.suppress(OSError):
                os.unlink(temporary)


class _PrivateFolder:
    """Of numba's ways to find a folder: refuse one that others can write to."""

    def ensure_cache_path(self) -> None:
        """Raise OSError if the folder cannot or should not be used."""
        folder = self.get_cache_path()  # type: ignore[attr-defined]
        make_private(folder)
        if others_can_write(folder):
            warn_of_open_folder(folder)
            raise PermissionError(folder)
        super().ensure_cache_path()  # type: ignore[misc]


class _ReadOnlyFolder(InTreeCacheLocator):  # type: ignore[misc]
    """Where no folder can be written to: the one beside the source, if others cannot write."""

    def ensure_cache_path(self) -> None:
        """Raise OSError if there is no such folder, or it should not be used."""
        folder = self.get_cache_path()
        if not os.path.isdir(folder) or others_can_write(folder):
            raise PermissionError(folder)


class _Place(CompileResultCacheImpl):  # type: ignore[misc]
    _locator_classes = [
        type(locator.__name__, (_PrivateFolder, locator), {})
        for locator in CompileResultCacheImpl._locator_classes
    ] + [_ReadOnlyFolder]


class _Cache(FunctionCache):  # type: ignore[misc]
    """The cache of one entry."""

    _impl_class = _Place

    def __init__(self, function: Any) -> None:
        super().__init__(function)
        # numba does not tell code that checks indices from code that does not
        own = self._impl.locator.get_source_stamp()
        stamp = own, digest_of_sources(), bool(config.BOUNDSCHECK)
        name = self._impl.filename_base
        self._cache_file = _Files(self._cache_path, name, stamp)
        if not config.CACHE_DIR:  # an administrator may have compiled kernels beside the package
            beside = _ReadOnlyFolder.from_function(function, inspect.getfile(function))
            if beside is not None and beside.get_cache_path() != self._cache_path:
                self._cache_file.shared = _Files(beside.get_cache_path(), name, stamp)

    def load_overload(self, signature: Any, context: Any) -> Any:
        """The code kept for a signature, or None."""
        with contextlib.suppress(Exception):  # a readable file may still hold no code
            return super().load_overload(signature, context)
        return None

    def save_overload(self, signature: Any, code: Any) -> None:
        """Keep code, if that is possible."""
        try:
            super().save_overload(signature, code)
        except OSError:
            if isinstance(self._impl.locator, _ReadOnlyFolder):
                warn_of_no_folder()


def keeps_code(dispatcher: Any) -> bool:
    """Whether there is code of an entry in the cache, for the files of kernels as they are."""
    cache = dispatcher._cache
    return isinstance(cache, _Cache) and cache._cache_file.hold_code


def is_ready(dispatcher: Any) -> bool:
    """Whether an entry is compiled, or there is code of it in the cache."""
    return bool(dispatcher.overloads) or keeps_code(dispatcher)


def keep_code(dispatcher: Any) -> None:
    """Let a dispatcher of numba look for its code in the cache, and keep it there."""
    try:
        dispatcher._cache = _Cache(dispatcher.py_func)
    except RuntimeError:  # no folder can be written to
        warn_of_no_folder()


def processor() -> tuple[str, str, str]:
    """LLVM's triple, name of the processor and features that kernels are compiled for."""
    triple, name, features = cpu_target.target_context.codegen().magic_tuple()
    return triple, name, features


def on_compilation(
    begin: Callable[[Any], None], end: Callable[[Any], None] = lambda dispatcher: None
) -> Callable[[], None]:
    """Call `begin` and `end` with the function whenever numba compiles one.

    Returns a function that stops this.
    """

    class Listener(event.Listener):  # type: ignore[misc]
        def on_start(self, event: Any) -> None:
            begin(event.data["dispatcher"])

        def on_end(self, event: Any) -> None:
            end(event.data["dispatcher"])

    listener = Listener()
    event.register("numba:compile", listener)
    return lambda: event.unregister("numba:compile", listener)


def count_instructions(dispatcher: Any) -> int:
    """LLVM instructions of the code that a function was compiled to last."""
    module = list(dispatcher.overloads.values())[-1].library._final_module
    return sum(1 for f in module.functions for block in f.blocks for _ in block.instructions)


def address_of(compiled: Any) -> int:
    """Address of compiled code: one of a dispatcher's ``overloads``."""
    address: int = compiled.library.get_pointer_to_function(compiled.fndesc.llvm_func_name)
    return address
