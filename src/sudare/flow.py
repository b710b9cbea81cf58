"""The verbs of the public face, light to import: each calls its part of the flow when used.

They stand in a module of their own because the folders `read`, `assess` and `anonymize` have the same names.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sudare.anonymize.protocol import Anonymizer
    from sudare.assess.requirement import Requirement
    from sudare.assess.study import Study
    from sudare.describe.table import Table
    from sudare.progress import Progress
    from sudare.release.release import Release


def read(source: Any, **options: Any) -> Table:
    """A table from a file, a database address, standard input ('-'), or any dataframe.

    Options are those of a recipe's source: format, table, query, sheet, delimiter, encoding, header, missing.
    """
    from sudare.describe.table import Table

    if isinstance(source, (str, Path)):
        from sudare.release.recipe import Source

        return Source.of(path=str(source), **options).read()
    if options:
        from sudare.errors import ParameterError

        raise ParameterError(
            f"'{next(iter(options))}' is an option for files and databases; leave it out for a frame."
        )
    return Table.from_frame(source)


def assess(table: Table, *requirements: Requirement) -> Study:
    """What is possible with a table: feasibility, verdicts and risk as it is, advice."""
    from sudare.assess.requirement import table_of
    from sudare.assess.study import study

    return study(table_of(table), requirements)


def anonymize(
    table: Table,
    *requirements: Requirement | str,
    method: Anonymizer | str | Sequence[Anonymizer | str] | None = None,
    measures: Sequence[str] | None = None,
    seed: int | None = None,
    progress: Progress | None = None,
) -> Release:
    """Transform a table until every requirement holds; see `sudare.release.run.anonymize`."""
    from sudare.release.run import anonymize as anonymize_now

    return anonymize_now(table, *requirements, method=method, measures=measures, seed=seed, progress=progress)
