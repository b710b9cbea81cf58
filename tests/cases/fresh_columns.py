"""A second list of columns, written before the rules that guess roles were read, in two halves fixed by chance.

Names follow hospitals, insurers, banks, statistics offices, schools, shops, energy companies, staff offices and open data. The
rules may be improved with the mistakes of the half for tuning only; the other half is held out and measured afterwards. The half
depends on a hash of the name, so that a name added later moves no other. Every value is made up.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from hashlib import sha256

import polars as pl
from tests.cases.register_columns import (
    ADDRESS_JA, CITY, FAMILY, FAMILY_JA, FAMILY_KANA, FLAG, GIVEN, GIVEN_JA, GIVEN_KANA, LIKERT, PREFECTURE, QN, QS, SN, STREET,
    YES_NO, I, N, Named, Q, S, W, amounts, days, joined, measured, notes, numbers, one_of, serial, shared, whole,
)  # fmt: skip

IQ = I + Q
QSN = QS + N

PERSON = joined(GIVEN, FAMILY)
PERSON_JA = joined(FAMILY_JA, GIVEN_JA, between="\u3000")
PERSON_KANA = joined(FAMILY_KANA, GIVEN_KANA, between="\u3000")
ICD10 = one_of("I10", "E11.9", "J18.9", "N39.0", "F32.9", "C50.9", "K35.8", "M54.5")
TELEPHONE_JA = joined(one_of("03", "06", "052"), whole(1000, 9999), whole(1000, 9999), between="-")
IS_JA = one_of("無", "有")

FRESH: dict[str, Sequence[Named]] = {
    "hospital encounters": [
        Named("PAT_ENC_CSN_ID", I, numbers(300000)),
        Named("HSP_ACCT", I, serial("4{:07d}")),
        Named("next_of_kin", I, PERSON),
        Named("prescriber_nm", I, joined(FAMILY, one_of("MD", "DO"), between=", ")),
        Named("birth_yr", Q, whole(1928, 2012)),
        Named("GENDER_CD", Q, one_of(1, 2, 9)),
        Named("PostalCode", Q, shared("0{:04d}", 80)),
        Named("ADMIT_DT", Q, days(2018, 2023, "%m/%d/%Y")),
        Named("DISCH_DISP", QS, one_of("Home", "SNF", "Expired", "Rehab", "AMA")),
        Named("icd10_main", S, ICD10),
        Named("PROC_CODE", QS, one_of("99213", "70450", "93000", "45378", "27447")),
        Named("medicationName", S, one_of("metformin", "lisinopril", "sertraline", "warfarin", "insulin")),
        Named("Height (cm)", QS, measured(168, 9)),
        Named("Weight (kg)", QS, measured(76, 14)),
        Named("eGFR", S, measured(78, 20)),
        Named("smoker_flg", QS, one_of("N", "Y")),
        Named("allergy_desc", S, one_of("none", "penicillin", "latex", "peanut")),
        Named("triage_level", QS, whole(1, 5)),
        Named(
            "DischargeSummary",
            I,
            notes("Admitted from home.", "Lives with her sister.", "Stable.", "Son called."),
        ),
    ],
    "claims": [
        Named("PolicyNumber", I, serial("POL{:08d}")),
        Named("policyholder", I, PERSON),
        Named("beneficiary_1", I, PERSON),
        Named("claim_ref", I, serial("CL/{:07d}")),
        Named("vehicle_reg", I, serial("AB12 {:04d}", 1)),
        Named("CLAIM_AMT", S, amounts(4000)),
        Named("premium_gbp", QS, amounts(600)),
        Named("SumInsured", QS, one_of(50000, 100000, 200000, 250000, 500000)),
        Named("pre_existing_cond", S, one_of("none", "asthma", "diabetes", "hypertension")),
        Named("occ_class", Q, one_of("professional", "clerical", "manual", "hazardous")),
        Named("date_of_loss", QS, days(2020, 2023)),
        Named("payment_frequency", QN, one_of("monthly", "annual", "quarterly")),
        Named(
            "underwriter_remarks",
            I,
            notes("Father had a stroke.", "Declared late.", "No concerns.", "Rides a bike."),
        ),
    ],
    "bank customers": [
        Named("CUST_NO", I, serial("{:09d}")),
        Named("CardNumber", I, serial("4556 7375 8689 {:04d}", 1)),
        Named("MobileNo", I, joined(one_of("+44 7700", "+44 7911"), serial("{:06d}"))),
        Named("tax_id", I, serial("98-765{:04d}", 1)),
        Named("mothers_maiden_nm", I, FAMILY),
        Named("BRANCH_CD", QN, shared("{:03d}", 25)),
        Named("acct_open_dt", Q, days(1998, 2023, "%Y%m%d")),
        Named("dependents", Q, whole(0, 5)),
        Named("MARITAL_ST", Q, one_of("M", "S", "D", "W")),
        Named("employer", QS + I, one_of("Acme", "Globex", "Initech", "City Council", "self-employed")),
        Named("NetWorth", S, amounts(250000)),
        Named("FICO", S, whole(480, 840)),
        Named("credit_limit", S, one_of(500, 1000, 2500, 5000, 10000)),
        Named("default_flag", S, FLAG),
        Named("days_in_arrears", S, whole(0, 120)),
        Named("loan_purpose", QS, one_of("car", "debt consolidation", "home", "wedding", "medical")),
    ],
    "census and survey": [
        Named("resp_id", I, numbers(70000)),
        Named("PUMA", Q, shared("{:05d}", 30)),
        Named("MSA_code", Q, shared("{:05d}", 12)),
        Named("HISP", Q, one_of("no", "Mexican", "Puerto Rican", "Cuban")),
        Named("nativity", Q, one_of("native", "foreign born")),
        Named("yr_immigrated", Q, whole(1965, 2022)),
        Named("ind_naics", Q, one_of("23", "44", "52", "61", "62", "72")),
        Named("household_income", QS, amounts(65000)),
        Named("housing_tenure", Q, one_of("own", "rent", "rent free")),
        Named("commute_mins", QS, whole(0, 90)),
        Named("sexual_orientation", QS, one_of("straight", "gay", "bisexual", "prefer not to say")),
        Named("q12_drug_use", S, one_of("never", "past year", "past month")),
        Named("TrustInGovernment", S, LIKERT),
        Named("ancestry", Q, one_of("German", "Irish", "Italian", "Polish", "Chinese")),
        Named("PWGTP", W, whole(20, 300)),
        Named("final_wt", W, measured(850, 200, 3)),
        Named("mode_of_interview", QN, one_of("web", "phone", "in person")),
    ],
    "pupils of a district": [
        Named("UPN", I, serial("A80320{:06d}")),
        Named("pupil_forename", I, GIVEN),
        Named("parentEmail", I, joined(serial("family{:05d}"), one_of("@example.org"), between="")),
        Named("yr_group", Q, whole(7, 13)),
        Named("ethnic_grp", Q, one_of("WBRI", "APKN", "BCRB", "CHNE")),
        Named("SEN_status", S, one_of("none", "support", "EHC plan")),
        Named("exam_mark_maths", S, whole(12, 100)),
        Named("attendance_pct", QS, measured(94, 4)),
        Named("suspensions", S, whole(0, 3)),
        Named("looked_after_child", QS, YES_NO),
    ],
    "orders of a shop": [
        Named("OrderID", I, numbers(500000)),
        Named("ShipToAddress", I, STREET),
        Named("LoyaltyCard", I, serial("6338{:08d}")),
        Named("cookie", I, serial("ga1.2.{:09d}", 10**6)),
        Named("twitter_handle", I, serial("@sunny{:05d}")),
        Named("product_name", QSN, one_of("toaster", "kettle", "lamp", "blender", "iron")),
        Named("basket_value", S, measured(48, 20, 2)),
        Named("marketing_optin", QN, FLAG),
        Named("StoreCity", Q, CITY),
        Named("delivery_instructions", I, notes("Leave it with Mrs Hall.", "Ring twice.", "Side door.")),
    ],
    "meters": [
        Named("MPAN", I, serial("20000{:08d}")),
        Named("acct_holder", I, PERSON),
        Named("dwelling_type", Q, one_of("flat", "terraced", "semi-detached", "detached")),
        Named("annual_consumption_kwh", S, amounts(3500)),
        Named("tariff_name", QSN, one_of("Standard", "Economy 7", "Green Fixed")),
        Named("floor_area_sqft", QS, whole(400, 2600)),
        Named("arrears_gbp", S, amounts(90)),
    ],
    "personnel": [
        Named("StaffName", I, PERSON),
        Named("NI_number", I, serial("QQ{:06d}C")),
        Named("badge_no", I, serial("{:06d}")),
        Named("LineManager", I, joined(one_of("A.", "B.", "C.", "D."), FAMILY)),
        Named("payscale", QS, one_of("B5", "B6", "B7", "B8a")),
        Named("contract_type", Q, one_of("permanent", "fixed term", "agency")),
        Named("FTE", QS, one_of(1.0, 0.8, 0.6, 0.5)),
        Named("base_pay", S, amounts(42000)),
        Named("yrs_service", Q, whole(0, 38)),
        Named("disciplinary_action", S, one_of("none", "warning", "final warning")),
    ],
    "police open data": [
        Named("incident_num", I, serial("23-{:06d}")),
        Named("OFFICER_NAME", I, joined(FAMILY, GIVEN, between=", ")),
        Named("SUBJECT_AGE", Q, whole(14, 80)),
        Named("Subject Race", Q, one_of("White", "Black", "Asian", "Other")),
        Named("offence", S, one_of("theft", "assault", "drug possession", "trespass")),
        Named("arrest_made", QS, YES_NO),
        Named("precinct", Q, whole(1, 40)),
        Named("LON", QS + I, measured(-71.06, 0.05, 6)),
    ],
    "入退院": [
        Named("患者ＩＤ", I, serial("{:07d}")),
        Named("カルテNo", I, serial("{:06d}")),
        Named("診察券番号", I, serial("{:08d}")),
        Named("漢字氏名", I, PERSON_JA),
        Named("主治医", I, PERSON_JA),
        Named("連絡先TEL", I, TELEPHONE_JA),
        Named("入院時年齢", Q, whole(0, 99)),
        Named("初診日", Q, days(2015, 2022, "%Y/%m/%d")),
        Named("主病名", S, one_of("高血圧症", "2型糖尿病", "うつ病", "肺炎", "胃癌")),
        Named("併存症", S, one_of("なし", "糖尿病", "心不全", "認知症")),
        Named("ICD10コード", S, ICD10),
        Named("処方薬", S, one_of("アムロジピン", "メトホルミン", "ワルファリン", "セルトラリン")),
        Named("アレルギー", S, one_of("なし", "ペニシリン", "そば", "卵")),
        Named("身長(cm)", QS, measured(161, 9)),
        Named("体重（kg）", QS, measured(60, 11)),
        Named("HbA1c(%)", S, measured(6.1, 0.9)),
        Named("転帰", S, one_of("軽快", "治癒", "不変", "死亡")),
        Named("病棟", QSN, one_of("3階東", "3階西", "4階東", "ICU")),
        Named("紹介元", QSN, one_of("中央クリニック", "みどり医院", "なし", "北総合病院")),
        Named("飲酒習慣", S, one_of("なし", "機会飲酒", "毎日")),
        Named(
            "看護記録",
            I,
            notes("夫が付き添い。", "夜間よく眠れた。", "長女に連絡した。", "痛みを訴える。"),
        ),
    ],
    "健康保険": [
        Named("保険証記号番号", I, serial("1234-{:06d}")),
        Named("証券番号", I, serial("AB{:08d}")),
        Named("契約者名", I, PERSON_JA),
        Named("受取人", I, PERSON_JA),
        Named("レセプト番号", I, serial("{:010d}")),
        Named("本人家族区分", Q, one_of("本人", "家族")),
        Named("資格取得日", Q, days(1990, 2022, "%Y-%m-%d")),
        Named("標準報酬月額", S, one_of(200000, 240000, 300000, 410000, 500000)),
        Named("請求点数", S, amounts(2500)),
        Named("告知内容", S, one_of("なし", "高血圧", "ぜんそく", "手術歴あり")),
        Named("腹囲", QS, measured(84, 9)),
        Named("収縮期血圧", S, whole(95, 180)),
        Named("特定健診受診", QS, one_of("受診", "未受診")),
    ],
    "住民の調査": [
        Named("整理番号", I, numbers(10000)),
        Named("住民票コード", I, serial("{:011d}")),
        Named("世帯主名", I, PERSON_JA),
        Named("世帯主との続柄", Q, one_of("世帯主", "配偶者", "子", "父母")),
        Named("都道府県コード", Q, whole(1, 47)),
        Named("町丁目", Q, one_of("本町一丁目", "本町二丁目", "栄町", "緑町三丁目")),
        Named("出生地", Q, PREFECTURE),
        Named("就業状態", Q, one_of("主に仕事", "家事", "通学", "休業者", "その他")),
        Named("産業大分類", Q, one_of("A", "D", "E", "I", "P")),
        Named("居住年数", Q, whole(0, 60)),
        Named("世帯類型", Q, one_of("単独", "夫婦のみ", "夫婦と子", "ひとり親と子", "三世代")),
        Named("世帯収入", QS, amounts(6000)),
        Named("課税区分", QS, one_of("課税", "非課税")),
        Named("生活保護受給", S, IS_JA),
        Named("介護認定", S, one_of("なし", "要支援1", "要介護1", "要介護3")),
        Named("主観的幸福感", S, whole(0, 10)),
        Named("拡大乗数", W, measured(430, 90, 3)),
    ],
    "児童生徒": [
        Named("学籍番号", I, serial("22A{:04d}")),
        Named("保護者氏名", I, PERSON_JA),
        Named("学年", Q, whole(1, 6)),
        Named("組", QN, one_of("1組", "2組", "3組")),
        Named("出席番号", IQ, whole(1, 38)),
        Named("部活動", Q, one_of("野球", "吹奏楽", "美術", "陸上", "なし")),
        Named("偏差値", S, measured(50, 9)),
        Named("国語評定", S, LIKERT),
        Named("欠席日数", S, whole(0, 35)),
        Named("就学援助", S, one_of("なし", "あり")),
        Named("所見", I, notes("兄も本校に在籍。", "計算が得意です。", "母子家庭で頑張っている。", "明るい。")),
    ],
    "会員と口座": [
        Named("会員コード", I, serial("M{:07d}")),
        Named("フリガナ", I, PERSON_KANA),
        Named("カード番号", I, serial("3540-1234-5678-{:04d}", 1)),
        Named("配送先", I, ADDRESS_JA),
        Named("Ｅメール", I, joined(serial("taro{:05d}"), one_of("@example.jp"), between="")),
        Named("誕生月", Q, whole(1, 12)),
        Named("郵便番号上3桁", Q, whole(100, 179)),
        Named("勤続年数", Q, whole(0, 40)),
        Named("預金残高", S, amounts(2000000)),
        Named("延滞回数", S, whole(0, 6)),
        Named("購入金額", S, amounts(7000)),
        Named("購入品目", QSN, one_of("食品", "衣料", "書籍", "医薬品")),
        Named("店舗名", QN, one_of("駅前店", "本店", "南店")),
    ],
    "人事": [
        Named("従業員コード", I, serial("{:06d}")),
        Named("上司名", I, PERSON_JA),
        Named("雇用形態", Q, one_of("正社員", "契約社員", "パート", "派遣")),
        Named("配属先", Q, one_of("本社", "大阪支店", "名古屋工場")),
        Named("等級", QS, whole(1, 8)),
        Named("基本給", S, amounts(280000)),
        Named("ストレスチェック結果", S, one_of("高ストレス", "該当なし")),
        Named("懲戒歴", S, one_of("なし", "戒告", "減給")),
        Named("扶養人数", Q, whole(0, 4)),
        Named("通勤手段", QN, one_of("電車", "バス", "自家用車", "徒歩")),
    ],
    "電力使用": [
        Named("供給地点特定番号", I, serial("03{:020d}")),
        Named("お客様番号", I, serial("{:010d}")),
        Named("契約アンペア", QSN, one_of(20, 30, 40, 50, 60)),
        Named("使用量(kWh)", S, amounts(320)),
        Named("請求額(円)", S, amounts(9000)),
        Named("検針日", QN, days(2022, 2022, "%Y/%m/%d")),
    ],
    "ローマ字の台帳": [
        Named("SHIMEI", I, PERSON_JA),
        Named("KANA_SEI", I, FAMILY_KANA),
        Named("JUSHO1", I, ADDRESS_JA),
        Named("DENWA_NO", I, TELEPHONE_JA),
        Named("SEIBETSU", Q, one_of(1, 2)),
        Named("SEINENGAPPI", Q, days(1935, 2005, "%Y%m%d")),
        Named("yubin_no", Q, joined(whole(100, 160), whole(1000, 1020), between="-")),
        Named("todofuken", Q, PREFECTURE),
        Named("shokugyo", Q, one_of("会社員", "自営業", "公務員", "学生", "無職")),
        Named("BYOMEI", S, one_of("高血圧症", "糖尿病", "うつ病", "肺炎")),
        Named("nenshu", S, amounts(4200000)),
    ],
}  # fmt: skip
"""Tables by name, with their columns."""


def held_out(name: str) -> bool:
    """Whether a column belongs to the half that no rule may be made from."""
    return sha256(name.encode()).digest()[0] % 2 == 1


def fresh(name: str, seed: int = 0) -> pl.DataFrame:
    """The made-up table of a name."""
    source = random.Random(f"{name} {seed}")
    return pl.DataFrame({column.name: column.values(source) for column in FRESH[name]})
