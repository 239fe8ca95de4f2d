from pathlib import Path

from nadp.files.paths import absolute, new_folder


def test_each_run_gets_a_folder_of_its_own_even_in_the_same_second(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    folders = [new_folder("demo") for _ in range(5)]
    assert len(set(folders)) == 5
    assert all(Path(folder).is_dir() and folder.startswith("runs/demo-") for folder in folders)


def test_a_path_is_absolute_with_the_home_directory_and_none_stays_none(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", "/home/someone")
    assert absolute("a/b") == tmp_path / "a" / "b"
    assert absolute("~/a") == Path("/home/someone/a")
    assert absolute(None) is None
