from importlib import import_module
from pathlib import Path

import pytest
import yaml

FILE = yaml.safe_load((Path(__file__).parents[1] / "prefect.yaml").read_text())
KEYS = {
    "name",
    "entrypoint",
    "description",
    "tags",
    "parameters",
    "work_pool",
    "schedules",
    "concurrency_limit",
}


def test_the_file_has_only_keys_that_prefect_knows():
    assert set(FILE) <= {"name", "prefect-version", "build", "push", "pull", "deployments"}


@pytest.mark.parametrize("deployment", FILE["deployments"], ids=lambda d: d["name"])
def test_a_deployment_loads_and_its_parameters_are_accepted(deployment):
    assert set(deployment) <= KEYS
    assert deployment["work_pool"] == {"name": "nadp"}
    module, _, name = deployment["entrypoint"].rpartition(".")
    flow = getattr(import_module(module), name)
    flow.validate_parameters(deployment["parameters"])


def test_no_schedule_runs_before_it_is_switched_on():
    schedules = [schedule for deployment in FILE["deployments"] for schedule in deployment.get("schedules", [])]
    assert schedules
    assert not any(schedule["active"] for schedule in schedules)
