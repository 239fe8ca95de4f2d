"""Styles of curves: one colour per mechanism, the same everywhere; its curves differ in shade and mark."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from nadp.experiment.curves import Curve
from nadp.report.labels import curve_name

_DASHES = ("", "5 3", "7 3 1.5 3", "1.5 2.5", "9 3")
_MARKS = ("circle", "square", "up", "diamond", "down", "cross", "plus", "star")
_STEP, _MOST = 0.16, 0.6  # share of white: added per curve of a mechanism, and at most
_LIGHTER = 0.3  # share of white added on a dark page


@dataclass(frozen=True)
class Style:
    """The style of a curve.

    Attributes:
        key: its number among the curves of a report.
        name: its label.
        short: the label without parts that all curves of its mechanism, or of the report, share.
        colour: on a light page.
        dark: on a dark page.
        dash: dash of its line, in SVG's syntax.
        mark: mark of its points.
    """

    key: int
    name: str
    short: str
    colour: str
    dark: str
    dash: str
    mark: str


def styles(curves: Sequence[Curve]) -> dict[Curve, Style]:
    """Return the style of each curve."""
    style_of_curve: dict[Curve, Style] = {}
    last_of_name: dict[str, int] = {}
    for key, curve in enumerate(curves):
        mechanism = curve.made
        nth = last_of_name[mechanism.name] = last_of_name.get(mechanism.name, -1) + 1
        white = min(_STEP * nth, _MOST)
        style_of_curve[curve] = Style(
            key,
            curve_name(curve),
            curve_name(_distinct(curve, curves)),
            _mixed(mechanism.colour, white),
            _mixed(mechanism.colour, white + (1 - white) * _LIGHTER),
            _DASHES[nth % len(_DASHES)],
            _MARKS[key % len(_MARKS)],
        )
    return style_of_curve


def _distinct(curve: Curve, curves: Sequence[Curve]) -> Curve:
    """Return a curve without tau if all share it, and without the policy if its mechanism has only one."""
    taus = {other.tau for other in curves if other.tau is not None}
    policies = {other.isolated for other in curves if other.mechanism == curve.mechanism}
    shortened = replace(curve, tau=None) if len(taus) == 1 else curve
    return replace(shortened, isolated=None) if len(policies) == 1 else shortened


def _mixed(colour: str, white: float) -> str:
    """Return a colour with a share of white in it."""
    parts = (int(colour[i : i + 2], 16) for i in (1, 3, 5))
    return "#" + "".join(f"{round(white * 255 + (1 - white) * part):02x}" for part in parts)
