"""Baskets: an immutable list of sets of items (purchases, page views), with the sensitive items of each user."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from sudare.arrays import read_only, starts_of
from sudare.describe.baskets.sensitive import Sensitive, resolve_sensitive
from sudare.display import HEAD, html_block, html_table, paragraph, said, shortened, shown_words
from sudare.errors import DescriptionError, shown
from sudare.read.baskets.codes import BasketCodes, Item, code_lists, id_column

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    import numpy.typing as npt

    from sudare.describe.table import NativeKind
    from sudare.read.baskets.load import BasketFacts
    from sudare.words.sentence import Texts

_WIDEST = 60


class Baskets:
    """An immutable list of baskets with its description; every change returns a new object.

    A basket is a set: an item that occurs twice in it counts once. Empty baskets are kept, so that basket b of
    a release is basket b of the original.

    >>> baskets = Baskets.from_lists([["milk", "beer"], [], ["milk", "test", "milk"]])
    >>> baskets
    Baskets(3 baskets, 4 entries, 3 items)
    >>> baskets.describe(sensitive=["test"])
    Baskets(3 baskets, 4 entries, 3 items; sensitive for all: test)
    >>> baskets.lists()
    [['beer', 'milk'], [], ['milk', 'test']]
    """

    items: tuple[Item, ...]
    """The items in ascending order; the code of an item is its position here. Some items may be in no basket."""
    starts: npt.NDArray[np.int64]
    """Where each basket begins in `codes`, and where the last one ends."""
    codes: npt.NDArray[np.int32]
    """The items of all baskets, basket by basket, ascending and distinct within a basket."""
    ids: pl.Series | None
    """The user of each basket, if known."""
    sensitive_common: npt.NDArray[np.int32] | None
    """Codes that are sensitive for all users, ascending; None if each user has their own set, or none were named."""
    sensitive_starts: npt.NDArray[np.int64] | None
    """Where the sensitive set of each basket begins in `sensitive_codes`; None if one set applies to all."""
    sensitive_codes: npt.NDArray[np.int32] | None
    """The sensitive items of all baskets, basket by basket, ascending; a user may name items they do not have."""

    def __init__(
        self,
        coded: BasketCodes,
        *,
        ids: pl.Series | None = None,
        sensitive: Sensitive | None = None,
        source: BasketFacts | None = None,
        given_as: NativeKind = "polars",
    ) -> None:
        common, starts, codes = sensitive or Sensitive()
        self.items, self.starts, self.codes = coded.items, read_only(coded.starts), read_only(coded.codes)
        self.ids = ids
        self.source = source
        self.given_as = given_as
        """The kind of frame that the caller passed; frames made from these baskets are given back as that kind."""
        self.sensitive_common = None if common is None else read_only(common)
        self.sensitive_starts = None if starts is None else read_only(starts)
        self.sensitive_codes = None if codes is None else read_only(codes)

    @classmethod
    def from_lists(
        cls, lists: Iterable[Iterable[Any]], ids: Sequence[Any] | pl.Series | None = None
    ) -> Baskets:
        """Baskets given as collections of texts or integers; `ids` names the user of each."""
        coded = code_lists(lists)
        return cls(coded, ids=None if ids is None else checked_ids(_named(ids), len(coded.starts) - 1))

    def describe(self, *, sensitive: Any, unknown: str = "error") -> Baskets:
        """The baskets with these sensitive items, which replace any named before.

        Args:
            sensitive: Items for all users (a list or set, or one item); one collection of items for each
                basket, in order (None: no item); a mapping from user to items (users not in it have
                no sensitive items); a file: a table of users and items, or, if the baskets have no ids, one line
                of items for each basket; a rule for all: a function of an item, or a regular expression
                written "re:…" that is searched for in an item's text; or a Boolean for each basket and item
                (a matrix of len(baskets) x len(baskets.items)). Users may name items they do not have.
            unknown: What to do about an item that is in no basket: raise an "error" (most are misspelled), or "ignore"
                it (nobody can be suspected of having it: it is in no released record).
        """
        if unknown not in {"error", "ignore"}:
            raise DescriptionError("describe.baskets.unknown", given=shown(unknown))
        return self._changed(sensitive=resolve_sensitive(self, sensitive, ignore_unknown=unknown == "ignore"))

    @property
    def is_described(self) -> bool:
        """Whether sensitive items have been named, even if there are none."""
        return self.sensitive_common is not None or self.sensitive_starts is not None

    @property
    def has_sensitive(self) -> bool:
        """Whether any item is sensitive, for all users or for one of them."""
        own, common = self.sensitive_codes, self.sensitive_common
        return bool(own is not None and len(own)) or bool(common is not None and len(common))

    @property
    def sensitive(self) -> Sensitive:
        """The sensitive items as arrays: common codes, or starts and codes for each basket."""
        return Sensitive(self.sensitive_common, self.sensitive_starts, self.sensitive_codes)

    @property
    def lengths(self) -> npt.NDArray[np.int64]:
        """Number of items in each basket."""
        return np.diff(self.starts)

    @property
    def owners(self) -> npt.NDArray[np.int64]:
        """Basket of each entry."""
        return np.repeat(np.arange(len(self), dtype=np.int64), self.lengths)

    @property
    def entries(self) -> int:
        """Total number of items in all baskets."""
        return len(self.codes)

    def supports(self) -> npt.NDArray[np.int64]:
        """The number of baskets that contain each item."""
        return np.bincount(self.codes, minlength=len(self.items)).astype(np.int64)

    def code_of(self) -> dict[Item, int]:
        """The code of each item."""
        return {item: code for code, item in enumerate(self.items)}

    def sensitive_of(self, basket: int) -> npt.NDArray[np.int32]:
        """Codes of the items that are sensitive for the user of a basket."""
        if self.sensitive_starts is not None and self.sensitive_codes is not None:
            return self.sensitive_codes[self.sensitive_starts[basket] : self.sensitive_starts[basket + 1]]
        return np.empty(0, dtype=np.int32) if self.sensitive_common is None else self.sensitive_common

    def sensitive_sets(self) -> list[frozenset[Item]]:
        """The sensitive items of each basket's user."""
        return [
            frozenset(self.items[code] for code in self.sensitive_of(basket)) for basket in range(len(self))
        ]

    def with_baskets(
        self, starts: npt.NDArray[np.int64], codes: npt.NDArray[np.int32], items: Sequence[Item] | None = None
    ) -> Baskets:
        """Baskets of the same users with different contents: codes ascending and distinct within a basket.

        Args:
            starts: Where each basket begins, and where the last one ends.
            codes: Codes of the items kept.
            items: The items that the codes refer to, if they are different ones, such as generalized items; the
                sensitive items, which no longer exist, are then dropped.
        """
        if len(starts) != len(self.starts) or int(starts[-1]) != len(codes):
            raise DescriptionError(
                "describe.baskets.other_contents",
                given=len(starts) - 1,
                entries=len(codes),
                baskets=len(self),
            )
        names = self.items if items is None else tuple(items)
        coded = BasketCodes(names, starts.astype(np.int64), codes.astype(np.int32))
        return self._changed(coded=coded, sensitive=self.sensitive if items is None else Sensitive())

    def take(self, rows: npt.ArrayLike) -> Baskets:
        """The baskets in these rows, in this order; the items and their codes stay the same."""
        chosen = np.asarray(rows, dtype=np.int64)
        sensitive = self.sensitive
        if sensitive.starts is not None and sensitive.codes is not None:
            sensitive = Sensitive(None, *_taken(sensitive.starts, sensitive.codes, chosen))
        coded = BasketCodes(self.items, *_taken(self.starts, self.codes, chosen))
        return Baskets(
            coded,
            ids=None if self.ids is None else self.ids[chosen],
            sensitive=sensitive,
            source=self.source,
            given_as=self.given_as,
        )

    def lists(self) -> list[list[Item]]:
        """The baskets as lists of items in ascending order."""
        names = np.array(self.items, dtype=object)[self.codes].tolist() if len(self.codes) else []
        bounds = self.starts.tolist()
        return [names[bounds[basket] : bounds[basket + 1]] for basket in range(len(self))]

    def sets(self) -> list[frozenset[Item]]:
        """The baskets as sets of items."""
        return [frozenset(names) for names in self.lists()]

    def equals(self, other: Baskets) -> bool:
        """Whether both have the same items in the same baskets, in the same order."""
        return (
            self.items == other.items
            and np.array_equal(self.starts, other.starts)
            and np.array_equal(self.codes, other.codes)
        )

    def __len__(self) -> int:
        return len(self.starts) - 1

    def __getitem__(self, basket: int) -> frozenset[Item]:
        place = range(len(self))[basket]
        return frozenset(self.items[code] for code in self.codes[self.starts[place] : self.starts[place + 1]])

    def __iter__(self) -> Iterator[frozenset[Item]]:
        return iter(self.sets())

    def __repr__(self) -> str:
        words, items = shown_words(), np.count_nonzero(self.supports())
        parts = [words("baskets.size", baskets=len(self), entries=self.entries, items=items)]
        return said("Baskets", [*parts, about] if (about := self._about_sensitive(words)) else parts)

    def _repr_html_(self) -> str:
        return html_block(paragraph(repr(self), bold=True), self.html_head())

    def html_head(self, *, ids: bool = True) -> str:
        """The first baskets as an HTML table, with their users or with numbers."""
        shown = self.take(np.arange(min(HEAD, len(self))))
        names = range(1, len(shown) + 1) if shown.ids is None or not ids else shown.ids.to_list()
        rows = [(name, _short(basket)) for name, basket in zip(names, shown.lists(), strict=True)]
        words = shown_words()
        more = paragraph(words("more.baskets", count=len(self) - HEAD)) if len(self) > HEAD else ""
        return f"{html_table([words('head.basket'), words('head.items')], rows)}{more}"

    def _about_sensitive(self, words: Texts) -> str:
        if self.sensitive_common is not None:
            named = [str(self.items[code]) for code in self.sensitive_common]
            return words("baskets.sensitive", items=_short(named) or words("nothing"))
        if self.sensitive_starts is not None:
            mean = (self.sensitive_starts[-1] / max(len(self), 1)).item()
            return words("baskets.personalized", mean=mean)
        return ""

    def _changed(self, coded: BasketCodes | None = None, sensitive: Sensitive | None = None) -> Baskets:
        return Baskets(
            BasketCodes(self.items, self.starts, self.codes) if coded is None else coded,
            ids=self.ids,
            sensitive=self.sensitive if sensitive is None else sensitive,
            source=self.source,
            given_as=self.given_as,
        )


def _named(ids: Sequence[Any] | pl.Series) -> pl.Series:
    try:
        return pl.Series("id", ids)
    except (TypeError, OverflowError, UnicodeEncodeError):
        # For example numbers next to texts, which do not fit in one column: read as in a file.
        return id_column(list(ids), "ids")


def checked_ids(ids: pl.Series, count: int) -> pl.Series:
    """The ids, after checking that there is one for each basket and that all differ."""
    if len(ids) != count:
        raise DescriptionError("describe.baskets.ids_count", ids=len(ids), baskets=count)
    if ids.null_count():
        raise DescriptionError("describe.baskets.id_missing")
    if ids.n_unique() < len(ids):
        raise DescriptionError("describe.baskets.id_repeated", id=shown(ids.filter(ids.is_duplicated())[0]))
    return ids


def _taken(
    starts: npt.NDArray[np.int64], codes: npt.NDArray[np.int32], rows: npt.NDArray[np.int64]
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int32]]:
    lengths = np.diff(starts)[rows]
    result = starts_of(lengths)
    places = np.arange(result[-1]) + np.repeat(starts[:-1][rows] - result[:-1], lengths)
    return result, codes[places]


def _short(names: Iterable[Any]) -> str:
    return shortened(", ".join(str(name) for name in names), _WIDEST)
