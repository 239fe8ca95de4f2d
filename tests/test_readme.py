import re
from pathlib import Path

README = (Path(__file__).parents[1] / "README.md").read_text(encoding="utf-8")


def test_the_example_of_the_library_runs(capsys):
    (example,) = re.findall(r"```python\n(.*?)```", README, re.DOTALL)
    exec(compile(example, "README.md", "exec"), {})  # noqa: S102 - our own example
    said = capsys.readouterr().out
    assert "(5, 1e-05)-DP" in said
    assert "(2000, 50)" in said


def test_each_command_has_its_marker():
    for number in (1, 2):
        assert len(re.findall(rf"<!-- command {number} -->\n```sh\n.+\n```", README)) == 1
