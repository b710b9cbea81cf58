"""In-place sorting of short lists, and selection."""

from __future__ import annotations

from sudare.kernels.core.jit import lean


@lean
def sort_in_place(values, count):
    """Shellsort of the first `count` values: it compiles quickly, needs no memory, and the lists are short."""
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


@lean
def sort_order(keys, order):
    """Shellsort of the keys; `order` is permuted along with them."""
    gap = len(keys) // 2
    while gap > 0:
        for index in range(gap, len(keys)):
            key, number = keys[index], order[index]
            place = index
            while place >= gap and keys[place - gap] > key:
                keys[place], order[place] = keys[place - gap], order[place - gap]
                place -= gap
            keys[place], order[place] = key, number
        gap //= 2


@lean
def select(keys, order, start, stop, rank):
    """Hoare's quickselect: keys[start:rank] become at most, and keys[rank + 1:stop] at least, keys[rank].

    `order` is permuted along with the keys; it may be empty.
    """
    low, high = start, stop - 1
    while low < high:
        a, b, c = keys[low], keys[(low + high) // 2], keys[high]
        pivot = max(min(a, b), min(max(a, b), c))
        left, right = low, high
        while left <= right:
            while keys[left] < pivot:
                left += 1
            while keys[right] > pivot:
                right -= 1
            if left <= right:
                keys[left], keys[right] = keys[right], keys[left]
                if len(order) > 0:
                    order[left], order[right] = order[right], order[left]
                left += 1
                right -= 1
        if rank <= right:
            high = right
        elif rank >= left:
            low = left
        else:
            return
