"""What the tests of every report need: its kinds and languages, and the outline of a page."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from sudare.words.sentence import Language

KINDS: tuple[Literal["internal", "public"], ...] = ("internal", "public")
LANGUAGES: tuple[Language, ...] = ("en", "ja")


class Outline(HTMLParser):
    """Tags, the text of the page, and whether every element is closed."""

    def __init__(self, html):
        super().__init__()
        self.tags, self.words, self.open = [], [], []
        self.feed(html)
        self.close()

    def handle_starttag(self, tag, attributes):
        self.tags.append((tag, dict(attributes)))
        if tag not in {"meta", "col", "br"}:
            self.open.append(tag)

    def handle_startendtag(self, tag, attributes):
        self.tags.append((tag, dict(attributes)))

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.words.append(data)


def drawings_of_a_whole_page(html, language):
    """The drawings of a page that is whole, in the language, loads nothing and describes each drawing."""
    outline = Outline(html)
    assert outline.open == []
    assert ("html", {"lang": language}) in outline.tags
    tags = {tag for tag, _ in outline.tags}
    assert tags.isdisjoint({"script", "link", "img", "iframe", "object", "foreignobject", "a"})
    assert "http:" not in html
    assert "https:" not in html
    assert not re.search(r"url\(|@import|src=|\son\w+=", html)
    drawings = [given for tag, given in outline.tags if tag == "svg" and given.get("class") == "marks"]
    assert all(given["role"] == "img" and given["aria-label"] for given in drawings)
    return drawings
