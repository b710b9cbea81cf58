"""The tables of the benchmarks: Adult (30,162 people) for rivals, the made-up hospital of any size for growth."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    import pandas as pd
    import polars as pl

    from sudare.describe.table import Table

_ADULT = Path(__file__).resolve().parents[2] / "shared" / "data" / "adult_hierarchies"
HAS_ADULT = (_ADULT / "adult.csv").exists()
NO_ADULT = f"Adult is skipped because {_ADULT} is absent; {30_000:,} rows of the made-up hospital stand in."
NAME = "Adult, 30,162 rows" if HAS_ADULT else "hospital, 30,000 rows"

HOSPITAL_QUASI = ["birth_date", "sex", "zip", "nationality", "admission", "length_of_stay"]
HOSPITAL_SENSITIVE = "disease"


class Shared(NamedTuple):
    """A table that rivals can handle too: no missing values, numbers or texts only."""

    frame: pd.DataFrame
    quasi: list[str]
    sensitive: str
    numbers: list[str]
    """Quasi-identifiers that are numbers."""
    hierarchies: dict[str, Any]
    """Sudare's makers, one for each quasi-identifier."""

    def described(self, *, ranges: bool) -> Table:
        """The table as Sudare sees it; with `ranges`, numbers are generalized to ranges without hierarchy."""
        import sudare as sd

        chosen = {
            name: maker for name, maker in self.hierarchies.items() if not (ranges and name in self.numbers)
        }
        return sd.read(self.frame[[*self.quasi, self.sensitive]]).describe(
            quasi=self.quasi, sensitive=[self.sensitive], hierarchies=chosen
        )


def shared_table() -> Shared:
    """Adult with its published hierarchies, or the hospital where Adult is absent."""
    import polars as pl

    import sudare as sd

    if HAS_ADULT:
        quasi = ["sex", "age", "race", "marital-status", "education", "native-country", "workclass"]
        frame = pl.read_csv(_ADULT / "adult.csv", separator=";").select(*quasi, "occupation").to_pandas()
        makers: dict[str, Any] = {
            name: sd.hierarchy.csv(path=_ADULT / f"adult_hierarchy_{name}.csv") for name in quasi
        }
        return Shared(frame, quasi, "occupation", ["age"], makers)
    # Rows without missing cells: the hierarchies cover no stand-in for missing.
    hospital = sd.hospital(31_000).drop_nulls().head(30_000)
    hospital = hospital.with_columns(pl.col("birth_date").dt.year().alias("birth_year"))
    own = _makers()
    made = {name: own[name] for name in ("sex", "zip", "nationality", "length_of_stay")}
    makers = {"birth_year": sd.hierarchy.intervals(width=5), **made}
    frame = hospital.select(*makers, HOSPITAL_SENSITIVE).to_pandas()
    return Shared(frame, list(makers), HOSPITAL_SENSITIVE, ["birth_year", "length_of_stay"], makers)


def hospital_complete(rows: int) -> pl.DataFrame:
    """The hospital's 6 quasi-identifiers and the disease; missing cells are '?', which every rival can group."""
    import polars as pl

    import sudare as sd

    return (
        sd.hospital(rows)
        .select(*HOSPITAL_QUASI, HOSPITAL_SENSITIVE)
        .with_columns(pl.col("zip", "nationality").fill_null("?"))
    )


def hospital_described(frame: pl.DataFrame) -> Table:
    """The hospital with its 6 quasi-identifiers and their own hierarchies; missing stays missing."""
    import sudare as sd

    return sd.read(frame).describe(
        identifier=["patient_id", "name"],
        quasi=HOSPITAL_QUASI,
        sensitive=[HOSPITAL_SENSITIVE],
        insensitive=["cost"],
        hierarchies=_makers(),
    )


def _makers() -> dict[str, Any]:
    import sudare as sd
    from sudare.read.examples.hospital import hospital_columns

    known = hospital_columns()
    described = {name: dict(known[name]["hierarchy"]) for name in HOSPITAL_QUASI}
    return {name: getattr(sd.hierarchy, given.pop("type"))(**given) for name, given in described.items()}
