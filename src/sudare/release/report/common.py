"""What the report of a table and that of baskets say alike: verdict, warnings, requirements, recipe, provenance."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import yaml

from sudare.display import figure
from sudare.release.report.requirements import asked_rows, promises, verdict
from sudare.words.sentence import in_language

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from sudare.release.baskets.release import BasketRelease
    from sudare.release.report.texts import Texts
    from sudare.release.table.release import Release
    from sudare.verify.finding import Finding


def common_values(
    release: Release | BasketRelease,
    findings: Sequence[Finding],
    facts: Mapping[str, Any],
    texts: Texts,
    *,
    internal: bool,
) -> dict[str, Any]:
    """The values of `base.html.j2`; `facts` is the manifest as far as readers of the page may know it."""
    return {
        "t": texts,
        "internal": internal,
        "created": str(facts.get("created", ""))[:10],
        "verdict": verdict(release, findings, texts),
        "secure": release.secure,
        "warnings": [in_language(one, texts.language) for one in release.warnings] if internal else [],
        "notes": [in_language(one, texts.language) for one in release.notes] if internal else [],
        "asked": asked_rows(findings, texts),
        "promises": promises(findings, texts),
        "recipe": _recipe_text(facts),
        "provenance": [
            {"name": texts(f"provenance.{name}"), "value": value}
            for name, value in _provenance(facts, texts)
            if value
        ],
    }


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
