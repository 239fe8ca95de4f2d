"""Files that are made once and never again: who has two draws of the same noise has less noise.

A file is written under a hidden name. Then it is sealed: its owner records the name, the place and the hash, and from
then on it is not made again. Then it is moved to its place. A run that dies leaves an unsealed file, which nobody has
seen and which the next run removes, or a sealed one, which the next run moves.
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
    """A file that is not made again.

    Attributes:
        ready: where it was written.
        place: where it goes.
        sha256: what it holds.
    """

    ready: Path
    place: Path
    sha256: str

    def settle(self) -> None:
        """Move the file to its place, unless it is there already.

        Raises:
            InputError: if neither of the two holds what was sealed.
        """
        if self.ready.exists() and sha256_of(self.ready) == self.sha256:
            move(self.ready, self.place)
        elif not self.place.exists() or sha256_of(self.place) != self.sha256:
            raise InputError(
                f"{self.place} is {'changed' if self.place.exists() else 'gone'}, and {self.ready} does not hold it "
                "either. It is not made again: whoever kept the first draw could average the noise of both away. Put "
                f"back the file with SHA-256 {self.sha256}"
            )


Ready = Callable[[Path, Content], SealedFile]


@contextmanager
def sealing(folder: Path, is_recorded: Callable[[], bool]) -> Iterator[Ready]:
    """Yield a function that makes a file ready, to be recorded inside; unless that succeeds, all of them are removed.

    Args:
        folder: where files lie until they are moved to their places; of the same file system.
        is_recorded: whether they are sealed, asked if an error ends the work.
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
    """Remove what a run that died made ready for a place of a given name but did not record.

    Args:
        folder: where it lay.
        name: of the file at its place.
        sealed: what is recorded for that place.
    """
    for left in folder.glob(f".????????.{name}"):
        if sealed is None or left != sealed.ready:
            left.unlink()
