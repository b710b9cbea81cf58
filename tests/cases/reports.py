"""A small table and the report of a release of it."""

from __future__ import annotations

import numpy as np
import polars as pl
from tests.cases.pages import KINDS, LANGUAGES

from sudare.anonymize.simple.identifiers import RemoveIdentifiers
from sudare.api import anonymize
from sudare.assess.block_requirements import KAnonymity, LDiversity
from sudare.describe.table import Table
from sudare.read.source import SourceFacts
from sudare.release.manifest import manifest_of
from sudare.release.recipe.table import Output
from sudare.release.report import report_html
from sudare.release.table.manifest import data_facts
from sudare.verify.verify import verify_frame


def table_of(rows=200, **extra):
    numbers = np.random.default_rng(7)
    frame = pl.DataFrame(
        {
            "name": [f"Mx Nobody-{i}" for i in range(rows)],
            "age": numbers.integers(20, 90, rows),
            "city": numbers.choice(["Osaka", "Kyoto", "Nara"], rows),
            "disease": numbers.choice(["flu", "gout", "measles"], rows),
            **extra,
        }
    )
    facts = SourceFacts(name="secret_patients.csv", format="csv", sha256="feedface" * 8)
    return Table.from_frame(frame, source=facts).describe(
        identifier=["name"], quasi=["age", "city"], sensitive=["disease"]
    )


def manifest_for(release, tmp_path, recipe=None):
    data = tmp_path / "data.csv"
    flat = release.table.frame.drop(pl.selectors.nested())  # CSV has no lists
    flat.write_csv(data)
    output = Output.of(folder=str(tmp_path))
    manifest = manifest_of(
        release,
        output,
        data_facts(release, output, data),
        recipe=None,
        run="run-number-1",
        head="7:" + "c" * 64,
    )
    return {**manifest, "recipe": recipe}


def findings_for(release, manifest):
    return verify_frame(
        release.table.frame, manifest["columns"], manifest["requirements"], manifest["hierarchies"]
    )


def pages_of(release, tmp_path, **given):
    manifest = manifest_for(release, tmp_path, **given)
    findings = findings_for(release, manifest)
    return {
        (kind, language): report_html(release, findings, manifest, kind=kind, language=language)
        for kind in KINDS
        for language in LANGUAGES
    }


def unchanged(table):
    return anonymize(table, method=RemoveIdentifiers(), measures=["loss", "suppressed"])


def released():
    return anonymize(table_of(), KAnonymity(5), LDiversity(2))
