"""A first, cautious guess of each column's role, kind and hierarchy, with its reason."""

from sudare.deprecated import moved_names

__getattr__ = moved_names(
    "sudare.describe.guess",
    {"guess_roles": "sudare.describe.guess.guess", "Guess": "sudare.describe.guess.guess"},
)
