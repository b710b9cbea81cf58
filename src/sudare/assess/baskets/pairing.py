"""A release of baskets next to its original: what is left of each basket, and the subsets an adversary may know."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from sudare.describe.baskets.baskets import Baskets
from sudare.errors import DescriptionError, ParameterError, shown
from sudare.kernels.baskets.sensitive import Asking, asking_for_all, asking_for_each
from sudare.kernels.baskets.subsets import Subsets, count_occurrences, index_subsets
from sudare.progress import SILENT, Progress

if TYPE_CHECKING:
    import numpy.typing as npt

    Mask = npt.NDArray[np.bool_]

_MOST_WIDTH = 31
"""Items of the largest subset that kernels can number."""
MOST_SUBSETS = 60_000_000
"""Number of subsets of single baskets that fit into about 4 GB with all their figures."""


def released_and_original(data: Any, original: Baskets | None) -> tuple[Baskets, Baskets]:
    """(released, original) from a release, or from baskets; without an original, the baskets are their own."""
    if hasattr(data, "released") and hasattr(data, "original"):
        data, original = data.released, data.original if original is None else original
    if not isinstance(data, Baskets):
        raise DescriptionError("assess.baskets.no_baskets", kind=type(data).__name__)
    return data, data if original is None else original


def kept_mask(released: Baskets, original: Baskets) -> Mask:
    """For each entry of the original, whether the release still has it; a release must be part of its original."""
    if len(released) != len(original):
        raise DescriptionError(
            "assess.baskets.other_original", released=len(released), original=len(original)
        )
    codes = _codes_in(released, original)
    width = max(len(original.items), 1)
    rows = original.owners * width + original.codes
    kept = released.owners * width + codes
    places = np.searchsorted(rows, kept)
    fits = places < len(rows)
    fits[fits] = rows[places[fits]] == kept[fits]
    if not fits.all():
        basket = int(kept[np.argmin(fits)] // width)
        raise DescriptionError("assess.baskets.added_item", basket=basket)
    mask = np.zeros(len(rows), dtype=np.bool_)
    mask[places] = True
    return mask


def _codes_in(released: Baskets, original: Baskets) -> npt.NDArray[np.int64]:
    if released.items == original.items:
        return released.codes.astype(np.int64)
    place = original.code_of()
    unknown = next((item for item in released.items if item not in place), None)
    if unknown is not None:
        raise DescriptionError("assess.baskets.unknown_item", item=shown(unknown))
    lookup = np.array([place[item] for item in released.items], dtype=np.int64)
    return lookup[released.codes] if len(lookup) else np.empty(0, dtype=np.int64)


def asking_of(baskets: Baskets, model: str) -> Asking:
    """Which users consider which items sensitive, in the form that kernels take."""
    items = len(baskets.items)
    made: Asking
    if baskets.sensitive_starts is not None and baskets.sensitive_codes is not None:
        made = asking_for_each(items, baskets.sensitive_starts, baskets.sensitive_codes)
    elif baskets.sensitive_common is not None:
        made = asking_for_all(items, baskets.sensitive_common)
    else:
        raise DescriptionError("assess.baskets.no_sensitive", model=model)
    return made


def are_examinable(baskets: Baskets) -> bool:
    """Whether all subsets of items of every basket can be examined one by one, so that an adversary may know any number of items."""
    longest = int(baskets.lengths.max(initial=0))
    return longest <= _MOST_WIDTH and count_occurrences(baskets.starts, longest) <= MOST_SUBSETS


def subsets_of(
    baskets: Baskets, width: int | None, asking: Asking | None, model: str, progress: Progress = SILENT
) -> Subsets:
    """All subsets of at most `width` items (None: of any size); refused if there are too many."""
    longest = int(baskets.lengths.max(initial=0))
    width = longest if width is None else min(width, longest)
    count = count_occurrences(baskets.starts, width)
    if count > MOST_SUBSETS or width > _MOST_WIDTH:
        raise ParameterError(
            "assess.baskets.too_many_subsets",
            model=model,
            longest=longest,
            count=count,
            width=width,
            most=MOST_SUBSETS,
        )
    progress.start("list_sets_of_items", 1)
    return index_subsets(baskets.starts, baskets.codes, len(baskets.items), width, asking, progress.update)
