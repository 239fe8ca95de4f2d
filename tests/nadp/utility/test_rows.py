"""Rows of user-defined files: each format gives what was written, and anything else is refused by file and line."""

import csv
import io
import json
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nadp import FormatError
from nadp.utility.declaration import PART, Source
from nadp.utility.rows import rows_of_files

COLUMNS = ("body", "team", PART)
RECORDS = [
    {"id": 1, "body": 'He said "no", twice.\nThen left.', "team": "billing"},
    {"id": 2, "body": "null", "team": "NA"},
    {"id": 3, "body": "Ein\u2028Café, 3\u00a0€", "team": "billing"},
]
ROWS = [[record["body"], record["team"], ""] for record in RECORDS]


def written(path, records, delimiter=","):
    if path.suffix == ".parquet":
        pq.write_table(pa.Table.from_pylist(records), path)
    elif path.suffix == ".jsonl":
        path.write_text("".join(json.dumps(record) + "\n" for record in records), encoding="utf-8")
    else:
        with path.open("w", encoding="utf-8", newline="") as file:
            writer = csv.DictWriter(file, list(records[0]), delimiter=delimiter)
            writer.writeheader()
            writer.writerows(records)
    return path


def rows(path, columns=COLUMNS, family="labelled-texts", **how):
    return rows_of_files(family, Source("file", str(path), columns, **how), [path])


@pytest.mark.parametrize("suffix", [".csv", ".tsv", ".jsonl", ".parquet"])
def test_every_format_gives_the_columns_as_they_were_written(tmp_path, suffix):
    path = written(tmp_path / f"tickets{suffix}", RECORDS, "\t" if suffix == ".tsv" else ",")
    assert rows(path) == ROWS
    assert rows(path, ("body", "team", "team"), where=(("team", "billing"),)) == [
        [body, team, team] for body, team, _ in (ROWS[0], ROWS[2])
    ]


fields = st.text(  # the csv module does not quote a carriage return
    st.characters(exclude_categories=["Cs"], exclude_characters="\0\r"), min_size=1
)


@given(st.lists(st.tuples(fields, fields), min_size=1))
def test_what_the_csv_module_writes_is_read_again(tmp_path_factory, pairs):
    buffer = io.StringIO(newline="")
    csv.writer(buffer, lineterminator="\n").writerows([("body", "team"), *pairs])
    path = tmp_path_factory.mktemp("csv") / "t.csv"
    path.write_bytes(buffer.getvalue().encode())
    kept = [[one, other, ""] for one, other in pairs if one.strip() or other.strip()]
    try:
        found = rows(path)
    except FormatError as error:
        assert "quotes join" in str(error)  # noqa: PT017
        assert any("\n" in field for pair in pairs for field in pair)
    else:
        assert found == kept


@pytest.mark.parametrize("header", [(), ("body", "team")])
def test_rows_that_quotes_may_have_joined_are_refused_by_their_line(tmp_path, header):
    path = tmp_path / "t.tsv"
    names = "" if header else "body\tteam\n"
    path.write_text(f'{names}a\tx\n"b\ty\nc\tx\nd"\ty\ne\tx\n')
    with pytest.raises(FormatError, match=rf"t\.tsv, line {2 if header else 3}: quotes join.*quotes = false"):
        rows(path, header=header)
    assert len(rows(path, header=header, quotes=False)) == 5


plain_fields = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\n\t"), min_size=1)


@given(st.lists(st.tuples(plain_fields, plain_fields), min_size=1))
def test_a_table_without_quotes_is_its_lines_split_at_the_delimiter(tmp_path_factory, pairs):
    path = tmp_path_factory.mktemp("tsv") / "t.tsv"
    path.write_bytes("".join(f"{one}\t{other}x\n" for one, other in pairs).encode())
    found = rows(path, quotes=False, header=("body", "team"))
    bom = [(one.removeprefix("\ufeff") if i == 0 else one, other) for i, (one, other) in enumerate(pairs)]
    assert found == [[one, other + "x", ""] for one, other in bom]


def test_blank_lines_and_comments_are_left_out_and_crlf_and_a_byte_order_mark_do_no_harm(tmp_path):
    path = tmp_path / "t.tsv"
    path.write_bytes(b"\xef\xbb\xbf# a comment\r\nbody\tteam\r\n\r\n# x\ty\r\na\tb\r\n\r\n")
    for quotes in (True, False):
        assert rows(path, quotes=quotes, comment="#") == [["a", "b", ""]]


def test_fields_that_a_row_lacks_are_nothing_and_one_too_many_is_refused(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("id,body,team\n1,a,b\n2,c\n")
    assert rows(path) == [["a", "b", ""], ["c", None, ""]]
    path.write_text("body,team\na,b\nc,d,e\n")
    with pytest.raises(FormatError, match=r"t\.csv, line 3"):
        rows(path)


def test_a_text_that_is_utf8_is_read_as_such_whatever_was_declared(tmp_path):
    for text, encoding in (("caf\u00e9 \u2013 na\u00efve", "utf-8"), ("caf\u00e9 \u2013 na\u00efve", "cp1252")):
        (tmp_path / "t.csv").write_bytes(f"body,team\n{text},x\n".encode(encoding))
        assert rows(tmp_path / "t.csv", encoding="cp1252")[0][0] == text


PRIVATE = "my account number is 4711"
BAD = {
    "another encoding": ("t.csv", b"body,team\nok,x\ncaf\xe9,y\n", ["line 3", 'encoding = "cp1252"']),
    "a missing column": ("t.csv", b"id,text,team\n", ["'body'", "'id', 'text', 'team'"]),
    "two columns of one name": ("t.csv", b"body,team,team\na,b,c\n", ["two columns 'team'"]),
    "no header": ("t.csv", f"1,{PRIVATE},billing\n".encode(), ["'body'"]),
    "an empty file": ("t.csv", b"", ["'body'"]),
    "an open quote": ("t.csv", f'body,team\n"{PRIVATE},x\n'.encode(), ["line 2"]),
    "a suffix that says nothing": ("t.txt", b"body,team\n", ['format = "csv"']),
    "a compressed file": ("t.csv.gz", b"\x1f\x8b", ['format = "csv"']),
    "a line that is no object": ("t.jsonl", f'["{PRIVATE}"]\n'.encode(), ["line 1"]),
    "a line that is no JSON": ("t.jsonl", f'{{"body": "x", "team": "y"}}\n{{"{PRIVATE}\n'.encode(), ["line 2"]),
    "an object without the column": ("t.jsonl", f'{{"{PRIVATE}": 1}}\n'.encode(), ["line 1", "'body'"]),
    "no Parquet": ("t.parquet", f"PAR1{PRIVATE}".encode(), ["t.parquet"]),
    "no file": ("t.csv", None, ["t.csv"]),
}


@pytest.mark.parametrize("what", BAD)
def test_a_file_that_is_not_as_declared_is_refused_by_its_path_and_tells_no_text(tmp_path, what):
    name, content, named = BAD[what]
    if content is not None:
        (tmp_path / name).write_bytes(content)
    with pytest.raises(FormatError) as caught:
        rows(tmp_path / name)
    assert [words for words in [str(tmp_path / name), *named] if words not in str(caught.value)] == []
    assert PRIVATE not in str(caught.value)


def test_the_terms_of_a_puzzle_are_columns_and_some_may_be_empty(tmp_path):
    path = tmp_path / "p.csv"
    path.write_text("odd,one,two,three\nx,a,b,c\ny,d,e,\n,f,g,h\n")
    found = rows(path, ("odd", "one", "two", "three"), "odd-one-out")
    assert found == [[["x", "a", "b", "c"]], [["y", "d", "e"]], [["", "f", "g", "h"]]]


def test_each_file_of_a_split_stands_for_its_part(tmp_path):
    for name, record in (("a.csv", RECORDS[0]), ("b.csv", RECORDS[1])):
        written(tmp_path / name, [record])
    source = Source("file", str(tmp_path), COLUMNS, (("a.csv", "train"), ("b.csv", "test")))
    files = source.files(Path(source.location))
    assert rows_of_files("labelled-texts", source, files) == [[*ROWS[0][:2], "train"], [*ROWS[1][:2], "test"]]
