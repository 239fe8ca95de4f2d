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
    """Download an embedding of the Hub and its companion files; return its path, and its name with the commit.

    Args:
        name: name of the repository, owner/name.
        revision: branch, tag or commit; None for the main branch.
        member: the file to read; None for the repository's static model, or for its only table.

    Raises:
        UnreachableError: if the Hub does not answer, or offline mode is on and there is no copy.
        InputError: if there is no such repository, revision or file, or no file is an embedding.
    """
    from huggingface_hub import errors  # noqa: PLC0415 - slow to import

    if not offline():
        probe(os.environ.get("HF_ENDPOINT", "https://huggingface.co"))
    try:
        commit, names = _listed(name, revision)
        table, *companions = _chosen(name, names, member)
        table_path = _fetched(name, revision, table)
        for file in companions:
            _fetched(name, revision, file)
    except (errors.LocalEntryNotFoundError, errors.OfflineModeIsEnabled) as error:
        raise UnreachableError(f"{name} is not in the Hub's cache, and the Hub does not answer: {error}") from error
    except (errors.RepositoryNotFoundError, errors.RevisionNotFoundError, errors.EntryNotFoundError) as error:
        at_revision = f"at {revision!r} " if revision else ""
        raise InputError(
            f"the Hub has no {name} {at_revision}that you may read: {str(error).splitlines()[-1]}"
        ) from error
    return table_path, f"{name}@{commit[:_COMMIT]}" + (f":{member}" if member else "")


def _listed(name: str, revision: str | None) -> tuple[str, list[str]]:
    """Return the commit of a revision and the names of its files; offline, of the files in the local cache."""
    import huggingface_hub as hub  # noqa: PLC0415 - slow to import

    if offline():
        folder = Path(hub.snapshot_download(name, revision=revision, local_files_only=True))
        files = [path.relative_to(folder).as_posix() for path in sorted(folder.rglob("*")) if path.is_file()]
        return folder.name, files
    info: Any = hub.HfApi().model_info(name, revision=revision)
    return info.sha, sorted(file.rfilename for file in info.siblings)


def _chosen(name: str, names: list[str], member: str | None) -> list[str]:
    """Return the file of the embedding and its companion files."""
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
    """Return a file; the client records the commit of a branch, so that the file is found offline."""
    import huggingface_hub as hub  # noqa: PLC0415 - slow to import

    return Path(hub.hf_hub_download(name, file, revision=revision))
