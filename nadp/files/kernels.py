"""Compiled scanning of GloVe text: the positions of the fields of each line, and the values of their numbers.

Fields are separated by single spaces or tabs. tests/nadp/files/naive.py has the naive versions.
"""

import numpy as np

from nadp.runtime.compiled import compiled

_SPACE, _TAB, _NEWLINE, _RETURN = 32, 9, 10, 13
_MINUS, _PLUS, _POINT, _ZERO, _NINE = 45, 43, 46, 48, 57
_POWERS = 10.0 ** np.arange(23)  # exact in float64 up to 10^22
_FEW_DIGITS = 15  # a mantissa of 15 digits is exact in float64
_MOST_DIGITS = 19  # a mantissa of 19 digits fits into 64 bits
_CLOSE = 2.0**-50  # larger than the error of one conversion and one division


@compiled()
def lines(text, dimension):
    """Find the lines of a block of text and, in each, `dimension` fields counted from the right.

    Args:
        text: (b,) uint8, whole lines, each ending in a newline.
        dimension: numbers in a line; 0 only counts fields.

    Returns:
        (l, 4) int64: start of the line, end of its word, end of its numbers, number of fields.
        The end of the word is -1 where the line has fewer fields than dimension + 1.
    """
    newlines = _newlines(text)
    spans = np.empty((len(newlines), 4), dtype=np.int64)
    start = 0
    for row in range(len(newlines)):
        end = newlines[row]
        while end > start and (text[end - 1] == _SPACE or text[end - 1] == _TAB or text[end - 1] == _RETURN):
            end -= 1
        fields = 1 if end > start else 0
        for c in text[start:end]:
            fields += (c == _SPACE) | (c == _TAB)
        word_end = _word_end(text, start, end, fields, dimension)
        spans[row, 0], spans[row, 1], spans[row, 2], spans[row, 3] = start, word_end, end, fields
        start = newlines[row] + 1
    return spans


@compiled()
def _newlines(text):
    count = 0
    for c in text:
        count += c == _NEWLINE
    positions = np.empty(count, dtype=np.int64)
    row = 0
    for i in range(len(text)):
        if text[i] == _NEWLINE:
            positions[row] = i
            row += 1
    return positions


@compiled()
def _word_end(text, start, end, fields, dimension):
    """Return the position of the first of the last `dimension` separators of a line, or -1."""
    if fields <= dimension or dimension == 0:
        return -1
    if fields == dimension + 1:  # the common case: it is the line's first separator
        while text[start] != _SPACE and text[start] != _TAB:
            start += 1
        return start
    for _ in range(dimension):
        end -= 1
        while text[end] != _SPACE and text[end] != _TAB:
            end -= 1
    return end


@compiled()
def numbers(text, spans, out):
    """Parse the decimal numbers of some lines into float32, each rounded as from its float64 value.

    Args:
        text: (b,) uint8.
        spans: (l, 2) int64: start (the separator before the first number) and end of each line's numbers.
        out: (l, d) float32, filled.

    Returns:
        (m, 2) int64: line and column of each field that this fast path does not handle, or that is not a number.
    """
    unsure = np.empty((16, 2), dtype=np.int64)
    n_unsure = 0
    for row in range(len(spans)):
        position, end = spans[row, 0], spans[row, 1]
        for column in range(out.shape[1]):
            field = position + 1  # after the separator; a function call here would double the cost
            negative = text[field] == _MINUS
            first = field + negative
            position = first
            mantissa = 0
            while position < end and _ZERO <= text[position] <= _NINE:
                mantissa = 10 * mantissa + (text[position] - _ZERO)
                position += 1
            point = position
            if position < end and text[position] == _POINT:
                position += 1
                while position < end and _ZERO <= text[position] <= _NINE:
                    mantissa = 10 * mantissa + (text[position] - _ZERO)
                    position += 1
            has_point = position > point
            if 0 < position - first - has_point <= _FEW_DIGITS and (
                position == end or text[position] == _SPACE or text[position] == _TAB
            ):
                value = mantissa / _POWERS[position - point - has_point]
                out[row, column] = np.float32(-value if negative else value)
                continue
            while position < end and text[position] != _SPACE and text[position] != _TAB:
                position += 1
            value, is_exact = _number(text, field, position)
            out[row, column] = np.float32(value)
            if not is_exact:
                if n_unsure == len(unsure):
                    unsure = np.concatenate((unsure, unsure))
                unsure[n_unsure, 0], unsure[n_unsure, 1] = row, column
                n_unsure += 1
    return unsure[:n_unsure]


@compiled()
def _number(text, position, stop):
    """Return the value of one field of any form, and whether its float32 is certainly right."""
    negative = False
    if position < stop and (text[position] == _MINUS or text[position] == _PLUS):
        negative = text[position] == _MINUS
        position += 1
    mantissa = np.uint64(0)
    digits = 0
    power = 0
    seen_point = False
    any_digit = False
    while position < stop:
        c = text[position]
        if c == _POINT and not seen_point:
            seen_point = True
        elif _ZERO <= c <= _NINE:
            any_digit = True
            if digits == _MOST_DIGITS:
                return 0.0, False
            mantissa = mantissa * np.uint64(10) + np.uint64(c - _ZERO)
            digits += mantissa != 0
            power -= seen_point
        else:
            break
        position += 1
    if not any_digit:
        return 0.0, False
    if position < stop:
        exponent, is_valid = _exponent(text, position, stop)
        if not is_valid:
            return 0.0, False
        power += exponent
    if mantissa == 0:
        return (-0.0 if negative else 0.0), True
    if power < -22 or power > 22:
        return 0.0, False
    value = np.float64(mantissa)
    value = value * _POWERS[power] if power >= 0 else value / _POWERS[-power]
    if mantissa > np.uint64(1 << 53) and np.float32(value * (1 - _CLOSE)) != np.float32(value * (1 + _CLOSE)):
        return 0.0, False
    return (-value if negative else value), np.isfinite(np.float32(value))


@compiled()
def _exponent(text, position, stop):
    """Return the exponent after the mantissa, and whether it is valid."""
    if text[position] != 101 and text[position] != 69:  # e, E
        return 0, False
    position += 1
    negative = False
    if position < stop and (text[position] == _MINUS or text[position] == _PLUS):
        negative = text[position] == _MINUS
        position += 1
    if position == stop or stop - position > 4:
        return 0, False
    value = 0
    while position < stop:
        if not _ZERO <= text[position] <= _NINE:
            return 0, False
        value = 10 * value + (text[position] - _ZERO)
        position += 1
    return (-value if negative else value), True
