"""What others call arguments and options: a call with one of their names is told the one here."""

# Type checkers take it for True. Loading typing takes longer than all of this file.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import TypeVar

    Function = TypeVar("Function", bound=Callable[..., object])

OTHER_NAMES = {
    **dict.fromkeys(("bias", "biases", "intercept", "intercepts"), "offsets"),
    **dict.fromkeys(("names", "classes", "label_names"), "labels"),
    **dict.fromkeys(("seed", "random_state"), "rng"),
    **dict.fromkeys(("n_jobs", "threads"), "workers"),
    "timeout": "time_limit",
}


def answer_other_names(function: "Function", name: str = "") -> "Function":
    """The function, with a TypeError that names the argument meant by a name of others.

    `name` is what the error calls it. A function without such arguments is returned as it is.

    Examples
    --------
    >>> def ask(W, offsets=None): ...
    >>> answer_other_names(ask)([[1, 0]], bias=[1])
    Traceback (most recent call last):
        ...
    TypeError: ask() has no argument 'bias'; it is called 'offsets'
    """
    from functools import wraps  # loads slowly

    code = getattr(function, "__code__", None)
    if code is None:
        return function
    own = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
    others = {
        other: meant for other, meant in OTHER_NAMES.items() if meant in own and other not in own
    }
    if not others:
        return function

    @wraps(function)
    def call(*arguments: object, **options: object) -> object:
        for other in others.keys() & options:
            raise TypeError(
                f"{name or function.__name__}() has no argument {other!r}; it is called "
                f"{others[other]!r}"
            )
        return function(*arguments, **options)

    return call  # type: ignore[return-value]
