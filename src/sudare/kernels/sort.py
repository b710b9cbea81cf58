"""Sorting of short lists in place."""

from __future__ import annotations

from sudare.kernels.jit import lean


@lean
def sort_in_place(values, count):
    """Shell's sort of the first values: compiles in no time, needs no memory, and the lists are short."""
    gap = count // 2
    while gap > 0:
        for index in range(gap, count):
            value = values[index]
            place = index
            while place >= gap and values[place - gap] > value:
                values[place] = values[place - gap]
                place -= gap
            values[place] = value
        gap //= 2
