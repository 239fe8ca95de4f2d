"""Reading in blocks, unzipped ahead on a thread: the result is that of the whole text, wherever blocks end."""

import tracemalloc
import zipfile

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nadp import FormatError, InputError, read_embeddings
from nadp.files import glove
from nadp.files.streams import ahead
from tests.nadp.files import naive

DIMENSION = 3
ends = st.sampled_from(["\n", "\r\n", " \n", " \r\n"])
words = st.sampled_from(
    ["the", "of", "new york", "\u4e16\u754c", "\U0001f600", "a\x85b", "a\rb", "1", "w0", "w1", "w2"]
)
fields = st.sampled_from(["0", "-1", "0.25", "-0.41242", "3e-5", "1.23456789012345678901", "12345678"])
good = st.builds(lambda word, numbers, end: f"{word} {' '.join(numbers)}{end}", words, st.tuples(*[fields] * 3), ends)
broken = st.sampled_from(
    [
        b"the 1 2\n",
        b"x\n",
        b"x 1 2 nan\n",
        b"x 1 y 3\n",
        b" 1 2 3\n",
        b"   1 2 3\n",
        b"\xff 1 2 3\n",
        b"na\xefve 1 2 3\n",
    ]
)
choices = st.none() | st.lists(words | st.just("nowhere"), max_size=4)


@st.composite
def tables(draw):
    """Lines of which any first ones are mostly a plain word and three numbers; some tables hold damage."""
    others = draw(st.lists(st.one_of(good, good, good, ends), max_size=12))
    others = [line.encode() for line in others]
    for _ in range(draw(st.sampled_from([0, 0, 1, 2, 3]))):
        others.insert(draw(st.integers(0, len(others))), draw(broken))
    plain = [f"w{i} 1 2 3\n".encode() for i in range(len(others) + 1)]
    text = b"".join(plain + others)
    return text if draw(st.booleans()) else text.rstrip(b"\r\n ")


def found(path, **options):
    try:
        embeddings = read_embeddings(path, **options)
    except FormatError as error:
        return str(error)
    except InputError:
        return "nothing"
    return embeddings.words.tolist(), embeddings.vectors.tobytes(), embeddings.counts


def expected(text, **options):
    try:
        kept, vectors, counts = naive.read(text, DIMENSION, **options)
    except naive.RefusedError as error:
        return error
    return (kept, vectors, counts) if kept else "nothing"


@pytest.fixture(scope="module", params=["plain", "zip"])
def write(request, tmp_path_factory):
    path = tmp_path_factory.mktemp("blocks") / "table"

    def write(text):
        if request.param == "plain":
            path.write_bytes(text)
        else:
            with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
                archive.writestr("t.txt", text)
        return path

    return write


@settings(max_examples=300)
@given(tables(), st.integers(1, 60) | st.integers(60, 400), choices, st.none() | st.integers(0, 30))
def test_words_vectors_counts_and_refusals_are_those_of_a_naive_reader(write, text, size, chosen, limit):
    path = write(text)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(glove, "BLOCK", size)
        result, right = found(path, words=chosen, limit=limit), expected(text, words=chosen, limit=limit)
    if isinstance(right, naive.RefusedError):
        reason, line = right.args
        assert f", line {line}: " in result
        assert reason in result
    else:
        assert result == right


@pytest.mark.parametrize("size", [16, 17, 30, 1000])
def test_a_header_and_a_byte_order_mark_are_left_out_whatever_the_block(write, size, monkeypatch):
    monkeypatch.setattr(glove, "BLOCK", size)
    embeddings = read_embeddings(write("\ufeff3 3\na 1 2 3\n\nb 1 2 3\r\nc 1 2 3".encode()))
    assert embeddings.words.tolist() == ["a", "b", "c"]
    assert embeddings.counts == {"lines": 5, "blank lines": 1, "words not found": 0}


def test_lines_that_are_not_wanted_are_not_parsed(write):
    path = write(b"the 1 2 3\nof 1 2 no-number\nto 4 5 6\n")
    assert read_embeddings(path, words=["the", "to"]).vectors.tolist() == [[1, 2, 3], [4, 5, 6]]
    with pytest.raises(FormatError, match="line 2: field 3"):
        read_embeddings(path)


def test_memory_holds_some_blocks_and_the_kept_words_only(write, monkeypatch):
    monkeypatch.setattr(glove, "BLOCK", 1 << 14)
    path = write(b"".join(b"word%d %s\n" % (i, b" ".join([b"0.12345"] * 100)) for i in range(5000)))  # 4 MB
    wanted = [f"word{i}" for i in range(0, 5000, 500)]
    read_embeddings(path, words=wanted)
    tracemalloc.start()
    assert len(read_embeddings(path, words=wanted)) == len(wanted)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 1 << 19


def test_items_are_made_one_ahead_and_no_more():
    made = []

    def items():
        for i in range(5):
            made.append(i)
            yield bytes([i])

    seen = []
    for item in ahead(items()):
        seen.append(item[0])
        assert len(made) <= len(seen) + 1
    assert seen == made == [0, 1, 2, 3, 4]


def test_an_error_shows_after_the_items_before_it():
    def items():
        yield b"one"
        raise FormatError("damaged")

    coming = ahead(items())
    assert next(coming) == b"one"
    with pytest.raises(FormatError, match="damaged"):
        next(coming)


def test_nothing_is_made_any_more_when_it_is_closed():
    made = []

    def items():
        while True:
            made.append(0)
            yield b"item"

    coming = ahead(items())
    next(coming)
    coming.close()
    before = len(made)
    assert before <= 2
    assert list(coming) == []
    assert len(made) == before
