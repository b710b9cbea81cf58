"""A hierarchy as plain lists, as stored in JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from sudare.errors import DescriptionError, ErrorSentence
from sudare.parameters import said_by

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

Ints = npt.NDArray[np.int32]
Floats = npt.NDArray[np.float64]
Arrays = tuple[Ints, Ints, tuple[str | None, ...], Floats | None, Floats | None]
"""Parent and level of each node, its label, and the ends of its interval."""


def lists_of(
    parent: Ints, level: Ints, labels: Sequence[str | None], lower: Floats | None, upper: Floats | None
) -> dict[str, Any]:
    """Arrays as lists; unknown ends of an interval are None."""
    return {
        "parent": parent.tolist(),
        "level": level.tolist(),
        "labels": list(labels),
        "lower": _plain(lower),
        "upper": _plain(upper),
    }


def arrays_of(given: Mapping[str, Any]) -> Arrays:
    """The arrays from such lists, which may come from anyone."""
    try:
        labels = tuple(None if label is None else str(label) for label in given["labels"])
        lower, upper = _bounds(given.get("lower")), _bounds(given.get("upper"))
        return _numbers(given["parent"]), _numbers(given["level"]), labels, lower, upper
    except KeyError as error:
        raise DescriptionError("describe.stored.no_list", name=error.args[0]) from None
    except (TypeError, ValueError, OverflowError) as error:
        raise DescriptionError("describe.stored.wrong_list", why=said_by(error)) from None


def _plain(bounds: Floats | None) -> list[float | None] | None:
    return None if bounds is None else [None if np.isnan(bound) else float(bound) for bound in bounds]


def _bounds(given: Sequence[float | None] | None) -> Floats | None:
    return None if given is None else np.array(given, dtype=np.float64)


def _numbers(given: Any) -> Ints:
    """Node numbers or levels from a file: integers, none so large that it would change as int32."""
    array = np.asarray(given)
    if array.size and (array.dtype.kind != "i" or array.min() < 0 or array.max() > np.iinfo(np.int32).max):
        raise ValueError(ErrorSentence("describe.stored.not_whole"))
    return array.astype(np.int32)
