"""Calibration by parameters."""

from nadp.cli.calibrate import Calibrate, calibrated


def test_the_number_of_releases_takes_no_memory():
    said = calibrated(Calibrate(epsilon=1, delta=1e-6, releases=[1, 10**15]))
    assert "1 releases together: epsilon 1 at" in said
    assert "1,000,000,000,000,000 releases together: epsilon" in said
