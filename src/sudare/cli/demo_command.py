"""`sudare demo`: the whole job on a made-up table."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from sudare.cli.options import Json, Language, Overwrite, check_language


def command(
    out: Annotated[Path, typer.Option()] = Path("sudare-demo"),
    rows: Annotated[int, typer.Option(min=100)] = 5_000,
    lang: Language = "en",
    overwrite: Overwrite = False,
    json: Json = False,
) -> int:
    """Do the whole job on a made-up hospital table; say where the report is."""
    from sudare.cli.show import print_json, progress_bar, say_place
    from sudare.release.demo import demo

    language = check_language(lang)
    with progress_bar(quiet=json, language=language) as progress:
        written = demo(out, rows=rows, language=language, overwrite=overwrite, progress=progress)
    if json:
        print_json({"folder": str(out), "reports": [str(path) for path in written.reports]})
    else:
        from sudare.cli.show import print_blocks
        from sudare.release.summary import summary_of, words_in

        words = words_in(language)
        say_place(words("demo.table", rows=rows), out / "patients.csv")
        say_place(words("demo.recipe"), out / "recipe.yaml")
        print_blocks(summary_of(written, language), language)
    return 0
