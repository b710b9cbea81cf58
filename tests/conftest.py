"""What all tests share: hypothesis asks no test to be quick, since the machine may be busy, and English is spoken."""

import gc
import os

import pytest
from hypothesis import settings

settings.register_profile("sudare", deadline=None)
settings.load_profile("sudare")
os.environ.pop("SUDARE_LANG", None)


@pytest.hookimpl(wrapper=True)
def pytest_collection():
    """Collect without the garbage collector: what is imported and collected stays to the end, so it need not search it."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()
