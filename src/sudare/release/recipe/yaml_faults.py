"""What is wrong with a YAML text, in words for people who write recipes, not parsers.

PyYAML has two parsers, in C and in Python, which word the same fault differently. Where neither's words say what to mend, the
text around the fault does.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from sudare.errors import ErrorSentence

if TYPE_CHECKING:
    from collections.abc import Sequence

    import yaml

_ENDS = {"[": "]", "{": "}"}
_WITHOUT_SPACE = re.compile(r"[\s-]*[^\s:'\"\[\]{}#]+:\S")
"""A line such as `width:5`, which is a text and not a name with its value."""


def fault_in_words(error: yaml.YAMLError, text: str) -> str:
    """Which line of a text is wrong in which way, and what to do; the words of PyYAML where we have none of our own."""
    problem, mark = getattr(error, "problem", None), getattr(error, "problem_mark", None)
    if isinstance(problem, ErrorSentence):
        return problem
    if mark is None:
        return _of_characters(error)
    lines, place = text.splitlines(), (mark.line, mark.column)
    began = getattr(error, "context_mark", None)
    start = place if began is None else (began.line, began.column)
    context, problem = str(getattr(error, "context", None)), str(problem)
    if "tab character" in problem or ("cannot start any token" in problem and _sign(lines, place) == "\t"):
        return _on("tab_inside" if _before(lines, place).strip() else "tab", place)
    if "cannot start any token" in problem:
        return _on("sign", place, sign=_sign(lines, place))
    if "scanning an alias" in context or "scanning an anchor" in context or "undefined alias" in problem:
        return _on("sign", start, sign=_sign(lines, start))
    if "escape character" in problem:
        return _on("backslash", place)
    if "quoted scalar" in context:
        return _on("quote", start)
    if context in {"while parsing a flow sequence", "while parsing a flow mapping"} and (
        end := _ENDS.get(_sign(lines, start))
    ):
        return _on("bracket", start, sign=_sign(lines, start), end=end)
    if "could not find expected ':'" in problem:
        return _on("no_space" if _lacks_space(lines, start[0]) else "no_colon", start)
    return _of_structure(lines, place, context, problem)


def _of_structure(lines: Sequence[str], place: tuple[int, int], context: str, problem: str) -> ErrorSentence:
    """Names, values and lists that do not fit together."""
    before = _before(lines, place).strip()
    if "mapping values are not allowed" in problem:
        above = next((line for line in range(place[0] - 1, -1, -1) if lines[line].strip()), None)
        if re.search(r":\s", before):
            return _on("second_colon", place)
        if above is not None and _lacks_space(lines, above):
            return _on("no_space", (above, 0))
        return _on("indentation", place)
    if "expected key" in problem or "<block end>" in problem or "'-' indicator" in problem:
        if before.endswith(("'", '"', "]", "}")):
            return _on("after_end", place)
        if not before:
            return _on("dash" if "block collection" in context else "indentation", place)
    if "<document start>" in problem and not before:
        return _on("indentation", place)
    if "node content" in problem and place[0] >= len(lines):
        return _on("ends_open", (len(lines) - 1, 0))
    if "another document" in problem:
        return _on("second_document", place)
    return _on("other", place, problem=problem)


def _of_characters(error: yaml.YAMLError) -> ErrorSentence:
    """A text that is refused before it is parsed."""
    character = getattr(error, "character", None)
    if isinstance(character, int):
        return ErrorSentence("release.yaml.character", character=f"U+{character:04X}")
    return ErrorSentence("release.yaml.no_line", problem=" ".join(str(error).split()))


def _on(fault: str, place: tuple[int, int], **values: str) -> ErrorSentence:
    return ErrorSentence(f"release.yaml.{fault}", line=place[0] + 1, **values)


def _before(lines: Sequence[str], place: tuple[int, int]) -> str:
    line, column = place
    return lines[line][:column] if line < len(lines) else ""


def _sign(lines: Sequence[str], place: tuple[int, int]) -> str:
    line, column = place
    return lines[line][column : column + 1] if line < len(lines) else ""


def _lacks_space(lines: Sequence[str], line: int) -> bool:
    return line < len(lines) and _WITHOUT_SPACE.match(lines[line]) is not None and ": " not in lines[line]
