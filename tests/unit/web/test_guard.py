"""Who may ask: names, origins, tokens, cookies; what every answer says to browsers."""

from __future__ import annotations

import pytest
from fastapi.testclient import TestClient
from tests.unit.web.conftest import API, HOST

from sudare.web.guard import CSP


@pytest.fixture
def browser(app, settings):
    """A browser that has opened the printed address."""
    found = TestClient(app, base_url=HOST, follow_redirects=False)
    answer = found.get(f"/?token={settings.token}&lang=ja")
    assert answer.status_code == 303
    assert answer.headers["location"] == "/?lang=ja"
    cookie = answer.headers["set-cookie"]
    assert "HttpOnly" in cookie
    assert "SameSite=Lax" in cookie
    assert cookie.startswith("sudare-8080=")
    assert settings.token not in cookie
    return found


def test_without_a_token_only_health_answers(app):
    nobody = TestClient(app, base_url=HOST)
    assert nobody.get(f"{API}/health").json()["status"] == "ok"
    refused = nobody.get(f"{API}/projects")
    assert refused.status_code == 401
    assert refused.headers["content-type"] == "application/problem+json"
    assert refused.headers["www-authenticate"] == "Bearer"
    assert refused.json()["type"] == "urn:sudare:unauthorized"


@pytest.mark.parametrize("token", ["", "wrong", "トークン".encode()])
def test_a_wrong_token_is_refused(app, token):
    nobody = TestClient(app, base_url=HOST, follow_redirects=False)
    headers = {b"Authorization": b"Bearer " + (token if isinstance(token, bytes) else token.encode())}
    assert nobody.get(f"{API}/projects", headers=headers).status_code == 401
    assert nobody.get("/", params={"token": token}).status_code == 401


@pytest.mark.parametrize(
    "host",
    [
        "evil.example",
        "127.0.0.1.evil.example",
        "localhost:80:80",
        "127.0.0.1:x",
        "",
        "[::1",
        "127.0.0.1@evil",
    ],
)
def test_other_names_are_refused(client, host):
    answer = client("GET", "/projects", headers={"Host": host})
    assert answer.status_code == 403
    assert client("GET", "/health", headers={"Host": host}).status_code == 403


@pytest.mark.parametrize("host", ["localhost", "LOCALHOST:1", "127.0.0.1:8080", "[::1]:8080"])
def test_our_names_are_taken_with_any_port(client, host):
    assert client("GET", "/projects", headers={"Host": host}).status_code == 200


@pytest.mark.parametrize(
    "origin", ["http://evil.example", "null", "https://127.0.0.1:8080", "http://127.0.0.1:81"]
)
@pytest.mark.parametrize("method", ["GET", "POST"])
def test_other_origins_are_refused_even_with_a_token(client, origin, method):
    answer = client(method, "/projects", json={"name": "a"}, headers={"Origin": origin})
    assert answer.status_code == 403


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({}, 403),
        ({"Origin": "http://127.0.0.1:8080"}, 201),
        ({"Sec-Fetch-Site": "same-origin"}, 201),
        ({"Sec-Fetch-Site": "none"}, 403),
        ({"Sec-Fetch-Site": "same-site"}, 403),
        ({"Sec-Fetch-Site": "cross-site"}, 403),
        ({"Sec-Fetch-Site": "cross-site", "Origin": "http://127.0.0.1:8080"}, 403),
        ({"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "document"}, 403),
    ],
)
def test_a_change_with_a_cookie_comes_from_our_page(browser, headers, status):
    assert browser.post(f"{API}/projects", json={"name": "a"}, headers=headers).status_code == status


def test_a_cookie_reads_and_a_visit_from_elsewhere_may_too(browser):
    assert browser.get(f"{API}/projects").status_code == 200
    visit = {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "document"}
    assert browser.get(f"{API}/projects", headers=visit).status_code == 200
    script = {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "cors"}
    assert browser.get(f"{API}/projects", headers=script).status_code == 403
    frame = {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "iframe"}
    assert browser.get(f"{API}/projects", headers=frame).status_code == 403


@pytest.mark.parametrize(
    "change", [lambda value: value[:-2], lambda value: "x" + value, lambda value: "a.b.c", lambda value: ""]
)
def test_a_changed_cookie_is_none(browser, app, change):
    cookie = browser.cookies["sudare-8080"]
    other = TestClient(app, base_url=HOST, cookies={"sudare-8080": change(cookie)})
    assert other.get(f"{API}/projects").status_code == 401


def test_a_cookie_outlives_a_restart_but_not_its_user(browser, settings):
    from dataclasses import replace

    from sudare.web.application import application

    cookies = {"sudare-8080": browser.cookies["sudare-8080"]}
    again = TestClient(application(replace(settings, token="another")), base_url=HOST, cookies=cookies)
    assert again.get(f"{API}/projects").status_code == 200
    team = TestClient(
        application(replace(settings, tokens={"ann": "0" * 64})), base_url=HOST, cookies=cookies
    )
    assert team.get(f"{API}/projects").status_code == 401


def test_every_answer_has_the_headers(client):
    answers = [
        client("GET", "/projects"),
        client("GET", "/nothing"),
        client("GET", "/projects", headers={"Host": "a"}),
    ]
    for answer in answers:
        assert answer.headers["content-security-policy"] == CSP
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert answer.headers["referrer-policy"] == "same-origin"
        assert answer.headers["cache-control"] == "no-store"


def test_the_policy_is_that_of_the_design():
    assert CSP == (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
        "form-action 'self'; frame-src 'self'; frame-ancestors 'none'; base-uri 'none'"
    )


def test_large_bodies_are_refused(client):
    large = b"x" * 2_000_001
    assert client("POST", "/projects", content=large).status_code == 413
    assert client("POST", "/projects", content=iter([large])).status_code == 413
    assert client("POST", "/projects", headers={"Content-Length": "-1"}, content=b"{}").status_code == 413


def test_behind_a_proxy_cookies_are_secure_and_origins_https(team, settings):
    app = team["ann"].http.app
    found = TestClient(app, base_url="https://sudare.example", follow_redirects=False)
    answer = found.get("/?token=token of ann")
    assert "; Secure" in answer.headers["set-cookie"]
    ours = {"Origin": "https://sudare.example"}
    assert found.post(f"{API}/projects", json={"name": "a"}, headers=ours).status_code == 201
    assert (
        found.post(
            f"{API}/projects", json={"name": "a"}, headers={"Origin": "http://sudare.example"}
        ).status_code
        == 403
    )


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"headers": {"Accept-Language": "ja-JP,en;q=0.5"}}, "このアドレス"),
        ({"params": {"lang": "ja"}}, "このアドレス"),
        ({"headers": {"Cookie": "lang=ja"}}, "このアドレス"),
        ({"headers": {"Accept-Language": "fr"}}, "There is nothing"),
    ],
)
def test_problems_are_told_in_the_language_of_the_reader(client, given, said):
    assert client("GET", "/projects/0123456789abcdef", **given).json()["detail"].startswith(said)
