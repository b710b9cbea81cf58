"""`sudare serve`: what it refuses before it listens."""

from __future__ import annotations

import builtins
import sys

import pytest

from sudare.cli import main


@pytest.fixture
def refused(tmp_path, capsys):
    """Call the command, which must say one sentence; that sentence."""

    def call(*arguments):
        assert main(["serve", "--root", str(tmp_path / "root"), *arguments]) == 2
        told = capsys.readouterr()
        assert told.out == ""
        assert told.err.count("\n") == 1
        return told.err.removeprefix("sudare: ").rstrip("\n")

    return call


@pytest.mark.parametrize("given", [[], ["--behind-tls-proxy"], ["--tokens", "tokens"]])
def test_other_machines_only_with_tokens_behind_a_proxy(refused, given):
    assert refused("--host", "0.0.0.0", *given).startswith("On 0.0.0.0 the server can be reached")
    assert refused("--host", "::", "--lang", "ja", *given).startswith("::")


def test_folders_connections_and_tokens_are_looked_at_first(refused, tmp_path):
    assert refused("--allow", str(tmp_path / "absent")).endswith("is not a folder.")
    assert "name=postgresql" in refused("--connection", "x")
    assert refused("--tokens", str(tmp_path / "absent")).endswith("cannot be read.")
    assert "'fr'" in refused("--lang", "fr")


def test_a_missing_extra_is_named(refused, monkeypatch):
    real = builtins.__import__

    def without(name, *given, **more):
        if name == "uvicorn":
            raise ModuleNotFoundError(name="uvicorn")
        return real(name, *given, **more)

    monkeypatch.delitem(sys.modules, "sudare.web.application", raising=False)
    monkeypatch.setattr(builtins, "__import__", without)
    assert refused() == "`sudare serve` needs the extra 'web'; install it with: pip install 'sudare[web]'"
    assert "追加機能「web」" in refused("--lang", "ja")


def test_a_port_that_is_taken(refused):
    import socket

    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        said = refused("--port", str(other.getsockname()[1]))
    assert said.startswith("The server could not listen on port")
