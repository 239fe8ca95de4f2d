"""Texts made private from end to end: every format, a killed run, what is refused, and what stays secret."""

import csv
import inspect
import json
import logging
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from prefect.settings import PREFECT_API_DATABASE_CONNECTION_URL, PREFECT_API_URL

from flows.encode import encode
from flows.parameters.encode import Encode
from nadp import InputError, read_embeddings
from nadp.runtime.parallel import cores

pytestmark = [pytest.mark.servers, pytest.mark.usefixtures("prefect_server")]

CHECKOUT = Path(__file__).parents[2]
SECRET = "zzyzxq"  # noqa: S105 - a word of a private text


@pytest.fixture(scope="module")
def texts(embedding):
    """Twenty-five texts of known words, some empty, one with a word that nobody knows."""
    words = [word for word in read_embeddings(embedding).words.tolist() if word.isalpha()]
    made = [" ".join(words[i : i + i % 5]) for i in range(25)]
    return [*made[:7], f"{made[7]} {SECRET}", *made[8:]]


def written(folder, suffix, texts):
    path = folder / f"texts{suffix}"
    keys = [f"k{i}" for i in range(len(texts))]
    if suffix == ".txt":
        path.write_text("".join(text + "\n" for text in texts))
    elif suffix == ".jsonl":
        path.write_text("".join(json.dumps({"key": k, "text": t}) + "\n" for k, t in zip(keys, texts, strict=True)))
    elif suffix == ".parquet":
        pq.write_table(pa.table({"key": keys, "text": texts}), path)
    else:
        with path.open("w", newline="") as file:
            writer = csv.writer(file, "excel-tab" if suffix == ".tsv" else "excel")
            writer.writerows([("key", "text"), *zip(keys, texts, strict=True)])
    return path


def run(texts, embedding, out, epsilon=5.0, **more):
    more = {"shard_texts": 10, **more}
    return encode(str(texts), str(embedding), str(out), epsilon=epsilon, return_state=True, **more)


def counted(out):
    """What was counted, for the owner of the texts only."""
    file = out.parent / f".{out.name}.record" / "counts.json"
    assert [path.stat().st_mode & 0o777 for path in (file, file.parent)] == [0o600, 0o700]
    return json.loads(file.read_text())


def rows(out):
    return [row for part in sorted(out.glob("part-*.parquet")) for row in pq.read_table(part).to_pylist()]


@pytest.mark.parametrize("suffix", [".txt", ".csv", ".tsv", ".jsonl", ".parquet"])
def test_every_text_of_every_format_comes_out_in_order_with_its_id_and_a_vector_for_each_known_token(
    texts, embedding, tmp_path, suffix
):
    path = written(tmp_path, suffix, texts)
    state = run(path, embedding, tmp_path / "out", id_column=None if suffix == ".txt" else "key")
    assert state.is_completed()
    assert "25 of 25 texts" in state.message
    assert "3 parts: 3 made now, 0 before, 0 failed" in state.message
    found = rows(tmp_path / "out")
    assert [row["id"] for row in found] == [i if suffix == ".txt" else f"k{i}" for i in range(25)]
    known = [[word for word in text.split() if word != SECRET] for text in texts]
    assert [len(row["vectors"]) for row in found] == [len(text) for text in known]
    vectors = np.array([vector for row in found for vector in row["vectors"]])
    original = read_embeddings(embedding)
    clean = original.vectors[original.rows([word for text in known for word in text])]
    assert (vectors != clean).any(axis=1).all()
    assert 0 < np.corrcoef(vectors.ravel(), clean.ravel())[0, 1] < 1
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == [
        "certificate.json",
        "certificate.md",
        *(f"part-0000{i}.parquet" for i in range(3)),
    ]
    certificate = json.loads((tmp_path / "out" / "certificate.json").read_text())
    assert "differential privacy" in certificate["statement"]
    assert certificate["of_tokens"]["1"] == [5.0, certificate["guarantee"]["delta"]]
    assert certificate["of_tokens"]["20"][0] == pytest.approx(31.42, abs=0.01)  # sqrt(20) mu at the same delta
    attacks = {one["attack"]: one["recovered"] for one in certificate["recovery"]}
    assert set(attacks) >= {"nearest word", "most likely word", "always the most frequent word"}
    page = (tmp_path / "out" / "certificate.md").read_text()
    assert "| 20 | 31.42 |" in page
    assert "| nearest word |" in page


def test_a_word_that_comes_again_has_noise_of_its_own_each_time(embedding, tmp_path):
    word = read_embeddings(embedding).words[50]
    (tmp_path / "texts.txt").write_text(f"{word} {word}\n{word}\n")
    assert run(tmp_path / "texts.txt", embedding, tmp_path / "out").is_completed()
    vectors = np.array([vector for row in rows(tmp_path / "out") for vector in row["vectors"]])
    assert len(np.unique(vectors, axis=0)) == 3


def test_centroids_and_words_come_out_as_asked(texts, embedding, tmp_path):
    path = written(tmp_path, ".txt", texts)
    assert run(path, embedding, tmp_path / "c", output="centroids", length=4).is_completed()
    assert np.array([row["centroid"] for row in rows(tmp_path / "c")]).shape == (25, 50)
    (tmp_path / "list.txt").write_text("the 1000\nof 900\n")
    more = {"output": "words", "frequencies": str(tmp_path / "list.txt"), "shuffle": True, "budget": 8.0}
    state = run(path, embedding, tmp_path / "w", epsilon=8.0, **more)
    assert state.is_completed()
    assert counted(tmp_path / "w")["spread"] > 0
    known = set(read_embeddings(embedding).words.tolist())
    found = rows(tmp_path / "w")
    assert {word for row in found for word in row["words"]} <= known
    assert len(found[9]["words"]) == 4


def test_a_token_that_is_not_known_gets_the_place_of_a_known_word_by_its_parts(embedding, tmp_path):
    from gensim.models.fasttext import FastText, save_facebook_model

    model = FastText([["police", "policy", "polite"]] * 5, vector_size=50, min_count=1, bucket=200, epochs=1, seed=1)
    save_facebook_model(model, str(tmp_path / "model.bin"))
    (tmp_path / "texts.txt").write_text(f"the {SECRET}\n")
    more = {"unknown": "subword", "subwords": str(tmp_path / "model.bin")}
    state = run(tmp_path / "texts.txt", embedding, tmp_path / "out", **more)
    assert state.is_completed()
    assert counted(tmp_path / "out") == {"texts": 1, "tokens": 2, "unknown": 0, "cut": 0, "spread": 0}
    assert len(rows(tmp_path / "out")[0]["vectors"]) == 2


def test_a_second_run_recomputes_nothing_and_leaves_every_byte(texts, embedding, tmp_path):
    path = written(tmp_path, ".csv", texts)
    run(path, embedding, tmp_path / "out")
    before = {file: file.read_bytes() for file in (tmp_path / "out").glob("part-*")}
    state = run(path, embedding, tmp_path / "out")
    assert state.is_completed()
    assert "3 parts: 0 made now, 3 before" in state.message
    assert {file: file.read_bytes() for file in (tmp_path / "out").glob("part-*")} == before


def test_another_output_of_the_same_texts_has_other_noise(texts, embedding, tmp_path):
    path = written(tmp_path, ".csv", texts)
    one, two = (run(path, embedding, tmp_path / name) and rows(tmp_path / name) for name in ("one", "two"))
    pairs = [(a, b) for x, y in zip(one, two, strict=True) for a, b in zip(x["vectors"], y["vectors"], strict=True)]
    assert pairs
    assert not any(a == b for a, b in pairs)


def test_an_output_that_was_begun_with_other_terms_is_refused_with_what_differs(texts, embedding, tmp_path):
    path = written(tmp_path, ".jsonl", texts)
    run(path, embedding, tmp_path / "out")
    with pytest.raises(InputError, match="shuffle was False and is True"):
        run(path, embedding, tmp_path / "out", shuffle=True).result()
    with pytest.raises(InputError, match="encoder was"):
        run(path, embedding, tmp_path / "out", epsilon=4.0).result()
    path.write_text(path.read_text() + '{"text": "the"}\n')
    with pytest.raises(InputError, match="the texts were others"):
        run(path, embedding, tmp_path / "out").result()


def test_a_shard_that_fails_ends_the_run_failed_and_leaves_the_others(texts, embedding, tmp_path):
    path, out = written(tmp_path, ".txt", texts), tmp_path / "out"
    run(path, embedding, out)
    lost = (out / "part-00001.parquet").read_bytes()
    (out / "part-00001.parquet").unlink()
    for file in (out / "part-00002.parquet", tmp_path / ".out.record" / "part-00002.parquet.sealed"):
        file.unlink()  # as if the third had never been made
    state = run(path, embedding, out)
    assert state.is_failed()
    assert "3 parts: 1 made now, 1 before, 1 failed" in state.message
    assert "part-00001.parquet is missing" in state.message
    (out / "part-00001.parquet").write_bytes(lost)
    state = run(path, embedding, out)
    assert state.is_completed()
    assert "0 made now, 3 before" in state.message
    assert len(rows(out)) == 25


@pytest.mark.parametrize(
    ("more", "message"),
    [
        ({"unknown": "error"}, "counted from 0 at the text with id 0, text 7 has a token at position 2"),
        ({"max_unknown": 0.01}, "1%"),
        ({"tokenizer": "spaces", "unknown": "error"}, "text 7"),
        ({"budget": 5.0, "over_budget": "refuse"}, "text 2 has 2 tokens, which together cost"),
        ({"isolated": "exact", "tau": 0.4}, "choose isolated='nearest'"),
        ({"epsilon": 11.0}, "is 11, the limit 10"),
        ({"unknown": "subword"}, "subwords"),
        ({"frequencies": "list.txt"}, "frequencies are for output=words"),
        ({"subwords": "nowhere.bin"}, "no file 'nowhere.bin'"),
        ({"text_column": "body"}, "no columns"),
    ],
)
def test_what_is_refused_is_refused_before_anything_is_made(texts, embedding, tmp_path, more, message):
    path = written(tmp_path, ".txt", texts)
    with pytest.raises(InputError, match=message):
        run(path, embedding, tmp_path / "out", **more).result()
    assert not (tmp_path / "out").exists()
    assert not (tmp_path / ".out.record").exists()


def command(*options, **more):
    return [sys.executable, "-m", "flows.encode", *options], {"cwd": CHECKOUT, "env": os.environ | more}


def test_a_killed_run_continues_where_it_stopped(embedding, texts, tmp_path):
    path, out = tmp_path / "texts.txt", tmp_path / "out"
    path.write_text("".join(text + "\n" for text in texts * 40))
    options = {"texts": path, "embedding": embedding, "epsilon": 5, "out": out, "shard-texts": 10}
    given, more = command(
        *(str(x) for k, v in options.items() for x in (f"--{k}", v)), PREFECT_API_URL=PREFECT_API_URL.value()
    )
    with (tmp_path / "log").open("w") as log:
        running = subprocess.Popen(given, stdout=log, stderr=subprocess.STDOUT, **more)
        deadline = time.monotonic() + 300
        while len(list(out.glob("part-*"))) < 3 and running.poll() is None and time.monotonic() < deadline:
            time.sleep(0.01)
        running.send_signal(signal.SIGKILL)
        assert running.wait() == -signal.SIGKILL, (tmp_path / "log").read_text()
    before = {file: file.read_bytes() for file in out.glob("part-*")}
    assert 3 <= len(before) < 100
    state = run(path, embedding, out)
    assert state.is_completed()
    made, earlier = map(int, re.search(r"100 parts: (\d+) made now, (\d+) before, 0 failed", state.message).groups())
    assert len(before) <= earlier <= len(before) + cores()  # some were sealed, but not yet at their places
    assert made + earlier == 100
    assert {file: file.read_bytes() for file in before} == before
    assert [row["id"] for row in rows(out)] == list(range(1000))
    left = {file.suffix for file in (tmp_path / ".out.record").iterdir()}
    assert left == {".lock", ".sealed", ".json"}


class Heard(logging.Handler):
    def __init__(self):
        super().__init__()
        self.lines = []

    def emit(self, record):
        self.lines.append(self.format(record))


@pytest.fixture
def heard():
    """All that is logged, wherever."""
    handler = Heard()
    names = ["", *(name for name in logging.root.manager.loggerDict if name.startswith(("prefect", "nadp")))]
    for name in names:
        logging.getLogger(name).addHandler(handler)
    yield handler.lines
    for name in names:
        logging.getLogger(name).removeHandler(handler)


def database():
    """All bytes of the server's database."""
    file = Path(str(PREFECT_API_DATABASE_CONNECTION_URL.value()).partition("///")[2])
    return b"".join(path.read_bytes() for path in file.parent.glob(f"{file.name}*"))


def test_no_word_of_a_text_reaches_logs_or_the_database(texts, embedding, tmp_path, heard):
    path = written(tmp_path, ".jsonl", [f"{text} {SECRET}" for text in texts])
    assert run(path, embedding, tmp_path / "out-of-secrets", output="words").is_completed()
    assert run(path, embedding, tmp_path / "out", unknown="error").is_failed()
    with path.open("a") as file:
        file.write(f'{{"text": "{SECRET}", "n": NaN}}\n{{"text": 5, "{SECRET} {SECRET}": 1}}\n{SECRET}')
    assert run(path, embedding, tmp_path / "out").is_failed()
    (tmp_path / "texts.csv").write_text(f"1,{SECRET} and more\n2,{SECRET} and less\n")
    assert run(tmp_path / "texts.csv", embedding, tmp_path / "out").is_failed()
    wanted = [b"out-of-secrets", b"encode-shard 2", b"the value of 'text' is an integer", b"that may be text"]
    deadline = time.monotonic() + 120
    while [one for one in wanted if one not in database()] and time.monotonic() < deadline:
        time.sleep(0.2)
    assert [one for one in wanted if one not in database()] == []  # else the search below would prove nothing
    assert SECRET.encode() not in database()
    assert any("out-of-secrets" in line for line in heard)
    assert any("the value of 'text' is an integer" in line for line in heard)
    assert not any(SECRET in line for line in heard)


def test_help_explains_every_parameter():
    given, more = command("--help", COLUMNS="160")
    done = subprocess.run(given, capture_output=True, text=True, check=False, **more)
    assert done.returncode == 0
    for name in inspect.signature(encode.fn).parameters:
        assert f"--{name.replace('_', '-')}" in done.stdout
    assert " ".join(inspect.getdoc(Encode).split()) in " ".join(done.stdout.split())


def test_a_mistake_is_one_message_without_a_traceback(embedding, tmp_path):
    (tmp_path / "texts.csv").write_text("body\nthe\n")
    options = ("--texts", str(tmp_path / "texts.csv"), "--embedding", str(embedding), "--epsilon", "5", "--out", "x")
    given, more = command(*options, PREFECT_API_URL=PREFECT_API_URL.value())
    done = subprocess.run(given, capture_output=True, text=True, check=False, **more)
    assert done.returncode == 2
    assert "no column 'text'; its columns: 'body'" in done.stderr
    assert "Traceback" not in done.stdout + done.stderr
