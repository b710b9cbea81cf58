"""The kinds of rules on groups: numbers of their own, so that naming a rule loads no compiler."""

SIZE, DISTINCT, ENTROPY, RECURSIVE, EQUAL, ORDERED, HIERARCHICAL = range(7)
