"""Parts of an output, each made once and never again: whoever has two draws of the same text has less noise.

Beside the folder OUT there is a hidden folder .OUT.record, which is not for publication: it tells by a plan what OUT is
made of and, for each part, its hash. A part is written there; then it is sealed, that is, its hash is recorded, so
that it will not be drawn again; then it is moved to its place. A run that dies leaves a part unsealed, which nobody has
seen and which is removed, or sealed, which the next run puts in its place.
"""

import json
import secrets
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from nadp.errors import InputError
from nadp.release.ledger import sha256_of
from nadp.texts.files.durable import flush, locked, put


@dataclass(frozen=True)
class Sealed:
    """A part that is not made again.

    Attributes:
        name: of the file.
        ready: the name that it was written under.
        sha256: what it holds.
        counts: what was counted when it was made.
    """

    name: str
    ready: str
    sha256: str
    counts: dict[str, int]


class Publication:
    """An output folder and the record of what was made for it.

    Args:
        out: the folder.
    """

    def __init__(self, out: Path) -> None:
        self.out = out.absolute()
        self.record = self.out.parent / f".{self.out.name}.record"

    def begin(self, plan: Mapping[str, Any]) -> None:
        """Record what the folder is to be made of, or see that it is what was recorded.

        Args:
            plan: what JSON holds, by name.

        Raises:
            InputError: if the folder is of another plan or holds files that nothing is known of; the message tells.
        """
        if self.out.is_mount():
            raise InputError(
                f"{self.out} is a whole file system: choose a folder in it, so that its record fits beside"
            )
        try:
            self.record.mkdir(mode=0o700, parents=True, exist_ok=True)
            self.out.mkdir(exist_ok=True)
        except OSError as error:
            raise InputError(f"{self.out} cannot be written to: {error}") from error
        file = self.record / "plan.json"
        with self._alone("plan.json"):
            if file.exists():
                self._compare(json.loads(file.read_text(encoding="utf-8")), json.loads(json.dumps(plan)))
                return
            if any(self.out.iterdir()):
                raise InputError(f"{self.out} holds files, but {self.record} does not tell of what: choose another out")
            put(json.dumps(plan, indent=2) + "\n", file, self._scratch("plan.json"))

    def _compare(self, before: dict[str, Any], now: dict[str, Any]) -> None:
        names = [name for name in {**before, **now} if before.get(name) != now.get(name)]
        if names:
            told = ", ".join(f"{name} was {before.get(name)!r} and is {now.get(name)!r}" for name in names)
            raise InputError(
                f"{self.out} was begun with other terms: {told}. Give the same ones to go on, or choose another out: "
                "both outputs together give away more about a text than one of them"
            )

    def publish(self, name: str, write: Callable[[Path], Mapping[str, int]]) -> tuple[Sealed, bool]:
        """Return a part that is at its place, and whether it was made now.

        Args:
            name: of its file.
            write: makes the part in the file it is given, and returns what it counted; called once for each part, or
                again if what it wrote was not sealed.

        Raises:
            InputError: if the part was made before and is gone or changed, or a file of its name is not one of ours.
        """
        with self._alone(name):
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
        """Write a small file to the folder, which may be there already."""
        with self._alone(name):
            put(content, self.out / name, self._scratch(name))

    @contextmanager
    def _alone(self, name: str) -> Iterator[None]:
        """Let nobody else touch a file, and remove what is left of those who died before it was sealed."""
        with locked(self.record / f"{name}.lock"):
            sealed = self._sealed(name)
            for left in self.record.glob(f"{name}.*.part"):
                if sealed is None or left.name != sealed.ready:
                    left.unlink()
            yield

    def _seal(self, name: str, write: Callable[[Path], Mapping[str, int]]) -> Sealed:
        ready = self._scratch(name)
        try:
            counts = dict(write(ready))
            flush(ready)
            sealed = Sealed(name, ready.name, sha256_of(ready), counts)
            flush(self.record)  # the file must have its name before the record tells it
        except BaseException:
            ready.unlink(missing_ok=True)
            raise
        put(json.dumps(asdict(sealed)) + "\n", self.record / f"{name}.sealed", self._scratch(name))
        return sealed

    def _sealed(self, name: str) -> Sealed | None:
        file = self.record / f"{name}.sealed"
        return Sealed(**json.loads(file.read_text(encoding="utf-8"))) if file.exists() else None

    def _settle(self, sealed: Sealed) -> None:
        """Move a sealed part to its place, unless it is there already."""
        ready, place = self.record / sealed.ready, self.out / sealed.name
        if ready.exists() and sha256_of(ready) == sealed.sha256:
            ready.replace(place)
            flush(self.out)
        elif not place.exists() or sha256_of(place) != sealed.sha256:
            raise InputError(
                f"{place} is {'changed' if place.exists() else 'gone'}. It is not made again: with another draw of the "
                "same texts, whoever kept the first could average noise away. Put back the file with SHA-256 "
                f"{sealed.sha256}; or, if nobody can have kept it, remove {self.record} and {self.out} and start anew"
            )

    def _scratch(self, name: str) -> Path:
        return self.record / f"{name}.{secrets.token_hex(4)}.part"
