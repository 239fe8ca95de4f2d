"""A release as files, published atomically and only once."""

import json
import logging
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from nadp.choices import Sampler
from nadp.embeddings import Embeddings
from nadp.errors import InputError
from nadp.files.formats import Format, format_of
from nadp.files.sealing import sealing
from nadp.files.writing import write_embeddings
from nadp.mechanisms import Publication
from nadp.release.basis import Basis
from nadp.release.certificate import Certificate
from nadp.release.gate import Limits
from nadp.release.graphs import save_graph_of
from nadp.release.ledger import Entry, Ledger
from nadp.release.making import Released, drawn, publication
from nadp.release.model_release import ModelRelease
from nadp.release.places import graphs_beside, places
from nadp.release.together import Earlier

_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Order:
    """A request for a release.

    Attributes:
        id: id of the release; an id is published only once.
        out: path of the vectors; the certificate is written to the same folder.
        epsilon: privacy budget.
        delta: probability of failure; None for the default.
        limits: limits of the gate.
        embedding_is_public: whether the certificate may state figures that depend on the vectors.
        budget: largest epsilon of all releases of the series together; None for the stored budget of the series, if
            any.
        series: series whose budget is spent; None for the series that the table belongs to.
        unrelated: whether the user declares the table unrelated to other series with the same words.
        format: format of the vectors; None to use the suffix of `out`.
        at: time of the request, for the ledger.
        sampler: "system" or "opendp".
        graph: path of a file in which the graph for the noise calibration is kept for audits. By default, only the
            graph of an approximate search is kept, in the folder "graphs" beside the ledger.
        model: the table of the static model that the vectors come from; the release is then a folder that loads as a
            model, with `out` as its table. None for a table of words and vectors.
    """

    id: str
    out: Path
    epsilon: float
    delta: float | None = None
    limits: Limits | None = None
    embedding_is_public: bool = False
    budget: float | None = None
    format: Format | None = None
    at: str = ""
    sampler: Sampler = "system"
    series: str | None = None
    unrelated: bool = False
    graph: Path | None = None
    model: Path | None = None


Page = Callable[[Certificate], str]
"""Renders a certificate as a page, see nadp.report.certificate."""


def publish(
    basis: Basis, order: Order, ledger: Ledger, source_sha256: str | None = None, page: Page | None = None
) -> Certificate | None:
    """Draw, check and publish a release and return its certificate; None if it was published before.

    First, sealed releases of dead runs are completed; one whose files are lost causes a warning. A refused release is
    cancelled in the ledger.

    Args:
        basis: the basis of the release.
        order: the request.
        ledger: the ledger of the vectors' owner.
        source_sha256: SHA-256 of the file of the vectors, published only if they are public.
        page: renders the page of the certificate; None for no page.

    Raises:
        RefusedError: if the gate refuses; the message gives the reason.
        BudgetError: if the budget is spent.
        InputError: if a parameter is out of range, the format cannot represent a word, or a row of a model is left out.
    """
    table_format = order.format or format_of(order.out.name)
    model = None if order.model is None else ModelRelease.of(order.model, basis.embeddings)
    ledger.publish_sealed(order.id)
    try:
        ledger.publish_sealed()
    except InputError as error:  # files of another release are lost, which must not stop this one
        _log.warning("%s", error)
    recorded = ledger.entry(order.id)
    if recorded is not None and recorded.state == "published":
        return None
    limits = order.limits or Limits()
    calibrated_noise = publication(basis, order.epsilon, order.delta, limits)
    entry, words = _entry(basis, order, calibrated_noise), basis.embeddings.words
    earlier = ledger.reserve(entry, order.budget, words, series=order.series, unrelated=order.unrelated)
    try:
        released = drawn(
            basis,
            calibrated_noise,
            limits,
            embedding_is_public=order.embedding_is_public,
            earlier=Earlier.of(earlier, entry),
            sampler=order.sampler,
        )
        hashes = {"original_salted": ledger.salted(entry.identity), **_kept_graph(basis, order, ledger)}
        if order.embedding_is_public and source_sha256:
            hashes["original_sha256"] = source_sha256
        certificate = _sealed(released, order, (model or table_format, page), ledger, hashes)
    except BaseException:  # after any error, a reservation without a seal is cancelled; the error is re-raised
        ledger.cancel_reserved(order.id)
        raise
    ledger.publish_sealed(order.id)
    return certificate


def _kept_graph(basis: Basis, order: Order, ledger: Ledger) -> dict[str, str]:
    """Save the graph of the noise calibration, if requested or not reproducible elsewhere, and return its hash."""
    space = basis.public or basis.space
    if space is None or (order.graph is None and space.neighbours.search == "exact"):
        return {}
    if order.graph is not None:
        return {"graph_sha256": save_graph_of(space, order.graph)}
    folder = graphs_beside(ledger.path)
    part = folder / f".{order.id}.npz"
    sha256 = save_graph_of(space, part)
    part.replace(folder / f"{sha256}.npz")
    return {"graph_sha256": sha256}


def _write(model_or_format: Format | ModelRelease, embeddings: Embeddings, member: str, path: Path) -> None:
    """Write the vectors of a release."""
    if isinstance(model_or_format, ModelRelease):
        model_or_format.write(path, embeddings)
    else:
        write_embeddings(path, embeddings, model_or_format, member=member)


def _entry(basis: Basis, order: Order, calibrated_noise: Publication) -> Entry:
    graph = json.dumps(basis.terms, sort_keys=True)
    return Entry(
        order.id,
        basis.original.identity,
        graph,
        str(basis.mechanism),
        order.epsilon,
        calibrated_noise.guarantee.delta,
        calibrated_noise.guarantee.mu or 0.0,
        "reserved",
        order.at,
        str(order.out.absolute()),
        least_noise=float(calibrated_noise.scale.min()),
        sizing=basis.sizing,
    )


def _sealed(
    released: Released,
    order: Order,
    form: tuple[Format | ModelRelease, Page | None],
    ledger: Ledger,
    hashes: dict[str, str],
) -> Certificate:
    """Write a release and its certificate next to their places, and seal it.

    The vectors are moved last, so they never lack their certificate.
    """
    folder = order.out.parent
    folder.mkdir(parents=True, exist_ok=True)

    def is_recorded() -> bool:
        entry = ledger.entry(order.id)
        return entry is not None and entry.state in ("sealed", "published")

    with sealing(folder, is_recorded) as ready:
        model_or_format, page = form
        model = model_or_format if isinstance(model_or_format, ModelRelease) else None
        data, text, vectors = places(order.out)
        file = ready(vectors, partial(_write, model_or_format, released.embeddings, vectors.stem))
        certificate = replace(
            released.certificate,
            hashes={"released_sha256": file.sha256, **hashes},
            in_clear=() if model is None else model.in_clear,
        )
        certificate_files = [ready(data, certificate.to_json()), ready(text, certificate.to_markdown())]
        if page is not None:
            certificate_files.append(ready(data.with_suffix(".html"), page(certificate)))
        model_files = {} if model is None else model.beside(certificate, folder.name)
        certificate_files += [ready(folder / name, content) for name, content in model_files.items()]
        ledger.seal(order.id, [*certificate_files, file])
    return certificate
