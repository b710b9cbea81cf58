"""The experiment of click streams, made small."""

import pytest
from tests.cases.places import DATA

from sudare.experiments.baskets import baskets


@pytest.mark.slow
@pytest.mark.skipif(not (DATA / "bms").is_dir(), reason=f"{DATA / 'bms'} is absent")
def test_the_orders_of_the_paper_come_out(tmp_path):
    outcome = baskets(DATA, repetitions=1, sampled_repetitions=1, rhos=[0.5], shares=[0.05, 0.8], risks=[0.1])
    failed = [check.sentence for check in outcome.checks if not check.holds]
    assert not failed
    assert set(outcome.figures) == {f"figure-{number}{letter}" for number in range(3, 8) for letter in "ab"}
    assert outcome.write(tmp_path).read_text(encoding="utf-8").count(".svg") == 10
    assert outcome.tables["rho"].height == 8
    by_risk = outcome.tables["eps"]
    assert set(by_risk["rule"]) == {"paper", "exact"}
    assert by_risk["dangerous"].is_between(0, 1).all()
    (table,) = outcome.printed.values()
    assert table.height == 4
    assert table["lost, paper"][0] == f"{by_risk.filter(rule='paper')['util1'][0]:.3f}"
    # The default also runs the paper's strategy, so that it loses less is no finding.
    circular = [check.sentence for check in outcome.checks if check.by_construction]
    assert len(circular) == 4
    assert all("the default has the smaller" in sentence for sentence in circular)
