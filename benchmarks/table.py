"""The page of all benchmarks: one table of ratios, then what each was measured with, its tables and notes."""

from __future__ import annotations

import re
import time
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    Result = dict[str, Any]

_MET = {True: "met", False: "**missed**", None: ""}
_GOALS: dict[str, Callable[[float, float], bool]] = {
    r"at least 1/([\d.]+)": lambda ratio, asked: ratio >= 1 / asked,
    r"at least ([\d.]+)": lambda ratio, asked: ratio >= asked,
    r"at most ([\d.]+)": lambda ratio, asked: ratio <= asked,
    r"(?:well )?above ([\d.]+)": lambda ratio, asked: ratio > asked,
    r"(?:clearly )?below ([\d.]+)": lambda ratio, asked: ratio < asked,
    r"exactly ([\d.]+)": lambda ratio, asked: ratio == asked,
    r"about ([\d.]+)": lambda ratio, asked: 0.75 * asked <= ratio <= 1.25 * asked,
    r"tens$": lambda ratio, _: ratio >= 10,
    r"hundreds$": lambda ratio, _: ratio >= 100,
}
"""The words of goals, and what they mean; the first that fits counts."""


def page_of(results: Mapping[str, Result], old: Sequence[str], absent: Sequence[str]) -> str:
    """Markdown; `old` names results of earlier sources, `absent` benchmarks without any."""
    dates = sorted({date_of(result) for result in results.values()})
    lines = [
        "# Benchmarks: Sudare beside its rivals",
        "",
        "| | |",
        "|---|---|",
        "| command | `make bench` |",
        f"| date | {' to '.join(_distinct([dates[0], dates[-1]])) if dates else '–'} |",
        f"| machine | {'; '.join(_distinct(', '.join(one['machine'].values()) for one in results.values())) or '–'} |",
        f"| versions | {'; '.join(_distinct(versions_of(one) for one in results.values())) or '–'} |",
        "",
        "<!-- written by `make bench`; do not edit -->",
        "",
        "Every case runs in a process of its own; how is said in `benchmarks/harness.py`. A ratio above 1 is that many",
        "times the time (or whatever is named) of the first over the second; where the first is a number of seconds or of GB, it is",
        "the limit that was set. A *goal* (in some tables a *bar*) was set before the measurement; goals that are missed",
        "are explained below the ratios. A *twin* is the plain, slow program of the same algorithm; the",
        "*prototype* is the trial that the figures of the specification come from; figures *in the issue* are of rivals that cannot",
        "be installed here (ARX is Java), measured elsewhere.",
        "",
        f"{_met_of_all(results)} goals are met.",
        "",
    ]
    if absent:
        lines += [f"Not measured on this machine: {', '.join(absent)}.", ""]
    if old:
        lines += [f"Measured with earlier sources than those beside this page: {', '.join(old)}.", ""]
    elif results:
        lines += ["All results are of one state of the sources: that beside this page.", ""]
    lines += ["## Ratios", "", "| what | ratio | of | goal | met |", "|---|---:|---|---|---|"]
    for name, result in results.items():
        lines += _group(name, result["ratios"])
    lines += _missed(results)
    lines += _runs(results, old)
    for name, result in results.items():
        lines += ["", *_section(name, result)]
    return "\n".join([*lines, ""])


def met(goal: str, ratio: float) -> bool | None:
    """Whether a ratio reaches a goal that is said in words; None without one.

    >>> met("at least 50", 124.7), met("below 3", 3.2), met("tens", 8.5), met("", 2.0)
    (True, False, False, None)
    """
    if not goal:
        return None
    for words, holds in _GOALS.items():
        found = re.match(words, goal)
        if found:
            return bool(holds(ratio, float(found[1]) if found.groups() else 0.0))
    raise ValueError(f"The goal '{goal}' has no meaning in benchmarks/table.py.")


def _met_of_all(results: Mapping[str, Result]) -> str:
    verdicts = [met(ratio["goal"], ratio["ratio"]) for one in results.values() for ratio in one["ratios"]]
    return f"{verdicts.count(True)} of {len(verdicts) - verdicts.count(None)}"


def _group(name: str, ratios: Sequence[Mapping[str, Any]]) -> list[str]:
    """The rows of one benchmark, below a row with its name."""
    if not ratios:
        return []
    return [
        f"| **[{name}](#{name})** | | | | |",
        *(
            f"| {_cell(ratio['what'])} | {_number(ratio['ratio'])} | {ratio['over']:.4g} / {ratio['under']:.4g} "
            f"| {_cell(ratio['goal'])} | {_MET[met(ratio['goal'], ratio['ratio'])]} |"
            for ratio in ratios
        ),
    ]


def _missed(results: Mapping[str, Result]) -> list[str]:
    """Every goal that is missed, with the reason that its script gives."""
    lines = [
        f"- [{name}](#{name}), {_cell(ratio['what'])}: {_number(ratio['ratio'])}, the goal is {_cell(ratio['goal'])}. "
        f"{_cell(ratio.get('why') or 'The script gives no reason.')}"
        for name, result in results.items()
        for ratio in result["ratios"]
        if met(ratio["goal"], ratio["ratio"]) is False
    ]
    return ["", "## Missed, and why", "", *lines] if lines else []


def _runs(results: Mapping[str, Result], old: Sequence[str]) -> list[str]:
    """When each benchmark ran, how long, and how busy the machine was."""
    lines = [
        f"| [{name}](#{name}) | {date_of(one)} | {one['seconds']:,.0f} | {one['load_before'][0]:.1f} | "
        f"{one['load_after'][0]:.1f} | {'earlier' if name in old else 'beside this page'} |"
        for name, one in results.items()
    ]
    head = [
        "| benchmark | date | seconds | load before | load after | sources |",
        "|---|---|---:|---:|---:|---|",
    ]
    said = (
        "The load average is that of the last minute; above the number of cores, programs waited for each other, and times by "
        "the clock are longer than on a quiet machine."
    )
    return ["", "## Runs", "", said, "", *head, *lines] if lines else []


def _section(name: str, result: Result) -> list[str]:
    lines = [
        f"## {name}",
        "",
        " ".join((result.get("about") or "").split("\n\n")[0].split()),
        "",
        (
            f"`{result['command']}` on {date_of(result)}, {result['seconds']:.0f} s, load average "
            f"{result['load_before'][0]:.1f} before and {result['load_after'][0]:.1f} after; {versions_of(result)}."
        ),
        "",
    ]
    return [*lines, *tables_of(result)][:-1]


def tables_of(result: Result) -> list[str]:
    """The tables of a benchmark and its notes."""
    lines = []
    for table in result["tables"]:
        lines += [f"**{table['title']}**", "", _row(table["columns"]), _row(["---"] * len(table["columns"]))]
        lines += [*(_row(row) for row in table["rows"]), ""]
    for note in result["notes"]:
        lines += [note, ""]
    return lines


def date_of(result: Result) -> str:
    """The day it was measured."""
    return str(result.get("date") or time.strftime("%Y-%m-%d", time.gmtime(result["started"])))


def versions_of(result: Result) -> str:
    """Python and the packages, each with its number."""
    return ", ".join(f"{package} {number}" for package, number in result["versions"].items())


def _distinct(texts: Any) -> list[str]:
    return list(dict.fromkeys(texts))


def _number(value: float) -> str:
    if 0 < abs(value) < 0.1:
        return f"{value:.2g}"
    return f"{value:.2f}" if abs(value) < 10 else f"{value:,.1f}"


def _row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(_cell(cell) for cell in cells)} |"


def _cell(text: str) -> str:
    return str(text).replace("|", "\\|").replace("<", "&lt;").replace("*", "\\*")
