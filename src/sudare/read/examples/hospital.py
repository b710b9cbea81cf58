"""Made-up tables for examples and trials: realistic in shape and dependence, about nobody.

The tables are drawn from fixed tables of shares with an ordinary seeded generator: made-up data contains no secrets.

>>> hospital(3, seed=1).columns[:4]
['patient_id', 'name', 'birth_date', 'sex']
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
import polars as pl

from sudare.errors import ParameterError, language_of
from sudare.randomness import repeatable
from sudare.read.examples import words as material

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sudare.words.sentence import Language

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]

_NAMES = {
    "en": (
        "patient_id",
        "name",
        "birth_date",
        "sex",
        "zip",
        "nationality",
        "admission",
        "length_of_stay",
        "cost",
        "disease",
    ),
    "ja": ("患者ID", "氏名", "生年月日", "性別", "郵便番号", "国籍", "入院日", "在院日数", "医療費", "病名"),
}
_SEXES = {"en": ("F", "M"), "ja": ("女", "男")}
_FIRST_DAY = np.datetime64("2022-01-01", "D")
_DAYS = 730
_MOST_ROWS = 10**8
_LONGEST_STAY = 365
_DAYS_A_YEAR = 365.2425
_YEN_A_DOLLAR = 100
_MISSING_ZIP = 0.01
_MISSING_NATIONALITY = 0.005


def hospital(rows: int = 10_000, *, seed: int = 0, language: Language = "en") -> pl.DataFrame:
    """A table of hospital stays, one per row: the same number of rows and seed always give the same table.

    Age influences sex slightly and, together with sex, the disease; disease and age determine the length of stay, and
    both the cost. ZIP codes cluster around the hospital, and foreigners cluster in some of its regions. One ZIP code
    in a hundred and one nationality in two hundred are missing. With `language="ja"` column names and values are
    Japanese (postal codes as `123-4567`, cost in yen).

    The matching description is `hospital_columns(language)`.
    """
    language_of(language)
    if seed < 0:
        raise ParameterError("read.example.seed", seed=seed)
    if not 0 <= rows <= _MOST_ROWS:
        raise ParameterError("read.example.rows", rows=rows, most=_MOST_ROWS)
    random = repeatable(seed)
    age = _ages(random, rows)
    male = random.random(rows) >= np.interp(
        age, (0, 15, 25, 40, 50, 75, 90), (0.48, 0.5, 0.6, 0.56, 0.48, 0.5, 0.64)
    )
    admission = _FIRST_DAY + _days_of_admission(random, rows)
    disease = _diseases(random, age, male)
    stay = _stays(random, age, disease)
    area, zip_code = _zips(random, rows, language)
    columns = (
        _patient_ids(random, rows),
        _person_names(random, male, language),
        pl.Series(_birth_dates(random, age, admission)),
        _texts(_SEXES[language]).gather(male.astype(np.int64)),
        _with_missing(random, zip_code, _MISSING_ZIP),
        _with_missing(random, _nationalities(random, area, language), _MISSING_NATIONALITY),
        pl.Series(admission),
        pl.Series(stay),
        pl.Series(_costs(random, stay, disease, language)),
        _texts([getattr(one, language) for one in material.DISEASES]).gather(disease),
    )
    return pl.DataFrame(dict(zip(_NAMES[language], columns, strict=True)))


def hospital_columns(language: Language = "en") -> dict[str, dict[str, Any]]:
    """Role, kind and hierarchy of each column of `hospital`, as a recipe lists them."""
    language_of(language)
    described: tuple[dict[str, Any], ...] = (
        {"role": "identifier", "kind": "string"},
        {"role": "identifier", "kind": "string"},
        {"role": "quasi", "kind": "date", "hierarchy": {"type": "dates"}},
        {"role": "quasi", "kind": "nominal", "hierarchy": {"type": "suppress"}},
        {"role": "quasi", "kind": "string", "hierarchy": {"type": "mask"}},
        {
            "role": "quasi",
            "kind": "nominal",
            "hierarchy": {"type": "tree", "mapping": _nationality_tree(language)},
        },
        {"role": "quasi", "kind": "date", "hierarchy": {"type": "dates"}},
        {"role": "quasi", "kind": "numeric", "hierarchy": {"type": "intervals", "width": 5}},
        {"role": "sensitive", "kind": "numeric"},
        {
            "role": "sensitive",
            "kind": "nominal",
            "hierarchy": {"type": "tree", "mapping": _disease_tree(language)},
        },
    )
    return dict(zip(_NAMES[language], described, strict=True))


def _ages(random: np.random.Generator, rows: int) -> Ints:
    """Age in completed years at admission: newborns, few children, childbearing age, and a broad peak in old age."""
    years = np.arange(105)
    knots = (0, 1, 5, 14, 25, 32, 45, 60, 76, 88, 104)
    return _draw(random, np.interp(years, knots, (3, 1, 0.5, 0.4, 1, 1.3, 1, 1.6, 2.5, 1.5, 0)), rows)


def _days_of_admission(random: np.random.Generator, rows: int) -> npt.NDArray[np.timedelta64]:
    days = np.arange(_DAYS)
    weekday = (days + 5) % 7  # the first day is a Saturday
    season = 1 + 0.15 * np.cos(2 * np.pi * days / _DAYS_A_YEAR)
    return _draw(random, season * np.where(weekday >= 5, 0.6, 1.0), rows).astype("timedelta64[D]")


def _birth_dates(
    random: np.random.Generator, age: Ints, admission: npt.NDArray[np.datetime64]
) -> npt.NDArray[np.datetime64]:
    # Stay two days away from either birthday, so that leap days never change the age.
    days = np.floor(age * _DAYS_A_YEAR).astype(np.int64) + random.integers(2, 363, size=len(age))
    born: npt.NDArray[np.datetime64] = admission - days.astype("timedelta64[D]")
    return born


def _diseases(random: np.random.Generator, age: Ints, male: npt.NDArray[np.bool_]) -> Ints:
    band = np.searchsorted(material.AGE_BANDS, age, side="right") - 1
    disease = np.empty(len(age), dtype=np.int64)
    for which in range(len(material.AGE_BANDS)):
        for is_male in (False, True):
            rows = np.flatnonzero((band == which) & (male == is_male))
            shares = [
                one.share * one.by_age[which] * (one.men if is_male else one.women)
                for one in material.DISEASES
            ]
            disease[rows] = _draw(random, np.array(shares), len(rows))
    return disease


def _stays(random: np.random.Generator, age: Ints, disease: Ints) -> Ints:
    median = np.array([one.days for one in material.DISEASES])[disease]
    log_days = np.log(median) + 0.006 * (age - 45) + random.normal(0, 0.55, len(age))
    days: Floats = np.clip(np.rint(np.exp(log_days)), 1, _LONGEST_STAY)
    return days.astype(np.int64)


def _costs(random: np.random.Generator, stay: Ints, disease: Ints, language: Language) -> Ints:
    fixed = np.array([one.fixed_cost for one in material.DISEASES])[disease]
    daily = np.array([one.daily_cost for one in material.DISEASES])[disease]
    dollars = (fixed + daily * stay) * np.exp(random.normal(0, 0.2, len(stay)))
    return np.rint(dollars).astype(np.int64) * (_YEN_A_DOLLAR if language == "ja" else 1)


def _zips(random: np.random.Generator, rows: int, language: Language) -> tuple[Ints, pl.Series]:
    """Area (0 is the nearest) of every row, and its ZIP code within the area: both frequencies decline as 1/rank."""
    if language == "ja":
        areas = [f"{number:03d}-" for number in (*range(60, 72), *range(1, 9), 100, 150, 530, 980)]
        places = [f"{number * 37 % 10_000:04d}" for number in range(1, 41)]
    else:
        areas = [
            f"{number:03d}"
            for number in (*range(18, 28), *range(10, 18), *range(28, 34), 60, 100, 331, 606, 900)
        ]
        places = [f"{number * 37 % 100:02d}" for number in range(1, 41)]
    area = _draw(random, 1 / np.arange(1, len(areas) + 1), rows)
    place = _draw(random, 1 / np.arange(3, len(places) + 3), rows)
    codes = _texts([start + end for start in areas for end in places])
    return area, codes.gather(area * len(places) + place)


def _nationalities(random: np.random.Generator, area: Ints, language: Language) -> pl.Series:
    shares = np.array(
        [0.0 if one.en == material.HOME[language] else one.share for one in material.NATIONALITIES]
    )
    home = next(i for i, one in enumerate(material.NATIONALITIES) if one.en == material.HOME[language])
    # Every fourth area is a neighborhood of newcomers.
    foreign = random.random(len(area)) < np.where(area % 4 == 2, 0.22, 0.05)
    which = np.where(foreign, _draw(random, shares, len(area)), home)
    return _texts([getattr(one, language) for one in material.NATIONALITIES]).gather(which)


def _patient_ids(random: np.random.Generator, rows: int) -> pl.Series:
    # A multiplier coprime to the modulus visits all numbers without repetition.
    numbers = (np.arange(rows, dtype=np.int64) * 7_654_321 + random.integers(_MOST_ROWS)) % _MOST_ROWS
    return "P" + pl.Series(numbers, dtype=pl.Int64).cast(pl.String).str.zfill(8)


def _person_names(random: np.random.Generator, male: npt.NDArray[np.bool_], language: Language) -> pl.Series:
    women, men = material.FEMALE_NAMES[language].split(), material.MALE_NAMES[language].split()
    surnames = material.SURNAMES[language].split()
    given_of_women = random.integers(len(women), size=len(male))
    given_of_men = random.integers(len(men), size=len(male)) + len(women)
    given = _texts([*women, *men]).gather(np.where(male, given_of_men, given_of_women))
    surname = _texts(surnames).gather(_draw(random, 1 / np.arange(5, len(surnames) + 5), len(male)))
    return surname + " " + given if language == "ja" else given + " " + surname


def _with_missing(random: np.random.Generator, column: pl.Series, share: float) -> pl.Series:
    return column.set(pl.Series(random.random(len(column)) < share, dtype=pl.Boolean), None)


def _draw(random: np.random.Generator, shares: Floats, rows: int) -> Ints:
    """Independent draws of indices with these relative shares, by inversion."""
    cumulative = np.cumsum(shares)
    drawn: Ints = np.searchsorted(cumulative, random.random(rows) * cumulative[-1], side="right")
    return drawn.astype(np.int64)


def _texts(texts: Sequence[str]) -> pl.Series:
    return pl.Series(texts, dtype=pl.String)


def _nationality_tree(language: Language) -> dict[str, dict[str, list[str]]]:
    position = 0 if language == "en" else 1
    tree: dict[str, dict[str, list[str]]] = {}
    for one in material.NATIONALITIES:
        regions = tree.setdefault(one.continent[position], {})
        regions.setdefault(one.region[position], []).append(getattr(one, language))
    return tree


def _disease_tree(language: Language) -> dict[str, list[str]]:
    position = 0 if language == "en" else 1
    tree: dict[str, list[str]] = {}
    for one in material.DISEASES:
        tree.setdefault(one.chapter[position], []).append(getattr(one, language))
    return tree
