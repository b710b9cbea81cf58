"""`sudare schema`: the JSON Schema of recipes."""

from __future__ import annotations

from typing import Annotated

import typer

from sudare.cli.options import Json


def command(
    baskets: Annotated[bool, typer.Option("--baskets")] = False,
    json: Json = True,  # noqa: ARG001  # it is always JSON
) -> int:
    """Print the JSON Schema of recipes."""
    from sudare.cli.show import print_json
    from sudare.release.recipe import baskets as basket_recipe
    from sudare.release.recipe import table as recipe

    print_json(basket_recipe.json_schema() if baskets else recipe.json_schema())
    return 0
