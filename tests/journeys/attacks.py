"""What one caller, one merchant or one part's absence may do to a deployment, each held on while a block runs."""

import http
import os
import select
import socket
import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager, suppress
from itertools import count
from pathlib import Path
from threading import Event, Thread

from tests.journeys.http_caller import Caller, Unreachable, soon
from tests.journeys.production import Production
from tests.journeys.programs import Program, clean_environment
from tests.machine import PATIENCE_SECONDS, own_port

CONNECTIONS, RECEIVERS, INTENTS, DOCUMENTS, ROUNDS, PAYMENTS = 200, 5, 20, 60, 60, 30_000
_numbers = count(1)
_SIGN_IN = (
    "from django.test import Client; from merchants.models import User;"
    "c = Client(); c.force_login(User.objects.get(email='owner@{name}.example'));"
    "from config.middleware import session_signer; print(session_signer().sign(c.cookies['sessionid'].value))"
)
_WANT = "from mcp.oauth import documents; [documents.want(f'https://127.0.0.1:{port}/{{n}}') for n in range({count})]"

Attack = Callable[[Production], AbstractContextManager[None]]


@contextmanager
def silent_receivers(service: Production, receivers: int = RECEIVERS) -> Iterator[None]:
    """Endpoints of one merchant that take connections and never answer, with deliveries that are due."""
    attacker = service.merchant(f"attacker-{next(_numbers)}")
    with ExitStack() as stack:
        servers = [stack.enter_context(_silent_server()) for _ in range(receivers)]
        for server in servers:
            url = f"http://127.0.0.1:{server.getsockname()[1]}/"
            assert attacker.post("/webhook-endpoints", {"url": url, "events": ["*"]}).status == 201
        for _ in range(INTENTS):
            created = attacker.post("/payment-intents", {"amount": 25})
            assert attacker.post(f"/payment-intents/{created.body['id']}/cancel").status == 200
        held, _, _ = select.select(servers, (), (), PATIENCE_SECONDS)
        assert held, "nobody was kept waiting: this proves nothing"
        yield


@contextmanager
def one_hanging_endpoint(service: Production) -> Iterator[None]:
    """One is enough where two processes deliver."""
    with silent_receivers(service, 1):
        yield


@contextmanager
def bodies_that_never_come(service: Production) -> Iterator[None]:
    """Connections that announce a body, half of them where none belongs, and open again when they are closed."""
    heads = [
        f"{method} /api/public/v1/payment-intents HTTP/1.1\r\nHost: localhost\r\n{length}\r\n\r\n".encode()
        for method in ("POST", "GET")
        for length in ("Content-Length: 10", "Transfer-Encoding: chunked")
    ]
    with _many_connections(service, heads):
        yield


@contextmanager
def readers_that_stop(service: Production) -> Iterator[None]:
    """A signed-in person asks for one export after another, and reads none of them to its end."""
    name = f"attacker-{next(_numbers)}"
    _multiply(service, service.merchant(name).post("/payment-intents", {"amount": 25}).body["id"])
    session = service.manage("shell", "-c", _SIGN_IN.format(name=name)).split()[-1]
    head = f"GET /dashboard/test/payments/export/ HTTP/1.1\r\nHost: localhost\r\nCookie: sessionid={session}\r\n\r\n"
    with _many_connections(service, [head.encode()], most=8):
        yield


@contextmanager
def silent_documents(service: Production) -> Iterator[None]:
    """Documents of agents' clients that never come. The worker's reach is widened to servers of this machine."""
    worker = service.programs["worker upkeep"]
    worker.kill_with_children()
    usual, worker.command = worker.command, (sys.executable, "-m", "tests.journeys.reaching_worker", "upkeep")
    worker.start()
    try:
        with _silent_server() as server:
            service.manage("shell", "-c", _WANT.format(port=server.getsockname()[1], count=DOCUMENTS))
            held, _, _ = select.select([server], (), (), PATIENCE_SECONDS)
            assert held, "no document was read: this proves nothing"
            yield
    finally:
        worker.kill_with_children()
        worker.command = usual
        worker.start()


@contextmanager
def a_link_without_end(service: Production) -> Iterator[None]:
    """A stranger with one link begins one try after another, as fast as it is let."""
    keys, is_over = service.keys(f"attacker-{next(_numbers)}"), Event()
    owner, page = (
        Caller(base_url=service.base_url, key=keys[f"test_{kind}_key"]) for kind in ("secret", "publishable")
    )
    intent_id = owner.post("/payment-intents", {"amount": 25}).body["id"]
    token = page.post(f"/checkout/{intent_id}/session").body["checkout_token"]
    stranger = Caller(base_url=service.base_url)

    def insist() -> None:
        while not is_over.is_set():
            said = {"Checkout_Token": token, "Checkout_Browser": os.urandom(20).hex()}
            wallet = {"family": "evm", "address": "0x7e57" + os.urandom(18).hex()}
            wish = {"chain": "base", "token_address": "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913"}
            try:
                stranger.post(f"/checkout/{intent_id}/wallet", wallet, **said)
                stranger.post(f"/checkout/{intent_id}/quote", wish, **said)
            except Unreachable:
                continue

    thread = Thread(target=insist, daemon=True)
    thread.start()
    yield
    is_over.set()
    thread.join(PATIENCE_SECONDS)


@contextmanager
def a_lost_key(service: Production) -> Iterator[None]:
    """The key is changed under which another merchant's signing secret was stored."""
    attacker = service.merchant(f"attacker-{next(_numbers)}")
    with _silent_server() as server:
        url = f"http://127.0.0.1:{server.getsockname()[1]}/"
        assert attacker.post("/webhook-endpoints", {"url": url, "events": ["*"]}).status == 201
        usual = service.environment["SECRET_KEY"]
        _restart(service, SECRET_KEY="another-key-that-opens-none-of-what-was-stored-before")
        assert attacker.post("/payment-intents", {"amount": 25}).status == 201
        yield
        _restart(service, SECRET_KEY=usual)


@contextmanager
def own_redis(folder: Path) -> Iterator[Program]:
    """A Redis of one deployment's own, which may be stopped."""
    port = own_port()
    command = ("redis-server", "--port", str(port), "--bind", "127.0.0.1", "--save", "", "--dir", str(folder))
    program = Program(command, clean_environment(REDIS_URL=f"redis://127.0.0.1:{port}/0"), folder / "redis.log")
    program.start()
    soon(lambda: "Ready to accept connections" in program.printed(), "Redis")
    try:
        yield program
    finally:
        program.kill_with_children()


ATTACKS: dict[str, Attack] = {
    "silent receivers": silent_receivers,
    "one hanging endpoint": one_hanging_endpoint,
    "bodies that never come": bodies_that_never_come,
    "readers that stop": readers_that_stop,
    "silent documents": silent_documents,
    "a link without end": a_link_without_end,
    "a lost key": a_lost_key,
}


def dead(name: str) -> Attack:
    """One program of the deployment does not run."""

    @contextmanager
    def held(service: Production) -> Iterator[None]:
        service.programs[name].kill_with_children()
        yield
        service.revive()

    return held


@contextmanager
def older_tables(service: Production) -> Iterator[None]:
    """A web process of a newer version than its tables."""
    with service.connection() as connection:
        taken = connection.execute("DELETE FROM django_migrations WHERE app = 'payouts' RETURNING app, name, applied")
        rows = taken.fetchall()
        service.programs["web"].kill_with_children()
        service.revive()
        yield
        for row in rows:
            connection.execute("INSERT INTO django_migrations (app, name, applied) VALUES (%s, %s, %s)", row)


@contextmanager
def a_broken_invariant(service: Production) -> Iterator[None]:
    """The newest check of the books found something."""
    with service.connection() as connection:
        connection.execute(
            "INSERT INTO core_invariantcheck (asked_at, started_at, finished_at, violations, is_cut)"
            """ VALUES (now(), now(), now(), '["planted"]', false)"""
        )
        yield
        connection.execute("DELETE FROM core_invariantcheck WHERE violations = '[\"planted\"]'")


OUTAGES: dict[str, Attack] = {
    "worker": dead("worker money"),
    "worker.delivery": dead("worker delivery"),
    "worker.upkeep": dead("worker upkeep"),
    "worker.reader": dead("worker reader"),
    "beat": dead("beat"),
    "migrations": older_tables,
    "invariants": a_broken_invariant,
    "secrets": a_lost_key,
}
"""By the name under which readiness tells of it."""


def named(service: Production) -> set[str]:
    """What readiness says does not work; the web itself where it says nothing."""
    try:
        told = Caller(base_url=service.base_url).get("/api/public/health/ready").body["checks"]
    except Unreachable:
        return {"web"}
    return {name for name, check in told.items() if check["status"] != "ok"}


def forget_signs_of_life(service: Production) -> None:
    """From now on only who says again that it is alive counts as such."""
    with service.connection() as connection:
        connection.execute("DELETE FROM core_heartbeat")


def _restart(service: Production, **changes: str) -> None:
    service.end()
    service.environment.update(changes)
    service.revive()
    soon(lambda: _answers(service), "an answer")


def _answers(service: Production) -> bool:
    try:
        return Caller(base_url=service.base_url).get("/api/public/health").status == http.HTTPStatus.OK
    except Unreachable:
        return False


def _silent_server() -> socket.socket:
    """Takes connections and never reads or answers anything."""
    return socket.create_server(("127.0.0.1", own_port()), backlog=128)


@contextmanager
def _many_connections(service: Production, heads: list[bytes], most: int = CONNECTIONS) -> Iterator[None]:
    """Connections that send a head and nothing more, and read nothing; those that are closed are opened again."""
    port, is_over, opened = int(service.base_url.rpartition(":")[2]), Event(), Event()

    def renew(held: dict[int, socket.socket], number: int) -> None:
        if number in held and _is_closed(held[number]):
            held.pop(number).close()
        if number not in held:
            held[number] = made = socket.create_connection(("127.0.0.1", port), PATIENCE_SECONDS)
            made.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            made.sendall(heads[number % len(heads)])

    def keep() -> None:
        held: dict[int, socket.socket] = {}
        while not is_over.wait(0.2):
            for number in range(most):
                with suppress(OSError):
                    renew(held, number)
            opened.set()
        for made in held.values():
            made.close()

    thread = Thread(target=keep, daemon=True)
    thread.start()
    assert opened.wait(PATIENCE_SECONDS)
    yield
    is_over.set()
    thread.join(PATIENCE_SECONDS)


def _is_closed(held: socket.socket) -> bool:
    """Whether the other end is gone. Looks, and takes nothing away."""
    try:
        return held.recv(1, socket.MSG_PEEK | socket.MSG_DONTWAIT) == b""
    except BlockingIOError:
        return False
    except OSError:
        return True


def _multiply(service: Production, intent_id: str) -> None:
    """Copy one payment so often that a file of all is longer than what a connection holds."""
    with service.connection() as connection:
        rows = connection.execute(
            "SELECT column_name FROM information_schema.columns WHERE table_name = 'payments_paymentintent'"
            " AND column_name <> 'id' AND is_generated = 'NEVER'"
        ).fetchall()
        names = ", ".join(f'"{name}"' for (name,) in rows)
        connection.execute(
            f"INSERT INTO payments_paymentintent (id, {names}) SELECT gen_random_uuid(), {names}"  # noqa: S608 - our own
            " FROM payments_paymentintent, generate_series(1, %s) WHERE id = %s",
            [PAYMENTS, intent_id],
        )
