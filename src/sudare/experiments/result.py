"""The result of an experiment: tables, figures, and checks of what the paper suggests."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from sudare.errors import InputError
from sudare.experiments.machine import head

if TYPE_CHECKING:
    from collections.abc import Sequence

    import polars as pl


@dataclass(frozen=True, eq=False)
class Check:
    """One expectation in numbers."""

    sentence: str
    holds: bool
    by_construction: bool = False
    """Whether the data or the method were chosen so that it holds: then it tests the code and is not a finding. The list of
    pages does not count it among the expectations."""

    @property
    def line(self) -> str:
        """The check as a line of the page."""
        said = "holds" if self.holds else "**DOES NOT HOLD**"
        return f"- {said}{', by construction' if self.by_construction else ''}: {self.sentence}"


@dataclass(frozen=True, eq=False)
class Compared:
    """A published figure next to ours."""

    what: str
    published: str
    ours: str
    why: str
    """Why they differ, or that they do not; misprints are identified."""


class Figure(NamedTuple):
    """A chart with its caption, which also replaces the chart for readers who cannot see it."""

    chart: Any
    """An Altair chart."""
    caption: str
    """What the chart shows, and what to look for."""


@dataclass(frozen=True, eq=False)
class Experiment:
    """The outcome of one experiment."""

    name: str
    title: str
    paper: str
    tables: dict[str, pl.DataFrame]
    printed: dict[str, pl.DataFrame] = field(default_factory=dict)
    """Tables of texts by title, narrow enough for the terminal and the page."""
    figures: dict[str, Figure] = field(default_factory=dict)
    """Figures by name, which is also the file name."""
    checks: tuple[Check, ...] = ()
    compared: tuple[Compared, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def holds(self) -> bool:
        """Whether every expectation was confirmed."""
        return all(check.holds for check in self.checks)

    def files(self, folder: Path) -> list[Path]:
        """The files that `write` writes into a folder, the page last."""
        figures = [folder / f"{self.name}-{name}.svg" for name in self.figures]
        tables = [folder / f"{self.name}-{name}.csv" for name in self.tables]
        return [*figures, *tables, folder / f"{self.name}.md"]

    def write(self, folder: Path, command: str | None = None) -> Path:
        """Write one Markdown page with its figures (SVG) and tables (CSV), and return the page.

        The page is written last, and every file is complete or absent: an existing page has everything it links to.
        """
        import vl_convert

        from sudare.formats.data import writing

        page = [f"# {self.title}", "", *head(command or f"sudare experiment {self.name}"), ""]
        page += [f"*{self.paper}*", "", "## What was expected", ""]
        page += [check.line for check in self.checks if not check.by_construction]
        if circular := [check.line for check in self.checks if check.by_construction]:
            page += ["", "## What could not come out otherwise", "", *circular]
        if self.compared:
            page += ["", "## Published and ours", "", *_markdown(_compared(self.compared))]
        page += ["", "## How it was done", "", *_paragraphs(self.notes)]
        for title, table in self.printed.items():
            page += [f"## {title}", "", *_markdown(table), ""]
        with writing(folder):
            folder.mkdir(parents=True, exist_ok=True)
            if self.figures:
                page += ["## Figures", ""]
            for name, figure in self.figures.items():
                file = f"{self.name}-{name}.svg"
                _put(folder / file, vl_convert.vegalite_to_svg(figure.chart.to_dict()))
                page += [f"![{figure.caption}]({file})", "", f"*{figure.caption}*", ""]
            page += ["## Tables", ""]
            for name, table in self.tables.items():
                file = f"{self.name}-{name}.csv"
                _put(folder / file, table.write_csv())
                page += [f"- [{name}]({file}): {table.height:,} rows"]
            target = folder / f"{self.name}.md"
            _put(target, "\n".join([*page, ""]))
        return target


def _put(path: Path, text: str) -> None:
    """Write a file completely or not at all."""
    aside = path.with_name(f".{path.name}.part")
    aside.write_text(text, encoding="utf-8")
    aside.replace(path)


def _paragraphs(notes: Sequence[str]) -> list[str]:
    """Each note as a paragraph; lines of a table within a note stay together."""
    lines: list[str] = []
    for note in filter(None, notes):
        if lines and lines[-1] and not (note.startswith("|") and lines[-1].startswith("|")):
            lines.append("")
        lines.append(note)
    return [*lines, ""]


def _compared(rows: Sequence[Compared]) -> pl.DataFrame:
    import polars as pl

    return pl.DataFrame(
        [
            {"figure": row.what, "published": row.published, "ours": row.ours, "why they differ": row.why}
            for row in rows
        ]
    )


def _markdown(table: pl.DataFrame) -> list[str]:
    lines = [table.columns, ["---"] * table.width, *table.rows()]
    return ["| " + " | ".join(_cell(cell) for cell in line) + " |" for line in lines]


def _cell(cell: object) -> str:
    return str(cell).replace("|", "\\|").replace("\n", "<br>").replace("*", "\\*")


def needed_file(folder: Path | None, *parts: str) -> Path:
    """A data file of an experiment, searched for in the given folder or next to the project."""
    places = [folder] if folder is not None else [Path("../shared/data"), Path("data")]
    for place in places:
        found = place.joinpath(*parts)
        if found.is_file():
            return found
    looked = ", ".join(f"'{place.joinpath(*parts)}'" for place in places)
    raise InputError("experiments.no_data", file=parts[-1], places=looked)
