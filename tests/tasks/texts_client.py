"""Texts of the Hub by its real client, in a process of its own, since it reads its environment when it is imported.

    python -m tests.tasks.texts_client FOLDER

Writes the outcome of each case to a file of the folder.
"""

import json
import os
import sys
from pathlib import Path

from tests.servers import Fault, FileServer, HubServer

PRIVATE = "zzyzx"
REVISION = "0123456789abcdef0123456789abcdef01234567"
ROWS = [{"key": f"k{i}", "body": f"text {i}\u2028 of zzyzx", "n": i} for i in range(2500)]
README = """---
configs:
- config_name: plain
  data_files:
  - split: train
    path: plain/train.jsonl
  - split: test
    path: plain/test.jsonl
- config_name: other
  data_files: other.jsonl
---
"""


def jsonl(rows):
    return "".join(json.dumps(row) + "\n" for row in rows).encode()


FILES = {
    "me/one": {"data.jsonl": jsonl(ROWS)},
    "me/two": {
        "README.md": README.encode(),
        "plain/train.jsonl": jsonl(ROWS[:3]),
        "plain/test.jsonl": jsonl(ROWS[3:5]),
        "other.jsonl": jsonl([{"text": "other zzyzx"}]),
    },
    "me/null": {"data.jsonl": jsonl([{"text": "zzyzx"}, {"text": None}])},
    "me/broken": {"data.csv": b'text,n\nzzyzx came,1\nzzyzx came,1,2,3\n"'},
}
CASES = {
    "all rows": ("me/one", "body", None, {}),
    "with ids": ("me/one", "body", "key", {}),
    "with integers as ids": ("me/one", "body", "n", {}),
    "a part": ("me/one", "body", None, {"split": "train[10:12]"}),
    "503 at the data": ("me/two", "body", "key", {"config": "plain", "split": "test"}),
    "503 at the data, tried again": ("me/two", "body", "key", {"config": "plain", "split": "test"}),
    "another configuration": ("me/two", "text", None, {"config": "other"}),
    "no configuration": ("me/two", "body", None, {}),
    "no such split": ("me/one", "body", None, {"split": "dev"}),
    "no such column": ("me/one", "text", None, {}),
    "no such data set": ("me/three", "text", None, {}),
    "a null": ("me/null", "text", None, {}),
    "a broken file": ("me/broken", "text", None, {}),
    "no such revision": ("me/one", "body", None, {"revision": "0" * 40}),
}
FAULTS = {"503 at the data": [Fault("GET", "test.jsonl", times=1, status=503)]}


def outcome(out, texts, text_column, id_column, place):
    import traceback

    from nadp.texts.files import read
    from tasks.sources.retries import is_transient
    from tasks.texts import HubPlace, fetch_texts, place_for_copy, split_texts

    try:
        with place_for_copy(texts, out) as copy:
            found = fetch_texts.fn(texts, text_column, id_column, HubPlace(**place, copy=copy))
            found.check()
            modes = [f"{path.stat().st_mode & 0o777:o}" for path in (found.texts.path, found.texts.path.parent)]
            rows = list(read(found.texts, split_texts.fn(found, 100).whole))
    except Exception as error:  # noqa: BLE001 - sent to the test, which checks its class and message
        told = "".join(traceback.format_exception(error))
        return {"error": str(error), "kind": type(error).__name__, "told": told, "transient": is_transient(error)}
    left = [str(path) for place in (out.parent, Path(os.environ["NADP_HOME"])) for path in place.rglob("*")]
    return {"rows": rows, "sha": found.sha256, "modes": modes, "left": left}


def main(folder):
    os.environ["HF_HOME"], os.environ["NADP_HOME"] = str(folder / "cache"), str(folder / "nadp")
    with HubServer(folder / "hub", {"me/one": REVISION}) as hub, FileServer() as proxy:
        os.environ["HF_ENDPOINT"] = hub.url
        os.environ["HTTP_PROXY"] = os.environ["HTTPS_PROXY"] = proxy.url
        results, out = {}, folder / "outputs" / "out"
        for name, case in CASES.items():
            hub.faults = list(FAULTS.get(name, []))
            hub.asked.clear()
            results[name] = outcome(out, *case) | {"statuses": [asked.status for asked in hub.asked]}
        hub.asked.clear()
        results["pinned"] = outcome(out, "me/one", "body", None, {"revision": REVISION}) | {
            "asked": [a.path for a in hub.asked]
        }
    (folder / "results.json").write_text(json.dumps(results), encoding="utf-8")


def arrange(folder):
    for name, files in FILES.items():
        for path, data in files.items():
            file = folder / "hub" / name / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(data)


if __name__ == "__main__":
    arrange(Path(sys.argv[1]))
    main(Path(sys.argv[1]))
