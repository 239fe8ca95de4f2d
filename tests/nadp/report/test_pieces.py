import base64

from nadp.report.pieces import figure, table


def test_a_table_has_a_line_for_each_row_and_bars_in_cells_do_not_split_them():
    found = table(["a", "b"], [["1", "x|y"], ["2", ""]])
    assert found.splitlines() == ["| a | b |", "| --- | --- |", r"| 1 | x\|y |", "| 2 |  |"]


def test_a_figure_is_part_of_the_text():
    found = figure(b"PNG", "caption")
    assert found.startswith("![caption](data:image/png;base64,")
    assert base64.b64decode(found.split("base64,")[1].split(")")[0]) == b"PNG"
    assert found.endswith("*caption*")
