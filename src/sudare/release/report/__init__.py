"""The report of a release for people: one self-contained HTML page, English or Japanese, internal or public.

- `common`: what every report shares: words (`words/en/report.yaml` and its Japanese twin), templates, verdicts, provenance.
- `table.page`, `baskets.page`: the figures and sentences of each section, put into the template `page.html.j2` beside it.
- `charts`: columns before and after, aggregated, and their drawings.
"""

from __future__ import annotations

from sudare.release.report.table.page import report_html

__all__ = ["report_html"]
