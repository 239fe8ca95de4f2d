import pytest

from nadp.calibration import distinguishing_accuracy
from nadp.release import Limits
from nadp.release.making import release
from nadp.report.certificate import certificate_page
from nadp.report.texts import percent
from tests.parsed import parsed


@pytest.fixture(scope="module", params=[False, True], ids=["private", "public"])
def made(request, sample):
    few = sample.subset(range(300))
    certificate = release(
        few, epsilon=2.0, embedding_is_public=request.param, limits=Limits(max_recovery=1.0, max_tail=1.0)
    ).certificate
    return certificate, parsed(certificate_page(certificate))


def test_the_guarantee_comes_first_with_its_figures(made):
    certificate, page = made
    section = page.first("section")
    assert section["id"] == "guarantee"
    assert certificate.guarantee.statement in section.text
    epsilon, delta, guess, *_ = [value.text for value in section.first("dl", "tiles").all("dd")]
    assert (float(epsilon), float(delta)) == pytest.approx((2.0, certificate.guarantee.delta), rel=1e-2)
    assert guess == percent(distinguishing_accuracy(certificate.mu), 1)


def test_every_limit_stands_on_the_page(made):
    certificate, page = made
    assert [item.text for item in page.first("section", id="limits").all("li")] == certificate.not_covered


def test_what_was_measured_is_reported_where_the_certificate_tells_it(made):
    certificate, page = made
    recovery = [value.text for value in page.first("dl", "tiles").all("dd")][3]
    if certificate.measured:
        attacks = [certificate.measured[key] for key in ("recovery_nearest", "recovery_likelihood")]
        assert recovery == percent(max(attacks))
    else:
        assert "%" not in recovery
    shown = page.first("section", id="facts").text
    assert all(str(value) in shown for value in certificate.versions.values())
