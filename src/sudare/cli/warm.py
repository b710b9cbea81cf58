"""`python -m sudare.cli.warm`: compile every listed kernel that has no machine code yet; `make warm` and `make wheel`."""

from __future__ import annotations

import argparse
from pathlib import Path


def main() -> None:
    """Compile into the user's cache folder (or NUMBA_CACHE_DIR), in two processes with one bar."""
    from sudare.cli.beside import Beside
    from sudare.cli.show import progress_bar
    from sudare.kernels.core.entries import entries
    from sudare.words.sentence import shown_language

    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument("--ship", type=Path, help="copy the machine code to the folder that a wheel contains")
    ship: Path | None = parser.parse_args().ship
    listed = list(entries().seconds)
    wanted = [entry for entry in listed if not entry.is_kept()]
    beside = Beside()
    with progress_bar(quiet=False, language=shown_language(), beside=beside) as progress:
        beside.share(wanted)
        progress.start("compiling", sum(entries().seconds[entry] for entry in wanted))
        for entry in wanted:
            entry.compile()
            progress.update(beside.finished(entry))
    if ship is not None:
        for entry in listed:
            entry.ship(ship)


if __name__ == "__main__":
    main()
