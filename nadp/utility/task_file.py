"""Declarations from TOML. Errors state the line to write instead."""

import json
import re
import tomllib
from collections.abc import Callable, Iterable, Mapping
from difflib import get_close_matches
from pathlib import Path
from typing import Any, NamedTuple, get_args

from nadp.choices import TokenizerName
from nadp.errors import FormatError, InputError
from nadp.files.paths import absolute
from nadp.utility.declaration import (
    COLUMNS,
    FEWEST_TERMS,
    METRICS,
    MIXED,
    MOST_TERMS,
    PART,
    Benchmark,
    Family,
    Format,
    Layout,
    Place,
    Source,
)
from nadp.utility.tables import SUFFIXES

TomlTable = Mapping[str, Any]
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")
_LANGUAGE = re.compile(r"[a-z]{2,3}(-[A-Za-z0-9]{2,8})*")
_RESERVED = ("word-similarity", "classification", "sts-by-source", "privacy", "noise")
_PLACES: Mapping[str, Place] = {"source": "file", "package": "package", "hub": "hub", "url": "url"}


class _Kind(NamedTuple):
    """A check of a value, and its description."""

    holds: Callable[[Any], bool]
    description: str


def _is_texts(value: Any) -> bool:  # noqa: ANN401 - any TOML
    return isinstance(value, list) and all(isinstance(item, str) and item for item in value) and bool(value)


_TEXT = _Kind(lambda value: isinstance(value, str) and bool(value), "a string that is not empty")
_TEXTS = _Kind(_is_texts, "a list of strings")
_TEXT_OR_TEXTS = _Kind(lambda value: _TEXT.holds(value) or _is_texts(value), "a string, or a list of strings")
_YES_OR_NO = _Kind(lambda value: isinstance(value, bool), "true or false")
_NUMBER = _Kind(lambda value: isinstance(value, int) and not isinstance(value, bool) and value > 0, "a number above 0")
_TABLE = _Kind(
    lambda value: isinstance(value, dict) and bool(value) and all(isinstance(item, str) for item in value.values()),
    'a table of strings, such as { language = "de" }',
)
_TABLES = _Kind(
    lambda value: isinstance(value, list) and bool(value) and all(isinstance(item, dict) for item in value),
    "tables [[sources]]",
)

_TASK_KEYS: dict[str, _Kind] = {
    **dict.fromkeys(("name", "family", "metric", "language", "tokenizer", "licence", "citation"), _TEXT),
    **dict.fromkeys(("sample", "count"), _NUMBER),
    "labels": _TEXTS,
    "sources": _TABLES,
}
_SOURCE_KEYS: dict[str, _Kind] = {
    **dict.fromkeys((*_PLACES, "config", "revision", "format", "encoding", "comment", "layout"), _TEXT),
    **dict.fromkeys(("split", "train", "test"), _TEXT_OR_TEXTS),
    **dict.fromkeys(("quotes", "mixed"), _YES_OR_NO),
    **dict.fromkeys(("files", "where"), _TABLE),
    "header": _TEXTS,
    "rows": _NUMBER,
}
_COLUMN_KEYS: dict[str, _Kind] = {
    **dict.fromkeys({key for keys in COLUMNS.values() for key in keys}, _TEXT),
    "others": _TEXTS,
}


def read_task(path: str | Path) -> Benchmark:
    """Return the task that a TOML file declares; its paths are relative to the folder of the file.

    Raises:
        InputError: if there is no such file, or a key or a value is wrong; the message states what to write.
        FormatError: if the file is not TOML.
    """
    path = absolute(path)
    if not path.is_file():
        raise InputError(f"no task {str(path)!r}: give the path of a TOML file that declares one")
    try:
        content = tomllib.loads(path.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, RecursionError) as error:
        raise FormatError(f"{path} is not TOML: {error}") from error
    return declared(content, path.name).beside(path.parent)


def declared(content: TomlTable, where: str) -> Benchmark:
    """Return the task that the content of a TOML file declares.

    Args:
        content: content of the file.
        where: name of the file, for messages.

    Raises:
        InputError: if a key or a value is wrong; the message states what to write.
    """
    return _Declaration(content, where).benchmark()


class _Declaration:
    """The content of a file that is being read."""

    def __init__(self, content: TomlTable, where: str) -> None:
        self._content, self._where = content, where
        families = get_args(Family)
        self.family: Family = self._choice(content, "family", families, f"write family = {_quoted('labelled-texts')}")
        self._family_keys = [*COLUMNS[self.family], *(["sample", "count"] if self.family == "neighbours" else [])]
        self._check_keys(content, [*_TASK_KEYS, *_SOURCE_KEYS])

    def benchmark(self) -> Benchmark:
        content = self._content
        metrics = METRICS[self.family]
        sources = tuple(self._sources())
        self._check_effect(sources)
        return Benchmark(
            name=self._name(),
            family=self.family,
            metric=self._choice(content, "metric", metrics) if "metric" in content else metrics[0],
            sources=sources,
            language=self._language(),
            tokenizer=self._choice(content, "tokenizer", get_args(TokenizerName)) if "tokenizer" in content else None,
            labels=tuple(content.get("labels", ())),
            **{key: content[key] for key in ("sample", "count", "licence", "citation") if key in content},
        )

    def _check_effect(self, sources: Iterable[Source]) -> None:
        """Refuse keys that would do nothing: a sample of chosen rows, and a metric within groups without groups."""
        if "sample" in self._content and sources:
            raise self._declaration_error(
                "sample is for neighbours of any rows, but the source names rows", "leave one of them out"
            )
        if str(self._content.get("metric")).endswith("-weighted") and not any(map(_has_groups, sources)):
            raise self._declaration_error(
                f"{self._content['metric']} needs the group of each pair", 'write group = "the column of the groups"'
            )

    def _name(self) -> str:
        name = self._content.get("name")
        if not isinstance(name, str) or not _NAME.fullmatch(name) or name in _RESERVED:
            raise self._declaration_error(
                f"a name may hold letters, digits, '.', '_' and '-', and must not be any of {', '.join(_RESERVED)}",
                'write name = "tickets"',
            )
        return name

    def _language(self) -> str | None:
        language = self._content.get("language")
        if language is not None and not _LANGUAGE.fullmatch(language):
            raise self._declaration_error(
                f"language {language!r} is not a language code", 'write language = "fr", or "pt-BR"'
            )
        return language

    def _sources(self) -> Iterable[Source]:
        shared = {key: value for key, value in self._content.items() if key not in _TASK_KEYS}
        tables = self._content.get("sources", [{}])
        if self.family == "neighbours" and not shared and "sources" not in self._content:
            return
        for table in tables:
            self._check_keys(table, list(_SOURCE_KEYS))
            yield self._source(shared | table)

    def _source(self, table: TomlTable) -> Source:
        places = [place for place in _PLACES if place in table]
        if len(places) != 1:
            problem = f"{' and '.join(places)} together" if places else "the data source is missing"
            raise self._declaration_error(
                problem, 'write one of source = "tickets.csv", hub = "owner/name", url = "https://..."'
            )
        (place,) = places
        self._check_of_hub(table, place)
        splits = self._splits(table, place)
        paths = [name for name, _ in splits] if place != "hub" else []
        self._check_inside([*paths, *([table[place].partition(":")[2]] if place == "package" else [])])
        layout: Layout = self._choice(table, "layout", get_args(Layout)) if "layout" in table else "table"
        return Source(
            place=_PLACES[place],
            location=table[place],
            columns=self._columns(table) if layout in ("table", "label-and-text") else (),
            keys=COLUMNS[self.family],
            splits=splits,
            layout=layout,
            format=self._choice(table, "format", get_args(Format)) if "format" in table else None,
            header=tuple(table.get("header", ())),
            where=tuple(table.get("where", {}).items()),
            **{
                key: table[key]
                for key in ("rows", "quotes", "encoding", "comment", "config", "revision")
                if key in table
            },
        )

    def _check_of_hub(self, table: TomlTable, place: str) -> None:
        for key in ("config", "revision"):
            if key in table and place != "hub":
                raise self._declaration_error(
                    f"{key} belongs to a data set of the Hub, not to {place}", f"leave {key} out"
                )
        if place == "package" and ":" not in table[place]:
            raise self._declaration_error(
                f"package {table[place]!r} names no file", 'write package = "gensim:test/test_data/simlex999.txt"'
            )

    def _check_inside(self, names: list[str]) -> None:
        """Refuse file names that lead out of their folder or package."""
        for name in names:
            if Path(name).is_absolute() or ".." in Path(name).parts:
                raise self._declaration_error(f"{name!r} lies outside its folder", 'write the folder in source = "..."')

    def _columns(self, table: TomlTable) -> tuple[str, ...]:
        """Return the column of each part of a row; by default, its name is the key."""
        columns: list[str] = []
        for key in COLUMNS[self.family]:
            if key == "others":
                columns += self._others(table)
            else:
                columns.append(table.get(key, PART if key in ("group", "part") else key))
        return tuple(columns)

    def _others(self, table: TomlTable) -> list[str]:
        """Return the columns of the other terms of a puzzle."""
        others: list[str] = table.get("others", [])
        if not FEWEST_TERMS <= len(others) + 1 <= MOST_TERMS:
            problem = (
                f"a puzzle has {FEWEST_TERMS} to {MOST_TERMS} terms, not {len(others) + 1}"
                if others
                else "the columns of the other terms are missing"
            )
            raise self._declaration_error(problem, 'write others = ["term1", "term2", "term3"]')
        return others

    def _splits(self, table: TomlTable, place: str) -> tuple[tuple[str, str], ...]:
        if "files" in table:
            return tuple(table["files"].items())
        if "train" in table or "test" in table:
            return self._official(table)
        if "split" in table and Path(table[place]).suffix in SUFFIXES:
            raise self._declaration_error(
                "a single file has no splits", 'leave split out, or write where = { column = "value" }'
            )
        part = MIXED if table.get("mixed") else ""
        default = "train" if place == "hub" else ""
        return tuple((name, part) for name in _listed(table.get("split", default)))

    def _official(self, table: TomlTable) -> tuple[tuple[str, str], ...]:
        if "part" not in COLUMNS[self.family]:
            raise self._declaration_error(
                f"train and test are for labelled texts and rows, not for {self.family}", 'write split = "test"'
            )
        if not ("train" in table and "test" in table) or "split" in table:
            raise self._declaration_error(
                "an official split needs both", 'write train = "train" and test = "test", and no split'
            )
        return tuple((name, part) for part in ("train", "test") for name in _listed(table[part]))

    def _check_keys(self, table: TomlTable, general: list[str]) -> None:
        """Refuse unknown keys, keys of another family, and values of the wrong type."""
        known = [key for key in general if key not in ("sample", "count")] + self._family_keys
        kinds = _TASK_KEYS | _SOURCE_KEYS | _COLUMN_KEYS
        for key, value in table.items():
            if key not in known:
                similar_keys = [] if key in _COLUMN_KEYS else get_close_matches(key, known, 1, 0.5)
                known_keys_note = f"its columns are {', '.join(self._family_keys)}; other keys are {', '.join(general)}"
                line = f"write {similar_keys[0]} = {_quoted(value)}" if similar_keys else known_keys_note
                raise self._declaration_error(f"a declaration of {self.family} has no key {key!r}", line)
            if not kinds[key].holds(value):
                raise self._declaration_error(
                    f"{key} must be {kinds[key].description}, not {_quoted(value)}", f"fix the line {key} = ..."
                )

    def _choice(self, table: TomlTable, key: str, choices: Iterable[str], missing: str = "") -> Any:  # noqa: ANN401
        """Return a value that must be one of several. Its type is Any: a Literal cannot be derived from its values."""
        value, choices = table.get(key), list(choices)
        if value in choices:
            return value
        if value is None:
            raise self._declaration_error(f"no {key}", f"{missing} (or {', '.join(choices)})")
        close = get_close_matches(str(value), choices, 1, 0.5)
        line = f"write {key} = {_quoted(close[0])}" if close else f"choose from {', '.join(choices)}"
        raise self._declaration_error(f"{key} {value!r} does not exist", line)

    def _declaration_error(self, problem: str, line: str) -> InputError:
        return InputError(f"{self._where}: {problem}: {line}")


def _has_groups(source: Source) -> bool:
    """Return whether each row of a source has a group."""
    named_splits = all(meaning not in ("", MIXED) for _, meaning in source.splits)
    return source.layout == "input-and-gold" or (bool(source.columns) and source.columns[-1] != PART) or named_splits


def _listed(value: str | list[str]) -> list[str]:
    return [value] if isinstance(value, str) else value


def _quoted(value: Any) -> str:  # noqa: ANN401 - any TOML
    """Return a value in TOML syntax; strings as in JSON."""
    return json.dumps(value, ensure_ascii=False, default=str)
