"""A finished release for people at a terminal, in their language: verdicts, figures, warnings, and where everything is."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sudare.display import Block, Grid, Line, Marked, Place, figure
from sudare.measure.catalogue import known_measure
from sudare.release.warnings import ReleaseNote
from sudare.words.sentence import Sentence, in_language, texts

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from sudare.measure.catalogue import Measure
    from sudare.release.folder import Written
    from sudare.verify.finding import Finding
    from sudare.words.sentence import Language, Texts


def summary_of(written: Written[Any], language: Language) -> Iterator[Block]:
    """Verdicts from the written files, what its kind has to say, warnings, and where everything is."""
    words = words_in(language)
    # How the release came about: the method that nobody named, a compromise, a second try; and how many rows were left
    # out where that was allowed. The report has the rest.
    yield from (Line(in_language(note, language)) for note in written.release.notes if _is_told(note))
    yield verdicts(written.findings, language)
    yield from written.release.kind.summary(written, language)
    for warning in written.release.warnings:
        yield Line(words("warning", warning=in_language(warning, language)))
    yield Place(words("place.hand_over"), written.folder / "public")
    yield Place(words("place.keep_private"), written.folder / "internal")
    for report in written.reports:
        yield Place(words("place.report"), report)


def _is_told(note: str) -> bool:
    return isinstance(note, ReleaseNote) or (isinstance(note, Sentence) and "allowed" in note.values)


def verdicts(findings: Sequence[Finding], language: Language) -> Marked:
    """What the verifier found."""
    return Marked([(finding.holds, in_language(finding.sentence, language)) for finding in findings])


def losses_blocks(
    losses: Mapping[str, float], known: Mapping[str, Measure], language: Language, *, ranges: bool = False
) -> Iterator[Block]:
    """Each measure with its value and its meaning, and between them its range where asked for; and what below zero means."""
    words, rows = words_in(language), []
    for name, value in losses.items():
        one, unlimited = known_measure(name, known), words("unlimited")
        span = f"{figure(one.smallest, unlimited)} … {figure(one.largest, unlimited)}"
        rows.append((name, figure(value, unlimited), *([span] if ranges else []), one.meaning.into(language)))
    heads = ["measure", "value", *(["range"] if ranges else []), "meaning"]
    yield Grid(words("loss.title"), [words(f"loss.{head}") for head in heads], rows)
    if any(value < 0 for value in losses.values()):
        yield Line(words("loss.negative"))


def words_in(language: Language) -> Texts:
    """The words around the figures of a release or a command."""
    return texts(language, "cli")
