"""How well an attacker can guess the sensitive value of a row from its block."""

from __future__ import annotations

import numpy as np

from sudare.kernels.core.jit import kernel
from sudare.kernels.core.sort import sort_in_place


@kernel
def best_guesses(codes, values, order, starts, excluded):
    """Probability of the best guess in each block after `excluded` values are ruled out.

    With counts r1 >= r2 >= …, it is best for the attacker to rule out the `excluded` most frequent values
    other than r1: r1 / (r1 + r_{excluded+2} + r_{excluded+3} + …).
    """
    histogram = np.zeros(values, dtype=np.int64)
    touched = np.zeros(values, dtype=np.int64)
    frequencies = np.empty(values, dtype=np.int64)
    result = np.empty(len(starts) - 1)
    for block in range(len(starts) - 1):
        count = np.int64(0)
        for position in range(starts[block], starts[block + 1]):
            code = codes[order[position]]
            if histogram[code] == 0:
                touched[count] = code
                count += 1
            histogram[code] += 1
        for index in range(count):
            frequencies[index] = histogram[touched[index]]
            histogram[touched[index]] = 0
        sort_in_place(frequencies, count)
        remaining = frequencies[count - 1]
        for index in range(count - 1 - excluded):
            remaining += frequencies[index]
        result[block] = frequencies[count - 1] / remaining
    return result
