"""The real client of the Hub in a process of its own, since it reads its environment when it is imported.

    python -m tests.tasks.sources.repositories_client FOLDER ENDPOINT NAME[:MEMBER]...

Prints what comes of asking for each embedding, as JSON.
"""

import json
import os
import sys
from pathlib import Path


def outcome(asked):
    from nadp import read_embeddings
    from tasks.embedding import download_glove

    embedding, _, member = asked.partition(":")
    try:
        found = download_glove.fn(embedding, member or None)
    except Exception as error:  # noqa: BLE001 - sent to the test, which checks its class and message
        return {"error": type(error).__name__, "message": str(error)}
    words = read_embeddings(found.file.path).words.tolist()
    beside = sorted(Path(file.path).name for file in found.beside)
    return {"name": found.name, "words": words, "beside": beside, "tokenizer": found.tokenizer is not None}


def main(folder, endpoint, *names):
    os.environ |= {"HF_HOME": str(folder / "cache"), "NADP_HOME": str(folder / "home"), "HF_ENDPOINT": endpoint}
    print(json.dumps([outcome(name) for name in names]))  # noqa: T201 - that is how it answers


if __name__ == "__main__":
    main(Path(sys.argv[1]), *sys.argv[2:])
