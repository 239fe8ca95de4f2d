import base64
import json
import math

from nadp.report.pieces import figure, strict_json, table


def test_a_table_has_a_line_for_each_row_and_bars_in_cells_do_not_split_them():
    found = table(["a", "b"], [["1", "x|y"], ["2", ""]])
    assert found.splitlines() == ["| a | b |", "| --- | --- |", r"| 1 | x\|y |", "| 2 |  |"]


def test_a_figure_is_part_of_the_text():
    found = figure(b"PNG", "caption")
    assert found.startswith("![caption](data:image/png;base64,")
    assert base64.b64decode(found.split("base64,")[1].split(")")[0]) == b"PNG"
    assert found.endswith("*caption*")


def test_numbers_that_json_does_not_know_are_null_and_all_else_is_kept():
    value = {"a": [1.5, math.nan, (math.inf, None)], 2: {"é": -math.inf, "b": True}}
    found = strict_json(value)
    assert json.loads(found) == {"a": [1.5, None, [None, None]], "2": {"é": None, "b": True}}
    assert "NaN" not in found
    assert "é" in found
