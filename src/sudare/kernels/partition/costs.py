"""The cost of a group, and how it changes when a member joins, leaves or is exchanged.

The refinement engine is written once and calls these functions; the type of the model determines, when the engine is
compiled, which cost they compute: `Squares` (sum of squared errors) or `Covers` (generalization).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sudare.kernels.core.jit import CALLED, INLINED, overloaded
from sudare.kernels.partition import covers, squares

if TYPE_CHECKING:
    from collections.abc import Callable

_MODULES = {squares.Squares: squares, covers.Covers: covers}


def _of_model(name: str, options: dict[str, Any]) -> Callable[..., Any]:
    """The function of this name in the model's module, for compiled callers."""

    def stub(*_: Any) -> None:
        raise NotImplementedError(name)

    @overloaded(stub, options)
    def choose(model: Any, *_: Any) -> Any:
        return getattr(_MODULES[model.instance_class], name).py_func

    return stub


out_of = _of_model("out_of", INLINED)
has_room = _of_model("has_room", INLINED)
refresh = _of_model("refresh", CALLED)
include = _of_model("include", CALLED)
exclude = _of_model("exclude", CALLED)
replace_member = _of_model("replace_member", CALLED)
cost_of = _of_model("cost_of", CALLED)
cost_with = _of_model("cost_with", CALLED)
cost_without = _of_model("cost_without", CALLED)
cost_exchanged = _of_model("cost_exchanged", CALLED)

# Merged into the caller: for the innermost loop only, since the code grows and compiles slowly.
fast_cost_with = _of_model("cost_with", INLINED)
fast_cost_without = _of_model("cost_without", INLINED)
fast_cost_exchanged = _of_model("cost_exchanged", INLINED)
