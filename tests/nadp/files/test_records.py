import json
import math
from dataclasses import asdict, dataclass, field, replace
from typing import Any, Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nadp import FormatError
from nadp.files.records import record_of, strict_json


@dataclass(frozen=True)
class Inner:
    number: float
    name: str | None = None


@dataclass(frozen=True)
class Outer:
    one: Inner
    many: tuple[Inner, ...]
    counts: dict[str, int]
    kind: Literal["a", "b"]
    anything: Any
    perhaps: float | None
    flag: bool
    more: dict[str, tuple[int, ...]] = field(default_factory=dict)


INNER = st.builds(Inner, st.floats(allow_infinity=False, allow_nan=False), st.none() | st.text())
OUTER = st.builds(
    Outer,
    INNER,
    st.lists(INNER, max_size=3).map(tuple),
    st.dictionaries(st.text(), st.integers()),
    st.sampled_from(["a", "b"]),
    st.none() | st.text() | st.lists(st.integers()),
    st.none() | st.floats(allow_infinity=False, allow_nan=False),
    st.booleans(),
    st.dictionaries(st.text(), st.lists(st.integers()).map(tuple)),
)
PLAIN = Outer(Inner(1.5), (Inner(2.0, "x"),), {"n": 3}, "a", None, None, flag=True)


@given(OUTER)
def test_what_is_written_is_read_again(value):
    assert record_of(Outer, json.loads(strict_json(value)), "file") == value


def test_numbers_that_json_does_not_know_are_null_and_all_else_is_kept():
    value = {"a": [1.5, math.nan, (math.inf, None)], 2: {"\u00e9": -math.inf, "b": True}}
    found = strict_json(value)
    assert json.loads(found) == {"a": [1.5, None, [None, None]], "2": {"\u00e9": None, "b": True}}
    assert "NaN" not in found
    assert "\u00e9" in found


def test_a_number_that_is_not_defined_is_read_as_such():
    found = record_of(Outer, json.loads(strict_json(replace(PLAIN, one=Inner(math.nan)))), "file")
    assert math.isnan(found.one.number)
    assert found.perhaps is None


@pytest.mark.parametrize(
    ("change", "named"),
    [
        ({"one": {"number": "1"}}, r"file\.one\.number"),
        ({"one": 3}, r"file\.one"),
        ({"many": [{"number": 1}, {}]}, r"file\.many\[1\] lacks the field 'number'"),
        ({"counts": {"n": 1.5}}, r"file\.counts\['n'\]"),
        ({"counts": {"n": True}}, r"file\.counts\['n'\]"),
        ({"kind": "c"}, r"file\.kind"),
        ({"flag": 1}, r"file\.flag"),
        ({"mine": 1}, "file has an unknown field 'mine'"),
    ],
)
def test_a_wrong_field_is_refused_by_name(change, named):
    with pytest.raises(FormatError, match=named):
        record_of(Outer, json.loads(json.dumps(asdict(PLAIN))) | change, "file")


def test_a_missing_field_is_refused_by_name_unless_it_has_a_default():
    whole = json.loads(json.dumps(asdict(PLAIN)))
    without = {name: value for name, value in whole.items() if name != "more"}
    assert record_of(Outer, without, "file") == PLAIN
    del without["flag"]
    with pytest.raises(FormatError, match="file lacks the field 'flag'"):
        record_of(Outer, without, "file")
