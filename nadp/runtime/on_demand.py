"""Packages whose names are imported on first use (PEP 562), so that importing one of their modules is quick."""

import sys
from collections.abc import Callable, Iterable, Mapping
from importlib import import_module


def on_demand(
    package: str, names_of: Mapping[str, Iterable[str]]
) -> tuple[Callable[[str], object], Callable[[], list[str]]]:
    """Return __getattr__ and __dir__ of a package.

    Args:
        package: its name.
        names_of: the public names of each module that it takes them from; none may be that of a module of the package,
            which would shadow it.
    """
    module_of = {name: module for module, names in names_of.items() for name in names}

    def get(name: str) -> object:
        if name not in module_of:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        value = getattr(import_module(module_of[name]), name)
        setattr(sys.modules[package], name, value)
        return value

    return get, lambda: sorted({*vars(sys.modules[package]), *module_of})
