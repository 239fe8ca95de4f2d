"""The versions of the packages on which results depend."""

from importlib.metadata import PackageNotFoundError, version

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
    installed = {}
    for package in packages or _PACKAGES:
        try:
            installed[package] = version(package)
        except PackageNotFoundError:
            continue
    return installed
