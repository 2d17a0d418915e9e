"""Receivers and subscribed endpoints."""

import socket
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import Any

import pytest
from django.core.cache import cache
from django.test import Client

from merchants.principal import Principal
from merchants.services import NewMerchant
from tests.merchants.people import proven
from tests.webhooks.actors import Subscriber, subscribe
from tests.webhooks.receivers import Receiver, receiver_on


@pytest.fixture(autouse=True)
def _no_name_server() -> Iterator[None]:
    """Names reserved for examples do not resolve, whatever the machine's name server says."""
    real = socket.getaddrinfo

    def getaddrinfo(host: Any, *rest: Any, **options: Any) -> Any:
        if str(host).removesuffix(".").lower().endswith(".example"):
            raise socket.gaierror(socket.EAI_NONAME, "no such name")
        return real(host, *rest, **options)

    with pytest.MonkeyPatch.context() as patch:  # why not the test's own: that switches saved stories off
        patch.setattr(socket, "getaddrinfo", getaddrinfo)
        yield


@pytest.fixture
def owner(account: NewMerchant) -> Client:
    cache.clear()
    return proven()


@pytest.fixture
def receivers() -> Iterator[Callable[[], Receiver]]:
    with ExitStack() as stack:
        yield lambda: stack.enter_context(receiver_on())


@pytest.fixture
def receiver(receivers: Callable[[], Receiver]) -> Receiver:
    return receivers()


@pytest.fixture
def subscriber(principal: Principal, receiver: Receiver) -> Subscriber:
    """An endpoint of the first merchant in test mode, subscribed to everything, at the receiver."""
    return subscribe(principal, receiver.url)
