"""The page on own tasks: its declaration is the example's, its command is read, and its Python blocks run."""

import re
import shlex
import tomllib
from pathlib import Path

import pytest

from flows.parameters.experiment import Experiment, check, settled

DOCS = Path(__file__).parents[1] / "docs"
PAGE = (DOCS / "own-tasks.md").read_text(encoding="utf-8")
LISTS = {"task", "mechanisms", "epsilons"}


def blocks(language):
    return re.findall(rf"```{language}\n(.*?)```", PAGE, re.DOTALL)


def test_the_declaration_and_the_first_lines_are_those_of_the_example():
    (declaration,) = blocks("toml")
    assert tomllib.loads(declaration) == tomllib.loads((DOCS / "examples" / "tickets.toml").read_text(encoding="utf-8"))
    (lines,) = blocks("csv")
    assert (DOCS / "examples" / "tickets.csv").read_text(encoding="utf-8").startswith(lines)


def given(command):
    """The parameters of a command, as the flow takes them."""
    _, _, module, *words = shlex.split(command)
    assert module == "flows.experiment"
    found = {}
    for word in words:
        if word.startswith("--"):
            found[name := word.removeprefix("--").replace("-", "_")] = []
        else:
            found[name].append(word)
    return {name: values if name in LISTS else values[0] for name, values in found.items()}


def test_the_commands_are_accepted(monkeypatch):
    monkeypatch.chdir(DOCS / "examples")
    first, *_ = (block for block in blocks("sh") if "tickets.toml" in block)
    check(settled(Experiment.model_validate(given(first)).model_dump()))


def test_the_block_from_python_scores_the_example(monkeypatch, capsys):
    monkeypatch.chdir(DOCS / "examples")
    (block,) = (block for block in blocks("python") if "read_task" in block)
    exec(compile(block, "own-tasks.md", "exec"), {})  # noqa: S102 - our own example
    said = dict(re.findall(r"tickets (\S+) ([\d.]+)", capsys.readouterr().out))
    assert float(said["accuracy"]) > float(said["majority-share"])


@pytest.mark.parametrize("block", [block for block in blocks("python") if "scores.csv" in block])
def test_the_block_that_reads_scores_finds_them(block, tmp_path, monkeypatch, capsys):
    folder = tmp_path / "runs" / "tickets"
    folder.mkdir(parents=True)
    rows = ["benchmark,metric,value,mechanism,epsilon", "tickets,accuracy,.5,nadp,5.0", "tickets,accuracy,.7,nadp,5.0"]
    (folder / "scores.csv").write_text("\n".join([*rows, "tickets,majority-share,.2,nadp,5.0"]) + "\n")
    monkeypatch.chdir(tmp_path)
    exec(compile(block, "own-tasks.md", "exec"), {})  # noqa: S102 - our own example
    assert "0.6" in capsys.readouterr().out
