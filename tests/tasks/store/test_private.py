"""Private values leave neither their process nor a trace."""

import pickle

import pytest

from tasks.embedding import download_glove, frequency_filter_vocab
from tasks.space import GraphTerms, annoy_index, components, neighbour_graph, space_of, spaces
from tasks.store.caching import plain
from tasks.store.private import UNKEPT, Held


def test_a_private_value_can_neither_be_pickled_nor_be_an_input_of_a_cached_task_nor_be_shown():
    held = Held("secret")
    with pytest.raises(TypeError, match="cannot leave its process"):
        pickle.dumps(held)
    with pytest.raises(TypeError, match="private"):
        plain({"embeddings": held})
    assert "secret" not in repr(held)


def direct(task, *arguments):
    return task.fn(*arguments)


@pytest.mark.parametrize("private", [False, True])
def test_the_chain_gives_the_same_space_and_leaves_files_only_of_what_is_public(home, private):
    def made(private):
        kept = frequency_filter_vocab.fn(download_glove.fn("sample", private=private), 300, [])
        return space_of(spaces(kept, [0.1], ["nearest"], GraphTerms(), direct)[0.1, "nearest"])

    space = made(private)
    assert home.exists() != private
    other = made(not private)
    assert space.embeddings.words.tolist() == other.embeddings.words.tolist()
    assert (space.vectors == other.vectors).all()
    assert (space.labels == other.labels).all()
    assert (space.sensitivity == other.sensitivity).all()


CHAIN = [frequency_filter_vocab, annoy_index, neighbour_graph, components]


@pytest.mark.parametrize("task", CHAIN, ids=lambda task: task.name)
def test_a_task_of_which_nothing_is_kept_is_neither_cached_nor_written_down_nor_shared(task):
    unkept = task.with_options(**UNKEPT)
    assert unkept.name == task.name
    assert not unkept.persist_result
    assert unkept.cache_policy.compute_key(None, {}, {}) is None
    assert unkept.on_completion_hooks == []
