"""Where the files of a static model are: its table, which names it, and its tokenizer beside that."""

from pathlib import Path

from nadp.errors import InputError

TABLE, TOKENIZER = "model.safetensors", "tokenizer.json"
NESTED = "0_StaticEmbedding"
"""Where Sentence Transformers may put both."""
CONFIGS = ("config.json", "config_sentence_transformers.json", "modules.json")
WRITTEN = "float32"
"""The type of all numbers of a model that are written."""


def table_of_folder(folder: Path) -> Path:
    """Return the table of the static model in a folder.

    Raises:
        InputError: if the folder holds none.
    """
    for place in (folder, folder / NESTED):
        if (place / TABLE).is_file() and (place / TOKENIZER).is_file():
            return place / TABLE
    raise InputError(
        f"the folder {folder} holds no static model ({TABLE} and {TOKENIZER}): name a file in it, if it holds one"
    )


def files_of_folder(folder: Path) -> list[Path]:
    """Return the files of the static model in a folder; none if it holds none."""
    tables = [folder / TABLE, folder / NESTED / TABLE]
    return [file for table in tables if is_model(table) for file in (table, *files_beside(table))]


def is_model(path: Path) -> bool:
    """Return whether a file is the table of a static model: a tokenizer lies beside it."""
    return path.name == TABLE and (path.parent / TOKENIZER).is_file()


def folder_of(path: Path) -> Path:
    """Return the folder of the model that a table is of."""
    return path.parent.parent if path.parent.name == NESTED else path.parent


def files_beside(path: Path) -> list[Path]:
    """Return the files that belong to the table of a static model."""
    folders = dict.fromkeys([path.parent, folder_of(path)])
    places = [path.parent / TOKENIZER, *(folder / name for folder in folders for name in CONFIGS)]
    return [file for file in places if file.is_file()]


def tokenizer_of(path: Path) -> str | None:
    """Return what the tokenizer.json beside the table of a model holds; None if the file is not such a table."""
    return (path.parent / TOKENIZER).read_text(encoding="utf-8") if is_model(path) else None
