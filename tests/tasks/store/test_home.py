"""Where files live, and who can read them."""

import os

import pytest

from nadp.errors import InputError
from tasks.store.artefacts import stored
from tasks.store.home import home, made_home
from tasks.store.sharing import check_store


def mode(path):
    return path.stat().st_mode & 0o777


@pytest.fixture(autouse=True)
def _user(monkeypatch, tmp_path):
    """A user whose files everybody can read, and who has set nothing."""
    before = os.umask(0o022)
    for name in ("NADP_HOME", "NADP_CACHE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    yield
    os.umask(before)


def test_the_folder_is_made_for_its_owner_only_and_nothing_else_is_closed(tmp_path):
    stored("text", ".txt")
    assert home() == tmp_path / "cache" / "nadp"
    assert (mode(home()), mode(tmp_path / "cache")) == (0o700, 0o755)


def test_the_default_folder_is_closed_where_an_earlier_version_left_it_open():
    home().mkdir(parents=True)
    assert mode(home()) == 0o755
    check_store()
    assert mode(home()) == 0o700


def test_a_folder_that_the_user_made_and_named_keeps_its_permissions(tmp_path, monkeypatch):
    (tmp_path / "shared").mkdir(mode=0o755)
    monkeypatch.setenv("NADP_HOME", str(tmp_path / "shared"))
    assert mode(made_home()) == 0o755
    monkeypatch.setenv("NADP_HOME", str(tmp_path / "new"))
    assert mode(made_home()) == 0o700


def test_what_this_machine_keeps_of_a_shared_store_is_closed(tmp_path, monkeypatch):
    monkeypatch.setenv("NADP_HOME", f"file://{tmp_path}/store")
    check_store()
    assert mode(home()) == 0o700


def test_a_folder_that_cannot_be_made_is_refused_by_name(tmp_path, monkeypatch):
    (tmp_path / "file").touch()
    monkeypatch.setenv("NADP_HOME", str(tmp_path / "file" / "home"))
    with pytest.raises(InputError, match=f"{tmp_path}/file/home"):
        check_store()
