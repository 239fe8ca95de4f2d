"""The kind of a file by its first bytes, so that no file is read in a wrong format."""

BEGINNING = 512
"""Number of leading bytes that determine the kind of a file."""
GZIP, BZIP2, XZ, ZIP = "a gzip file", "a bzip2 file", "an xz file", "a zip archive"
FASTTEXT, PICKLE = "a fastText model", "a pickle"
PARQUET, ARROW = "a Parquet file", "an Arrow file"
UTF_16 = "UTF-16 text"
_PART, _7Z, _RAR, _TAR = "a part of a zip archive", "a 7z archive", "a RAR archive", "a tar archive"
_ZSTANDARD, _LZ4, _LZIP, _COMPRESS = "a Zstandard file", "an LZ4 file", "an lzip file", "a .Z file"
PACKED = (GZIP, BZIP2, XZ, ZIP, _PART, _7Z, _RAR, _TAR, _ZSTANDARD, _LZ4, _LZIP, _COMPRESS)
"""Kinds that a program can unpack."""
_BY_BEGINNING = {
    b"\x1f\x8b": GZIP,
    b"\xfd7zXZ\0": XZ,
    b"PK\x03\x04": ZIP,
    b"PK\x05\x06": ZIP,
    b"PK\x07\x08": _PART,
    b"7z\xbc\xaf\x27\x1c": _7Z,
    b"Rar!\x1a\x07": _RAR,
    b"\x28\xb5\x2f\xfd": _ZSTANDARD,
    b"\x04\x22\x4d\x18": _LZ4,
    b"LZIP\x01": _LZIP,
    b"\x1f\x9d": _COMPRESS,
    b"PAR1\x15": PARQUET,
    b"ARROW1\0": ARROW,
    b"\x93NUMPY": "a single NumPy array (.npy)",
    b"\x89HDF\r\n\x1a\n": "an HDF5 file",
    b"SQLite format 3\0": "an SQLite database",
    b"%PDF-1.": "a PDF file",
    b"\x89PNG\r\n\x1a\n": "a PNG picture",
    b"\xba\x16\x4f\x2f": FASTTEXT,
    b"GGUF\x02\0": "a GGUF model",
    b"GGUF\x03\0": "a GGUF model",
    b"\xff\xfe": UTF_16,
    b"\xfe\xff": UTF_16,
    **{bytes([0x80, version]): PICKLE for version in range(2, 6)},
}
_BZIP2_BLOCKS = (b"1AY&SY", b"\x17\x72\x45\x38\x50\x90")  # the first one, or the end of an empty file
_TAR_MARKS = (b"ustar\0", b"ustar  \0")
_ZEROS = 0.25  # of the bytes; in UTF-16 text nearly half are


def kind_of(beginning: bytes) -> str:
    """Return the kind of a file by its first bytes; "" if it may be text or is unknown."""
    if beginning.startswith(b"BZh") and beginning[4:10] in _BZIP2_BLOCKS:
        return BZIP2
    if beginning[257:].startswith(_TAR_MARKS):
        return _TAR
    return next((kind for start, kind in _BY_BEGINNING.items() if beginning.startswith(start)), "")


def kind_of_text(beginning: bytes) -> str:
    """Return the kind of a file that should be text, by its first bytes; "" if it may be text."""
    return kind_of(beginning) or (UTF_16 if beginning.count(0) > _ZEROS * len(beginning) else "")
