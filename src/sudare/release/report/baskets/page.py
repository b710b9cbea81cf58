"""The page about a release of baskets: the frame of all reports, with sections of its own.

The public page is made from the public part of the manifest and from the released baskets alone; of the original
it says how much was lost, in three digits.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sudare.display import figure
from sudare.release.manifest import public_manifest
from sudare.release.report.baskets import sections as basket_sections
from sudare.release.report.common import Texts, common_values, render, told_apart

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from sudare.release.baskets.release import BasketRelease
    from sudare.release.recipe.parts import ReportKind
    from sudare.verify.finding import Finding
    from sudare.words.sentence import Language


def basket_report_html(
    release: BasketRelease,
    findings: Sequence[Finding],
    manifest: Mapping[str, Any],
    *,
    kind: ReportKind,
    language: Language,
) -> str:
    """The report of a release of baskets as one HTML page that needs nothing else: no network, no scripts.

    `manifest` is the internal one for both kinds; the public page takes from it what may be known.
    """
    texts = Texts(language, "baskets")
    internal = kind == "internal"
    facts = manifest if internal else public_manifest(release.kind, dict(manifest))
    shown = [told_apart(finding) for finding in findings]
    released = release.released
    losses = release.losses if internal else facts["losses"]
    rho = any(finding.requirement.get("type") == "rho-uncertainty" for finding in findings)
    supports = released.supports()
    return render(
        "baskets/page.html.j2",
        **common_values(release, shown, facts, texts, internal=internal),
        size=texts(
            "verdict.size",
            baskets=figure(len(released)),
            entries=figure(released.entries),
            items=figure(int((supports > 0).sum())),
        ),
        tiles=basket_sections.tiles(release, losses, texts, internal=internal),
        worst=basket_sections.worst(release, texts) if internal else (),
        loss=basket_sections.losses(losses, texts),
        alike=release.alike,
        users=basket_sections.users(release, texts) if internal and release.alike else None,
        cards=basket_sections.frequencies(release, texts, with_original=internal and release.alike),
        rules=basket_sections.rules(release, texts, with_original=internal and release.alike),
        rows=basket_sections.first_baskets(release.published),
        row_count=figure(len(released)),
        general=texts("promise.general"),
        check="sudare check DIR --original FILE --sensitive ITEMS" if rho else "sudare check DIR",
        words=("item", "sensitive_item", "confidence", "suppression", "support"),
    )
