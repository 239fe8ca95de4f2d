"""From texts to words: what tokens become, and that no token comes through which the embedding does not know."""

from dataclasses import replace

import numpy as np
import pytest

from nadp import EmbeddingSpace, InputError, TextEncoder
from nadp.embeddings import Embeddings
from nadp.texts import Decoder
from nadp.texts.words import rows_of_texts
from nadp.tokens import Tokenizer
from tests.nadp.texts.planting import far_apart, planted, rows_back, text_of

QUIET = 2.0**-10
KNOWN = [
    "the",
    "police",
    "Police",
    "US",
    "us",
    "do",
    "n't",
    "not",
    "``",
    "''",
    "'",
    '"',
    "@",
    "$",
    "3.50",
    "42",
    "9",
    ".",
    ",",
]
KNOWN += ["example.org", "😀", "naïve", "state-of-the-art", "...", "(", ")", "'s", "ß", "i̇stanbul", "can", "\u2018"]


@pytest.fixture(scope="module")
def plain():
    """Words far apart with next to no noise: the nearest word is the one that was encoded."""
    return planted(far_apart(len(KNOWN)), QUIET, words=KNOWN)


def encoded(encoder, text):
    found = encoder.encode([text])
    return [KNOWN[row] for row in rows_back(encoder, found[0])], int(found.unknown[0])


@pytest.mark.parametrize(
    ("text", "words", "unknown"),
    [
        ("the police", ["the", "police"], 0),
        ("Police", ["Police"], 0),  # as it is, if it is known so
        ("POLICE", ["police"], 0),  # else in lower case
        ("The US told us", ["the", "US", "us"], 1),
        ("US, Us and uS", ["US", ",", "us", "us"], 1),
        ("don't", ["do", "n't"], 0),
        ("DON'T", ["do", "n't"], 0),
        ("the police's", ["the", "police", "'s"], 0),
        ('"the"', ["``", "the", "''"], 0),
        ("can't", ["n't"], 1),  # ca is not known
        ("42 9 43", ["42", "9"], 1),
        ("$3.50.", ["$", "3.50", "."], 0),
        ("the police. the us.", ["the", "police", ".", "the", "us", "."], 0),
        ("the officers. the US.", ["the", ".", "the", "US", "."], 1),
        ("the police... the", ["the", "police", "...", "the"], 0),
        ("42,000", [], 1),  # one token, not two known ones
        ("bob@example.org", ["@", "example.org"], 1),
        ("+1-202-555-0142", [], 1),
        ("😀", ["😀"], 0),
        ("😀😀", [], 1),
        ("👍🏽 the", ["the"], 1),
        ("NAÏVE naive", ["naïve"], 1),
        ("state-of-the-art...", ["state-of-the-art", "..."], 0),
        ("(the)", ["(", "the", ")"], 0),
        ("\u2018the\u2019", ["\u2018", "the"], 1),  # no quote is made of another
        ("İstanbul", ["i̇stanbul"], 0),
        ("the\u00a0police", ["the", "police"], 0),
        ("the\tpolice\r\nthe", ["the", "police", "the"], 0),
        ("the\u200bpolice", [], 1),
        ("the\0police", [], 1),
        ("\ud800", [], 1),
        ("", [], 0),
        (" \t\n\u3000", [], 0),
        ("xqzv xqzv", [], 2),
        ("the xqzv the", ["the", "the"], 1),
    ],
)
def test_each_kind_of_token_has_a_defined_outcome(plain, text, words, unknown):
    assert encoded(plain, text) == (words, unknown)


def test_a_word_is_encoded_as_often_as_it_occurs_and_in_the_order_of_the_text(plain):
    assert encoded(plain, "the police the the 42")[0] == ["the", "police", "the", "the", "42"]


def test_no_texts_and_texts_without_a_known_word_have_no_tokens(plain):
    none = plain.encode([])
    assert (len(none), none.vectors.shape, none.starts.tolist()) == (0, (0, 4), [0])
    assert none.factors.shape == none.unknown.shape == none.cut.shape == none.lengths.shape == (0,)
    found = plain.encode(["", "xqzv", "the", "  "])
    assert found.lengths.tolist() == [0, 0, 1, 0]
    assert found.unknown.tolist() == [0, 1, 0, 0]
    assert found.vectors.dtype == np.float32


def test_a_very_long_text_is_encoded_whole(plain):
    found = plain.encode(["the police xqzv 42 " * 50_000])
    assert found.lengths.tolist() == [150_000]
    assert found.unknown.tolist() == [50_000]
    places = found.vectors[:, 0].reshape(-1, 3) / 1000
    assert np.abs(places - [0, 1, KNOWN.index("42")]).max() < 1e-3


def test_a_token_of_a_million_characters_is_one_unknown_token(plain):
    assert encoded(plain, "the " + "x" * 1_000_000) == (["the"], 1)


@pytest.mark.parametrize("one", ["the police", ""])
def test_one_string_is_not_taken_for_a_list_of_its_characters(plain, one):
    with pytest.raises(InputError, match=r"a list of strings, not one string: give \[text\]"):
        plain.encode(one)


@pytest.mark.parametrize(("value", "name"), [(7, "int"), (None, "NoneType"), (b"the", "bytes"), (["the"], "list")])
def test_what_is_no_string_is_refused_by_place_and_type(plain, value, name):
    with pytest.raises(InputError, match=f"^text 1 is {name}, not a string$"):
        plain.encode(["the", value])


def test_a_missing_value_of_a_table_is_refused(plain):
    with pytest.raises(InputError, match="text 1 is float"):
        plain.encode(np.array(["the", np.nan], dtype=object))


def test_arrays_of_strings_are_texts(plain):
    texts = ["the police", "42"]
    for array in (np.array(texts), np.array(texts, dtype=object), np.array(texts, dtype=np.dtypes.StringDType())):
        assert plain.encode(array).lengths.tolist() == [2, 1]


def test_an_unknown_token_is_refused_where_it_is_an_error_and_the_message_keeps_it_to_itself():
    strict = planted(far_apart(3), QUIET, words=["the", "police", "42"], unknown="error")
    assert strict.encode(["the Police", ""]).lengths.tolist() == [2, 0]
    with pytest.raises(InputError) as caught:
        strict.encode(["the", "the police SECRET 42 Hidden"])
    assert "text 1 has a token at position 2" in str(caught.value)
    assert not {"SECRET", "Hidden"} & set(str(caught.value).split())
    assert caught.value.__cause__ is None
    assert caught.value.__context__ is None


def test_words_that_the_policy_drops_count_as_unknown(sample):
    space = EmbeddingSpace.build(sample.subset(range(400)), tau=0.3, isolated="drop")
    encoder = TextEncoder.build(space, epsilon=2.0)
    dropped, kept = (
        [word for word in space.embeddings.words[chosen].tolist() if word.isalpha()]  # tokens that stay whole
        for chosen in (~space.released, space.released)
    )
    assert encoder.words.tolist() == space.embeddings.words[space.released].tolist()
    assert len(dropped) > 3
    found = encoder.encode([" ".join([*dropped, *kept[:3]]), " ".join(kept[:7])])
    assert found.lengths.tolist() == [3, 7]
    assert found.unknown.tolist() == [len(dropped), 0]
    with pytest.raises(InputError, match="text 0 has a token at position 1"):
        TextEncoder.build(space, epsilon=2.0, unknown="error").encode([f"{kept[0]} {dropped[0]}"])


@pytest.mark.parametrize("how", ["nearest", "likely"])
@pytest.mark.parametrize("noise", [QUIET, 300.0])
def test_nothing_that_is_decoded_is_a_token_that_the_embedding_does_not_know(how, noise):
    encoder = planted(far_apart(len(KNOWN)), noise, words=KNOWN)
    text = "Bob@example.org paid $3.50 to SECRET on 2026-11-28 😀 +1-202-555-0142 Don't tell the Police"
    found = Decoder(encoder, how).words(encoder.encode([text] * 50))
    assert {word for words in found for word in words} <= set(KNOWN)


def test_texts_that_differ_in_unknown_tokens_only_are_encoded_alike_but_for_the_noise(plain):
    """Nothing of an unknown token is left: neither a place, nor a vector, nor an order."""
    one, other = (plain.encode([text]) for text in ("the SECRET police", "the police x"))
    assert rows_back(plain, one[0]) == rows_back(plain, other[0])
    alone = plain.encode(["the police"])
    assert (one.starts == alone.starts).all()
    assert (one.factors == alone.factors).all()


def test_the_rows_are_those_of_the_naive_loop(sample):
    words = sample.subset(range(400))
    texts = ['The police said, "don\'t!" to 42 SECRET people.', "", "of of OF"]
    found, left_out = rows_of_texts(words, texts, "drop", None)
    known = words.words.tolist()
    tokens = [
        ["The", "police", "said", ",", "``", "do", "n't", "!", "''", "to", "42", "SECRET", "people", "."],
        [],
        ["of", "of", "OF"],
    ]
    expected = [
        [known.index(t) if t in known else known.index(t.lower()) for t in text if t in known or t.lower() in known]
        for text in tokens
    ]
    assert [rows.tolist() for rows in found] == expected
    assert left_out.tolist() == [len(t) - len(e) for t, e in zip(tokens, expected, strict=True)]


def test_what_takes_a_tokens_place_is_a_known_word_or_nothing():
    words = Embeddings(["a", "b", "c"], far_apart(3))
    asked = []

    def substitute(tokens):
        asked.append(tokens)
        return np.array([2 if unknown == "x" else -1 for unknown in tokens])

    rows, left_out = rows_of_texts(words, ["a x b y x", "b", "y"], "subword", substitute)
    assert [r.tolist() for r in rows] == [[0, 2, 1, 2], [1], []]
    assert left_out.tolist() == [1, 0, 1]
    assert asked == [["x", "y"]]  # once for each token of all texts: looking for the nearest word is slow


def test_the_encoded_texts_are_all_that_is_known_of_a_text(plain):
    found = plain.encode([text_of(plain, [0, 1])])
    assert set(vars(found)) == {"vectors", "starts", "factors", "unknown", "cut", "grid"}
    assert found.grid == plain.noise.grid
    arrays = [value for name, value in vars(found).items() if name != "grid"]
    assert all(isinstance(value, np.ndarray) and value.dtype.kind in "fi" for value in arrays)


def test_an_encoder_splits_texts_with_its_own_tokenizer():
    encoder = planted(far_apart(3), 1e-3, words=["l'", "été", "l'été"])
    for tokenizer, rows in ((Tokenizer.of("fr"), [0, 1]), (Tokenizer.of("fr", "spaces"), [2])):
        own = replace(encoder, tokenizer=tokenizer)
        assert rows_back(own, own.encode(["L'ÉTÉ"]).vectors) == rows
