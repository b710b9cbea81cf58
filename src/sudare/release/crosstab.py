"""`sd.crosstab`: a cross tabulation of whatever was released, from its public description."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from sudare.describe.table import Table
from sudare.errors import InputError, ParameterError
from sudare.measure.crosstab.build import count_like, crosstab_of
from sudare.measure.crosstab.input.attribute import PIECES
from sudare.measure.crosstab.options import CrosstabOptions
from sudare.mechanism.catalogue import MECHANISMS
from sudare.mechanism.protocol import Mechanism
from sudare.progress import Progress, shows_progress
from sudare.read.source import exists, load
from sudare.read.text import narrow
from sudare.release.reopen import manifest_at, reopen_original
from sudare.release.table.release import Release
from sudare.verify.manifest import kind_at, read_released

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import numpy as np
    import numpy.typing as npt
    import polars as pl

    from sudare.measure.crosstab.fit.estimate import Start
    from sudare.measure.crosstab.fit.iterate import StopRule
    from sudare.measure.crosstab.input.bins import Bins
    from sudare.measure.crosstab.result import CrossTab, Origin
    from sudare.verify.manifest import Manifest


@shows_progress
def crosstab(
    released: Any,
    by: Sequence[str] | str,
    bins: Bins | None = None,
    *,
    mechanisms: Mapping[str, Mechanism | Mapping[str, Any] | str] | None = None,
    stop: StopRule = "fit",
    start: Start = "margins",
    consistent: bool = True,
    pieces: int = PIECES,
    draws: int | None = None,
    seed: int | None = None,
    progress: Progress | None = None,
) -> CrossTab:
    """Rebuild the cross tabulation of the original table from a release.

    Args:
        released: a Release, a Table, the folder of a release, a file, or any dataframe. Of a Release only
            what is published is looked at.
        by: columns to tabulate; those that were not randomized are counted exactly.
        bins: for numbers and dates, edges, a number of equal widths, or ("quantile", number).
        mechanisms: how columns were randomized, where the release does not say it.
        stop: when EM ends: "fit" (when the released counts are explained), "change", or "none" (convergence).
        start: where EM begins: "margins" (product of the reconstructed margins) or "released" (the counts).
        consistent: give every attribute the margin it has by itself.
        pieces: finer pieces of a bin, whose weights are estimated; 1 takes values of a bin as evenly spread.
        draws: releases drawn again for intervals and standard errors; 0 for none, by the size of the table when left out.
        seed: chooses other random numbers for intervals and standard errors. When left out, they are derived from the
            released counts, so that the same call gives the same table.
        progress: told how far the work is.
    """
    table, known, origin = opened(released)
    for name, given in (mechanisms or {}).items():
        known[name] = given if isinstance(given, Mechanism) else MECHANISMS.build(given)
    for name in mechanisms or {}:
        if name not in table.frame.columns:
            raise ParameterError("release.crosstab.unknown", column=name)
    options = CrosstabOptions(
        stop=stop, start=start, consistent=consistent, pieces=pieces, draws=draws, seed=seed
    )
    return crosstab_of(table, by, bins, mechanisms=known, origin=origin, options=options, progress=progress)


def opened(released: Any) -> tuple[Table, dict[str, Mechanism], Origin | None]:
    """The released table, the mechanisms that its description names, and what it says of the table as a whole."""
    if isinstance(released, Release):
        randomized = any(column.mechanism for column in released.table.columns)
        return released.table, {}, "randomized" if randomized else "not_randomized"
    if isinstance(released, Table):
        return released, {}, None
    if not isinstance(released, (str, Path)):
        return Table.from_frame(released), {}, None
    folder = Path(released)
    if not exists(folder) and "://" not in str(released):
        raise InputError("release.crosstab.no_place", path=released)
    if kind_at(folder) == "baskets":
        raise InputError("release.crosstab.of_baskets", path=released)
    manifest = manifest_at(folder)
    if manifest is None:
        return Table.from_frame(load(str(released))[0]), {}, None
    found = _mechanisms(manifest, folder)
    return Table.from_frame(_data(manifest)), found, "randomized" if found else "not_randomized"


def _data(manifest: Manifest) -> pl.DataFrame:
    """The released data in its narrowest types: files of text do not keep them."""
    return narrow(read_released(manifest))


def _mechanisms(manifest: Manifest, folder: Path) -> dict[str, Mechanism]:
    found = {}
    for name, column in manifest.columns.items():
        given = column.get("mechanism")
        if given is None:
            continue
        try:
            found[name] = MECHANISMS.build(given)
        except ParameterError as error:
            raise InputError(
                "release.crosstab.mechanism", folder=folder, column=name, why=error.sentence
            ) from None
    return found


def beside(
    table: CrossTab, original: str, released: str, *, sheet: str | None = None
) -> npt.NDArray[np.float64]:
    """The original counts in the cells of the cross tabulation of a release, for the owner of the original."""
    return count_like(table, reopen_original(original, released, table.fit.records, sheet=sheet))
