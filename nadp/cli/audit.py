"""The audit of a release: its parameters, and the audit of files."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from pydantic import BaseModel, ValidationError

from nadp.choices import Isolated, Search
from nadp.cli.declared import Parameters
from nadp.cli.files import kept_graph, local_embedding
from nadp.cli.types import (
    AtLeastOne,
    Delta,
    Draws,
    Epsilon,
    FalseAlarm,
    ListLength,
    MechanismName,
    Recall,
    Seed,
    Share,
    Tau,
)
from nadp.errors import FormatError, InputError
from nadp.files.paths import absolute, new_folder

if TYPE_CHECKING:
    from nadp.audit.certified import Certified
    from nadp.audit.codebook import CertifiedCodebook
    from nadp.embeddings import Embeddings
    from nadp.mechanisms import Guarantee
    from nadp.space import EmbeddingSpace


class Neighbouring(BaseModel):
    """The parameters that define neighbouring words, named as in a certificate."""

    tau: Tau = 0.1
    isolated: Isolated = "nearest"
    search: Search = "exact"
    n_neighbours: ListLength = 10
    adjacency: ListLength = 2
    mutual: Literal[False] = False
    recall: Recall = 0.95


class Audit(Parameters):
    """Attack a released embedding from any source, and check whether it satisfies its claim."""

    original: str
    """The embedding without noise: a file in any supported format, the folder of a static model, or "sample"."""
    released: str
    """The released embedding, with the words of the original."""
    certificate: str | None = None
    """The certificate of the release: a JSON file with mechanism, epsilon and delta. If it names the SHA-256 of the
    released file, any other file fails. A codebook is also compared with its partition, the file next to its
    certificate.
    """
    mechanism: MechanismName | None = None
    """The claimed mechanism, if there is no certificate."""
    epsilon: Epsilon | None = None
    """The claimed epsilon, if there is no certificate."""
    delta: Delta | None = None
    """The claimed delta, if there is no certificate."""
    regularisation: Share | None = None
    """Lambda of the claimed Mahalanobis noise, if there is no certificate. Default: 1."""
    another: str | None = None
    """Another release of the same words; its noise must be independent of the first."""
    original_member: str | None = None
    """Name of the file to read, if the original is a zip archive of several files."""
    released_member: str | None = None
    """Name of the file to read, if the release is a zip archive of several files."""
    another_member: str | None = None
    """Name of the file to read, if the other release is a zip archive of several files."""
    words: AtLeastOne | None = None
    """Audit only this many words, the first of the original. Default: the number in the certificate, or all. Another
    number than the certificate's is refused if the noise was calibrated to the graph of the original.
    """
    tau: Tau | None = None
    """The claimed least overlap (Jaccard index) of two words' neighbour lists for an edge of the graph. By default,
    this and the other parameters of the graph are read from the certificate. Default without a certificate: 0.1.
    """
    isolated: Isolated | None = None
    """The claimed policy for isolated words. Default without a certificate: nearest."""
    search: Search | None = None
    """Neighbour search: exact, annoy, nndescent, or auto. Default without a certificate: exact."""
    recall: Recall | None = None
    """Share of the true neighbours that an approximate search must find."""
    n_neighbours: ListLength | None = None
    """Length of the compared neighbour lists, including the word itself; usually 10."""
    adjacency: ListLength | None = None
    """Number of words of a list that count as adjacent, including the word itself; usually 2."""
    draws: Draws = 20_000
    """Number of fresh draws for each word of a worst edge, in the self-test of the mechanism. The self-test does not
    read the released file. 0 skips it.
    """
    false_alarm: FalseAlarm = 0.01
    """Family-wise error rate: probability that a correct release fails any statistical check."""
    seed: Seed = 0
    """Seed of the samples and the fresh draws."""
    neighbourhoods_from: str | None = None
    """The public embedding to whose graph the noise was calibrated. Required if the certificate names one."""
    graph: str | None = None
    """File of the graph to which the noise was calibrated, if the certificate names one. Default: the file in the
    folder graphs next to the ledger in NADP_HOME.
    """
    original_is_public: bool | None = None
    """Cache the original and its graph in NADP_HOME for the next audit. Default: only for published tables."""
    strict: bool = False
    """Fail (exit code 1) if a check fails. Otherwise, the run completes and names the failed check."""
    out: str | None = None
    """Folder of the results. Default: runs/audit-<time>."""

    def check(self) -> None:
        """Refuse an incomplete claim or two claims, and missing files."""
        if self.certificate and (given := self._given_claim()):
            raise InputError(f"the certificate states the claim: leave {', '.join(given)} out, or the certificate")
        if self.codebook() is None:
            self._check_claim()
        for embedding in (self.original, self.released, self.another, self.neighbourhoods_from):
            if embedding is not None:
                self.check_embedding(embedding)
        super().check()

    def _check_claim(self) -> None:
        """Refuse an incomplete claim, and a graph, public embedding or number of words that does not fit it."""
        certified = self.certified
        if (certified is not None and certified.guarantee.between == "public graph") != (
            self.neighbourhoods_from is not None
        ):
            raise InputError(
                "give neighbourhoods_from (the public embedding to whose graph the noise was calibrated) if the "
                "certificate names one, and only then"
            )
        certified_words = certified.words if certified is not None and self.by_own_graph else None
        if certified_words is not None and self.limit != certified_words:
            raise InputError(
                f"the noise was calibrated to the graph of {certified_words:,} words, so it cannot be checked with "
                "another number: leave out words"
            )

    def codebook(self) -> "CertifiedCodebook | None":
        """Return the content of the certificate if it is a codebook's certificate."""
        from nadp.audit.codebook import read_codebook_certificate  # noqa: PLC0415 - slow to import

        return read_codebook_certificate(self.certificate) if self.certificate else None

    def claim(self) -> "Certified | Guarantee | None":
        """Return the claim from the certificate or from the parameters."""
        from nadp.audit.certified import read_certificate  # noqa: PLC0415 - slow to import

        return read_certificate(self.certificate) if self.certificate else self._claim()

    @property
    def certified(self) -> "Certified | None":
        """The content of the certificate, if one is given."""
        from nadp.audit.certified import Certified  # noqa: PLC0415 - slow to import

        claim = self.claim()
        return claim if isinstance(claim, Certified) else None

    @property
    def graph_file(self) -> Path | None:
        """The file of the graph to which the noise was calibrated, if it was kept.

        Raises:
            InputError: if the certificate names a graph file that is missing.
        """
        certified = self.certified
        if self.graph is not None:
            return absolute(self.graph)
        return None if certified is None or certified.graph_sha256 is None else kept_graph(certified.graph_sha256)

    @property
    def by_own_graph(self) -> bool:
        """Whether the noise was calibrated to the original's own graph, which is rebuilt."""
        certified = self.certified
        return self.graph_file is None and (certified is None or certified.guarantee.between == "own graph")

    @property
    def limit(self) -> int | None:
        """The number of audited words of the original; None for all."""
        return self.certified.words if self.words is None and self.certified else self.words

    def neighbouring(self, certified: dict[str, Any]) -> Neighbouring:
        """Return the graph's parameters: given ones first, then certified ones, then the defaults.

        Raises:
            FormatError: if the certificate has other values than a graph can have.
        """
        parameters: dict[str, Any] = {name: getattr(self, name, None) for name in Neighbouring.model_fields}
        given = {name: value for name, value in parameters.items() if value is not None}
        try:
            return Neighbouring(**certified | given)
        except ValidationError as error:
            name = error.errors(include_url=False)[0]["loc"][0]
            raise FormatError(
                f"{self.certificate}: {certified.get(str(name))!r:.60} is no {name} of a graph: give the certificate "
                "as it was published"
            ) from error

    def _given_claim(self) -> list[str]:
        """Return the names of the given parameters of a claim."""
        return [name for name in ("mechanism", "epsilon", "delta", "regularisation") if getattr(self, name) is not None]

    def _claim(self) -> "Guarantee | None":
        if not self._given_claim():
            return None
        if self.mechanism is None or self.epsilon is None or self.delta is None:
            raise InputError("a claim needs mechanism, epsilon and delta together (or a certificate)")
        lam = "" if self.regularisation is None else f"(regularisation={self.regularisation})"
        from nadp.mechanisms import claimed  # noqa: PLC0415 - slow to import

        return claimed(f"{self.mechanism}{lam}", self.epsilon, self.delta)

    @property
    def public(self) -> bool:
        """Whether the original may be cached."""
        return self.is_public(self.original) if self.original_is_public is None else self.original_is_public

    def folder(self) -> str:
        """Return the folder of the results; without `out`, a new one."""
        return self.out or new_folder("audit")


def said_of(folder: str, checks: int, failed: Sequence[str]) -> str:
    """Return the result of an audit in one line.

    Args:
        folder: folder of its results.
        checks: number of all checks.
        failed: names of the failed checks.
    """
    if not failed:
        return f"report in {folder}; all checks passed ({checks})"
    passed = checks - len(failed)
    return f"report in {folder}; {passed} of {checks} checks passed; checks that failed: {', '.join(failed)}"


def audit_file(parameters: Audit) -> tuple[str, bool]:
    """Audit a released file and write the report; return the result and whether all checks passed.

    Raises:
        InputError: if a file is missing, or the claim is incomplete.
        FormatError: if a file cannot be read.
    """
    from nadp.audit.auditing import Options  # noqa: PLC0415 - slow to import
    from nadp.cli.reading import read, space_of  # noqa: PLC0415 - as above
    from nadp.report.auditing import AuditedFile, audit_files  # noqa: PLC0415 - as above

    parameters.check()
    codebook = parameters.codebook()
    if codebook is not None:
        return _codebook_audited(parameters, codebook)
    certified, graph = parameters.certified, parameters.graph_file
    terms = parameters.neighbouring(certified.neighbouring if certified else {})
    original, _ = read(parameters.original, member=parameters.original_member, words=parameters.limit, stored=True)
    public: Embeddings | EmbeddingSpace | None = None
    if parameters.neighbourhoods_from is not None and certified is not None:
        public, _ = read(parameters.neighbourhoods_from, words=certified.neighbouring.get("public_words"))
        public = public if graph else space_of(public, terms)

    def table(embedding: str, member: str | None) -> AuditedFile:
        return AuditedFile(Path(embedding).name, local_embedding(embedding), member)

    audit = audit_files(
        space_of(original, terms) if parameters.by_own_graph else original,
        table(parameters.original, parameters.original_member),
        table(parameters.released, parameters.released_member),
        another=None if parameters.another is None else table(parameters.another, parameters.another_member),
        claim=parameters.claim(),
        public=public,
        graph=graph,
        options=Options(parameters.draws, parameters.false_alarm),
        seed=parameters.seed,
    )
    folder = audit.save(parameters.folder())
    return said_of(str(folder), audit.checks, audit.failed), not audit.failed


def _codebook_audited(parameters: Audit, certified: "CertifiedCodebook") -> tuple[str, bool]:
    from nadp.report.auditing import AuditedFile, audit_codebook_files  # noqa: PLC0415 - slow to import

    original, released = (
        AuditedFile(Path(embedding).name, local_embedding(embedding), member)
        for embedding, member in (
            (parameters.original, parameters.original_member),
            (parameters.released, parameters.released_member),
        )
    )
    audit = audit_codebook_files(certified, original, released)
    folder = audit.save(parameters.folder())
    return said_of(str(folder), audit.checks, audit.failed), not audit.failed
