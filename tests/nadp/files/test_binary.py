"""The readers of what is not text: they find what the reader of text finds, and refuse what is damaged by name."""

import gzip
import io
import itertools
import pickle
import re
import struct
import zipfile

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from safetensors.numpy import save

from nadp import FormatError, InputError, read_embeddings

TABLE = [("the", [0.5, -1.0]), ("é", [2.0, 3.0]), ("東京", [-0.0, 1e-45])]
OTHERS = ["bin", "npz", "safetensors", "parquet", "arrow"]


def numbers(table):
    return np.array([row for _, row in table], dtype=np.float32).reshape(len(table), -1)


def as_text(table):
    return "".join(f"{word} {' '.join(repr(float(x)) for x in row)}\n" for word, row in table).encode()


def as_bin(table, end=b""):
    rows = [word.encode() + b" " + struct.pack(f"<{len(row)}f", *row) + end for word, row in table]
    return f"{len(table)} {len(table[0][1])}\n".encode() + b"".join(rows)


def as_npz(table, save_arrays=np.savez):
    file = io.BytesIO()
    save_arrays(file, words=np.array([word for word, _ in table]), vectors=numbers(table))
    return file.getvalue()


def as_safetensors(table):
    return save({"vectors": numbers(table)}, {"words": "\n".join(word for word, _ in table)})


def columns(table):
    return pa.table(
        {"id": [word for word, _ in table], "vector": pa.array([row for _, row in table], pa.list_(pa.float32()))}
    )


def as_parquet(table):
    file = io.BytesIO()
    pq.write_table(columns(table), file)
    return file.getvalue()


def as_arrow(table):
    file, made = io.BytesIO(), columns(table)
    with pa.ipc.new_stream(file, made.schema) as writer:
        writer.write_table(made, max_chunksize=2)
    return file.getvalue()


AS = {"txt": as_text, "bin": as_bin, "npz": as_npz, "safetensors": as_safetensors}
AS |= {"parquet": as_parquet, "arrow": as_arrow}


@pytest.fixture(scope="module")
def write(tmp_path_factory):
    folder = tmp_path_factory.mktemp("binary")

    def write(content, name):
        path = folder / f"table.{name}"
        path.write_bytes(content)
        return path

    return write


def outcome(path, **options):
    """What is read, or that it is refused."""
    try:
        found = read_embeddings(path, **options)
    except InputError as error:
        assert str(path) in str(error)  # noqa: PT017
        return type(error)
    return found.words.tolist(), found.vectors.tobytes(), found.counts["words not found"]


def refused(path, **options):
    with pytest.raises(FormatError) as caught:
        read_embeddings(path, **options)
    return str(path) in str(caught.value)


def refused_or_read(path):
    """Whether damage is refused by name or makes no difference to whether a file can be read."""
    try:
        return len(read_embeddings(path)) > 0
    except FormatError as error:
        return str(path) in str(error)


word = st.sampled_from(["a", "b", "c", "é", "東", "\xa0", "1"])
row = st.lists(st.floats(-(2.0**99), 2.0**99, width=32), min_size=2, max_size=2)
options = st.fixed_dictionaries(
    {}, optional={"words": st.lists(word | st.just("unknown"), max_size=4), "limit": st.integers(0, 6)}
)


@pytest.mark.parametrize("name", OTHERS)
@settings(max_examples=50)
@given(table=st.lists(st.tuples(word, row), min_size=1, max_size=10), options=options)
def test_words_and_limit_keep_what_they_keep_of_text(write, name, table, options):
    expected = outcome(write(as_text(table), "txt"), **options)
    assert outcome(write(AS[name](table), name), **options) == expected


@pytest.mark.parametrize("name", OTHERS)
def test_what_was_seen_is_counted_as_for_text(write, name):
    table = [*TABLE, TABLE[0], ("last", [1.0, 2.0])]
    for wanted in (None, ["last", "the", "unknown"]):
        expected = read_embeddings(write(as_text(table), "txt"), words=wanted).counts
        found = read_embeddings(write(AS[name](table), name), words=wanted).counts
        counted = {"lines", "repeated words", "words not wanted", "words not found"}
        assert {what: found.get(what, 0) for what in counted} == {what: expected.get(what, 0) for what in counted}


@pytest.mark.parametrize("name", ["txt", *OTHERS])
def test_wanted_words_may_be_any_iterable(write, name):
    path = write(AS[name](TABLE), name)
    for kind in (set, tuple, iter, np.array, lambda words: np.array(words, np.dtypes.StringDType())):
        assert read_embeddings(path, words=kind(["東京", "the"])).words.tolist() == ["the", "東京"]


@pytest.mark.parametrize("name", OTHERS)
def test_no_words_and_a_limit_below_zero_are_refused(write, name):
    path = write(AS[name](TABLE), name)
    for nothing in ({"words": []}, {"limit": 0}, {"words": ["unknown"]}):
        with pytest.raises(InputError, match=rf"{re.escape(str(path))} holds none of the requested words"):
            read_embeddings(path, **nothing)
    with pytest.raises(InputError, match="limit must be 0 or more, not -1"):
        read_embeddings(path, limit=-1)


@pytest.mark.parametrize("name", [*OTHERS, "bin.gz", "bin.zip"])
def test_a_file_that_is_not_there_is_refused_by_name(tmp_path, name):
    (tmp_path / f"folder.{name}").mkdir()
    for path in (tmp_path / f"nothing.{name}", tmp_path / f"folder.{name}"):
        with pytest.raises(InputError, match=re.escape(str(path))):
            read_embeddings(path)


@pytest.mark.parametrize("end", [b"", b"\n"])
def test_vectors_may_end_with_a_newline(write, end):
    found = read_embeddings(write(as_bin(TABLE, end), "bin"))
    assert found.words.tolist() == [word for word, _ in TABLE]
    assert found.vectors.tobytes() == numbers(TABLE).tobytes()


def test_bytes_of_numbers_may_be_spaces_and_newlines(write):
    vectors = np.frombuffer(b"    \n\n\n\n \n \n\n  a\0\0\0\0" + b" " * 16, dtype="<f4").reshape(3, 3)
    table = [(f"w{i}", vectors[i].tolist()) for i in range(3)]
    for end in (b"", b"\n"):
        found = read_embeddings(write(as_bin(table, end), "bin"))
        assert found.words.tolist() == ["w0", "w1", "w2"]
        assert found.vectors.tobytes() == vectors.tobytes()


@pytest.mark.parametrize("word", ["new york", "new york city"])
@pytest.mark.parametrize("place", [0, 1, 2])
def test_a_word_with_a_space_is_refused_in_a_binary_file(write, word, place):
    table = [(f"word{i}", np.random.default_rng(i).normal(size=50).tolist()) for i in range(3)]
    table[place] = (word, table[place][1])
    with pytest.raises(FormatError, match=r"table\.bin"):
        read_embeddings(write(as_bin(table), "bin"))


def test_text_in_the_place_of_a_binary_file_is_refused(write):
    with pytest.raises(FormatError, match="is text"):
        read_embeddings(write(b"2 2\nthe 0.1 0.2\nof 0.3 0.4\n", "bin"))


def test_files_larger_than_what_is_read_at_once_are_read_whole(write):
    rng = np.random.default_rng(4)
    long = [(f"{i}" + "x" * 50_000, [float(i), 0.5]) for i in range(200)]
    wide = [(f"w{i}", vector) for i, vector in enumerate(rng.normal(size=(8000, 301)).astype(np.float32).tolist())]
    for table in (long, wide):
        content = as_bin(table)
        assert len(content) > 9e6
        for path in (write(content, "bin"), write(gzip.compress(content, 1), "bin.gz")):
            found = read_embeddings(path)
            assert found.words.tolist() == [word for word, _ in table]
            assert np.array_equal(found.vectors, numbers(table))


def test_a_binary_member_of_an_archive_is_read(tmp_path):
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as archive:
        archive.writestr("one.bin", as_bin(TABLE))
        archive.writestr("two.txt", as_text(TABLE))
    for member in ("one.bin", "two.txt"):
        found = read_embeddings(tmp_path / "a.zip", member=member)
        assert found.words.tolist() == [word for word, _ in TABLE]
        assert found.vectors.tobytes() == numbers(TABLE).tobytes()


@pytest.mark.parametrize("name", [*OTHERS, "bin.gz"])
def test_a_file_that_is_cut_off_anywhere_is_refused_by_name(write, name):
    content = gzip.compress(as_bin(TABLE)) if name == "bin.gz" else AS[name](TABLE)
    assert refused_or_read(write(content, name))
    for length in range(len(content)):
        assert refused(write(content[:length], name)), length


@pytest.mark.parametrize("name", [*OTHERS, "compressed.npz"])
def test_a_byte_that_is_wrong_anywhere_is_harmless_or_refused_by_name(write, name):
    content = as_npz(TABLE, np.savez_compressed) if name == "compressed.npz" else AS[name](TABLE)
    step = 7 if name in ("parquet", "arrow") else 1  # which open slowly
    for place, bit in itertools.product(range(0, len(content), step), (1, 32, 128, 255)):
        spoilt = bytearray(content)
        spoilt[place] ^= bit
        assert refused_or_read(write(bytes(spoilt), name)), (place, bit)


@pytest.mark.parametrize(
    "header",
    [
        b"",
        b"\n",
        b"3\n",
        b"3 2 1\n",
        b"the 2\n",
        b"-3 2\n",
        b"3.0 2\n",
        b"\xb3 2\n",
        b"9" * 100,
        b"the 1 2\nof 3 4\n",
        bytes(1000),
    ],
)
def test_a_first_line_that_is_no_pair_of_numbers_is_refused(write, header):
    path = write(header, "bin")
    with pytest.raises(FormatError, match=rf"{re.escape(str(path))}.*first line"):
        read_embeddings(path)


@pytest.mark.parametrize("header", ["999999999999 300", f"{10**25} 3", f"3 {10**25}", "3 999999999", "3 0"])
def test_a_first_line_with_numbers_that_cannot_be_is_refused(write, header):
    path = write(header.encode() + b"\n" + as_bin(TABLE).split(b"\n", 1)[1], "bin")
    assert refused(path)


def test_a_first_line_that_announces_too_few_words_is_refused_as_for_text(write):
    rows = as_bin(TABLE).split(b"\n", 1)[1]
    assert refused(write(b"2 2\n" + as_text(TABLE), "txt"))
    assert refused(write(b"4 2\n" + rows, "bin"))
    assert refused(write(b"2 2\n" + rows, "bin"))


@pytest.mark.parametrize("name", ["txt", *OTHERS])
def test_numbers_that_are_not_finite_are_refused_by_name(write, name):
    for bad in (("nan", [0.0, float("nan")]), ("inf", [float("-inf"), 0.0])):
        assert refused(write(AS[name]([*TABLE, bad]), name))


def arrays(**named):
    file = io.BytesIO()
    np.savez(file, **named)
    return file.getvalue()


WORDS, VECTORS = np.array(["a", "b"]), np.eye(2, dtype=np.float32)


@pytest.mark.parametrize(
    "content",
    [
        pytest.param(b"", id="empty"),
        pytest.param(b"garbage" * 100, id="garbage"),
        pytest.param(b"PK\x05\x06" + bytes(18), id="empty zip"),
        pytest.param(as_text(TABLE), id="text"),
        pytest.param(pickle.dumps({"words": ["a"], "vectors": [[1.0]]}), id="pickle"),
        pytest.param(arrays(), id="no arrays"),
        pytest.param(arrays(words=WORDS), id="no vectors"),
        pytest.param(arrays(vectors=VECTORS), id="no words"),
        pytest.param(arrays(Words=WORDS, Vectors=VECTORS), id="other names"),
        pytest.param(arrays(words=WORDS, vectors=VECTORS[:1]), id="one vector"),
        pytest.param(arrays(words=WORDS, vectors=VECTORS[0]), id="1-d vectors"),
        pytest.param(arrays(words=WORDS, vectors=VECTORS[None]), id="3-d vectors"),
        pytest.param(arrays(words=WORDS, vectors=np.float32(1)), id="0-d vectors"),
        pytest.param(arrays(words=WORDS[:, None], vectors=VECTORS), id="2-d words"),
        pytest.param(arrays(words=np.array("ab"), vectors=VECTORS), id="0-d words"),
        pytest.param(arrays(words=np.array([200, 300]), vectors=VECTORS), id="whole words"),
        pytest.param(arrays(words=np.array([1.5, 2.5]), vectors=VECTORS), id="real words"),
        pytest.param(arrays(words=WORDS, vectors=np.array([["x"], ["y"]])), id="text vectors"),
        pytest.param(arrays(words=WORDS, vectors=np.eye(2) + 1j), id="complex vectors"),
        pytest.param(arrays(words=WORDS, vectors=1e300 * np.eye(2)), id="too large"),
        pytest.param(arrays(words=WORDS, vectors=VECTORS[:, :0]), id="0 dimensions"),
        pytest.param(arrays(words=WORDS.astype(object), vectors=VECTORS), id="object words"),
        pytest.param(arrays(words=WORDS, vectors=VECTORS.astype(object)), id="object vectors"),
    ],
)
def test_an_npz_file_without_words_and_vectors_is_refused_by_name(write, content):
    assert refused(write(content, "npz"))


def test_a_table_without_words_is_refused_by_name(write):
    for content, name in [(arrays(words=WORDS[:0], vectors=VECTORS[:0]), "npz"), (b"0 2\n", "bin"), (b"0 0\n", "bin")]:
        path = write(content, name)
        with pytest.raises(InputError, match=re.escape(str(path))):
            read_embeddings(path)


def test_a_single_array_is_no_npz_file(write):
    file = io.BytesIO()
    np.save(file, VECTORS)
    assert refused(write(file.getvalue(), "npz"))


class Bomb:
    """When it is unpickled, a file appears."""

    def __init__(self, path):
        self.path = path

    def __reduce__(self):
        return open, (str(self.path), "w")


@pytest.mark.parametrize("name", ["npz", "bin", "safetensors", "txt", "parquet", "arrow", "feather"])
def test_nothing_is_unpickled(tmp_path, name):
    bomb = Bomb(tmp_path / "exploded")
    for number, content in enumerate(
        [
            pickle.dumps(bomb),
            arrays(words=np.array([bomb, bomb]), vectors=VECTORS),
            arrays(words=WORDS, vectors=np.array([[bomb]])),
        ]
    ):
        path = tmp_path / f"{number}.{name}"
        path.write_bytes(content)
        with pytest.raises(InputError, match=re.escape(str(path))):
            read_embeddings(path)
    assert not bomb.path.exists()


def test_words_of_an_npz_file_may_be_the_bytes_of_lines_but_no_strings_of_bytes(write):
    lines = np.frombuffer("the\né".encode(), dtype=np.uint8)
    assert read_embeddings(write(arrays(words=lines, vectors=VECTORS), "npz")).words.tolist() == ["the", "é"]
    for words in (np.array([b"the", b"of"]), lines.view(np.int8), lines[None], lines[:3]):
        assert refused(write(arrays(words=words, vectors=VECTORS), "npz"))


@pytest.mark.parametrize("kind", [np.float16, np.float64, ">f4", np.int32])
def test_vectors_of_an_npz_file_may_be_of_any_kind_of_number(write, kind):
    found = read_embeddings(write(arrays(words=WORDS, vectors=VECTORS.astype(kind)), "npz"))
    assert found.vectors.dtype == np.float32
    assert found.vectors.tobytes() == VECTORS.tobytes()


def test_other_arrays_and_other_layouts_do_not_matter(write):
    vectors = np.asfortranarray(np.arange(6, dtype=np.float32).reshape(2, 3))
    found = read_embeddings(write(arrays(words=WORDS, vectors=vectors, more=np.ones(3)), "npz"))
    assert found.vectors.tolist() == vectors.tolist()


@pytest.mark.parametrize(
    "content",
    [
        pytest.param(b"", id="empty"),
        pytest.param(b"garbage" * 100, id="garbage"),
        pytest.param(bytes(100), id="zeros"),
        pytest.param(b"\xff" * 100, id="ones"),
        pytest.param(as_text(TABLE), id="text"),
        pytest.param(as_npz(TABLE), id="npz"),
        pytest.param(struct.pack("<Q", 2) + b"{}", id="nothing"),
        pytest.param(struct.pack("<Q", 4) + b"null", id="null"),
        pytest.param(save({"vectors": VECTORS}), id="no metadata"),
        pytest.param(save({"vectors": VECTORS}, {"format": "np"}), id="no words"),
        pytest.param(save({"embedding": VECTORS}, {"words": "a\nb"}), id="no vectors"),
        pytest.param(save({"vectors": VECTORS}, {"words": "a"}), id="too few words"),
        pytest.param(save({"vectors": VECTORS}, {"words": "a\nb\nc"}), id="too many words"),
        pytest.param(save({"vectors": VECTORS}, {"words": "a\na\nb"}), id="repeated word"),
        pytest.param(save({"vectors": VECTORS}, {"words": ""}), id="empty words"),
        pytest.param(save({"vectors": VECTORS[0]}, {"words": "a\nb"}), id="1-d"),
        pytest.param(save({"vectors": np.array(1, np.float32)}, {"words": "a\nb"}), id="0-d"),
        pytest.param(save({"vectors": VECTORS[:, :0]}, {"words": "a\nb"}), id="0 dimensions"),
    ],
)
def test_what_is_no_safetensors_file_with_words_and_vectors_is_refused_by_name(write, content):
    assert refused(write(content, "safetensors"))


@pytest.mark.parametrize("kind", [np.float16, np.float64, np.int32])
def test_vectors_of_a_safetensors_file_may_be_of_any_kind_of_number(write, kind):
    found = read_embeddings(write(save({"vectors": VECTORS.astype(kind)}, {"words": "a\nb"}), "safetensors"))
    assert found.vectors.tobytes() == VECTORS.tobytes()
