"""What all commands share: dispatch, errors as one sentence, exit codes."""

from __future__ import annotations

import functools
import importlib
import json
import os
import re
import sys
from collections.abc import Callable
from typing import Any

import typer

from sudare.cli import COMMANDS
from sudare.cli.language import SPOKEN, asked_language
from sudare.cli.later import load_later
from sudare.errors import (
    CancelledError,
    ErrorSentence,
    GuaranteeError,
    InfeasibleError,
    ParameterError,
    SudareError,
    did_you_mean,
    one_line,
)
from sudare.words.sentence import Sentence, shown_language

# The base of all errors in the words of a command; typer exports only its descendants.
_WrongUseError: Any = typer.BadParameter.__mro__[2]

_MEANT = {"anonymize": "run", "anonymise": "run", "verify": "check", "draft": "describe", "study": "assess"}
"""Commands that people expect, by what they do."""

HOLDS, DOES_NOT_HOLD, WRONG_USE, OUR_FAULT, CANCELED = 0, 1, 2, 3, 130


def run_command(name: str, arguments: list[str]) -> int:
    """Run one command; every error a user can cause becomes a sentence on standard error, in the command's language."""
    SPOKEN.set(asked_language(arguments))
    if name not in COMMANDS:
        meant = _MEANT.get(name)
        hint = ErrorSentence("hint.did_you_mean", name=meant) if meant else did_you_mean(name, COMMANDS)
        unknown = ParameterError("cli.no_command", name=name, hint=hint)
        return _fail(unknown, WRONG_USE, as_json=False)
    as_json = "--json" in arguments
    try:
        return _invoke(name, arguments)
    except _WrongUseError as error:
        wrong = ParameterError("cli.wrong_use", problem=_problem(error, arguments), command=name)
        return _fail(wrong, WRONG_USE, as_json=as_json)
    except (KeyboardInterrupt, typer.Abort, CancelledError):
        return _fail(CancelledError("cli.canceled"), CANCELED, as_json=as_json)
    except (GuaranteeError, InfeasibleError) as error:
        return _fail(error, DOES_NOT_HOLD, as_json=as_json)
    except SudareError as error:
        return _fail(error, WRONG_USE, as_json=as_json)
    except _ReaderGoneError:
        # The reader of our output has gone; writing to it at exit would fail again.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return HOLDS
    except Exception as error:
        if os.environ.get("SUDARE_TRACEBACK"):
            raise
        unexpected = SudareError("cli.unexpected", kind=type(error).__name__, message=one_line(str(error)))
        return _fail(unexpected, OUR_FAULT, as_json=as_json)


_USES = {
    "cli.no_option": r"No such option: (?P<option>\S+)",
    "cli.no_option_near": r"No such option: (?P<option>\S+) \((?:Possible options: |Did you mean )(?P<names>.*?)\??\)",
    "cli.missing_argument": r"Missing argument '(?P<name>.*)'",
    "cli.missing_option": r"Missing option '(?P<name>.*)'",
    "cli.extra_arguments": r"Got unexpected extra arguments?(?:\(s\))? \((?P<given>.*)\)",
    "cli.needs_value": r"Option '(?P<option>.*)' requires an argument",
    "cli.takes_no_value": r"Option '(?P<option>.*)' does not take a value",
}
"""What typer says of a wrong use, by the key of our sentence for it."""
_RULES = {
    "parameters.rules.whole": r"Input should be a valid integer\b.*",
    "parameters.rules.number": r"Input should be a valid number\b.*",
    "parameters.rules.at_least": r"Input should be greater than or equal to (?P<limit>.*)",
    "parameters.rules.at_most": r"Input should be less than or equal to (?P<limit>.*)",
}
"""The same of the value of an option."""


def _in_our_words(said: str, known: dict[str, str]) -> str | None:
    """Our sentence for what typer says, where we have one."""
    for key, pattern in known.items():
        found = re.fullmatch(pattern, said)
        if found is not None:
            return ErrorSentence(key, **found.groupdict())
    return None


def _problem(error: Any, arguments: list[str]) -> str:
    """What a wrong use is: in our words, or in those of typer, with what was given to the option that they speak of."""
    if isinstance(error.message, Sentence):
        return error.message
    message: str = error.format_message().rstrip(".")
    found = re.match(r"Invalid value for '(--[\w-]+)': (.*)", message)
    if found is None:
        return _in_our_words(message, _USES) or ErrorSentence("cli.usage", message=message)
    option, said = found.groups()
    rule = _in_our_words(said, _RULES)
    for place, argument in enumerate(arguments):
        given = argument.partition("=")[2] if argument.startswith(f"{option}=") else None
        if argument == option and place + 1 < len(arguments):
            given = arguments[place + 1]
        if given is not None:
            if rule is None:
                return ErrorSentence("cli.option_value", option=option, given=given, rule=said)
            return ErrorSentence("cli.option_rule", option=option, given=given, rule=rule)
    return ErrorSentence("cli.usage", message=message)


def _invoke(name: str, arguments: list[str]) -> int:
    load_later("polars")
    module = importlib.import_module(f"sudare.cli.{name}_command")
    app = typer.Typer(add_completion=False, pretty_exceptions_enable=False, rich_markup_mode="rich")
    app.command(name, no_args_is_help=False)(_guarded(module.command))
    command = typer.main.get_command(app)
    _set_language(command)
    _take_as_written(command)
    start = functools.partial(command.main, prog_name=f"sudare {name}", standalone_mode=False)
    if "--help" not in arguments:
        return int(start(args=arguments) or 0)
    from sudare.cli.help_page import help_in

    with help_in(SPOKEN.get(), command, name):
        start(args=["--help"])  # without the rest: `--lang` is also for commands that have no such option
    return HOLDS


def _set_language(command: Any) -> None:
    """Let the environment say which language `--lang` means when left out."""
    for parameter in command.params:
        if parameter.name == "lang" and parameter.default is not None:
            parameter.default = shown_language()


def _take_as_written(command: Any) -> None:
    """Let texts and switches through: typer would load pydantic, a fifth of what `check` loads, to find that a text is a text."""
    for parameter in command.get_params(typer.Context(command)):
        if parameter.type_descriptor.annotation in (str, list[str], bool):
            parameter._runtime_param = _AsWritten()  # noqa: SLF001  # typer fills it when it is first asked for


class _AsWritten:
    """What typer asks for the value of an option."""

    def coerce(self, value: Any, *, param: Any, ctx: Any) -> Any:  # noqa: ARG002  # what typer gives
        return () if value is None and param.multiple else value


def _guarded(command: Callable[..., int]) -> Callable[..., int]:
    """The command with Ctrl-C and a closed pipe as errors of ours: typer would exit before we can speak."""

    @functools.wraps(command)
    def guarded(*args: Any, **kwargs: Any) -> int:
        try:
            return command(*args, **kwargs)
        except KeyboardInterrupt:
            raise CancelledError from None
        except BrokenPipeError:
            raise _ReaderGoneError from None

    return guarded


class _ReaderGoneError(Exception):
    """The program that read our standard output has stopped."""


def _fail(error: SudareError, code: int, *, as_json: bool) -> int:
    sentence = error.into(SPOKEN.get())
    if as_json:
        print(json.dumps({"error": sentence, "exit_code": code}, ensure_ascii=False))
    # An error of ours is on one line; what typer quotes in it is not ours.
    print(f"sudare: {one_line(sentence)}", file=sys.stderr)
    return code
