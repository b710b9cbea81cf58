"""The topics of columns, the role for each, and the words that indicate them.

The roles are the cautious ones: what an outsider could know (age, sex, place, dates, work) is quasi-identifying,
and what would cause harm if disclosed (health, money, crime, belief, results) is sensitive.

What a column's name says about it, in English and Japanese.

English names are split into words (snake_case, kebab-case, camelCase, spaces) and matched as whole words, so
that `stage` is not an `age`; Japanese names have no word boundaries and are searched for the longest known term.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

from sudare.describe.guess.reason import Reason

if TYPE_CHECKING:
    from sudare.describe.kinds import Role


@dataclass(frozen=True)
class Topic:
    """A topic of columns, with the role that a cautious custodian would choose."""

    key: str
    role: Role
    english: str
    """Terms separated by commas, each of one or more words."""
    japanese: str
    """Terms separated by spaces, found anywhere in the name."""
    weak: bool = False
    """Weak terms (id, name, date) count only if no other topic matches: `disease_name` is about disease."""

    @property
    def about(self) -> Reason:
        """How a reason refers to the topic."""
        return Reason(f"about.{self.key}")


TOPICS: tuple[Topic, ...] = (
    Topic(
        "person name",
        "identifier",
        "full name, first name, last name, middle name, given name, family name, maiden name, patient name, "
        "person name, surname, forename, nickname, username, user name, login, physician, doctor, attending, "
        "guardian",
        "氏名 名前 姓名 患者名 本人名 氏名カナ フリガナ ふりがな 苗字 名字 主治医 担当医 医師名 保護者 担当者",
    ),
    Topic(
        "contact",
        "identifier",
        "email, e mail, mail, phone, telephone, tel, mobile, cellphone, fax, url, homepage, ip, ip address, "
        "mac address, device id, imei, cookie, twitter, line id",
        "メール 電話 携帯 連絡先 ホームページ",
    ),
    Topic(
        "address",
        "identifier",
        "address, addr, street, house number, apartment",
        "住所 番地 所在地",
    ),
    Topic(
        "official number",
        "identifier",
        "ssn, social security, social security number, national id, passport, licence number, license number, "
        "driver license, tax id, insurance number, insurance id, mrn, medical record number, account number, "
        "iban, card number, credit card, vin, plate, my number",
        "マイナンバー 個人番号 保険証 被保険者番号 免許 旅券 パスポート カルテ番号 診察券 口座番号 "
        "カード番号 車両番号 社員番号 職員番号 学籍番号 会員番号 患者番号 顧客番号",
    ),
    Topic(
        "biometric",
        "identifier",
        "photo, picture, face, fingerprint, biometric, signature, voice",
        "写真 顔画像 指紋 署名 声紋",
    ),
    Topic(
        "free text",
        "identifier",
        "note, notes, comment, remark, memo, free text, description, narrative",
        "備考 メモ コメント 自由記述 自由記載 所見 特記事項 診療録 カルテ 日誌 経過記録 摘要",
    ),
    Topic(
        "birth",
        "quasi",
        "birth, birth date, birth year, birthday, dob, date of birth, year of birth, yob, born",
        "生年月日 生年月 生年 誕生日 誕生年 出生年 出生日",
    ),
    Topic("age", "quasi", "age, age group, age at admission", "年齢 年令 満年齢 年代 歳"),
    Topic("sex", "quasi", "sex, gender", "性別 男女"),
    Topic(
        "postal code",
        "quasi",
        "zip, zip code, postcode, post code, postal, postal code, plz",
        "郵便番号 郵便 〒",
    ),
    Topic(
        "place",
        "quasi",
        "city, town, village, county, state, province, prefecture, region, district, municipality, place, "
        "location, area, residence, home, latitude, longitude, lat, lon, lng, gps, ward, hospital, facility",
        "都道府県 県 市区町村 市町村 地域 居住地 出身地 地区 現住地 勤務地 緯度 経度 病院 施設 病棟",
    ),
    Topic(
        "nationality",
        "quasi",
        "nationality, country, native country, citizenship, citizen, birthplace, birth place, place of birth, "
        "mother tongue, language, race, ethnicity, ethnic, ethnic group",
        "国籍 出身国 国名 母語 言語 人種 民族",
    ),
    Topic(
        "occupation",
        "quasi",
        "occupation, job, job title, profession, workclass, work class, work, employment, employer, company, "
        "industry, department, hours per week, working hours",
        "職業 職種 勤務先 会社 雇用 業種 役職 所属 部署 就業 労働時間",
    ),
    Topic(
        "education",
        "quasi",
        "education, education num, degree, school, university, college, schooling, grade level, school grade, "
        "school year",
        "学歴 学校 大学 教育 学年",
    ),
    Topic(
        "family",
        "quasi",
        "marital, marital status, married, marriage, relationship, spouse, family, household, children, kids",
        "婚姻 配偶 結婚 続柄 世帯 家族 子ども 子供 同居",
    ),
    Topic(
        "event",
        "quasi",
        "admission, admission date, admitted, discharge, discharge date, visit, visit date, length of stay, los, "
        "stay, arrival, departure, enrollment, enrolment, hire date",
        "入院日 退院日 受診日 来院日 初診日 入院日数 在院日数 入院期間 入院 退院 入社日 入学",
    ),
    Topic(
        "body",
        "quasi",
        "height, body weight, weight kg, weight lb, eye color, hair color, skin color, blood type, blood group",
        "身長 体重 血液型",
    ),
    Topic(
        "health",
        "sensitive",
        "disease, diagnosis, diagnoses, diag, illness, condition, disorder, symptom, icd, icd9, icd10, "
        "comorbidity, hiv, cancer, tumor, tumour, drug, medication, medicine, prescription, treatment, therapy, "
        "procedure, surgery, operation, allergy, disability, mental, health, smoking, smoker, alcohol, drinking, "
        "pregnancy, pregnant, genotype, gene, mutation, blood pressure, systolic, diastolic, cholesterol, "
        "glucose, bmi, hba1c, birth weight, death, mortality, cause of death, vaccine, vaccination, lab, "
        "test result, medical, dx, rx, sick, sickness, injury, handicap, special needs, special education, "
        "nursing, care level, depression, anxiety, stress, abortion, contraception, dementia, infection, wellbeing",
        "病名 疾患 疾病 診断 傷病 症状 病歴 既往 薬 処方 投薬 治療 手術 検査 血圧 血糖 アレルギー 障害 障がい "
        "喫煙 飲酒 妊娠 遺伝 転帰 死因 死亡 感染 健康 病気 接種 "
        "通院 受診 診療 療養 介護 介助 支援区分 健診 検診 認知 精神 ストレス うつ がん 癌 腫瘍 休職",
    ),
    Topic(
        "result",
        "sensitive",
        "result, score, grade, gpa, mark, rating, performance, evaluation, iq, exam, test",
        "結果 成績 点数 得点 偏差値 評価 評点 判定",
    ),
    Topic(
        "money",
        "sensitive",
        "salary, salary class, income, wage, pay, earnings, cost, charge, price, amount, payment, expense, bill, "
        "debt, loan, credit, balance, asset, wealth, capital gain, capital loss, tax, revenue, pension, rent, "
        "insurance, spending, purchase, sales, profit, capital, fund, welfare, benefit, allowance, subsidy, arrears",
        "給与 給料 年収 月収 所得 収入 賃金 月給 費用 医療費 金額 料金 請求 借入 負債 残高 資産 納税 税額 年金 "
        "報酬 購入 支出 家賃 売上 生活保護 受給 手当 給付 扶助 滞納",
    ),
    Topic(
        "crime",
        "sensitive",
        "crime, criminal, conviction, convicted, offense, offence, arrest, sentence, prison, recidivism, victim",
        "犯罪 前科 逮捕 有罪 刑罰 刑期 被害",
    ),
    Topic(
        "belief",
        "sensitive",
        "religion, religious, faith, belief, political, politics, party, vote, union, opinion, attitude, "
        "satisfaction, trust, preference, sexual orientation, sexuality, sexual",
        "宗教 信仰 信条 政党 支持 投票 思想 意見 満足度 性的指向 労働組合",
    ),
    Topic(
        "conduct",
        "sensitive",
        "absence, absent, attendance, tardiness, overtime, discipline, disciplinary, behavior, behaviour, misconduct, "
        "reason, motive",
        "欠席 欠勤 不登校 出席 遅刻 残業 懲戒 処分 勤怠 理由 動機",
    ),
    Topic(
        "weight",
        "weight",
        "weight, sample weight, sampling weight, survey weight, final weight, fnlwgt, afnlwgt, wgt, wt, pweight, "
        "sampling, expansion factor",
        "重み 標本ウェイト ウェイト ウエイト 抽出率 集計乗率 乗率 拡大係数",
    ),
    Topic("name", "identifier", "name", "氏 姓", weak=True),
    Topic(
        "date",
        "quasi",
        "date, datetime, timestamp, day, time, year, month",
        "年月日 日付 日時 年月",
        weak=True,
    ),
    Topic(
        "key",
        "identifier",
        "id, ids, uuid, guid, key, no, number, num, code, serial",
        "番号 通番 連番 コード",
        weak=True,
    ),
)


def topic_of(name: str) -> Topic | None:
    """The topic that a name indicates most clearly: the longest term found; weak terms only if there are no others.

    >>> [topic_of(name).key for name in ("dateOfBirth", "disease_name", "患者ID", "native-country")]
    ['birth', 'health', 'key', 'nationality']
    >>> topic_of("stage") is None
    True
    """
    if unicodedata.normalize("NFKC", name).strip() in _WHOLE_NAMES:
        return TOPICS[0]
    found = [*_english_matches(words(name)), *_japanese_matches(_japanese_part(name))]
    last = _english_matches(words(name)[-1:])
    if last and last[0][1].key == "free text":
        return last[0][1]  # notes are notes, whatever they are about
    return max(found, key=lambda match: (not match[1].weak, match[0]))[1] if found else None


def words(name: str) -> list[str]:
    """The Latin words and numbers of a name, in lower case.

    Names in capitals run together: an ending that says what the values are is a word of its own.

    >>> words("PatientID"), words("date-of_birth"), words("ＺＩＰ code 2"), words("患者ID")
    (['patient', 'id'], ['date', 'of', 'birth'], ['zip', 'code', '2'], ['id'])
    >>> words("CUSTOMERNAME"), words("UTILITYID"), words("PAID"), words("surname")
    (['customer', 'name'], ['utility', 'id'], ['paid'], ['surname'])
    """
    found = [word.lower() for word in _LATIN.findall(unicodedata.normalize("NFKC", name))]
    return [part for word in found for part in _parts_of(word)]


def _parts_of(word: str) -> list[str]:
    """A word that ends in what its values are (a name, a date, an id) as two words; others as they are."""
    if word in _english_terms() or word in _NOT_COMPOUND:
        return [word]
    for ending in _ENDINGS:
        begin = word.removesuffix(ending)
        if begin != word and len(begin) >= _SHORTEST_BEGINNING:
            return [begin, ending]
    return [word]


def is_key(name: str) -> bool:
    """Whether a name ends like the name of a key: `…_id`, `…No`, `…番号`."""
    found = words(name)
    japanese = _japanese_part(name)
    return (bool(found) and found[-1] in _KEY_WORDS) or (
        japanese.endswith("番号") and not japanese.endswith("郵便番号")
    )


def is_about_person(name: str) -> bool:
    """Whether a name mentions the kind of person a record is about, such as patient or 患者."""
    japanese = _japanese_part(name)
    return not _PERSON_WORDS.isdisjoint(words(name)) or any(term in japanese for term in _PERSON_TERMS)


def _english_matches(found: list[str]) -> list[tuple[int, Topic]]:
    terms = _english_terms()
    matches = []
    for start in range(len(found)):
        for end in range(start + 1, min(start + _LONGEST_TERM, len(found)) + 1):
            joined = "".join(found[start:end])
            topic = terms.get(joined) or terms.get(joined.removesuffix("s"))
            if topic is not None:
                matches.append((len(joined), topic))
    return matches


def _japanese_matches(text: str) -> list[tuple[int, Topic]]:
    # A Japanese character conveys about as much as two letters; mixed names are rare enough for a rule of thumb.
    return [(2 * len(term), topic) for term, topic in _japanese_terms() if term in text]


def _japanese_part(name: str) -> str:
    return "".join(_JAPANESE.findall(unicodedata.normalize("NFKC", name)))


@cache
def _english_terms() -> dict[str, Topic]:
    # Terms are compared without spaces, so that `zipcode`, `zip_code` and `ZipCode` are the same.
    return {term.replace(" ", "").strip(): topic for topic in TOPICS for term in topic.english.split(",")}


@cache
def _japanese_terms() -> list[tuple[str, Topic]]:
    return [(term, topic) for topic in TOPICS for term in topic.japanese.split()]


_PERSON_WORDS = frozenset(
    [
        "patient",
        "person",
        "user",
        "customer",
        "client",
        "member",
        "student",
        "employee",
        "staff",
        "subject",
        "participant",
        "respondent",
        "citizen",
        "individual",
        "resident",
        "applicant",
        "donor",
        "worker",
        "people",
    ]
)
_PERSON_TERMS = (
    "患者",
    "個人",
    "会員",
    "顧客",
    "社員",
    "職員",
    "学生",
    "生徒",
    "本人",
    "利用者",
    "受診者",
    "被験者",
    "住民",
)
_KEY_WORDS = frozenset({"id", "ids", "uuid", "guid", "key", "no", "nr", "nbr", "number", "num", "serial"})
_LONGEST_TERM = 5
_WHOLE_NAMES = frozenset({"姓", "名", "氏", "せい", "めい", "セイ", "メイ", "カナ", "かな"})
"""Names of columns that mean a person's name alone, and much else within another name (病名)."""
_ENDINGS = ("number", "name", "date", "code", "id")
_SHORTEST_BEGINNING = 3
_NOT_COMPOUND = frozenset(
    [
        "valid",
        "invalid",
        "covid",
        "paid",
        "unpaid",
        "prepaid",
        "acid",
        "grid",
        "hybrid",
        "rapid",
        "solid",
        "fluid",
        "liquid",
        "humid",
        "thyroid",
        "steroid",
        "opioid",
        "typhoid",
        "android",
        "asteroid",
        "plaid",
        "braid",
        "maid",
        "said",
        "avoid",
        "void",
        "raid",
        "amid",
        "arid",
        "avid",
        "bid",
        "did",
        "hid",
        "kid",
        "lid",
        "mid",
        "rid",
        "rename",
        "candidate",
        "update",
        "mandate",
        "consolidate",
        "validate",
        "inundate",
        "sedate",
        "postdate",
        "barcode",
        "postcode",
        "decode",
        "encode",
        "unicode",
        "episode",
    ]
)
"""Words that end like a compound and are none."""
_LATIN = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")
_JAPANESE = re.compile(r"[\u3005-\u3007\u3012\u3040-\u30ff\u3400-\u9fff]+")
