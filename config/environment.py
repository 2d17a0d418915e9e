"""Reads the environment: typed, from a variable or from the file that ``NAME_FILE`` names."""

import contextlib
import math
import os
import secrets
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import environ
from django.core.exceptions import ImproperlyConfigured

env: Any = environ.FileAwareEnv()
"""Untyped upstream; every setting that reads it is annotated where it is read."""

LAST_PORT = 65_535
SHORTEST_SECRET = 32
LOG_LEVELS = ("DEBUG", "INFO", "WARNING", "ERROR", "CRITICAL")
THIS_MACHINE = frozenset({"localhost", "127.0.0.1", "::1"})


def environment_errors(database_url: str, redis_url: str, base_url: str, allowed_hosts: list[str]) -> None:
    """Refuse a combination that cannot work. Raises: ImproperlyConfigured with one sentence."""
    if database_url and not database_url.startswith(("postgres://", "postgresql://")):
        raise ImproperlyConfigured(
            "DATABASE_URL must start with postgres:// or postgresql://. Leave it out for the embedded SQLite."
        )
    if database_url and not redis_url:
        raise ImproperlyConfigured(
            "DATABASE_URL is set but REDIS_URL is not: several processes need Redis for wake-ups and rate limits. "
            "Set REDIS_URL=redis://…, or leave both out for the embedded default."
        )
    if redis_url and not redis_url.startswith(("redis://", "rediss://", "unix://")):
        raise ImproperlyConfigured("REDIS_URL must start with redis://, rediss:// or unix://.")
    if redis_url and not database_url:
        raise ImproperlyConfigured("REDIS_URL is set but DATABASE_URL is not: set both, or neither.")
    _refuse_address(base_url, allowed_hosts)


def _refuse_address(base_url: str, allowed_hosts: list[str]) -> None:
    if not _is_origin(base_url):
        raise ImproperlyConfigured("BASE_URL must be like https://pay.example.com, without a path.")
    if base_url.startswith("http://") and urlsplit(base_url).hostname not in THIS_MACHINE:
        raise ImproperlyConfigured("BASE_URL must start with https://, except for localhost.")
    if not allowed_hosts:
        raise ImproperlyConfigured("ALLOWED_HOSTS is empty: name the host names this service answers to.")
    if any(host == "*" or host.startswith(".") for host in allowed_hosts):
        sentence = "ALLOWED_HOSTS must name hosts: with * or .example.com a caller chooses the name in our links."
        raise ImproperlyConfigured(sentence)


def _is_origin(url: str) -> bool:
    """Whether a URL is scheme, host and perhaps a port, and nothing else."""
    try:
        address = urlsplit(url)
        rest = (address.path, address.query, address.fragment, address.username, address.password)
        return address.scheme in {"http", "https"} and bool(address.hostname) and address.port != 0 and not any(rest)
    except ValueError:
        return False


def origins(name: str) -> list[str]:
    """Origins of web pages, in lower case. Raises: ImproperlyConfigured for anything else, ``*`` included."""
    named = [origin.strip().lower() for origin in env.list(name, default=[])]
    if not all(_is_origin(origin) for origin in named):
        raise ImproperlyConfigured(f"{name} must list origins like https://agent.example.com, separated by commas.")
    return named


def number(name: str, default: float) -> float:
    """A number above zero. Raises: ImproperlyConfigured.

    Why: the library reads ``1e2`` as 12, and fails without a sentence where there is no digit.
    """
    text: str = env.str(name, default="")
    try:
        value = float(text or default)
    except ValueError:
        value = 0
    if not 0 < value < math.inf:
        raise ImproperlyConfigured(f"{name} must be a number above 0, like 1 or 0.5, and not {text!r}.")
    return value


def port(name: str, default: int) -> int:
    """A port to listen on. Raises: ImproperlyConfigured."""
    text: str = env.str(name, default="") or str(default)
    if not (text.isascii() and text.isdigit() and 0 < int(text) <= LAST_PORT):
        raise ImproperlyConfigured(f"{name} must be a port from 1 to {LAST_PORT}, and not {text!r}.")
    return int(text)


def whole_number(name: str, default: int, *, least: int, most: int) -> int:
    """A whole number between bounds. Raises: ImproperlyConfigured."""
    text: str = env.str(name, default="").strip() or str(default)
    if not (text.isascii() and text.isdigit() and least <= int(text) <= most):
        raise ImproperlyConfigured(f"{name} must be a whole number from {least} to {most}, and not {text!r}.")
    return int(text)


def switch(name: str, *, default: bool) -> bool:
    """True or false. Raises: ImproperlyConfigured.

    Why: the library takes every word that it does not know for false.
    """
    text: str = env.str(name, default="").strip().lower()
    if text not in {"", *_ON, *_OFF}:
        raise ImproperlyConfigured(f"{name} must be true or false, and not {text!r}.")
    return text in _ON if text else default


def second_factor_for_live(name: str, embedded: bool) -> bool:  # noqa: FBT001 - one fact, given by name
    """Whether whoever lends anything of live mode must have a second factor. Raises: ImproperlyConfigured.

    Why it can be off at all: the demo merchant of the embedded default has no device to enrol.
    """
    required = switch(name, default=True)
    if not required and not embedded:
        raise ImproperlyConfigured(f"{name} can be off only in the embedded default: live mode moves real money.")
    return required


def one_of(name: str, allowed: tuple[str, ...], default: str) -> str:
    """One of the allowed words. Raises: ImproperlyConfigured."""
    text: str = env.str(name, default="") or default
    if text not in allowed:
        raise ImproperlyConfigured(f"{name} must be one of {', '.join(allowed)}, and not {text!r}.")
    return text


_ON, _OFF = frozenset({"true", "1", "yes", "on"}), frozenset({"false", "0", "no", "off"})


def database(name: str, options: dict[str, Any]) -> dict[str, Any]:
    """A database's settings from its address; ``options`` are added to those that the address carries.

    Raises: ImproperlyConfigured.
    """
    try:
        found: dict[str, Any] = env.db_url(name)
    except ValueError as error:
        raise ImproperlyConfigured(f"{name} must be like postgres://user:password@host:5432/name.") from error
    return found | {"OPTIONS": found.get("OPTIONS", {}) | options}


LOCK_MILLISECONDS, STATEMENT_MILLISECONDS = 2_000, 30_000
"""How long a statement waits for a lock, and how long it may take in all."""


def postgresql_options(*, pooled: bool) -> dict[str, Any]:
    """How a connection to PostgreSQL is opened.

    ``pooled``: each transaction may get another connection of the pool, so nothing is prepared on one; and the pool
    refuses ``options``, so it sets the same limits itself when it opens a connection.
    Source: https://www.pgbouncer.org/features.html; docs/operators.md, PgBouncer.
    """
    if pooled:
        return {"server_side_binding": True, "prepare_threshold": None}
    limits = f"-c lock_timeout={LOCK_MILLISECONDS} -c statement_timeout={STATEMENT_MILLISECONDS}"
    return {"server_side_binding": True, "prepare_threshold": 5, "options": limits}


def standby_options(*, pooled: bool) -> dict[str, Any]:
    """The same for a standby: it is given up when it cannot be reached, and nothing is written there by mistake.

    Units: ``connect_timeout`` in seconds, ``tcp_user_timeout`` in milliseconds. Why not by a pool: it refuses to be
    given what is not its own.
    """
    found = {**postgresql_options(pooled=pooled), "connect_timeout": 2, "tcp_user_timeout": 3_000}
    if not pooled:
        found["options"] += " -c default_transaction_read_only=on"
    return found


def secret_list(name: str, default: list[str]) -> list[str]:
    """Several secrets, the newest first; ``default`` where none is named.

    Raises: ImproperlyConfigured where one is too short.
    """
    found = [value.strip() for value in env.list(name, default=[])] or default
    for value in found:
        _refuse_short(name, value)
    return found


def load_or_create_secret(name: str, folder: Path, may_create: bool) -> str:  # noqa: FBT001 - a fact, not a switch
    """A secret from the environment, or the embedded default's own, made once and kept in a private file.

    Raises: ImproperlyConfigured where no secret is set and none may be made, or it is too short.
    """
    value: str = env.str(name, default="").strip()
    if value:
        return _refuse_short(name, value)
    if not may_create:
        raise ImproperlyConfigured(f"{name} (or {name}_FILE) must be set when DATABASE_URL is set.")
    path = folder / name.lower()
    try:
        folder.mkdir(parents=True, exist_ok=True)
        if not path.exists():
            _create_secret(path)
        return _refuse_short(str(path), path.read_text())
    except OSError as error:
        raise ImproperlyConfigured(f"LOCAL_DIR {folder} cannot be used: {error.strerror}.") from error


def _refuse_short(name: str, value: str) -> str:
    if len(value) < SHORTEST_SECRET:
        raise ImproperlyConfigured(f"{name} must have at least {SHORTEST_SECRET} characters.")
    return value


def _create_secret(path: Path) -> None:
    """Write a new secret whole before it has its name, so that a second process never reads half of one."""
    unfinished = path.with_suffix(f".{os.getpid()}")
    descriptor = os.open(unfinished, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "w") as file:
        file.write(secrets.token_urlsafe(48))
    with contextlib.suppress(FileExistsError):
        os.link(unfinished, path)
    unfinished.unlink()
