"""What a release of baskets, its run and its check ask of baskets alike."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sudare.describe.baskets import Baskets


def has_sensitive(baskets: Baskets) -> bool:
    """Whether any item is sensitive, for all or for somebody."""
    own, common = baskets.sensitive_codes, baskets.sensitive_common
    return bool(own is not None and len(own)) or bool(common is not None and len(common))


def same_items(original: Baskets, released: Baskets) -> bool:
    """Whether the released items are those of the original, not groups of them."""
    return released.items == original.items
