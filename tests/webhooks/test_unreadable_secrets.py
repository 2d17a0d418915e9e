"""A signing secret that no key opens holds up its own receiver alone, and nothing of it is lost."""

import logging
from collections.abc import Callable
from datetime import timedelta

import pytest

from core.clock import now
from merchants.principal import Principal
from tests.payments.world import World
from tests.webhooks.actors import happen, subscribe
from tests.webhooks.receivers import Receiver
from webhooks.delivery import claims, drain
from webhooks.models import Delivery, SigningSecret
from webhooks.states import Outcome

pytestmark = pytest.mark.slow
LOST = b"gAAAAABmade-under-a-key-that-is-gone"


@pytest.mark.parametrize("before", [1, 5])
def test_the_others_are_told_and_nothing_is_lost(
    before: int,
    world: World,
    principal: Principal,
    receivers: Callable[[], Receiver],
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    """Also where more of its deliveries wait before the others' than one batch holds."""
    monkeypatch.setattr(claims, "BATCH", 3)
    mute, heard = receivers(), receivers()
    sealed = subscribe(principal, mute.url)
    written = bytes(SigningSecret.objects.get(endpoint=sealed.endpoint).ciphertext)
    SigningSecret.objects.filter(endpoint=sealed.endpoint).update(ciphertext=LOST)
    for _ in range(before):
        happen(principal)
    assert drain() == 0
    subscribe(principal, heard.url)
    world.wait(1)
    happen(principal)
    with caplog.at_level(logging.ERROR, "causeway.webhooks"):
        assert drain() == 1
    assert (len(heard.received), len(mute.received)) == (1, 0)
    waiting = Delivery.objects.filter(endpoint=sealed.endpoint)
    assert set(waiting.values_list("outcome", "attempts")) == {(Outcome.DUE, 0)}
    [said] = {record.getMessage() for record in caplog.records}
    assert said.startswith(f"webhook_secret_unreadable endpoint={sealed.endpoint.pk}: No key of ENCRYPTION_KEYS")
    SigningSecret.objects.filter(endpoint=sealed.endpoint).update(ciphertext=written)
    world.wait(claims.PUT_OFF.total_seconds())
    assert drain() == before + 1
    assert len(mute.received) == before + 1


def test_during_a_rotation_the_secret_that_opens_signs(principal: Principal, receivers: Callable[[], Receiver]) -> None:
    receiver = receivers()
    endpoint = subscribe(principal, receiver.url).endpoint
    SigningSecret.objects.create(
        endpoint=endpoint,
        merchant_id=principal.merchant_id,
        mode=principal.mode,
        ciphertext=LOST,
        expires_at=now() + timedelta(hours=1),
    )
    happen(principal)
    assert drain() == 1
    [request] = receiver.received
    assert request.headers["Svc-Signature"].count("v1=") == 1
