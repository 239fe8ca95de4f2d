import numpy as np
import pytest

from nadp import FormatError, InputError, frequent_and_needed
from nadp.vocabulary import WordCounts, frequencies_of, read_frequencies


@pytest.fixture
def file(tmp_path):
    def write(name, content):
        (tmp_path / name).write_bytes(content if isinstance(content, bytes) else content.encode())
        return tmp_path / name

    return write


@pytest.fixture
def table(file):
    return file(
        "table.txt", "".join(f"{word} {i}\n" for i, word in enumerate(["the", "of", "Paris", "cat", "dog", "cat"]))
    )


def test_frequent_and_needed_words_are_kept_in_the_order_of_the_file_and_counted(table):
    needed = {"one": {"dog", "the", "unicorn"}, "two": {"cat", "Of", "of"}}
    found = frequent_and_needed(table, size=2, needed=needed)
    assert found.embeddings.words.tolist() == ["the", "of", "cat", "dog"]
    assert found.embeddings.vectors[:, 0].tolist() == [0, 1, 3, 4]
    assert found.counts == WordCounts(
        frequent=2,
        needed=4,
        added=2,
        unknown=1,
        needed_by={"one": 2, "two": 2},
        of_the_file={"lines": 6, "words not wanted": 1, "repeated words": 1, "words not found": 2},
    )


def test_a_frequency_list_decides_what_is_frequent_but_not_the_order(file, table):
    frequencies = file("counts", "zebra 9\ndog 7\nof 5\nthe 3\n")
    found = frequent_and_needed(table, size=2, needed={"one": {"cat"}}, frequencies=frequencies)
    assert found.embeddings.words.tolist() == ["of", "cat", "dog"]
    counts = found.counts
    assert (counts.frequent, counts.needed, counts.added, counts.unknown) == (2, 1, 1, 0)


def test_without_benchmarks_only_frequent_words_are_kept(table):
    assert frequent_and_needed(table, size=3, needed={}).embeddings.words.tolist() == ["the", "of", "Paris"]


@pytest.mark.parametrize("listed", [False, True])
@pytest.mark.parametrize(("size", "needed"), [(-1, {"one": {"the"}}), (0, {}), (0, {"one": {"unicorn"}})])
def test_a_negative_size_and_an_empty_vocabulary_are_refused(file, table, listed, size, needed):
    frequencies = file("counts", "the 3\nof 2\n") if listed else None
    with pytest.raises(InputError):
        frequent_and_needed(table, size=size, needed=needed, frequencies=frequencies)


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ("the\nof\n\nthe\n", ["the", "of"]),
        ("b 1\na 3\nc 3\nb 9\n", ["a", "c", "b"]),
        ("b\t1\r\na\t2e3\r\n", ["a", "b"]),
        ("new york 3\nthe 4\n", ["the", "new york"]),
        ("\u2028 1\n\x85 2", ["\x85", "\u2028"]),
        ("\ufeffthe 3\nof 2\n", ["the", "of"]),
    ],
)
def test_frequencies_are_words_the_most_frequent_first(file, content, expected):
    assert read_frequencies(file("counts", content)) == expected


@pytest.mark.parametrize(
    ("content", "line"), [("the 3\nof many\n", 2), (b"\xff 3\n", 1), ("the 3\n\nnew york\n", 3), ("the nan\nof 2\n", 1)]
)
def test_a_line_that_is_no_word_and_count_is_refused_with_its_number(file, content, line):
    with pytest.raises(FormatError, match=f"counts, line {line}: "):
        read_frequencies(file("counts", content))


def test_a_missing_or_empty_frequency_list_is_refused_by_name(tmp_path, file):
    with pytest.raises(InputError, match=r"no such file.*missing"):
        read_frequencies(tmp_path / "missing")
    with pytest.raises(InputError, match="empty holds no words"):
        read_frequencies(file("empty", "\n"))


WORDS = np.array(["the", "of", "police", "zebra"])


def written(tmp_path, text):
    (tmp_path / "list.txt").write_text(text)
    return tmp_path / "list.txt"


@pytest.mark.parametrize(
    ("text", "weights"),
    [
        ("of 30\nthe 50\npolice 2\nother 1\n", [50, 30, 2, 1]),
        ("the\nother\nof\n", [1, 1 / 3, 1 / 3, 1 / 3]),
        ("the 4\nof 0\n", [4, 4, 4, 4]),
    ],
)
def test_words_count_as_the_list_says_and_others_as_the_rarest_that_is_listed(tmp_path, text, weights):
    assert frequencies_of(written(tmp_path, text), WORDS).tolist() == pytest.approx(weights)


@pytest.mark.parametrize(
    ("text", "error", "message"),
    [
        ("the 5\nof -1\n", InputError, "a count below 0"),
        ("and\nother\n", InputError, "none of the words of the embedding"),
        ("the many\n", FormatError, "line 1"),
        ("", InputError, "holds no words"),
    ],
)
def test_what_is_no_list_of_frequencies_is_refused(tmp_path, text, error, message):
    with pytest.raises(error, match=message):
        frequencies_of(written(tmp_path, text), WORDS)


@pytest.mark.parametrize(("listed", "known"), [("cafe\u0301", "caf\u00e9"), ("caf\u00e9", "cafe\u0301")])
def test_a_list_may_spell_words_in_another_unicode_form(tmp_path, listed, known):
    found = frequencies_of(written(tmp_path, f"{listed} 9\nthe 3\n"), np.array([known, "the"]))
    assert found.tolist() == [9, 3]
