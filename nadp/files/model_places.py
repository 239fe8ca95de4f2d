"""The places of a static model's files: the table, whose path names the model, and the tokenizer beside it."""

from pathlib import Path

from nadp.errors import InputError

TABLE, TOKENIZER = "model.safetensors", "tokenizer.json"
NESTED = "0_StaticEmbedding"
"""The folder in which Sentence Transformers may put both."""
CONFIGS = ("config.json", "config_sentence_transformers.json", "modules.json")
WRITTEN = "float32"
"""The type in which all numbers of a model are written."""


def table_of_folder(folder: Path) -> Path:
    """Return the table of the static model in a folder.

    Raises:
        InputError: if the folder holds no static model.
    """
    for place in (folder, folder / NESTED):
        if (place / TABLE).is_file() and (place / TOKENIZER).is_file():
            return place / TABLE
    raise InputError(
        f"the folder {folder} holds no static model ({TABLE} and {TOKENIZER}): name a file in it, if it holds one"
    )


def files_of_folder(folder: Path) -> list[Path]:
    """Return the files of the static model in a folder, if it holds one."""
    tables = [folder / TABLE, folder / NESTED / TABLE]
    return [file for table in tables if is_model(table) for file in (table, *files_beside(table))]


def is_model(path: Path) -> bool:
    """Return whether a file is the table of a static model: a tokenizer lies beside it."""
    return path.name == TABLE and (path.parent / TOKENIZER).is_file()


def folder_of(path: Path) -> Path:
    """Return the folder of the model to which a table belongs."""
    return path.parent.parent if path.parent.name == NESTED else path.parent


def files_beside(path: Path) -> list[Path]:
    """Return the files that belong to the table of a static model."""
    folders = dict.fromkeys([path.parent, folder_of(path)])
    places = [path.parent / TOKENIZER, *(folder / name for folder in folders for name in CONFIGS)]
    return [file for file in places if file.is_file()]


def tokenizer_of(path: Path) -> str | None:
    """Return the content of the tokenizer.json beside a model's table; None if the file is not a model's table."""
    return (path.parent / TOKENIZER).read_text(encoding="utf-8") if is_model(path) else None
