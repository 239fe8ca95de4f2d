"""Scores that survive a killed run: one small file per evaluation, recipe and draw.

A new epsilon, or the continuation of a killed run, computes only the missing files, and the damaged ones.
"""

import contextlib
import hashlib
import json
import logging
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from nadp.experiment.curves import Recipe
from nadp.files.durable import put
from nadp.scores import Score
from tasks.store import sharing
from tasks.store.artefacts import Artefact, stored
from tasks.store.caching import plain
from tasks.store.home import home
from tasks.store.source import source_digest

_log = logging.getLogger("nadp.scores")
_TOGETHER = 50  # recipes that are computed and stored together: shared parts are computed once


class ScoreStore:
    """The scores of one evaluation.

    Args:
        module: whose source computes them.
        inputs: on which the scores depend, except the recipe and the draw.
    """

    def __init__(self, module: str, *inputs: Any) -> None:  # noqa: ANN401 - as for a task
        self._base = [source_digest(module), plain(inputs)]

    def scores(
        self,
        recipes: Sequence[Recipe],
        repeat: int,
        draw: Any,  # noqa: ANN401 - any input of a task
        compute: Callable[[Sequence[Recipe]], list[list[Score]]],
    ) -> Iterator[Score]:
        """Yield the scores of one draw under all recipes of a curve; compute the missing ones.

        Args:
            recipes: recipes of one curve.
            repeat: the number of the draw.
            draw: inputs of the draw.
            compute: returns a list of scores for each of some recipes.
        """
        paths = {recipe: self._path(recipe, draw) for recipe in recipes}
        for path in paths.values():
            _drop_if_damaged(path)
        _download_missing([path for path in paths.values() if not path.exists()])
        missing_recipes = [recipe for recipe in recipes if not paths[recipe].exists()]
        for start in range(0, len(missing_recipes), _TOGETHER):
            batch = missing_recipes[start : start + _TOGETHER]
            for recipe, new_scores in zip(batch, compute(batch), strict=True):
                placed_scores = [recipe.placed(score, repeat) for score in new_scores]
                put(paths[recipe], _as_json(placed_scores))
            sharing.share(*(paths[recipe] for recipe in batch))
        for path in paths.values():
            yield from scores_in(path)

    def present(self, recipes: Sequence[Recipe], draw: Any) -> int:  # noqa: ANN401 - any input of a task
        """Return the number of recipes whose scores of a draw are already stored."""
        return sum(self._path(recipe, draw).exists() for recipe in recipes)

    def _path(self, recipe: Recipe, draw: Any) -> Path:  # noqa: ANN401 - any input of a task
        text = json.dumps([*self._base, plain(recipe), plain(draw)], sort_keys=True)
        key = hashlib.sha256(text.encode()).hexdigest()
        return home() / "scores" / key[:2] / f"{key}.json"


def _drop_if_damaged(path: Path) -> None:
    """Remove a file of scores that cannot be read; its scores are computed again."""
    try:
        scores_in(path)
    except FileNotFoundError:
        return
    except (ValueError, TypeError, KeyError) as error:
        _log.warning("the scores %s are dropped and recomputed: %s: %s", path.name, type(error).__name__, error)
        path.unlink(missing_ok=True)


def _download_missing(paths: Sequence[Path]) -> None:
    """Download files that only the shared store has; truncated ones are not JSON and are recomputed."""
    for path, content in sharing.read(*paths):
        with contextlib.suppress(ValueError):
            json.loads(content)
            put(path, content)


def stored_scores(scores: Iterator[Score] | Sequence[Score]) -> Artefact:
    """Return the reference to a file of scores."""
    return stored(_as_json(scores), ".json")


def _as_json(scores: Iterable[Score]) -> str:
    return json.dumps([vars(score) for score in scores])  # asdict would copy thousands of resampled figures


def scores_in(path: Path) -> list[Score]:
    """Return the scores of a file."""
    records = json.loads(path.read_text(encoding="utf-8"))
    return [Score(**fields | {"resampled": tuple(fields["resampled"])}) for fields in records]
