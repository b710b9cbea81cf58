"""Tables 3 and 4 on suitability to l-diversity (Muramoto, Kamidoi, Wakabayashi 2011), with their contradictions."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Printed:
    """One line: a data table and a level; None if the paper prints nothing or NA."""

    data: str
    rows: int
    columns: int
    l: int  # noqa: E741  # the name in the field
    lower: float
    upper: float | None
    ratio: float | None
    max_blocks: int
    alpha_s: int
    alpha_e: int | None
    k: int
    k_lower: float
    k_ratio: float
    fair_upper: float | None
    """Table 4: the loss of k-anonymity at k = alpha_e …"""
    suitability: float | None
    """… and the lower bound over it."""

    @property
    def k_upper(self) -> float:
        """The upper bound; table 3 has only its ratio to the lower bound."""
        return round(self.k_lower * self.k_ratio, 3)


PRINTED = (
    Printed("data1", 1000, 6, 2, 0.0089, 0.039, 4.38, 500, 2, 2, 2, 0.0086, 3.37, 0.029, 0.3068),
    Printed("data1", 1000, 6, 4, 0.0269, 0.125, 4.64, 250, 4, 4, 4, 0.0128, 3.67, 0.047, 0.5723),
    Printed("data1", 1000, 6, 8, 0.1493, None, None, 108, 10, 11, 8, 0.0555, 2.49, 0.123, 1.2134),
    Printed("data2", 10000, 6, 4, 0.2670, 0.413, 1.55, 2500, 4, 4, 4, 0.2666, 1.70, 0.452, 0.5907),
    Printed("data2", 10000, 6, 8, 0.2883, 0.468, 1.62, 1250, 8, 8, 8, 0.2876, 1.45, 0.469, 0.6147),
    Printed("data2", 10000, 6, 10, 0.2943, 0.484, 1.64, 1000, 10, 10, 10, 0.2930, 1.62, 0.475, 0.6200),
    Printed("data3", 5822, 85, 2, 0.1667, 0.563, 3.38, 2911, 2, 2, 2, 0.0497, 1.59, 0.079, 2.1101),
    Printed("data3", 5822, 85, 4, 0.2350, 0.819, 3.49, 1456, 4, 4, 4, 0.0815, 1.66, 0.135, 1.7407),
    Printed("data3", 5822, 85, 8, 0.2780, None, None, 716, 9, 9, 8, 0.1186, 1.15, 0.139, 2.0000),
    Printed("data4", 5822, 85, 2, 0.2337, 0.631, 2.70, 2911, 2, 2, 2, 0.0504, 1.61, 0.081, 2.8852),
    Printed("data4", 5822, 85, 4, 0.2877, 0.829, 2.88, 1297, 5, 7, 4, 0.0828, 1.64, 0.139, 2.0698),
    Printed("data4", 5822, 85, 8, 0.3505, None, None, 540, 11, None, 8, 0.1189, 1.15, None, None),
    Printed("data5", 5687, 11, 2, 0.5743, 0.589, 1.03, 2844, 2, 2, 2, 0.5743, 1.04, 0.599, 0.9588),
    Printed("data5", 5687, 11, 4, 0.5947, 0.718, 1.21, 1422, 4, 4, 4, 0.5947, 1.28, 0.764, 0.7784),
    Printed("data5", 5687, 11, 8, 0.6078, 0.773, 1.27, 711, 8, 8, 8, 0.6078, 1.29, 0.762, 0.7976),
    Printed("data6", 10000, 10, 2, 0.0950, 0.405, 4.26, 5000, 2, 2, 2, 0.0025, 1.20, 0.003, 16.667),
    Printed("data6", 10000, 10, 4, 0.1182, 0.460, 3.89, 1716, 6, 8, 4, 0.0172, 1.40, 0.044, 2.6863),
    Printed("data6", 10000, 10, 8, 0.1426, None, None, 627, 16, None, 8, 0.0358, 1.23, None, None),
)


def contradictions(line: Printed) -> list[str]:
    """Impossible statements in a line, whatever the data: figures that disagree by more than their rounding."""
    found = []
    if not _agrees(line.ratio, 0.005, line.upper, 0.0005, line.lower, 0.00005):
        found.append(f"upper/lower is printed {line.ratio:g}, but {line.upper:g}/{line.lower:g} is not that")
    if line.fair_upper is not None and line.suitability is not None:
        if not _agrees(line.suitability, 0.0005, line.lower, 0.00005, line.fair_upper, 0.0005):
            found.append(
                f"the ratio of table 4 is printed {line.suitability:g}, but {line.lower:g}/{line.fair_upper:g} is not that"
            )
        same = line.k == line.alpha_e
        if same and not _agrees(line.k_ratio, 0.005, line.fair_upper, 0.0005, line.k_lower, 0.00005):
            found.append(
                f"upper/lower of k = {line.k} is printed {line.k_ratio:g} in table 3, but table 4 has the upper bound "
                f"{line.fair_upper:g}"
            )
    if line.max_blocks * line.l > line.rows:
        found.append(
            f"{line.max_blocks:,} blocks of {line.l} rows are more than the {line.rows:,} rows there are"
        )
    return found


def _agrees(
    ratio: float | None,
    ratio_room: float,
    over: float | None,
    over_room: float,
    under: float,
    under_room: float,
) -> bool:
    """Whether ratio = over / under is possible before rounding; True if one of them is not printed."""
    if ratio is None or over is None:
        return True
    least = (over - over_room) / (under + under_room)
    most = (over + over_room) / (under - under_room)
    return least - ratio_room <= ratio <= most + ratio_room
