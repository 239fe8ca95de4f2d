import numpy as np
import pytest

from nadp import FormatError, InputError
from nadp.texts.prior import prior_of

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
    assert prior_of(written(tmp_path, text), WORDS).tolist() == pytest.approx(weights)


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
        prior_of(written(tmp_path, text), WORDS)
