"""Generalization of items over a hierarchy, identical in all baskets (Terrovitis, Mamoulis, Kalnis 2008)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import polars as pl
from pydantic import BeforeValidator, PlainSerializer

from sudare.anonymize.baskets.protocol import BasketOutcome
from sudare.anonymize.note import Note
from sudare.assess.baskets.km_anonymity import KmAnonymity
from sudare.assess.baskets.pairing import subsets_of
from sudare.describe.hierarchy.catalogue import CATALOGUE
from sudare.errors import ErrorSentence, InfeasibleError, ParameterError, shown
from sudare.parameters import Annotated, SchemaLater, parameters, said_by
from sudare.read.baskets.codes import merged
from sudare.words.sentence import counted

if TYPE_CHECKING:
    import numpy.typing as npt

    from sudare.anonymize.protocol import Context
    from sudare.describe.baskets.baskets import Baskets
    from sudare.describe.hierarchy.tree import Hierarchy

    Ints = npt.NDArray[np.int64]


def _made(given: Any) -> Any:
    try:
        return CATALOGUE.build(given)
    except ParameterError as error:
        raise ValueError(
            ErrorSentence("anonymize.baskets.hierarchy", given=shown(given), why=said_by(error))
        ) from None


Maker = Annotated[
    Any,
    BeforeValidator(_made),
    PlainSerializer(CATALOGUE.dump),
    SchemaLater(CATALOGUE.schema),
]
"""A hierarchy made by `sudare.hierarchy`, or its recipe."""


@parameters
class GeneralizeItems:
    """Replace items with groups of a hierarchy, in the same way everywhere, until k^m-anonymity is met.

    A cut of the hierarchy is lifted: first until every item is in k baskets, then every pair, up to sets of m (as
    the apriori principle suggests: most rare sets are gone before the large ones are counted). For every rare set that
    no earlier lift of this round has touched, one node is lifted to its parent, with everything below the parent: the
    node that least raises

        NCP = mean over occurrences of items of (leaves below the node that replaces the item) / leaves, 0 for a leaf.

    Every round lifts a node, so the process ends, at the latest when every basket is the root. Generalizing next to
    sensitive items can itself be a clue, so rho-uncertainty is left to SuppressItems.
    """

    hierarchy: Maker
    """Hierarchy of the items, for example `sudare.hierarchy.csv(path)`."""

    private_fields: ClassVar[tuple[str, ...]] = ("hierarchy",)  # it names items that are not released

    def apply(self, baskets: Baskets, context: Context) -> BasketOutcome:
        """Lift the cut until every k^m requirement is met."""
        asked = context.requirements
        wrong = next((one for one in asked if not isinstance(one, KmAnonymity)), None)
        if wrong is not None:
            raise ParameterError("anonymize.baskets.not_by_generalization", requirement=type(wrong).__name__)
        tree: Hierarchy = self.hierarchy.build(
            pl.Series("items", [str(item) for item in baskets.items]), "items"
        )
        place = {label: node for node, label in enumerate(tree.labels[: tree.leaves])}
        leaves = np.array([place[str(item)] for item in baskets.items], dtype=np.int64)
        cut = _Cut(baskets, tree, leaves)
        # Nobody can know more items than the longest basket contains.
        longest = int(baskets.lengths.max(initial=0))
        sizes = [
            (size, one.k)
            for one in asked
            if isinstance(one, KmAnonymity)
            for size in range(1, min(one.m, longest) + 1)
        ]
        context.progress.start("generalize_items", max(len(sizes), 1))
        for done, (size, k) in enumerate(sorted(sizes), start=1):
            while cut.lift_rare(size, k):
                context.progress.update(done - 1)
            context.progress.update(done)
        nodes = len(np.unique(cut.node[leaves]))
        items = len(np.unique(baskets.codes))
        note = Note("items.generalized", items=items, nodes=nodes, ncp=cut.ncp())
        return BasketOutcome(cut.generalized(), (note,))


class _Cut:
    """For each leaf of the hierarchy, the node that replaces it."""

    def __init__(self, baskets: Baskets, tree: Hierarchy, leaves: Ints) -> None:
        self.baskets, self.tree, self.leaves = baskets, tree, leaves
        self.node = np.arange(tree.leaves, dtype=np.int64)
        self.occurrences = np.zeros(tree.leaves, dtype=np.int64)
        np.add.at(self.occurrences, leaves, baskets.supports())
        self._sizes = np.where(tree.leaf_counts > 1, tree.leaf_counts, 0).astype(np.int64)

    def generalized(self) -> Baskets:
        """The baskets with their items replaced; if nothing is replaced, unchanged, including their numbers."""
        if (self.node[self.leaves] == self.leaves).all():
            return self.baskets
        labels = np.array([str(self.tree.labels[node]) for node in self.node[self.leaves]], dtype=object)
        names = sorted(set(labels.tolist()))
        rank = {name: code for code, name in enumerate(names)}
        codes = np.array([rank[label] for label in labels], dtype=np.int32)[self.baskets.codes]
        return self.baskets.with_baskets(*merged(np.diff(self.baskets.starts), codes, len(names)), names)

    def lift_rare(self, size: int, k: int) -> int:
        """Lift a node for each rare set of at most `size` items; returns the number of nodes lifted."""
        current = self.generalized()
        if not len(current.codes):
            return 0
        subsets = subsets_of(current, size, None, "km-anonymity")
        support = np.diff(subsets.posting_starts)
        rare = np.flatnonzero(support < k)
        if not len(rare):
            return 0
        by_name = {str(self.tree.labels[node]): int(node) for node in np.unique(self.node[self.leaves])}
        nodes = [by_name[str(name)] for name in current.items]
        lifted: set[int] = set()
        for number in rare[np.argsort(subsets.sizes[rare], kind="stable")]:
            members = [nodes[code] for code in subsets.items[number, : subsets.sizes[number]]]
            able = [node for node in members if node != self.tree.root]
            # One lift per set and round: a set with a member below a lifted node may be frequent now.
            if able and not any(int(self.node[self._below(node)[0]]) in lifted for node in able):
                best = min(able, key=self._rise)
                parent = int(self.tree.parent[best])
                self.node[self._below(parent)] = parent
                lifted.add(parent)
        if not lifted:
            raise InfeasibleError(
                "anonymize.baskets.too_few", baskets=counted("baskets", int(support.min())), k=k
            )
        return len(lifted)

    def ncp(self) -> float:
        """Mean share of the hierarchy that an occurrence now covers beyond its leaf: 0 if unchanged, 1 if all root."""
        share = self._sizes[self.node] / self.tree.leaves
        return float((self.occurrences * share).sum() / max(self.baskets.entries, 1))

    def _rise(self, node: int) -> int:
        """Increase of NCP if everything below the parent becomes the parent, times occurrences and leaves."""
        parent = int(self.tree.parent[node])
        below = self._below(parent)
        counts = self._sizes[parent] - self._sizes[self.node[below]]
        return int((self.occurrences[below] * counts).sum())

    def _below(self, node: int) -> Ints:
        """Leaves under a node."""
        order = self.tree.leaf_order
        return np.flatnonzero((order >= self.tree.first[node]) & (order < self.tree.last[node]))
