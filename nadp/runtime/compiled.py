"""Functions that numba compiles at their first call, because importing numba takes as long as all other imports."""

import functools
from collections.abc import Callable, Iterator
from threading import RLock
from types import CodeType, FunctionType
from typing import Any

_compiling = RLock()


class Compiled:
    """A function that is compiled, or loaded from numba's cache, at its first call.

    Args:
        function: in the part of Python that numba supports; it may call other such functions.
        options: options of numba.njit.
    """

    def __init__(self, function: Any, options: dict[str, Any]) -> None:  # noqa: ANN401 - its types are numba's to infer
        functools.update_wrapper(self, function)
        self._function = function
        self._options = options
        self._compiled: Callable[..., Any] | None = None

    def __call__(self, *args: Any) -> Any:  # noqa: ANN401 - as above
        """Call the compiled function."""
        return (self._compiled or self.compile())(*args)

    def compile(self) -> Callable[..., Any]:
        """Return numba's compiled function; other such functions that it calls are compiled, too."""
        with _compiling:
            if self._compiled is None:
                try:
                    from numba import njit  # noqa: PLC0415 - see above
                except OSError as error:  # readers would take an OSError for a damaged file
                    raise ImportError(f"numba cannot be loaded: {error}") from error

                code, global_names = self._function.__code__, self._function.__globals__
                callees = {
                    name: callee for name in _names(code) if isinstance(callee := global_names.get(name), Compiled)
                }
                function = FunctionType(
                    code, global_names | {name: callee.compile() for name, callee in callees.items()}
                )
                self._compiled = njit(nogil=True, cache=True, **self._options)(function)
            return self._compiled


def compiled(**options: Any) -> Callable[[Any], Compiled]:  # noqa: ANN401 - as above
    """Return a decorator that compiles a function at its first call; it runs without the interpreter's lock.

    Args:
        options: options of numba.njit, such as fastmath.
    """
    return lambda function: Compiled(function, options)


def _names(code: CodeType) -> Iterator[str]:
    """Yield the names that some code uses, including its comprehensions."""
    yield from code.co_names
    for part in code.co_consts:
        if isinstance(part, CodeType):
            yield from _names(part)
