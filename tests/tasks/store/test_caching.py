import json
from dataclasses import dataclass, replace
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from nadp.experiment.curves import Curve
from tasks.space import annoy_index, neighbour_graph
from tasks.store.artefacts import Artefact
from tasks.store.caching import CACHED, digest_tasks, plain
from tasks.store.source import source_digest


@dataclass(frozen=True)
class Point:
    x: float


@dataclass(frozen=True)
class Place:
    x: float


def key(task, **inputs):
    return CACHED["cache_policy"].compute_key(SimpleNamespace(task=task), inputs, {})


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (1, 1.0),
        (np.float64(0.1), 0.1),
        ((1, "a"), [1, "a"]),
        ({"a": 1, "b": 2}, {"b": 2, "a": 1}),
        (Curve("nadp", 1, "exact"), Curve("nadp", 1.0, "exact")),
        (Artefact("/here", "0" * 64, 3), Artefact("/there", "0" * 64, 3)),
    ],
)
def test_equal_inputs_have_one_form(one, other):
    assert json.dumps(plain(one), sort_keys=True) == json.dumps(plain(other), sort_keys=True)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (1, True),
        (0, None),
        ("1", 1),
        (0.1, 0.1 + 1e-16),
        (2**53, 2**53 + 1),
        ([1, 2], [2, 1]),
        ([["a"], "b"], ["a", ["b"]]),
        (Point(1), Place(1)),
        (Curve("nadp", 0.1), Curve("nadp", 0.2)),
        (Artefact("/here", "0" * 64, 3), Artefact("/here", "1" * 64, 3)),
    ],
)
def test_different_inputs_have_different_forms(one, other):
    assert json.dumps(plain(one), sort_keys=True) != json.dumps(plain(other), sort_keys=True)


@pytest.mark.parametrize(
    "value", [{1, 2}, np.zeros(2), Path("/here"), b"bytes", [np.int64(1)], {"a": frozenset()}], ids=repr
)
def test_what_has_no_stable_form_is_refused_by_its_type(value):
    with pytest.raises(TypeError, match=r"a task input of type \w+ has no stable form for a cache key"):
        plain(value)


def test_a_key_depends_on_the_task_and_on_its_inputs_but_not_on_where_files_lie():
    here, there = Artefact("/here", "0" * 64, 3), Artefact("/there", "0" * 64, 3)
    first = key(neighbour_graph, neighbours=here, tau=0.1, adjacency=2)
    assert first == key(neighbour_graph, adjacency=2.0, tau=0.1, neighbours=there)
    others = [
        key(neighbour_graph, neighbours=here, tau=0.2, adjacency=2),
        key(neighbour_graph, neighbours=replace(here, sha256="1" * 64), tau=0.1, adjacency=2),
        key(annoy_index, neighbours=here, tau=0.1, adjacency=2),
    ]
    assert len({first, *others}) == 4


def test_after_all_tasks_are_digested_no_key_waits_for_a_digest():
    source_digest.cache_clear()
    digest_tasks()
    before = source_digest.cache_info()
    key(neighbour_graph, neighbours=Artefact("/here", "0" * 64, 3), tau=0.1, adjacency=2)
    after = source_digest.cache_info()
    assert (after.misses, after.hits) == (before.misses, before.hits + 1)
