"""Templates: `base.html.j2` is the frame of every report, `table/page` and `baskets/page` fill it; all from users is escaped."""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from typing import Any

from jinja2 import Environment, FunctionLoader, StrictUndefined
from markupsafe import Markup

from sudare.measure.charts import AFTER, BEFORE


def render(template: str, **values: Any) -> str:
    """A page that needs nothing else: no network, no scripts."""
    return _environment().get_template(template).render(style=_style(), **values)


@cache
def _environment() -> Environment:
    return Environment(
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        loader=FunctionLoader(_resource),
    )


@cache
def _style() -> Markup:
    style = _resource("page.css").replace("BEFORE_COLOR", BEFORE).replace("AFTER_COLOR", AFTER)
    return Markup(style)  # noqa: S704  # our own file


def _resource(name: str) -> str:
    return files("sudare.release.report").joinpath(name).read_text(encoding="utf-8")
