"""The versions of the packages on which results depend."""

from functools import cache
from importlib import metadata

_PACKAGES = (
    "nadp",
    "numpy",
    "scipy",
    "pandas",
    "numba",
    "annoy",
    "pynndescent",
    "scikit-learn",
    "nltk",
    "prefect",
    "datasets",
    "gensim",
)


def versions(*packages: str) -> dict[str, str]:
    """Return the versions of some installed packages; by default of all on which results depend."""
    found = {package: _version(package) for package in packages or _PACKAGES}
    return {package: version for package, version in found.items() if version}


@cache
def _version(package: str) -> str | None:
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return None
