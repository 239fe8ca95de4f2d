"""The real client of the Hub in a process of its own, since it reads its environment when it is imported.

    python -m tests.tasks.sources.benchmarks.hub_client (online | offline) FOLDER

Writes the outcome of each case to a file of the folder. Whatever is asked of another machine ends at a proxy of ours.
"""

import json
import os
import shutil
import sys
from dataclasses import asdict, replace
from pathlib import Path

from tests.servers import FileServer, HubServer, closed_port
from tests.tasks.sources.benchmarks.hub_cases import FAULTS, Case, Outcome, layouts

CACHED = ("jsonl.gz at a revision", "jsonl, two splits as one", "comma-separated")
"""The layouts that are asked for again without a network."""


def located(case):
    from tasks.sources.benchmarks.catalogue import BENCHMARKS
    from tasks.sources.benchmarks.locating import locate

    place = locate(case.benchmark)
    hub = [source for source in BENCHMARKS[case.benchmark].sources if source.place == "hub"][:1]
    tried = [replace(hub[0], location=case.first), *hub] if case.first else hub
    return replace(place, benchmark=replace(place.benchmark, sources=tuple(tried)), files=())


def outcome(place):
    """Return what comes of fetching a benchmark."""
    from tasks.sources.benchmarks.fetching import fetch_benchmark
    from tasks.sources.retries import is_transient

    try:
        found = fetch_benchmark.fn(place)
    except Exception as error:  # noqa: BLE001 - sent to the test, which checks its class and message
        causes, cause = [], error
        while cause is not None:
            causes.append(type(cause).__name__)
            cause = cause.__cause__ or cause.__context__
        return Outcome(errors=causes, message=str(error), transient=is_transient(error))
    rows = json.loads(Path(found.files[0].path).read_text(encoding="utf-8"))
    return Outcome(rows, found.warning, found.origin)


def online(folder):
    from tasks.sources.benchmarks.locating import locate

    with HubServer(folder / "hub") as hub, FileServer() as proxy:
        os.environ["HF_ENDPOINT"] = hub.url
        os.environ["HTTP_PROXY"] = os.environ["HTTPS_PROXY"] = proxy.url

        def seen(found):
            asked = [(one.method, one.path, one.status) for one in hub.asked]
            outside = [one.host for one in proxy.asked]
            hub.asked.clear()
            proxy.asked.clear()
            return replace(found, asked=asked, outside=outside)

        results = {}
        for name, case in (layouts() | FAULTS).items():
            place = located(case)
            arrange(hub, case, place.benchmark.sources[-1].location)
            results[name] = seen(outcome(place))
        results["a file of this disk"] = seen(outcome(locate("rg65", str(folder / "benchmarks"))))
    return results


def arrange(hub: HubServer, case: Case, name: str):
    if case.files is not None:
        shutil.rmtree(hub.folder / name, ignore_errors=True)
    for path, data in (case.files or {}).items():
        file = hub.folder / name / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(data)
    hub.revisions = {name: case.revision} if case.revision else {}
    hub.faults = [replace(fault) for fault in case.faults]


def offline(_):
    os.environ["HF_ENDPOINT"] = closed_port()
    os.environ["HF_HUB_OFFLINE"] = "1"
    cases = {name: layouts()[name] for name in CACHED} | {"never fetched": Case("sts13", None)}
    return {name: outcome(located(case)) for name, case in cases.items()}


def main(mode, folder):
    os.environ["HF_HOME"] = str(folder / "cache")
    os.environ["NADP_HOME"] = str(folder / mode)
    for name in ("HF_UPDATE_DOWNLOAD_COUNTS", "HF_HUB_OFFLINE", "HF_DATASETS_OFFLINE"):
        os.environ.pop(name, None)  # as it is for most users
    results = {"online": online, "offline": offline}[mode](folder)
    results = {name: asdict(found) for name, found in results.items()}
    (folder / f"{mode}.json").write_text(json.dumps(results), encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]))
