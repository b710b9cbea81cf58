"""`sd.Anonymizer`, the scikit-learn transformer: scikit-learn's own checks, and what it promises beyond them."""

import pickle
import subprocess
import sys
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from sklearn.base import clone
from sklearn.compose import ColumnTransformer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder
from sklearn.utils.estimator_checks import parametrize_with_checks

import sudare as sd

FRAME = pd.DataFrame(
    {
        "name": [f"p{row}" for row in range(12)],
        "age": [20, 21, 22, 40, 41, 42, 60, 61, 62, 80, 81, 82],
        "sex": ["F", "M"] * 6,
        "disease": ["flu", "gout", "flu"] * 4,
        "cost": np.arange(12) * 10.0,
    }
)
ROLES: dict[str, Any] = {"identifier": ["name"], "sensitive": ["disease"], "insensitive": ["cost"]}


def estimator(**options):
    return sd.Anonymizer("k-anonymity k=3", **{"method": "mondrian", **ROLES, **options})


@pytest.mark.slow
@parametrize_with_checks([sd.Anonymizer()])
def test_scikit_learn_checks(estimator, check):
    check(estimator)


def test_fit_transform_is_the_release_in_its_order():
    made = estimator()
    found = made.fit_transform(FRAME)
    assert list(found.columns) == ["age", "sex", "disease", "cost"] == list(made.get_feature_names_out())
    assert found["cost"].tolist() == FRAME["cost"].tolist()
    assert found.groupby(["age", "sex"]).size().min() >= 3
    assert made.release_.holds
    assert sd.KAnonymity(3).check(made.release_).reached == found.groupby(["age", "sex"]).size().min()
    assert list(made.feature_names_in_) == list(FRAME.columns)
    assert made.n_features_in_ == 5


def test_training_rows_get_from_transform_what_was_published():
    made = estimator()
    found = made.fit_transform(FRAME)
    pd.testing.assert_frame_equal(made.transform(FRAME), found)
    pd.testing.assert_frame_equal(
        made.transform(FRAME.iloc[[7, 2]]), found.iloc[[7, 2]].reset_index(drop=True)
    )


def test_new_rows_get_the_quasi_identifiers_of_the_most_similar_row_and_keep_the_rest():
    made = estimator()
    published = made.fit_transform(FRAME)
    new = FRAME.iloc[[0, 11]].assign(age=[18.4, np.nan], cost=[1.5, 2.5], disease=["new", "new"])
    found = made.transform(new)
    assert found["age"][0] == published["age"][0]
    assert set(found["age"]) | set(found["sex"]) <= set(published["age"]) | set(published["sex"])
    assert found["cost"].tolist() == [1.5, 2.5]
    assert found["disease"].tolist() == ["new", "new"]
    unknown = made.transform(new.assign(sex="X"))
    assert set(unknown["sex"]) <= set(published["sex"])


@pytest.mark.parametrize("kind", [pl.DataFrame, pa.Table.from_pandas, lambda frame: frame])
def test_tables_come_back_in_their_kind(kind):
    given = kind(FRAME)
    made = estimator()
    assert type(made.fit_transform(given)) is type(given)
    assert type(made.transform(given)) is type(given)
    assert made.set_output(transform="polars").transform(given).__class__ is pl.DataFrame


def test_arrays_come_back_as_numbers_that_meet_the_requirement():
    X = np.random.default_rng(0).normal(size=(40, 3))
    before = X.copy()
    found = sd.Anonymizer("k-anonymity k=4").fit_transform(X)
    assert np.array_equal(X, before)
    assert found.dtype == np.float64
    assert found.shape == X.shape
    assert np.unique(found, axis=0, return_counts=True)[1].min() >= 4


def test_it_works_in_a_pipeline_with_cross_validation_clone_and_pickle():
    steps = make_pipeline(
        sd.Anonymizer("k-anonymity k=2", quasi=["age", "sex"], method="mondrian"),
        ColumnTransformer([("hot", OneHotEncoder(handle_unknown="ignore"), ["age", "sex"])]),
        LogisticRegression(),
    )
    X, y = FRAME[["age", "sex"]], FRAME["age"] > 50
    assert 0 <= cross_val_score(clone(steps), X, y, cv=3).mean() <= 1
    steps.set_params(anonymizer__requirements=sd.KAnonymity(3))
    fitted = pickle.loads(pickle.dumps(steps.fit(X, y)))
    assert fitted.predict(X).tolist() == steps.predict(X).tolist()
    assert fitted.get_params()["anonymizer__requirements"] == sd.KAnonymity(3)


def test_dates_written_as_texts_are_read_in_new_rows_too():
    frame = pd.DataFrame({"born": [f"19{year}/01/02" for year in range(50, 62)]})
    made = sd.Anonymizer("k-anonymity k=3", method="mondrian", kinds={"born": "date"})
    found = made.fit_transform(frame)
    assert made.transform(pd.DataFrame({"born": ["1949/12/31"]}))["born"][0] == found["born"][0]


def test_methods_that_leave_out_rows_are_refused():
    made = estimator(method=["sampling share=0.75", "mondrian"], random_state=0)
    with pytest.raises(sd.SudareError) as caught:
        made.fit(FRAME)
    assert str(caught.value) == (
        "The method left out some of the 12 rows (9 are left), but a transformer must keep every row. "
        "Use a method that keeps them, such as method='mondrian'."
    )


def test_randomization_is_refused():
    made = sd.Anonymizer(
        "pk-anonymity k=2", method=sd.Randomize(ranges={"age": (0, 120)}), **ROLES, random_state=0
    )
    with pytest.raises(sd.SudareError, match=r"its method must not randomize"):
        made.fit(FRAME)


def test_without_scikit_learn_only_creating_it_is_refused():
    code = (
        "import sys; sys.modules['sklearn'] = None\n"
        "from sudare import *\n"
        "try:\n    Anonymizer()\nexcept SudareError as error:\n    print(error)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == (
        "sudare.Anonymizer needs scikit-learn, which is not installed. Run: pip install 'sudare[models]'.\n"
    )


def test_sudare_is_imported_without_scikit_learn():
    code = "import sys, sudare as sd; sd.Anonymizer; print('sklearn' in sys.modules); sd.KAnonymity"
    plain = code.replace("sd.Anonymizer; ", "")
    done = subprocess.run([sys.executable, "-c", plain], capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"
