"""`sudare catalogue`: everything a recipe can name."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from sudare.cli.options import Json


def command(
    name: Annotated[
        str | None, typer.Argument(help="One entry, with its parameters; all names when left out.")
    ] = None,
    json: Json = False,
) -> int:
    """List methods, requirements, hierarchies and measures with their parameters.

    Of tables and of baskets.

    Examples:

      sudare catalogue

      sudare catalogue l-diversity

      sudare catalogue rho-uncertainty
    """
    from sudare.anonymize.baskets.catalogue import BASKET_METHODS
    from sudare.anonymize.catalogue import METHODS
    from sudare.assess.baskets.catalogue import BASKET_REQUIREMENTS
    from sudare.assess.catalogue import REQUIREMENTS
    from sudare.cli.show import print_json, print_table, say
    from sudare.describe.hierarchy.catalogue import CATALOGUE
    from sudare.errors import ParameterError, did_you_mean
    from sudare.measure.baskets import BASKET_MEASURES
    from sudare.measure.catalogue import MEASURES

    catalogues: dict[str, Any] = {
        "requirement": REQUIREMENTS,
        "method": METHODS,
        "hierarchy": CATALOGUE,
        "basket requirement": BASKET_REQUIREMENTS,
        "basket method": BASKET_METHODS,
    }
    measures = {**MEASURES, **BASKET_MEASURES}
    kinds = {**dict.fromkeys(MEASURES, "measure"), **dict.fromkeys(BASKET_MEASURES, "basket measure")}
    if name in measures:
        found = measures[name]
        facts = {key: value for key, value in found.__dict__.items() if key != "compute"}
        if json:
            print_json({name: {"kind": kinds[name], **facts}})
        else:
            print_table(f"{name} ({kinds[name]})", ["field", "value"], list(facts.items()))
        return 0
    known = [*measures, *(entry for catalogue in catalogues.values() for entry in catalogue)]
    if name is not None and name not in known:
        raise ParameterError(f"'{name}' is in no catalogue; {did_you_mean(name, known)}")
    chosen = [(kind, entry) for kind, each in catalogues.items() for entry in each if name in {None, entry}]
    if json:
        content = {
            entry: {
                "kind": kind,
                "about": _first(catalogues[kind][entry].__doc__),
                "parameters": catalogues[kind].fields(entry),
            }
            for kind, entry in chosen
        }
        print_json(content if name else {**content, **{each: {"kind": kinds[each]} for each in measures}})
        return 0
    if name is None:
        rows = [(kind, entry, _first(catalogues[kind][entry].__doc__)) for kind, entry in chosen]
        rows += [(kinds[each.name], each.name, each.meaning) for each in measures.values()]
        print_table("What a recipe can name", ["kind", "name", "about"], rows)
        return 0
    for kind, entry in chosen:
        say(f"{entry} ({kind}): {_first(catalogues[kind][entry].__doc__)}")
        print_table("Parameters", ["name", "type", "meaning"], catalogues[kind].fields(entry))
    return 0


def _first(text: str | None) -> str:
    """The first paragraph of a docstring in one line."""
    return " ".join((text or "").split("\n\n")[0].split())
