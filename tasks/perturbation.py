"""The noise of a curve: base draws, and the recipe of each epsilon."""

import hashlib
from dataclasses import dataclass
from functools import lru_cache

from prefect import task

from nadp.embeddings import Floats
from nadp.experiment.curves import Curve, Recipe, recipe
from nadp.files.arrays import load_embeddings
from nadp.noise import base_draw, law_named, research_rng
from tasks.space import Space, space_of
from tasks.store.caching import CACHED
from tasks.store.private import Reference, loaded


@dataclass(frozen=True)
class Draw:
    """A base draw of research noise: how to reproduce it, and the hash of its bytes."""

    law: str
    seed: int
    repeat: int
    sha256: str


@task(name="draw", task_run_name="draw {law} x {repeats}", **CACHED)
def draw(embeddings: Reference, law: str, repeats: int, seed: int) -> list[Draw]:
    """Return the base draws of a noise law, one for each repeat."""
    return [Draw(law, seed, i, _digest(_drawn(embeddings, law, seed, i))) for i in range(repeats)]


@task(name="perturb", task_run_name="perturb {curve.label} at {setting}", **CACHED)
def perturb(space: Space, curve: Curve, setting: float | None, delta: float) -> Recipe:
    """Return the recipe of M(x) at one setting of a curve: calibrated, checked and measured."""
    return recipe(space_of(space), curve, setting, delta)


def noise_of(embeddings: Reference, of: Draw) -> Floats:
    """Return the base draw (n, d), reproduced.

    Raises:
        RuntimeError: if it differs from the recorded draw.
    """
    noise = _drawn(embeddings, of.law, of.seed, of.repeat)
    if _digest(noise) != of.sha256:
        raise RuntimeError(f"the {of.law} draw of repeat {of.repeat} differs from the recorded one")
    return noise


def twin_of(embeddings: Reference, of: Draw) -> Floats:
    """Return another draw (n, d) of the same law, seed and repeat, independent of the first."""
    law = law_named(of.law)
    return base_draw(law, loaded(embeddings, load_embeddings), research_rng(of.seed, f"{of.law}, twin", of.repeat))


@lru_cache(maxsize=2)
def _drawn(embeddings: Reference, law: str, seed: int, repeat: int) -> Floats:
    return base_draw(law_named(law), loaded(embeddings, load_embeddings), research_rng(seed, law, repeat))


def _digest(noise: Floats) -> str:
    return hashlib.sha256(noise.data).hexdigest()
