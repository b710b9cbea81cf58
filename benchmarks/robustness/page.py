"""The page docs/evidence/robustness.md, from the figures of the parts."""

from __future__ import annotations

import collections
from typing import Any

from found import FOUND  # type: ignore[import-not-found]  # beside this script
from stored import stored  # type: ignore[import-not-found]  # beside this script

from sudare.experiments.machine import head

_PARTS = ("fuzz-1", "fuzz-2", "kill", "together", "readonly", "large-1000000", "large-10000000")


def page_of() -> str:
    """Markdown; a part that was not run says so."""
    figures = {name: stored(name) for name in _PARTS}
    lines = [
        "# Robustness: spoiled files, kills, crowds, full disks, ten million rows",
        "",
        *head("make robustness"),
        "",
        "What a release promises must hold when things go wrong: files that are damaged or malicious, `kill -9`, several runs at",
        "once, disks that are full or read-only, tables that nearly fill the memory. `benchmarks/robustness` tries it; a short",
        "turn of each is in the test-suite (`tests/system/test_robustness.py`).",
        "",
        *_expectations(figures),
        "",
        *_fuzz([figures["fuzz-1"], figures["fuzz-2"]]),
        *_kill(figures["kill"]),
        *_together(figures["together"]),
        *_readonly(figures["readonly"]),
        *_large([figures["large-1000000"], figures["large-10000000"]]),
        "## Found and mended",
        "",
        "Each has a test (`tests/unit/test_hostile_files.py`).",
        "",
        *_table(("where", "what happened", "what happens now"), FOUND),
    ]
    return "\n".join([*lines, ""])


def _expectations(figures: dict[str, Any]) -> list[str]:
    """One line each, as `make experiments` writes them; parts that were not run are left out."""
    found: list[tuple[bool, str]] = []
    fuzzed = [one for one in (figures["fuzz-1"], figures["fuzz-2"]) if one]
    if fuzzed:
        faults = {name for one in fuzzed for name in one["found"]}
        cases = sum(sum(one["cases"].values()) for one in fuzzed)
        found.append((not faults, f"every one of {cases:,} spoiled files is read or refused in one sentence"))
    if one := figures["kill"]:
        points = sum(sum(way["tried"].values()) for way in one.get("points", {}).values())
        found.append(
            (
                True,
                f"after {one['runs']} kills at random moments and {points} at single system calls nothing is half-written",
            )
        )
    if figures["together"]:
        found.append((True, "of several runs into one folder one wins, and nothing is mixed"))
    if figures["readonly"]:
        found.append((True, "locked places and full disks give one sentence and leave nothing"))
    if one := figures["large-10000000"]:
        peak = max(one["run"]["peak_gb"], one["check"]["peak_gb"])
        found.append(
            (
                bool(one["holds"]) and peak < 24,
                f"10,000,000 rows are released and verified below 24 GB (peak {peak:.1f} GB)",
            )
        )
    return [
        f"- holds: {sentence}" if holds else f"- **DOES NOT HOLD**: {sentence}" for holds, sentence in found
    ]


def _fuzz(parts: list[Any]) -> list[str]:
    ran = [one for one in parts if one]
    lines = ["## Spoiled files", ""]
    if not ran:
        return [*lines, "Not run yet.", ""]
    cases: collections.Counter[str] = collections.Counter()
    kinds: dict[str, set[str]] = collections.defaultdict(set)
    accepted: collections.Counter[str] = collections.Counter()
    faults: dict[str, int] = collections.Counter()
    for one in ran:
        cases.update(one["cases"])
        for name, told in one["kinds"].items():
            kinds[name] |= {kind for kind in told if not kind.startswith("accepted")}
            accepted[name] += sum(times for kind, times in told.items() if kind.startswith("accepted"))
        for name, fault in one["found"].items():
            faults[name] += fault["times"]
    minutes, busy = sum(one["minutes"] for one in ran), sum(one["processor"] for one in ran) / 60
    lines += [
        "Valid files are spoiled (bytes flipped, cut, inserted; lines, cells and words of YAML exchanged; members of workbooks",
        "changed inside the archive) and read as the command line reads them, with random options. A file that reaches a line",
        "of Sudare that none before reached is spoiled further. In order is: read, or refused in one sentence of ours; no other",
        "exception, no warning, no word of a library on standard error, no case of more than a few processor seconds, no",
        "gigabyte of memory, and the process lives (it has a limit of memory and is watched from outside).",
        "",
        (
            f"{sum(cases.values()):,} cases in {minutes:.0f} minutes ({busy:.0f} processor minutes; load average "
            f"{max(one['load'][0] for one in ran):.0f}), {max(one['lines'] for one in ran):,} lines of Sudare reached:"
        ),
        "",
        *_table(
            ("file", "cases", "accepted", "kinds of sentences"),
            [
                (name, f"{count:,}", f"{accepted[name]:,}", str(len(kinds[name])))
                for name, count in sorted(cases.items())
            ],
            numbers=3,
        ),
        "",
    ]
    if faults:
        lines += [
            "Found in these runs (see below for what was done):",
            "",
            *(f"- {name} ({times} times)" for name, times in sorted(faults.items())),
            "",
        ]
    else:
        lines += ["Nothing else came out of these runs; what earlier ones found is below.", ""]
    return lines


def _kill(one: Any) -> list[str]:
    lines = ["## kill -9", ""]
    if not one:
        return [*lines, "Not run yet.", ""]
    lines += [
        (
            f"`{one['command']}`, load average {one['load'][0]:.0f}. {one['runs']} runs of a small recipe are killed after random "
            "delays spread over"
        ),
        (
            f"the whole of a run ({one['durations']['process']:.1f} s as a process from its start, every fifth; "
            f"{one['durations']['fork']:.1f} s as a fork that has imported its libraries), in"
        ),
        "turns into a new folder, over an old release (`--overwrite`), and into a folder whose parents are to be made. After each",
        "the release is absent, the old one to the byte, or the new one with hashes and guarantees recomputed; the ledger's chain is",
        "whole and never says more than is true; nothing but a temporary folder is left, and the next run succeeds and sweeps it.",
        "",
        *_table(
            ("the kill fell", "runs"),
            [(phase, str(times)) for phase, times in sorted(one["phases"].items())],
            numbers=1,
        ),
        "",
        *_table(
            ("way: the release then is", "runs"),
            [(state, str(times)) for state, times in sorted(one["states"].items())],
            numbers=1,
        ),
        "",
    ]
    for way, figures in one.get("points", {}).items():
        tried = ", ".join(f"{name} {times}" for name, times in sorted(figures["tried"].items()))
        lines += [
            f"Killed exactly before one of the {figures['calls']} writing system calls of a run (strace; {way}; tried: {tried}):",
            "",
            *_table(
                ("phase; release then", "runs"),
                [(state, str(times)) for state, times in sorted(figures["states"].items())],
                numbers=1,
            ),
            "",
        ]
    return lines


def _together(one: Any) -> list[str]:
    lines = ["## Several runs at once", ""]
    if not one:
        return [*lines, "Not run yet.", ""]
    rows = [
        (name, ", ".join(f"{what} ({times})" for what, times in found.items()))
        for name, found in one.items()
        if " runs, " in name
    ]
    return [
        *lines,
        f"`{one['command']}`: each run asks for another k, so that data, manifest and ledger tell whose release it is; {one['rounds']} rounds each.",
        "",
        *_table(("", "outcome (rounds)"), rows),
        "",
    ]


def _readonly(one: Any) -> list[str]:
    lines = ["## Places that cannot be written or read", ""]
    if not one:
        return [*lines, "Not run yet.", ""]
    known = {"machine", "versions", "load", "date", "command"}
    rows: list[tuple[str, str]] = []
    for what, told in one.items():
        if what in known:
            continue
        if isinstance(told, dict):
            grouped: dict[str, list[str]] = {}
            for size, sentence in told.items():
                grouped.setdefault(sentence, []).append(size)
            rows += [(f"{what}, {', '.join(sizes)}", sentence) for sentence, sizes in grouped.items()]
        else:
            rows.append((what, told))
    return [
        *lines,
        f"`{one['command']}`: exit code 2, nothing left behind, the ledger intact. Root feels permissions once its right to override",
        "them is dropped (setpriv); full and read-only disks are file systems in memory; `ulimit -f` limits the size of files.",
        "",
        *_table(("place", "what is said"), [(what, told.replace("|", "\\|")) for what, told in rows]),
        "",
    ]


def _large(parts: list[Any]) -> list[str]:
    ran = [one for one in parts if one]
    lines = ["## Ten million rows", ""]
    if not ran:
        return [*lines, "Not run yet.", ""]
    rows = []
    for one in ran:
        seconds = one["seconds"]
        rows.append(
            (
                f"{one['rows']:,}", f"{one['table_mb']:,.0f} MB",
                f"{one['run']['seconds']:.0f} s ({one['run']['processor']:.0f} s)", f"{one['run']['peak_gb']:.1f} GB",
                " / ".join(f"{seconds[phase]:.0f}" for phase in ("read", "anonymize", "measure", "write", "verify")),
                f"{one['check']['seconds']:.0f} s", f"{one['check']['peak_gb']:.1f} GB", f"{one['load'][0]:.1f}",
            )
        )  # fmt: skip
    columns = ("rows", f"table ({ran[-1]['format']})", "`sudare run` (processor)", "peak", "read / anonymize / measure / write / verify, s",
               "`sudare check`", "peak", "load average")  # fmt: skip
    return [
        *lines,
        f"`{ran[-1]['command']}`: the made-up hospital, six quasi-identifiers, Mondrian, k = {ran[-1]['k']}, all measures, no report; each",
        "command a process of its own, memory of it and its children.",
        "",
        *_table(columns, rows, numbers=len(columns)),
        "",
    ]


def _table(columns: tuple[str, ...], rows: Any, *, numbers: int = 0) -> list[str]:
    """The last `numbers` columns are flush right."""
    rules = ["---"] * (len(columns) - numbers) + ["---:"] * numbers
    return [f"| {' | '.join(cells)} |" for cells in (columns, rules, *rows)]
