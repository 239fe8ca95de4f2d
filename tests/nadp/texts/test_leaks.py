"""What is left of a text when it has been encoded, or refused: nothing, and no message repeats it."""

import gc
import os
import pickle
import random
import traceback
import weakref
from functools import _lru_cache_wrapper

import numpy as np
import pytest

from nadp import InputError, TextEncoder
from nadp.texts import Decoder, Subwords, TextBudget
from nadp.tokens import TREEBANK, _remembered
from tests.nadp.texts.planting import far_apart, planted

SECRET = "zugzwang1"  # noqa: S105 - a word that no embedding knows
BUDGET = TextBudget(0.5)
TEXT = f"the {SECRET}a police, {SECRET}b: {SECRET}c!"


class Text(str):
    """A string that tells when it is gone."""

    __slots__ = ("__weakref__",)


def strings_with(word):
    """The strings that hold a word, but for the word itself, of all that the garbage collector can reach."""
    gc.collect()
    found, seen, left = [], set(), gc.get_objects()
    while left:
        for part in gc.get_referents(left.pop()):
            kind = type(part)  # not isinstance(), which asks a weak proxy whose object may be gone
            if issubclass(kind, str):
                if word in part and part is not word:
                    found.append(str(part))
            elif issubclass(kind, (tuple, dict)) and not gc.is_tracked(part) and id(part) not in seen:
                seen.add(id(part))
                left.append(part)
    return found


def with_subwords():
    vectors = np.random.default_rng(0).normal(size=(50, 4)).astype(np.float32)
    return planted(far_apart(3), 1.0, words=["the", "police", ","], unknown="subword", subwords=Subwords(vectors, 3, 5))


def test_the_search_for_strings_would_find_a_cache():
    own = f"grunfeld{os.urandom(6).hex()}"
    TREEBANK.tokens(f"the {own} police")
    assert f"the {own} police" in strings_with(own)
    _remembered.cache_clear()
    assert strings_with(own) == []


@pytest.mark.parametrize("unknown", ["drop", "subword"])
def test_nothing_keeps_a_text_or_a_token_once_it_is_encoded(encoder, unknown):
    chosen = encoder if unknown == "drop" else with_subwords()
    own = f"nimzowitsch{os.urandom(6).hex()}"
    text = Text(f"the {own}x police {own}y")
    gone = weakref.ref(text)
    made = [chosen.encode([text], **options) for options in ({}, {"length": 7, "shuffle": True}, {"budget": BUDGET})]
    decoded = [Decoder(chosen, "likely").words(found) for found in made]
    del text
    assert gone() is None
    assert strings_with(own) == []
    assert all(len(words) >= 2 for (words,) in decoded)


def test_encoding_fills_no_cache(encoder):
    caches = [held for held in gc.get_objects() if type(held) is _lru_cache_wrapper]
    caches = [cache for cache in caches if (cache.__module__ or "").startswith("nadp")]
    assert _remembered in caches
    encoder.encode([TEXT])  # the tokenizer is made once
    before = [cache.cache_info().currsize for cache in caches]
    encoder.encode([TEXT, "another text", "and one more"])
    assert [cache.cache_info().currsize for cache in caches] == before


def test_an_encoder_holds_the_same_after_use(each):
    each.encode(["the and qqqq"])  # what is computed once, for known words and for unknown ones, is there now
    Decoder(each, "mean").vectors(each.encode(["the"]))
    before = pickle.dumps(each)
    each.encode([TEXT] * 3, length=5, shuffle=True, budget=TextBudget(1.0))
    assert pickle.dumps(each) == before
    assert SECRET.encode() not in before


def failures(encoder):
    """Ways to fail with a private text."""
    strict = planted(far_apart(2), 1.0, words=["the", "police"], unknown="error")
    yield lambda: strict.encode(["the", TEXT])
    yield lambda: strict.encode([f"{TEXT} \ud800"])
    yield lambda: encoder.encode([TEXT, "the of and to"], budget=TextBudget(1.0, over="refuse"))
    yield lambda: encoder.encode(TEXT)
    yield lambda: encoder.encode([TEXT.encode()])
    yield lambda: encoder.encode([[TEXT]])
    yield lambda: encoder.encode([{TEXT: TEXT}])
    yield lambda: encoder.encode([TEXT], length=0)
    yield lambda: encoder.encode([TEXT], budget=TextBudget(1.0, delta=2.0))


def test_no_message_and_no_error_behind_it_repeats_what_a_text_says(encoder):
    for fails in failures(encoder):
        with pytest.raises(InputError) as caught:
            fails()
        error = caught.value
        said = traceback.format_exception_only(error)
        assert SECRET not in "".join(said)
        assert "police" not in "".join(said)
        assert error.__context__ is None
        assert error.__cause__ is None
        assert not [part for part in error.args if SECRET in str(part)]


def test_the_representation_of_what_comes_out_tells_no_word(encoder):
    found = encoder.encode([TEXT])
    assert SECRET not in repr(found)
    assert SECRET not in repr(encoder)
    assert SECRET.encode() not in pickle.dumps(found)


def test_no_seed_makes_an_encoding_its_fillers_or_its_order_again(each):
    made = []
    for _ in range(2):
        random.seed(1)
        np.random.seed(1)  # noqa: NPY002 - that is what must not matter
        made.append(each.encode(["the of and to"] * 50, length=9, shuffle=True).vectors)
    assert (made[0] != made[1]).mean() > 0.99


def test_nothing_takes_a_seed():
    import inspect

    for function in (TextEncoder.build, TextEncoder.encode, TextEncoder.load, TextEncoder.save):
        taken = inspect.signature(function).parameters
        assert not {name for name in taken if any(part in name for part in ("seed", "rng", "random"))}
