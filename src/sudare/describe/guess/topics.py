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
        "full name, first name, next of kin, last name, middle name, given name, family name, maiden name, "
        "patient "
        "name, person name, surname, forename, nickname, username, user name, login, physician, doctor, "
        "attending, guardian, alias, signature name, employee name, staff name, shimei, "
        "namae, furigana, kana, myoji",
        "氏名 名前 姓名 患者名 本人名 氏名カナ フリガナ ふりがな 苗字 名字 主治医 担当医 医師名 保護者 "
        "担当者 旧姓 通称 名義 宛名 ニックネーム ユーザー名 ログイン",
    ),
    Topic(
        "contact",
        "identifier",
        "email, e mail, mail, phone, telephone, tel, mobile, cellphone, fax, url, homepage, website, ip, "
        "ip address, mac address, device id, imei, imsi, msisdn, cookie, session id, advertising id, "
        "twitter, facebook, instagram, linkedin, skype, social media, line id, handle, denwa, keitai",
        "メール 電話 携帯 連絡先 ホームページ ファックス 端末識別",
    ),
    Topic(
        "address",
        "identifier",
        "address, addr, street, house number, apartment, jusho, juusho, ship to, banchi",
        "住所 配送先 番地 所在地 居所 本籍 送付先 送り先 届け先 届先 宛先 方書 建物名 部屋番号",
    ),
    Topic(
        "official number",
        "identifier",
        "ssn, social security, social security number, national id, national insurance, nino, "
        "nhs number, ni number, mpan, mprn, upn, badge, loyalty card, vehicle reg, passport, "
        "licence number, license number, driver license, tax id, tin, insurance "
        "number, insurance id, policy number, policy id, claim number, contract number, certificate "
        "number, mrn, medical record number, chart number, encounter id, account number, bank "
        "account, iban, card number, credit card, library card, vin, plate, vehicle "
        "registration, meter number, meter id, uln, aadhaar, my "
        "number, kojin bango, hihokensha",
        "マイナンバー 個人番号 証券番号 記号番号 住民票コード 整理番号 供給地点 保険証 被保険者番号 免許証 免許番号 運転免許 旅券 パスポート "
        "在留カード カルテ番号 診察券 口座番号 カード番号 車両番号 車台番号 社員番号 職員番号 学籍番号 "
        "会員番号 患者番号 顧客番号 契約番号 基礎年金番号 受験番号 "
        "",
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
        "note, notes, comment, remark, memo, free text, description, narrative, instructions, summary, "
        "feedback, message, transcript, verbatim, details, explanation, specify, biko",
        "備考 メモ コメント 自由記述 自由記載 自由回答 所見 特記事項 診療録 看護記録 相談記録 支援記録 "
        "カルテ 日誌 経過記録 摘要 感想",
    ),
    Topic(
        "birth",
        "quasi",
        "birth, birth date, birth year, birthday, dob, date of birth, year of birth, yob, born, "
        "seinengappi, seinen gappi, tanjobi, umare",
        "生年月日 生年月 生年 生まれ 誕生日 誕生月 誕生年 出生年 出生日 出生月",
    ),
    Topic(
        "age",
        "quasi",
        "age, age group, age at admission, nenrei, nendai",
        "年齢 年令 満年齢 年代 歳 月齢",
    ),
    Topic(
        "sex",
        "quasi",
        "sex, gender, seibetsu, seibetu",
        "性別 男女",
    ),
    Topic(
        "postal code",
        "quasi",
        "zip, zip code, postcode, post code, postal, postal code, plz, yubin, yuubin, yubin bango",
        "郵便番号 郵便 〒",
    ),
    Topic(
        "place",
        "quasi",
        "city, town, village, county, state, province, prefecture, region, district, municipality, place, "
        "location, area, residence, home, latitude, longitude, lat, latd, lon, lng, gps, ward, hospital, "
        "facility, neighborhood, neighbourhood, suburb, borough, parish, precinct, tract, fips, geoid, puma, msa, "
        "lsoa, msoa, rural, urban, branch, store, shop, station, todofuken, shikuchoson, ken, "
        "chiiki",
        "都道府県 県 市区町村 市町村 地域 居住 出身地 地区 現住地 勤務地 緯度 経度 病院 病棟 施設 "
        "医療機関 診療所 出生地 丁目 町名 大字 町丁目 校区 学区 店舗 支店 支社 営業所 最寄 転入 転出 転居",
    ),
    Topic(
        "nationality",
        "quasi",
        "nationality, country, native country, citizenship, citizen, birthplace, birth place, place of "
        "birth, mother tongue, language, race, ethnicity, ethnic, ethnic group, "
        "immigrant, immigrated, immigration, migrant, foreign, foreign born, hispanic, hisp, ancestry, "
        "nativity, latino, "
        "indigenous, visa, kokuseki",
        "国籍 出身国 国名 母語 言語 人種 民族 外国人 在留資格 在留 来日 帰化",
    ),
    Topic(
        "occupation",
        "quasi",
        "occupation, job, job title, profession, workclass, work class, work, employment, employed, "
        "employer, company, industry, sector, department, position, contract type, full time, part time, fte, "
        "seniority, years of service, naics, isco, nace, hours per week, working hours, shokugyo, "
        "shokushu, kinmusaki, shozoku, yakushoku",
        "職業 職種 職歴 職位 等級 勤務先 勤務 勤続 会社 企業 事業所 雇用 業種 産業 役職 所属 部署 配属 就業 "
        "就労 労働時間 ",
    ),
    Topic(
        "education",
        "quasi",
        "education, education num, degree, school, university, college, schooling, grade level, school "
        "grade, school year, year group, gakureki, gakunen",
        "学歴 学校 大学 教育 学年 学級 学科 部活 学部 専攻 クラス 卒業 在学",
    ),
    Topic(
        "family",
        "quasi",
        "marital, marital status, married, marriage, relationship, spouse, family, household, children, "
        "kids, dependents, dependants, sibling, divorced, cohabiting, zokugara, setai, kazoku",
        "婚姻 配偶 結婚 離婚 既婚 未婚 続柄 世帯 家族 扶養 子ども 子供 兄弟 同居 単身 ひとり親",
    ),
    Topic(
        "housing",
        "quasi",
        "housing, tenure, dwelling, house type, homeowner, home ownership, rooms, bedrooms, floor area, "
        "building, vehicle, car, cars, owns home, own home, home owner",
        "住居 住宅 住まい 間取り 持ち家 持家 床面積 車種",
    ),
    Topic(
        "event",
        "quasi",
        "admission, admission date, admitted, discharge, discharge date, visit, visit date, length of "
        "stay, los, stay, arrival, departure, enrollment, enrolment, hire date, nyuin, nyuinbi, taiin, "
        "taiinbi",
        "入院日 退院日 受診日 来院日 初診日 入院日数 在院日数 入院期間 入院 退院 入社日 入学 資格取得 資格喪失 加入",
    ),
    Topic(
        "body",
        "quasi",
        "height, body weight, body wt, weight kg, weight lb, eye color, hair color, skin color, blood "
        "type, blood group, shincho, taiju, ketsuekigata",
        "身長 体重 血液型",
    ),
    Topic(
        "health",
        "sensitive",
        "disease, diagnosis, diagnoses, diag, illness, condition, disorder, symptom, icd, icd9, icd10, "
        "comorbidity, hiv, cancer, tumor, tumour, drug, medication, medicine, prescription, treatment, "
        "therapy, procedure, surgery, operation, allergy, disability, disabled, impairment, mental, "
        "health, smoking, smoker, tobacco, cigarette, alcohol, drinking, substance, addiction, pregnancy, "
        "pregnant, genotype, gene, mutation, blood pressure, systolic, diastolic, bp, sbp, dbp, pulse, "
        "heart rate, spo2, cholesterol, hdl, ldl, triglyceride, creatinine, egfr, drg, icu, triage, waist, "
        "hemoglobin, gave birth, given birth, childbirth, "
        "haemoglobin, glucose, bmi, hba1c, birth weight, birth wt, birth wgt, death, died, "
        "deceased, mortality, cause of death, vaccine, vaccination, lab, dose, dosage, cpt, snomed, "
        "loinc, atc, ndc, inpatient, outpatient, readmitted, readmission, hospitalization, serum, plasma, "
        "pain, suicide, self harm, test result, medical, dx, rx, hx, sick, "
        "sickness, injury, handicap, special needs, special education, sen, autism, adhd, asthma, "
        "diabetes, diabetic, hypertension, stroke, covid, obesity, nursing, care level, depression, "
        "anxiety, stress, abortion, contraception, dementia, infection, wellbeing, byomei, shobyo, "
        "shindan, kioreki, shujutsu, chiryo",
        "病名 病 症 疾患 疾病 診断 傷病 症状 主訴 病歴 既往 家族歴 薬 処方 投薬 投与 治療 処置 手術 術式 "
        "検査 血 血圧 血糖 尿 体温 脈拍 心拍 脂質 腹囲 告知 併存 コレステロール アレルギー 障害 障がい 療育 喫煙 "
        "飲酒 生活習慣 睡眠 妊娠 出産 分娩 遺伝 転帰 予後 死因 死亡 感染 健康 病気 接種 ワクチン 透析 "
        "副作用 合併 重症 救急 疼痛 痛み 通院 受診 診療 療養 介護 介助 支援区分 健診 検診 認知 "
        "精神 ストレス うつ がん 癌 腫瘍 休職 自殺 自傷 虐待 依存",
    ),
    Topic(
        "result",
        "sensitive",
        "result, score, grade, gpa, mark, rating, performance, evaluation, appraisal, assessment, rank, "
        "percentile, iq, exam, test, math, maths, mathematics, seiseki, tensu",
        "結果 成績 点数 得点 評点 偏差値 評価 評定 査定 考課 内申 順位 合否 試験 テスト スコア 判定",
    ),
    Topic(
        "money",
        "sensitive",
        "salary, salary class, fico, net worth, sum insured, deductible, income, wage, pay, earnings, "
        "cost, charge, price, amount, payment, "
        "expense, bill, invoice, fee, premium, copay, debt, loan, mortgage, credit, credit "
        "limit, balance, overdraft, deposit, withdrawal, asset, wealth, capital gain, capital "
        "loss, tax, revenue, pension, rent, insurance, insured, spend, spent, spending, "
        "purchase, sales, profit, capital, fund, saving, investment, welfare, benefit, allowance, "
        "subsidy, medicaid, medicare, contribution, scholarship, stipend, bonus, compensation, arrears, overdue, default, delinquent, "
        "delinquency, bankruptcy, poverty, free lunch, food stamps, usd, eur, gbp, jpy, "
        "yen, nenshu, shotoku, kyuyo, kingaku, zandaka",
        "給与 給料 基本給 賞与 ボーナス 年収 月収 所得 収入 賃金 月給 時給 費用 医療費 金額 額 円 料金 "
        "保険料 代金 単価 請求 借入 融資 ローン 負債 返済 残高 預金 貯金 貯蓄 資産 財産 納税 課税 延滞 援助 税額 "
        "年金 報酬 購入 支出 家賃 売上 生活保護 受給 手当 給付 扶助 奨学金 滞納 未納 与信 破産",
    ),
    Topic(
        "consumption",
        "sensitive",
        "consumption, usage, kwh, electricity, gas usage, water usage, peak demand",
        "使用量 消費量 電力量 使用電力 利用量",
    ),
    Topic(
        "crime",
        "sensitive",
        "crime, criminal, conviction, convicted, offense, offence, offender, arrest, sentence, prison, "
        "jail, probation, parole, felony, violation, recidivism, victim, fraud",
        "犯罪 犯 前科 逮捕 検挙 有罪 刑罰 刑期 被害 加害 違反 補導",
    ),
    Topic(
        "belief",
        "sensitive",
        "religion, religious, faith, belief, political, politics, party, vote, union, opinion, attitude, "
        "satisfaction, happiness, trust, preference, sexual orientation, sexuality, sexual, gender "
        "identity, ideology, shukyo",
        "宗教 信仰 信条 政党 支持 投票 政治 思想 意見 意識 満足 幸福 信頼 賛否 性的指向 性自認 労働組合",
    ),
    Topic(
        "conduct",
        "sensitive",
        "absence, absent, attendance, tardiness, truancy, overtime, discipline, disciplinary, suspension, "
        "suspended, exclusion, excluded, expulsion, expelled, detention, dismissal, termination, "
        "complaint, grievance, warning, bullying, behavior, behaviour, misconduct, reason, motive",
        "欠席 欠勤 不登校 出席 遅刻 残業 懲戒 処分 解雇 離職 停学 退学 いじめ 苦情 勤怠 理由 動機",
    ),
    Topic(
        "weight",
        "weight",
        "weight, sample weight, household weight, person weight, family weight, sampling weight, survey weight, final weight, fnlwgt, afnlwgt, wgt, wt, "
        "pweight, sampling, expansion factor",
        "重み 標本ウェイト ウェイト ウエイト ウェート ウエート 抽出率 集計乗率 乗数 乗率 拡大係数",
    ),
    Topic(
        "name",
        "identifier",
        "name",
        "氏 姓",
        weak=True,
    ),
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


def topic_of(name: str, *, texts: bool = True) -> Topic | None:
    """The topic that a name indicates most clearly; weak terms count only if there are no others.

    In both languages the last word says what the values are: a sensitive one decides (`household_income`), unless it follows a
    preposition (`age_at_diagnosis`). Otherwise the longest term does. Without `texts`, a term of free text says nothing.

    >>> [topic_of(name).key for name in ("dateOfBirth", "disease_name", "患者ID", "native-country")]
    ['birth', 'health', 'key', 'nationality']
    >>> [topic_of(name).key for name in ("household_income", "age_at_diagnosis", "世帯収入", "CUST_ADDR")]
    ['money', 'age', 'money', 'address']
    >>> topic_of("stage") is None
    True
    """
    if unicodedata.normalize("NFKC", name).strip() in _WHOLE_NAMES:
        return TOPICS[0]
    found = [*_english_matches(words(name)), *_japanese_matches(_japanese_part(name))]
    if not texts:
        found = [match for match in found if match.topic.key != "free text"]
    elif any(match.topic.key == "free text" and match.is_last for match in found if not match.is_japanese):
        return next(match.topic for match in found if match.topic.key == "free text" and match.is_last)
    return max(found, key=_clarity).topic if found else None


@dataclass(frozen=True)
class _Match:
    """A term found in a name."""

    topic: Topic
    length: int
    is_last: bool
    is_subordinate: bool = False
    """Whether it follows a preposition."""
    is_japanese: bool = False


def _clarity(match: _Match) -> tuple[bool, bool, bool, int, bool]:
    is_sensitive = match.topic.role == "sensitive"
    return (
        not match.topic.weak,
        not match.is_subordinate,
        is_sensitive and match.is_last,
        match.length,
        is_sensitive,
    )


def words(name: str) -> list[str]:
    """The Latin words and numbers of a name, in lower case.

    Names in capitals run together: an ending that says what the values are is a word of its own.

    >>> words("PatientID"), words("date-of_birth"), words("ＺＩＰ code 2"), words("患者ID")
    (['patient', 'id'], ['date', 'of', 'birth'], ['zip', 'code', '2'], ['id'])
    >>> words("CUSTOMERNAME"), words("UTILITYID"), words("PAID"), words("surname")
    (['customer', 'name'], ['utility', 'id'], ['paid'], ['surname'])
    """
    found = [word.lower() for word in _LATIN.findall(unicodedata.normalize("NFKC", name))]
    return [_ABBREVIATIONS.get(part, part) for word in found for part in _parts_of(word)]


def _parts_of(word: str) -> list[str]:
    """A word that is two known ones, or ends in what its values are (a name, a date, an id), as two words; others as they are."""
    if word in _english_terms() or word in _known_words() or word in _NOT_COMPOUND:
        return [word]
    for cut in range(2, len(word) - 1):  # the shortest beginning, and so the longest ending
        if word[:cut] in _known_words() and word[cut:] in _known_words():
            return [word[:cut], word[cut:]]
    for ending in _ENDINGS:
        begin = word.removesuffix(ending)
        if begin != word and len(begin) >= _SHORTEST_BEGINNING:
            return [begin, ending]
    return [word]


def is_key(name: str) -> bool:
    """Whether a name ends like the name of a key: `…_id`, `…No`, `…番号`, or the code of a person: `…者コード`."""
    found = _without_numerals(words(name))
    japanese = _japanese_part(name)
    if found and (
        found[-1] in _KEY_WORDS or (found[-1] == "code" and not _PERSON_WORDS.isdisjoint(found[-2:-1]))
    ):
        return True
    if japanese.endswith("コード"):
        return _NUMBER_OF_PERSON.search(japanese) is not None
    return japanese.endswith("番号") and not japanese.endswith("郵便番号")


def is_code(name: str) -> bool:
    """Whether a name says that its numbers are codes, between which there is no distance: `sex_cd`, `source_id`, 県コード."""
    return words(name)[-1:] in (["code"], ["id"]) or _japanese_part(name).endswith(("コード", "区分"))


def names_a_person(name: str) -> bool:
    """Whether the last word of a name is somebody's part in the matter: `line_manager`, `beneficiary_1`, 受取人, 契約者."""
    found = _without_numerals(words(name))
    japanese = _japanese_part(name)
    return (
        bool(found) and (found[-1] in _PARTS_OF_PEOPLE or found[-1] in _PERSON_WORDS)
    ) or japanese.endswith(_PERSON_ENDINGS)


def is_about_person(name: str) -> bool:
    """Whether a name mentions the kind of person a record is about, such as patient or 患者."""
    japanese = _japanese_part(name)
    return (
        not _PERSON_WORDS.isdisjoint(words(name))
        or any(term in japanese for term in _PERSON_TERMS)
        or _NUMBER_OF_PERSON.search(japanese) is not None
    )


def _english_matches(found: list[str]) -> list[_Match]:
    terms = _english_terms()
    preposition = next(
        (place for place, word in enumerate(found) if place and word in _PREPOSITIONS), len(found)
    )
    last = len(_without_numerals(found[:preposition]))
    matches = []
    for start in range(len(found)):
        for end in range(start + 1, min(start + _LONGEST_TERM, len(found)) + 1):
            joined = "".join(found[start:end])
            topic = next((terms[form] for form in _singular(joined) if form in terms), None)
            if (
                topic is not None
                and topic.key == "key"
                and start == 0
                and len(found) > end
                and joined in _COUNTED
            ):
                continue  # `number_inpatient` counts, `room_number` is a number
            if topic is None and end == start + 1 and _DRUG.fullmatch(joined):
                topic = terms["drug"]
            if topic is None and end == start + 1 and _ABBREVIATED_WEIGHT.fullmatch(joined):
                topic = terms["weight"]
            if topic is not None:
                matches.append(_Match(topic, len(joined), end == last, is_subordinate=start > preposition))
    return matches


def _japanese_matches(text: str) -> list[_Match]:
    # A Japanese character conveys about as much as two letters; mixed names are rare enough for a rule of thumb.
    found = [
        _Match(topic, 2 * len(term), text.endswith(term), is_japanese=True)
        for term, topic in _japanese_terms()
        if term in text
    ]
    named = _NAME_OF_PERSON.search(text)
    return [_Match(TOPICS[0], 2 * len(named[0]), is_last=True, is_japanese=True), *found] if named else found


def _singular(word: str) -> tuple[str, ...]:
    """A word, and what it may be the plural of."""
    return (word, word.removesuffix("s"), word.removesuffix("ies") + "y" if word.endswith("ies") else word)


def _without_numerals(found: list[str]) -> list[str]:
    """Words without the numbers at their end: `phone_2` is a phone."""
    end = len(found)
    while end and found[end - 1].isdecimal():
        end -= 1
    return found[:end]


def _japanese_part(name: str) -> str:
    return "".join(_JAPANESE.findall(unicodedata.normalize("NFKC", name)))


@cache
def _english_terms() -> dict[str, Topic]:
    # Terms are compared without spaces, so that `zipcode`, `zip_code` and `ZipCode` are the same.
    return {term.replace(" ", "").strip(): topic for topic in TOPICS for term in topic.english.split(",")}


@cache
def _japanese_terms() -> list[tuple[str, Topic]]:
    return [(term, topic) for topic in TOPICS for term in topic.japanese.split()]


@cache
def _known_words() -> frozenset[str]:
    """Single words that a compound may be made of: those of the topics, of people and keys, and abbreviations."""
    terms = (term.strip() for topic in TOPICS for term in topic.english.split(","))
    whole = {term for term in terms if " " not in term and len(term) >= _SHORTEST_BEGINNING}
    return frozenset(
        whole.union(_PERSON_WORDS, _PARTS_OF_PEOPLE, _KEY_WORDS, _ABBREVIATIONS, _ABBREVIATIONS.values())
    )


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
        "pupil",
        "child",
        "claimant",
        "beneficiary",
        "cardholder",
        "policyholder",
        "tenant",
        "voter",
        "taxpayer",
        "candidate",
    ]
)
_PARTS_OF_PEOPLE = frozenset(
    [
        "agent", "adviser", "advisor", "attorney", "author", "borrower", "boss", "broker", "buyer", "caregiver", "carer",
        "caseworker", "clinician", "coach", "complainant", "consultant", "contact", "counselor", "counsellor", "defendant",
        "driver", "executor", "father", "guarantor", "guardian", "holder", "husband", "inspector", "instructor", "interviewer",
        "judge", "kin", "landlord", "lawyer", "manager", "mother", "nurse", "officer", "operator", "owner", "parent",
        "partner", "plaintiff", "player", "prescriber", "provider", "recipient", "referrer", "reporter", "reviewer", "sender",
        "seller", "signatory", "spouse", "supervisor", "surgeon", "teacher", "therapist", "trainer", "tutor", "wife", "witness",
    ]
)  # fmt: skip
"""Words for somebody's part in the matter: a column called so contains names, or says whether there is such a person."""
_ABBREVIATIONS = {
    "acct": "account", "adm": "admission", "admit": "admission", "amt": "amount", "bal": "balance", "cd": "code",
    "cde": "code", "clm": "claim", "cntry": "country", "cnty": "county", "ctry": "country", "cust": "customer",
    "delinq": "delinquent", "dept": "department", "desc": "description", "diagn": "diagnosis", "disch": "discharge",
    "dt": "date", "dte": "date",
    "edu": "education", "educ": "education", "emp": "employee", "empl": "employee", "ethn": "ethnicity", "grp": "group",
    "hh": "household", "hhld": "household", "hosp": "hospital", "inc": "income", "ins": "insurance", "lang": "language",
    "lic": "licence", "lvl": "level", "mar": "marital", "marit": "marital", "mbr": "member", "med": "medication",
    "meds": "medication", "mgr": "manager", "mob": "mobile", "mth": "month", "muni": "municipality", "nat": "nationality",
    "nm": "name", "nme": "name", "occ": "occupation", "occup": "occupation", "pat": "patient", "phys": "physician",
    "plcy": "policy", "pmt": "payment", "pol": "policy", "prem": "premium", "proc": "procedure", "pt": "patient",
    "resp": "respondent", "sal": "salary", "stu": "student", "stud": "student", "supv": "supervisor", "surg": "surgery",
    "txn": "transaction", "veh": "vehicle", "yr": "year", "yrs": "years",
}  # fmt: skip
"""How names of columns shorten words."""
_PREPOSITIONS = frozenset(
    {"at", "of", "in", "by", "for", "on", "since", "from", "per", "before", "after", "with"}
)
_COUNTED = frozenset({"number", "num", "no"})
_DRUG = re.compile(
    r"[a-z]{3,}(formin|glinide|gliptin|glipton|glitazone|gliflozin|glutide|statin|pril|sartan|olol|dipine|thiazide|prazole|conazole"
    r"|mycin|cillin|floxacin|ciclovir|azepam|azolam|oxetine|triptyline|setron|tidine|parin|tinib|umab|imab)|gl[iy][a-z]+ide|insulin"
)
"""Stems by which the World Health Organization names drugs of a group (the INN stem book)."""
_ABBREVIATED_WEIGHT = re.compile(r"[a-z]{0,5}wgt[a-z]{0,4}|wt[a-z]{2,5}|[a-z]{2,5}wt")
"""Weights of surveys, as statistics offices shorten them; no other words are spelled so, except the weight of a body."""
_PERSON_TERMS = (
    "患者", "個人", "会員", "顧客", "社員", "職員", "学生", "生徒", "本人", "利用者", "受診者", "被験者", "住民", "従業員",
)  # fmt: skip
_NUMBER_OF_PERSON = re.compile(
    r"(被保険者|(?<!保険)(?<!業)者|員|生|児|民|客|客様|(?<!法)人|世帯)(番号|コード)$"
)
"""The number or code of somebody or of a household; those of an insurer, a business or a corporation are not a person's."""
_NAME_OF_PERSON = re.compile(
    r"((?<!保険)(?<!業)者|被保険者|(?<!法)人|員|医|師|主|親|父|母|司)(氏|の)?(名|氏名|名前|カナ)$"
)
"""The name of somebody in a part that Japanese says with an ending: 契約者名, 上司名, 世帯主氏名."""
_PERSON_ENDINGS = ("者", "人", "医", "師", "主", "員", "親", "父", "母", "上司", "担当")
_KEY_WORDS = frozenset(
    {"id", "ids", "uuid", "guid", "key", "no", "nr", "nbr", "number", "num", "serial", "ref", "reference"}
)
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
