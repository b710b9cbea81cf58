"""Quality and speed of microaggregation: every algorithm beside the published and prototype figures, and beside MDAV.

`quality`: loss SSE/SST in percent of standardized data on Tarragona and Census, the tables of the field, and on tables
of our own, which show whether settings tuned to two tables carry over. `default` and `thorough` are medians over
seeds; the lower bound is that of the k - 1 nearest records. `million`: 10^6 normal records, k = 5, paths with their
optimal cut, and `best` beside MDAV. `growth`: exponents of n. Seconds are processor seconds.
"""

from __future__ import annotations

import argparse

from harness import Report  # type: ignore[import-not-found]  # beside this script
from microaggregation_growth import growths  # type: ignore[import-not-found]  # beside this script
from microaggregation_million import million  # type: ignore[import-not-found]  # beside this script
from microaggregation_quality import quality  # type: ignore[import-not-found]  # beside this script

_SECTIONS = ("quality", "million", "growth")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--section", choices=_SECTIONS, help="this one only, stored under its own name")
    parser.add_argument(
        "--seeds", type=int, default=10, help="runs of `default`; 3 at most on our own tables"
    )
    parser.add_argument("--thorough", type=int, default=10, help="runs of `thorough`; 1 on our own tables")
    parser.add_argument("--tables", nargs="*", help="names of the tables (quality); all when left out")
    parser.add_argument("--ks", nargs="*", type=int, default=[3, 4, 5, 10], help="group sizes (quality)")
    parser.add_argument("--processes", type=int, default=2, help="runs at the same time (quality)")
    parser.add_argument("--rows", type=int, default=10**6, help="records of `million`")
    parser.add_argument("--sizes", nargs="*", type=int, default=[10_000, 30_000, 100_000], help="of `growth`")
    options = parser.parse_args()
    report = Report("_".join(filter(None, ["microaggregation", options.section])), __doc__)
    chosen = [options.section] if options.section else _SECTIONS
    if "quality" in chosen:
        quality(report, options)
    if "million" in chosen:
        million(report, options.rows)
    if "growth" in chosen:
        growths(report, options.sizes)
    report.save()


if __name__ == "__main__":
    main()
