"""What an experiment gives: tables, figures, and checks of what the paper leads one to expect."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sudare.errors import InputError, OutputError

if TYPE_CHECKING:
    import polars as pl


@dataclass(frozen=True, eq=False)
class Check:
    """One expectation in numbers."""

    sentence: str
    holds: bool


@dataclass(frozen=True, eq=False)
class Experiment:
    """The outcome of one experiment."""

    name: str
    title: str
    paper: str
    tables: dict[str, pl.DataFrame]
    printed: dict[str, pl.DataFrame] = field(default_factory=dict)
    """Tables of texts by title, narrow enough for the terminal and the page."""
    figures: dict[str, Any] = field(default_factory=dict)
    """Altair charts by name."""
    checks: tuple[Check, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def holds(self) -> bool:
        """Whether everything expected came out."""
        return all(check.holds for check in self.checks)

    def write(self, folder: Path) -> Path:
        """Write one Markdown page with its figures (SVG) and tables (CSV); the page."""
        import vl_convert

        page = [f"# {self.title}", "", f"*{self.paper}*", ""]
        page += [
            f"- {'holds' if check.holds else '**DOES NOT HOLD**'}: {check.sentence}" for check in self.checks
        ]
        page += ["", *self.notes, ""]
        for title, table in self.printed.items():
            page += [f"## {title}", "", *_markdown(table), ""]
        try:
            folder.mkdir(parents=True, exist_ok=True)
            for name, chart in self.figures.items():
                file = f"{self.name}-{name}.svg"
                (folder / file).write_text(vl_convert.vegalite_to_svg(chart.to_dict()), encoding="utf-8")
                page += [f"![{name}]({file})", ""]
            for name, table in self.tables.items():
                file = f"{self.name}-{name}.csv"
                table.write_csv(folder / file)
                page += [f"Table: [{name}]({file})", ""]
            target = folder / f"{self.name}.md"
            target.write_text("\n".join(page), encoding="utf-8")
        except OSError as error:
            raise OutputError(
                f"'{folder}' cannot be written ({error.strerror}); choose another --out."
            ) from None
        return target


def _markdown(table: pl.DataFrame) -> list[str]:
    lines = [table.columns, ["---"] * table.width, *table.rows()]
    return ["| " + " | ".join(str(cell).replace("\n", "<br>") for cell in line) + " |" for line in lines]


def needed_file(folder: Path | None, *parts: str) -> Path:
    """A data file of an experiment, looked for in the folder given or beside the project."""
    places = [folder] if folder is not None else [Path("../shared/data"), Path("data")]
    for place in places:
        found = place.joinpath(*parts)
        if found.is_file():
            return found
    looked = ", ".join(f"'{place.joinpath(*parts)}'" for place in places)
    raise InputError(
        f"The experiment needs {parts[-1]}, looked for at {looked}; give its folder with --data."
    )
