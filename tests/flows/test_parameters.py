import inspect
from typing import get_args

import pytest
from prefect.exceptions import ParameterTypeError
from pydantic import ValidationError

from flows.experiment import experiment
from flows.parameters.experiment import Settings, settled
from flows.parameters.presets import PRESETS
from flows.parameters.types import BenchmarkName
from nadp import MECHANISMS
from nadp.cli.types import MechanismName
from tasks.sources.benchmarks.catalogue import BENCHMARKS


def test_every_parameter_of_the_flow_is_a_setting_and_explained():
    names = set(inspect.signature(experiment.fn).parameters)
    assert names | {"named_benchmarks"} == set(Settings.model_fields)
    schema = experiment.parameters.model_dump()["properties"]
    assert all(schema[name].get("description") for name in names)


def test_the_choices_are_the_mechanisms_and_benchmarks_that_there_are():
    assert set(get_args(MechanismName)) == set(MECHANISMS)
    assert set(get_args(BenchmarkName)) == set(BENCHMARKS)


@pytest.mark.parametrize("preset", PRESETS)
def test_every_preset_is_complete(preset):
    assert settled({"preset": preset}).preset == preset


def test_a_parameter_that_is_given_wins_over_the_preset_and_an_empty_one_does_not():
    found = settled({"preset": "demo", "words": 7, "repeats": None})
    assert (found.words, found.repeats) == (7, PRESETS["demo"]["repeats"])


def test_the_paper_preset_is_the_papers():
    paper = settled({"preset": "paper"})
    assert (paper.epsilons[0], paper.epsilons[-1], len(paper.epsilons)) == (0.8, 40.0, 50)
    assert (paper.words, paper.repeats, paper.isolated) == (73_404, 5, ["exact"])


@pytest.mark.parametrize(
    "bad",
    [
        {"epsilons": [-1.0]},
        {"epsilons": [float("nan")]},
        {"taus": [1.5]},
        {"delta": 0.0},
        {"delta": 1.0},
        {"words": 0},
        {"preset": "unknown"},
        {"mechanisms": ["unknown"]},
        {"recall": 0.0},
    ],
)
def test_a_value_outside_its_range_is_refused_before_a_run_exists(bad):
    with pytest.raises(ParameterTypeError):
        experiment.validate_parameters(bad)
    with pytest.raises(ValidationError):
        Settings.model_validate({**PRESETS["demo"], "preset": "demo", "named_benchmarks": False} | bad)
