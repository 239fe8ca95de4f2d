"""The home folder: downloads, artefacts, cached results."""

import hashlib
import os
from pathlib import Path


def home() -> Path:
    """Return the folder of downloads, artefacts and cached results on this machine.

    It is NADP_HOME, or nadp in the user's cache folder. If NADP_HOME is the URL of a shared store, it is the local
    cache of the store: NADP_CACHE, or a separate folder in the user's cache folder.
    """
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    nadp_home, url = os.environ.get("NADP_HOME"), store_url()
    if url is None:
        return Path(nadp_home or cache / "nadp").absolute()
    cache_folder = os.environ.get("NADP_CACHE") or cache / f"nadp-{hashlib.sha256(url.encode()).hexdigest()[:16]}"
    return Path(cache_folder).absolute()


def made_home() -> Path:
    """Return home(); if missing, it is created for the user only.

    The default folder is closed to other users, even if an earlier version left it open. A folder that the user chose
    keeps its permissions.
    """
    folder = home()
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    if not any(os.environ.get(name) for name in ("NADP_HOME", "NADP_CACHE")):
        folder.chmod(0o700)
    return folder


def store_url() -> str | None:
    """Return the URL of the shared store; None where NADP_HOME is a folder."""
    nadp_home = os.environ.get("NADP_HOME", "")
    return nadp_home.rstrip("/") if "://" in nadp_home else None
