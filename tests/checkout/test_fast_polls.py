"""The short way of a poll says that nothing changed where the long one finds the same state, and nowhere else."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any
from uuid import UUID, uuid4

import pytest
from django.db import transaction
from hypothesis import given
from hypothesis import strategies as st

from checkout.models import Branding
from checkout.views.access import issue_token
from core.clock import now
from core.language import LANGUAGES
from merchants.models import AllowedOrigin, Merchant
from payments.models import Credit, Leg, PayerWallet, PaymentAttempt, PaymentIntent
from payments.services.ownership import browser_of_secret
from tests.checkout.polls import OTHER, OWN, Page, Sent, Ways, open_pages, step, tag_of
from tests.conftest import ApiClient
from tests.factories.payments import credit
from tests.factories.rows import all_rows
from tests.payments.world import World
from tests.properties import search

pytestmark = pytest.mark.postgres


@pytest.fixture
def ways() -> Ways:
    return Ways()


Change = Callable[[World, PaymentIntent], object]


def _of_intent(**columns: Any) -> Change:
    return lambda world, intent: PaymentIntent.objects.filter(pk=intent.pk).update(**columns)


def _of_legs(**columns: Any) -> Change:
    return lambda world, intent: Leg.objects.filter(intent=intent).update(**columns)


def _of_attempts(**columns: Any) -> Change:
    return lambda world, intent: PaymentAttempt.objects.filter(intent=intent).update(**columns)


def _of_wallets(**columns: Any) -> Change:
    return lambda world, intent: PayerWallet.objects.filter(intent=intent).update(**columns)


def _of_branding(**columns: Any) -> Change:
    return lambda world, intent: Branding.objects.update_or_create(merchant_id=intent.merchant_id, defaults=columns)


def _passes(seconds: float) -> Change:
    return lambda world, intent: world.wait(seconds)


def _sent_a_while_ago(seconds: float) -> Change:
    def change(world: World, intent: PaymentIntent) -> object:
        return _of_legs(status="submitted", submitted_at=now() - timedelta(seconds=seconds))(world, intent)

    return change


def _begins(world: World, intent: PaymentIntent) -> object:
    """Somebody else tries, too."""
    number = PaymentAttempt.objects.filter(intent=intent).count() + 1
    return PaymentAttempt.objects.create(
        intent=intent, merchant_id=intent.merchant_id, mode=intent.mode, number=number, status="quoting",
        browser=browser_of_secret(f"{number:032}"), family="evm", payer_address="0x1",
    )  # fmt: skip


def _connects(world: World, intent: PaymentIntent) -> object:
    return PayerWallet.objects.update_or_create(
        intent=intent, browser=browser_of_secret(OTHER),
        defaults={"merchant_id": intent.merchant_id, "mode": intent.mode, "family": "evm", "address": str(uuid4())},
    )  # fmt: skip


CHANGES: tuple[Change, ...] = (
    _of_intent(status="settled", received_usd=25),
    _of_intent(status="executing", in_doubt=True),
    _of_intent(status="requires_payment", last_error_code="route_unavailable"),
    _of_intent(received_usd=26, overpaid_usd=1),
    _of_intent(return_url="https://shop.example/done"),
    _of_intent(metadata={"seen": "by nobody"}),
    _of_legs(status="confirmed", destination_tx_hash="0x" + "ab" * 32),
    _of_legs(confirmations=7),
    _sent_a_while_ago(598),
    _sent_a_while_ago(1500),
    _of_attempts(status="lapsed"),
    _of_attempts(lapses_at=None),
    _begins,
    _connects,
    _of_wallets(unread=["base"]),
    _of_wallets(address="0x2"),
    lambda world, intent: PayerWallet.objects.filter(intent=intent, browser=browser_of_secret(OTHER)).delete(),
    lambda world, intent: credit(intent, 25_000_000, purpose="stray", block_time=now()),
    lambda world, intent: Credit.objects.filter(intent=intent).update(reversed_at=now()),
    lambda world, intent: Merchant.objects.filter(pk=intent.merchant_id).update(name="Corner Shop & Sons"),
    _of_branding(display_name="The Corner"),
    _of_branding(display_name="Corners", accent="#123456"),
    lambda world, intent: Branding.objects.all().delete(),
    lambda world, intent: AllowedOrigin.objects.get_or_create(
        merchant_id=intent.merchant_id, mode=intent.mode, origin="https://other.example"
    ),
    lambda world, intent: AllowedOrigin.objects.all().delete(),
    lambda world, intent: step(intent),
    *(_passes(seconds) for seconds in (0.9, 2, 30, 299, 300, 1200)),
)
NOTHING: Change = lambda world, intent: None  # noqa: E731 - one among many


def _polls(pages: list[Page], place: int, draw: Callable[[Any], Any]) -> Sent:
    """Mostly as a page polls; else with something of another page's, or in another way."""
    page, other = pages[place], pages[draw(st.integers(0, len(pages) - 1))]
    if (now() - page.opened_at).total_seconds() > 600:
        page.renew()
    usual = draw(st.integers(0, 3)) > 0
    pk, last = page.intent.pk, page.tags[-1]
    if usual:
        return Sent(str(pk), page.token, last, OWN, "en")
    mixed = f"{page.tags[-2:][0][:33]}{last[33:]}"
    forged = f"{last.rpartition('.')[0].rpartition('.')[0]}.99999999999.{last.rpartition('.')[2]}"
    tags = [last, page.tags[-2:][0], other.tags[-1], forged, mixed, f"W/{last}", f'"x", {last}', f'{last[:33]}"', None]
    return Sent(
        named=draw(st.sampled_from([str(pk), f"pi_{pk}", pk.hex, str(other.intent.pk), str(UUID(int=7)), "7"])),
        token=draw(st.sampled_from([page.token, page.token, other.token, f"{page.token}x", ""])),
        tag=draw(st.sampled_from(tags)),
        browser=draw(st.sampled_from([OWN, OWN, OTHER, "", None, "short"])),
        language=draw(st.sampled_from(["en", None, "de-AT,de;q=0.9", *(each.code for each in LANGUAGES)])),
        origin=draw(st.sampled_from([None, None, "https://evil.example", "http://localhost"])),
        query=draw(st.sampled_from(["", "", "locale=de", "a=b"])),
        method=draw(st.sampled_from(["GET", "GET", "GET", "HEAD", "POST"])),
    )


@pytest.fixture
def pages(world: World, api: ApiClient) -> list[Page]:
    return open_pages(world, api)


@search(20)
@given(data=st.data())
def test_both_ways_are_one(data: st.DataObject, ways: Ways, world: World, pages: list[Page]) -> None:
    """Whatever changed since, and whatever else a poll has. Neither way leaves anything: looked at once in a search."""
    began = now()
    with transaction.atomic():
        for left in reversed(range(14)):
            place = data.draw(st.integers(0, len(pages) - 1))
            data.draw(st.sampled_from([*[NOTHING] * 20, *CHANGES]))(world, pages[place].intent)
            sent = _polls(pages, place, data.draw)
            before = None if left else all_rows()
            short, long, answered = ways.both(sent)
            assert short == long, sent
            assert left or all_rows() == before
            if tag := tag_of(answered):
                pages[place].tags.append(tag)
        transaction.set_rollback(True)
    world.clock.move_to(began, tick=False)
    for page in pages:
        page.tags, page.opened_at = ['"0"'], began
        page.renew()


@pytest.mark.parametrize("change", range(len(CHANGES)))
def test_each_change_is_seen_by_the_next_poll(change: int, ways: Ways, world: World, pages: list[Page]) -> None:
    """By who has the newest state: the short way may say that nothing changed only where the long one does."""
    for page in pages:
        sent = Sent(str(page.intent.pk), page.token, None, OWN, "en")
        *_, first = ways.both(sent)
        polling = sent._replace(tag=tag_of(first))
        *_, unchanged = ways.both(polling)
        assert unchanged[0] == 304
        with transaction.atomic():
            began = now()
            CHANGES[change](world, page.intent)
            short, long, _ = ways.both(polling._replace(token=issue_token(page.intent.pk)))
            assert short == long
            transaction.set_rollback(True)
        world.clock.move_to(began, tick=False)
