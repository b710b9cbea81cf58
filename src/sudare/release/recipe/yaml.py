"""YAML as recipes are written in it: safe, no key given twice, of a size and depth that people write.

A file of some kilobytes must not bring the program down: nesting without end would overflow the stack of the parser in C,
aliases of aliases stand for more values than any memory holds, and an alias can contain itself.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import yaml

from sudare.errors import ErrorSentence

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

LOADER: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)  # C where it was built: ten times as fast
_DEEPEST = 100
_MOST_VALUES = 1_000_000
_CONTAINS_ITSELF = 0


def load(text: str) -> Any:
    """What a text holds; every fault of it is a `yaml.YAMLError`."""
    _check_shape(text)
    return yaml.load(text, Loader=_StrictLoader)  # noqa: S506  # a SafeLoader


def edited(text: str, content: Mapping[str, Any]) -> str:
    """A text changed so that it holds `content`: an entry that stays as it is keeps its comments, form, and place.

    Of an entry that changes, the comment lines above it stay, and one behind it goes. Where YAML is written in a way that
    cannot be edited by lines (all on one line, aliases of what goes), the whole is written anew.
    """
    root = yaml.compose(text, Loader=LOADER)
    lines = text.splitlines(keepends=True)
    if isinstance(root, yaml.MappingNode) and root.value and not root.flow_style:
        head = lines[: root.value[0][0].start_mark.line]
        made = "".join([*head, *_edited_mapping(lines, root, len(lines), load(text), content)])
        try:
            if load(made) == content:
                return made
        except yaml.YAMLError:
            pass
    return "".join(_entry(name, one) for name, one in content.items()) or "{}\n"


def _edited_mapping(
    lines: Sequence[str], node: yaml.MappingNode, end: int, old: Mapping[str, Any], new: Mapping[str, Any]
) -> Iterator[str]:
    """The lines of a mapping up to line `end`, changed from `old` to `new`."""
    indent = node.value[0][0].start_mark.column
    starts = [key.start_mark.line for key, _ in node.value]
    stops = [*starts[1:], end]
    # What is new follows the entry that it follows in the new mapping.
    added: dict[str | None, list[str]] = {}
    last = None
    for name in new:
        if name in old:
            last = name
        else:
            added.setdefault(last, []).append(name)
    for name in added.get(None, ()):
        yield _entry(name, new[name], indent)
    for (_, value), start, stop, name in zip(node.value, starts, stops, old, strict=True):
        last_line = stop
        while last_line > start + 1 and lines[last_line - 1].lstrip()[:1] in ("", "#"):
            last_line -= 1
        if name in new:
            inside = isinstance(value, yaml.MappingNode) and not value.flow_style and value.value
            if old[name] == new[name]:
                yield from _ended(lines[start:last_line])
            elif inside and isinstance(new[name], Mapping) and value.start_mark.line > start:
                yield from lines[start : value.start_mark.line]
                yield from _edited_mapping(lines, value, last_line, old[name], new[name])
            else:
                yield _entry(name, new[name], indent)
        for other in added.get(name, ()):
            yield _entry(other, new[other], indent)
        yield from lines[last_line:stop]


def _ended(lines: Sequence[str]) -> Sequence[str]:
    """Lines of which the last ends too, so that more can follow."""
    return lines if lines[-1].endswith("\n") else [*lines[:-1], lines[-1] + "\n"]


def _entry(name: str, content: Any, indent: int = 0) -> str:
    """An entry; lists and mappings without others inside are on one line."""
    flow = None if isinstance(content, (Mapping, list)) else False
    made: str = yaml.safe_dump(
        {name: content}, sort_keys=False, allow_unicode=True, width=100, default_flow_style=flow
    )
    return "".join(" " * indent + line for line in made.splitlines(keepends=True))


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
