"""The data sets and the published figures of Akiyama 2018, appendix A."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from sudare.randomness import repeatable

if TYPE_CHECKING:
    import numpy.typing as npt

_UNIFORM: tuple[tuple[float, float], ...] = ()
COMPONENTS: dict[str, tuple[tuple[float, float], ...]] = {
    "DS0": ((0, 1),),
    "DS1": ((5, 1), (10, 1)),
    "DS2": ((5, 1), (8, 1)),
    "DS3": ((5, 1), (10, 2)),
    "DS4": ((10, 3), (20, 2)),
    "DS5": ((0, 1), (5, 2), (12, 3)),
    "DS6": ((5, 1.5), (10, 1), (15, 1.5)),
    "DS7": ((5, 3), (15, 2), (20, 1)),
    "DS8": ((5, 3), (12, 1.5), (20, 2)),
    "DS9": ((5, 2), (10, 1.5), (18, 3)),
    "DS10": ((0, 1), (5, 1), (10, 1)),
    "DS11": ((0, 1), (3, 1), (6, 1)),
    "DS12": _UNIFORM,
}
"""Mean and standard deviation of the components of each data set (table A.1)."""
SUMMED = 6
"""The number of uniform numbers averaged to get one normal number, as in the paper."""
_PER_COMPONENT = 100

OVERALL = {"MDAV": (66.5, 12.6, 68.8), "V-MDAV": (89.9, 8.9, 51.7)}
"""Share improved, mean and largest decrease over all data sets, in percent."""
FALLS = {
    "MDAV": {
        "DS0": (69.4, 2.7, 7.6),
        "DS1": (88.9, 35.5, 68.8),
        "DS2": (87.9, 12.5, 31.2),
        "DS3": (73.7, 11.9, 40.8),
        "DS4": (80.8, 21.4, 54.9),
        "DS5": (60.4, 10.4, 37.3),
        "DS6": (55.0, 8.7, 40.0),
        "DS7": (49.7, 14.6, 50.7),
        "DS8": (73.2, 7.6, 37.6),
        "DS9": (38.9, 3.4, 21.3),
        "DS10": (59.1, 18.5, 67.3),
        "DS11": (81.9, 7.5, 32.2),
        "DS12": (75.5, 8.6, 40.2),
    },
    "V-MDAV": {
        "DS0": (91.8, 3.4, 21.7),
        "DS1": (66.7, 14.3, 39.2),
        "DS2": (70.7, 5.0, 19.8),
        "DS3": (99.0, 7.5, 26.7),
        "DS4": (97.0, 7.9, 35.4),
        "DS5": (98.7, 11.5, 31.6),
        "DS6": (91.3, 6.3, 34.1),
        "DS7": (98.7, 16.8, 36.2),
        "DS8": (98.0, 8.1, 32.7),
        "DS9": (98.7, 8.9, 19.6),
        "DS10": (82.6, 13.2, 51.7),
        "DS11": (84.6, 4.5, 18.4),
        "DS12": (69.4, 8.7, 27.6),
    },
}
"""Tables A.5 and A.6: share improved, mean decrease among the improved, largest decrease."""
COUNTS = {
    "MDAV": {100: (9.23, 60), 1_000: (33.58, 282), 10_000: (29.05, 356), 100_000: (34.21, 354)},
    "V-MDAV": {
        100: (18.95, 151),
        1_000: (279.01, 1514),
        10_000: (3384.47, 21960),
        100_000: (41917.79, 249428),
    },
}
"""Table A.9: mean and largest number of tests by the number of records."""


def made_up(name: str, size: int | None, seed: int) -> npt.NDArray[np.float64]:
    """A data set of table A.1: the same number of records for each component, 100 each or `size` in total."""
    components = COMPONENTS[name]
    source = repeatable(seed)
    if not components:
        return source.random(size or _PER_COMPONENT)
    total = size or _PER_COMPONENT * len(components)
    parts = []
    for index, (mean, deviation) in enumerate(components):
        count = (index + 1) * total // len(components) - index * total // len(components)
        averages = source.random(count * SUMMED).reshape(count, SUMMED).mean(axis=1)
        parts.append(mean + deviation * (averages - 0.5) * np.sqrt(12 * SUMMED))
    return np.concatenate(parts)
