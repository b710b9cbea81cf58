"""Several runs into one folder at once: one wins or one follows the other, and nothing of two runs is ever mixed.

Each run asks for another k, so that data, manifest and ledger tell whose release it is. A broken promise is kept among the
figures (`broken`), and the script ends with an error.
"""

from __future__ import annotations

import argparse
import collections
import json
import shutil
import sys
import tempfile
from pathlib import Path
from typing import Any

from jobs import Job, environment, noting, one_sentence, promise  # type: ignore[import-not-found]  # beside this script
from nursery import Nursery  # type: ignore[import-not-found]  # beside this script
from stored import save  # type: ignore[import-not-found]  # beside this script

_WORDS = ("already exists", "meanwhile")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=5, help="of each kind")
    asked = parser.parse_args()
    broken: list[str] = []
    figures: dict[str, Any] = {"rounds": asked.rounds, "broken": broken}
    with tempfile.TemporaryDirectory() as name, Nursery(environment()) as nursery:
        for count in (2, 4, 8):
            for way, play in (("new folder", one_wins), ("overwrite", last_wins), ("own folders", all_win)):
                outcomes: collections.Counter[str] = collections.Counter()
                for number in range(asked.rounds):
                    folder = Path(name) / "job"
                    with noting(broken, f"{count} runs, {way}, round {number + 1}"):
                        outcomes.update(play(Job.made(folder, nursery), count))
                    print(f"{count} runs, {way}, round {number + 1}: {dict(outcomes)}", flush=True)
                    shutil.rmtree(folder)
                figures[f"{count} runs, {way}"] = dict(outcomes)
    save("together", figures)
    return 1 if broken else 0


def one_wins(job: Job, count: int) -> list[str]:
    """A folder that does not exist: one run makes it, the others say so in a sentence."""
    runs = _started(job, count)
    codes = [run.code for run in runs]
    promise(
        sorted(codes) == [0] + [2] * (count - 1), f"exit codes {codes}: {[run.said()[1] for run in runs]}"
    )
    for run in runs:
        if run.code:
            sentence = one_sentence(run.said()[1])
            promise(any(words in sentence for words in _WORDS), f"an unclear sentence: {sentence}")
    _check_whose(job, job.release, codes.index(0))
    events = collections.Counter(job.events())
    promise(events["released"] == 1, f"the ledger says {events}")
    # Who comes when the release is there already is refused before the ledger is opened.
    promise(events["started"] == 1 + events["failed"], f"the ledger says {events}")
    return ["one wins, the others say why not"]


def last_wins(job: Job, count: int) -> list[str]:
    """An old release that all may replace: each succeeds or says why not; what is there in the end is one of theirs."""
    job.done()
    runs = _started(job, count, "--overwrite")
    for run in runs:
        promise(run.code in {0, 2}, f"exit code {run.code}: {run.said()[1]}")
        if run.code:
            one_sentence(run.said()[1])
    winners = [number for number, run in enumerate(runs) if run.code == 0]
    promise(bool(winners), "no run succeeded")
    made = job.check_release()
    entry = job.ledger().entries()[-1]
    asked = json.loads((job.release / "public" / "manifest.json").read_text("utf-8"))["requirements"][0]["k"]
    promise(asked - 5 in winners, f"the release asks for k = {asked}, which no winner did")
    released = [entry.run for entry in job.ledger().entries() if entry.event == "released"]
    promise(made in released, "the ledger does not know the release")
    promise(len(released) == 1 + len(winners), f"{len(released)} releases in the ledger, last {entry.event}")
    _check_clean(job)
    return [f"{len(winners)} of {count} succeed"]


def all_win(job: Job, count: int) -> list[str]:
    """One folder each, side by side, with one ledger."""
    runs = [
        job.start("--require", f"k-anonymity k={5 + number}", "--out", str(job.folder / f"release-{number}"))
        for number in range(count)
    ]
    for run in runs:
        run.wait()
    for number, run in enumerate(runs):
        promise(run.code == 0, f"exit code {run.code}: {run.said()[1]}")
        _check_whose(job, job.folder / f"release-{number}", number)
    promise(
        collections.Counter(job.events()) == {"started": count, "released": count},
        f"the ledger says {job.events()}",
    )
    return ["all succeed"]


def _started(job: Job, count: int, *options: str) -> list[Any]:
    runs = [job.start("--require", f"k-anonymity k={5 + number}", *options) for number in range(count)]
    for run in runs:
        run.wait()
    return runs


def _check_whose(job: Job, folder: Path, number: int) -> None:
    job.check_release(folder)
    asked = json.loads((folder / "public" / "manifest.json").read_text("utf-8"))["requirements"][0]["k"]
    promise(asked == 5 + number, f"the release asks for k = {asked}, the winner for {5 + number}")
    _check_clean(job)


def _check_clean(job: Job) -> None:
    job.check_ledger()
    promise(not job.leftovers(), f"temporary folders are left: {job.leftovers()}")


if __name__ == "__main__":
    sys.exit(main())
