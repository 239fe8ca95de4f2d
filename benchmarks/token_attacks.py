"""What attackers recover from encoded tokens: ours and, if their Pythons are given, mldp-text's and pypantera's.

python -m benchmarks.token_attacks glove.6B.50d.zip --mldp-python A/bin/python --pypantera-python B/bin/python

Tokens are drawn by Zipf's law from the words' ranks. Peers return a word for each word. From several answers for one
token, the attacker takes the word nearest to the mean of their vectors, or the most frequent answer.
"""

import json
import os
import subprocess
import tempfile
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.machine import arguments, written
from nadp import Embeddings, EmbeddingSpace, read_embeddings
from nadp.embeddings import Ids
from nadp.files import write_embeddings
from nadp.groups import Bounds, partition, zipf_prior
from nadp.search.decoding import nearest_points
from nadp.texts import TextEncoder, group_encoder, token_recovery

OURS = [("nadp", 1.0), ("nadp", 5.0), ("nadp", 10.0), ("gaussian", 10.0), ("laplacian", 10.0), ("mahalanobis", 10.0)]
SHARES = (0.3, 0.2)  # of groups
REPEATS = (1, 5, 25)
_PEERS = Path(__file__).parent / "peers"
_EPSILON = "10"


def main() -> None:
    """Print the tables."""
    parser = arguments(__doc__, words=10_000)
    parser.add_argument("--mldp-python", type=Path)
    parser.add_argument("--pypantera-python", type=Path)
    parser.add_argument("--tokens", type=int, default=300)
    given = parser.parse_args()
    space = EmbeddingSpace.build(read_embeddings(given.embedding, limit=given.words))
    zipf = 1 / np.arange(1, len(space) + 1)
    rows = np.random.default_rng(0).choice(len(space), given.tokens, p=zipf / zipf.sum())
    ours = []
    for mechanism, epsilon in OURS:
        encoder = TextEncoder.build(space, epsilon=epsilon, mechanism=mechanism)
        for repeats in REPEATS:
            found = {r.attack: round(r.recovered, 4) for r in token_recovery(encoder, rows, repeats, zipf)}
            together = encoder.guarantee.of_tokens(repeats)[0]
            ours.append(
                {"mechanism": mechanism, "epsilon": epsilon, "repeats": repeats, "epsilon of all": together} | found
            )
            print(ours[-1], flush=True)
    for share in SHARES:
        groups = partition(space.embeddings, space.neighbours, zipf_prior(len(space)), Bounds(max_share=share))
        encoder = group_encoder(space.embeddings, groups)
        for repeats in REPEATS:
            found = {r.attack: round(r.recovered, 4) for r in token_recovery(encoder, rows, repeats, zipf)}
            ours.append({"mechanism": "groups", "max_share": share, "repeats": repeats} | found)
            print(ours[-1], flush=True)
    peers = list(_peers(given, space.embeddings, rows))
    about = {"embedding": given.embedding.name, "words": len(space), "tokens": given.tokens}
    written({**about, "ours": ours, "peers": peers}, given.out)


def _peers(given: Any, embeddings: Embeddings, rows: Ids) -> Any:  # noqa: ANN401
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        write_embeddings(place / "vectors.txt", embeddings, "glove")
        write_embeddings(place / "vectors.w2v.txt", embeddings, "word2vec")
        words = embeddings.words[np.repeat(rows, max(REPEATS))].tolist()
        (place / "words.txt").write_text("\n".join(words), encoding="utf-8")
        for name, python, script, vectors in (
            ("mldp-text", given.mldp_python, "mldp_text_words.py", "vectors.w2v.txt"),
            ("pypantera", given.pypantera_python, "pypantera_words.py", "vectors.txt"),
        ):
            for mechanism in ("multivariate_calibrated", "mahalanobis") if python else ():
                command = [
                    python.absolute(),
                    _PEERS / script,
                    place / vectors,
                    place / "words.txt",
                    mechanism,
                    _EPSILON,
                ]
                threads = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"), "1")
                done = subprocess.run(  # noqa: S603 - a script of this folder
                    [*map(str, command)], check=True, capture_output=True, text=True, env=os.environ | threads
                )
                answers = np.reshape(json.loads(done.stdout.splitlines()[-1])["words"], (len(rows), max(REPEATS)))
                for row in _attacked(embeddings, rows, answers):
                    print(name, mechanism, row, flush=True)
                    yield {"package": name, "mechanism": mechanism, "epsilon": float(_EPSILON)} | row


def _attacked(embeddings: Embeddings, rows: Ids, answers: Any) -> Any:  # noqa: ANN401
    for repeats in REPEATS:
        some = answers[:, :repeats]
        vectors = embeddings.vectors[embeddings.rows(some.ravel().tolist())].reshape(*some.shape, -1)
        near = nearest_points(embeddings.vectors, vectors.mean(axis=1), 1)[:, 0]
        often = embeddings.rows([Counter(own).most_common(1)[0][0] for own in some.tolist()])
        yield {
            "repeats": repeats,
            "as it is": float((embeddings.rows(some[:, 0].tolist()) == rows).mean()),
            "nearest to the mean": float((near == rows).mean()),
            "most frequent answer": float((often == rows).mean()),
        }


if __name__ == "__main__":
    main()
