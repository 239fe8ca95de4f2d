import io
import re
import struct
import zlib
from xml.etree import ElementTree as ET

import pytest

from nadp.experiment.curves import Curve
from nadp.report.axes import Axis, linear
from nadp.report.files import pictures
from nadp.report.styles import styles
from nadp.report.svg import HEIGHT, WIDTH, Line, Mark, Panel, drawn, sheet

LOOKS = list(styles([Curve("nadp", 0.1, "nearest"), Curve("nadp", 0.1, "exact"), Curve("mahalanobis")]).values())
AXIS = Axis(0.0, 10.0, ((0.0, "0"), (5.0, "5"), (10.0, "10")), "x < y & z")
SVG = "{http://www.w3.org/2000/svg}"


def panel(**changes):
    lines = [
        Line(style, [Mark(1, 1 + style.key, 0, 0.5, "a < b"), Mark(9, 5 + style.key, 0.5, 0, "")]) for style in LOOKS
    ]
    return Panel(**{"title": "T & U", "unit": "u", "x": AXIS, "y": AXIS, "lines": lines, "alt": "1 > 0"} | changes)


def tree(text):
    return ET.fromstring(text)  # noqa: S314 - our own


def of(element, name):
    return [child for child in element.iter() if name in (child.get("class") or "").split()]


def test_a_panel_is_well_formed_and_says_what_it_shows():
    found = tree(drawn(panel()))
    assert found.get("role") == "img"
    assert found.get("aria-label") == "T & U. 1 > 0"
    assert [title.text for title in found.iter(f"{SVG}title")] == ["a < b"] * 3
    assert len(of(found, "curve")) == 3
    assert [of(curve, "line") != [] for curve in of(found, "curve")] == [True] * 3


def test_points_lie_where_their_values_are():
    made = panel(lines=[Line(LOOKS[0], [Mark(0, 0), Mark(10, 10), Mark(5, 2.5)])])
    circles = list(tree(drawn(made)).iter(f"{SVG}circle"))
    places = [(float(c.get("cx")), float(c.get("cy"))) for c in circles]
    (left, bottom), (right, top), (x, y) = places
    assert 0 < left < right < WIDTH
    assert 0 < top < bottom < HEIGHT
    assert x == pytest.approx((left + right) / 2, abs=0.1)
    assert y == pytest.approx(bottom + (top - bottom) / 4, abs=0.1)


def test_points_that_are_not_joined_have_no_line_and_long_lines_few_marks():
    apart = panel(lines=[Line(LOOKS[0], [Mark(1, 1), Mark(2, 2)], joined=False)])
    assert of(tree(drawn(apart)), "line") == []
    long = panel(lines=[Line(LOOKS[0], [Mark(i / 10, i / 10) for i in range(100)])])
    found = tree(drawn(long))
    (line,) = of(found, "line")
    assert line.get("d").count("L") == 99
    assert 8 <= len(list(found.iter(f"{SVG}circle"))) <= 13


@pytest.mark.parametrize(("first", "second"), [(5, 5), (5, 5.4), (5.4, 5), (2, 8), (8, 2)])
def test_the_label_of_a_rule_meets_neither_the_other_label_nor_the_other_rule(first, second):
    found = tree(drawn(panel(lines=[], rules=[(first, "first"), (second, "second")])))
    rules = [float(re.search(r"M\S+ ([\d.]+)H", rule.get("d"))[1]) for rule in of(found, "rule")]
    labels = [float(text.get("y")) for text in of(found, "over")]
    letters = 8  # their height, in pixels
    assert abs(labels[0] - labels[1]) > letters
    assert not [(y, rule) for y in labels for rule in rules if y - letters < rule < y]


def test_bars_stand_on_the_axis_and_share_the_width():
    found = tree(drawn(panel(lines=[], bars=[0, 5, 10], y=linear([0, 10], to=(0.0, 10.0)))))
    bars = of(found, "bar")
    heights = [float(bar.get("height")) for bar in bars]
    assert heights[0] == 0
    assert heights[2] == pytest.approx(2 * heights[1], abs=0.2)
    assert {round(float(bar.get("y")) + float(bar.get("height")), 0) for bar in bars} == {HEIGHT - 36}


def test_a_sheet_is_one_drawing_of_all_panels_with_a_legend():
    found = tree(sheet([panel(), panel(title="V")], LOOKS))
    assert float(found.get("width")) == 2 * WIDTH
    texts = [text.text for text in found.iter(f"{SVG}text")]
    assert {"T & U", "V", *(style.name for style in LOOKS)} <= set(texts)
    assert all(style.colour in found.find(f"{SVG}style").text for style in LOOKS)


def pixels(png):
    """Width, height, and the bytes of a PNG's rows."""
    assert png.startswith(b"\x89PNG\r\n\x1a\n")
    file, data, size = io.BytesIO(png[8:]), b"", (0, 0)
    while head := file.read(8):
        length, kind = struct.unpack(">I4s", head)
        content = file.read(length)
        file.read(4)
        if kind == b"IHDR":
            size = struct.unpack(">II", content[:8])
        data += content if kind == b"IDAT" else b""
    return *size, zlib.decompress(data)


def test_pictures_are_not_blank_and_the_same_each_time_and_letters_are_drawn():
    made = pictures({"one": [panel()]}, LOOKS)
    assert set(made) == {"one.svg", "one.png"}
    assert made == pictures({"one": [panel()]}, LOOKS)
    width, height, rows = pixels(made["one.png"])
    assert (width, height) > (2 * WIDTH - 1, 2 * HEIGHT - 1)
    assert len(set(rows)) > 50
    blank = pictures({"one": [panel(title="")]}, LOOKS)["one.png"]
    assert pixels(blank)[2] != rows  # the title is letters, of a font that comes along


def test_curves_of_one_mechanism_have_shades_of_one_colour_and_marks_of_their_own():
    first, second, other = LOOKS
    assert len({style.colour for style in LOOKS}) == len({style.mark for style in LOOKS}) == 3
    assert first.dash != second.dash
    assert (first.short, second.short, other.short) == (
        "NADP, isolated words joined",
        "NADP, isolated words without noise",
        "Mahalanobis",
    )
    alone = styles([Curve("nadp", 0.1, "nearest"), Curve("nadp", 0.5, "nearest")])
    assert [style.short for style in alone.values()] == ["NADP, tau 0.1", "NADP, tau 0.5"]
    assert first.colour == styles([Curve("gaussian"), Curve("nadp", 0.2, "drop")])[Curve("nadp", 0.2, "drop")].colour
