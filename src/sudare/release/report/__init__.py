"""The report of a release for people: one self-contained HTML page, English or Japanese, internal or public.

- `page`: what the page says, put into the template `page.html.j2`.
- `sections`: the figures and sentences of each section.
- `distributions`, `spans`: columns before and after, aggregated; `charts` draws them.
- `texts`: every word a reader sees, in `texts_en.yaml` and `texts_ja.yaml`.
"""

from __future__ import annotations

from sudare.release.report.table.page import report_html

__all__ = ["report_html"]
