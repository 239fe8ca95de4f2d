import bz2
import gzip
import io
import lzma
import pickle
import re
import tarfile
import tracemalloc
import zipfile

import numpy as np
import pytest

from nadp import Embeddings, FormatError, InputError, read_embeddings
from nadp.files import write_embeddings
from nadp.files.streams import open_stream
from nadp.texts.files import Texts, split

TABLE = b"the 0.5 1\nof 2 3\n"


@pytest.fixture
def archive(tmp_path):
    def write(members):
        path = tmp_path / "archive.zip"
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as file:
            for name, content in members.items():
                file.writestr(name, content)
        return path

    return write


def read(path, member=None):
    with open_stream(path, member) as table:
        return table.stream.read()


@pytest.mark.parametrize("name", ["plain.txt", "misnamed.zip"])
@pytest.mark.parametrize("packed", [bytes, gzip.compress])
def test_the_first_bytes_tell_what_a_file_is(tmp_path, name, packed):
    (tmp_path / name).write_bytes(packed(TABLE))
    assert read(tmp_path / name) == TABLE


def test_a_text_whose_first_word_begins_like_a_zip_archive_is_a_text(tmp_path):
    (tmp_path / "table.txt").write_bytes(b"PKK 1 2\nuno 3 4\n")
    assert read_embeddings(tmp_path / "table.txt").words.tolist() == ["PKK", "uno"]


@pytest.mark.parametrize(
    "others", [{}, {"README.md": b"hello", "__MACOSX/t.txt": b"x", "folder/": b""}, {"LICENSE": b"free"}]
)
def test_the_only_table_of_an_archive_is_found(archive, others):
    path = archive({"t.txt": TABLE} | others)
    assert read(path) == TABLE
    with open_stream(path) as table:
        assert table.name == f"{path}:t.txt"


def test_an_archive_with_one_member_of_any_name_is_read(archive):
    assert read(archive({"vectors": TABLE})) == TABLE


def test_of_several_tables_one_has_to_be_named(archive):
    path = archive({"a.txt": b"x 1\n", "b.vec": TABLE})
    with pytest.raises(InputError, match=r"2 tables.*member.*a\.txt, b\.vec"):
        read(path)
    assert read(path, "b.vec") == TABLE


@pytest.mark.parametrize(("members", "found"), [({"a.txt": TABLE}, r"a\.txt"), ({}, "nothing")])
def test_a_member_that_is_not_there_is_refused_with_those_that_are(archive, members, found):
    with pytest.raises(InputError, match=f"no member 'c.txt'.*{found}"):
        read(archive(members), "c.txt")


def test_what_cannot_be_opened_is_refused_in_words(tmp_path, archive):
    (tmp_path / "plain").write_bytes(TABLE)
    for path, member, message in [
        (tmp_path / "nothing.txt", None, "no such file: .*nothing.txt"),
        (tmp_path, None, "no such file"),
        (tmp_path / "plain", "a.txt", "plain is not a zip archive.*'a.txt'"),
        (archive({}), None, "empty archive"),
    ]:
        with pytest.raises(InputError, match=message):
            read(path, member)


def spoiled(content, where):
    content = bytearray(content)
    content[where] ^= 0xFF
    return bytes(content)


def cut(content, where):
    return content[:where]


@pytest.mark.parametrize("spoil", [spoiled, cut])
@pytest.mark.parametrize("place", ["start", 0.3, 0.6, 0.9])
@pytest.mark.parametrize("kind", ["gz", "zip"])
def test_damaged_compressed_files_are_refused_by_name(tmp_path, archive, spoil, place, kind):
    table = b"".join(b"w%d %d %d\n" % (i, i * i % 997, i**3 % 991) for i in range(2000))
    good = gzip.compress(table) if kind == "gz" else archive({"t.txt": table}).read_bytes()
    path = tmp_path / f"bad.{kind}"
    start = {"gz": 10, "zip": 30 + len("t.txt")}[kind]  # of the compressed data
    path.write_bytes(spoil(good, start if place == "start" else int(place * len(good))))
    with pytest.raises(FormatError, match=rf"bad\.{kind}"):
        read_embeddings(path)


KINDS = {"gz": gzip.compress, "bz2": bz2.compress, "xz": lzma.compress}
ROWS = b"".join(b"w%d %.3f %.3f\n" % (i, i / 7, -i / 3) for i in range(300))


def tar(content):
    file = io.BytesIO()
    with tarfile.open(fileobj=file, mode="w") as archive:
        info = tarfile.TarInfo("t.txt")
        info.size = len(content)
        archive.addfile(info, io.BytesIO(content))
    return file.getvalue()


def zipped(content, name="t.txt", method=zipfile.ZIP_DEFLATED):
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", method) as archive:
        archive.writestr(name, content)
    return file.getvalue()


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", ["t.txt", "t.vec.{}", "t"])
def test_compressed_tables_are_read_whatever_their_name(tmp_path, kind, name):
    path = tmp_path / name.format(kind)
    path.write_bytes(KINDS[kind](ROWS))
    plain = tmp_path / "plain"
    plain.write_bytes(ROWS)
    expected, found = read_embeddings(plain), read_embeddings(path)
    assert found.words.tolist() == expected.words.tolist()
    assert found.vectors.tobytes() == expected.vectors.tobytes()


@pytest.mark.parametrize("kind", KINDS)
def test_a_compressed_binary_table_is_read_by_the_suffix_before(tmp_path, kind):
    embeddings = Embeddings(["the", "of"], [[1.0, 2.0], [3.0, 4.0]])
    write_embeddings(tmp_path / "t.bin", embeddings)
    path = tmp_path / f"t.bin.{kind}"
    path.write_bytes(KINDS[kind]((tmp_path / "t.bin").read_bytes()))
    assert read_embeddings(path).words.tolist() == ["the", "of"]


@pytest.mark.parametrize("method", [zipfile.ZIP_STORED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_members_of_archives_are_read_by_every_method_of_the_standard_library(tmp_path, method):
    (tmp_path / "t.zip").write_bytes(zipped(ROWS, method=method))
    assert len(read_embeddings(tmp_path / "t.zip")) == 300


def test_an_archive_with_one_binary_table_is_read(archive):
    content = b"1 2\nthe " + bytes(8)
    assert read_embeddings(archive({"model.bin": content, "README": b"x"})).words.tolist() == ["the"]


NOT_READ = {
    "tar": (tar(ROWS), "tar.*unpack"),
    "tar.gz": (gzip.compress(tar(ROWS)), "tar"),
    "tar.xz": (lzma.compress(tar(ROWS)), "tar"),
    "gz in gz": (gzip.compress(gzip.compress(ROWS)), "gzip"),
    "zip in gz": (gzip.compress(zipped(ROWS)), "zip"),
    "gz in zip": (zipped(gzip.compress(ROWS)), "gzip"),
    "zip in zip": (zipped(zipped(ROWS), "t.zip"), "zip"),
    "xz in bz2": (bz2.compress(lzma.compress(ROWS)), "xz"),
    "bz2 in zip": (zipped(bz2.compress(ROWS), "t.txt.bz2"), "bzip2"),
    "7z": (b"7z\xbc\xaf\x27\x1c" + bytes(100), "7z.*unpack"),
    "rar": (b"Rar!\x1a\x07\x01\x00" + bytes(100), "RAR.*unpack"),
    "zstd": (b"\x28\xb5\x2f\xfd" + bytes(100), "Zstandard.*unpack"),
    "lz4": (b"\x04\x22\x4d\x18" + bytes(100), "LZ4.*unpack"),
    "Z": (b"\x1f\x9d\x90" + bytes(100), r"\.Z file.*unpack"),
    "parquet": (b"PAR1\x15" + bytes(100), "Parquet"),
    "arrow": (b"ARROW1\0\0" + bytes(100), "Arrow"),
    "hdf5": (b"\x89HDF\r\n\x1a\n" + bytes(100), "HDF5.*convert"),
    "npy": (b"\x93NUMPY\x01\0" + bytes(100), "NumPy.*convert"),
    "pickle": (pickle.dumps({"a": 1}), "pickle"),
    "fastText": (b"\xba\x16\x4f\x2f\x0c\0\0\0" + bytes(100), r"fastText.*\.vec"),
    "UTF-16": ("the 1 2\nof 3 4\n".encode("utf-16"), "save it as UTF-8"),
    "UTF-16 without a mark": ("the 1 2\nof 3 4\n".encode("utf-16-le"), "UTF-16"),
    "npz": (zipped(b"", "words.npy"), r"\.npz"),
}


@pytest.mark.parametrize("what", NOT_READ)
@pytest.mark.parametrize("name", ["t.txt", "t.vec", "t"])
def test_what_is_not_read_is_refused_by_name_and_never_read_as_text(tmp_path, what, name):
    content, told = NOT_READ[what]
    path = tmp_path / name
    path.write_bytes(content)
    with pytest.raises(FormatError, match=rf"{re.escape(str(path))}.*{told}"):
        read_embeddings(path)


@pytest.mark.parametrize("word", ["LZIP", "GGUF", "PAR1", "ARROW1", "BZh9", "%PDF", "ustar", "7z", "PK", "Rar!"])
def test_a_text_may_begin_with_a_word_that_other_files_begin_with(tmp_path, word):
    (tmp_path / "t.txt").write_text(f"{word} 0.5 1\nof 2 3\n" + "x" * 242 + " 1 2\nustar 1 2\n")
    assert read_embeddings(tmp_path / "t.txt").words[0] == word


def patched(content, signature, offset, value):
    """A zip archive with another number in each header of that signature."""
    content, at = bytearray(content), -1
    while (at := content.find(signature, at + 1)) >= 0:
        content[at + offset : at + offset + 2] = value.to_bytes(2, "little")
    return bytes(content)


@pytest.mark.parametrize("name", ["t.zip", "t.npz"])
@pytest.mark.parametrize(
    ("offset", "value", "told"),
    [(6, 1, "encrypted"), (8, 9, "deflate64"), (8, 98, "PPMd"), (8, 55, "method 55")],
)
def test_members_that_cannot_be_unpacked_are_refused_by_name(tmp_path, name, offset, value, told):
    inner = "t.txt" if name == "t.zip" else "words.npy"
    content = patched(zipped(ROWS, inner), b"PK\x01\x02", offset + 2, value)
    (tmp_path / name).write_bytes(patched(content, b"PK\x03\x04", offset, value))
    with pytest.raises(FormatError, match=rf"{re.escape(str(tmp_path / name))}.*{inner}.*{told}"):
        read_embeddings(tmp_path / name)


@pytest.mark.parametrize("kind", [*KINDS, "zip"])
def test_what_grows_out_of_all_proportion_is_refused(tmp_path, kind):
    bomb = bytes(1 << 25)
    path = tmp_path / "t.txt"
    path.write_bytes(zipped(bomb) if kind == "zip" else KINDS[kind](bomb))

    def unpacked():
        with open_stream(path) as table:
            return sum(len(block) for block in iter(lambda: table.stream.read(1 << 16), b""))

    tracemalloc.start()
    with pytest.raises(FormatError, match=rf"{re.escape(str(path))}.*200 times"):
        unpacked()
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 1 << 24


def test_a_table_that_is_a_bomb_is_refused(tmp_path):
    (tmp_path / "t.gz").write_bytes(gzip.compress((b"w" + b" 0" * 60_000 + b"\n") * 200))
    with pytest.raises(FormatError, match="200 times"):
        read_embeddings(tmp_path / "t.gz")


def test_an_npz_file_that_claims_more_than_it_holds_takes_no_memory(tmp_path):
    file = io.BytesIO()
    np.lib.format.write_array_header_1_0(file, {"descr": "<f4", "fortran_order": False, "shape": (10**7, 10**6)})
    path = tmp_path / "t.npz"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("words.npy", file.getvalue())
        archive.writestr("vectors.npy", file.getvalue())
    with pytest.raises(FormatError, match=re.escape(str(path))):
        read_embeddings(path)


def test_an_npz_bomb_is_refused_before_it_is_unpacked(tmp_path):
    path = tmp_path / "t.npz"
    np.savez_compressed(path, words=np.zeros(1 << 21, dtype="<U4"), vectors=np.zeros((1 << 21, 1), np.float32))
    with pytest.raises(FormatError, match=rf"{re.escape(str(path))}.*200 times"):
        read_embeddings(path)


@pytest.mark.parametrize("name", ["t.txt", "t.vec", "t.bin", "a.txt", "a.csv", "a.tsv", "a.jsonl"])
def test_a_line_of_a_gigabyte_is_refused_in_little_memory(tmp_path, name):
    path = tmp_path / name
    with path.open("wb") as file:
        file.write(b"1 2\n" if name == "t.bin" else b"text\n" if name in ("a.csv", "a.tsv") else b"")
        file.write(b"x" * 1000)
        file.truncate(1 << 30)  # zeros that take no room on the disk
    tracemalloc.start()
    with pytest.raises(FormatError, match=re.escape(str(path))):
        read_embeddings(path) if name.startswith("t") else split(Texts(path), 2)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 1 << 27


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("t.bin", b"1 10000000\nthe " + bytes(1000)),
        ("t.vec", b"2 10000000\nthe 1 2\nof 3 4\n"),
        ("t.txt", b"the" + b" 1" * 10_000_000 + b"\n"),
        ("t.txt", b"the" + b" 1" * 1_000_000 + b"\n"),
    ],
)
def test_ten_million_dimensions_are_refused_in_little_memory(tmp_path, name, content):
    (tmp_path / name).write_bytes(content)
    tracemalloc.start()
    with pytest.raises(FormatError, match=re.escape(str(tmp_path / name))):
        read_embeddings(tmp_path / name)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 1 << 27


def whole(name=b"t.txt"):
    """An archive of one table, with another name of as many bytes in both its headers."""
    return zipped(ROWS).replace(b"t.txt", name)


def renamed_within():
    content = zipped(ROWS, "naïve.txt")
    at = content.index("naïve.txt".encode())
    return content[:at] + b"\xff" + content[at + 1 :]


FOUND_BY_FUZZING = {
    "a name that is no text": patched(whole(b"\xff.txt"), b"PK\x01\x02", 8, 0x800),
    "a name that is no text within": renamed_within(),
    "a beginning before the file": patched(whole(), b"PK\x05\x06", 16, 0xFFFF),
    "an unknown version": patched(whole(), b"PK\x01\x02", 6, 211),
}


@pytest.mark.parametrize("what", FOUND_BY_FUZZING)
def test_archives_that_a_fuzzer_damaged_are_refused_by_name(tmp_path, what):
    (tmp_path / "t.zip").write_bytes(FOUND_BY_FUZZING[what])
    with pytest.raises(InputError, match=r"t\.zip"):
        read_embeddings(tmp_path / "t.zip")


def test_the_only_member_of_an_archive_needs_no_name(tmp_path):
    (tmp_path / "t.zip").write_bytes(whole(b"\0.txt"))
    assert len(read_embeddings(tmp_path / "t.zip")) == 300


def test_an_array_with_a_broken_header_is_refused_by_name(tmp_path):
    header = b"{'descr': '<f4', 'fortran_order': False, 'shape': (3, }" + b" " * 60 + b"(\n"
    array = b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header
    with zipfile.ZipFile(tmp_path / "t.npz", "w") as archive:
        archive.writestr("words.npy", array)
        archive.writestr("vectors.npy", array)
    with pytest.raises(FormatError, match=r"t\.npz"):
        read_embeddings(tmp_path / "t.npz")
