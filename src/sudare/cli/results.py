"""What a finished release looks like in the terminal, in its language."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sudare.cli.show import print_table, print_verdicts, say, say_place
from sudare.display import figure, rounded_down, share

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from sudare.assess.linking import Linking
    from sudare.assess.risk import Risk
    from sudare.measure.catalogue import Measure
    from sudare.release.baskets.release import BasketRelease
    from sudare.release.folder import Written
    from sudare.release.report.texts import About
    from sudare.release.table.release import Release
    from sudare.verify.requirements import Finding
    from sudare.words.texts import Language, Texts


def show_written(written: Written[Release], language: Language) -> None:
    """Verdicts from the written files, risk before and after, losses, and where everything is."""
    from sudare.measure.catalogue import MEASURES

    release, words = written.release, words_in(language)
    wide = language == "ja"
    print_verdicts(verdict_lines(written.findings, language), wide=wide)
    _show_risk(release.risk_before, release.risk_after, language)
    if release.risk_after.linking is not None:
        _show_linking(release.risk_after.linking, words)
    show_losses(release.telling_losses, MEASURES, words)
    for name, bound in release.lower_bounds.items():
        if name in release.losses:
            least = rounded_down(bound.value, 4)
            key = "loss.bound" if bound.exact else "loss.bound_weak"
            say(words(key, measure=name, value=figure(release.losses[name]), bound=least), wide=wide)
    _say_warnings(release.warnings, words)
    _say_places(written, words)


def show_baskets(written: Written[BasketRelease], language: Language) -> None:
    """Verdicts from the written files, losses, what was done, and where everything is."""
    from sudare.measure.baskets import BASKET_MEASURES
    from sudare.words.sentence import in_language

    release, words = written.release, words_in(language)
    wide = language == "ja"
    print_verdicts(verdict_lines(written.findings, language, "baskets"), wide=wide)
    if release.losses:
        show_losses(release.losses, BASKET_MEASURES, words)
    for note in release.notes:
        say(in_language(note, language), wide=wide)
    _say_warnings(release.warnings, words)
    _say_places(written, words)


def words_in(language: Language) -> Texts:
    """The commands' own words."""
    from sudare.words.sentence import texts

    return texts(language, "cli")


def verdict_lines(
    findings: Sequence[Finding], language: Language, about: About = "table"
) -> list[tuple[bool, str]]:
    """What the verifier found, in its own words, which are English, or in those of the report."""
    if language == "en":
        return [(finding.holds, finding.sentence) for finding in findings]
    from sudare.release.report.requirements import asked_rows, told_apart
    from sudare.release.report.texts import Texts

    words, report = words_in(language), Texts(language, about)
    lines = []
    for finding in findings:
        (row,) = asked_rows([told_apart(finding) if about == "baskets" else finding], report)
        # The report has no words for why something fails; the verifier's must not get lost.
        key = "found" if finding.holds else "found_broken"
        details = {"verifier": report("asked.verifier"), "sentence": finding.sentence}
        lines.append((finding.holds, words(key, asked=row["asked"], found=row["found"], **details)))
    return lines


def show_losses(
    losses: Mapping[str, float], known: Mapping[str, Measure], words: Texts, *, ranges: bool = False
) -> None:
    """Each measure with its value and its meaning, and between them its range where asked for."""
    rows = []
    for name, value in losses.items():
        one, unlimited = known[name], words("unlimited")
        span = f"{figure(one.smallest, unlimited)} … {figure(one.largest, unlimited)}"
        meaning = one.meaning.into(words.language)
        rows.append((name, figure(value, unlimited), *([span] if ranges else []), meaning))
    heads = ["measure", "value", *(["range"] if ranges else []), "meaning"]
    print_table(
        words("loss.title"), [words(f"loss.{head}") for head in heads], rows, wide=words.language == "ja"
    )


def _say_warnings(warnings: Iterable[str], words: Texts) -> None:
    from sudare.words.sentence import in_language

    for warning in warnings:
        said = words("warning", warning=in_language(warning, words.language))
        say(said, wide=words.language == "ja")


def _say_places(written: Written[Any], words: Texts) -> None:
    say_place(words("place.hand_over"), written.folder / "public")
    say_place(words("place.keep_private"), written.folder / "internal")
    for report in written.reports:
        say_place(words("place.report"), report)


def _show_risk(before: Risk, after: Risk, language: Language) -> None:
    from sudare.release.report.texts import Texts

    report = Texts(language)
    heads = ["", report("page.before"), report("page.after")]
    print_table(report("risk.title"), heads, _risk_rows(before, after, language), wide=language == "ja")


def _risk_rows(before: Risk, after: Risk, language: Language) -> list[tuple[str, str, str]]:
    """Figures of blocks, or bounds from k where blocks would be blocks of noise."""
    from sudare.words.sentence import texts

    words, study = words_in(language), texts(language)
    rows = [(study("page.risk.rows"), f"{before.rows:,}", f"{after.rows:,}")]
    chances = ["prosecutor_largest"]
    if not after.blocks_are_noise:
        # Of noise only the bound 1/k is known, for everybody: beside a mean it would look like a rise.
        chances.append("prosecutor_mean")
        rows += [
            (study("page.risk.unique"), f"{before.unique_rows:,}", f"{after.unique_rows:,}"),
            (words("risk.smallest_block"), f"{before.smallest_block:,}", f"{after.smallest_block:,}"),
        ]
    for key in chances:
        rows.append((study(f"page.risk.{key}"), share(getattr(before, key)), share(getattr(after, key))))
    earlier = {guess.column: guess for guess in before.guesses}
    for other in after.guesses:
        one = earlier[other.column]
        rows += [
            (
                study("page.risk.homogeneous", column=one.column),
                share(one.homogeneous_share),
                share(other.homogeneous_share),
            ),
            (
                study("page.risk.guess_mean", column=one.column),
                share(one.guess_mean),
                share(other.guess_mean),
            ),
            (
                words("risk.background_mean", column=one.column, background=one.background),
                share(one.background_mean),
                share(other.background_mean),
            ),
        ]
    return rows


def _show_linking(linking: Linking, words: Texts) -> None:
    """Where the bound 1/k comes from."""
    from sudare.words.sentence import enumerated, texts

    wide = words.language == "ja"
    figures = {
        "largest": linking.largest,
        "others": linking.records - 1,
        "rate": linking.rate,
        "k": linking.k,
        "records": linking.records,
        "epsilon": linking.epsilon,
    }
    exact = enumerated(linking.exact).into(words.language)
    say(words("linking.bound_among" if linking.exact else "linking.bound", exact=exact, **figures), wide=wide)
    names = texts(words.language)
    print_table(
        words("linking.title"),
        [words(f"linking.{head}") for head in ("column", "mechanism", "rate", "epsilon")],
        [
            (
                one.column,
                names.or_else(f"noise.mechanism.{one.mechanism}", one.mechanism),
                f"{one.rate:.4g}",
                f"{one.epsilon:.3g}",
            )
            for one in linking.columns
        ],
        wide=wide,
    )
