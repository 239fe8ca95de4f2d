"""The versions of the packages that figures depend on."""

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
    """Return the versions of some installed packages; by default of all that figures depend on."""
    found = {}
    for package in packages or _PACKAGES:
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            continue
    return found
