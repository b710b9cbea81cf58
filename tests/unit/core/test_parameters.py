def test_fields_are_described_by_the_docstrings_below_them_also_inherited_ones():
    from sudare.measure.catalogue import MEASURE_PARAMETERS
    from sudare.release.recipe.table import json_schema

    (gcp,) = (one for one in MEASURE_PARAMETERS.schema()["oneOf"] if "gcp" in str(one.get("properties")))
    assert gcp["properties"]["weights"]["description"].startswith("Weight of each quasi-identifier")
    assert json_schema()["properties"]["output"]["description"] == "What is written, and where."
