"""`sudare schema`: the JSON Schema of recipes."""

from __future__ import annotations

from sudare.cli.options import Json


def command(json: Json = True) -> int:  # noqa: ARG001  # it is always JSON
    """Print the JSON Schema of recipes.

    For editors that complete and check YAML, and for programs that write recipes.

    Example:

      sudare schema > recipe.schema.json
    """
    from sudare.cli.show import print_json
    from sudare.release.recipe import json_schema

    print_json(json_schema())
    return 0
