from unicodedata import normalize

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nadp import Embeddings, InputError, read_embeddings
from nadp.centroids import centroids
from nadp.known_words import KnownWords, looked_up
from nadp.tokens import TREEBANK, Tokenizer
from tests.nadp.files.models import tokenizer as model_tokenizer


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("It's a dog, isn't it?", ["It", "'s", "a", "dog", ",", "is", "n't", "it", "?"]),
        ('He said "no".', ["He", "said", "``", "no", "''", "."]),
        ("$3.50 (cash)", ["$", "3.50", "(", "cash", ")"]),
        ("", []),
    ],
)
def test_texts_are_split_as_glove_split_them(text, expected):
    assert list(TREEBANK.split(text)) == expected


def test_a_centroid_is_the_mean_of_the_known_words_as_often_as_they_occur(clustered):
    words = Embeddings("abcd", clustered.vectors[:4])
    texts = [["a", "B", "a", "?"], [], ["d"], ["?", "!"], ["c", "a"]]
    matrix, rows = centroids(texts, KnownWords(words, np.array([True, True, True, False])))
    assert rows.tolist() == [0, 1, 2]
    a, b, c = words.vectors[:3].astype(float)
    zero = np.zeros(words.dimension)
    np.testing.assert_allclose(
        matrix @ words.vectors[rows], [(2 * a + b) / 3, zero, zero, zero, (a + c) / 2], rtol=1e-6
    )


def test_texts_without_a_known_word_have_an_empty_matrix(clustered):
    matrix, rows = centroids([["?"], []], KnownWords(clustered))
    assert (matrix.shape, len(rows)) == ((2, 0), 0)


FRENCH = "L'été, qu\u2019il a passé à Saint-Étienne, c'est aujourd'hui : 3,5 km !"


def test_other_languages_are_split_at_unicodes_word_boundaries():
    tokens = ["Die", "Straße", ",", "3,5", "km", ":", "Müller", "-", "Meier", "!"]
    assert Tokenizer.of("de").split("Die Straße, 3,5 km: Müller-Meier!") == tokens
    assert Tokenizer.of("zh").split("我喜欢苹果。") == [*"我喜欢苹果。"]
    assert Tokenizer.of("de", "spaces").split("Die\u00a0Straße, 3") == ["Die", "Straße,", "3"]


def test_languages_that_elide_are_split_after_the_apostrophe():
    found = Tokenizer.of("fr-CA").split(FRENCH)
    assert found[:8] == ["L'", "été", ",", "qu\u2019", "il", "a", "passé", "à"]
    assert found[8:] == ["Saint", "-", "Étienne", ",", "c'", "est", "aujourd'hui", ":", "3,5", "km", "!"]
    assert Tokenizer.of("de").split("wie geht's") == ["wie", "geht's"]


@given(st.text())
def test_no_tokenizer_of_words_loses_a_character_that_is_no_space(text):
    for language in ("de", "fr"):
        assert "".join("".join(Tokenizer.of(language).split(text)).split()) == "".join(text.split())


def test_the_language_chooses_the_tokenizer_unless_one_is_named():
    assert [Tokenizer.of(language).name for language in ("en", "en-GB", "EN", "fr", "pt_BR")] == [
        *["treebank"] * 3,
        *["words"] * 2,
    ]
    assert Tokenizer.of("fr", "spaces").name == "spaces"
    assert Tokenizer.of() == TREEBANK


@pytest.mark.parametrize("wrong", [{"name": "words2"}, {"name": "model"}, {"name": "words", "model": "{}"}])
def test_a_tokenizer_that_does_not_exist_or_has_no_model_is_refused(wrong):
    with pytest.raises(InputError, match="tokenizer"):
        Tokenizer(**wrong)


@pytest.mark.shared
def test_a_french_sentence_is_known_alike_in_every_composition_of_its_characters(shared):
    file = shared / "embeddings" / "fr.explosion.300d.20k.zip"
    sentence = "Après l'été, la société française a été créée près de la région où le président était élu."
    tokenizer = Tokenizer.of("fr")
    words = looked_up(token for form in ("NFC", "NFD") for token in tokenizer.split(normalize(form, sentence)))
    table = read_embeddings(file, words=words)
    rows = [table.rows(tokenizer.split(normalize(form, sentence))) for form in ("NFC", "NFD")]
    assert (rows[0] >= 0).all()
    assert rows[0].tolist() == rows[1].tolist()


KNOWN = ["[UNK]", "the", "police", "pol", "##ice", "##s"]


@pytest.mark.parametrize(
    ("pieces", "expected"),
    [(True, ["the", "police", "Zürich", "pol", "##s"]), (False, ["the", "police", "Zürich", "Pols"])],
)
def test_a_models_tokenizer_gives_its_tokens_and_the_text_itself_where_it_knows_none(pieces, expected):
    content = model_tokenizer(KNOWN, pieces).to_str()
    assert Tokenizer.of("en", None, content).split("The Police Zürich Pols") == expected


def test_a_models_tokenizer_neither_cuts_texts_off_nor_fills_them_up():
    made = model_tokenizer(KNOWN)
    made.enable_truncation(2)
    made.enable_padding(length=8)
    assert Tokenizer.of("fr", "model", made.to_str()).split("the police the") == ["the", "police", "the"]


def test_a_model_splits_texts_unless_another_tokenizer_is_named():
    content = model_tokenizer(KNOWN).to_str()
    assert Tokenizer.of("fr", None, content).name == "model"
    assert Tokenizer.of("fr", "spaces", content) == Tokenizer("spaces", "fr")
