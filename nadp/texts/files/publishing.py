"""Parts of an output. The noise of each is drawn only once: an attacker could average two draws of the same text.

Next to the folder OUT, the hidden folder .OUT.record holds the plan of OUT and the hash of each part. It is not for
publication. A part is written and sealed there, and then moved to its place: see nadp.files.sealing.
"""

import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from nadp.errors import FormatError, InputError
from nadp.files.durable import locked, new_file, put, remove_parts_of_the_dead
from nadp.files.records import read_json, record_of
from nadp.files.sealing import SealedFile, remove_unsealed, sealing


@dataclass(frozen=True)
class Sealed:
    """A part that is never drawn again.

    Attributes:
        name: name of the file.
        ready: path that it was written to.
        sha256: SHA-256 of its content.
        counts: counts from its encoding.
    """

    name: str
    ready: str
    sha256: str
    counts: dict[str, int]


class PublishedFolder:
    """An output folder and its record.

    Args:
        out: the folder.
    """

    def __init__(self, out: Path) -> None:
        self.out = out.absolute()
        self.record = self.out.parent / f".{self.out.name}.record"

    def is_begun(self) -> bool:
        """Return whether the plan of the folder is recorded."""
        return (self.record / "plan.json").exists()

    @contextmanager
    def scratch(self, suffix: str) -> Iterator[Path]:
        """Yield a temporary file next to the folder that only its owner can read; it is removed after the block."""
        self._make_record()
        with new_file(self.record, suffix, private=True) as path:
            yield path
        with suppress(OSError):  # something was recorded
            self.record.rmdir()

    def _make_record(self) -> None:
        try:
            self.record.mkdir(mode=0o700, parents=True, exist_ok=True)
        except OSError as error:
            raise InputError(f"{self.out} cannot be written to: {error}") from error

    def begin(self, plan: Mapping[str, Any]) -> None:
        """Record the plan of the folder, or check that it equals the recorded one.

        Args:
            plan: JSON values by name.

        Raises:
            InputError: if the folder has another plan or holds unknown files; the message names the difference.
        """
        if self.out.is_mount():
            raise InputError(
                f"{self.out} is the root of a file system: choose a folder in it, since its record lies next to it"
            )
        self._make_record()
        try:
            self.out.mkdir(exist_ok=True)
        except OSError as error:
            raise InputError(f"{self.out} cannot be written to: {error}") from error
        file = self.record / "plan.json"
        with self._locked_part("plan.json"):
            if file.exists():
                self._compare(self._content_of_record(file), json.loads(json.dumps(plan)))
                return
            if any(self.out.iterdir()):
                raise InputError(f"{self.out} holds files that {self.record} does not describe: choose another out")
            put(file, json.dumps(plan, indent=2) + "\n", private=True)

    def _compare(self, old_terms: dict[str, Any], new_terms: dict[str, Any]) -> None:
        names = [name for name in {**old_terms, **new_terms} if old_terms.get(name) != new_terms.get(name)]
        if names:
            differences = ", ".join(_difference(name, old_terms.get(name), new_terms.get(name)) for name in names)
            raise InputError(
                f"{self.out} was begun with other terms: {differences}. Give the same terms to continue, or choose "
                "another out: two outputs together reveal more about a text than one"
            )

    def publish(self, name: str, write: Callable[[Path], Mapping[str, int]]) -> tuple[Sealed, bool]:
        """Return a part that is in place, and whether this call drew it.

        Args:
            name: name of its file.
            write: writes the part to the given file and returns its counts. It is called once for each part, and again
                if the file was not sealed.

        Raises:
            InputError: if the sealed part is missing or changed, or an unknown file has its name.
        """
        with self._locked_part(name):
            sealed = self._sealed(name)
            if sealed is not None:
                self._settle(sealed)
                return sealed, False
            if (self.out / name).exists():
                raise InputError(f"{self.out / name} is in the way: it is not recorded in {self.record}")
            sealed = self._seal(name, write)
            self._settle(sealed)
            return sealed, True

    def put(self, name: str, content: str) -> None:
        """Write a small file to the folder, replacing an existing one."""
        with self._locked_part(name):
            put(self.out / name, content)

    @contextmanager
    def _locked_part(self, name: str) -> Iterator[None]:
        """Lock a part against other processes, and remove unsealed files of dead runs."""
        with locked(self.record / f"{name}.lock"):
            sealed = self._sealed(name)
            remove_parts_of_the_dead(self.record)
            remove_unsealed(self.record, name, None if sealed is None else self._file(sealed))
            yield

    def _seal(self, name: str, write: Callable[[Path], Mapping[str, int]]) -> Sealed:
        counts: dict[str, int] = {}
        with sealing(self.record, lambda: self._sealed(name) is not None) as ready:
            file = ready(self.out / name, lambda path: counts.update(write(path)))
            sealed = Sealed(name, file.ready.name, file.sha256, counts)
            put(self.record / f"{name}.sealed", json.dumps(asdict(sealed)) + "\n", private=True)
        return sealed

    def _sealed(self, name: str) -> Sealed | None:
        file = self.record / f"{name}.sealed"
        return record_of(Sealed, self._content_of_record(file), str(file)) if file.exists() else None

    def _content_of_record(self, file: Path) -> dict[str, Any]:
        """Return the content of a file in the record.

        Raises:
            FormatError: if it is damaged.
        """
        content = read_json(file)
        if not isinstance(content, dict):
            raise FormatError(f"{file} is damaged: it belongs to the record of {self.out}; restore it from a copy")
        return content

    def _file(self, sealed: Sealed) -> SealedFile:
        names = Path(sealed.ready).name, Path(sealed.name).name  # a damaged record must not reach other folders
        return SealedFile(self.record / names[0], self.out / names[1], sealed.sha256)

    def _settle(self, sealed: Sealed) -> None:
        """Move a sealed part to its place, unless it is already there."""
        try:
            self._file(sealed).settle()
        except InputError as error:
            raise InputError(
                f"{error}; or, if no one can have a copy, remove {self.record} and {self.out} and start over"
            ) from error


def _difference(name: str, old: Any, new: Any) -> str:  # noqa: ANN401 - any JSON
    """Return how a term differs; messages never hold hashes of private texts."""
    return "the texts were others" if name == "texts" else f"{name} was {old!r} and is {new!r}"
