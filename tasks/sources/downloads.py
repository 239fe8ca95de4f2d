"""Downloads of large files: resumed after an interruption, verified, and published atomically."""

import hashlib
import logging
from collections.abc import Callable, Sequence
from pathlib import Path
from urllib.parse import urlsplit

import httpx

from nadp.errors import InputError
from nadp.files.durable import move, sha256_of
from nadp.runtime.progress import Stage, megabytes
from tasks.sources.hub import offline
from tasks.sources.places import shown
from tasks.sources.retries import UnreachableError, is_transient, probe
from tasks.store.artefacts import brought
from tasks.store.home import home
from tasks.store.locks import FileLocks
from tasks.store.sharing import discard, share

_log = logging.getLogger("nadp.download")
_TIMEOUT = httpx.Timeout(30, connect=10)
_CHUNK = 1 << 20


def downloaded(urls: Sequence[str], target: Path, sha256: str | None) -> Path:
    """Return a file, downloaded from the first URL that provides it.

    Args:
        urls: in the order to try.
        target: path of the file; a finished download is reused, an interrupted one is resumed. Only one process
            downloads it at a time; the others wait.
        sha256: required hash; None accepts any content and logs its hash.

    Raises:
        InputError: if the content has another hash.
        httpx.HTTPError: if the last URL failed for a transient reason.
        UnreachableError: if no URL could be reached at all.
    """
    if not target.exists():
        with FileLocks(target.parent).holding(target.name):  # two runs must not append to the same part
            _download(urls, target, sha256)
    return target


def from_web(url: str, sha256: str | None = None) -> Path:
    """Return the downloaded file of a URL; later calls return the same file.

    Raises:
        UnreachableError: if its host does not answer, or offline mode is on.
        InputError: if the content has another hash.
    """
    target = _target(url)
    if not target.exists():
        if offline():
            raise UnreachableError(f"{shown(url)} is not fetched: offline mode is on")
        probe(url)
    return downloaded([url], target, sha256)


def forget(url: str) -> None:
    """Remove the downloaded file of a URL, here and in the shared store, so that it is downloaded again."""
    target = _target(url)
    target.unlink(missing_ok=True)
    discard(target)


def _target(url: str) -> Path:
    folder = home() / "downloads" / hashlib.sha256(url.encode()).hexdigest()[:16]
    return folder / (urlsplit(url).path.rsplit("/", 1)[-1] or "file")


def _download(urls: Sequence[str], target: Path, sha256: str | None) -> None:
    """Download a file, unless another run has just done so."""
    if target.exists() or brought(target, lambda path: sha256 is None or sha256_of(path) == sha256):
        return
    part = target.with_name(target.name + ".part")
    _from_first(urls, part)
    _verify(part, sha256, urls)
    move(part, target)
    share(target)


def _from_first(urls: Sequence[str], part: Path) -> None:
    errors: list[httpx.HTTPError] = []
    for url in urls:
        try:
            _resume(url, part)
        except httpx.HTTPError as error:
            _log.warning("%s: %s", url, error or type(error).__name__)
            errors.append(error)
        else:
            return
    transient_errors = [error for error in errors if is_transient(error) and not isinstance(error, httpx.ConnectError)]
    if transient_errors:
        raise transient_errors[-1]
    reasons = "; ".join(f"{url}: {error}" for url, error in zip(urls, errors, strict=True))
    raise UnreachableError(f"cannot be downloaded ({reasons}): give the path of a local copy instead")


def _resume(url: str, part: Path) -> None:
    """Append the missing rest to `part`."""
    received = part.stat().st_size if part.exists() else 0
    headers = {"Accept-Encoding": "identity"} | ({"Range": f"bytes={received}-"} if received else {})
    with httpx.stream("GET", url, headers=headers, timeout=_TIMEOUT, follow_redirects=True) as response:
        if response.status_code == httpx.codes.REQUESTED_RANGE_NOT_SATISFIABLE:
            return  # already complete; the checksum decides
        response.raise_for_status()
        resumed = response.status_code == httpx.codes.PARTIAL_CONTENT
        total = int(response.headers.get("Content-Length", 0)) + (received if resumed else 0)
        with part.open("ab" if resumed else "wb") as file:
            _copy(response, file.write, url, received if resumed else 0, total)
    if total and part.stat().st_size != total:
        raise httpx.RemoteProtocolError(f"{url} broke off at {part.stat().st_size} of {total} bytes")


def _copy(response: httpx.Response, write: Callable[[bytes], int], url: str, done: int, total: int) -> None:
    with Stage(f"downloading {url}", megabytes(total), "MB", given=megabytes(done)) as stage:
        for chunk in response.iter_raw(_CHUNK):
            write(chunk)
            done += len(chunk)
            stage.reach(megabytes(done))


def _verify(part: Path, sha256: str | None, urls: Sequence[str]) -> None:
    actual_sha256 = sha256_of(part)
    if sha256 is None:
        _log.warning("%s has no published checksum; the download has SHA-256 %s", part.stem, actual_sha256)
    elif actual_sha256 != sha256:
        part.unlink()
        raise InputError(
            f"{urls[0]} has SHA-256 {actual_sha256}, not {sha256}: the download was damaged or changed and has been "
            "removed; run again, or give the path of a good copy"
        )
