"""The page: what each section says, put into the template with everything from users escaped.

The public page is made from the public part of the manifest and from the released table; of the original it
sees nothing but the types of its columns.
"""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any, Literal

from jinja2 import Environment, StrictUndefined
from markupsafe import Markup

from sudare.release.manifest import public_part
from sudare.release.report import sections
from sudare.release.report.charts import AFTER, BEFORE
from sudare.release.report.formats import figure
from sudare.release.report.requirements import asked_rows, promises, verdict
from sudare.release.report.texts import Language, Texts

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from jinja2 import Template

    from sudare.release.release import Release
    from sudare.release.verify_requirements import Finding


def report_html(
    release: Release,
    findings: Sequence[Finding],
    manifest: Mapping[str, Any],
    *,
    kind: Literal["internal", "public"],
    language: Language,
) -> str:
    """The report of a release as one HTML page that needs nothing else: no network, no scripts.

    `manifest` is the internal one for both kinds; the public page takes from it what may be known.
    """
    texts = Texts(language)
    internal = kind == "internal"
    facts = manifest if internal else public_part(dict(manifest))
    table = release.table
    return _template().render(
        t=texts,
        style=_style(),
        internal=internal,
        created=str(facts.get("created", ""))[:10],
        verdict=verdict(release, findings, texts),
        size=texts("verdict.size", rows=figure(table.rows), columns=figure(len(table.frame.columns))),
        secure=release.secure,
        tiles=sections.tiles(release, texts),
        warnings=release.warnings if internal else (),
        notes=release.notes if internal else (),
        asked=asked_rows(findings, texts),
        risk=sections.risks(release.risk_before if internal else None, release.risk_after, texts),
        loss=sections.losses(release, texts),
        cards=sections.cards(release, texts, with_original=internal),
        rows=sections.first_rows(release),
        row_count=figure(table.rows),
        quasi=texts("page.separator").join(table.names("quasi")) or texts("page.none"),
        promises=promises(findings, texts),
        recipe=sections.recipe_text(facts),
        provenance=sections.provenance(facts, texts),
    )


@cache
def _template() -> Template:
    environment = Environment(
        autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    return environment.from_string(_resource("page.html.j2"))


@cache
def _style() -> Markup:
    style = _resource("page.css").replace("BEFORE_COLOR", BEFORE).replace("AFTER_COLOR", AFTER)
    return Markup(style)  # noqa: S704  # our own file


def _resource(name: str) -> str:
    return files("sudare.release.report").joinpath(name).read_text(encoding="utf-8")
