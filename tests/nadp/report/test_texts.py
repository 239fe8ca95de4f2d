import math

import pytest

from nadp.report.texts import ABSENT, listed, number, percent, several


@pytest.mark.parametrize(
    ("share", "said"),
    [
        (0.0, "0 %"),
        (0.00026, "< 0.1 %"),
        (0.028, "2.8 %"),
        (0.05, "5 %"),
        (0.0996, "10 %"),
        (0.139, "14 %"),
        (1.0, "100 %"),
    ],
)
def test_shares_are_written_in_few_digits(share, said):
    assert percent(share) == said


def test_what_is_not_there_is_a_dash_and_what_is_not_defined_says_so():
    assert percent(None) == percent(math.nan) == number(None) == ABSENT
    assert number(math.nan) == "not defined"
    assert number(0.12345) == "0.123"


def test_lists_and_numbers_of_things_are_as_in_a_sentence():
    assert listed(["a"]) == "a"
    assert listed(["a", "b", "c"]) == "a, b and c"
    assert several(1, "check") == "1 check"
    assert several(1234, "check") == "1,234 checks"
