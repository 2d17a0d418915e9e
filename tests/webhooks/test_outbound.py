"""Nothing is dialled that must not be: the URL corpus at save time and at send time, names, rebinding, redirects.

Only the system is replaced, not the service: its name resolution is scripted and its dialling counted.
"""

import asyncio
import socket
import threading
from collections.abc import Callable
from typing import Any

import pytest
from django.conf import LazySettings

from core.modes import Mode
from core.outbound.addresses import Reach, may_dial
from core.outbound.answers import Undelivered
from core.outbound.client import GuardedClient
from core.outbound.dialling import MOST_ADDRESSES
from merchants.principal import Principal
from tests.conftest import ApiClient
from tests.machine import PATIENCE_SECONDS
from tests.webhooks.actors import happen, subscribe
from tests.webhooks.hostile_urls import GOOD, LITERALS, PRIVATE_IPV4, PRIVATE_IPV6, RESOLVING, SPELLED, TRAPS
from tests.webhooks.receivers import Receiver, answer
from webhooks import services
from webhooks.delivery import drain
from webhooks.errors import WebhookUrlNotAllowed
from webhooks.models import DeliveryAttempt, WebhookEndpoint
from webhooks.services.urls import LOOK_UP_SECONDS

PUBLIC = "93.184.215.14"
PUBLIC_V6 = "2606:2800:21f:cb07:6820:80da:af6b:8b2c"


class Network:
    """A scripted resolver and a record of every address dialled. Only this machine really answers."""

    def __init__(self) -> None:
        self.names: dict[str, list[list[str]]] = {}
        self.dialled: list[str] = []

    def resolves(self, name: str, *answers: list[str]) -> None:
        """What a name resolves to, first time, second time, ...; the last one stays."""
        self.names[name] = list(answers)

    def getaddrinfo(self, host: str, port: int | None, **options: Any) -> list[Any]:
        """The system's resolver, scripted."""
        answers = self.names.get(host.lower().removesuffix("."), [[PUBLIC]])
        addresses = answers.pop(0) if len(answers) > 1 else answers[0]
        if not addresses:
            raise socket.gaierror(socket.EAI_NONAME, "no such name")
        return [
            (socket.AF_INET6, socket.SOCK_STREAM, 6, "", (address, port or 0, 0, 0))
            if ":" in address
            else (socket.AF_INET, socket.SOCK_STREAM, 6, "", (address, port or 0))
            for address in addresses
        ]


@pytest.fixture
def network(monkeypatch: pytest.MonkeyPatch) -> Network:
    scripted = Network()
    real: Any = asyncio.selector_events.BaseSelectorEventLoop.sock_connect

    async def sock_connect(loop: Any, sock: socket.socket, address: Any) -> None:
        scripted.dialled.append(address[0])
        if address[0] not in {"127.0.0.1", "::1"}:
            raise ConnectionRefusedError(111, "nobody is there")
        await real(loop, sock, address)

    monkeypatch.setattr(socket, "getaddrinfo", scripted.getaddrinfo)
    monkeypatch.setattr(asyncio.selector_events.BaseSelectorEventLoop, "sock_connect", sock_connect)
    return scripted


def post_all(urls: list[str], reach: Reach = Reach.PUBLIC) -> list[str]:
    """Post to each URL; the reason why nothing was delivered, or the status."""

    async def all_of_them() -> list[str]:
        client = await GuardedClient.open(reach)
        told = []
        for url in urls:
            try:
                told.append(str((await client.post(url, b"{}", {})).status))
            except Undelivered as failure:
                told.append(failure.reason)
        await client.close()
        return told

    return asyncio.run(all_of_them())


def refused_at_save(url: str) -> bool:
    try:
        services.check_url(Mode.LIVE, url).require_public_answers()
    except WebhookUrlNotAllowed:
        return True
    return False


@pytest.mark.spec("Rulings B6.1")
def test_public_addresses_may_be_dialled_and_loopback_where_it_is_allowed_and_nothing_else() -> None:
    assert len({*LITERALS, *SPELLED, *RESOLVING, *TRAPS}) >= 250
    assert len(GOOD) >= 20
    special = (*PRIVATE_IPV4, *PRIVATE_IPV6)
    assert [address for address in special if may_dial(address, Reach.PUBLIC)] == []
    allowed = [address for address in special if may_dial(address, Reach.PUBLIC_AND_LOOPBACK)]
    assert allowed == ["127.0.0.0", "127.0.0.1", "127.0.0.53", "127.1.2.3", "127.255.255.255", "::1"]
    public = ("8.8.8.8", "1.1.1.1", PUBLIC, PUBLIC_V6, "100.63.255.255", "100.128.0.1", "2001:200::1", "2a00::1")
    assert [address for address in public if not may_dial(address, Reach.PUBLIC)] == []
    no_numbers = ("", "localhost", "127.1", "1.2.3", "2130706433", "::1%lo", "fe80::1%eth0")
    assert [text for text in no_numbers for reach in Reach if may_dial(text, reach)] == []


@pytest.mark.spec("Contract 11.10; Contract 21.9")
def test_every_hostile_url_is_refused_when_saved_and_not_dialled_when_sent(
    network: Network, receiver: Receiver
) -> None:
    for name, address in RESOLVING.items():
        network.resolves(name, [address])
    urls = [*LITERALS, *SPELLED, *TRAPS, *(f"https://{name}:{receiver.port}/hook" for name in RESOLVING)]
    assert [url for url in urls if not refused_at_save(url)] == []
    outcomes = dict(zip(urls, post_all(urls), strict=True))
    assert set(outcomes.values()) == {"url_not_allowed", "address_not_allowed"}
    assert (network.dialled, receiver.received) == ([], [])


def test_good_urls_are_accepted_and_dialled(network: Network) -> None:
    assert [url for url in GOOD if refused_at_save(url)] == []
    assert set(post_all(list(GOOD))) == {"connection_failed"}
    assert len(network.dialled) >= len(GOOD)
    assert all(may_dial(address, Reach.PUBLIC) for address in network.dialled)


@pytest.mark.spec("Contract 11.10; Contract 21.9; Rulings B1.2")
def test_a_name_is_dialled_at_the_good_addresses_that_it_has_when_it_is_sent(
    network: Network, receiver: Receiver
) -> None:
    """One that turns private after it was saved is not dialled; one that does not resolve yet is accepted."""
    network.resolves("rebind.attacker.example", [PUBLIC], ["127.0.0.1"])
    network.resolves("later.shop.example", [])
    for url, reason in (
        (f"https://rebind.attacker.example:{receiver.port}/", "address_not_allowed"),
        ("https://later.shop.example/", "dns_error"),
    ):
        assert not refused_at_save(url)
        assert post_all([url, url]) == [reason, reason]
        assert network.dialled == []
    network.resolves("mixed.attacker.example", ["127.0.0.1", PUBLIC, "169.254.169.254", PUBLIC_V6, "::1"])
    assert not refused_at_save("https://mixed.attacker.example/")
    assert post_all(["https://mixed.attacker.example/"]) == ["connection_failed"]
    assert set(network.dialled) == {PUBLIC, PUBLIC_V6}
    network.dialled.clear()
    network.resolves("crowd.attacker.example", [*(f"10.0.0.{number}" for number in range(MOST_ADDRESSES)), PUBLIC])
    assert post_all(["https://crowd.attacker.example/"]) == ["connection_failed"]
    assert network.dialled == [PUBLIC]


@pytest.mark.spec("Rulings B1.2")
@pytest.mark.slow
def test_saving_does_not_wait_for_a_resolver_that_hangs(monkeypatch: pytest.MonkeyPatch) -> None:
    let_go, answered = threading.Event(), threading.Event()

    def hang(*_: object, **__: object) -> list[Any]:
        let_go.wait(PATIENCE_SECONDS)
        answered.set()
        return []

    monkeypatch.setattr(socket, "getaddrinfo", hang)
    assert LOOK_UP_SECONDS == 1
    assert not refused_at_save("https://slow.shop.example/")
    assert not answered.is_set()
    let_go.set()
    assert answered.wait(PATIENCE_SECONDS)


def test_a_redirect_is_an_answer_and_not_followed_and_a_proxy_in_the_environment_is_not_used(
    monkeypatch: pytest.MonkeyPatch, network: Network, receivers: Callable[[], Receiver]
) -> None:
    elsewhere, receiver = receivers(), receivers()
    for name in ("HTTP_PROXY", "http_proxy", "HTTPS_PROXY", "ALL_PROXY"):
        monkeypatch.setenv(name, f"http://127.0.0.1:{elsewhere.port}")
    for status in (200, 301, 302, 303, 307, 308):
        receiver.script = answer(status, Location=elsewhere.url)
        assert post_all([receiver.url], Reach.PUBLIC_AND_LOOPBACK) == [str(status)]
    assert (len(receiver.received), elsewhere.received) == (6, [])


def test_a_kept_connection_of_a_test_endpoint_never_serves_a_live_one(
    network: Network, principal: Principal, receiver: Receiver
) -> None:
    network.resolves("both.shop.example", ["127.0.0.1"])
    live = Principal(merchant_id=principal.merchant_id, mode=Mode.LIVE, actor="key:live")
    url = f"http://localhost:{receiver.port}/hook"
    network.resolves("localhost", ["127.0.0.1"])
    subscribe(principal, url)
    made = subscribe(live, "https://8.8.8.8/")
    WebhookEndpoint.objects.filter(pk=made.endpoint.pk).update(url=url)
    happen(principal)
    happen(live)
    drain()
    assert len(receiver.received) == 1
    assert DeliveryAttempt.objects.get(mode="live").error == "url_not_allowed"


@pytest.mark.spec("Contract 5.11")
def test_the_api_says_which_rule_a_url_breaks(api: ApiClient) -> None:
    for url, reason in (
        *(("https://10.0.0.1/", "address"), ("https://user:word@hooks.shop.example/", "credentials")),
        *(("http://hooks.shop.example/", "scheme"), ("https://hooks.shop.example:22/", "port")),
        ("nonsense", "format"),
    ):
        reply = api.post("/webhook-endpoints", {"url": url, "events": ["*"]})
        assert (reply.status, reply.body["code"]) == (400, "webhook_url_not_allowed")
        assert reply.body["details"] == {"reason": reason}, url
    assert not WebhookEndpoint.objects.exists()


@pytest.mark.spec("Contract 21.9")
def test_loopback_is_for_test_mode_where_the_operator_allows_it(
    api: ApiClient, live_api: ApiClient, settings: LazySettings
) -> None:
    def create(client: ApiClient, url: str) -> int:
        return client.post("/webhook-endpoints", {"url": url, "events": ["*"]}).status

    local = ["http://localhost:9150/a", "http://127.0.0.1:9150/a", "http://[::1]:9150/a", "https://localhost:9150/a"]
    assert [create(api, url) for url in local] == [201, 201, 201, 201]
    assert [create(live_api, url) for url in local] == [400, 400, 400, 400]
    assert create(api, "http://10.0.0.1:9150/a") == 400
    assert create(api, "http://hooks.shop.example:9150/a") == 400
    settings.WEBHOOK_LOOPBACK_ALLOWED = False
    assert [create(api, url) for url in local] == [400, 400, 400, 400]
    assert WebhookEndpoint.objects.count() == 4
