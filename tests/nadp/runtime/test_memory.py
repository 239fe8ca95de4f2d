import ctypes

import pytest

from nadp.runtime.memory import give_back


@pytest.mark.parametrize("error", [OSError, AttributeError, TypeError])
def test_a_system_that_keeps_freed_memory_is_no_error(monkeypatch, error):
    def without(_name: None) -> None:
        raise error

    monkeypatch.setattr(ctypes, "CDLL", without)
    give_back()
