"""Tables of ids and vectors in Parquet and Arrow files, as other programs write them."""

import re

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet as pq
import pytest

from nadp import FormatError, InputError, read_embeddings

IDS, VECTORS = ["a", "b", "c"], [[1.0, 2.0], [3.0, 4.5], [0.0, -1.0]]


def parquet(path, table):
    pq.write_table(table, path)


def feather(path, table):
    pa.feather.write_feather(table, path)


def stream(path, table):
    with pa.ipc.new_stream(str(path), table.schema) as writer:
        writer.write_table(table)


WRITERS = {"a.parquet": parquet, "a.feather": feather, "a.arrow": stream}


@pytest.fixture(params=WRITERS)
def read(request, tmp_path):
    def read(columns, **options):
        path = tmp_path / request.param
        WRITERS[request.param](path, pa.table(columns))
        return read_embeddings(path, **options)

    return read


@pytest.mark.parametrize(
    "kind",
    [
        *(pa.list_(number) for number in (pa.float16(), pa.float32(), pa.float64(), pa.int8())),
        pa.large_list(pa.float32()),
        pa.list_(pa.float32(), 2),
    ],
)
def test_lists_of_any_kind_are_vectors(read, kind):
    vectors = [[int(x) for x in row] for row in VECTORS] if kind.value_type == pa.int8() else VECTORS
    found = read({"id": IDS, "vector": pa.array(np.array(vectors).tolist(), pa.list_(pa.float64())).cast(kind)})
    assert found.words.tolist() == IDS
    assert found.vectors.tolist() == vectors


@pytest.mark.parametrize(
    "kind", [pa.string(), pa.large_string(), pa.string_view(), pa.dictionary(pa.int8(), pa.string())], ids=str
)
def test_strings_of_any_kind_are_words(read, kind):
    found = read({"word": pa.array(IDS, kind), "vector": VECTORS})
    assert found.words.tolist() == IDS
    with pytest.raises(FormatError, match="1 words or ids are missing"):
        read({"word": pa.array(["a", None, "c"], kind), "vector": VECTORS})


def test_whole_numbers_that_repeat_may_be_a_dictionary(read):
    assert read({"id": pa.array([7, 8, 9]).dictionary_encode(), "vector": VECTORS}).words.tolist() == ["7", "8", "9"]


def test_whole_numbers_are_ids(read):
    assert read({"id": [7, 8, 10**12], "vector": VECTORS}).words.tolist() == ["7", "8", "1000000000000"]


def test_columns_are_found_by_what_they_hold_or_by_their_names(read):
    assert read({"x": VECTORS, "title": IDS}).words.tolist() == IDS
    more = {"year": [1, 2, 3], "other": [[1.0]] * 3, "word": IDS, "embedding": VECTORS}
    found = read(more)
    assert (found.words.tolist(), found.vectors.tolist()) == (IDS, VECTORS)
    with pytest.raises(FormatError, match=r"year \(int64\).*name the right one 'id'"):
        read({"year": [1, 2, 3], "title": IDS, "vector": VECTORS})


def test_words_and_limit_keep_what_they_keep_of_any_table(read):
    assert read({"id": IDS, "vector": VECTORS}, words=["c"], limit=1).words.tolist() == ["a", "c"]


@pytest.mark.parametrize(
    "columns",
    [
        {"id": IDS, "vector": [[1.0], [1.0, 2.0], [1.0]]},
        {"id": IDS, "vector": [[1.0], None, [1.0]]},
        {"id": IDS, "vector": [None, [1.0], [1.0]]},
        {"id": IDS, "vector": [[1.0], [None], [1.0]]},
        {"id": IDS, "vector": [[1.0], [float("nan")], [1.0]]},
        {"id": IDS, "vector": [[], [], []]},
        {"id": ["a", None, "c"], "vector": VECTORS},
        {"id": IDS, "vector": [["x"], ["y"], ["z"]]},
        {"id": IDS},
        {"vector": VECTORS},
        {},
    ],
)
def test_what_is_no_table_of_ids_and_vectors_is_refused_by_name(read, tmp_path, columns):
    with pytest.raises(FormatError, match=re.escape(str(tmp_path / "a."))):
        read(columns)


def test_an_empty_table_holds_nothing_to_keep(read):
    with pytest.raises(InputError):
        read({"id": pa.array([], pa.string()), "vector": pa.array([], pa.list_(pa.float32()))})


def test_a_frame_of_pandas_is_read_and_what_is_written_is_read_by_pandas(tmp_path):
    from nadp.files import write_embeddings

    pd.DataFrame({"id": IDS, "vector": VECTORS}, index=[5, 6, 7]).to_parquet(tmp_path / "in.parquet")
    found = read_embeddings(tmp_path / "in.parquet")
    assert found.vectors.tolist() == VECTORS
    for name, reads in (("out.parquet", pd.read_parquet), ("out.feather", pd.read_feather)):
        write_embeddings(tmp_path / name, found)
        back = reads(tmp_path / name)
        assert (back["id"].tolist(), np.stack(back["vector"]).tolist()) == (IDS, VECTORS)


@pytest.mark.parametrize("name", ["a.parquet", "a.arrow"])
def test_a_table_under_another_name_is_refused_with_the_suffix_it_needs(tmp_path, name):
    WRITERS.get(name, feather)(tmp_path / name, pa.table({"id": IDS, "vector": VECTORS}))
    if name == "a.arrow":
        feather(tmp_path / name, pa.table({"id": IDS, "vector": VECTORS}))
    (tmp_path / name).rename(tmp_path / "a.txt")
    with pytest.raises(FormatError, match=re.escape(name.removeprefix("a"))):
        read_embeddings(tmp_path / "a.txt")
