"""prefect.yaml is read strictly: Prefect itself ignores a key that it does not know."""

import tomllib
from copy import deepcopy
from importlib.metadata import version
from pathlib import Path

import pytest
import yaml
from packaging.specifiers import SpecifierSet
from prefect.automations import Automation
from prefect.cli.deploy._models import PrefectYamlModel
from prefect.client.schemas.schedules import construct_schedule
from prefect.exceptions import MissingFlowError
from prefect.flows import load_flow_from_entrypoint
from prefect.settings import Settings
from prefect.utilities.schema_tools.validation import validate

ROOT = Path(__file__).parents[1]
FILE = yaml.safe_load((ROOT / "prefect.yaml").read_text(encoding="utf-8"))
LIMIT = {"limit": 1, "collision_strategy": "ENQUEUE"}  # runs of a deployment wait for each other


def checked(file):
    """Return the deployments of a file by flow and name; raise for whatever is wrong with it."""
    found = PrefectYamlModel.model_validate(file, extra="forbid")  # a key, at any depth, that Prefect does not know
    assert version("prefect") in SpecifierSet(found.prefect_version)
    assert found.pull is None, "flows are run from the checkout"
    deployments = {}
    for deployment in found.deployments:
        flow = load_flow_from_entrypoint(deployment.entrypoint)
        assert deployment.entrypoint == f"{flow.fn.__module__}.{flow.fn.__name__}", "no module's path"
        assert (flow.name, deployment.name) not in deployments, "a name that is taken"
        deployments[flow.name, deployment.name] = deployment
        _check(flow, deployment)
    return deployments


def _check(flow, deployment):
    assert deployment.description
    assert deployment.tags == [flow.name]
    given = deployment.model_dump(exclude_unset=True)
    assert given["work_pool"] == {"name": "nadp"}
    assert given["concurrency_limit"] == LIMIT
    schema = flow.parameters.model_dump_for_openapi()
    assert validate(deployment.parameters, schema) == []
    assert set(deployment.parameters) <= set(schema["properties"])
    flow.validate_parameters(deployment.parameters)
    for schedule in deployment.schedules or []:
        assert schedule.active is False, "a schedule that runs before it is switched on"
        assert schedule.timezone
        construct_schedule(
            cron=schedule.cron, interval=schedule.interval, rrule=schedule.rrule, timezone=schedule.timezone
        )


def test_all_deployments_are_sound():
    assert checked(FILE).keys() >= {
        ("experiment", "demo"),
        ("experiment", "paper"),
        ("audit", "on-demand"),
        ("release", "weekly"),
        ("encode", "on-demand"),
    }


def test_the_release_has_the_only_schedule():
    assert [name for name, deployment in checked(FILE).items() if deployment.schedules] == [("release", "weekly")]


WEEKLY = next(i for i, deployment in enumerate(FILE["deployments"]) if deployment["name"] == "weekly")


@pytest.mark.parametrize(
    ("where", "wrong"),
    [
        (["deployment"], []),
        (["prefect-version"], ">=4"),
        (["pull"], [{"prefect.deployments.steps.set_working_directory": {"directory": "/"}}]),
        (["deployments", 0, "paramters"], {}),
        (["deployments", 0, "name"], "paper"),
        (["deployments", 0, "tags"], []),
        (["deployments", 0, "description"], ""),
        (["deployments", 0, "entrypoint"], "flows.experiment.experment"),
        (["deployments", 0, "entrypoint"], "flows/experiment.py:experiment"),
        (["deployments", 0, "parameters", "presets"], "demo"),
        (["deployments", 0, "parameters", "preset"], "dmeo"),
        (["deployments", 0, "parameters", "words"], 0),
        (["deployments", 0, "work_pool", "name"], "default"),
        (["deployments", 0, "work_pool", "queue"], "nadp"),
        (["deployments", 0, "concurrency_limit"], 1),
        (["deployments", 0, "concurrency_limit", "colision_strategy"], "ENQUEUE"),
        (["deployments", WEEKLY, "parameters"], {"embedding": "sample"}),
        (["deployments", WEEKLY, "schedules", 0, "active"], True),
        (["deployments", WEEKLY, "schedules", 0, "cron"], "0 25 * * 1"),
        (["deployments", WEEKLY, "schedules", 0, "timezone"], "UCT+1"),
        (["deployments", WEEKLY, "schedules", 0, "crom"], "0 6 * * 1"),
    ],
    ids=lambda value: ".".join(map(str, value)) if isinstance(value, list) else "",
)
def test_whatever_could_be_wrong_is_seen(where, wrong):
    file = deepcopy(FILE)
    *path, last = where
    inner = file
    for step in path:
        inner = inner[step]
    inner[last] = wrong
    with pytest.raises((AssertionError, ValueError, MissingFlowError)):
        checked(file)


def test_the_settings_are_some_that_prefect_knows():
    given = tomllib.loads((ROOT / "prefect.toml").read_text(encoding="utf-8"))

    def check(model, values):
        for name, value in values.items():
            assert name in model.model_fields
            if isinstance(value, dict):
                check(model.model_fields[name].annotation, value)

    check(Settings, given)
    assert given["server"]["analytics_enabled"] is given["server"]["ui"]["v2_enabled"] is False


def test_the_automation_for_dead_runs_waits_longer_than_their_signs_of_life():
    given = yaml.safe_load((ROOT / "zombie-runs.yaml").read_text(encoding="utf-8"))
    automation = Automation.model_validate(given, extra="forbid")
    settings = tomllib.loads((ROOT / "prefect.toml").read_text(encoding="utf-8"))
    assert automation.trigger.within.total_seconds() >= 3 * settings["flows"]["heartbeat_frequency"]
