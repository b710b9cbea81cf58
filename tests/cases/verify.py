"""What the tests of the independent verifier share: columns, small tables, and one requirement checked."""

import polars as pl

from sudare.verify.verify import verify_frame

COLUMNS = {
    "age": {"role": "quasi", "kind": "numeric"},
    "sex": {"role": "quasi", "kind": "nominal"},
    "disease": {"role": "sensitive", "kind": "nominal"},
}


def table(*blocks):
    """One block per list of sensitive values."""
    rows = [(str(number), value) for number, block in enumerate(blocks) for value in block]
    return pl.DataFrame(rows, schema={"block": pl.String, "value": pl.String}, orient="row")


def check(frame, requirement, kind="nominal", hierarchy=None, order=None):
    columns = {"block": {"role": "quasi", "kind": "nominal"}, "value": {"role": "sensitive", "kind": kind}}
    if order is not None:
        columns["value"]["order"] = order
    no_identifiers, finding = verify_frame(
        frame, columns, [requirement], {} if hierarchy is None else {"value": hierarchy}
    )
    assert no_identifiers.holds
    assert finding.requirement == requirement
    return finding
