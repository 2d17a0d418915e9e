"""Points of the crash tests are armed from outside, so money code must not go round the places that are armed.

Every commit passes Django's connection, every call outside one of ``tests.crash.boundaries``. Whatever in money code
could commit or go out by another way is refused here. Which those places are is data there; that the libraries used
end in them is shown below.
"""

import ast
import re
from collections.abc import Callable, Iterator
from typing import Any

import boto3
import pytest
import requests
from django.apps import apps
from urllib3.connectionpool import HTTPConnectionPool
from web3 import HTTPProvider, Web3

from tests.architecture.source import Module, app_modules, called_name, calls, imports, parse
from tests.crash.boundaries import BOUNDARIES
from tests.machine import PATIENCE_SECONDS

MONEY = (
    *("payments", "refunds", "payouts", "chains", "webhooks", "checkout"),
    *("core.outbound", "core.dispatch", "core.transitions", "core.bulk", "core.locks", "merchants.claims"),
)
GOES_OUT = (
    *("socket", "socketserver", "http.client", "urllib.request", "ftplib", "smtplib", "subprocess", "multiprocessing"),
    *("httpx", "httpx2", "urllib3", "websockets", "websocket", "grpc", "psycopg", "psycopg2", "sqlite3", "redis"),
    *("kombu", "aiohttp", "pycurl", "paramiko", "pika"),
)
"""Libraries that reach something outside by a way that is not armed. Those that end in urllib3 are not among them."""
ALLOWED = {
    ("core.outbound.wire", "aiohttp"): "below the armed GuardedClient.post",
    ("core.outbound.answers", "socket"): "tells what went wrong and sends nothing",
    ("core.outbound.dialling", "socket"): "below the armed GuardedClient.post",
    ("core.outbound.destinations", "socket"): "resolves names and sends nothing",
}
DIALS = {("core.outbound.dialling", "create_connection"): "an event loop's, over a socket that was judged"}
BY_HAND = frozenset({"set_autocommit", "open_connection", "create_connection", "get_new_connection", "copy_expert"})
PROCESSES = frozenset({"fork", "system", "popen", "posix_spawn", "execv", "execvp"})
ENDS_A_TRANSACTION = re.compile(r"^\s*(COMMIT|BEGIN|END|ROLLBACK|COPY|CALL|PREPARE TRANSACTION|START TRANSACTION)\b")
UNQUOTED_WRITE = re.compile(r"\b(INSERT INTO|UPDATE|DELETE FROM|MERGE INTO)\s+(?!ONLY\b)[A-Za-z_]\w*")


def escapes(module: Module) -> list[str]:
    found = [module.at(node, f"imports {name}") for node, name in imports(module) if _goes_out(module, name)]
    found += [module.at(call, f"{called_name(call)}()") for call in calls(module) if _is_by_hand(module, call)]
    found += [module.at(node, "the driver's own connection") for node in module.nodes if _is_driver(node)]
    return found + [module.at(call, f"SQL that {why}") for call in calls(module) for why in _sql_faults(call)]


def _goes_out(module: Module, name: str) -> bool:
    library = next((one for one in GOES_OUT if name == one or name.startswith(f"{one}.")), None)
    return library is not None and (module.dotted, library) not in ALLOWED


def _is_by_hand(module: Module, call: ast.Call) -> bool:
    called, name = call.func, called_name(call)
    if (module.dotted, name) in DIALS:
        return False
    of_os = isinstance(called, ast.Attribute) and isinstance(called.value, ast.Name) and called.value.id == "os"
    return name in BY_HAND or (name in PROCESSES and of_os)


def _is_driver(node: ast.AST) -> bool:
    """``connection.connection``: what is done with it, Django's connection does not see."""
    return (
        isinstance(node, ast.Attribute)
        and node.attr == "connection"
        and isinstance(node.value, ast.Name)
        and node.value.id.endswith("connection")
    )


def _sql_faults(call: ast.Call) -> Iterator[str]:
    """Why by the quotes: points are found by the names of tables as Django writes them."""
    if called_name(call) not in {"execute", "executemany", "raw", "RunSQL"}:
        return
    texts = [node.value for node in ast.walk(call) if isinstance(node, ast.Constant) and isinstance(node.value, str)]
    for text in texts:
        if ENDS_A_TRANSACTION.search(text):
            yield "ends a transaction"
        if UNQUOTED_WRITE.search(text):
            yield "writes a table without quotes"


def test_no_money_code_escapes_the_points() -> None:
    modules = [module for module in app_modules() if module.is_in(*MONEY)]
    assert [place for module in modules for place in escapes(module)] == []
    found = {(module.dotted, name.partition(".")[0]) for module in app_modules() for _, name in imports(module)}
    assert set(ALLOWED) - found == set()
    text = """
import socket
from urllib.request import urlopen
import psycopg
from redis import Redis
connection.connection.commit()
transaction.set_autocommit(False)
cursor.execute("COMMIT")
cursor.execute("UPDATE payouts_payout SET base_units = 1")
os.system("curl https://node.example")
asyncio.open_connection("node.example", 443)
with connection.cursor() as cursor:
    cursor.execute('UPDATE "payouts_payout" SET base_units = 1')
with transaction.atomic():
    payout.save()
requests.get("https://node.example")
"""
    assert sorted(escapes(parse("payouts/planted.py", text))) == [
        "payouts/planted.py:10: system()",
        "payouts/planted.py:11: open_connection()",
        "payouts/planted.py:2: imports socket",
        "payouts/planted.py:3: imports urllib.request.urlopen",
        "payouts/planted.py:4: imports psycopg",
        "payouts/planted.py:5: imports redis.Redis",
        "payouts/planted.py:6: the driver's own connection",
        "payouts/planted.py:7: set_autocommit()",
        "payouts/planted.py:8: SQL that ends a transaction",
        "payouts/planted.py:9: SQL that writes a table without quotes",
    ]


def test_every_boundary_is_there() -> None:
    assert [boundary for boundary in BOUNDARIES if not callable(boundary.found()[1])] == []


def test_every_signer_is_a_boundary() -> None:
    """A class that signs, wherever it is: one that is added must be armed, too."""
    found = {
        (module.dotted, owner.name, method.name)
        for module in app_modules()
        if module.app == "chains"
        for owner in module.nodes
        if isinstance(owner, ast.ClassDef) and not any(getattr(base, "id", "") == "Protocol" for base in owner.bases)
        for method in owner.body
        if isinstance(method, ast.FunctionDef) and method.name in {"sign_evm", "sign_solana"}
    }
    armed = {(one.module, one.owner, one.function) for one in BOUNDARIES if one.name == "signing"}
    assert armed == found


def test_every_table_of_money_is_watched(monkeypatch: pytest.MonkeyPatch, tmp_path_factory: Any) -> None:
    monkeypatch.setenv("CRASH_FOLDER", str(tmp_path_factory.mktemp("points")))
    from tests.crash.armed import WRITE  # noqa: PLC0415 - it reads the environment above

    tables = [model._meta.db_table for app in MONEY[:5] for model in apps.get_app_config(app).get_models()]
    assert [table for table in tables if not WRITE.search(f'UPDATE "{table}" SET')] == []


@pytest.mark.parametrize("library", ["boto3", "requests", "web3"])
def test_a_library_ends_in_the_armed_place(library: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(pool: HTTPConnectionPool, *_: object, **__: object) -> None:
        raise _Reached(pool.host)

    monkeypatch.setattr(HTTPConnectionPool, "urlopen", refuse)
    with pytest.raises(_Reached, match=r"node\.example"):
        _ASKS[library]()


class _Reached(BaseException):
    """What stands in the armed place was called. Why not an Exception: libraries wrap those."""


def _ask_aws() -> object:
    place: dict[str, Any] = {"region_name": "eu-west-1", "endpoint_url": "https://node.example"}
    client: Any = boto3.client("kms", **place, aws_access_key_id="a", aws_secret_access_key="b")
    return client.list_keys()


_ASKS: dict[str, Callable[[], object]] = {
    "boto3": _ask_aws,
    "requests": lambda: requests.get("https://node.example", timeout=PATIENCE_SECONDS),
    "web3": lambda: Web3(HTTPProvider("https://node.example")).eth.chain_id,
}
