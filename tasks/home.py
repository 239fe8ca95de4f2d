"""Where files live: downloads, artefacts, cached results."""

import os
from pathlib import Path


def home() -> Path:
    """Return the folder of downloads, artefacts and cached results: NADP_HOME, or nadp in the user's cache folder."""
    cache = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(os.environ.get("NADP_HOME") or Path(cache) / "nadp").absolute()
