"""Embeddings of the Hugging Face Hub: static models, and tables in files."""

import os
from pathlib import Path
from typing import Any

from nadp.errors import InputError
from nadp.files.model_places import CONFIGS, NESTED, TABLE, TOKENIZER
from tasks.sources.hub import offline
from tasks.sources.places import SUFFIXES
from tasks.sources.retries import UnreachableError, probe

_LAYOUTS = ([TABLE, TOKENIZER], [f"{NESTED}/{TABLE}", f"{NESTED}/{TOKENIZER}"])
_COMMIT = 12  # digits of a commit that are shown


def from_repository(name: str, revision: str | None, member: str | None) -> tuple[Path, str]:
    """Return an embedding of the Hub, fetched with what belongs beside it, and its name with the commit.

    Args:
        name: of the repository, owner/name.
        revision: branch, tag or commit; None for the main branch.
        member: which file; None for the static model that the repository is, or for its only table.

    Raises:
        UnreachableError: if the Hub does not answer, or the client has been told to stay offline and has no copy.
        InputError: if there is no such repository, revision or file, or none that is an embedding.
    """
    from huggingface_hub import errors  # noqa: PLC0415 - slow to import

    if not offline():
        probe(os.environ.get("HF_ENDPOINT", "https://huggingface.co"))
    try:
        commit, names = _listed(name, revision)
        wanted, *beside = _chosen(name, names, member)
        found = _fetched(name, revision, wanted)
        for file in beside:
            _fetched(name, revision, file)
    except (errors.LocalEntryNotFoundError, errors.OfflineModeIsEnabled) as error:
        raise UnreachableError(f"{name} is not in the Hub's cache, and the Hub does not answer: {error}") from error
    except (errors.RepositoryNotFoundError, errors.RevisionNotFoundError, errors.EntryNotFoundError) as error:
        said = f"at {revision!r} " if revision else ""
        raise InputError(f"the Hub has no {name} {said}for you: {str(error).splitlines()[-1]}") from error
    return found, f"{name}@{commit[:_COMMIT]}" + (f":{member}" if member else "")


def _listed(name: str, revision: str | None) -> tuple[str, list[str]]:
    """Return the commit of a revision and the names of its files; offline, those that are here."""
    import huggingface_hub as hub  # noqa: PLC0415 - slow to import

    if offline():
        folder = Path(hub.snapshot_download(name, revision=revision, local_files_only=True))
        files = [path.relative_to(folder).as_posix() for path in sorted(folder.rglob("*")) if path.is_file()]
        return folder.name, files
    info: Any = hub.HfApi().model_info(name, revision=revision)
    return info.sha, sorted(file.rfilename for file in info.siblings)


def _chosen(name: str, names: list[str], member: str | None) -> list[str]:
    """Return the file of the embedding, and those that belong beside it."""
    if member is not None:
        if member not in names:
            raise InputError(f"{name} has no file {member!r}; it holds {', '.join(names)}")
        return [member]
    for layout in _LAYOUTS:
        if set(layout) <= set(names):
            configs = [*CONFIGS, *(f"{NESTED}/{config}" for config in CONFIGS)]
            return [*layout, *(config for config in configs if config in names)]
    tables = [file for file in names if Path(file).suffix in SUFFIXES]
    if len(tables) != 1:
        raise InputError(
            f"{name} is not a static model ({TABLE}, {TOKENIZER}) and holds {len(tables)} tables: name one with "
            f"`member`: {', '.join(tables or names)}"
        )
    return tables


def _fetched(name: str, revision: str | None, file: str) -> Path:
    """Return a file; the client notes which commit a branch was, so that it is found offline."""
    import huggingface_hub as hub  # noqa: PLC0415 - slow to import

    return Path(hub.hf_hub_download(name, file, revision=revision))
