"""User-defined tasks, from a file beside a declaration to the scores, and what is refused before the run."""

import csv
import random

import pytest

from flows.experiment import experiment
from flows.parameters.experiment import check, settled
from nadp import InputError
from tasks.store.home import home
from tests.flows.conftest import manifest, scores

pytestmark = [pytest.mark.servers, pytest.mark.usefixtures("prefect_server")]

TICKETS = """
name = "tickets"
family = "labelled-texts"
source = "tickets.csv"
text = "body"
label = "team"
metric = "macro-f1"
"""
NEAR = 'name = "near"\nfamily = "neighbours"\nsample = 100\n'
ROWS = 'name = "parts"\nfamily = "labelled-rows"\nsource = "parts.jsonl"\nid = "word"\n'
PAIRS = 'name = "pairs"\nfamily = "row-pairs"\nsource = "pairs.tsv"\nfirst = "one"\nsecond = "other"\n'


@pytest.fixture(scope="module")
def folder(tmp_path_factory, lines):
    """Declarations, and the data that they declare: texts of known words, and rows of the embedding."""
    root = tmp_path_factory.mktemp("own")
    words = [line.split(b" ")[0].decode() for line in lines[:600]]
    rng = random.Random(0)  # noqa: S311 - of a test
    with (root / "tickets.csv").open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["id", "body", "team"])
        for i in range(90):
            text = " ".join(rng.choice(words[200 * (i % 3) : 200 * (i % 3 + 1)]) for _ in range(6))
            writer.writerow([i, f'{text},\n"quoted"', ["billing", "shipping", "returns"][i % 3]])
    (root / "parts.jsonl").write_text(
        "".join(f'{{"word": "{w}", "label": {i % 2}}}\n' for i, w in enumerate(words) if w.isalpha())
    )
    plain = [w for w in words if w.isalpha()]
    (root / "pairs.tsv").write_text("one\tother\tscore\n" + "".join(f"{w}\tthe\t{len(w)}\n" for w in plain[1:80]))
    for name, text in (("tickets", TICKETS), ("near", NEAR), ("parts", ROWS), ("pairs", PAIRS)):
        (root / f"{name}.toml").write_text(text)
    return root


@pytest.fixture(scope="module")
def ran(folder, embedding, tmp_path_factory):
    out = tmp_path_factory.mktemp("out")
    state = experiment(
        embedding=str(embedding),
        words=500,
        mechanisms=["gaussian"],
        epsilons=[1.0, 1000.0],
        repeats=1,
        task=[str(folder / f"{name}.toml") for name in ("tickets", "near", "parts", "pairs")],
        out=str(out),
        return_state=True,
    )
    assert state.is_completed(), state.message
    return out


def value(rows, benchmark, metric, epsilon):
    (found,) = [
        float(r["value"]) for r in rows if (r["benchmark"], r["metric"], r["epsilon"]) == (benchmark, metric, epsilon)
    ]
    return found


def test_only_own_tasks_are_evaluated_where_no_benchmark_is_named(ran):
    found = manifest(ran)["benchmarks"]
    assert [(b["name"], b["family"], b["metric"]) for b in found] == [
        ("tickets", "labelled-texts", "macro-f1"),
        ("near", "neighbours", "neighbours-kept"),
        ("parts", "labelled-rows", "accuracy"),
        ("pairs", "row-pairs", "spearman"),
    ]
    assert {b["rows"] for b in found} > {90, 79}


def test_each_own_task_has_its_scores_with_and_without_noise(ran):
    rows = scores(ran)
    for epsilon in ("", "1.0", "1000.0"):
        for benchmark, metric in (("tickets", "accuracy"), ("parts", "accuracy"), ("pairs", "spearman")):
            assert -1 <= value(rows, benchmark, metric, epsilon) <= 1
    kept = [value(rows, "near", "neighbours-kept", epsilon) for epsilon in ("1.0", "1000.0", "")]
    assert kept[0] < kept[1] <= kept[2] == 1
    assert value(rows, "tickets", "macro-f1", "") > 1 / 3


def refused(folder, text, **others):
    (folder / "wrong.toml").write_text(text)
    with pytest.raises(InputError) as caught:
        check(settled({"preset": "demo", "task": [str(folder / "wrong.toml")]} | others))
    return str(caught.value)


def test_what_is_wrong_is_refused_before_the_run(folder):
    assert 'text = "body"' in refused(folder, TICKETS.replace("text =", "txt ="))
    column = refused(folder, TICKETS.replace('"body"', '"bdy"'))
    assert "'id', 'body', 'team'" in column
    assert 'text = "body"' in column
    assert str(folder / "lost.csv") in refused(folder, TICKETS.replace("tickets.csv", "lost.csv"))
    assert "'men'" in refused(folder, TICKETS.replace('"tickets"', '"men"'))
    (folder / "one.csv").write_text("body,team\nthe,a\nof,a\nand,a\n")
    single = refused(folder, TICKETS.replace("tickets.csv", "one.csv"))
    assert "every label is 'a'" in single
    assert 'label = "' in single
    (folder / "none.csv").write_text("body,team\nthe,-1\nof,-1\n")
    assert "-1" in refused(folder, TICKETS.replace("tickets.csv", "none.csv"))


def test_two_tasks_of_one_name_are_refused(folder):
    with pytest.raises(InputError, match="'tickets'"):
        check(settled({"preset": "demo", "task": [str(folder / "tickets.toml")] * 2}))


def test_a_task_of_which_nothing_is_known_is_refused_and_not_scored(folder, embedding, tmp_path):
    (folder / "lemmas.toml").write_text(
        'name = "lemmas"\nfamily = "word-pairs"\nsource = "lemmas.txt"\nformat = "spaces"\n'
        'header = ["first", "second", "score"]\n'
    )
    (folder / "lemmas.txt").write_text("sun-n sunlight-n 50\nthe-x of-x 3\n")
    given = {"embedding": str(embedding), "words": 300, "task": [str(folder / "lemmas.toml")], "repeats": 1}
    state = experiment(**given, out=str(tmp_path / "out"), return_state=True)
    assert state.is_failed()
    with pytest.raises(InputError, match="lemmas"):
        state.result()
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ({}, ["men", "odd-man-out"]),
        ({"language": "en-GB"}, ["men", "odd-man-out"]),
        ({"language": "fr"}, ["sts-b-fr", "neighbours"]),
        ({"language": "de"}, ["gur350", "sts-b-de", "neighbours"]),
        ({"language": "de", "benchmarks": ["men"]}, ["men"]),
    ],
)
def test_the_benchmarks_are_those_of_the_language(given, expected):
    found = settled({"preset": "demo"} | given)
    assert set(expected) <= set(found.benchmarks)
    assert found.named_benchmarks == ("benchmarks" in given)
    assert (found.benchmarks == ["men"]) == ("benchmarks" in given)


@pytest.mark.usefixtures("ran")
def test_no_copy_is_kept_of_peoples_own_files(folder):
    text = (folder / "tickets.csv").read_text().splitlines()[1].split(",")[1].strip('"').encode()
    assert text in (folder / "tickets.csv").read_bytes()
    assert [path for path in home().rglob("*") if path.is_file() and text in path.read_bytes()] == []
