import gzip
import io
import zipfile
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nadp import FormatError, InputError, read_embeddings
from nadp.files.glove import _blocks, _Reader
from nadp.files.streams import OpenTable
from nadp.files.words import Kept

AWKWARD = ["new york", "a\x85b", "\xa0", "a\u2028b", "nan", "null", "NA", "inf", '"', '""', "'", "#", "1", "-2.5"]
AWKWARD += ["\\N", "", ". . .", " lead", "trail ", "\ufeff", "e5", "\u3000", "\U0001f600"]


@pytest.fixture(scope="module")
def write(tmp_path_factory):
    path = tmp_path_factory.mktemp("glove") / "table.txt"

    def write(content):
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return write


def lines(words, numbers="0.5 -1 2e-3", end="\n"):
    return "".join(f"{word} {numbers}{end}" for word in words)


plain_words = [f"plain{i}" for i in range(60)]
any_word = st.text(st.characters(exclude_characters="\t\n\r\0", exclude_categories=["Cs"]), min_size=1, max_size=8)


@given(st.lists(st.sampled_from([w for w in AWKWARD if w]) | any_word, unique=True, max_size=20))
def test_every_word_comes_back_as_it_was(write, words):
    words = [word for word in words if word.strip(" ")]
    found = read_embeddings(write(lines(["first", *words, *plain_words])))
    assert found.words.tolist() == ["first", *words, *plain_words]
    assert found.vectors.tolist() == [[np.float32(0.5), -1, np.float32(2e-3)]] * len(found)


def near_a_tie(value, digits, offset):
    """The middle between two neighbouring single-precision numbers in some digits, and a few last digits beside it."""
    low = np.float32(value)
    middle = (Fraction(float(low)) + Fraction(float(np.nextafter(low, np.float32(np.inf))))) / 2
    places = max(0, digits - len(str(abs(int(middle)))))
    scaled = str(abs(round(middle * 10**places) + offset)).zfill(places + 1)
    return ("-" if middle < 0 else "") + scaled[: len(scaled) - places] + "." + scaled[len(scaled) - places :]


decimals = st.from_regex(r"[+-]?([0-9]{1,25}(\.[0-9]{0,25})?|\.[0-9]{1,25})([eE][+-]?[0-9]{1,2})?", fullmatch=True)
written = st.builds(
    lambda value, digits, form: f"{value:.{digits}{form}}",
    st.floats(-1e38, 1e38) | st.floats(-100, 100),
    st.integers(1, 22),
    st.sampled_from("efg"),
)
long = st.builds(lambda whole, rest: f"{whole}.{rest}", st.integers(0, 99), st.integers(10**15, 10**21))
ties = st.builds(near_a_tie, st.floats(-1e6, 1e6, width=32), st.integers(15, 40), st.integers(-3, 3))


@settings(max_examples=300)
@given(
    st.lists((decimals | written | long | ties).filter(lambda text: abs(float(text)) < 3e38), min_size=1, max_size=40)
)
def test_every_number_is_what_python_reads_rounded_to_single_precision(write, texts):
    found = read_embeddings(write("".join(f"w{i} {text}\n" for i, text in enumerate(texts))))
    expected = np.array([float(text) for text in texts], dtype=np.float32)
    assert found.vectors[:, 0].tobytes() == expected.tobytes()


@pytest.mark.parametrize(
    "number",
    [
        "nan",
        "inf",
        "-Infinity",
        "1e39",
        "-3.5e38",
        "1e400",
        "",
        "x",
        "1_0",
        "0x10",
        "1e",
        "1,5",
        "--1",
        "1.2.3",
        "\u0661",
        ".",
    ],
)
@pytest.mark.parametrize("column", [1, 3])
def test_a_number_that_is_none_is_refused_with_its_place(write, number, column):
    fields = ["1", "2", "3"]
    fields[column - 1] = number
    bad = lines(["of"], " ".join(fields))
    with pytest.raises(FormatError) as caught:
        read_embeddings(path := write(lines(["the"]) + bad + lines(["to"])))
    if number or column == 1:  # an empty last field is a trailing space, so a field too few
        assert f"{path}, line 2: field {column} after the word, {number.encode()!r}" in str(caught.value)
    assert f"{path}, line 2" in str(caught.value)


def test_the_largest_number_of_single_precision_is_read_however_it_is_written(write):
    largest = np.finfo(np.float32).max
    texts = [repr(float(largest)), f"-{largest}", "3.4028235e38"]
    found = read_embeddings(write(lines(["the"], " ".join(texts))))
    assert found.vectors.tolist() == [[largest, -largest, largest]]


def packed(path, content, kind):
    if kind == "zip":
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as file:
            file.writestr("t.txt", content)
    else:
        path.write_bytes(gzip.compress(content) if kind == "gz" else content)
    return path


@pytest.mark.parametrize("kind", ["plain", "gz", "zip"])
@pytest.mark.parametrize(
    ("before", "end", "after"),
    [
        ("", "\n", ""),
        ("\ufeff", "\n", ""),
        ("", "\r\n", ""),
        ("", " \n", ""),
        ("", " \r\n", "\n\r\n"),
        ("3 2\n", "\n", ""),
    ],
    ids=["plain", "byte order mark", "CRLF", "trailing space", "trailing space and CRLF", "word2vec header"],
)
def test_all_dialects_give_the_same_embedding(tmp_path, kind, before, end, after):
    content = (before + lines(["the", "of", "new york"], "0.5 -1", end) + after).encode()
    for whole in (content, content.rstrip()):
        found = read_embeddings(packed(tmp_path / "table", whole, kind))
        assert found.words.tolist() == ["the", "of", "new york"]
        assert found.vectors.tolist() == [[0.5, -1]] * 3


def test_a_header_before_a_single_word_is_a_header(write):
    found = read_embeddings(write("1 5\nthe 1 2 3 4 5\n"))
    assert (found.words.tolist(), found.vectors.tolist()) == (["the"], [[1, 2, 3, 4, 5]])


@pytest.mark.parametrize("announced", [2, 4])
def test_a_header_that_announces_another_number_of_words_is_refused(write, announced):
    content = f"{announced} 3\n" + lines(["the", "of", "to"])
    with pytest.raises(FormatError, match=rf"announces {announced} words.*holds 3"):
        read_embeddings(write(content))
    assert len(read_embeddings(write(content), limit=2)) == 2


def test_what_was_seen_and_left_out_is_counted(write):
    content = lines(["a", "b", "a", "c", "b"], "1") + "\n" + lines(["d", "e"], "2")
    found = read_embeddings(write(content))
    assert found.words.tolist() == ["a", "b", "c", "d", "e"]
    assert found.counts == {"lines": 8, "repeated words": 2, "blank lines": 1, "words not found": 0}
    some = read_embeddings(write(content), words=["e", "c", "z", "a"])
    assert some.words.tolist() == ["a", "c", "e"]
    assert some.counts == {
        "lines": 8,
        "repeated words": 1,
        "blank lines": 1,
        "words not wanted": 3,
        "words not found": 1,
    }


def test_a_repeated_word_keeps_its_first_vector(write):
    assert read_embeddings(write("a 1\nb 2\na 3\n")).vectors.tolist() == [[1], [2]]


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({"limit": 2}, "ab"),
        ({"limit": 99}, "abcde"),
        ({"words": ["d", "a"]}, "ad"),
        ({"words": ["e", "b"], "limit": 2}, "abe"),
        ({"words": [], "limit": 1}, "a"),
        ({"words": ["e"], "limit": 0}, "e"),
    ],
)
def test_limit_and_words_are_kept_together_in_the_order_of_the_file(write, options, expected):
    assert "".join(read_embeddings(write(lines("abcde")), **options).words.tolist()) == expected


@pytest.mark.parametrize("options", [{"words": ["z"]}, {"words": []}, {"limit": 0}])
def test_nothing_kept_is_refused(write, options):
    with pytest.raises(InputError, match=r"table\.txt holds none of the requested words"):
        read_embeddings(write(lines("abc")), **options)


def test_a_negative_limit_is_refused(write):
    with pytest.raises(InputError, match="limit must be 0 or more, not -1"):
        read_embeddings(write(lines("abc")), limit=-1)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "is empty"),
        (b"\xef\xbb\xbf", "is empty"),
        (b"\n \r\n", "blank lines"),
        (lines(["the", "of"]).encode() + b"to 0.5 -1", "line 3: 3 fields where a word and 3 numbers were expected"),
        (lines(["the", "of"]).encode() + b"<<<<<<< HEAD\n" + lines(["to"]).encode(), "line 3: 2 fields"),
        (lines(["the", "of"]).encode() + b"=======\n" + lines(["to"]).encode(), "line 3: 1 fields"),
        (b"the\nof\nto\n", "not an embedding"),
        (bytes(range(256)) * 40, ""),
        (b"2 3\nthe " + np.ones(3, np.float32).tobytes() + b"of " + np.ones(3, np.float32).tobytes(), ""),
        (b"\x89PNG\r\n\x1a\n" + bytes(1000), ""),
    ],
)
def test_what_is_no_table_of_vectors_is_refused_with_file_and_reason(write, content, message):
    with pytest.raises(FormatError, match=rf"table\.txt.*{message}"):
        read_embeddings(write(content))


def test_damage_behind_the_last_word_that_is_wanted_does_not_matter(write):
    assert len(read_embeddings(write(lines(["the", "of"]) + "damage"), limit=2)) == 2


class Dribble(io.BytesIO):
    """A stream that never gives more than some bytes at once, so that blocks end anywhere."""

    def __init__(self, content, most):
        super().__init__(content)
        self.most = most

    def read(self, size=-1):
        return super().read(min(size, self.most))


def test_the_result_does_not_depend_on_where_blocks_end():
    content = (lines(["the", "new york", "the", "\u2028"]) + "\n" + lines(["last"])).rstrip().encode()
    results = set()
    for most in range(1, len(content) + 2):
        reader = _Reader("name", Kept())
        stream, positions = Dribble(content, most), []
        for block, position in _blocks(OpenTable(stream, "name", "name", len(content), stream.tell)):
            assert block.endswith(b"\n")
            reader.read(block)
            positions.append(position)
        assert positions == sorted(positions)
        assert positions[-1] == len(content)
        found = reader.embeddings()
        results.add((tuple(found.words.tolist()), found.vectors.tobytes(), tuple(sorted(found.counts.items()))))
    assert len(results) == 1
    assert len(results.pop()[0]) == 4


def test_a_file_of_several_blocks_is_read_whole_and_its_lines_are_counted_on(write):
    rows, dimension = 4000, 512  # some 10 MB, blocks have 2 MB
    values = np.random.default_rng(0).integers(1000, 10000, size=(rows, dimension))
    content = "".join(f"word{i} {' '.join(map(str, row))}\n" for i, row in enumerate(values.tolist()))
    assert len(content) > 10_000_000
    found = read_embeddings(write(content))
    assert found.words.tolist() == [f"word{i}" for i in range(rows)]
    assert np.array_equal(found.vectors, values)
    with pytest.raises(FormatError, match=f"line {rows + 1}: 2 fields"):
        read_embeddings(write(content + "word 1\n"))


def test_a_line_without_end_is_refused(write):
    with pytest.raises(FormatError, match=r"table\.txt.*a line has over 16777216 bytes"):
        read_embeddings(write(b"x" * ((1 << 24) + 1)))
