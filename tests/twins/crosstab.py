"""A plain twin of the reconstruction of counts: EM with one big matrix, written with loops over lists.

Nothing here uses the library's code.
"""

import itertools


def plain_em(matrix, released, steps, start=None):
    """Iterative Bayes: matrix[i][j] is the chance that an original of cell j is released in cell i."""
    cells = len(matrix[0])
    x = [sum(released) / cells] * cells if start is None else list(start)
    for _ in range(steps):
        expected = [sum(row[j] * x[j] for j in range(cells)) for row in matrix]
        x = [
            x[j]
            * sum(
                row[j] * count / mean
                for row, count, mean in zip(matrix, released, expected, strict=True)
                if mean
            )
            for j in range(cells)
        ]
    return x


def kronecker(first, second):
    """The matrix of two columns that are randomized independently, cells in the order of the first column."""
    return [[a * b for a in row for b in other] for row in first for other in second]


def in_bins(matrix, edges):
    """The matrix of wide bins whose values are taken as evenly spread; cell n of `matrix` is the value n."""
    spans = list(itertools.pairwise(edges))
    return [
        [
            sum(matrix[i][j] for i in range(*released) for j in range(*original))
            / (original[1] - original[0])
            for original in spans
        ]
        for released in spans
    ]


def total_variation(one, other):
    """Half the sum of absolute differences of the shares."""
    return sum(abs(a / sum(one) - b / sum(other)) for a, b in zip(one, other, strict=True)) / 2
