"""The ledger: an append-only, tamper-evident record of what was run and released."""

from sudare.deprecated import moved_names

__getattr__ = moved_names("sudare.release.ledger", {"Ledger": "sudare.release.ledger.ledger"})
