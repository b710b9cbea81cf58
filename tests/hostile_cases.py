"""What every test of spoiled input asks of an error."""


def sentence(error):
    """What was raised is one sentence of a length that one reads."""
    text = str(error.value)
    assert "\n" not in text
    assert text[-1] in ".?"
    assert len(text) < 1500
    return text
