"""What was asked and what was reached, in words: from a finding's data, so that it can be said in any language."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from sudare.display import UNKNOWN, figure
from sudare.words.sentence import in_language

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from sudare.release.baskets.release import BasketRelease
    from sudare.release.report.texts import Texts
    from sudare.release.table.release import Release
    from sudare.verify.finding import Finding

_ABOUT_FILES = ("unchanged-files", "no-identifiers")


def verdict(release: Release | BasketRelease, findings: Sequence[Finding], texts: Texts) -> dict[str, Any]:
    """The headline: one state, one sentence, and what it rests on."""
    checked = [finding for finding in findings if finding.requirement.get("type") not in _ABOUT_FILES]
    confirmed = len(checked) >= len(release.requirements) and all(finding.holds for finding in findings)
    state = "broken" if not confirmed else "holds" if checked else "nothing"
    asked = texts("page.between").join(asked_text(finding.requirement, texts) for finding in checked)
    return {
        "state": state,
        "sentence": texts(f"verdict.{state}"),
        "more": texts(f"verdict.{state}_more", asked=asked or texts("page.none")),
    }


def asked_rows(findings: Sequence[Finding], texts: Texts) -> list[dict[str, Any]]:
    """One row for each finding of the verifier, requirements first."""
    ordered = sorted(findings, key=lambda finding: finding.requirement.get("type") in _ABOUT_FILES)
    return [
        {
            "asked": asked_text(finding.requirement, texts),
            "reached": _reached_text(finding, texts),
            "holds": finding.holds,
            "found": _found_text(finding, texts),
            "verifier": in_language(finding.sentence, texts.language),
        }
        for finding in ordered
    ]


def promises(findings: Sequence[Finding], texts: Texts) -> list[dict[str, str]]:
    """What each requirement that was asked promises and does not promise."""
    told = []
    for finding in findings:
        kind, values = _parts(finding.requirement, texts)
        name = texts.or_else(f"requirement.{kind}.name", "")
        if name:
            told.append(
                {
                    "name": name,
                    "promise": texts(_promise(kind, finding.requirement), **values),
                    "limit": texts(f"requirement.{kind}.limit"),
                }
            )
    return told


def _promise(kind: str, requirement: Mapping[str, Any]) -> str:
    """Distinct l-diversity does not ask how often a value occurs, and must not be said to."""
    distinct = kind == "l-diversity" and requirement.get("kind") == "distinct"
    return f"requirement.{kind}.{'promise_distinct' if distinct else 'promise'}"


def asked_text(requirement: Mapping[str, Any], texts: Texts) -> str:
    """A requirement in a few words."""
    kind, values = _parts(requirement, texts)
    recursive = kind == "l-diversity" and requirement.get("c") is not None
    key = f"requirement.{kind}.asked_recursive" if recursive else f"requirement.{kind}.asked"
    if not texts.or_else(key, ""):
        return kind
    try:
        return texts(key, **values)
    except KeyError:  # a manifest from others may lack a figure; the verifier has said that nothing holds
        return texts.or_else(f"requirement.{kind}.name", kind)


def told_apart(finding: Finding) -> Finding:
    """The finding about baskets with a type that says which kind of its requirement it is: each has words of its own."""
    requirement = finding.requirement
    kind = requirement.get("type")
    if kind == "rho-uncertainty" and requirement.get("eps") is not None:
        kind = "rho-uncertainty-sampled"
    elif kind == "rho-uncertainty" and requirement.get("m") is not None:
        kind = "rho-uncertainty-m"
    return replace(finding, requirement={**requirement, "type": kind})


def _parts(requirement: Mapping[str, Any], texts: Texts) -> tuple[str, dict[str, str]]:
    names = requirement.get("sensitive")
    values = {"columns": texts("page.separator").join(names) if names else texts("requirement.all_sensitive")}
    for key, value in requirement.items():
        if isinstance(value, int | float) and not isinstance(value, bool):
            values[key] = figure(value)
        elif key in {"kind", "distance"}:
            values[key] = texts.or_else(f"requirement.{value}", str(value))
        elif key == "rho":  # a fraction is written as it was asked
            values[key] = str(value)
    return str(requirement.get("type")), values


def _reached_text(finding: Finding, texts: Texts) -> str:
    key = f"reached.{finding.requirement.get('type')}"
    if finding.reached is None or not texts.or_else(key, ""):
        return UNKNOWN
    return texts(key, reached=figure(finding.reached))


def _found_text(finding: Finding, texts: Texts) -> str:
    kind = finding.requirement.get("type")
    outcome = "holds" if finding.holds else "fails"
    undescribed = finding.requirement.get("undescribed")
    if finding.holds and undescribed:
        number = "one" if len(undescribed) == 1 else "many"
        key = f"finding.no-identifiers.holds_undescribed.{number}"
        return texts(key, columns=texts("page.separator").join(undescribed))
    # A figure that was not reached because nothing could be computed must not be put into a sentence.
    found = texts.or_else(f"finding.{kind}.{outcome}", "")
    if not found or ("{reached}" in found and finding.reached is None):
        return texts(f"finding.unknown.{outcome}")
    reached = "" if finding.reached is None else figure(finding.reached)
    return texts(f"finding.{kind}.{outcome}", reached=reached, rows=figure(finding.violating_rows))
