"""`sd.Anonymizer`: anonymization as a scikit-learn transformer, for pipelines.

scikit-learn is the extra `models`; without it, everything else of Sudare works, and creating an `Anonymizer` says how to install it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

import numpy as np
import polars as pl

from sudare.describe.kinds import MEASURED_KINDS, UNRELEASED_ROLES
from sudare.describe.table import Table, to_native
from sudare.describe.text import as_text, axis_of
from sudare.errors import ParameterError
from sudare.release.anonymize import anonymize

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import numpy.typing as npt

    from sudare.release.table.release import Release

try:
    from sklearn.base import BaseEstimator, OneToOneFeatureMixin, TransformerMixin
    from sklearn.utils.validation import check_is_fitted, validate_data
except ImportError:

    class BaseEstimator:  # type: ignore[no-redef]  # stands in where the extra is not installed
        """What an estimator is without scikit-learn: a sentence that says what is missing."""

        def __new__(cls, *_: Any, **__: Any) -> Self:
            """Refuse."""
            raise ParameterError("release.estimator.no_scikit_learn")

    class OneToOneFeatureMixin:  # type: ignore[no-redef]
        """Stands in, too."""

    class TransformerMixin:  # type: ignore[no-redef]
        """Stands in, too."""


_ROW = "\0row"
"""A name that no column has."""


class Anonymizer(OneToOneFeatureMixin, TransformerMixin, BaseEstimator):  # type: ignore[misc]  # scikit-learn has no types
    """A scikit-learn transformer that anonymizes: for a model that must not see the original values.

    **What is guaranteed.** `fit_transform(X)` returns the rows of X anonymized, in their order, and these meet the
    requirements: it is what `sd.anonymize` returns with `order="keep"`, checked in the same way (`release_` has the verdicts, the
    risk and the losses). `transform` of other rows guarantees nothing. Each of them gets the published quasi-identifiers of the
    most similar row in the training data, so that a trained model can predict for it; nobody has counted how many of the new
    rows are alike, and its other columns stay as they are. Use what `transform` returns inside your own system, and do not
    publish it: to publish further rows, anonymize them with those released before. New rows are not refused, because a pipeline
    could then neither be cross-validated nor used.

    Rows of the training data get from `transform` what they got from `fit_transform`, except that equal rows of different groups
    all get what the first of them got. A fitted estimator contains the training data as they were: so does a file that it is
    pickled to.

    Args:
        requirements: A requirement, or a list of them, as for `sd.anonymize`.
        method: A method, or a list of them, as for `sd.anonymize`. It must keep every row, and must not randomize.
        quasi: Names of the quasi-identifiers; if left out, all columns without another role.
        sensitive: Names of sensitive columns, which are published as they are.
        insensitive: Names of columns that are published as they are and nobody can know.
        identifier: Names of columns that are left out of the result.
        kinds: Kinds of columns (see `Table.describe`).
        hierarchies: Hierarchies of quasi-identifiers (see `Table.describe`).
        random_state: A seed that makes random choices repeatable, for tests; the release is then not secure.

    X is a pandas, polars or Arrow table, and the same kind comes back, or an array, whose columns are named x0, x1, … Arrays of
    numbers come back as numbers: without a `method`, their quasi-identifiers are microaggregated.
    """

    def __init__(
        self,
        requirements: Any = "k-anonymity k=5",
        *,
        method: Any = None,
        quasi: Sequence[str] | None = None,
        sensitive: Sequence[str] = (),
        insensitive: Sequence[str] = (),
        identifier: Sequence[str] = (),
        kinds: Mapping[str, Any] | None = None,
        hierarchies: Mapping[str, Any] | None = None,
        random_state: int | None = None,
    ) -> None:
        self.requirements = requirements
        self.method = method
        self.quasi = quasi
        self.sensitive = sensitive
        self.insensitive = insensitive
        self.identifier = identifier
        self.kinds = kinds
        self.hierarchies = hierarchies
        self.random_state = random_state

    def fit(self, X: Any, y: Any = None) -> Self:  # noqa: ARG002  # scikit-learn passes the target to every step
        """Anonymize X, and keep the release for `transform`; y is not looked at."""
        table = self._described(self._given(X, reset=True))
        release: Any = anonymize(
            table, self.requirements, method=self.method, order="keep", seed=self.random_state
        )
        rows = release.rows_of_original
        if any(column.mechanism is not None for column in release.table.columns):
            raise ParameterError("release.estimator.randomized")
        if rows is None or not np.array_equal(rows, np.arange(table.rows)):
            raise ParameterError("release.estimator.rows", rows=table.rows, released=release.table.rows)
        self.release_: Release = release
        self._likeness = _Likeness(table)
        return self

    def fit_transform(self, X: Any, y: Any = None) -> Any:
        """Anonymize X: rows in their order that meet the requirements."""
        return self._returned(self.fit(X, y).release_.table.frame, X)

    def transform(self, X: Any) -> Any:
        """Give each row the published quasi-identifiers of the most similar training row; this guarantees nothing."""
        check_is_fitted(self, "release_")
        table = self._like_training(self._given(X, reset=False))
        published = self.release_.table
        nearest = self._likeness.nearest(table)
        quasi = published.names("quasi")
        columns = [
            published.frame[name][nearest] if name in quasi else table.frame[name]
            for name in published.frame.columns
        ]
        return self._returned(pl.DataFrame(columns), X)

    def get_feature_names_out(self, input_features: Any = None) -> npt.NDArray[np.object_]:
        """The names of the columns that are published: all but the identifiers."""
        names = super().get_feature_names_out(input_features)
        columns = self.release_.original.columns
        kept = [column.role not in UNRELEASED_ROLES for column in columns]
        found: npt.NDArray[np.object_] = names[kept]
        return found

    def __sklearn_tags__(self) -> Any:
        """Missing values and texts are welcome."""
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.string = True
        tags.input_tags.categorical = True
        return tags

    def _given(self, X: Any, *, reset: bool) -> Table:
        """The rows as a table; an array has made-up names."""
        if _is_frame(X):
            validate_data(self, X, skip_check_array=True, reset=reset)
            return Table.from_frame(X)
        array = validate_data(
            self,
            X,
            dtype=None,
            ensure_all_finite="allow-nan",
            ensure_min_samples=2 if reset else 1,  # a single person cannot be hidden
            reset=reset,
        )
        if array.dtype == object and all(isinstance(cell, int | float) for cell in array.ravel().tolist()):
            array = array.astype(np.float64)
        return Table.from_frame(
            pl.DataFrame(
                {f"x{place}": pl.Series(array[:, place].tolist()) for place in range(array.shape[1])}
            )
        )

    def _described(self, table: Table) -> Table:
        others = {*self.sensitive, *self.insensitive, *self.identifier}
        quasi = [name for name in table.frame.columns if name not in others]
        return table.describe(
            quasi=quasi if self.quasi is None else self.quasi,
            sensitive=self.sensitive,
            insensitive=self.insensitive,
            identifier=self.identifier,
            kinds=self.kinds,
            hierarchies=self.hierarchies,
        )

    def _like_training(self, table: Table) -> Table:
        """New rows, their texts read as dates and numbers where those of the training data were."""
        known = self.release_.original
        empty = [
            table.frame[column.name].cast(known.frame[column.name].dtype)
            for column in table.columns
            if table.frame[column.name].dtype == pl.Null
        ]
        measured = [column for column in known.columns if column.kind in {"numeric", "date"}]
        return table.changed(table.frame.with_columns(empty)).describe(
            kinds={column.name: column.kind for column in measured},
            formats={column.name: column.format for column in measured if column.format is not None},
        )

    @staticmethod
    def _returned(frame: pl.DataFrame, given: Any) -> Any:
        """The rows in the caller's kind of table, or as an array."""
        return to_native(frame, Table.from_frame(given).given_as) if _is_frame(given) else frame.to_numpy()


class _Likeness:
    """Finds the training row whose quasi-identifiers are most similar.

    Rows are points. A number or a date is its place between the smallest and the largest of the training data, and a missing
    one is apart from all others. Any other value has an axis of its own: two different values of a column are as far apart as
    the smallest and the largest number of another.
    """

    def __init__(self, table: Table) -> None:
        from sklearn.neighbors import NearestNeighbors
        from sklearn.preprocessing import OneHotEncoder

        quasi = table.names("quasi")
        self._measured = {
            name: (float(axis_of(table.frame[name].drop_nulls()).min() or 0.0), table.extent(name) or 1.0)  # type: ignore[arg-type]  # of numbers
            for name in quasi
            if table.column(name).kind in MEASURED_KINDS
        }
        self._named = [name for name in quasi if name not in self._measured]
        self._first = table.frame.with_row_index(_ROW).unique(quasi, keep="first", maintain_order=True)[_ROW]
        different = table.take(self._first.to_numpy().astype(np.int64))
        if self._named:
            self._coder = OneHotEncoder(handle_unknown="ignore").fit(self._texts(different))
        self._search = NearestNeighbors(n_neighbors=1).fit(self._points(different))

    def nearest(self, table: Table) -> npt.NDArray[np.int64]:
        """For each row of a table, the training row that is most similar; of equal ones the first."""
        place = self._search.kneighbors(self._points(table), return_distance=False)[:, 0]
        found: npt.NDArray[np.int64] = self._first.to_numpy()[place].astype(np.int64)
        return found

    def _points(self, table: Table) -> Any:
        columns = []
        for name, (low, extent) in self._measured.items():
            places = axis_of(table.frame[name]).cast(pl.Float64)
            columns += [((places - low) / extent).fill_null(0.0).to_numpy(), places.is_null().to_numpy()]
        numbers = np.column_stack(columns).astype(np.float64) if columns else np.empty((table.rows, 0))
        if not self._named:
            return numbers
        from scipy.sparse import csr_array, hstack

        return hstack([csr_array(numbers), self._coder.transform(self._texts(table)) / np.sqrt(2.0)]).tocsr()

    def _texts(self, table: Table) -> npt.NDArray[np.object_]:
        return np.column_stack([as_text(table.frame[name]).to_numpy().astype(object) for name in self._named])


def _is_frame(given: Any) -> bool:
    return hasattr(given, "columns") or hasattr(given, "__arrow_c_stream__")
