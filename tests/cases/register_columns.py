"""Columns of registers and surveys as they are named in practice, each with typical values and the role a custodian gives it.

Written from knowledge of such files, before the rules that guess were looked at: a fair examination of them. A column whose
role reasonable custodians disagree about lists both roles. Every value is made up.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Any

import polars as pl

ROWS = 240

Maker = Callable[[random.Random], list[Any]]


@dataclass(frozen=True)
class Named:
    """A column of a register: its name, the roles that are right for it, and its values."""

    name: str
    roles: tuple[str, ...]
    values: Maker


def one_of(*values: Any) -> Maker:
    """Values of a short list, the first ones more often."""
    weights = [1 / (place + 1) for place in range(len(values))]
    return lambda source: source.choices(values, weights, k=ROWS)


def whole(low: int, high: int) -> Maker:
    """Whole numbers of a range."""
    return lambda source: [source.randint(low, high) for _ in range(ROWS)]


def measured(mean: float, spread: float, digits: int = 1) -> Maker:
    """Measurements with decimals."""
    return lambda source: [round(source.gauss(mean, spread), digits) for _ in range(ROWS)]


def amounts(mean: int) -> Maker:
    """Amounts of money, mostly different."""
    return lambda source: [int(source.expovariate(1 / mean)) for _ in range(ROWS)]


def serial(form: str, first: int = 1000) -> Maker:
    """Different numbers in one form, such as P-001234."""
    return lambda source: [form.format(one) for one in source.sample(range(first, first + 50 * ROWS), ROWS)]


def numbers(first: int) -> Maker:
    """Different whole numbers: keys."""
    return lambda source: source.sample(range(first, first + 50 * ROWS), ROWS)


def shared(form: str, count: int) -> Maker:
    """Codes that some rows share, such as those of households or clinics."""
    return lambda source: [form.format(source.randrange(count)) for _ in range(ROWS)]


def days(first: int, last: int, form: str = "%Y-%m-%d") -> Maker:
    """Days between two years, as texts."""
    start, length = date(first, 1, 1), 365 * (last - first + 1)
    return lambda source: [(start + timedelta(source.randrange(length))).strftime(form) for _ in range(ROWS)]


def joined(*parts: Maker, between: str = " ") -> Maker:
    """Texts of several parts."""

    def made(source: random.Random) -> list[str]:
        return [between.join(map(str, row)) for row in zip(*(part(source) for part in parts), strict=True)]

    return made


def notes(*sentences: str) -> Maker:
    """Free text: two of the sentences and a number."""
    return lambda source: [
        f"{source.choice(sentences)} {source.choice(sentences)} ({source.randrange(10**6)})"
        for _ in range(ROWS)
    ]


GIVEN = one_of(
    "James", "Mary", "Robert", "Patricia", "John", "Jennifer", "Michael", "Linda", "David", "Elizabeth",
    "William", "Barbara", "Richard", "Susan", "Joseph", "Jessica", "Thomas", "Sarah", "Aisha", "Wei",
)  # fmt: skip
FAMILY = one_of(
    "Smith", "Johnson", "Williams", "Brown", "Jones", "Garcia", "Miller", "Davis", "Rodriguez", "Martinez",
    "Hernandez", "Lopez", "Gonzalez", "Wilson", "Anderson", "Thomas", "Taylor", "Moore", "Nguyen", "Khan",
)  # fmt: skip
FAMILY_JA = one_of(
    "佐藤", "鈴木", "高橋", "田中", "伊藤", "渡辺", "山本", "中村", "小林", "加藤", "吉田", "山田"
)
GIVEN_JA = one_of("太郎", "花子", "一郎", "美咲", "健太", "陽子", "翔", "葵", "誠", "結衣", "大輔", "直美")
FAMILY_KANA = one_of("サトウ", "スズキ", "タカハシ", "タナカ", "イトウ", "ワタナベ", "ヤマモト", "ナカムラ")
GIVEN_KANA = one_of("タロウ", "ハナコ", "イチロウ", "ミサキ", "ケンタ", "ヨウコ", "ショウ", "アオイ")
STREET = joined(whole(1, 999), one_of("Main St", "Oak Ave", "Maple Dr", "2nd St", "Park Rd", "Elm St"))
CITY = one_of("Boston", "Cambridge", "Quincy", "Newton", "Salem", "Lowell", "Lynn", "Worcester")
PREFECTURE = one_of("東京都", "大阪府", "神奈川県", "愛知県", "北海道", "福岡県", "兵庫県", "京都府")
ADDRESS_JA = joined(
    PREFECTURE, one_of("中央区", "北区", "西区", "港区"), one_of("本町", "栄町", "緑町"),
    whole(1, 30), one_of("-"), whole(1, 20), between="",
)  # fmt: skip
YES_NO = one_of("No", "Yes")
FLAG = one_of(0, 1)
LIKERT = whole(1, 5)

I, Q, S, N, W = ("identifier",), ("quasi",), ("sensitive",), ("insensitive",), ("weight",)  # noqa: E741
QS = ("quasi", "sensitive")
QN = ("quasi", "insensitive")
SN = ("sensitive", "insensitive")

REGISTERS: dict[str, Sequence[Named]] = {
    "hospital discharges": [
        Named("MRN", I, serial("{:08d}")),
        Named("PatientName", I, joined(FAMILY, GIVEN, between=", ")),
        Named("DOB", Q, days(1930, 2015)),
        Named("Gender", Q, one_of("F", "M")),
        Named("Race", Q, one_of("White", "Black", "Asian", "Other")),
        Named("Ethnicity", Q, one_of("Not Hispanic", "Hispanic", "Unknown")),
        Named("ZIP5", Q, shared("021{:02d}", 60)),
        Named("admit_date", Q, days(2019, 2022)),
        Named("discharge_dt", Q, days(2019, 2022)),
        Named("los_days", QS, whole(0, 40)),
        Named("DRG", S, whole(1, 300)),
        Named("primary_icd10", S, one_of("I10", "E11.9", "J18.9", "N39.0", "K35.80", "F32.9", "C50.911")),
        Named("secondary_dx", S, one_of("I10", "E78.5", "Z79.4", "F17.210", "J44.9")),
        Named("attending_npi", I, serial("1{:09d}", 100000)),
        Named("insurance_member_no", I, serial("XYZ{:09d}")),
        Named("payer", QS, one_of("Medicare", "Medicaid", "Private", "Self-pay")),
        Named("total_charges", S, amounts(30000)),
        Named("hiv_status", S, one_of("negative", "positive", "not tested")),
        Named("bmi", QS, measured(27, 5)),
        Named("systolic_bp", S, whole(90, 190)),
        Named("hba1c", S, measured(6.2, 1.1)),
        Named(
            "clinical_notes", I, notes("Seen with wife.", "Works at the mill.", "Denies pain.", "Follow up.")
        ),
        Named("death_date", Q, days(2020, 2023)),
        Named("emergency_contact_phone", I, serial("617-555-{:04d}", 1)),
    ],
    "household survey": [
        Named("HHID", I, numbers(100000)),
        Named("person_number", I, serial("{:09d}")),
        Named("SERIALNO", I, serial("2019HU{:07d}")),
        Named("AGEP", Q, whole(0, 95)),
        Named("sex", Q, one_of("female", "male")),
        Named("marital_status", Q, one_of("married", "never married", "divorced", "widowed", "separated")),
        Named("educ_attainment", Q, one_of("high school", "bachelor", "some college", "master", "doctorate")),
        Named("place_of_birth", Q, one_of("Massachusetts", "New York", "Puerto Rico", "China", "Brazil")),
        Named("citizenship", Q, one_of("US citizen by birth", "naturalized", "not a citizen")),
        Named("language_spoken_at_home", Q, one_of("English", "Spanish", "Chinese", "Portuguese")),
        Named("religion", S, one_of("Catholic", "none", "Protestant", "Jewish", "Muslim")),
        Named("party_voted_for", S, one_of("Democrat", "Republican", "Independent", "did not vote")),
        Named("hh_income", S, amounts(70000)),
        Named("hours_per_week", QS, whole(0, 70)),
        Named("occupation", Q, one_of("nurse", "teacher", "driver", "clerk", "engineer", "cook", "farmer")),
        Named("industry_code", Q, whole(100, 140)),
        Named("employment_status", Q, one_of("employed", "unemployed", "retired", "student")),
        Named("n_children", Q, whole(0, 5)),
        Named("household_size", Q, whole(1, 7)),
        Named("county", Q, one_of("Suffolk", "Middlesex", "Norfolk", "Essex", "Plymouth")),
        Named("census_tract", Q, shared("25025{:06d}", 40)),
        Named("veteran", Q, YES_NO),
        Named("person_weight", W, measured(120, 25, 2)),
        Named("life_satisfaction", S, LIKERT),
    ],
    "company staff": [
        Named("EMPLOYEE_ID", I, serial("E{:06d}")),
        Named("FIRSTNAME", I, GIVEN),
        Named("LASTNAME", I, FAMILY),
        Named("work_email", I, joined(serial("user{:05d}"), one_of("@example.com"), between="")),
        Named("SSN", I, serial("123-45-{:04d}", 1)),
        Named("hire_date", Q, days(1995, 2023)),
        Named("job_title", Q, one_of("Analyst", "Manager", "Engineer", "Director", "Assistant")),
        Named("department", Q, one_of("Sales", "IT", "HR", "Finance", "Legal")),
        Named("AnnualSalary", S, amounts(65000)),
        Named("bonus_usd", S, amounts(5000)),
        Named("performance_rating", S, LIKERT),
        Named("sick_days", S, whole(0, 30)),
        Named("disability", S, one_of("none", "physical", "mental")),
        Named("union_member", S, YES_NO),
        Named("iban", I, serial("DE89370400440532{:06d}")),
        Named("home_address", I, STREET),
        Named("termination_reason", S, one_of("resigned", "dismissed", "retired")),
        Named("company_name", QN, one_of("Acme Corp")),
    ],
    "power utilities and customers": [
        Named("UTILITYID", I, numbers(500)),
        Named(
            "UTILNAME",
            I,
            joined(FAMILY, one_of("Electric Coop", "Power & Light", "Utilities Inc"), serial("{:d}", 1)),
        ),
        Named("CUSTOMERNAME", I, joined(GIVEN, FAMILY)),
        Named("account_no", I, serial("{:010d}")),
        Named("meter_serial_number", I, serial("M{:08d}")),
        Named("STATE", Q, one_of("MA", "NY", "CT", "NH", "RI", "VT")),
        Named("city", Q, CITY),
        Named("latitude", QS + I, measured(42.3, 0.2, 6)),
        Named("service_start_year", Q, whole(1990, 2023)),
        Named("monthly_kwh", S, amounts(700)),
        Named("overdue_balance", S, amounts(120)),
        Named("credit_score", S, whole(480, 830)),
        Named("license_plate", I, serial("7ABC{:04d}", 1)),
        Named(
            "ip_address", I, joined(one_of("192.0.2", "198.51.100", "203.0.113"), whole(1, 254), between=".")
        ),
        Named("device_id", I, serial("a1b2c3{:010x}", 10**6)),
        Named("username", I, serial("sunny_{:05d}")),
        Named("passport_number", I, serial("C{:08d}")),
        Named("driver_licence_no", I, serial("S{:08d}")),
    ],
    "pupils": [
        Named("student_no", I, serial("{:07d}")),
        Named("surname", I, FAMILY),
        Named("given_names", I, GIVEN),
        Named("guardian_name", I, joined(GIVEN, FAMILY)),
        Named("date_of_birth", Q, days(2005, 2012, "%d/%m/%Y")),
        Named("school_district", Q, one_of("North", "South", "East", "West")),
        Named("grade_level", Q, whole(1, 12)),
        Named("free_lunch", QS, YES_NO),
        Named("gpa", S, measured(3.1, 0.5, 2)),
        Named("math_score", S, whole(20, 100)),
        Named("special_needs", S, one_of("none", "dyslexia", "ADHD", "autism")),
        Named("absences", S, whole(0, 40)),
        Named("home_language", Q, one_of("English", "Spanish", "Arabic", "Polish")),
        Named("postcode", Q, joined(one_of("SW1A", "N1", "E2", "SE5"), one_of("1AA", "2BB", "3CC"))),
        Named(
            "teacher_comments", I, notes("Works hard.", "Talks about his father.", "Often late.", "Polite.")
        ),
    ],
    "患者台帳": [
        Named("患者番号", I, serial("{:08d}")),
        Named("氏名", I, joined(FAMILY_JA, GIVEN_JA)),
        Named("氏名カナ", I, joined(FAMILY_KANA, GIVEN_KANA)),
        Named("生年月日", Q, days(1930, 2010, "%Y年%m月%d日")),
        Named("性別", Q, one_of("男", "女")),
        Named("年齢", Q, whole(0, 98)),
        Named("郵便番号", Q, joined(whole(100, 160), whole(1000, 1020), between="-")),
        Named("住所", I, ADDRESS_JA),
        Named("電話番号", I, joined(one_of("03", "06"), whole(1000, 9999), whole(1000, 9999), between="-")),
        Named("被保険者番号", I, serial("{:08d}")),
        Named("保険者番号", Q, shared("0613{:04d}", 12)),
        Named("傷病名", S, one_of("高血圧症", "2型糖尿病", "うつ病", "肺炎", "胃癌", "骨折")),
        Named("入院日", Q, days(2019, 2022, "%Y/%m/%d")),
        Named("退院日", Q, days(2019, 2022, "%Y/%m/%d")),
        Named("在院日数", QS, whole(1, 60)),
        Named("診療科", QS, one_of("内科", "外科", "整形外科", "精神科", "小児科")),
        Named("通院状況", S, one_of("通院中", "通院なし", "治療中断")),
        Named("要介護度", S, one_of("自立", "要支援1", "要支援2", "要介護1", "要介護2", "要介護3")),
        Named("血圧", S, whole(90, 190)),
        Named("血液型", QS, one_of("A", "O", "B", "AB")),
        Named("喫煙歴", S, one_of("なし", "あり", "過去にあり")),
        Named("既往歴", S, one_of("なし", "脳梗塞", "心筋梗塞", "喘息")),
        Named("身長", Q, measured(160, 9)),
        Named("体重", QS, measured(60, 11)),
        Named("担当医", I, joined(FAMILY_JA, GIVEN_JA)),
        Named("医療費", S, amounts(300000)),
        Named("診療録", I, notes("妻と来院。", "勤務先は市役所。", "痛みの訴えなし。", "経過観察とする。")),
    ],
    "世帯調査": [
        Named("世帯番号", I, numbers(100000)),
        Named("個人番号", I, serial("{:012d}")),
        Named("続柄", Q, one_of("世帯主", "配偶者", "子", "親", "その他")),
        Named("都道府県", Q, PREFECTURE),
        Named("市区町村コード", Q, shared("131{:02d}", 23)),
        Named("国籍", Q, one_of("日本", "中国", "韓国", "ベトナム", "ブラジル")),
        Named("婚姻状況", Q, one_of("未婚", "既婚", "離別", "死別")),
        Named("最終学歴", Q, one_of("高校", "大学", "短大", "大学院", "中学")),
        Named("職業", Q, one_of("事務職", "技術職", "販売職", "農業", "無職")),
        Named(
            "勤務先",
            QS + I,
            joined(one_of("東洋", "日東", "光", "大和"), one_of("商事", "工業", "銀行"), between=""),
        ),
        Named("年収", S, amounts(4500000)),
        Named("世帯人員", Q, whole(1, 7)),
        Named("子どもの数", Q, whole(0, 4)),
        Named("支持政党", S, one_of("A党", "B党", "なし", "C党")),
        Named("宗教", S, one_of("仏教", "なし", "神道", "キリスト教")),
        Named("住居の種類", Q, one_of("持ち家", "民営借家", "公営住宅", "社宅")),
        Named("集計用乗率", W, measured(1200, 250, 2)),
        Named("調査年月", QN, one_of("2021-06", "2021-07", "2021-08")),
        Named("自由記述", I, notes("夫の介護が大変です。", "町内会長をしています。", "特にありません。")),
        Named("メールアドレス", I, joined(serial("hanako{:05d}"), one_of("@example.jp"), between="")),
        Named("健康状態", S, one_of("よい", "まあよい", "普通", "よくない")),
        Named("障害の有無", S, one_of("なし", "あり")),
    ],
    "社員名簿": [
        Named("社員番号", I, serial("S{:05d}")),
        Named("姓", I, FAMILY_JA),
        Named("名", I, GIVEN_JA),
        Named(
            "ふりがな",
            I,
            one_of("さとう たろう", "すずき はなこ", "たかはし いちろう", "たなか みさき", "いとう けんた"),
        ),
        Named("所属部署", Q, one_of("営業部", "総務部", "開発部", "人事部")),
        Named("役職", Q, one_of("一般", "主任", "課長", "部長")),
        Named("入社年", Q, whole(1985, 2023)),
        Named("給与", S, amounts(350000)),
        Named("人事評価", S, one_of("A", "B", "C", "S")),
        Named("口座番号", I, serial("{:07d}")),
        Named("マイナンバー", I, serial("{:012d}")),
        Named(
            "携帯電話",
            I,
            joined(one_of("090", "080", "070"), whole(1000, 9999), whole(1000, 9999), between="-"),
        ),
        Named(
            "緊急連絡先", I, joined(one_of("090", "080"), whole(1000, 9999), whole(1000, 9999), between="-")
        ),
        Named("休職理由", S, one_of("なし", "育児", "メンタル不調", "介護")),
        Named("最寄駅", Q, one_of("新宿", "渋谷", "梅田", "名古屋", "博多")),
        Named("残業時間", S, whole(0, 80)),
        Named("健診判定", S, one_of("異常なし", "要経過観察", "要精密検査")),
    ],
}
"""Registers by name, with their columns."""


def register(name: str, seed: int = 0) -> pl.DataFrame:
    """The made-up table of a register."""
    source = random.Random(f"{name} {seed}")
    return pl.DataFrame({column.name: column.values(source) for column in REGISTERS[name]})
