"""Where tests find the project and, where it is there, the real data beside it."""

from pathlib import Path

PROJECT = Path(__file__).resolve().parents[2]
DATA = PROJECT.parent / "shared" / "data"
"""Never a part of the project: a test that needs a file of it is skipped, with the reason, where the file is absent."""
