import gzip
import re
import struct
import tracemalloc
import zipfile

import numpy as np
import pytest
from gensim.models import KeyedVectors
from hypothesis import given, settings
from hypothesis import strategies as st
from safetensors import safe_open

from nadp import Embeddings, InputError, read_embeddings
from nadp.files.formats import format_of
from nadp.files.writing import write_embeddings

TEXT = ["a.txt", "a.txt.gz", "a.txt.zip", "a.vec", "a.vec.zip", "a.w2v.zip"]
BINARY = ["a.bin", "a.bin.gz", "a.bin.zip"]
TABLES = ["a.npz", "a.safetensors", "a.parquet", "a.arrow", "a.feather"]
NAMES = [*TEXT, *BINARY, *TABLES]
SUFFIX = {"glove": ".txt", "word2vec": ".vec", "word2vec-binary": ".bin", "npz": ".npz", "safetensors": ".safetensors"}
SUFFIX |= {"parquet": ".parquet", "arrow": ".arrow"}

EDGES = [0.0, -0.0, 1e-45, -1e-45, 1.1754942e-38, 1.1754944e-38, 3.4028235e38, -3.4028235e38, 16777216.0, 0.1]
AWKWARD = ["e\u0301", "\u0301", "हिन्दी", "عربى", "中文", "\U0001f468\u200d\U0001f469", "\U0001f1eb\U0001f1ee"]
AWKWARD += ["\xa0", "a\xa0b", "\u2028", "a\u2029b", "\x85", "\u3000", "\ufeff", "\x1c", "\x7f"]
AWKWARD += ["nan", "inf", "1", "-2.5", "1e5", '"', "\\", "\ue000", "\U0010ffff", "\ufffd", "é", "e", "E"]

of_bits = st.integers(0, 2**32 - 1).map(lambda bits: struct.unpack("<f", struct.pack("<I", bits))[0])
number = st.sampled_from(EDGES) | of_bits.filter(np.isfinite) | st.floats(-1, 1, width=32)
letter = st.characters(exclude_categories=["Cs"], exclude_characters="\t\n\r\0")
any_word = st.sampled_from(AWKWARD) | st.text(letter, min_size=1, max_size=6)
plain_word = st.sampled_from(AWKWARD) | st.text(
    st.characters(exclude_categories=["Cs"], exclude_characters=" \t\n\r\0"), min_size=1, max_size=6
)


@st.composite
def tables(draw, words=plain_word, least=2, most=5):
    """An embedding; its first word is a plain one."""
    others = draw(st.lists(words.filter(lambda word: word != "first"), unique=True, max_size=8))
    dimension = draw(st.integers(least, most))
    row = st.lists(number, min_size=dimension, max_size=dimension)
    vectors = draw(st.lists(row, min_size=len(others) + 1, max_size=len(others) + 1))
    return Embeddings(["first", *others], vectors)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("written")


@pytest.fixture(scope="module")
def small():
    return Embeddings(["the", "of", "naïve", "東京"], np.random.default_rng(0).normal(size=(4, 3)))


def same(found, expected):
    """Equal words in order, and vectors equal to the bit."""
    words, vectors = (found.index_to_key, found.vectors) if isinstance(found, KeyedVectors) else parts(found)
    return (
        words == expected.words.tolist()
        and vectors.shape == expected.vectors.shape
        and vectors.astype("<f4").tobytes() == expected.vectors.tobytes()
    )


def parts(embeddings):
    return embeddings.words.tolist(), embeddings.vectors


def written(path, embeddings, *format):  # noqa: A002
    write_embeddings(path, embeddings, *format)
    return path


def back_or_refused(path, embeddings, *words):
    """Whether an embedding comes back as it was; if not, it has to be refused when it is written, with such a word."""
    try:
        write_embeddings(path, embeddings)
    except InputError as error:
        return any(repr(word) in str(error) for word in words)
    return same(read_embeddings(path), embeddings)


@pytest.mark.parametrize("name", NAMES)
@settings(max_examples=40)
@given(embeddings=tables())
def test_what_is_read_back_is_equal_to_the_bit(folder, name, embeddings):
    assert same(read_embeddings(written(folder / name, embeddings)), embeddings)


@pytest.mark.parametrize("name", ["a.txt", "a.bin", *TABLES])
@settings(max_examples=30)
@given(embeddings=tables(least=1, most=1))
def test_vectors_of_one_number_come_back(folder, name, embeddings):
    assert same(read_embeddings(written(folder / name, embeddings)), embeddings)


def test_word2vec_text_with_vectors_of_one_number_is_refused_before_anything_is_written(tmp_path):
    """Its first line would be a word and a number as well."""
    with pytest.raises(InputError, match="use 'glove'"):
        write_embeddings(tmp_path / "a.vec", Embeddings(["a", "b"], [[1], [2]]))
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("words", [["5", "a b"], ["5", "a b", "c"], ["5", "6"], ["5"], ["5 6", "c", "d"]])
def test_a_first_line_of_two_whole_numbers_comes_back_or_is_refused(folder, words):
    embeddings = Embeddings(words, np.arange(7, 7 + len(words))[:, None])
    assert back_or_refused(folder / "a.txt", embeddings, *words)


@pytest.mark.parametrize("suffix", SUFFIX.values())
def test_every_edge_of_single_precision_comes_back(folder, suffix):
    bits = [s << 31 | e << 23 | m for s in (0, 1) for e in (0, 1, 126, 127, 254) for m in (0, 1, 0x555555, 0x7FFFFF)]
    vectors = np.array(bits, dtype="<u4").view("<f4").reshape(-1, 4)
    embeddings = Embeddings([f"w{i}" for i in range(len(vectors))], vectors)
    assert same(read_embeddings(written(folder / f"a{suffix}", embeddings)), embeddings)


@pytest.mark.parametrize("name", ["a.txt", "a.txt.gz", "a.vec.zip", "a.bin", "a.npz", "a.safetensors"])
def test_thousands_of_words_come_back(folder, name):
    rng = np.random.default_rng(3)
    vectors = rng.normal(size=(2345, 60)) * 10.0 ** rng.integers(-30, 30, size=(2345, 1))
    embeddings = Embeddings([f"w{i}" for i in range(2345)], vectors)
    assert same(read_embeddings(written(folder / name, embeddings)), embeddings)


@pytest.mark.parametrize("name", ["a.txt", *TABLES])
@settings(max_examples=50)
@given(embeddings=tables(st.text(st.sampled_from(" ab\xa01."), min_size=1, max_size=6).filter(lambda w: w.strip(" "))))
def test_words_with_spaces_come_back_among_others(folder, name, embeddings):
    many = [f"plain{i}" for i in range(10)]
    vectors = np.vstack([embeddings.vectors, np.ones((10, embeddings.dimension))])
    embeddings = Embeddings([*embeddings.words.tolist(), *many], vectors)
    assert same(read_embeddings(written(folder / name, embeddings)), embeddings)


@pytest.mark.parametrize("suffix", SUFFIX.values())
@given(word=any_word.filter(lambda word: word.strip(" ") and word not in {"first", "last"}))
def test_every_word_comes_back_or_is_refused_by_name(folder, suffix, word):
    embeddings = Embeddings(["first", word, "last"], np.arange(6).reshape(3, 2))
    assert back_or_refused(folder / f"a{suffix}", embeddings, word)


@pytest.mark.parametrize("suffix", SUFFIX.values())
def test_a_word_of_spaces_comes_back_or_is_refused_by_name(folder, suffix):
    for word in (" ", "   "):
        embeddings = Embeddings(["first", word, "last"], np.arange(6).reshape(3, 2))
        assert back_or_refused(folder / f"a{suffix}", embeddings, word)


FIRST = ["\ufeff", "\ufeffthe", "PK\x03\x04", "PK\x05\x06a", "PK", "3", "1 2", "3 2", "#"]


@pytest.mark.parametrize("suffix", [*SUFFIX.values(), ".txt.gz", ".txt.zip"])
def test_a_first_word_that_looks_like_the_start_of_another_file_comes_back_or_is_refused(folder, suffix):
    failing = []
    for word in FIRST:
        embeddings = Embeddings([word, "of", "to"], np.arange(6).reshape(3, 2))
        if not back_or_refused(folder / f"a{suffix}", embeddings, word):
            failing.append(word)
    assert not failing


def test_such_a_word_is_refused_in_the_first_line_of_glove_text_only(tmp_path):
    for word in FIRST[:4]:
        with pytest.raises(InputError, match=rf"cannot begin with the word {re.escape(repr(word))}"):
            write_embeddings(tmp_path / "a.txt", Embeddings([word, "of"], np.eye(2)))
        assert not list(tmp_path.iterdir())
        for name, words in (("b.txt", ["of", word]), ("b.vec", [word, "of"])):
            embeddings = Embeddings(words, np.eye(2))
            assert same(read_embeddings(written(tmp_path / name, embeddings)), embeddings)
            (tmp_path / name).unlink()


@pytest.mark.parametrize("words", [["new york"], ["new york", "san jose", "a"], ["a", "b c", "d e", "f g"]])
def test_glove_text_with_spaces_in_most_words_comes_back_or_is_refused(folder, words):
    embeddings = Embeddings(words, np.arange(2 * len(words)).reshape(-1, 2))
    assert back_or_refused(folder / "a.txt", embeddings, next(word for word in words if " " in word))


@pytest.mark.parametrize(
    ("words", "written_"),
    [
        (["a", *(f"b {i}" for i in range(50)), *(f"c{i}" for i in range(99))], True),
        (["a", *(f"b {i}" for i in range(76)), *(f"c{i}" for i in range(73))], False),
        ([*(f"b {i}" for i in range(49)), *(f"c{i}" for i in range(101))], True),
        ([*(f"b {i}" for i in range(75)), *(f"c{i}" for i in range(75))], False),
        ([*(f"c{i}" for i in range(100)), *(f"b {i}" for i in range(100))], True),
        ([*(f"c{i}" for i in range(100)), *(f"b {i}" for i in range(101))], False),
        (["a", "b c", "d"], True),
        (["a", "b c", "d e"], False),
    ],
)
def test_glove_text_is_refused_only_if_most_words_hold_spaces(tmp_path, words, written_):
    embeddings = Embeddings(words, np.arange(2 * len(words)).reshape(-1, 2))
    assert back_or_refused(tmp_path / "a.txt", embeddings, next(word for word in words if " " in word))
    assert (tmp_path / "a.txt").exists() == written_


def test_glove_text_with_lines_so_long_that_a_hundred_are_not_read_at_once_comes_back_or_is_refused(folder):
    """Of the first 32 words most hold spaces, of the first hundred few: 4,096 numbers to a word are 64 KB of text."""
    words = ["a", *(f"b {i}" for i in range(32)), *(f"c{i}" for i in range(67))]
    embeddings = Embeddings(words, np.full((100, 4096), -1.17549435e-38))
    assert back_or_refused(folder / "a.txt", embeddings, "b 0")


@pytest.mark.parametrize(
    ("chosen", "word"),
    [
        ("glove", "  "),
        ("word2vec", "new york"),
        ("word2vec", " "),
        ("word2vec-binary", "a b"),
        ("npz", " "),
        ("safetensors", " "),
    ],
)
def test_a_word_that_a_format_cannot_hold_is_refused_before_anything_is_written(tmp_path, chosen, word):
    path = tmp_path / f"a{SUFFIX[chosen]}"
    path.write_bytes(b"what was there")
    embeddings = Embeddings(["the", word], np.eye(2))
    with pytest.raises(InputError, match=rf"{re.escape(repr(word))} cannot be written as {chosen}"):
        write_embeddings(path, embeddings)
    assert path.read_bytes() == b"what was there"


@pytest.mark.parametrize(("name", "least"), [("a.vec", 2), ("a.vec.gz", 2), ("a.bin", 1)])
@settings(max_examples=40)
@given(data=st.data())
def test_gensim_loads_word2vec_files(folder, name, least, data):
    embeddings = data.draw(tables(least=least))
    path = written(folder / name, embeddings)
    assert same(KeyedVectors.load_word2vec_format(str(path), binary=".bin" in name), embeddings)


@pytest.mark.filterwarnings("ignore:unclosed file:ResourceWarning")  # gensim opens it twice and closes it once
@settings(max_examples=40)
@given(embeddings=tables(least=1))
def test_gensim_loads_glove_files(folder, embeddings):
    path = written(folder / "a.txt", embeddings)
    assert same(KeyedVectors.load_word2vec_format(str(path), no_header=True), embeddings)


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("g.vec", {}),
        ("g.vec.gz", {}),
        ("g.txt", {}),
        ("g.txt", {"write_header": False}),
        ("g.bin", {"binary": True}),
        ("g.bin.gz", {"binary": True}),
    ],
)
@settings(max_examples=30)
@given(embeddings=tables())
def test_what_gensim_saves_is_read(folder, name, options, embeddings):
    saved = KeyedVectors(embeddings.dimension)
    saved.add_vectors(embeddings.words.tolist(), embeddings.vectors)
    saved.save_word2vec_format(str(folder / name), **options)
    assert same(read_embeddings(folder / name), embeddings)


@settings(max_examples=40)
@given(embeddings=tables(least=1))
def test_numpy_reads_npz_files_without_pickle(folder, embeddings):
    with np.load(written(folder / "a.npz", embeddings), allow_pickle=False) as arrays:
        assert sorted(arrays) == ["vectors", "words"]
        assert arrays["words"].tolist() == embeddings.words.tolist()
        assert arrays["vectors"].dtype == np.float32
        assert arrays["vectors"].tobytes() == embeddings.vectors.tobytes()


@settings(max_examples=40)
@given(embeddings=tables(least=1))
def test_safetensors_reads_its_files(folder, embeddings):
    with safe_open(written(folder / "a.safetensors", embeddings), framework="numpy") as file:
        assert list(file.keys()) == ["vectors"]
        assert file.get_tensor("vectors").dtype == np.float32
        assert file.get_tensor("vectors").tobytes() == embeddings.vectors.tobytes()
        assert file.metadata()["words"].split("\n") == embeddings.words.tolist()


@pytest.mark.parametrize("name", NAMES)
def test_the_same_embedding_gives_the_same_bytes(tmp_path, small, name):
    (tmp_path / "other").mkdir()
    places = [tmp_path / name, tmp_path / "other" / name]
    assert len({written(places[i % 2], small).read_bytes() for i in range(20)}) == 1


def test_compressed_files_hold_no_time_and_no_path(tmp_path, small):
    for name in ("a.txt.gz", "a.bin.gz"):
        _, method, flags, time = struct.unpack("<HBBI", written(tmp_path / name, small).read_bytes()[:8])
        assert (method, flags, time) == (8, 0, 0)
    for name in ("a.txt.zip", "a.bin.zip", "a.npz"):
        with zipfile.ZipFile(written(tmp_path / name, small)) as archive:
            assert {member.date_time for member in archive.infolist()} == {(1980, 1, 1, 0, 0, 0)}
            assert all("/" not in member.filename for member in archive.infolist())


@pytest.mark.parametrize("suffix", [".txt", ".vec", ".bin"])
def test_a_compressed_file_holds_what_the_plain_one_does(tmp_path, small, suffix):
    plain = written(tmp_path / f"a{suffix}", small).read_bytes()
    assert gzip.decompress(written(tmp_path / f"a{suffix}.gz", small).read_bytes()) == plain
    with zipfile.ZipFile(written(tmp_path / f"a{suffix}.zip", small)) as archive:
        assert archive.testzip() is None
        assert {name: archive.read(name) for name in archive.namelist()} == {f"a{suffix}": plain}


def test_the_file_inside_an_archive_is_called_what_is_asked(tmp_path, small):
    for name, member in (("a.txt.zip", "vectors.txt"), ("b.bin.zip", "b")):
        write_embeddings(tmp_path / name, small, member=member)
        with zipfile.ZipFile(tmp_path / name) as archive:
            assert archive.namelist() == [member]
        assert same(read_embeddings(tmp_path / name), small)


def test_text_is_a_word_and_numbers_to_a_line(tmp_path):
    embeddings = Embeddings(["the", "new york"], [[0.5, -0.0], [0.1, 3e38]])
    text = "the 0.5 -0.0\nnew york 0.1 3e+38\n"
    assert written(tmp_path / "a.txt", embeddings).read_text() == text
    embeddings = Embeddings(["the", "of"], embeddings.vectors)
    text = "2 2\n" + text.replace("new york", "of")
    assert written(tmp_path / "a.vec", embeddings).read_text() == text


def test_the_number_whose_fewest_digits_are_misread_comes_back(tmp_path):
    bits = np.array([[0x15AE43FD, 0x95AE43FD], [0x15AE43FE, 0x15AE43FC]], dtype=np.uint32)
    embeddings = Embeddings(["the", "of"], bits.view(np.float32))
    assert same(read_embeddings(written(tmp_path / "a.txt", embeddings)), embeddings)


def test_a_word2vec_binary_file_is_a_header_and_words_with_four_bytes_a_number(tmp_path):
    embeddings = Embeddings(["the", "é"], [[1, 2], [3, -0.0]])
    expected = b"2 2\nthe " + struct.pack("<2f", 1, 2) + "é ".encode() + struct.pack("<2f", 3, -0.0)
    assert written(tmp_path / "a.bin", embeddings).read_bytes() == expected


def test_the_suffix_tells_the_format():
    expected = {
        "a.txt": "glove",
        "a.txt.gz": "glove",
        "a.txt.zip": "glove",
        "glove.6B.50d.txt": "glove",
        "a.bin.txt": "glove",
        "a.vec": "word2vec",
        "a.vec.gz": "word2vec",
        "a.w2v": "word2vec",
        "a.w2v.zip": "word2vec",
        "a.bin": "word2vec-binary",
        "a.bin.gz": "word2vec-binary",
        "a.npz": "npz",
        "a.safetensors": "safetensors",
        "folder.npz/a.txt": "glove",
    }
    assert {name: format_of(name) for name in expected} == expected


@pytest.mark.parametrize("name", ["a", "a.gz", "a.zip", "a.csv", "a.txt.gz.gz", "a.txt.bz2", "", "txt"])
def test_a_suffix_of_no_format_is_refused_with_those_there_are(tmp_path, small, name):
    known = ".*".join(re.escape(suffix) for suffix in [".txt", ".vec", ".w2v", ".bin", ".npz", ".safetensors"])
    with pytest.raises(InputError, match=rf"{re.escape(repr(name))}.*{known}"):
        format_of(name)
    if name:
        with pytest.raises(InputError, match=rf"{re.escape(repr(name))}.*{known}"):
            write_embeddings(tmp_path / name, small)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("chosen", ["csv", "GloVe", ".txt"])
def test_a_format_that_is_none_is_refused_with_those_there_are(tmp_path, small, chosen):
    with pytest.raises(InputError, match=f"glove, word2vec, word2vec-binary, npz, .*, not '{chosen}'"):
        write_embeddings(tmp_path / "a.txt", small, chosen)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("name", ["a.npz.gz", "a.npz.zip", "a.safetensors.gz", "a.safetensors.zip"])
def test_what_is_not_written_compressed_is_refused(tmp_path, small, name):
    with pytest.raises(InputError, match=rf"not written compressed.*{re.escape(repr(name))}"):
        write_embeddings(tmp_path / name, small)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("chosen", ["word2vec-binary", "npz", "safetensors"])
def test_a_format_that_is_read_by_its_suffix_is_refused_under_another(tmp_path, small, chosen):
    for name in ("a", "a.dat", "a.txt", f"a{SUFFIX[chosen].upper()}", f"{SUFFIX[chosen]}x"):
        with pytest.raises(InputError, match=rf"{re.escape(repr(name))} end in {re.escape(SUFFIX[chosen])}"):
            write_embeddings(tmp_path / name, small, chosen)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("chosen", ["glove", "word2vec"])
def test_text_comes_back_under_a_suffix_of_any_format_or_is_refused(tmp_path, small, chosen):
    failing = {}
    for name in ("a", "a.dat", "a.bin", "a.bin.gz", "a.bin.zip", "a.npz", "a.safetensors"):
        try:
            write_embeddings(tmp_path / name, small, chosen)
        except InputError as error:
            assert name in str(error)  # noqa: PT017
            continue
        try:
            if not same(read_embeddings(tmp_path / name), small):
                failing[name] = "read wrongly"
        except InputError as error:
            failing[name] = repr(error)
    assert not failing


def test_a_format_that_is_named_is_written_whatever_the_suffix(tmp_path, small):
    plain = written(tmp_path / "a.txt", small).read_bytes()
    assert written(tmp_path / "b.dat", small, "glove").read_bytes() == plain
    assert gzip.decompress(written(tmp_path / "b.gz", small, "glove").read_bytes()) == plain
    assert written(tmp_path / "b.txt", small, "word2vec").read_bytes() == b"4 3\n" + plain


@pytest.mark.parametrize("name", ["a.txt", "a.vec", "a.bin"])
def test_writing_many_words_takes_no_memory_for_a_list_of_them(tmp_path, name):
    embeddings = Embeddings([f"word{i}" for i in range(100_000)], np.ones((100_000, 30), dtype=np.float32))
    tracemalloc.start()
    write_embeddings(tmp_path / name, embeddings)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 5_000_000  # as a list, the words take more
