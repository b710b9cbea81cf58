"""One function removes passwords: from addresses as they should be and as they should not, settings and what quotes them."""

from pathlib import Path
from urllib.parse import quote

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from sudare.errors import ErrorSentence, InputError, redact, shown

# None of the letters of the secrets is in what stands around them.
SECRETS = st.text(alphabet="QXZ@:/?#&=%'\" \\;,.é密", min_size=1, max_size=30).map(lambda text: f"Q{text}X")
UNSPACED = SECRETS.map(lambda text: text.replace(" ", "_"))


def hides(text, secret):
    found = redact(text)
    for part in "QXZé密":
        assert part not in found, (text, found)
    return found


@given(
    SECRETS, st.sampled_from(["postgresql://", "postgres://", "postgresql:/", "postgresql:///", "mysql+x://"])
)
@example("Q@h:1/dX", "postgresql://")
@example("Q?a=b@cX", "postgresql://")
def test_the_password_of_an_address(secret, scheme):
    for password in (secret, quote(secret, safe="")):
        for rest in ("@h:5432/d", "@h/d?sslmode=require", "@", "@[::1]:1/d", ""):
            if not rest and "@" in password:
                continue  # the address of another host, with a shorter password
            found = hides(f"{scheme}ann:{password}{rest}", secret)
            assert found.startswith(scheme)


@given(SECRETS)
def test_a_scheme_without_slashes(secret):
    hides(f"postgresql:ann:{secret}@h/d", secret)
    hides(f"/home/ann/postgresql:/ann:{secret}@h/d", secret)


@given(SECRETS)
def test_settings_of_an_address(secret):
    for name in ("password", "pass%77ord", "PASSWORD", "sslpassword"):
        for value in (secret, quote(secret, safe="")):
            hides(f"postgresql://ann@h/d?{name}={value}", secret)
            hides(f"postgresql://h/d?user=ann&{name}={value}&sslmode=require", secret)


@given(SECRETS)
def test_settings_of_libpq(secret):
    quoted = "'" + secret.replace("\\", "\\\\").replace("'", "\\'") + "'"
    for value in (secret, quoted):
        for text in (
            f"host=h password={value} user=ann",
            f"password = {value}",
            f"PGPASSWORD={value} sudare",
        ):
            hides(text, secret)
            hides(f"/home/ann/{text}", secret)


@given(SECRETS)
def test_what_quotes_them(secret):
    for given_instead in (
        {"path": f"postgresql://ann:{secret}@h/d"},
        [f"postgresql://ann:{secret}@h/d"],
        {"host": "h", "password": secret},
        {"a": [{"path": f"host=h password={secret}"}]},
    ):
        hides(repr(given_instead), secret)
        assert "Q" not in shown(given_instead)
    assert "Q" not in shown(f"postgresql://ann:{'Q' * 300}@h/d")


@given(SECRETS)
def test_errors(secret):
    for path in (f"postgresql:/ann:{secret}@h/d", f"host=h password={secret}"):
        error = InputError("read.source.no_file", path=path)
        for text in (str(error), error.into("ja"), ErrorSentence("read.source.no_file", path=Path(path))):
            assert "Q" not in text
        assert "Q" not in str(InputError(f"A plain text: {path}"))


@pytest.mark.parametrize(
    "text",
    [
        "patients.csv",
        "C:/data/patients.csv",
        "/home/ann/password.csv",
        "sqlite:///home/ann/clinic.db",
        "postgresql://ann@h:5432/d",
        "postgresql://h1:1,h2:2/d",
        "postgresql:///d",
        "http://a/b?x=1",
        "data:2024@site.csv",
        "['age', 'password']",
        "ann@example.com",
    ],
)
def test_what_is_not_secret_stays(text):
    assert redact(text) == text


def test_a_recipe_keeps_harmless_settings_only():
    address = "postgresql://ann:s3cret@h/d?sslmode=require&password=x&passfile=/x&host=/run"
    assert redact(address, settings=True) == "postgresql://ann@h/d?sslmode=require&host=/run"


@pytest.mark.parametrize(
    "part", ["a", "a:", "aa:/b:", "postgres", "postgres:/a:", "password", "%70", "a=", "ab://", "@:"]
)
def test_long_texts_take_no_longer_than_they_are(part):
    """A search that tries every part of a text at every place would not end with these."""
    redact(part * 20_000)
    redact(f"postgresql://{part * 20_000}")
    redact(f"{part * 20_000}@")
