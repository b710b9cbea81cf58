"""The page: what each section says, put into the template with everything from users escaped.

The public page is made from the public part of the manifest and from the released table; of the original it
sees nothing but the types of its columns.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sudare.display import figure
from sudare.release.manifest import public_manifest
from sudare.release.report.common import common_values
from sudare.release.report.rendering import render
from sudare.release.report.table import sections
from sudare.release.report.table.randomized import randomization
from sudare.release.report.table.tabulation import tabulation
from sudare.release.report.texts import Texts

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from sudare.release.recipe.parts import ReportKind
    from sudare.release.table.release import Release
    from sudare.verify.finding import Finding
    from sudare.words.texts import Language


def report_html(
    release: Release,
    findings: Sequence[Finding],
    manifest: Mapping[str, Any],
    *,
    kind: ReportKind,
    language: Language,
    crosstab: Sequence[str] | None = None,
) -> str:
    """The report of a release as one HTML page that needs nothing else: no network, no scripts.

    `manifest` is the internal one for both kinds; the public page takes from it what may be known. `crosstab` names the
    columns of the cross tabulation of a randomized release, chosen when left out.
    """
    texts = Texts(language)
    internal = kind == "internal"
    facts = manifest if internal else public_manifest(release.kind, dict(manifest))
    table = release.table
    return render(
        "table/page.html.j2",
        **common_values(release, findings, facts, texts, internal=internal),
        size=texts("verdict.size", rows=figure(table.rows), columns=figure(len(table.frame.columns))),
        tiles=sections.tiles(release, texts),
        risk=sections.risks(release.risk_before if internal else None, release.risk_after, texts),
        randomization=randomization(release, texts),
        tabulation=tabulation(release, texts, crosstab, with_original=internal),
        loss=sections.losses(release, texts, public=not internal),
        cards=sections.cards(release, texts, with_original=internal),
        rows=sections.first_rows(release),
        row_count=figure(table.rows),
        general=texts(
            "promise.general",
            columns=texts("page.separator").join(table.names("quasi")) or texts("page.none"),
        ),
        check="sudare check DIR",
        words=_words(release),
    )


def _words(release: Release) -> tuple[str, ...]:
    """What the glossary explains."""
    last = ("randomization",) if release.risk_after.linking is not None else ("block", "generalization")
    return ("identifier", "quasi", "sensitive", *last)
