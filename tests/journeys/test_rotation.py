"""Every secret of a running deployment is exchanged under custom: nothing is refused, lost or told twice differently.

The steps are those of docs/rotation.md, in its words.
"""

import os
import secrets
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

import psycopg
import pytest
import redis
from psycopg import sql

from tests.journeys.attacks import own_redis
from tests.journeys.custom import Custom, beside, roll
from tests.journeys.http_caller import Caller, soon
from tests.journeys.production import ENTRY, Production, production
from tests.journeys.programs import ROOT
from tests.journeys.recipe import Receiver, receiving
from tests.journeys.stories import is_settled, register
from tests.machine import PATIENCE_SECONDS, own_port
from tests.templates import on_server

pytestmark = [pytest.mark.postgres, pytest.mark.exhaustive]

WHO = "SELECT count(*) FROM pg_stat_activity WHERE usename = %s"


@contextmanager
def logins(url: str, *names: str) -> Iterator[list[str]]:
    """Roles that sign in and then are the tables' owner; the database's address for each."""
    owner = urlsplit(url).username or ""
    words = [secrets.token_hex(16) for _ in names]
    with psycopg.connect(on_server(url, "postgres"), autocommit=True) as connection:
        for name, word in zip(names, words, strict=True):
            made = sql.SQL("CREATE ROLE {} LOGIN PASSWORD {} IN ROLE {}")
            connection.execute(made.format(sql.Identifier(name), sql.Literal(word), sql.Identifier(owner)))
            acts = sql.SQL("ALTER ROLE {} SET role = {}")
            connection.execute(acts.format(sql.Identifier(name), sql.Identifier(owner)))
        try:
            server = urlsplit(url)
            yield [
                server._replace(netloc=f"{name}:{word}@{server.hostname}:{server.port}").geturl()
                for name, word in zip(names, words, strict=True)
            ]
        finally:
            for name in names:
                connection.execute(sql.SQL("DROP ROLE {}").format(sql.Identifier(name)))


def user_of_redis(url: str, name: str) -> str:
    """A second one who may do all; the address for it."""
    word = secrets.token_hex(16)
    with redis.Redis.from_url(url) as client:
        client.execute_command("ACL", "SETUSER", name, "on", f">{word}", "~*", "&*", "+@all")
    server = urlsplit(url)
    return server._replace(netloc=f"{name}:{word}@{server.hostname}:{server.port}").geturl()


def reencrypt(service: Production, *arguments: str) -> tuple[int, list[str]]:
    done = subprocess.run(
        (*ENTRY, "reencrypt", *arguments),
        env=service.environment,
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    return done.returncode, (done.stdout + done.stderr).splitlines()


def session_of(custom: Custom, page: Caller) -> dict[str, str]:
    """A checkout that a payer has open: what is shown with its token."""
    intent_id = next(iter(custom.made.values()))
    opened = page.post(f"/checkout/{intent_id}/session")
    assert opened.status == 200, opened.raw
    return {"path": f"/checkout/{intent_id}/state", "token": opened.body["checkout_token"]}


def shown(session: dict[str, str], page: Caller) -> int:
    return page.send("GET", session["path"], Checkout_Token=session["token"]).status


def rotate_webhook_secret(on: "Stage") -> None:
    """The merchant's receiver knows both secrets as soon as there are two."""
    answer = on.merchant.post(f"/webhook-endpoints/{on.endpoint}/rotate-secret")
    assert answer.status == 200, answer.raw
    on.receiver.secrets.append(answer.body["secret"])


@dataclass(kw_only=True)
class Stage:
    """A deployment under custom, and what it is known by."""

    service: Production
    custom: Custom
    receiver: Receiver
    page: Caller
    endpoint: str
    broker: str

    @property
    def merchant(self) -> Caller:
        return self.custom.callers[0]


@contextmanager
def stage(folder: Path, first: dict[str, str], broker: str) -> Iterator[Stage]:
    """Two web processes, a worker of each kind and a receiver, before anything is exchanged."""
    port = int(urlsplit(first["BASE_URL"]).port or 0)
    with production(folder, port, **first) as service, receiving() as receiver:
        keys = service.keys("shop")
        addresses = [service.base_url, beside(service, own_port())]
        custom = Custom([Caller(base_url=one, key=keys["test_secret_key"]) for one in addresses])
        page = Caller(base_url=addresses[0], key=keys["test_publishable_key"])
        endpoint = register(custom.callers[0], receiver)
        yield Stage(
            service=service, custom=custom, receiver=receiver, page=page, endpoint=endpoint, broker=broker
        )  # fmt: skip


def test_every_secret_is_exchanged_under_custom(tmp_path: Path) -> None:
    port, suffix = own_port(), secrets.token_hex(4)
    before, after = f"before_{suffix}", f"after_{suffix}"
    database = on_server(os.environ["DATABASE_URL"], f"journey_{port}")
    with own_redis(tmp_path) as broker, logins(database, before, after) as (database_before, database_after):
        broker_url = broker.environment["REDIS_URL"]
        old, sealed_old, new, sealed_new = (secrets.token_urlsafe(48) for _ in range(4))
        first = {
            "BASE_URL": f"http://localhost:{port}", "DATABASE_URL": database_before, "SECRET_KEY": old,
            "ENCRYPTION_KEYS": sealed_old, "RATE_LIMIT_SCALE": "1000", "redis_url": user_of_redis(broker_url, before),
        }  # fmt: skip
        with stage(tmp_path, first, broker_url) as on:
            with on.custom:
                on.custom.grown()
                session = session_of(on.custom, on.page)
                roll(
                    on.service, SECRET_KEY_FALLBACKS=new, ENCRYPTION_KEYS=f"{sealed_old},{sealed_new}",
                    DATABASE_URL=database_after, REDIS_URL=user_of_redis(broker_url, after),
                )  # fmt: skip
                on.custom.grown()
                nobody_is(before, on)
                assert shown(session, on.page) == 200
                roll(on.service, SECRET_KEY=new, SECRET_KEY_FALLBACKS=old, ENCRYPTION_KEYS=f"{sealed_new},{sealed_old}")
                rotate_webhook_secret(on)
                on.custom.grown()
                assert shown(session, on.page) == 200
                seal_again(on.service)
                roll(on.service, SECRET_KEY_FALLBACKS="", ENCRYPTION_KEYS=sealed_new)
                on.custom.grown()
                assert shown(session, on.page) == 401, "the one thing that shows the retired key still"
            nothing_was_lost(on)


def nothing_was_lost(on: Stage) -> None:
    """No request was refused, all is settled and told, and a repeat gets what was answered under the old key."""
    custom = on.custom
    assert custom.refused == []
    soon(lambda: all(is_settled(on.merchant, one) for one in custom.made.values()), "all settled")
    on.receiver.wait_for(
        lambda got: all(got.sequences(one) == [1, 2, 3, 4] for one in custom.made.values()), PATIENCE_SECONDS
    )
    assert {delivery.genuine for delivery in on.receiver.deliveries} == {True}
    again = {key: custom.ask("/payment-intents", {"amount": 25}, key).body["id"] for key in custom.made}
    assert again == custom.made
    assert "All invariants hold." in on.service.manage("check_invariants")


def seal_again(service: Production) -> None:
    code, said = reencrypt(service, "--check")
    assert (code, said[-1]) == (1, "CommandError: Needed still: key 2.")
    soon(lambda: reencrypt(service)[0] == 0, "nothing under the old key")


def nobody_is(name: str, on: Stage) -> None:
    """No connection signed in by this name any more, so its password can go; and it goes.

    Why waited for: a server sees a moment later that who was connected has ended.
    """
    with psycopg.connect(on.service.environment["DATABASE_URL"], autocommit=True) as connection:
        soon(lambda: connection.execute(WHO, [name]).fetchone() == (0,), f"no connection of {name} to the database")
        connection.execute(sql.SQL("ALTER ROLE {} NOLOGIN PASSWORD NULL").format(sql.Identifier(name)))
    with redis.Redis.from_url(on.broker) as client:
        soon(lambda: all(one["user"] != name for one in client.client_list()), f"no connection of {name} to Redis")
        assert client.execute_command("ACL", "DELUSER", name) == 1
