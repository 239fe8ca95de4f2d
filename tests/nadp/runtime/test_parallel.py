import pytest

from nadp.runtime.parallel import cores, for_blocks


@pytest.mark.parametrize(("rows", "size"), [(0, 3), (1, 3), (3, 3), (100, 7)])
def test_every_row_is_in_exactly_one_block(rows, size):
    seen = []
    for_blocks(lambda block: seen.extend(range(block.start, block.stop)), rows, size, "test")
    assert sorted(seen) == list(range(rows))


def test_an_error_in_a_block_is_not_lost():
    def work(block):
        if block.start:
            raise ValueError("in the second block")

    with pytest.raises(ValueError, match="in the second block"):
        for_blocks(work, 10, 5, "test")


def test_there_is_a_core():
    assert cores() >= 1
