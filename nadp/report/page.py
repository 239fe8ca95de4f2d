"""Templates: one design for all pages, each a self-contained file."""

import base64
from functools import cache
from typing import Any

from nadp.report.texts import count, number, percent, several, short
from nadp.runtime.optional import optional

with optional("report", "a report"):
    from jinja2 import Environment, PackageLoader, StrictUndefined, select_autoescape
    from markupsafe import Markup

__all__ = ["Markup", "rendered"]


@cache
def _environment() -> Environment:
    environment = Environment(
        loader=PackageLoader("nadp.report"),
        autoescape=select_autoescape(enabled_extensions=("html.j2", "svg.j2")),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.filters |= {"percent": percent, "number": number, "count": count, "short": short, "several": several}
    environment.filters |= {
        "plain": _plain,
        "capitalize_first": lambda text: text[:1].upper() + text[1:],
        "base64": lambda content: base64.b64encode(content).decode(),
    }
    return environment


def rendered(template: str, **values: Any) -> str:  # noqa: ANN401 - any value for a template
    """Return a template of nadp/report/templates with its values filled in; pages do not break before a % sign."""
    text = _environment().get_template(template).render(values)
    return text.replace(" %", "\N{NO-BREAK SPACE}%") if template.endswith("html.j2") else text


def _plain(text: str) -> str:
    """Return a text escaped for Markdown."""
    for mark in "\\`*_|<[":
        text = text.replace(mark, "&lt;" if mark == "<" else "\\" + mark)
    return text
