"""What is a word and what is not: one rule for all formats, whatever wrote the file."""

import io
import itertools
import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from safetensors.numpy import save

from nadp import Embeddings, FormatError, InputError, read_embeddings
from nadp.files.words import flaw, flaws
from nadp.files.writing import write_embeddings
from tests.nadp.files import naive


def text(words, vectors, separator=" "):
    rows = vectors.tolist()
    return b"".join(
        w + b" " + separator.join(map(repr, row)).encode() + b"\n" for w, row in zip(words, rows, strict=True)
    )


def word2vec(words, vectors):
    return b"%d %d\n" % vectors.shape + text(words, vectors)


def binary(words, vectors, end=b""):
    rows = [w + b" " + row.astype("<f4").tobytes() + end for w, row in zip(words, vectors, strict=True)]
    return b"%d %d\n" % vectors.shape + b"".join(rows)


def npz(words, vectors):
    file = io.BytesIO()
    np.savez(file, words=np.frombuffer(b"\n".join(words), dtype=np.uint8), vectors=vectors)
    return file.getvalue()


def safetensors(words, vectors):
    return save({"vectors": vectors}, {"words": b"\n".join(words).decode()})


FORMATS = {"t.txt": text, "t.vec": word2vec, "t.bin": binary, "t.npz": npz, "t.safetensors": safetensors}
LINES = {"t.vec": 1}  # before the first word
WORDS = [f"w{i}".encode() for i in range(300)]
VECTORS = np.random.default_rng(0).normal(size=(300, 50)).astype(np.float32)
UNUSABLE = {
    "a space": b" ",
    "spaces": b"   ",
    "nothing": b"",
    "cut inside a character": "café".encode()[:-1],
    "a tab": b"a\tb",
    "a carriage return": b"a\rb",
    "a zero byte": b"a\0b",
}


def can_hold(name, word):
    """Whether a format can hold such a word at all."""
    if name == "t.bin":
        return b" " not in word.strip(b" ") and len(word) < 3
    return name != "t.safetensors" or naive.usable(word) or word != UNUSABLE["cut inside a character"]


CASES = [(name, why) for name, (why, word) in itertools.product(FORMATS, UNUSABLE.items()) if can_hold(name, word)]
CASES += [("t.bin", why) for why in ("cut inside a character", "a tab", "a carriage return", "a zero byte")]


def written(folder, name, words, vectors=VECTORS, **more):
    path = folder / name
    path.write_bytes(FORMATS[name](words, vectors, **more))
    return path


def same(found, words, vectors):
    return found.words.tolist() == [word.decode() for word in words] and np.array_equal(found.vectors, vectors)


@pytest.mark.parametrize(("name", "why"), CASES)
@pytest.mark.parametrize("place", [0, 17, 299])
def test_an_unusable_word_is_left_out_and_counted_or_refused_with_its_place(tmp_path, name, why, place):
    words = [*WORDS[:place], UNUSABLE[why], *WORDS[place + 1 :]]
    path = written(tmp_path, name, words)
    found = read_embeddings(path)
    others = [row for row in range(300) if row != place]
    assert same(found, [WORDS[row] for row in others], VECTORS[others])
    assert found.counts["unusable words"] == 1
    assert "unusable words" not in read_embeddings(path, limit=17).counts or place < 17
    number = place + 1 + LINES.get(name, 0)
    with pytest.raises(FormatError, match=rf"{re.escape(str(path))}.*\b{number}\b"):
        read_embeddings(path, strict=True)


@pytest.mark.parametrize("name", FORMATS)
def test_a_repeated_word_is_left_out_and_counted_or_refused_with_its_place(tmp_path, name):
    path = written(tmp_path, name, [*WORDS[:200], WORDS[3], *WORDS[201:]])
    found = read_embeddings(path)
    assert found.counts["repeated words"] == 1
    assert np.array_equal(found.vectors[3], VECTORS[3])
    with pytest.raises(FormatError, match=rf"\b{201 + LINES.get(name, 0)}\b.*w3"):
        read_embeddings(path, strict=True)
    assert len(read_embeddings(path, limit=200, strict=True)) == 200


@pytest.mark.parametrize("name", FORMATS)
def test_a_sound_file_is_read_alike_with_and_without_strict(tmp_path, name):
    path = written(tmp_path, name, WORDS)
    assert same(read_embeddings(path, strict=True), WORDS, VECTORS)
    assert read_embeddings(path).counts == read_embeddings(path, strict=True).counts


@pytest.mark.parametrize("name", ["t.txt", "t.vec", "t.bin", "t.npz"])
@pytest.mark.parametrize(("bad", "read"), [(10, True), (11, False)])
def test_a_file_of_which_many_words_are_unusable_is_refused(tmp_path, name, bad, read):
    path = written(tmp_path, name, [*(b"caf\xe9%d" % i for i in range(bad)), *WORDS[bad:]])
    if read:
        assert read_embeddings(path).counts["unusable words"] == bad
    else:
        with pytest.raises(FormatError, match=rf"{re.escape(str(path))}: {bad} of 30"):
            read_embeddings(path)


def test_one_word_of_a_hundred_may_be_unusable(tmp_path):
    words = [b"\xff" if i % 100 == 0 else b"w%d" % i for i in range(2000)]
    path = written(tmp_path, "t.txt", words, np.ones((2000, 3)))
    assert read_embeddings(path).counts["unusable words"] == 20


fields = st.binary(max_size=4) | st.sampled_from([*UNUSABLE.values(), b"\n", b"a", "\u2028".encode()])


@given(st.lists(fields, max_size=6))
def test_the_quick_look_at_many_words_finds_what_a_look_at_each_does(words):
    assert flaws(words) == {row: flaw(word) for row, word in enumerate(words) if flaw(word)}
    assert [not flaw(word) for word in words] == [naive.usable(word) for word in words]


tabs_and_spaces = st.tuples(st.just("\t"), *[st.sampled_from("\t ")] * 2) | st.just("   ")
some_words = st.lists(st.sampled_from(["the", "naïve", "1", "x.5", "\xa0", "a-1"]), unique=True, min_size=1)


@given(some_words, st.data())
def test_numbers_are_separated_by_spaces_and_tabs_in_any_mixture(tmp_path_factory, words, data):
    path = tmp_path_factory.getbasetemp() / "mixture.txt"
    lines = [
        word + "".join(separator + number for separator, number in zip(data.draw(tabs_and_spaces), "123", strict=True))
        for word in words
    ]
    path.write_text("\n".join(lines) + "\n")
    assert same(read_embeddings(path), [word.encode() for word in words], [[1, 2, 3]] * len(words))


@pytest.mark.parametrize("header", ["", "300 50\n"])
@pytest.mark.parametrize("words", [WORDS, [b"new york %s" % word for word in WORDS]])
@pytest.mark.parametrize("separator", [" ", "\t"])
def test_a_tab_after_the_word_ends_it(tmp_path, header, words, separator):
    rows = [
        word.decode() + "\t" + separator.join(map(repr, row)) for word, row in zip(words, VECTORS.tolist(), strict=True)
    ]
    (tmp_path / "t.txt").write_text(header + "\n".join(rows) + "\n")
    found = read_embeddings(tmp_path / "t.txt", strict=True)
    assert same(found, words, VECTORS)


def test_lines_of_which_a_tab_may_end_the_word_or_a_number_are_refused(tmp_path):
    (tmp_path / "t.txt").write_text("the 1\t2 3\nof 4\t5 6\n")
    with pytest.raises(FormatError, match=r"t\.txt: .*tab"):
        read_embeddings(tmp_path / "t.txt")


@pytest.mark.parametrize("separator", [",", ":", ";", "|", "=", "/", "\xa0", "\u3000", "\u2009", ""])
@pytest.mark.parametrize("name", FORMATS)
def test_words_with_numbers_attached_are_refused(tmp_path, name, separator):
    glued = [word + b"x" + separator.encode() + b"%.4f" % row[0] for word, row in zip(WORDS, VECTORS, strict=True)]
    path = written(tmp_path, name, glued, VECTORS[:, 1:])
    with pytest.raises(FormatError, match=f"{re.escape(str(path))}: words end with a number") as caught:
        read_embeddings(path)
    assert f"{VECTORS[0, 0]:.4f}" not in str(caught.value)


@pytest.mark.parametrize("separator", [",", "|", "\u3000"])
def test_words_with_whole_numbers_attached_are_refused_in_tables_of_whole_numbers(tmp_path, separator):
    vectors = np.random.default_rng(1).integers(-128, 128, size=(300, 8)).astype(np.float32)
    glued = [word + separator.encode() + b"%d" % row[0] for word, row in zip(WORDS, vectors, strict=True)]
    with pytest.raises(FormatError, match="words end with a number"):
        read_embeddings(written(tmp_path, "t.txt", glued, vectors[:, 1:]))


@pytest.mark.parametrize(
    "form", ["dog.n.%02d", "ticket-%d", "bank_%d", "doc:%d", "%d", "0.%d", "-1.%d", "2301.%05d", "10.0.0.%d", "v%d"]
)
@pytest.mark.parametrize("name", FORMATS)
def test_words_that_are_or_hold_numbers_of_their_own_are_words(tmp_path, name, form):
    words = [(form % (i + 1)).encode() for i in range(300)]
    for vectors in (VECTORS, np.rint(100 * VECTORS)):
        assert same(read_embeddings(written(tmp_path, name, words, vectors)), words, vectors)


def test_an_embedding_of_words_with_numbers_attached_is_not_written(tmp_path):
    embeddings = Embeddings([f"w{i}\xa00.{i + 1}" for i in range(9)], np.ones((9, 2)))
    for name in FORMATS:
        with pytest.raises(InputError, match="words end with a number"):
            write_embeddings(tmp_path / name, embeddings)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("separator", ["\t", "\n", "\r", "\0"])
def test_no_embedding_has_a_word_that_would_be_two_fields_or_lines_of_a_file(separator):
    for word in (f"a{separator}b", separator, f"a{separator}"):
        with pytest.raises(InputError, match=re.escape(repr(word))):
            Embeddings(["the", word], np.eye(2))


@pytest.mark.parametrize("words", [["new york", "a"], ["new york", "san jose"], ["may 1", "may 2"], ["a b c", "1 2 3"]])
@pytest.mark.parametrize("header", ["2 3\n", "2\t3\n", "2 3 \r\n", "\ufeff2 3\n"])
def test_a_header_tells_where_the_numbers_begin_whatever_the_words(tmp_path, words, header):
    (tmp_path / "t.vec").write_text(header + f"{words[0]} 1 2 3\n{words[1]} 4 5 6\n")
    found = read_embeddings(tmp_path / "t.vec")
    assert (found.words.tolist(), found.vectors.tolist()) == (words, [[1, 2, 3], [4, 5, 6]])


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("2 4\nnew york 1 2\nparis 4 5\n", "line 2: 4 fields where a word and 4 numbers"),
        ("2 1\na 0.5 0.25 1.5\nb 0.25 1.5 2.5\n", "words end with a number"),
        ("2 1\na 1\nb 2\n", "the first line.*may be a header"),
        ("3 3\nnew york 1 2 3\nparis 4 5 6\n", "announces 3 words in its first line but holds 2"),
    ],
)
def test_a_header_that_does_not_fit_is_refused(tmp_path, content, message):
    (tmp_path / "t.vec").write_text(content)
    with pytest.raises(FormatError, match=message):
        read_embeddings(tmp_path / "t.vec")


def test_a_header_before_a_line_that_is_longer_than_a_block_is_a_header(tmp_path, monkeypatch):
    monkeypatch.setattr("nadp.files.glove.BLOCK", 8)
    (tmp_path / "t.vec").write_text("1 30\nnew york" + " 0.5" * 30 + "\n")
    found = read_embeddings(tmp_path / "t.vec")
    assert (found.words.tolist(), found.dimension) == (["new york"], 30)


@pytest.mark.parametrize("name", ["t.txt", "t.vec", "t.bin", "t.npz", "t.safetensors"])
def test_more_dimensions_than_any_embedding_has_are_refused(tmp_path, name):
    path = written(tmp_path, name, [b"a", b"b"], np.ones((2, (1 << 16) + 1), dtype=np.float32))
    with pytest.raises(FormatError, match=rf"{re.escape(str(path))}.*65537 numbers (?:per|to a) word.*65536"):
        read_embeddings(path)


@pytest.mark.parametrize("space", [b"", b" "])
@pytest.mark.parametrize("end", [b"", b"\n"])
def test_in_a_binary_file_a_space_as_a_word_is_distinguished_from_no_word_by_the_numbers(tmp_path, space, end):
    for count in (1, 2):
        words = [b"the", *[space] * count, b"of"]
        path = written(tmp_path, "t.bin", words, VECTORS[: len(words)], end=end)
        assert same(read_embeddings(path), [b"the", b"of"], VECTORS[[0, len(words) - 1]])


def test_where_the_numbers_do_not_tell_the_file_is_refused(tmp_path):
    path = tmp_path / "t.bin"
    path.write_bytes(b"1 2\n  " + b"\0\0\x3f\x3f" * 2)
    with pytest.raises(FormatError, match="word 1"):
        read_embeddings(path)


SMALL = [("the", "0.41", "0.24 0.3"), ("of", "-0.5", "0.1 0.2"), ("cat", "0.1", "0.2 -0.3")]


@pytest.mark.parametrize("separator", [",", ";", ":", "\u00a0", "\x0b", "=", "|"])
@pytest.mark.parametrize("power", ["", "e-01"])
def test_words_with_numbers_attached_are_refused_in_small_tables_whose_other_numbers_are_smaller(
    tmp_path, separator, power
):
    lines = (f"{word}{separator}{first}{power} {rest}\n" for word, first, rest in SMALL)
    (tmp_path / "t.txt").write_text("".join(lines))
    with pytest.raises(FormatError, match="words end with a number"):
        read_embeddings(tmp_path / "t.txt")


def test_a_number_in_a_word_that_is_far_larger_than_all_numbers_is_a_part_of_it(tmp_path):
    (tmp_path / "t.txt").write_text("$12.50 0.5 0.1\n$99.99 0.3 0.2\nthe 0.1 0.4\n")
    assert read_embeddings(tmp_path / "t.txt").words.tolist() == ["$12.50", "$99.99", "the"]


@pytest.mark.parametrize("content", ["0 3\n", "5 1\n", "3 300\n\n"])
def test_a_header_without_words_is_no_table_of_one_word(tmp_path, content):
    (tmp_path / "t.vec").write_text(content)
    with pytest.raises(FormatError, match=r"t\.vec.*header"):
        read_embeddings(tmp_path / "t.vec")
