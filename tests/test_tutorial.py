import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow  # it compares mechanisms: 40 s of one core
ROOT = Path(__file__).parents[1]
TUTORIAL = (ROOT / "docs" / "tutorial.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"```(python|sh)\n(.*?)```", TUTORIAL, re.DOTALL)


@pytest.fixture(scope="module")
def ran(tmp_path_factory):
    """All blocks in their order: one namespace for Python, one folder for the commands; what each printed."""
    folder, names, printed = tmp_path_factory.mktemp("tutorial"), {"__name__": "tutorial"}, []
    for name in ("tickets.csv", "tickets.toml"):
        shutil.copy(ROOT / "docs" / "examples" / name, folder)
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        for kind, block in BLOCKS:
            if kind == "python":
                exec(compile(block, "tutorial.md", "exec"), names)  # noqa: S102 - our own blocks
            else:
                assert block.startswith("nadp ")
                command = [sys.executable, "-m", "nadp.cli", *block.split()[1:]]
                done = subprocess.run(command, capture_output=True, text=True, check=False)
                assert done.returncode == 0, done.stderr
                printed.append(done.stdout)
    return folder, names, printed


def test_there_are_ten_steps():
    assert [int(n) for n in re.findall(r"^## (\d+)\.", TUTORIAL, re.MULTILINE)] == list(range(1, 11))


def test_the_blocks_lead_from_the_csv_to_encoded_texts_with_their_certificate(ran):
    folder, names, _ = ran
    assert (folder / "encoded" / "certificate.json").is_file()
    assert len(list((folder / "encoded").glob("part-*.parquet"))) == 1
    assert names["clean"]["accuracy"] > names["clean"]["majority-share"]


def test_the_figures_of_the_text_are_those_of_the_run(ran):
    _, names, _ = ran
    assert f"{(names['rows'] >= 0).mean():.0%}".replace("%", " %") in TUTORIAL
    assert names["graph"].words_without_noise == 0
    assert set(names["found"]["mechanism"]) == {"nadp", "gaussian"}


def test_the_blocks_draw_the_pictures_that_the_page_shows(ran):
    folder, _, _ = ran
    shown = re.findall(r"\(figures/(.*?)\)", TUTORIAL)
    assert len(shown) == 2
    for name in shown:
        assert (folder / name).read_bytes().startswith(b"\x89PNG")
        assert (ROOT / "docs" / "figures" / name).is_file()


def test_the_command_states_the_distinguishing_accuracy_of_the_epsilon(ran):
    _, _, printed = ran
    assert "optimal distinguishing accuracy" in printed[0]
