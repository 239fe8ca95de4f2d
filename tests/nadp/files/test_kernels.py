import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from nadp.files import kernels
from tests.nadp.files import naive
from tests.nadp.files.test_glove import decimals, long, near_a_tie, ties, written

scraps = st.lists(st.sampled_from([b" ", b"  ", b"\r", b"\n", b"a", b"1.5", "\u2028".encode(), b"\xff"]), max_size=40)
junk = st.sampled_from(["", ".", "-", "+", "-.", "e1", "1e", "1e+", "1.2.3", "--1", "+-1", "1_0", "inf", "nan", "0x1"])
junk |= st.text(st.sampled_from("0123456789.-+eE"), max_size=12)
short = st.from_regex(r"-?([0-9]{1,8}(\.[0-9]{0,7})?|\.[0-9]{1,15})", fullmatch=True)


@settings(max_examples=300)
@given(scraps, st.integers(0, 4))
def test_lines_and_their_fields_are_found_as_by_splitting(scraps, dimension):
    text = b"".join(scraps) + b"\n"
    found = kernels.lines(np.frombuffer(text, dtype=np.uint8), dimension)
    assert found.tolist() == naive.lines(text, dimension)


def parsed(rows):
    """What the kernel makes of the fields of some lines: the bytes of each number, or None where it is left."""
    text, spans = b"", []
    for row in rows:
        text += b"word " + b" ".join(row) + b"\n"
        spans.append([len(text) - len(b" ".join(row)) - 2, len(text) - 1])
    out = np.full((len(rows), len(rows[0])), np.nan, dtype=np.float32)
    left = kernels.numbers(np.frombuffer(text, dtype=np.uint8), np.array(spans), out)
    left = {tuple(place) for place in left.tolist()}
    return [[None if (i, j) in left else out[i, j].tobytes() for j in range(out.shape[1])] for i in range(len(rows))]


@settings(max_examples=300)
@given(st.lists(st.tuples(*[decimals | written | long | ties | short | junk] * 3), min_size=1, max_size=20))
def test_a_number_is_as_python_reads_it_or_left_to_python(rows):
    rows = [[field.encode() for field in row] for row in rows]
    for row, found in zip(rows, parsed(rows), strict=True):
        for field, value in zip(row, found, strict=True):
            assert value is None or value == naive.number(field), field


@given(st.lists(short, min_size=1, max_size=20))
def test_no_number_of_few_digits_is_left(fields):
    fields = [field.encode() for field in fields]
    assert parsed([fields]) == [[naive.number(field) for field in fields]]


@given(st.lists(junk, min_size=1, max_size=60))
def test_all_that_is_no_number_is_left(fields):
    rows = [[field.encode()] for field in fields]
    for (field,), (found,) in zip(rows, parsed(rows), strict=True):
        assert found is None or naive.number(field) is not None


def test_numbers_between_two_of_single_precision_are_rounded_as_from_double_precision():
    rng = np.random.default_rng(0)
    values = (rng.normal(size=10_000) * 10.0 ** rng.integers(-3, 4, size=10_000)).astype(np.float32).tolist()
    digits, offsets = rng.integers(15, 19, size=10_000).tolist(), rng.integers(-3, 4, size=10_000).tolist()
    fields = [near_a_tie(*one).encode() for one in zip(values, digits, offsets, strict=True)]
    found = parsed([fields])[0]
    assert all(value in (None, naive.number(field)) for field, value in zip(fields, found, strict=True))
    assert sum(value is None for value in found) < len(fields) / 2
