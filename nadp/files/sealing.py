"""Files whose noise is drawn exactly once: with two draws, an attacker could average the noise away.

A file is first written under a hidden name. Then it is sealed: its owner records name, place and hash, and from then on
the file is never drawn again. Last, it is moved to its place. A killed run leaves either an unsealed file, which no
one has seen and the next run removes, or a sealed file, which the next run moves.
"""

import secrets
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from nadp.errors import InputError
from nadp.files.durable import Content, fill, move, new_file, sha256_of, suffixes


@dataclass(frozen=True)
class SealedFile:
    """A file that is never drawn again.

    Attributes:
        ready: the path at which it was written.
        place: its final path.
        sha256: SHA-256 of its content.
    """

    ready: Path
    place: Path
    sha256: str

    def settle(self) -> None:
        """Move the file to its place, unless it is already there.

        Raises:
            InputError: if neither path holds the sealed content.
        """
        if self.ready.exists() and sha256_of(self.ready) == self.sha256:
            move(self.ready, self.place)
        elif not self.place.exists() or sha256_of(self.place) != self.sha256:
            raise InputError(
                f"{self.place} is {'changed' if self.place.exists() else 'missing'}, and {self.ready} does not hold it "
                "either. It is not drawn again: anyone with the first draw could average the noise of both away. "
                f"Restore the file with SHA-256 {self.sha256}"
            )


Ready = Callable[[Path, Content], SealedFile]


@contextmanager
def sealing(folder: Path, is_recorded: Callable[[], bool]) -> Iterator[Ready]:
    """Yield a function that prepares a file, to be recorded inside the block; without a record, the files are removed.

    Args:
        folder: folder of the files until they are moved to their places; on the same file system.
        is_recorded: returns whether the files are sealed; called after an error.
    """
    files: list[SealedFile] = []

    def ready(place: Path, content: Content) -> SealedFile:
        path = folder / f".{secrets.token_hex(4)}.{place.name}"
        with new_file(folder, suffixes(place)) as part:
            fill(part, content)
            files.append(SealedFile(path, place, sha256_of(part)))
            move(part, path)
        return files[-1]

    try:
        yield ready
    except BaseException:
        if not is_recorded():
            for file in files:
                file.ready.unlink(missing_ok=True)
        raise


def remove_unsealed(folder: Path, name: str, sealed: SealedFile | None) -> None:
    """Remove files that a killed run prepared for a place of a given name but did not record.

    Args:
        folder: folder of the files.
        name: name of the file at its place.
        sealed: the record for that place.
    """
    for leftover in folder.glob(f".????????.{name}"):
        if sealed is None or leftover != sealed.ready:
            leftover.unlink()
