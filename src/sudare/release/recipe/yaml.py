"""YAML as recipes are written in it: safe, no key given twice, of a size and depth that people write.

A file of some kilobytes must not bring the program down: nesting without end would overflow the stack of the parser in C,
aliases of aliases stand for more values than any memory holds, and an alias can contain itself.
"""

from __future__ import annotations

from typing import Any

import yaml

from sudare.errors import ErrorSentence

LOADER: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)  # C where it was built: ten times as fast
_DEEPEST = 100
_MOST_VALUES = 1_000_000
_CONTAINS_ITSELF = 0


def load(text: str) -> Any:
    """What a text holds; every fault of it is a `yaml.YAMLError`."""
    _check_shape(text)
    return yaml.load(text, Loader=_StrictLoader)  # noqa: S506  # a SafeLoader


def _check_shape(text: str) -> None:
    """Refuse what is nested too deeply, stands for too many values, or contains itself, before anything is built."""
    counts = [0]  # values so far in each open list or mapping, aliases counted with what they stand for
    names: list[str | None] = [None]
    known: dict[str | None, int] = {}
    for event in yaml.parse(text, Loader=LOADER):
        anchor = getattr(event, "anchor", None)
        if isinstance(event, yaml.AliasEvent):
            size = known.get(anchor, 1)
            if size == _CONTAINS_ITSELF:
                raise _fault("release.yaml.contains_itself", event, name=anchor)
            counts[-1] += size
        elif isinstance(event, yaml.ScalarEvent):
            known[anchor] = 1
            counts[-1] += 1
        elif isinstance(event, yaml.CollectionStartEvent):
            known[anchor] = 1 if anchor is None else _CONTAINS_ITSELF
            names.append(anchor)
            counts.append(1)
        elif isinstance(event, yaml.CollectionEndEvent):
            size = counts.pop()
            known[names.pop()] = size
            counts[-1] += size
        if len(counts) > _DEEPEST:
            raise _fault("release.yaml.too_deep", event, most=_DEEPEST)
        if counts[-1] > _MOST_VALUES:
            raise _fault("release.yaml.too_many", event, most=_MOST_VALUES)


class _StrictLoader(LOADER):  # type: ignore[misc]  # one of two, chosen when this is loaded
    """Safe YAML that refuses a key given twice (the second would silently win) and values that are not of their tag."""

    def construct_object(self, node: Any, deep: bool = False) -> Any:
        try:
            return super().construct_object(node, deep=deep)
        except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError):
            kind = str(node.tag).rpartition(":")[2]
            if not isinstance(node, yaml.ScalarNode):
                raise _fault("release.yaml.not_a_value", node, type=kind) from None
            raise _fault("release.yaml.not_of_type", node, given=repr(node.value[:80]), type=kind) from None

    def construct_mapping(self, node: Any, deep: bool = False) -> dict[Any, Any]:
        seen: set[Any] = set()
        for key_node, _ in node.value if isinstance(node, yaml.MappingNode) else ():
            key = self.construct_object(key_node, deep=True)
            if isinstance(key, str) and key in seen:
                raise _fault("release.yaml.twice", key_node, name=key)
            if isinstance(key, str):
                seen.add(key)
        mapping: dict[Any, Any] = super().construct_mapping(node, deep=deep)
        return mapping


def _fault(key: str, where: Any, **values: Any) -> yaml.YAMLError:
    """A fault in our words, which say the line."""
    mark = where.start_mark
    said = ErrorSentence(key, line=mark.line + 1, **values)
    return yaml.constructor.ConstructorError(None, None, said, mark)
