import inspect

import pytest
from prefect.exceptions import ParameterTypeError
from pydantic import ValidationError

from flows.encode import encode
from flows.experiment import experiment, space_of_curve
from flows.parameters.experiment import Settings, forecast_of, settled
from flows.parameters.presets import PRESETS
from flows.release import release
from nadp import MECHANISMS
from nadp.experiment.curves import Curve
from tasks.sources.benchmarks.catalogue import BENCHMARKS


def test_every_parameter_of_the_flow_is_a_setting_and_explained():
    names = set(inspect.signature(experiment.fn).parameters)
    assert names | {"named_benchmarks"} == set(Settings.model_fields)
    schema = experiment.parameters.model_dump()["properties"]
    assert all(schema[name].get("description") for name in names)


def test_forms_offer_the_mechanisms_and_benchmarks_that_there_are():
    settings = experiment.parameters.model_dump()["properties"]
    choices = {name: _choices(settings[name]) for name in ("mechanisms", "benchmarks")}
    assert choices == {"mechanisms": set(MECHANISMS), "benchmarks": set(BENCHMARKS)}
    released, encoded = (
        _choices(flow.parameters.model_dump()["properties"]["mechanism"]) for flow in (release, encode)
    )
    assert {"gaussian", "groups"} <= released < encoded < set(MECHANISMS)


def _choices(schema):
    """All that the form of a parameter lets its user choose."""
    found = set(schema.get("enum", ()))
    for inner in (*schema.get("anyOf", ()), *([schema["items"]] if "items" in schema else ())):
        found |= _choices(inner)
    return found


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


def test_the_forecast_counts_every_graph():
    given = {"preset": "demo", "benchmarks": ["neighbours"], "mechanisms": ["gaussian"], "isolated": ["exact"]}
    few, many = (forecast_of(settled(given | {"taus": taus})).task_runs for taus in ([0.1], [0.1, 0.2, 0.3]))
    assert many - few == 2 * 2  # a graph and its components for each further tau


def test_a_curve_without_a_graph_leaves_no_word_out_because_another_policy_does():
    spaces = {(0.1, "drop"): "few words", (0.1, "nearest"): "all words"}
    assert space_of_curve(spaces, Curve("mahalanobis")) == "all words"
    assert space_of_curve(spaces, Curve("nadp", 0.1, "drop")) == "few words"
    assert space_of_curve({(0.1, "drop"): "few words"}, Curve("none")) == "few words"
