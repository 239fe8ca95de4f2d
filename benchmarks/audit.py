"""All audits of one release except the distinguishing attack, against a limit of three minutes.

python -m benchmarks.audit en.explosion.300d.20k.zip --words 73404 --out audit.json
"""

import numpy as np

from benchmarks.machine import Clock, arguments, peak_memory, written
from benchmarks.vectors import grown
from nadp import MECHANISMS, Embeddings, EmbeddingSpace
from nadp.audit.auditing import Options, audit_release
from nadp.audit.pair import paired
from nadp.mechanisms import claimed

LIMIT = 180.0  # seconds
CLAIM = claimed("nadp", 10.0, 1e-6)


def main() -> None:
    """Measure and print the results."""
    given = arguments(__doc__).parse_args()
    clock = Clock()
    with clock.of("vectors"):
        embeddings = grown(given.embedding, given.words)
    with clock.of("exact neighbours, graph and components"):
        space = EmbeddingSpace.build(embeddings)
    made = MECHANISMS["nadp"]().perturb(space, CLAIM.epsilon, CLAIM.delta, np.random.default_rng(0))
    release = Embeddings(made.words, np.round(made.vectors * 2**12) / np.float32(2**12))
    prior = 1 / np.arange(1, len(space) + 1.0)
    with clock.of("audit"):
        found = audit_release(
            paired(space, release, CLAIM), np.random.default_rng(1), prior=prior, options=Options(draws=0)
        )
    took = clock.seconds["audit"]
    print(f"{len(space):,} x {space.embeddings.dimension}: {took / LIMIT:.2f} of the limit of {LIMIT:g} s")
    print(f"failed checks: {[v.name for v in found.verdicts if not v.passed]}; {peak_memory() / 1e9:.2f} GB")
    result = {
        "words": len(space),
        "dimension": space.embeddings.dimension,
        "seconds": clock.seconds,
        "of_the_limit": took / LIMIT,
        "peak_memory_gb": peak_memory() / 1e9,
    }
    written(result, given.out)


if __name__ == "__main__":
    main()
