"""Sensitive items, however they are named, as codes for all users or for each user."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from fnmatch import fnmatchcase
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from sudare.arrays import starts_of
from sudare.errors import DescriptionError, ErrorSentence, InputError, did_you_mean, shown
from sudare.parameters import said_by
from sudare.read import source as endings
from sudare.read.baskets.codes import Item, merged, plain_item
from sudare.read.baskets.options import BasketOptions
from sudare.read.source import is_file

if TYPE_CHECKING:
    import numpy.typing as npt

    from sudare.describe.baskets.baskets import Baskets
    from sudare.read.baskets.load import BasketData

_LONGEST_NUMBER = 100
_RULE = "re:"


class Sensitive(NamedTuple):
    """Sensitive items as codes: `common` for all users, or `starts` and `codes` for each; otherwise none were named."""

    common: npt.NDArray[np.int32] | None = None
    starts: npt.NDArray[np.int64] | None = None
    codes: npt.NDArray[np.int32] | None = None


def resolve_sensitive(baskets: Baskets, given: Any, *, ignore_unknown: bool) -> Sensitive:
    """The codes of sensitive items; `Baskets.describe` lists the ways to name them."""
    known = _Known(baskets.code_of(), ignore_unknown)
    if isinstance(given, str) and given.startswith(_RULE):
        return _by_rule(
            baskets,
            _pattern(given.removeprefix(_RULE)),
            ErrorSentence("describe.sensitive.rule_named", rule=given),
            known,
        )
    if callable(given):
        return _by_rule(baskets, given, ErrorSentence("describe.sensitive.rule"), known)
    if isinstance(given, Path) or (isinstance(given, str) and given not in known.codes and is_file(given)):
        return _by_file(baskets, Path(given), known)
    if isinstance(given, str | int | np.integer):
        given = [given]
    if isinstance(given, Mapping):
        return _by_user(baskets, given, known)
    if isinstance(given, np.ndarray) and given.dtype == np.bool_:
        return _by_matrix(baskets, given)
    if not isinstance(given, Iterable):
        raise DescriptionError("describe.sensitive.no_items", given=shown(given))
    listed = list(given)
    if _is_one_set_each(listed):
        return _by_basket(baskets, listed, known)
    return Sensitive(common=_codes_of(listed, known))


class NamedItems(NamedTuple):
    """What names and patterns mean among the items there are."""

    items: list[Item]
    """The items that are named, or that fit a pattern."""
    absent: list[str]
    """Names and patterns that fit no item."""


def items_named(given: Iterable[str | int], items: Iterable[Item]) -> NamedItems:
    """Items by names and patterns of `fnmatch` (`*`, `?`, `[abc]`); a text that is an item is no pattern."""
    known = {str(item): item for item in items}
    found: dict[Item, None] = {}
    absent: dict[str, None] = {}
    for entry in map(str, given):
        fitting = [entry] if entry in known else [name for name in known if fnmatchcase(name, entry)]
        found |= dict.fromkeys(known[name] for name in fitting)
        if not fitting:
            absent[entry] = None
    return NamedItems(list(found), list(absent))


def unknown_item(item: Item, known: Iterable[Item]) -> DescriptionError:
    """Nobody has an item of this name."""
    hint = did_you_mean(str(item), [str(name) for name in known])
    return DescriptionError("describe.sensitive.unknown_item", item=shown(item), hint=hint)


class _Known(NamedTuple):
    codes: Mapping[Item, int]
    ignore_unknown: bool


def _codes_of(items: Iterable[Any], known: _Known) -> npt.NDArray[np.int32]:
    """Codes of named items, ascending and distinct."""
    listed = list(items)
    try:
        found = {known.codes[given] for given in listed}
    except (KeyError, TypeError):  # the few that are missing, unknown or spelled differently
        found = set()
        for given in listed:
            item = plain_item(given)
            code = None if item is None else known.codes.get(_alike(item, known.codes))
            if code is not None:
                found.add(code)
            elif item is not None and not known.ignore_unknown:
                raise unknown_item(item, known.codes) from None
    return np.array(sorted(found), dtype=np.int32)


def _is_one_set_each(listed: Sequence[Any]) -> bool:
    """Whether the list contains one collection for each basket, rather than items."""
    return any(isinstance(each, Collection) and not isinstance(each, str) for each in listed)


def _by_rule(baskets: Baskets, rule: Callable[[Item], Any], name: ErrorSentence, known: _Known) -> Sensitive:
    chosen = [code for code, item in enumerate(baskets.items) if rule(item)]
    if not chosen and baskets.items and not known.ignore_unknown:
        raise DescriptionError("describe.sensitive.rule_fits_none", rule=name, items=len(baskets.items))
    return Sensitive(common=np.array(chosen, dtype=np.int32))


def _pattern(text: str) -> Callable[[Item], bool]:
    try:
        pattern = re.compile(text)
    except re.error as error:
        raise DescriptionError(
            "describe.sensitive.not_a_pattern", rule=_RULE + text, why=said_by(error)
        ) from None
    return lambda item: pattern.search(str(item)) is not None


def _by_basket(baskets: Baskets, listed: Sequence[Any], known: _Known) -> Sensitive:
    if len(listed) != len(baskets):
        raise DescriptionError("describe.sensitive.sets_count", sets=len(listed), baskets=len(baskets))
    wrong = next(
        (each for each in listed if isinstance(each, str) or not isinstance(each, Collection | None)), None
    )
    if wrong is not None:
        raise DescriptionError("describe.sensitive.not_a_set", given=shown(wrong))
    return _each([_codes_of(() if each is None else each, known) for each in listed])


def _each(codes: Sequence[npt.NDArray[np.int32]]) -> Sensitive:
    starts = starts_of(np.array([len(each) for each in codes], dtype=np.int64))
    return Sensitive(None, starts, np.concatenate([np.empty(0, dtype=np.int32), *codes]))


def _by_matrix(baskets: Baskets, matrix: npt.NDArray[np.bool_]) -> Sensitive:
    if matrix.shape != (len(baskets), len(baskets.items)):
        raise DescriptionError(
            "describe.sensitive.matrix_shape",
            shape=shown(matrix.shape),
            baskets=len(baskets),
            items=len(baskets.items),
        )
    starts = starts_of(np.count_nonzero(matrix, axis=1))
    codes = np.empty(starts[-1], dtype=np.int32)
    for basket in range(len(baskets)):  # np.nonzero would need eight bytes per entry, twice
        codes[starts[basket] : starts[basket + 1]] = np.flatnonzero(matrix[basket])
    return Sensitive(None, starts, codes)


def _by_user(baskets: Baskets, given: Mapping[Any, Any], known: _Known) -> Sensitive:
    if baskets.ids is None:
        raise DescriptionError("describe.sensitive.no_ids", users=len(given))
    place = {str(name): basket for basket, name in enumerate(baskets.ids.to_list())}
    codes = [np.empty(0, dtype=np.int32)] * len(baskets)
    for user, items in given.items():
        if str(user) not in place:
            raise _unknown_user(user, place)
        alone = isinstance(items, str | int | np.integer)
        codes[place[str(user)]] = _codes_of([items] if alone else (() if items is None else items), known)
    return _each(codes)


def _unknown_user(user: Any, known: Iterable[str]) -> DescriptionError:
    return DescriptionError(
        "describe.sensitive.unknown_user", user=shown(user), hint=did_you_mean(str(user), known)
    )


def _by_file(baskets: Baskets, path: Path, known: _Known) -> Sensitive:
    """Sensitive items from a table of users and items, or from one line of items for each basket."""
    from sudare.read.baskets.load import load_baskets

    # Lines in basket order must not be mistaken for a table because of the first line's contents.
    is_text = path.suffix.lower() in {"", *endings.TEXTS}
    if baskets.ids is None:
        named = load_baskets(path, BasketOptions(layout="lines" if is_text else None), surely=True)
    else:
        named = _of_users(path) if is_text else load_baskets(path, surely=True)
    code = np.array(
        [known.codes.get(_alike(item, known.codes), -1) for item in named.coded.items], dtype=np.int32
    )
    if baskets.ids is None and {"user", "item"} <= {str(item).lower() for item in named.coded.items}:
        raise DescriptionError("describe.sensitive.file_of_users", file=path.name)
    if (code < 0).any() and not known.ignore_unknown:
        raise unknown_item(named.coded.items[int(np.argmax(code < 0))], known.codes)
    owners = np.repeat(np.arange(len(named.coded.starts) - 1), np.diff(named.coded.starts))
    if baskets.ids is not None:
        if named.ids is None:
            raise DescriptionError("describe.sensitive.file_without_users", file=path.name)
        place = {str(name): basket for basket, name in enumerate(baskets.ids.to_list())}
        users = [str(name) for name in named.ids.to_list()]
        stranger = next((user for user in users if user not in place), None)
        if stranger is not None:
            raise _unknown_user(stranger, place)
        owners = np.array([place[user] for user in users], dtype=np.int64)[owners] if users else owners
    elif len(named.coded.starts) != len(baskets.starts):
        raise DescriptionError(
            "describe.sensitive.file_lines",
            file=path.name,
            lines=len(named.coded.starts) - 1,
            baskets=len(baskets),
        )
    codes = code[named.coded.codes]
    owners, codes = owners[codes >= 0], codes[codes >= 0]
    order = np.argsort(owners, kind="stable")
    lengths = np.bincount(owners, minlength=len(baskets)).astype(np.int64)
    return Sensitive(None, *merged(lengths, codes[order], len(baskets.items)))


def _of_users(path: Path) -> BasketData:
    """A text of users and items, with or without a header line."""
    from sudare.read.baskets.load import load_baskets

    try:
        named = load_baskets(path, surely=True)
    except (
        InputError
    ):  # what could be users and items is read as such: baskets of two items have no place here
        return load_baskets(path, BasketOptions(header=False))
    return named


def _alike(item: Item, known: Mapping[Item, int]) -> Item:
    """The item as the baskets spell it: one file format may distinguish numbers from texts where another cannot."""
    if item in known:
        return item
    if isinstance(item, int):
        return str(item)
    # Python refuses to parse integers of thousands of digits; nobody numbers items that way.
    is_number = len(item) <= _LONGEST_NUMBER and item.isdecimal() and item.isascii()
    return int(item) if is_number and str(int(item)) == item else item
