import gzip
import zipfile

import pytest

from nadp import FormatError, InputError, read_embeddings
from nadp.files.streams import open_stream

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
        (tmp_path / "plain", "a.txt", "plain is no zip archive.*'a.txt'"),
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
