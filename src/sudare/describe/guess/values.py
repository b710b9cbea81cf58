"""What the values of a column say about it: how many there are, how often they repeat, what they look like."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import polars as pl

from sudare.describe.text import iso_days

if TYPE_CHECKING:
    from sudare.describe.kinds import Kind

_FEW_NUMBERS = 10
"""Integers up to which a column of numbers may be one of codes, of which means say nothing."""
_SAMPLE = 1000
_MOST = 0.9
_FEW_DISTINCT = 100
_LONG_TEXT = 40
_DENSE = 10
_LONG_NUMBER = 5
_MANY_NUMBERS = 200
_MIDDLE = 0.4
"""The share of the range that holds the middle half of measurements; of numbers given out in turn, it is a half."""
_CONTACT = re.compile(
    r"(?<![\d-])0\d{1,4}-\d{1,4}-\d{3,4}(?![\d-])|(?<!\d)0[5789]0\d{8}(?!\d)|\+\d[\d ()-]{8,}\d"
    r"|(?<![\d-])\(?[2-9]\d{2}\)?[ -]\d{3}-\d{4}(?![\d-])|[\w.+-]+@[\w-]+\.\w+"
)
"""A telephone number or an e-mail address within a text."""
_WORD = re.compile(r"[^\W\d_]{2}|[\u3040-\u30ff\u3400-\u9fff]")
_SENTENCE = re.compile(r"。|[a-z]{2,}\s[a-z]+.*[a-z]{2,}[.!?](\s|$)")
"""The end of a sentence: a Japanese one, or a full stop after several words."""

_PATTERNS: dict[str, re.Pattern[str]] = {
    "email": re.compile(r"[^@\s]+@[^@\s]+\.[^@\s.]+"),
    "web address": re.compile(r"(https?://|www\.)\S+"),
    "uuid": re.compile(r"[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}"),
    "ip address": re.compile(r"(\d{1,3}\.){3}\d{1,3}"),
    "mac address": re.compile(r"[0-9a-fA-F]{2}([:-][0-9a-fA-F]{2}){5}"),
    "address": re.compile(
        r"(\S{2,4}[都道府県])?\S{1,12}[市区町村郡]\S{0,20}\d+(-\d+|番|号|丁目\S*\d)\S{0,20}"
        r"|\d+[A-Za-z]? ([A-Z0-9][\w.'-]* ){1,4}(St|Street|Ave|Avenue|Rd|Road|Dr|Drive|Ln|Lane|Blvd|Way|Ct|Court|Pl|Place)"
        r"\.?([, ].{0,60})?"
    ),
    "social security number": re.compile(r"\d{3}-\d{2}-\d{4}"),
    "card number": re.compile(r"\d{4}([ -]?)\d{4}\1\d{4}\1\d{4}"),
    "date": re.compile(
        r"\d{4}([-/.])\d{1,2}\1\d{1,2}([T ]\d{1,2}:\d{2}\S*)?|\d{1,2}([-/.])\d{1,2}\3\d{4}|\d{4}年\d{1,2}月\d{1,2}日"
    ),
    "phone number": re.compile(r"\+[\d ()-]{8,20}|0\d{9,10}|\(?\d{2,5}\)?[ -]\d{1,4}[ -]\d{3,4}"),
    "postal code": re.compile(r"\d{5}(-\d{4})?|\d{3}-\d{4}"),
    "person name": re.compile(
        r"((Mr|Mrs|Ms|Miss|Dr|Prof)\.? )?([A-Z][a-zà-ÿ'’-]+,?|[A-Z]{2,},|[A-Z]\.) ([A-Z]\.? )?[A-Z][A-Za-zà-ÿ'’-]+"
        r"|[A-Z][a-zà-ÿ'’-]+,? [A-Z]\.?"
        r"|[ァ-ヴー]{2,6}[ \u3000][ァ-ヴー]{2,6}|[ぁ-ゔ]{2,6}[ \u3000][ぁ-ゔ]{2,6}"
        r"|[\u3005\u3400-\u9fff]{1,4}[ \u3000][\u3005\u3040-\u30ff\u3400-\u9fff]{1,5}"
    ),
    "record code": re.compile(r"(?=.*\d{3})[A-Za-z]{0,5}[-_]?\d[\dA-Za-z_-]{2,19}"),
}
"""Forms of text, the most indicative first; a column has the first form that nearly all its values match."""


_ICD10 = re.compile(r"[A-TV-Z]\d[\dA-Z](\.[\dA-Z]{1,4})?")
_DISEASE = re.compile(
    r"(症|病|炎|癌|がん|腫|血圧|喘息|ぜんそく|不全|梗塞|出血|骨折|障害)$|手術"
    r"|(?i:(itis|osis|emia|cancer|diabetes|hypertension|asthma|depression|stroke|disease|disorder|syndrome|failure"
    r"|infection|fracture|pneumonia|influenza|surgery)\b)"
)
_NOTHING = frozenset(
    {"なし", "無し", "無", "特になし", "不明", "その他", "none", "no", "unknown", "other", "n/a", "?"}
)
_FEWEST_DISEASES = 2
_FEWEST_NAMES = 5
_SHARE_OF_NAMES = 0.3
_FREQUENT_NAMES = frozenset(
    [
        "james",
        "mary",
        "robert",
        "patricia",
        "john",
        "jennifer",
        "michael",
        "linda",
        "david",
        "elizabeth",
        "william",
        "barbara",
        "richard",
        "susan",
        "joseph",
        "jessica",
        "thomas",
        "karen",
        "sarah",
        "christopher",
        "nancy",
        "lisa",
        "daniel",
        "margaret",
        "matthew",
        "sandra",
        "anthony",
        "ashley",
        "mark",
        "kimberly",
        "donald",
        "emily",
        "steven",
        "donna",
        "paul",
        "michelle",
        "andrew",
        "amanda",
        "joshua",
        "melissa",
        "kenneth",
        "deborah",
        "kevin",
        "stephanie",
        "brian",
        "rebecca",
        "george",
        "laura",
        "timothy",
        "helen",
        "ronald",
        "cynthia",
        "edward",
        "kathleen",
        "jason",
        "amy",
        "jeffrey",
        "angela",
        "ryan",
        "shirley",
        "jacob",
        "anna",
        "nicholas",
        "ruth",
        "eric",
        "brenda",
        "jonathan",
        "pamela",
        "stephen",
        "nicole",
        "larry",
        "katherine",
        "scott",
        "samantha",
        "frank",
        "emma",
        "benjamin",
        "maria",
        "jose",
        "juan",
        "luis",
        "carlos",
        "ana",
        "hans",
        "klaus",
        "peter",
        "wolfgang",
        "sabine",
        "monika",
        "pierre",
        "jean",
        "marie",
        "sophie",
        "giulia",
        "marco",
        "mohammed",
        "muhammad",
        "ahmed",
        "fatima",
        "aisha",
        "ali",
        "wei",
        "ming",
        "priya",
        "olivia",
        "noah",
        "liam",
        "sofia",
        "lucas",
        "hannah",
    ]
)
_FREQUENT_FAMILIES = (
    *(
        "佐藤",
        "鈴木",
        "高橋",
        "田中",
        "伊藤",
        "渡辺",
        "渡邊",
        "山本",
        "中村",
        "小林",
        "加藤",
        "吉田",
        "山田",
        "佐々木",
    ),
    *(
        "山口",
        "松本",
        "井上",
        "木村",
        "斎藤",
        "斉藤",
        "清水",
        "山崎",
        "池田",
        "橋本",
        "阿部",
        "石川",
        "山下",
        "中島",
    ),
    *(
        "石井",
        "小川",
        "前田",
        "岡田",
        "長谷川",
        "藤田",
        "後藤",
        "近藤",
        "村上",
        "遠藤",
        "青木",
        "坂本",
        "福田",
        "太田",
    ),
    *(
        "西村",
        "藤井",
        "金子",
        "岡本",
        "藤原",
        "三浦",
        "中野",
        "中川",
        "原田",
        "松田",
        "竹内",
        "小野",
        "田村",
        "中山",
    ),
    *(
        "サトウ",
        "スズキ",
        "タカハシ",
        "タナカ",
        "イトウ",
        "ワタナベ",
        "ヤマモト",
        "ナカムラ",
        "コバヤシ",
        "カトウ",
    ),
    *(
        "ヨシダ",
        "ヤマダ",
        "ササキ",
        "マツモト",
        "イノウエ",
        "キムラ",
        "サイトウ",
        "シミズ",
        "ヤマザキ",
        "ハヤシ",
    ),
    *(
        "さとう",
        "すずき",
        "たかはし",
        "たなか",
        "いとう",
        "わたなべ",
        "やまもと",
        "なかむら",
        "こばやし",
        "かとう",
    ),
)
_LONGEST_NAME = 12


def _is_frequent_name(text: str) -> bool:
    """Whether a text is a name of people, as far as the most frequent ones tell."""
    if text.isascii():
        parts = text.replace(",", " ").casefold().split()
        return 0 < len(parts) <= 3 and (parts[0] in _FREQUENT_NAMES or parts[-1] in _FREQUENT_NAMES)
    return len(text) <= _LONGEST_NAME and text.startswith(_FREQUENT_FAMILIES)


def guess_kind(series: pl.Series) -> Kind:
    """The kind of a column by its type and values; its name plays no part.

    Numbers are numeric, dates are dates (dates stored as text are texts), ordered categories are ordinal, lists are
    sets; texts are strings if they are codes of one width, sentences, or mostly different, and otherwise nominal.

    >>> import polars as pl
    >>> guess_kind(pl.Series(["02139", "02140"])), guess_kind(pl.Series(["flu", "gout"]))
    ('string', 'nominal')
    """
    return Values(series).kind()


@dataclass(frozen=True, eq=False)
class Values:
    """Counts and forms of one column's values, each computed on first use."""

    series: pl.Series

    @cached_property
    def present(self) -> int:
        """The number of records with a value."""
        return len(self.series) - self.series.null_count()

    @cached_property
    def distinct(self) -> pl.Series:
        """Every value once, without missing ones."""
        if self.series.dtype.is_nested() or self.series.dtype == pl.Object:
            written = {repr(value) for value in self.series.to_list() if value is not None}
            return pl.Series(self.series.name, sorted(written), dtype=pl.String)
        return self.series.drop_nulls().unique(maintain_order=True)

    @cached_property
    def share(self) -> float:
        """Distinct values per record with a value: 1 for a key, near 0 for a category."""
        return len(self.distinct) / self.present if self.present else 0.0

    @cached_property
    def texts(self) -> list[str]:
        """Up to a thousand distinct values, spread over the table, of a text column."""
        if self.series.dtype not in (pl.String, pl.Categorical, pl.Enum):
            return []
        every = max(1, len(self.distinct) // _SAMPLE)
        return [str(value) for value in self.distinct.gather_every(every).head(_SAMPLE).to_list()]

    @cached_property
    def form(self) -> str | None:
        """The name of the form that at least nine in ten of the values match, if any."""
        trimmed = [text.strip() for text in self.texts]
        for name, pattern in _PATTERNS.items():
            if trimmed and sum(bool(pattern.fullmatch(text)) for text in trimmed) >= _MOST * len(trimmed):
                return name
        return None

    @cached_property
    def are_names_of_people(self) -> bool:
        """Whether many of the texts begin or end with a frequent name: families in Japan, given names elsewhere."""
        known = sum(_is_frequent_name(text) for text in self.texts)
        return known >= _FEWEST_NAMES and known >= _SHARE_OF_NAMES * len(self.texts)

    @cached_property
    def mention_contacts(self) -> bool:
        """Whether a text of words contains a telephone number or an e-mail address."""
        plain = (unicodedata.normalize("NFKC", text) for text in self.texts)
        return any(_CONTACT.search(text) and _WORD.search(_CONTACT.sub("", text)) for text in plain)

    @cached_property
    def are_diseases(self) -> bool:
        """Whether the texts are codes of the ICD, or most of those that are not "none" end like names of diseases."""
        texts = [text.strip() for text in self.texts]
        coded = [text for text in texts if _ICD10.fullmatch(text)]
        if len(coded) >= max(_FEWEST_NAMES, _MOST * len(texts)) and any("." in text for text in coded):
            return True
        named = [text for text in texts if text.casefold() not in _NOTHING]
        diseases = sum(bool(_DISEASE.search(text)) for text in named)
        return diseases >= _FEWEST_DISEASES and 2 * diseases > len(named)

    @cached_property
    def are_all_none(self) -> bool:
        """Whether every record says "none" or "no"."""
        is_one = len(self.distinct) == 1 and self.present == len(self.series) > 1
        return is_one and self.texts != [] and self.texts[0].strip().casefold() in _NOTHING

    @cached_property
    def have_digits(self) -> bool:
        """Whether nearly all texts contain a digit, as codes do and words do not."""
        return sum(any(map(str.isdigit, text)) for text in self.texts) >= _MOST * max(1, len(self.texts))

    @cached_property
    def are_words(self) -> bool:
        """Whether there are texts, and none contains a digit."""
        return bool(self.texts) and not any(character.isdigit() for text in self.texts for character in text)

    @cached_property
    def is_code(self) -> bool:
        """Whether the values are codes of equal width, such as postal codes: worth masking character by character."""
        widths = {len(text) for text in self.texts}
        return len(widths) == 1 and widths.pop() >= 3 and self.form in {"postal code", "record code"}

    @cached_property
    def is_long_text(self) -> bool:
        """Whether the values are sentences rather than words."""
        if not self.texts:
            return False
        sentences = sum(bool(_SENTENCE.search(text)) for text in self.texts)
        return sum(map(len, self.texts)) > _LONG_TEXT * len(self.texts) or sentences > _MOST * len(self.texts)

    @cached_property
    def numbers(self) -> pl.Series:
        """The distinct finite numbers of a numeric column, as floats in ascending order."""
        if not self.series.dtype.is_numeric():
            return pl.Series(dtype=pl.Float64)
        floats = self.distinct.cast(pl.Float64)
        return floats.filter(floats.is_finite()).sort()

    @cached_property
    def has_infinite(self) -> bool:
        """Whether a numeric column contains an infinite number, which fits no interval."""
        return self.series.dtype.is_float() and bool(self.distinct.is_infinite().any())

    @cached_property
    def is_whole(self) -> bool:
        """Whether a numeric column contains integers only (possibly as floats, as in frames with missing values)."""
        return len(self.numbers) > 0 and bool((self.numbers == self.numbers.floor()).all())

    @cached_property
    def are_key_numbers(self) -> bool:
        """Whether the numbers look like keys: integers, all distinct, and equally long or dense and evenly spread.

        Measurements may all differ too, but they spread over many orders of magnitude, or are most frequent in the middle.
        """
        if not (self.share == 1 and self.is_whole and float(self.numbers[0]) >= 0):
            return False
        shortest, longest = (len(f"{number:.0f}") for number in (self.numbers[0], self.numbers[-1]))
        dense = self.spread < _DENSE * len(self.numbers)
        return shortest == longest >= _LONG_NUMBER or (dense and not self._gather_in_the_middle)

    @property
    def _gather_in_the_middle(self) -> bool:
        """Whether the middle half of many numbers, in no order, lies closer together than numbers given out in turn would."""
        if len(self.numbers) < _MANY_NUMBERS or self.series.drop_nulls().is_sorted():
            return False
        low, high = (float(self.numbers.quantile(share) or 0) for share in (0.25, 0.75))
        return high - low < _MIDDLE * self.bulk

    @property
    def spread(self) -> float:
        """The difference between the smallest and the largest number."""
        return float(self.numbers[-1]) - float(self.numbers[0]) if len(self.numbers) else 0.0

    @property
    def bulk(self) -> float:
        """The difference between the 1st and the 99th percentile of the records of a numeric column."""
        floats = self.series.cast(pl.Float64)
        low, high = (floats.filter(floats.is_finite()).quantile(share) for share in (0.01, 0.99))
        return 0.0 if low is None or high is None else high - low

    @property
    def is_iso_text(self) -> bool:
        """Whether the values are YYYY-MM-DD texts (a time may follow), which a calendar hierarchy accepts."""
        if self.series.dtype != pl.String or self.form != "date":
            return False
        return iso_days(self.distinct).null_count() == 0

    def kind(self) -> Kind:
        """The kind that these values indicate; see `guess_kind`."""
        dtype = self.series.dtype
        if dtype.is_numeric():
            return "numeric"
        if dtype in (pl.Date, pl.Datetime):
            return "date"
        if dtype in (pl.Enum, pl.Time):
            return "ordinal"
        if dtype in (pl.List, pl.Array):
            return "set"
        if dtype == pl.String:
            return self._text_kind()
        return "string" if dtype in (pl.Binary, pl.Object, pl.Struct) else "nominal"

    def _text_kind(self) -> Kind:
        if self.is_code or self.is_long_text:
            return "string"
        return "string" if len(self.distinct) > _FEW_DISTINCT and self.share > 0.5 else "nominal"


def are_measured(kind: Kind, values: pl.Series) -> bool:
    """Whether values of this kind are numbers and not codes, as far as their count tells."""
    return kind == "numeric" and (values.dtype.is_float() or values.n_unique() > _FEW_NUMBERS)
