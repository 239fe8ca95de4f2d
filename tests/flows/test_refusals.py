"""What is wrong with a parameter is said in the same words by the command line, the form, and the class."""

import contextlib
from importlib import import_module
from unittest.mock import patch

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from prefect.exceptions import ParameterTypeError
from pydantic import TypeAdapter, ValidationError

from nadp.calibration import noise_multiplier
from nadp.cli.calibrate import Calibrate
from nadp.cli.commands import app, command, start
from nadp.cli.declared import signature_of
from nadp.errors import InputError

FLOWS = ["experiment", "release", "encode", "audit"]
SOUND = {
    "release": {"embedding": "sample", "epsilon": 1.0, "out": "x.txt"},
    "encode": {"texts": "x.txt", "embedding": "sample", "epsilon": 1.0, "out": "x"},
    "audit": {"original": "sample", "released": "sample"},
}
NUMBERS = st.one_of(
    st.sampled_from([-1, 0, 1, 2, 10**30, -0.0, 0.5, 1.5, float("nan"), float("inf"), float("-inf"), 5e-324]),
    st.integers(-(10**6), 10**6),
    st.floats(-10, 10).map(lambda x: round(x, 3)),
)
NAMES = st.sampled_from(
    ["gausian", "nadpp", "men2", "exakt", "nearst", "thread", "dmeo", "vectorz", "x y", "naïve", "1e"]
)


def declared(name):
    return getattr(import_module(f"flows.parameters.{name}"), name.capitalize())


PARAMETERS = [(name, field) for name in FLOWS for field in declared(name).model_fields]


def of_class(kind, values):
    """The values as the class has them, or what it says of them."""
    try:
        return kind.model_validate(values), None
    except ValidationError as error:
        return None, error.errors()[0]["msg"]


def of_command(kind, values, *words):
    """The values as the command line gives them, or the line that it ends with."""
    taken, said = [], []

    def end(message, _):
        said.append(message)
        raise SystemExit

    words = [*words, *(word for name, value in values.items() for word in option(name, value))]
    one = app("x")
    one.default(command(kind, lambda found, _: taken.append(found)))
    patches = patch("nadp.cli.commands.end", end), patch.object(kind, "check"), patch("sys.argv", ["x", *words])
    with patches[0], patches[1], patches[2], contextlib.suppress(SystemExit):
        start(one)
    return (taken or [None])[0], (said or [None])[0]


def option(name, value):
    name = f"--{name.replace('_', '-')}"
    return [name, *map(str, value)] if isinstance(value, list) else [name, str(value)]


@settings(max_examples=150)
@given(st.sampled_from(PARAMETERS), NUMBERS | NAMES, st.booleans())
def test_each_parameter_of_each_flow_is_refused_in_the_same_words_everywhere(parameter, value, twice):
    name, field = parameter
    kind = declared(name)
    hint = str(kind.model_fields[field].annotation)
    if "bool" in hint:
        return  # flags, below
    if "list[" in hint:
        value = [value, value] if twice else [value]
    if "int" not in hint and "float" not in hint:
        value = [str(one) for one in value] if isinstance(value, list) else str(value)
    values = SOUND.get(name, {}) | {field: value}
    found, said = of_class(kind, values)
    taken, line = of_command(kind, values)
    form = TypeAdapter(signature_of(kind).parameters[field].annotation)
    if said is None:
        assert repr(taken) == repr(found)
        assert repr(form.validate_python(value)) == repr(getattr(found, field))
    else:
        assert line == f"error: --{field.replace('_', '-')}: {said}"
        with pytest.raises(ValidationError) as refused:
            form.validate_python(value)
        assert refused.value.errors()[0]["msg"] == said


@pytest.mark.parametrize("name", FLOWS)
def test_a_flow_says_what_the_class_of_its_parameters_says(name):
    kind, flow = declared(name), getattr(import_module(f"flows.{name}"), name)
    wrong = {field: ["x"] if "list[" in str(one.annotation) else "x" for field, one in kind.model_fields.items()}
    said = {field: of_class(kind, SOUND.get(name, {}) | {field: value})[1] for field, value in wrong.items()}
    with pytest.raises(ParameterTypeError) as refused:
        flow.validate_parameters(wrong)
    assert sum(one is not None for one in said.values()) > 10
    assert all(f"{field}: {one}" in str(refused.value) for field, one in said.items() if one)


@pytest.mark.parametrize("name", FLOWS)
def test_names_and_lacks_are_reported_in_the_same_words(name):
    kind, sound = declared(name), SOUND.get(name, {})
    for field in kind.model_fields:
        wrong = f"{field[:-1]}_{field[-1]}"
        _, said = of_class(kind, {**sound, wrong: "x"})
        _, line = of_command(kind, {**sound, wrong: "x"})
        assert f"did you mean {field}?" in said
        assert line.replace("--", "").replace("-", "_") == f"error: {said}".replace("-", "_")
    for field in (one for one in sound if kind.model_fields[one].is_required()):
        left = {one: value for one, value in sound.items() if one != field}
        assert of_command(kind, left)[1] == f"error: --{of_class(kind, left)[1]}"


@pytest.mark.parametrize("name", FLOWS)
def test_a_flag_is_yes_or_no(name):
    kind, sound = declared(name), SOUND.get(name, {})
    for field, one in kind.model_fields.items():
        if "bool" in str(one.annotation):
            said, flag = of_class(kind, {**sound, field: "maybe"})[1], f"--{field.replace('_', '-')}"
            assert of_command(kind, sound, f"{flag}=maybe")[1] == f"error: {flag}: {said}"
            assert getattr(of_command(kind, sound, flag)[0], field) is True


@pytest.mark.parametrize(("epsilon", "delta"), [(-1, 0.1), (float("inf"), 0.1), (1, 0), (1, 1), (1, float("nan"))])
def test_the_library_says_the_same(epsilon, delta):
    with pytest.raises(InputError) as refused:
        noise_multiplier(epsilon, delta)
    said = of_class(Calibrate, {"epsilon": epsilon, "delta": delta})[1]
    assert said.partition(",")[0] in str(refused.value)


def test_help_shows_where_results_go(capsys):
    assert of_command(declared("experiment"), {}, "--help") == (None, None)
    assert "runs/<preset>-<time>" in " ".join(capsys.readouterr().out.replace("│", " ").split())
