"""Texts of which almost nothing is known: a warning, or a refusal, before anything is published."""

import pytest

from nadp import InputError
from nadp.texts.files import Texts
from nadp.texts.files.output import encode_file
from nadp.tokens import Tokenizer
from tests.nadp.texts.planting import far_apart, planted

WORDS = ["l'", "été", "est", "là"]
CHINESE = "我喜欢苹果 我喜欢苹果"
FRENCH = "L'ÉTÉ est là"


@pytest.fixture
def encode(tmp_path):
    def encode(*lines, language="en", tokenizer=None, **options):
        path = tmp_path / "texts.txt"
        path.write_text("".join(line + "\n" for line in lines), encoding="utf-8")
        encoder = planted(far_apart(4), 1.0, words=WORDS, tokenizer=Tokenizer.of(language, tokenizer))
        return encode_file(Texts(path), encoder, tmp_path / "out", **options)

    return encode


def warnings(caplog):
    return [record.getMessage() for record in caplog.records if record.levelname == "WARNING"]


def test_texts_of_an_unknown_language_are_a_warning_that_tells_the_limit_and_not_the_share(encode, caplog):
    encode(CHINESE, "est")
    (said,) = warnings(caplog)
    assert "50%" in said
    assert "67%" not in said
    assert CHINESE.split(maxsplit=1)[0] not in said


def test_above_a_limit_of_the_users_they_are_refused_and_nothing_is_published(encode, tmp_path):
    with pytest.raises(InputError, match="40%") as caught:
        encode(CHINESE, "est", max_unknown=0.4)
    assert "67" not in str(caught.value)
    assert not list(tmp_path.glob("out/*"))


def test_what_is_known_well_enough_passes_without_a_word(encode, caplog, tmp_path):
    encode(FRENCH, "est", language="fr", max_unknown=0.0)
    assert warnings(caplog) == []
    assert (tmp_path / "out" / "certificate.json").exists()


def test_the_right_language_makes_texts_known(encode):
    with pytest.raises(InputError):
        encode("L'été", tokenizer="spaces", max_unknown=0.4)
    encode("L'été", language="fr", max_unknown=0.0)
