"""The reasons of guesses, in both languages: every text is said by some guess, with its figures."""

from __future__ import annotations

import datetime as dt
import re
from typing import Any

import polars as pl
import pytest

from sudare.describe.guess.guess import guess_roles
from sudare.describe.guess.reason import Reason
from sudare.describe.guess.topics import TOPICS
from sudare.words.sentence import Sentence, loaded

ENGLISH, JAPANESE = loaded("guess", "en"), loaded("guess", "ja")
FIGURE = re.compile(r"\{(\w+)")
DIFFERENT = [f"{chr(97 + n % 26)}{n}" for n in range(40)]
"""Values that have no form: nothing but the name of their column speaks."""
TABLES: list[dict[str, Any]] = [
    *({topic.english.split(",")[0]: DIFFERENT * 2} for topic in TOPICS if topic.role != "weight"),
    {"weight": [1.5, 2.5, 80.0]},
    {"sample weight": [1.5, 2.5], "survey weight": [2.5, 3.5]},
    {"height": [160, 170, 180], "weight": [60, 70, 80]},
    {"patient_id": DIFFERENT},
    {"code": ["north", "south"] * 40},
    {"memo": ["red", "blue"] * 40},
    {"x": [f"ann{n}@example.org" for n in range(3)]},
    {"x": [f"https://example.org/{n}" for n in range(3)]},
    {"x": [f"123e4567-e89b-12d3-a456-42661417400{n}" for n in range(3)]},
    {"x": [f"10.0.0.{n}" for n in range(3)]},
    {"x": [f"00:1A:2B:3C:4D:5{n}" for n in range(3)]},
    {"x": [f"{n + 1} Oak Street" for n in range(3)]},
    {"x": ["asthma", "diabetes", "none"] * 30},
    {"x": [f"123-45-678{n}" for n in range(3)]},
    {"x": [f"1234-5678-1234-567{n}" for n in range(3)]},
    {"x": [f"+81 3 1234 567{n}" for n in range(3)]},
    {"x": [dt.date(2024, 1, 1), dt.date(2024, 1, 2)]},
    {"x": ["10115", "10117"]},
    {"x": ["Ann Smith", "Bob Jones"]},
    {
        "x": [
            "The patient came in the morning and left in the evening.",
            "Nothing was found on that day at all.",
        ]
    },
    {"x": [None, None]},
    {"x": ["same", "same"]},
    {"x": DIFFERENT},
    {"x": [["a", "b"], ["a"]] * 20},
    {"x": [n % 90 for n in range(400)]},
    {"x": [1.0 + n**1.5 for n in range(500)]},
    {"x": ["a", "b", "c"] * 30},
    {"x": ["call the daughter 090-1234-5678", "nothing", "nothing"] * 30},
]


def _keys(said):
    if not isinstance(said, Sentence):
        return set()
    return {said.key}.union(*map(_keys, said.values.values()))


def test_every_text_is_said_by_some_guess():
    reasons = [guess.reason for table in TABLES for guess in guess_roles(pl.DataFrame(table))]
    reasons += [
        guess.reason for guess in guess_roles(pl.DataFrame({"x": [1], "y": [2]}), {"quasi": ["x"]}, "drop")
    ]
    assert set().union(*map(_keys, reasons)) == ENGLISH.keys()


def test_both_languages_have_every_key():
    assert ENGLISH.keys() == JAPANESE.keys()


@pytest.mark.parametrize("key", ENGLISH)
def test_both_languages_say_the_same_figures(key):
    assert sorted(FIGURE.findall(ENGLISH[key])) == sorted(FIGURE.findall(JAPANESE[key]))


def test_a_reason_is_a_text_in_english_and_follows_into_japanese():
    (guess,) = guess_roles(pl.DataFrame({"age": [34, 71]}))
    assert isinstance(guess.reason, Reason)
    assert guess.reason == "The name refers to age, which an outsider could know."
    assert guess.reason.into("ja") == "列名は年齢を表し、外部の人が知り得る値です。"
