"""What every command works with: the key, the client, where answers are written, and what a failure exits with."""

from __future__ import annotations

import json
import os
import shlex
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

import click

from causeway_sdk._client import ADDRESS_NAME, KEY_NAME, Causeway, read_address, read_key
from causeway_sdk._core import as_object, encode

if TYPE_CHECKING:
    from causeway_sdk._core import Answer, CausewayError, Plan
    from causeway_sdk._http import HTTPClient

REFUSED, MISUSED, UNANSWERED, UNKNOWN_KEY = 1, 2, 3, 4
"""Exit codes. 0 is done. Source: docs/guides/cli.md."""
LOCAL, LOGIN = Path(".local", "demo.json"), "login.json"
_FIRST = ("id", "type", "status", "amount", "currency", "reference", "created_at")
_WIDEST = 48


class Stop(click.ClickException):
    """Ends a command with words on stderr and an exit code."""

    def __init__(self, message: str, code: int) -> None:
        super().__init__(message)
        self.exit_code = code  # type: ignore[misc]  # declared for the class, and read from the error

    def show(self, file: Any = None) -> None:
        """Write the words."""
        say(self.message)


class Client(Causeway):
    """The SDK's client, which shows what it would send where that is asked, and asks before it changes live things."""

    def __init__(self, desk: Desk, key: str, address: str | None) -> None:
        super().__init__(key, address, http_client=desk.http_client)
        self._desk, self.is_live = desk, read_key(key).is_live

    def send(self, plan: Plan) -> Answer:
        """As the SDK does."""
        if self._desk.dry_run:
            click.echo(as_curl(plan, self.base_url))
            raise click.exceptions.Exit(0)
        if plan.verb != "GET" and self.is_live and not self._desk.yes:
            self._desk.yes = ask(f"{plan.verb} {plan.target} with a live key: this is real. Go on?")
        return super().send(plan)


@dataclass
class Desk:
    """The choices of one run. ``http_client`` is another one than the SDK's own, for tests."""

    http_client: HTTPClient | None = None
    address: str | None = None
    dry_run: bool = False
    yes: bool = False
    as_json: bool = False
    live: bool = False
    _client: Client | None = None

    @property
    def client(self) -> Client:
        """The client, made when it is first needed. Raises: CausewayError."""
        if self._client is None:
            key, address = self.credentials()
            self._client = Client(self, key, address)
        return self._client

    def credentials(self) -> tuple[str, str | None]:
        """The key and the address: of the environment, else of ``login``, else of ``make run`` in this folder.

        Raises: Stop where there is no key.
        """
        key, address = os.environ.get(KEY_NAME, ""), self.address or os.environ.get(ADDRESS_NAME)
        if not key:
            mode = "live" if self.live else "test"
            kept = as_object(kept_in(LOGIN).get(mode))
            if not kept and not self.live and LOCAL.is_file():
                local = as_object(json.loads(LOCAL.read_text(encoding="utf-8")))
                kept = {"api_key": local.get("test_secret_key"), "base_url": local.get("base_url")}
            key, address = str(kept.get("api_key") or ""), address or kept.get("base_url")
        if not key:
            raise Stop(
                f"No key. Run causeway login, or set {KEY_NAME} to a secret key (sk_test_… to try).", UNKNOWN_KEY
            )
        return key, read_address(address, read_key(key))

    @property
    def is_piped(self) -> bool:
        """Whether a program reads what is written."""
        return self.as_json or not sys.stdout.isatty()

    def write(self, value: dict[str, Any]) -> None:
        """One object: a line of JSON, or on a terminal a line for each key."""
        if self.is_piped:
            click.echo(encode(value))
            return
        width = max(map(len, value), default=0)
        for name, one in value.items():
            click.echo(f"{name:{width}}  {_shown(one)}")

    def write_rows(self, rows: Iterable[dict[str, Any]]) -> None:
        """Several objects: JSON lines as they come, or on a terminal a table."""
        if self.is_piped:
            for row in rows:
                click.echo(encode(row))
            return
        for line in table(list(rows)):
            click.echo(line)


def folder() -> Path:
    """Where this person's settings are kept."""
    return Path(click.get_app_dir("causeway"))


def kept_in(name: str) -> dict[str, Any]:
    """What a file of this person's settings holds."""
    try:
        return as_object(json.loads((folder() / name).read_text(encoding="utf-8")))
    except (FileNotFoundError, ValueError):
        return {}


def keep_in(name: str, values: dict[str, Any]) -> None:
    """Replace such a file whole, readable by its owner alone: it holds secrets."""
    file = folder() / name
    file.parent.mkdir(parents=True, exist_ok=True)
    draft = file.with_suffix(f".{os.getpid()}")
    with os.fdopen(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w", encoding="utf-8") as stream:
        json.dump(values, stream)
    draft.replace(file)


def table(rows: list[dict[str, Any]]) -> list[str]:
    """The lines of a table with the columns that say most."""
    if not rows:
        return ["(none)"]
    names = [name for name in _FIRST if name in rows[0]]
    names += [n for n, one in rows[0].items() if n not in names and not isinstance(one, (dict, list))][: 7 - len(names)]
    cells = [names, *([_shown(row.get(name))[:_WIDEST] for name in names] for row in rows)]
    widths = [max(len(line[place]) for line in cells) for place in range(len(names))]
    return ["  ".join(f"{one:{width}}" for one, width in zip(line, widths, strict=True)).rstrip() for line in cells]


def _shown(value: Any) -> str:
    """A value in a terminal. Why cleaned: what a payer wrote must not move the cursor."""
    text = "" if value is None else value if isinstance(value, str) else encode(value)
    return "".join(one if one.isprintable() else "�" for one in text)


def say(words: str) -> None:
    """Words for people, on stderr."""
    click.echo(words, err=True)


def ask(question: str) -> bool:
    """True, or Stop: nobody is there to ask, or they said no."""
    if not sys.stdin.isatty():
        raise Stop(f"{question} Add --yes where nobody can be asked.", MISUSED)
    if not click.confirm(question, err=True):
        raise Stop("Nothing was done.", REFUSED)
    return True


def as_curl(plan: Plan, address: str) -> str:
    """The same request for a terminal. The key is named, not shown."""
    parts = ["curl", "-X", plan.verb, shlex.quote(address + plan.target), "-H", f'"Authorization: Bearer ${KEY_NAME}"']
    for name, value in plan.headers.items():
        parts += ["-H", shlex.quote(f"{name}: {value}")]
    if plan.content is not None:
        parts += ["-d", shlex.quote(plan.content.decode())]
    return " ".join(parts)


def stop_for(error: CausewayError) -> NoReturn:
    """End the command as an error of the SDK deserves. Raises: Stop."""
    from causeway_sdk._core import APIConnectionError, APIError

    words, code = str(error), MISUSED
    if isinstance(error, APIConnectionError):
        code = UNANSWERED
        words += f"\nAsk again with --idempotency-key {error.idempotency_key}" if error.idempotency_key else ""
    elif isinstance(error, APIError):
        code = UNKNOWN_KEY if error.status in {401, 403} else UNANSWERED if _may_pass(error.status) else REFUSED
        words = f"{error.code}: {error.message}"
        words += f"\n{encode(error.details)}" if error.details else ""
        words += "".join(
            f"\n{one}" for one in (error.doc_url, error.request_id and f"Request {error.request_id}") if one
        )
    elif hasattr(error, "resource"):
        code = REFUSED
    raise Stop(words, code) from None


def _may_pass(status: int) -> bool:
    return status >= 500 or status in {408, 429}
