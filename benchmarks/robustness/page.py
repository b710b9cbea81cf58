"""The page docs/evidence/robustness.md: every sentence and verdict of it comes from the figures of the parts."""

from __future__ import annotations

import collections
from typing import TYPE_CHECKING, Any

from found import FOUND  # type: ignore[import-not-found]  # beside this script
from stored import stored  # type: ignore[import-not-found]  # beside this script

from sudare.experiments.machine import head

if TYPE_CHECKING:
    from collections.abc import Mapping

_ENDED = "ended before the kill"
_LIMIT_GB = 24
_RECOUNTS = ("recount-1", "recount-2")
_PARTS = ("fuzz-1", "fuzz-2", *_RECOUNTS, "kill", "together", "readonly", "large-1000000", "large-10000000")


def page_of(current: Mapping[str, bool]) -> str:
    """Markdown; a part that was not run says so. `current`: whether the figures of a part are of the present sources."""
    return page_from({name: stored(name) for name in _PARTS}, current)


def page_from(figures: Mapping[str, Any], current: Mapping[str, bool]) -> str:
    """The page of these figures."""
    lines = [
        "# Robustness: spoiled files, hostile tables, kills, crowds, full disks, ten million rows",
        "",
        *head("make robustness"),
        "",
        "<!-- written by `make robustness`; do not edit -->",
        "",
        "What a release promises must hold when things go wrong: files that are damaged or malicious, tables whose values are made to",
        "be confused, `kill -9`, several runs at once, disks that are full or read-only, tables that nearly fill the memory.",
        "`benchmarks/robustness` tries it; a short turn of each is in the test-suite (`tests/system/test_robustness.py`).",
        "",
        *_expectations(figures),
        "",
        *_fuzz([figures["fuzz-1"], figures["fuzz-2"]], _told(figures, current, "fuzz-1", "fuzz-2")),
        *_recount([figures[name] for name in _RECOUNTS], _told(figures, current, *_RECOUNTS)),
        *_kill(figures["kill"], _told(figures, current, "kill")),
        *_together(figures["together"], _told(figures, current, "together")),
        *_readonly(figures["readonly"], _told(figures, current, "readonly")),
        *_large(
            [figures["large-1000000"], figures["large-10000000"]],
            _told(figures, current, "large-1000000", "large-10000000"),
        ),
        "## Found and mended",
        "",
        "Each has a test (`tests/unit/read/test_hostile_files.py`, `tests/regressions/test_found_by_recounting.py`).",
        "",
        *_table(("where", "what happened", "what happens now"), FOUND),
    ]
    return "\n".join([*lines, ""])


def _told(figures: Mapping[str, Any], current: Mapping[str, bool], *names: str) -> list[str]:
    """When each run of a section was, at what load, and whether its sources are those beside the page."""
    lines = []
    for name in names:
        if one := figures[name]:
            sources = {
                True: "its sources have not changed since",
                False: "**its sources have changed since, it ended with an error, or was not started by `make robustness`**",
                None: "not a part of `make robustness`, so whether its sources have changed is not known",
            }[current.get(name)]
            lines.append(
                f"- {name}: `{one['command']}` on {one['date']}, load average {one['load'][0]:.1f} at its end; {sources}."
            )
    return [*lines, ""] if lines else []


def _broken(one: Any, what: str) -> list[str]:
    """What was not as promised, and what becomes of it."""
    if "broken" not in one:
        return [
            f"At the first broken promise the run ended with an error and left no figures; these are of all {what}.",
            "",
        ]
    if not one["broken"]:
        return [
            f"A broken promise is counted and ends the run with an error; there is none in all {what}.",
            "",
        ]
    return ["**Broken promises:**", "", *(f"- {sentence}" for sentence in one["broken"]), ""]


def _killed(one: Any) -> tuple[int, int]:
    """How many runs were killed at a random moment, and how many had ended before."""
    ended = one["phases"].get(_ENDED, 0) + one.get("ended", 0)
    return sum(one["phases"].values()) - one["phases"].get(_ENDED, 0), ended


def _killed_at_calls(one: Any) -> int:
    return sum(
        times
        for way in one.get("points", {}).values()
        for state, times in way["states"].items()
        if not state.startswith(_ENDED)
    )


def _expectations(figures: Mapping[str, Any]) -> list[str]:
    """One line each, as `make experiments` writes them; parts that were not run are left out."""
    found: list[tuple[bool, str]] = []
    fuzzed = [one for one in (figures["fuzz-1"], figures["fuzz-2"]) if one]
    if fuzzed:
        faults = {name for one in fuzzed for name in one["found"]}
        cases = sum(sum(one["cases"].values()) for one in fuzzed)
        found.append((not faults, f"every one of {cases:,} spoiled files is read or refused in one sentence"))
    recounted = [one for name in _RECOUNTS if (one := figures[name])]
    if recounted:
        states = _states(recounted)
        found.append(
            (
                not any(one["found"] for one in recounted) and 2 * states["released"] > states.total(),
                (
                    f"k, l, t, Pk, rho and k^m of {states['released']:,} releases of hostile tables and baskets hold when their "
                    "written files are counted again, and are what the verifier says"
                ),
            )
        )
    if one := figures["kill"]:
        (killed, ended), points = _killed(one), _killed_at_calls(one)
        found.append(
            (
                not one.get("broken") and killed >= one["runs"],
                (
                    f"after {killed} kills at random moments ({one['runs']} wanted; {ended} more runs ended before theirs) and "
                    f"{points} at single system calls nothing is half-written"
                ),
            )
        )
    if one := figures["together"]:
        rounds = {name: sum(outcomes.values()) for name, outcomes in one.items() if " runs, " in name}
        found.append(
            (
                not one.get("broken")
                and bool(rounds)
                and all(kept == one["rounds"] for kept in rounds.values()),
                (
                    f"of several runs into one folder one wins, and nothing is mixed ({sum(rounds.values())} of "
                    f"{one['rounds'] * len(rounds)} rounds)"
                ),
            )
        )
    if one := figures["readonly"]:
        tried = [place for place, sentence in _places(one) if not sentence.startswith("not tried")]
        full = sum(place.startswith("full disk, ") for place in tried)
        found.append(
            (
                not one.get("broken") and bool(tried),
                (
                    f"{len(tried) - full} locked or limited places and {full} full disks give one sentence and leave nothing, "
                    "or the release is whole"
                ),
            )
        )
    if one := figures["large-10000000"]:
        peak = max(one["run"]["peak_gb"], one["check"]["peak_gb"])
        found.append(
            (
                bool(one["holds"]) and peak < _LIMIT_GB,
                f"10,000,000 rows are released and verified below {_LIMIT_GB} GB (peak {peak:.1f} GB)",
            )
        )
    return [
        f"- holds: {sentence}" if holds else f"- **DOES NOT HOLD**: {sentence}" for holds, sentence in found
    ]


def _fuzz(parts: list[Any], told: list[str]) -> list[str]:
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
        for name, sentences in one["kinds"].items():
            kinds[name] |= {kind for kind in sentences if not kind.startswith("accepted")}
            accepted[name] += sum(times for kind, times in sentences.items() if kind.startswith("accepted"))
        for name, fault in one["found"].items():
            faults[name] += fault["times"]
    lines += [
        "Valid files are spoiled (bytes flipped, cut, inserted; lines, cells and words of YAML exchanged; members of workbooks",
        "changed inside the archive) and read as the command line reads them, with random options. A file that reaches a line",
        "of Sudare that none before reached is spoiled further. In order is: read, or refused in one sentence of ours; no other",
        "exception, no warning, no word of a library on standard error, no case of more than a few processor seconds, no",
        "gigabyte of memory, and the process lives (it has a limit of memory and is watched from outside).",
        "",
        *told,
        *_table(
            (
                "seed",
                "cases",
                "processor minutes",
                "minutes of the clock",
                "lines of Sudare reached",
                "kinds of faults",
            ),
            [_turn(one) for one in ran],
            numbers=5,
        ),
        "",
        "Processor minutes are of the cases alone; loading libraries and kernels before the first case is not among them"
        if all("warming" in one for one in ran)
        else "Processor minutes are of the whole process, with the loading of libraries and kernels before the first case",
        "(the clock runs then too).",
        "",
        f"{sum(cases.values()):,} cases in all:",
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


def _turn(one: Any) -> tuple[str, ...]:
    return (
        str(one["seed"]), f"{sum(one['cases'].values()):,}", f"{one['processor'] / 60:.1f}", f"{one['minutes']:.1f}",
        f"{one['lines']:,}", str(len(one["found"])),
    )  # fmt: skip


def _states(parts: list[Any]) -> collections.Counter[str]:
    """How many cases were released, refused, and wrong."""
    states: collections.Counter[str] = collections.Counter()
    for one in parts:
        for by_state in one["methods"].values():
            states.update(by_state)
    return states


def _recount(parts: list[Any], told: list[str]) -> list[str]:
    ran = [one for one in parts if one]
    lines = ["## Hostile tables, counted again", ""]
    if not ran:
        return [*lines, "Not run yet.", ""]
    states = _states(ran)
    methods: dict[str, collections.Counter[str]] = collections.defaultdict(collections.Counter)
    formats: collections.Counter[str] = collections.Counter()
    refusals: collections.Counter[str] = collections.Counter()
    for one in ran:
        for name, by_state in one["methods"].items():
            methods[name].update(by_state)
        formats.update(one["formats"])
        refusals.update(one["refusals"])
    seconds = sum(one["seconds"] for one in ran)
    written = ", ".join(f"{name} {count:,}" for name, count in sorted(formats.items()))
    lines += [
        "Tables and baskets of up to 60 records are released, by every method and into every format. Their values are made to be",
        "confused: missing ones of several kinds, texts that look like labels of Sudare, spellings of one word, numbers as text,",
        "integers beyond all floats, dates with zones. Then the written file is read with the csv module, zipfile and pyarrow alone, and",
        "what was asked is counted again from its cells, by code that shares nothing with Sudare (`recount.py`). In order is: refused",
        "in one sentence with nothing left behind; or released, every requirement holds as counted, the verifier finds the same figures,",
        "and no removed identifier is in the public bytes.",
        "",
        *told,
        (
            f"{states.total():,} cases, {states['released']:,} released and {states['refused']:,} refused "
            f"({states['refused'] / states.total():.0%}, for {len(refusals)} reasons), {seconds / 60:.0f} processor minutes. "
            f"Released as: {written}."
        ),
        "",
        *_table(
            ("method", "cases", "released", "refused", "wrong"),
            [
                (name, f"{one.total():,}", f"{one['released']:,}", f"{one['refused']:,}", f"{one['wrong']:,}")
                for name, one in sorted(methods.items())
            ],
            numbers=4,
        ),
        "",
    ]
    found = [
        f"- {kind} ({fault['times']} times; `recount_fuzz.py --seed {one['seed']} --only {fault['number']}`)"
        for one in ran
        for kind, fault in sorted(one["found"].items())
    ]
    if found:
        return [*lines, "**Found in these runs:**", "", *found, ""]
    return [*lines, "Nothing was found in these runs; what earlier ones found is below.", ""]


def _kill(one: Any, told: list[str]) -> list[str]:
    lines = ["## kill -9", ""]
    if not one:
        return [*lines, "Not run yet.", ""]
    killed, ended = _killed(one)
    lines += [
        *told,
        f"{killed} runs of a small recipe were killed before they ended ({ended} more ended first), after random delays spread over",
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
            [(phase, str(times)) for phase, times in sorted(one["phases"].items()) if phase != _ENDED],
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
    lines += _broken(one, f"{killed + _killed_at_calls(one)} kills")
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


def _together(one: Any, told: list[str]) -> list[str]:
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
        *told,
        f"Each run asks for another k, so that data, manifest and ledger tell whose release it is; {one['rounds']} rounds each.",
        "",
        *_table(("", "outcome (rounds)"), rows),
        "",
        *_broken(one, f"{one['rounds'] * len(rows)} rounds"),
    ]


def _readonly(one: Any, told: list[str]) -> list[str]:
    lines = ["## Places that cannot be written or read", ""]
    if not one:
        return [*lines, "Not run yet.", ""]
    rows: dict[tuple[str, str], list[str]] = {}
    for place, sentence in _places(one):
        what, _, size = place.partition(": ")
        rows.setdefault((what, sentence), []).append(size)
    return [
        *lines,
        *told,
        "Exit code 2, nothing left behind, the ledger intact; or the release is whole. Root feels permissions once its right to override",
        "them is dropped (setpriv); full and read-only disks are file systems in memory; `ulimit -f` limits the size of files.",
        "",
        *_table(
            ("place", "what is said"),
            [
                (f"{what}, {', '.join(sizes)}" if any(sizes) else what, sentence.replace("|", "\\|"))
                for (what, sentence), sizes in rows.items()
            ],
        ),
        "",
        *_broken(one, f"{len(list(_places(one)))} places"),
    ]


def _places(one: Any) -> list[tuple[str, str]]:
    """Each place that was tried, with its size behind a colon if it has several, and what was said there."""
    found: list[tuple[str, str]] = []
    for what, told in one.items():
        if what in {"machine", "versions", "load", "date", "command", "broken"}:
            continue
        if isinstance(told, dict):
            found += [(f"{what}: {size}", sentence) for size, sentence in told.items()]
        else:
            found.append((what, told))
    return found


def _large(parts: list[Any], told: list[str]) -> list[str]:
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
        *told,
        f"The made-up hospital, six quasi-identifiers, Mondrian, k = {ran[-1]['k']}, all measures, no report; each",
        "command a process of its own, memory of it and its children.",
        "",
        *_table(columns, rows, numbers=len(columns)),
        "",
    ]


def _table(columns: tuple[str, ...], rows: Any, *, numbers: int = 0) -> list[str]:
    """The last `numbers` columns are flush right."""
    rules = ["---"] * (len(columns) - numbers) + ["---:"] * numbers
    return [f"| {' | '.join(cells)} |" for cells in (columns, rules, *rows)]
