"""What all tests share: hypothesis asks no test to be quick, since the machine may be busy."""

from hypothesis import settings

settings.register_profile("sudare", deadline=None)
settings.load_profile("sudare")
