"""What every report shares: its words, its templates, what was asked and reached, warnings, recipe, provenance."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any, Literal

import yaml
from jinja2 import Environment, FunctionLoader, StrictUndefined
from markupsafe import Markup

from sudare.display import AFTER, BEFORE, UNKNOWN, figure
from sudare.words import sentence as texts
from sudare.words.sentence import in_language

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from sudare.release.baskets.release import BasketRelease
    from sudare.release.table.release import Release
    from sudare.verify.finding import Finding
    from sudare.words.sentence import Language

About = Literal["table", "baskets"]
"""What a report is about: baskets have words of their own, and some that replace those of tables."""


class Texts(texts.Texts):
    """The words of a report in one language."""

    def __init__(self, language: Language, about: About = "table") -> None:
        super().__init__(language, words(language, about))


@cache
def words(language: Language, about: About = "table") -> dict[str, str]:
    """Texts by dotted key."""
    found = texts.loaded("report", language)
    return found if about == "table" else {**found, **texts.loaded("report_baskets", language)}


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


_ABOUT_FILES = ("unchanged-files", "no-identifiers", "nothing-left-over")


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
            "found": in_language(finding.sentence, texts.language),
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
    if isinstance(exempt := requirement.get("exempt"), Mapping) and exempt:
        # Whoever has such a value is not protected: nobody may read the requirement without that.
        cells = [
            f"{name} = {texts('distributions.missing') if value is None else value}"
            for name, listed in exempt.items()
            for value in listed
        ]
        values["columns"] = texts(
            "requirement.except_exempt",
            columns=values["columns"],
            values=texts("page.separator").join(cells),
        )
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
    # Where no inference is too certain, the check has looked for none that is less so: rho is what it knows.
    limit = finding.requirement.get("rho") if finding.holds else None
    reached = limit if finding.reached is None else figure(finding.reached)
    return UNKNOWN if reached is None or not texts.or_else(key, "") else texts(key, reached=reached)


def common_values(
    release: Release | BasketRelease,
    findings: Sequence[Finding],
    facts: Mapping[str, Any],
    texts: Texts,
    *,
    internal: bool,
) -> dict[str, Any]:
    """The values of `base.html.j2`; `facts` is the manifest as far as readers of the page may know it."""
    recipe = _recipe_text(facts)
    lines = 0 if recipe is None else recipe.count("\n")
    return {
        "about": _about(facts, texts),
        "recipe_lines": lines,
        "recipe_long": lines > _LONG_RECIPE,
        "t": texts,
        "internal": internal,
        "created": str(facts.get("created", ""))[:10],
        "verdict": verdict(release, findings, texts),
        "secure": release.secure,
        "warnings": [in_language(one, texts.language) for one in release.warnings] if internal else [],
        "notes": [in_language(one, texts.language) for one in release.notes] if internal else [],
        "asked": asked_rows(findings, texts),
        "compromise": _compromise(facts, texts),
        "promises": promises(findings, texts),
        "recipe": recipe,
        "provenance": [
            {"name": texts(f"provenance.{name}"), "value": value}
            for name, value in _provenance(facts, texts)
            if value
        ],
    }


_LONG_RECIPE = 40
"""Lines from which a recipe is folded away."""


def _about(facts: Mapping[str, Any], texts: Texts) -> dict[str, Any] | None:
    """What the release is called, what and whom it is for, and who answers for it."""
    told = facts.get("about")
    if not told:
        return None
    named = [
        {"name": texts(f"about.{name}"), "value": told[name]}
        for name in ("purpose", "recipient", "contact")
        if told.get(name)
    ]
    return {"title": told.get("title"), "facts": named}


def _compromise(facts: Mapping[str, Any], texts: Texts) -> str | None:
    """What was given up, and what was asked before."""
    taken = facts.get("compromise")
    if taken is None:
        return None
    before = (dict(one) for one in taken["instead_of"])
    asked = texts("page.separator").join(
        " ".join(
            [str(one.pop("type")), *(f"{name} = {_listed(value)}" for name, value in one.items() if value)]
        )
        for one in before
    )
    kind = texts(f"compromise.{taken['kind'].replace(' ', '_').replace('-', '_')}")
    return texts("compromise.told", kind=kind, asked=asked)


def _listed(value: Any) -> str:
    """The value of a parameter, several with commas."""
    return ", ".join(map(str, value)) if isinstance(value, list | tuple) else str(value)


def _recipe_text(facts: Mapping[str, Any]) -> str | None:
    """The recipe as YAML, or None when there was none; no manifest has passwords (see `AnyRecipe.without_secrets`)."""
    recipe = facts.get("recipe")
    return None if recipe is None else yaml.safe_dump(recipe, sort_keys=False, allow_unicode=True)


def _provenance(facts: Mapping[str, Any], texts: Texts) -> Iterator[tuple[str, str]]:
    """Where the release comes from, as far as the manifest that is given says."""
    source, data = facts.get("input", {}), facts["data"]
    unit = "baskets" if "baskets" in data else "rows"
    yield "created", str(facts.get("created", "")).replace("T", " ").replace("+00:00", " UTC")
    yield "run", facts.get("run") or ""
    yield "ledger", facts.get("ledger") or ""
    yield "sudare", str(facts.get("sudare", ""))
    yield "input", " · ".join(str(source[key]) for key in ("name", "format", "encoding") if source.get(key))
    yield "input_sha256", source.get("sha256") or ""
    yield f"input_{unit}", _size(source, texts) if unit in source else ""
    yield "data", f"{data['file']} · {data['layout' if unit == 'baskets' else 'format']}"
    yield "data_sha256", data["sha256"]
    yield f"data_{unit}", _size(data, texts)
    yield "method", "; ".join(_method_text(method) for method in facts.get("method", ()))
    # Earlier manifests of baskets call it "secure".
    yield "secure", texts("page.yes" if facts.get("secure_randomness", facts.get("secure")) else "page.no")
    yield (
        "seconds",
        " · ".join(
            f"{texts.or_else(f'provenance.phase.{phase}', phase)} {texts('page.seconds', value=f'{value:.2f}')}"
            for phase, value in facts.get("seconds", {}).items()
        ),
    )
    yield "machine", " · ".join(f"{name} {version}" for name, version in facts.get("machine", {}).items())


def _size(facts: Mapping[str, Any], texts: Texts) -> str:
    if "rows" in facts:
        return figure(facts["rows"])
    return texts("provenance.entries", baskets=figure(facts["baskets"]), entries=figure(facts["entries"]))


def _method_text(method: Mapping[str, Any]) -> str:
    """A method with its parameters."""
    rest = ", ".join(
        f"{key} = {value}" for key, value in method.items() if key != "type" and value is not None
    )
    return f"{method['type']} ({rest})" if rest else str(method["type"])
