"""The oracle: the text format read a line, a field and a number at a time. Nothing of nadp is used here."""

import math
import re
import struct


class RefusedError(Exception):
    """What is wrong, and in which line, counted from 1."""


def lines(text, dimension):
    """Of each line its start, the end of its word (-1: too few fields), the end of its numbers, and its fields."""
    found, start = [], 0
    for line in text.split(b"\n")[:-1]:
        used = line.rstrip(b" \t\r")
        fields = re.split(b"[ \t]", used) if used else []
        word_end = start + len(used) - len(b" ".join(fields[-dimension:])) - 1 if 0 < dimension < len(fields) else -1
        found.append([start, word_end, start + len(used), len(fields)])
        start += len(line) + 1
    return found


def number(field):
    """The four bytes of a finite single-precision number, or None."""
    try:
        value = float(field)
        return struct.pack("=f", value) if math.isfinite(value) and b"_" not in field else None
    except (ValueError, OverflowError):
        return None


def read(content, dimension, words=None, limit=None):
    """The words, the bytes of their vectors, and the counts; `dimension` and that there is no header are known."""
    top = math.inf if words is None and limit is None else limit or 0
    missing = set(words or ())
    names = ["lines", "blank lines", "repeated words", "unusable words", "words not wanted"]
    kept, counts = {}, dict.fromkeys(names, 0)
    content = content if content.endswith(b"\n") else content + b"\n"
    for start, word_end, end, fields in lines(content, dimension):
        if len(kept) >= top and not missing:
            break
        counts["lines"] += 1
        word = content[start:word_end]
        if not fields:
            counts["blank lines"] += 1
        elif word_end < 0:
            raise RefusedError("fields where a word", counts["lines"])
        elif not usable(word):
            counts["unusable words"] += 1
        elif len(kept) >= top and word not in {w.encode() for w in words or ()}:
            counts["words not wanted"] += 1
        elif word in kept:
            counts["repeated words"] += 1
        else:
            kept[word] = _vector(content[word_end + 1 : end], counts["lines"])
            missing.discard(word.decode())
    counts = {what: count for what, count in counts.items() if count} | {"words not found": len(missing)}
    return [word.decode() for word in kept], b"".join(kept.values()), counts


def usable(word):
    """Whether some bytes are a word."""
    try:
        return bool(word.decode().strip(" ")) and not set(word) & set(b"\t\n\r\0")
    except UnicodeDecodeError:
        return False


def _vector(text, line):
    values = [number(field) for field in re.split(b"[ \t]", text)]
    if None in values:
        raise RefusedError(f"field {values.index(None) + 1} after the word", line)
    return b"".join(values)
