"""Files of texts: shards of any size against the naive reading of the whole file, and what is refused."""

import base64
import bz2
import csv
import gzip
import io
import json
import lzma
import re
import tempfile
import traceback
import tracemalloc
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from nadp import FormatError, InputError
from nadp.texts.files import FORMATS, Texts, format_of, read, split
from nadp.texts.files import parquet as parquet_files
from nadp.texts.files.sharding import MOST_SHARDS

ODD = [
    "",
    " ",
    "\u2028",
    "\x85",
    "\x0b\x0c",
    "\ufeff",
    "a\0b",
    '"',
    '""',
    "'",
    ",",
    "\t",
    "NA",
    "null",
    "NaN",
    "é𝔘",
    "\\",
]
characters = st.characters(exclude_categories=["Cs"], exclude_characters="\r\n")
one_line = st.one_of(st.sampled_from(ODD), st.text(characters, max_size=8))
any_text = st.one_of(one_line, st.sampled_from(["\n", "\r\n", "a\r", '"\n"']), st.text(st.characters(codec="utf-8")))
ends = st.sampled_from(["\n", "\r\n"])
sizes = st.integers(1, 5)


def shards(path, size, *columns):
    """All texts with their ids, read by shards, the last shard first."""
    texts = Texts(path, *columns)
    found = split(texts, size)
    pieces = {shard.number: list(read(texts, shard)) for shard in reversed(found.shards)}
    assert [len(pieces[shard.number]) for shard in found.shards] == [shard.texts for shard in found.shards]
    together = [one for number in sorted(pieces) for one in pieces[number]]
    assert len(together) == found.texts
    assert {type(one) for one, _ in together} == {{"integer": int, "string": str}[found.ids]}
    return together


def in_file(content, suffix, size, *columns):
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, f"texts{suffix}")
        path.write_bytes(content)
        return shards(path, size, *columns)


def numbered(texts):
    return list(enumerate(texts))


@given(st.lists(one_line, min_size=1), ends, st.booleans(), st.booleans(), sizes)
def test_lines_of_text_are_those_that_were_written(texts, end, mark, ended, size):
    content = end.join(texts) + (end if ended or not texts[-1] else "")
    assert in_file(content.encode("utf-8-sig" if mark else "utf-8"), ".txt", size) == numbered(
        [texts[0].removeprefix("" if mark else "\ufeff"), *texts[1:]]
    )


def may_be_joined(written, delimiter):
    """Whether each line of all rows of several lines would be a row if quotes meant nothing."""
    rows, held = [], ""
    for line in written.split("\n")[1:]:
        held += line + "\n"
        if held.count('"') % 2 == 0:
            rows.append(held.removesuffix("\n").split("\n"))
            held = ""
    joined = [row for row in rows if len(row) > 1]
    return bool(joined) and all(line.count(delimiter) == 1 for row in joined for line in row)


@given(
    st.lists(st.tuples(any_text, any_text), min_size=1),
    st.sampled_from([(".csv", ","), (".tsv", "\t")]),
    st.sampled_from([("\n", csv.QUOTE_MINIMAL), ("\n", csv.QUOTE_ALL), ("\r\n", csv.QUOTE_MINIMAL)]),
    st.tuples(st.booleans(), st.booleans()),
    sizes,
)
def test_rows_are_those_that_were_written_and_those_of_the_csv_module(rows, kind, style, borders, size):
    (suffix, delimiter), (end, quoting), (mark, ended) = kind, style, borders
    assume(
        style != ("\n", csv.QUOTE_MINIMAL) or not any("\r" in field for row in rows for field in row)
    )  # which its writer does not quote
    buffer = io.StringIO(newline="")
    writer = csv.writer(buffer, delimiter=delimiter, lineterminator=end, quoting=quoting)
    writer.writerows([("key", "text"), *rows])
    written = buffer.getvalue() if ended else buffer.getvalue().removesuffix(end)
    naive = list(csv.reader(io.StringIO(written, newline=""), delimiter=delimiter))[1:]
    content = written.encode("utf-8-sig" if mark else "utf-8")
    if may_be_joined(written, delimiter):
        with pytest.raises(FormatError, match="quotes join"):
            in_file(content, suffix, size, "text", "key")
    else:
        assert in_file(content, suffix, size, "text", "key") == [tuple(row) for row in naive] == rows


@given(st.lists(any_text, min_size=1), st.booleans(), ends, st.booleans(), sizes)
def test_objects_of_lines_are_those_that_were_written(texts, escaped, end, mark, size):
    lines = [json.dumps({"n": [i], "body": text}, ensure_ascii=escaped) + end for i, text in enumerate(texts)]
    content = "".join(lines).encode("utf-8-sig" if mark else "utf-8")
    assert in_file(content, ".jsonl", size, "body") == numbered(texts)


@given(
    st.lists(st.tuples(st.integers(-(2**63) + 1, 2**63 - 1), any_text), min_size=1, max_size=12),
    st.sampled_from([pa.string(), pa.large_string(), pa.string_view(), pa.dictionary(pa.int32(), pa.string())]),
    st.integers(1, 5),
    sizes,
)
def test_rows_of_parquet_are_those_that_were_written(rows, kind, group, size):
    columns = {"key": pa.array([i for i, _ in rows]), "text": pa.array([t for _, t in rows]).cast(kind)}
    buffer = io.BytesIO()
    pq.write_table(pa.table(columns), buffer, row_group_size=group)
    assert in_file(buffer.getvalue(), ".parquet", size, "text", "key") == rows


def test_shards_begin_in_the_middle_of_batches_of_large_row_groups(tmp_path):
    texts = [f"text {i}" for i in range(5000)]
    pq.write_table(pa.table({"text": texts}), tmp_path / "t.parquet", row_group_size=2600)
    assert shards(tmp_path / "t.parquet", 777) == numbered(texts)


def test_a_field_may_be_longer_than_the_limit_of_the_csv_module(tmp_path):
    (tmp_path / "t.csv").write_text(f"text\n{'a' * 200_000}\n")
    assert shards(tmp_path / "t.csv", 1) == [(0, "a" * 200_000)]


@pytest.mark.parametrize(("texts", "least"), [(400, 1), (401, 1), (5000, 1), (5000, 10), (5000, 100)])
def test_shards_grow_with_the_file_until_there_are_at_most_400(tmp_path, texts, least):
    path = tmp_path / "t.txt"
    path.write_text("".join(f"{i}\n" for i in range(texts)))
    found = split(Texts(path), least)
    size = found.shards[0].texts
    assert len(found.shards) <= MOST_SHARDS == 400
    assert size == least or (size % 2 == 0 and size // 2 * MOST_SHARDS < texts)
    assert shards(path, least) == numbered(map(str, range(texts)))


@pytest.mark.parametrize(
    ("name", "content"), [("t.txt", b""), ("t.txt", b"\xef\xbb\xbf"), ("t.jsonl", b""), ("t.csv", b"text\n")]
)
def test_a_file_without_texts_is_refused(tmp_path, name, content):
    (tmp_path / name).write_bytes(content)
    with pytest.raises(InputError, match="holds no texts"):
        split(Texts(tmp_path / name), 10)


PRIVATE = "zzyzx"


def parquet(**columns):
    buffer = io.BytesIO()
    pq.write_table(pa.table(columns), buffer)
    return buffer.getvalue()


REFUSED = {
    "a byte that is not UTF-8": (".txt", b"one\nzzyzx \xff\n", {}, "line 2: not UTF-8 at byte 10"),
    "the same after a byte order mark": (".txt", b"\xef\xbb\xbfzzyzx\xff", {}, "line 1: not UTF-8 at byte 8"),
    "a column of plain text": (".txt", b"zzyzx\n", {"text_column": "body"}, "no columns"),
    "an id column of plain text": (".txt", b"zzyzx\n", {"id_column": "id"}, "no columns"),
    "an empty csv": (".csv", b"", {}, "its first line must name the columns"),
    "a missing column": (".csv", b"id,body\n1,zzyzx\n", {}, "no column 'text'; its columns: 'id', 'body'"),
    "no header": (".csv", b"1,zzyzx came\n", {}, "its columns: '1', 1 with names that may be text"),
    "no header, a text without spaces": (".csv", "zzyzx不知道\n".encode(), {}, "columns: 1 with names"),
    "no header, a long number": (".csv", b"1,4930123456\n", {}, "its columns: '1', 1 with names that may be text"),
    "a column twice": (".csv", b"text,text\na,zzyzx\n", {}, "two columns 'text'"),
    "a missing id column": (".tsv", b"text\tn\nzzyzx\t1\n", {"id_column": "id"}, "no column 'id'"),
    "a field too many": (".csv", b'text,n\na,1\n"zzyzx\n",2,3\n', {}, "line 3: 3 fields, but the header has 2"),
    "joined rows": (
        ".tsv",
        b'id\ttext\n1\t"zzyzx said\n2\tfoo\n3\tbar"\n4\tbaz\n',
        {},
        "line 2: quotes join",
    ),
    "joined rows of one column": (".csv", b'text\n5" zzyzx\n"a\nb"\n', {}, "line 3: quotes join"),
    "a carriage return in a line": (".txt", b"a\r\nzzyzx\rb\n", {}, "line 2: a carriage return"),
    "old line ends": (".txt", b"zzyzx\ra\rb\r", {}, "line 1: a carriage return"),
    "an open quote": (".csv", b'text\na\n"zzyzx\nb\n', {}, "lines 3 to 4.*unexpected end of data"),
    "a quote that is not doubled": (".csv", b'text\n"zzyzx" said\n', {}, "line 2: not a valid row"),
    "a bare carriage return": (".csv", b"text\nzzyzx\rb\n", {}, "line 2: not a valid row .carriage return"),
    "a row that is not UTF-8": (".csv", b"text\nzzyzx\n\xfe\n", {}, "line 3: not UTF-8 at byte 11"),
    "a line that is no JSON": (".jsonl", b'{"text": "a"}\nzzyzx\n', {}, "line 2: not a JSON object"),
    "a line that is no object": (".jsonl", b'["zzyzx"]\n', {}, "line 1: not a JSON object"),
    "two objects on a line": (".jsonl", b'{"text": "zzyzx"}{"text": "b"}\n', {}, "line 1: not a JSON object"),
    "an object over two lines": (".jsonl", b'{"text":\n"zzyzx"}\n', {}, "line 1: not a JSON object"),
    "a key twice": (".jsonl", b'{"text": "a"}\n{"text": "zzyzx", "text": "b"}\n', {}, "line 2: a key occurs twice"),
    "a line nested without end": (".jsonl", b"[" * 100_000 + b"zzyzx", {}, "line 1: not a JSON object"),
    "a line without the column": (".jsonl", b'{"body": "zzyzx"}\n', {}, "line 1: no 'text'; there is 'body'"),
    "null": (".jsonl", b'{"text": "zzyzx"}\n{"text": null}\n', {}, "line 2: the value of 'text' is null"),
    "a number": (".jsonl", b'{"text": 4.5, "a": "zzyzx"}\n', {}, "line 1: the value of 'text' is a number"),
    "NaN": (".jsonl", b'{"text": NaN, "a": "zzyzx"}\n', {}, "the value of 'text' is a number"),
    "half a character": (".jsonl", b'{"text": "zzyzx \\ud800"}\n', {}, "line 1: 'text' holds a lone surrogate"),
    "an id that is null": (".jsonl", b'{"text": "zzyzx", "i": null}', {"id_column": "i"}, "the id in 'i' is null"),
    "an id that is true": (".jsonl", b'{"text": "zzyzx", "i": true}', {"id_column": "i"}, "is true or false"),
    "a large id": (".jsonl", b'{"text": "zzyzx", "i": 9223372036854775808}', {"id_column": "i"}, "64 bits"),
    "ids of two kinds": (
        ".jsonl",
        b'{"text": "zzyzx", "i": 1}\n{"text": "b", "i": "1"}',
        {"id_column": "i"},
        "line 2: ids are strings here and integers elsewhere",
    ),
    "texts as ids": (".jsonl", b'{"text": "zzyzx"}', {"id_column": "text"}, "ids are published"),
    "no parquet": (".parquet", b"zzyzx, which is no Parquet file", {}, "is not a Parquet file"),
    "a parquet without the column": (".parquet", parquet(body=["zzyzx"]), {}, "no column 'text'; its columns: 'body'"),
    "a null in parquet": (".parquet", parquet(text=["zzyzx", None]), {}, "row 2: the value of 'text' is null"),
    "numbers in parquet": (".parquet", parquet(text=[1], a=["zzyzx"]), {}, "row 1: the value of 'text' is an integer"),
    "parquet that is not UTF-8": (
        ".parquet",
        parquet(text=pa.array([b"zzyzx", b"a\xff"]).view(pa.string())),
        {},
        "row 2: the value of 'text' is bytes that are not UTF-8",
    ),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_is_refused_is_reported_with_its_place_and_never_with_the_text(tmp_path, case):
    suffix, content, columns, message = REFUSED[case]
    path = tmp_path / f"t{suffix}"
    path.write_bytes(content)
    with pytest.raises(InputError, match=message) as caught:
        split(Texts(path, **columns), 10)
    assert "ids" in message or str(path) in str(caught.value)
    error, told = caught.value, ""
    while error is not None:  # also what was going on when the error was raised
        told += repr(error.args) + repr(vars(error)) + "".join(traceback.format_exception(error, chain=False))
        error = error.__cause__ or error.__context__
    assert PRIVATE not in told.replace(str(path), "").replace(repr(content), "")


def test_a_suffix_that_says_no_format_is_refused_with_the_list(tmp_path):
    with pytest.raises(InputError, match=re.escape(", ".join(FORMATS))):
        format_of(tmp_path / "texts.doc")
    assert format_of(tmp_path / "TEXTS.CSV") == ".csv"


def test_a_file_that_is_not_there_is_refused(tmp_path):
    with pytest.raises(InputError, match="no file"):
        split(Texts(tmp_path / "texts.txt"), 10)


def test_a_file_that_lost_texts_since_it_was_split_is_refused(tmp_path):
    path = tmp_path / "t.txt"
    path.write_text("a\nb\nc\n")
    last = split(Texts(path), 3).shards[-1]
    path.write_text("a\nb\n")
    with pytest.raises(FormatError, match="was changed while it was read"):
        list(read(Texts(path), last))


blank = st.sampled_from(["\n", "\r\n", "  \n", " \r\n"])


@given(
    st.lists(st.text(characters, min_size=1, max_size=4).filter(str.strip), min_size=1),
    st.lists(st.tuples(st.integers(0, 20), blank), max_size=6),
    st.sampled_from([".csv", ".tsv", ".jsonl"]),
    sizes,
)
def test_blank_lines_are_left_out_and_counted(texts, blanks, suffix, size):
    delimiter = {".csv": ",", ".tsv": "\t"}.get(suffix)
    if delimiter:
        buffer = io.StringIO(newline="")
        csv.writer(buffer, delimiter=delimiter, lineterminator="\n", quoting=csv.QUOTE_ALL).writerows(enumerate(texts))
        rows, head = buffer.getvalue().removesuffix("\n").split("\n"), f"key{delimiter}text\n"
    else:
        rows, head = [json.dumps({"key": str(i), "text": text}) for i, text in enumerate(texts)], ""
    lines = [row + "\n" for row in rows]
    for place, line in blanks:
        lines.insert(min(place, len(lines)), line)
    expected = [(str(i), text) for i, text in enumerate(texts)]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, f"texts{suffix}")
        path.write_bytes((head + "".join(lines)).encode())
        assert shards(path, size, "text", "key") == expected
        assert split(Texts(path, "text", "key"), size).blank == len(blanks)


def test_an_empty_line_of_plain_text_is_a_text_and_an_empty_field_is_one():
    assert in_file(b"a\n\nb\n", ".txt", 5) == numbered(["a", "", "b"])
    assert in_file(b'text\na\n""\n', ".csv", 5) == numbered(["a", ""])
    assert in_file(b"n,text\n1,\n,\n", ".csv", 5, "text") == numbered(["", ""])


@pytest.mark.parametrize(
    "content",
    [
        b'id,text\n1,"one\ntwo"\n2,three\n',
        b'id,text\n1,"one, two\nthree"\n',
        b'id,text\n1,"a,\nb,"\n2,"c\nd"\n',
        b'text\n"one\ntwo"\nthree\n',
        b'text\n"one ""two""\nthree"\n',
    ],
)
def test_rows_of_several_lines_that_can_only_be_so_are_read(content):
    rows = list(csv.reader(io.StringIO(content.decode(), newline="")))
    assert in_file(content, ".csv", 5) == numbered(row[-1] for row in rows[1:])


def test_a_key_twice_in_an_object_within_does_not_matter():
    assert in_file(b'{"text": "a", "more": {"b": 1, "b": 2}}', ".jsonl", 5) == numbered(["a"])


@pytest.mark.parametrize("suffix", [".txt", ".csv", ".tsv", ".jsonl", ".parquet"])
@pytest.mark.parametrize(
    ("pack", "told"),
    [
        (gzip.compress, "gzip"),
        (bz2.compress, "bzip2"),
        (lzma.compress, "xz"),
        (lambda content: content.decode().encode("utf-16"), "UTF-16"),
        (lambda content: content.decode().encode("utf-16-le"), "UTF-16"),
        (lambda content: content.decode().encode("utf-32-be"), "UTF-16"),
        (lambda _: parquet(text=["zzyzx"]), "Parquet"),
    ],
)
def test_what_is_compressed_or_not_utf_8_is_refused_by_name_and_never_read_as_text(tmp_path, suffix, pack, told):
    path = tmp_path / f"t{suffix}"
    path.write_bytes(pack(b"text\nzzyzx came and went\n" * 20))
    if (suffix, told) == (".parquet", "Parquet"):
        assert split(Texts(path), 10).texts == 1
    else:
        with pytest.raises(FormatError, match=rf"{re.escape(str(path))} is .*({told}|not a Parquet)"):
            split(Texts(path), 10)


@pytest.mark.parametrize("name", ["t.jsonl.gz", "t.csv.zip", "t.tar", "t.txt.BZ2", "t.parquet.xz"])
def test_a_suffix_of_compression_is_refused_with_what_to_do(tmp_path, name):
    with pytest.raises(InputError, match="is compressed: unpack it first"):
        format_of(tmp_path / name)


LONG = {
    ".txt": b"a\n" + b"b" * 200 + b"\n",
    ".jsonl": b'{"text": "a"}\n{"text": "' + b"b" * 200 + b'"}\n',
    ".csv": b"text\na\n" + b"b" * 200 + b"\n",
    ".tsv": b'text\na\n"' + b"bbbbbbbbb\n" * 20 + b'"\n',
}


@pytest.mark.parametrize("suffix", LONG)
def test_a_record_that_is_longer_than_any_text_is_refused_with_its_line(tmp_path, monkeypatch, suffix):
    path = tmp_path / f"t{suffix}"
    path.write_bytes(LONG[suffix])
    assert split(Texts(path), 10).texts == 2
    for module in ("lines", "delimited"):
        monkeypatch.setattr(f"nadp.texts.files.{module}.LONGEST", 100)
    with pytest.raises(FormatError, match=rf"{re.escape(str(path))}, line \d+: a record has over"):
        split(Texts(path), 10)


def test_a_line_without_end_takes_no_more_memory_than_the_longest_record(tmp_path):
    path = tmp_path / "t.txt"
    with path.open("wb") as file:
        file.write(b"x" * 1000)
        file.truncate(1 << 30)  # zeros, which take no room on the disk
    tracemalloc.start()
    with pytest.raises(FormatError, match="line 1: a record has over 16 MB"):
        split(Texts(path), 10)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 1 << 26


def test_a_parquet_file_with_fewer_rows_than_it_announces_is_refused(tmp_path, monkeypatch):
    pq.write_table(pa.table({"text": [f"{i}" for i in range(20)]}), tmp_path / "t.parquet")
    batches = parquet_files._batches
    monkeypatch.setattr(parquet_files, "_batches", lambda *arguments: (b.slice(0, 15) for b in batches(*arguments)))
    with pytest.raises(FormatError, match="row group 0 holds 15 rows but announces 20"):
        split(Texts(tmp_path / "t.parquet"), 10)


# Found by fuzzing: what it says of a column is damaged, and pyarrow ends the process when that is looked at
DAMAGED_COLUMN = (
    "UEFSMRUAFUYVSiwVCBUAFQYVBhw2ACgEendlaRgAEREAAAAjiAIAAAAIAAAACAEBAAkBAQ4BATwDAAAAAAAAAAQAAAAAAAAAFQQZ"
    "PDUAGAZzY2hlbWEVBAAVDCUCGAR0ZXh0JQBMHAAAABUEJQEYAmlkABYIGRwZLCYAHBUMGSUGABkYBHRleHQVAhYIFoQBFogBJgg8"
    "NgAoBHp3ZWkYABERABkcFQAVABUCADwWGhkGGSYACAAAACYAHBUEGSUGABkYAmlkFQIWCBbKARbAASaQATwYCAQAAAAAAAAAGAgB"
    "AAAAAAAAABYAKAgEAAAAAAAAABgIAQAAAAAAAAAREQAZHBUAFQAVAgA8KQYZJgAIAAAAFs4CFggmCBbIAgAZHBgMQVJST1c6c2No"
    "ZW1hGOwBLy8vLy82Z0FBQUFRQUFBQUFBQUtBQXdBQmdBRkFBZ0FDZ0FBQUFBQkJBQU1BQUFBQ0FBSUFBQUFCQUFJQUFBQUJBQUFB"
    "QUlBQUFCTUFBQUFCQUFBQU16Ly8vOEFBQUVDRUFBQUFCd0FBQUFFQUFBQUFBQUFBQUlBQUFCcFpBQUFDQUFNQUFnQUJ3QUlBQUFB"
    "QUFBQUFVQUFBQUFRQUJRQUNBQUdBQWNBREFBQUFCQUFFQUFBQUFBQUFRVVFBQUFBSEFBQUFBUUFBQUFBQUFBQUJBQUFBSFJsZUhR"
    "QUFBQUFCQUFFQUFRQUFBQT0AGCBwYXJxdWV0LWNwcC1hcnJvdyB2ZXJzaW9uIDI2LjAuMRksHAAAHAAAAAICAABQQVIx"
)


def test_a_parquet_file_with_a_damaged_column_does_not_end_the_process(tmp_path):
    (tmp_path / "t.parquet").write_bytes(base64.b64decode(DAMAGED_COLUMN))
    with pytest.raises(InputError, match=r"t\.parquet"):
        split(Texts(tmp_path / "t.parquet"), 2)


def test_a_parquet_file_whose_columns_have_no_names_of_utf_8_is_refused_by_name(tmp_path):
    path = tmp_path / "t.parquet"
    pq.write_table(pa.table({"text": ["a"], "other": [1]}), path)
    path.write_bytes(path.read_bytes().replace(b"other", b"\xffther"))
    with pytest.raises(FormatError, match=r"t\.parquet"):
        split(Texts(path), 2)


def test_a_parquet_file_that_grows_out_of_all_proportion_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr("nadp.texts.files.parquet._FREE", 1 << 16)
    pq.write_table(
        pa.table({"text": ["a" * 1000] * 5000}), tmp_path / "t.parquet", compression="zstd", use_dictionary=False
    )
    with pytest.raises(FormatError, match=r"t\.parquet.*200 times"):
        split(Texts(tmp_path / "t.parquet"), 2)


@pytest.mark.parametrize("blank", ["\n", "\r\n", "  \n", "\n\n\n", ",\n"])
def test_blank_lines_before_the_header_are_left_out(tmp_path, blank):
    (tmp_path / "t.csv").write_bytes(f"{blank}text,label\na,1\n".encode())
    assert shards(tmp_path / "t.csv", 2) == [(0, "a")]
