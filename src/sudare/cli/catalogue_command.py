"""`sudare catalogue`: everything a recipe can name."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from sudare.cli.options import Json, Language, check_language

if TYPE_CHECKING:
    from sudare.measure.catalogue import Measure
    from sudare.words.sentence import Language as TextLanguage
    from sudare.words.sentence import Texts


def command(
    name: Annotated[str | None, typer.Argument()] = None,
    lang: Language = "en",
    json: Json = False,
) -> int:
    """List methods, requirements, hierarchies and measures with their parameters."""
    from sudare.anonymize.baskets.catalogue import BASKET_METHODS
    from sudare.anonymize.catalogue import METHODS
    from sudare.assess.baskets.catalogue import BASKET_REQUIREMENTS
    from sudare.assess.catalogue import REQUIREMENTS
    from sudare.cli.show import print_json, print_table, say
    from sudare.describe.hierarchy.catalogue import CATALOGUE
    from sudare.errors import ParameterError, did_you_mean
    from sudare.measure.baskets.catalogue import BASKET_MEASURE_PARAMETERS, BASKET_MEASURES
    from sudare.measure.catalogue import MEASURE_PARAMETERS, MEASURES
    from sudare.release.summary import words_in

    language = check_language(lang)
    words, wide = words_in(language), language == "ja"
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
        parameterized = next(
            (one for one in (MEASURE_PARAMETERS, BASKET_MEASURE_PARAMETERS) if name in one.entries), None
        )
        fields = [] if parameterized is None else parameterized.fields(name, language)
        if json:
            facts = {"kind": kinds[name], **_facts(measures[name], language)}
            print_json({name: {**facts, "parameters": fields} if fields else facts})
        else:
            _show_measure(measures[name], kinds[name], words)
            if fields:
                heads = [words(f"catalogue.{head}") for head in ("name", "type", "meaning")]
                print_table(words("catalogue.parameters"), heads, fields, wide=wide)
        return 0
    known = [*measures, *(entry for catalogue in catalogues.values() for entry in catalogue)]
    if name is not None and name not in known:
        for catalogue in catalogues.values():
            choice = catalogue.choice_of(name)
            if choice is not None:
                raise ParameterError("cli.catalogue.choice", name=name, entry=choice[0], field=choice[1])
        raise ParameterError("cli.catalogue.unknown", name=name, hint=did_you_mean(name, known))
    chosen = [(kind, entry) for kind, each in catalogues.items() for entry in each if name in {None, entry}]
    if json:
        content = {
            entry: {
                "kind": kind,
                "about": catalogues[kind].about(entry, language),
                "parameters": catalogues[kind].fields(entry, language),
            }
            for kind, entry in chosen
        }
        print_json(content if name else {**content, **{each: {"kind": kinds[each]} for each in measures}})
        return 0
    if name is None:
        rows = [
            (words(f"catalogue.kinds.{kind}"), entry, catalogues[kind].about(entry, language))
            for kind, entry in chosen
        ]
        rows += [
            (words(f"catalogue.kinds.{kinds[each.name]}"), each.name, each.meaning.into(language))
            for each in measures.values()
        ]
        heads = [words(f"catalogue.{head}") for head in ("kind", "name", "about")]
        print_table(words("catalogue.title"), heads, rows, wide=wide)
        return 0
    for kind, entry in chosen:
        about = catalogues[kind].about(entry, language)
        kind_name = words(f"catalogue.kinds.{kind}")
        say(words("catalogue.entry", name=entry, kind=kind_name, about=about), wide=wide)
        heads = [words(f"catalogue.{head}") for head in ("name", "type", "meaning")]
        print_table(words("catalogue.parameters"), heads, catalogues[kind].fields(entry, language), wide=wide)
    return 0


def _facts(measure: Measure, language: TextLanguage) -> dict[str, Any]:
    """What is declared of a measure, its words in a language."""
    from sudare.words.sentence import meaning_of

    applies = meaning_of(f"applies.{measure.applies}", measure.applies)
    direction = meaning_of(f"direction.{measure.direction}", measure.direction)
    return {
        "name": measure.name,
        "meaning": measure.meaning.into(language),
        "applies": applies.into(language),
        "smallest": measure.smallest,
        "largest": measure.largest,
        "direction": direction.into(language),
        "usual": measure.usual,
        "fewest": measure.fewest,
    }


def _show_measure(measure: Measure, kind: str, words: Texts) -> None:
    from sudare.cli.show import print_table
    from sudare.display import figure

    rows = []
    for fact, value in _facts(measure, words.language).items():
        said = value
        if isinstance(value, bool):
            said = words("catalogue.yes" if value else "catalogue.no")
        elif isinstance(value, int | float):
            said = figure(value, words("unlimited"))
        rows.append((words(f"catalogue.facts.{fact}"), said))
    title = words("catalogue.measure", name=measure.name, kind=words(f"catalogue.kinds.{kind}"))
    heads = [words(f"catalogue.{head}") for head in ("field", "value")]
    print_table(title, heads, rows, wide=words.language == "ja")
