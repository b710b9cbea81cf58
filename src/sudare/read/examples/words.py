"""Made-up material for the example tables: names, nationalities and diseases in English and Japanese."""

from __future__ import annotations

from typing import NamedTuple

FEMALE_NAMES = {
    "en": "Alice Amelia Anna Ava Bella Carla Chloe Clara Diana Elena Emily Emma Eva Fiona Grace Hanna Irene Isabel "
    "Jane Julia Kate Laura Lena Lily Lucy Maria Mia Nina Nora Olivia Paula Rosa Ruth Sara Sofia Tina Vera Zoe",
    "ja": "葵 凛 結衣 陽菜 美咲 さくら 花子 愛 由美 恵子 幸子 和子 久美子 真由美 直子 裕子 洋子 美穂 彩 舞 遥 楓 詩織 "
    "千尋 香織 麻衣 優子 明美 智子 京子 節子 文子 紬 莉子 芽衣 澪 杏 琴音",
}
MALE_NAMES = {
    "en": "Adam Aaron Alan Ben Carl Chris Daniel David Dylan Eric Ethan Felix Frank George Henry Hugo Ian Jack James "
    "John Kevin Leo Liam Louis Mark Martin Noah Oliver Oscar Paul Peter Robert Samuel Simon Thomas Victor Walter Will",
    "ja": "蓮 湊 陽翔 大翔 悠真 健太 翔太 大輔 拓也 誠 隆 浩 茂 実 清 勇 博 進 正 和也 達也 直樹 健一 剛 学 修 聡 亮 "
    "太郎 一郎 次郎 三郎 悠人 樹 颯太 律 駿 昭",
}
SURNAMES = {
    "en": "Smith Johnson Brown Miller Davis Garcia Wilson Moore Taylor Anderson Thomas Jackson White Harris Martin "
    "Thompson Young King Wright Lopez Hill Scott Green Adams Baker Nelson Carter Mitchell Perez Roberts Turner "
    "Phillips Campbell Parker Evans Edwards Collins Stewart Morris Rogers Reed Cook Bell Murphy Bailey Rivera "
    "Cooper Richardson Cox Ward Gray Brooks Kelly Sanders Price Bennett Wood Barnes Ross Henderson Coleman",
    "ja": "佐藤 鈴木 高橋 田中 伊藤 渡辺 山本 中村 小林 加藤 吉田 山田 佐々木 山口 松本 井上 木村 林 斎藤 清水 山崎 森 "
    "池田 橋本 阿部 石川 山下 中島 石井 小川 前田 岡田 長谷川 藤田 後藤 近藤 村上 遠藤 青木 坂本 斉藤 福田 太田 "
    "西村 藤井 金子 岡本 藤原 中野 三浦 原田 中川 松田 竹内 小野 田村 中山 和田 石田 森田",
}


class Nationality(NamedTuple):
    """A nationality with its place in the world; `share` is relative, among foreigners."""

    en: str
    ja: str
    region: tuple[str, str]
    continent: tuple[str, str]
    share: float


_NORTH_AMERICA = ("Northern America", "北アメリカ")
_LATIN_AMERICA = ("Latin America", "ラテンアメリカ")
_WEST_EUROPE = ("Western Europe", "西ヨーロッパ")
_EAST_EUROPE = ("Eastern Europe", "東ヨーロッパ")
_EAST_ASIA = ("Eastern Asia", "東アジア")
_SOUTHEAST_ASIA = ("South-eastern Asia", "東南アジア")
_SOUTH_ASIA = ("Southern Asia", "南アジア")
_NORTH_AFRICA = ("Northern Africa", "北アフリカ")
_SUBSAHARA = ("Sub-Saharan Africa", "サハラ以南アフリカ")
_AMERICAS, _EUROPE = ("Americas", "アメリカ州"), ("Europe", "ヨーロッパ")
_ASIA, _AFRICA = ("Asia", "アジア"), ("Africa", "アフリカ")

NATIONALITIES = (
    Nationality("United States", "アメリカ", _NORTH_AMERICA, _AMERICAS, 9),
    Nationality("Canada", "カナダ", _NORTH_AMERICA, _AMERICAS, 4),
    Nationality("Mexico", "メキシコ", _LATIN_AMERICA, _AMERICAS, 9),
    Nationality("Brazil", "ブラジル", _LATIN_AMERICA, _AMERICAS, 8),
    Nationality("Colombia", "コロンビア", _LATIN_AMERICA, _AMERICAS, 2),
    Nationality("Peru", "ペルー", _LATIN_AMERICA, _AMERICAS, 2),
    Nationality("United Kingdom", "イギリス", _WEST_EUROPE, _EUROPE, 3),
    Nationality("Germany", "ドイツ", _WEST_EUROPE, _EUROPE, 2.5),
    Nationality("France", "フランス", _WEST_EUROPE, _EUROPE, 2),
    Nationality("Italy", "イタリア", _WEST_EUROPE, _EUROPE, 1),
    Nationality("Poland", "ポーランド", _EAST_EUROPE, _EUROPE, 1.5),
    Nationality("Ukraine", "ウクライナ", _EAST_EUROPE, _EUROPE, 1),
    Nationality("China", "中国", _EAST_ASIA, _ASIA, 12),
    Nationality("South Korea", "韓国", _EAST_ASIA, _ASIA, 7),
    Nationality("Japan", "日本", _EAST_ASIA, _ASIA, 3),
    Nationality("Vietnam", "ベトナム", _SOUTHEAST_ASIA, _ASIA, 10),
    Nationality("Philippines", "フィリピン", _SOUTHEAST_ASIA, _ASIA, 8),
    Nationality("Indonesia", "インドネシア", _SOUTHEAST_ASIA, _ASIA, 3),
    Nationality("India", "インド", _SOUTH_ASIA, _ASIA, 8),
    Nationality("Nepal", "ネパール", _SOUTH_ASIA, _ASIA, 3),
    Nationality("Egypt", "エジプト", _NORTH_AFRICA, _AFRICA, 1),
    Nationality("Morocco", "モロッコ", _NORTH_AFRICA, _AFRICA, 0.6),
    Nationality("Nigeria", "ナイジェリア", _SUBSAHARA, _AFRICA, 1),
    Nationality("Ghana", "ガーナ", _SUBSAHARA, _AFRICA, 0.4),
)
HOME = {"en": "United States", "ja": "Japan"}
"""English name of the nationality that most patients have."""


class Disease(NamedTuple):
    """A disease: how common it is by age and sex, how long the stay is and what it costs."""

    en: str
    ja: str
    chapter: tuple[str, str]
    share: float
    """Relative frequency when the factors below are 1."""
    by_age: tuple[float, ...]
    """Factor for each of the `AGE_BANDS`."""
    women: float
    men: float
    days: float
    """Median length of stay of a patient aged 45."""
    fixed_cost: float
    daily_cost: float


AGE_BANDS = (0, 1, 5, 15, 30, 45, 51, 65, 80)
"""First age of each band; the first band is newborns, and pregnancies occur from 15 to 50."""

_CIRCULATORY = ("Circulatory system", "循環器系")
_RESPIRATORY = ("Respiratory system", "呼吸器系")
_NEOPLASM = ("Neoplasms", "新生物")
_ENDOCRINE = ("Endocrine and metabolic", "内分泌・代謝")
_DIGESTIVE = ("Digestive system", "消化器系")
_INFECTIOUS = ("Infectious diseases", "感染症")
_MENTAL = ("Mental disorders", "精神疾患")
_PREGNANCY = ("Pregnancy and childbirth", "妊娠・分娩")
_PERINATAL = ("Perinatal conditions", "周産期")
_INJURY = ("Injuries", "損傷")
_URINARY = ("Genitourinary system", "腎尿路系")

_RISING = (0, 0, 0.003, 0.03, 0.15, 0.6, 1.3, 2.4, 3)
_CANCER = (0.01, 0.01, 0.01, 0.05, 0.4, 1, 2, 2, 1.2)
_ADULT = (0, 0, 0.1, 1, 1.2, 1.2, 1, 0.7, 0.4)
_EVEN = (0.7, 0.7, 0.7, 0.9, 1, 1, 1, 1.1, 1.1)
_EXTREMES = (2.5, 2.5, 0.8, 0.3, 0.3, 0.4, 0.7, 1.8, 4)
_CHILD = (8, 8, 1, 0, 0, 0, 0, 0, 0)
_FERTILE = (0, 0, 0, 3, 3, 0.1, 0, 0, 0)

DISEASES = (
    Disease("Heart failure", "心不全", _CIRCULATORY, 14, _RISING, 1, 1.1, 8, 2500, 950),
    Disease("Pneumonia", "肺炎", _RESPIRATORY, 13, _EXTREMES, 1, 1.1, 7, 1200, 800),
    Disease("Ischemic heart disease", "虚血性心疾患", _CIRCULATORY, 10, _RISING, 0.6, 1.4, 4, 9000, 1500),
    Disease("Stroke", "脳卒中", _CIRCULATORY, 8.5, _RISING, 0.9, 1.1, 14, 4000, 1100),
    Disease("Normal delivery", "正常分娩", _PREGNANCY, 12, _FERTILE, 1, 0, 4, 2500, 700),
    Disease("Type 2 diabetes", "2型糖尿病", _ENDOCRINE, 7, _RISING, 0.9, 1.1, 6, 600, 600),
    Disease(
        "Gastroenteritis", "胃腸炎", _DIGESTIVE, 6, (3, 3, 2, 1, 0.8, 0.8, 0.8, 1, 1.2), 1, 1, 3, 500, 550
    ),
    Disease(
        "Hip fracture",
        "大腿骨骨折",
        _INJURY,
        4.5,
        (0.02, 0.02, 0.05, 0.1, 0.1, 0.2, 0.6, 1.8, 5),
        1.5,
        0.7,
        18,
        8000,
        850,
    ),
    Disease("Urinary tract infection", "尿路感染症", _URINARY, 4.5, _EXTREMES, 1.6, 0.7, 5, 500, 600),
    Disease(
        "Head injury",
        "頭部外傷",
        _INJURY,
        4,
        (1.2, 1.2, 1.2, 1.5, 0.9, 0.8, 0.8, 1, 1.5),
        0.7,
        1.3,
        4,
        2000,
        1200,
    ),
    Disease("Gallstones", "胆石症", _DIGESTIVE, 4, _CANCER, 1.3, 0.8, 5, 4500, 750),
    Disease(
        "Appendicitis",
        "虫垂炎",
        _DIGESTIVE,
        3.5,
        (0.3, 0.3, 2.5, 2.2, 1.2, 0.8, 0.6, 0.4, 0.2),
        0.9,
        1.1,
        4,
        4800,
        700,
    ),
    Disease("Colorectal cancer", "大腸がん", _NEOPLASM, 3.5, _CANCER, 0.9, 1.2, 11, 9500, 900),
    Disease("Depression", "うつ病", _MENTAL, 3.2, _ADULT, 1.4, 0.8, 21, 300, 420),
    Disease("Chronic kidney disease", "慢性腎臓病", _URINARY, 3, _RISING, 0.8, 1.2, 8, 1500, 900),
    Disease("Asthma", "喘息", _RESPIRATORY, 2.8, (4, 4, 3, 0.8, 0.7, 0.7, 0.8, 1, 1), 1, 1, 4, 500, 650),
    Disease("Lung cancer", "肺がん", _NEOPLASM, 2.8, _CANCER, 0.7, 1.4, 10, 8500, 1000),
    Disease("Breast cancer", "乳がん", _NEOPLASM, 2.6, _CANCER, 2, 0.01, 6, 8000, 900),
    Disease(
        "Prostate cancer",
        "前立腺がん",
        _NEOPLASM,
        2.4,
        (0, 0, 0, 0, 0.02, 0.5, 2, 3, 2),
        0,
        1.8,
        7,
        9000,
        850,
    ),
    Disease("Acute bronchiolitis", "急性細気管支炎", _RESPIRATORY, 2.4, _CHILD, 1, 1.2, 4, 600, 800),
    Disease("Preterm birth", "早産児", _PERINATAL, 1.6, (20, 0, 0, 0, 0, 0, 0, 0, 0), 1, 1.1, 24, 6000, 2100),
    Disease("Pre-eclampsia", "妊娠高血圧腎症", _PREGNANCY, 1.5, _FERTILE, 1, 0, 7, 4000, 1000),
    Disease("Alcohol dependence", "アルコール依存症", _MENTAL, 1.3, _ADULT, 0.5, 1.6, 15, 400, 450),
    Disease("Liver cirrhosis", "肝硬変", _DIGESTIVE, 1.2, _CANCER, 0.6, 1.4, 9, 2500, 900),
    Disease("Schizophrenia", "統合失調症", _MENTAL, 1, _ADULT, 0.9, 1.1, 40, 300, 400),
    Disease("Leukemia", "白血病", _NEOPLASM, 0.6, _EVEN, 0.9, 1.1, 20, 16000, 1900),
    Disease("HIV disease", "HIV感染症", _INFECTIOUS, 0.4, _ADULT, 0.4, 1.6, 9, 3500, 1000),
    Disease("Tuberculosis", "結核", _INFECTIOUS, 0.3, _EVEN, 0.8, 1.2, 30, 800, 550),
)
