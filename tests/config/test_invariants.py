"""Each invariant, seen red once: rows that are as they must be, then one thing is planted that can not be true."""

import json
import re
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import timedelta
from decimal import Decimal
from typing import Any
from uuid import uuid4

import pytest
from django.core.management import CommandError, call_command
from django.db import DatabaseError, connection, transaction
from django.db.models import FloatField
from eth_account import Account
from eth_utils.address import to_checksum_address

from chains.models import SigningAccount, SimulatedTransaction, Transfer, TransferAttempt, TransferTransition
from config.invariants import INVARIANTS, Scope, violations
from config.invariants.reading import one_moment
from core.clock import now
from core.models import Heartbeat
from core.secrets import encrypt
from merchants.models import IdempotencyRecord
from merchants.services import NewMerchant
from payments.models import Credit, IntentTransition, PaymentIntent
from payments.services.transition import apply_trigger, locked_intent
from payouts.models import Payout, PayoutTransition
from refunds.models import Refund, RefundTransition
from tests.crash.conftest import shop  # noqa: F401 - a fixture
from tests.factories.money_out import account, landed, paid_payout, paid_refund, transfer_row
from tests.factories.payments import credit
from tests.races.shop import Shop
from tests.webhooks.actors import subscribe
from webhooks.delivery.fan_out import fan_out
from webhooks.models import Delivery, Event, SigningSecret

pytestmark = pytest.mark.django_db


@dataclass(frozen=True)
class World:
    """Two settled intents of one merchant: one paid back, one paid out; and an event that somebody wanted."""

    shop: Shop
    refund: Refund
    payout: Payout
    other: NewMerchant

    @property
    def returned(self) -> PaymentIntent:
        """The intent that was paid back."""
        return _intent_of(self.refund)

    @property
    def kept(self) -> PaymentIntent:
        """The intent that was paid out."""
        return _intent_of(self.payout)


def _intent_of(row: Refund | Payout) -> PaymentIntent:
    return PaymentIntent.objects.get(pk=str(row.intent_id))


@pytest.fixture
def world(shop: Shop, other_account: NewMerchant) -> World:  # noqa: F811 - the fixture
    subscribe(shop.principal, "https://receiver.example/hooks")
    first, second = _settled(shop), _settled(shop)
    refund, payout = paid_refund(first), paid_payout(second)
    _mark_refunded(first)
    fan_out()
    return World(shop=shop, refund=refund, payout=payout, other=other_account)


def _settled(shop: Shop) -> PaymentIntent:  # noqa: F811 - not the fixture
    intent_id = shop.create()
    assert shop.pay(intent_id).status == 200
    shop.finish()
    return shop.row(intent_id).get()


def _mark_refunded(intent: PaymentIntent) -> None:
    """As the refund's own transaction does."""
    locked = locked_intent(intent.pk)
    apply_trigger(locked, "refund", actor="worker")
    PaymentIntent.objects.filter(pk=intent.pk).update(refunded_usd=intent.received_usd)


def found(scope: Scope = Scope()) -> list[str]:  # noqa: B008 - immutable
    return list(violations(scope))


def test_a_world_as_it_must_be_violates_nothing(world: World) -> None:
    assert found() == []


Plant = Callable[[World], object]


def _set(rows: Any, **fields: Any) -> int:
    changed: int = rows.update(**fields)
    assert changed, "nothing was planted"
    return changed


def _signed_by(world: World, *, units: int = 25_000_000, nonce: int = 11, **fields: Any) -> Transfer:
    """A transfer by an EVM account, with one transaction signed by a real library."""
    token, recipient = world.payout.token_address, world.payout.destination
    data = "0xa9059cbb" + recipient[2:].lower().rjust(64, "0") + f"{units:064x}"
    wallet = Account.create()
    signed = wallet.sign_transaction(
        {"type": 2, "chainId": 8453, "nonce": nonce, "to": to_checksum_address(token), "value": 0, "data": data}
        | {"gas": 60_000, "maxFeePerGas": 10**9, "maxPriorityFeePerGas": 10**6}
    )
    facts = {"rail": "evm", "account": account(world.payout), "nonce": 11, "purpose": "test", "base_units": 25_000_000}
    transfer = transfer_row("payout", world.payout, **facts | fields)
    raw, tx_hash = signed.raw_transaction.to_0x_hex(), transfer.tx_hash
    TransferAttempt.objects.create(transfer=transfer, sequence=1, raw=raw, tx_hash=tx_hash)
    return transfer


def _second_solana_attempt(world: World, *, lapsed: bool, height: int) -> None:
    transfer = transfer_row("payout", world.payout, rail="solana", purpose="test", chain="solana")
    first, second = f"{transfer.pk}1", f"{transfer.pk}2"
    TransferAttempt.objects.create(transfer=transfer, sequence=1, raw="", tx_hash=first, last_valid_height=100)
    if lapsed:
        TransferTransition.objects.create(subject=transfer, trigger="lapse", to_status="new", actor="worker")
    TransferAttempt.objects.create(transfer=transfer, sequence=2, raw="", tx_hash=second, last_valid_height=height)
    _set(Transfer.objects.filter(pk=transfer.pk), tx_hash=second)


def _living_twice(world: World) -> None:
    with connection.cursor() as cursor:
        cursor.execute("DROP INDEX one_living_transfer_per_purpose")
    transfer_row("refund", world.refund, round=2)


def _gap(world: World, *nonces: int) -> None:
    held = account(world.payout, next_nonce=max(nonces) + 1)
    for nonce in nonces:
        transfer_row("payout", world.payout, purpose="test", purpose_id=uuid4(), account=held, nonce=nonce)


def _nonce_again(world: World) -> None:
    _gap(world, 11)
    _set(SigningAccount.objects.all(), next_nonce=11)


def _one(rows: Any) -> Any:
    """Only the first of the rows, so that it can be updated."""
    return rows.model.objects.filter(pk=rows.values_list("pk", flat=True)[0])


def _broken_promise(world: World) -> None:
    answer = encrypt(json.dumps({"id": str(uuid4()), "amount_usd": 5}).encode())
    moment = now()
    IdempotencyRecord.objects.create(
        scope="s", key="k", fingerprint="f", http_status=201, answer=answer, created_at=moment, expires_at=moment
    )


def _late_worker(world: World) -> None:
    Heartbeat.objects.create(name="worker", at=now())
    _set(Payout.objects.filter(pk=world.payout.pk), status="queued", next_attempt_at=now() - timedelta(seconds=121))


def _again(world: World) -> None:
    """The refund is sent a second time under another identity, as a naive dispatcher does."""
    landed(Transfer.objects.get(purpose_id=world.refund.pk), tx_hash="0x02")


def _leg_twice(world: World) -> None:
    row = SimulatedTransaction.objects.filter(role="whole").exclude(tag__contains=":").first()
    assert row is not None
    row.pk, row.tx_hash = None, "0x02"
    row.save(force_insert=True)


def _other_case(world: World) -> None:
    first = world.kept.credits.get()
    written = first.tx_hash.upper().replace("0X", "0x")
    credit(world.kept, 0, tx_hash=written, kind=first.kind, position=first.position, block_time=first.block_time)


def _refund_more(world: World) -> None:
    paid_refund(world.returned, amount_usd=Decimal(1), base_units=0)


def _of_payout(world: World) -> Any:
    return Payout.objects.filter(pk=world.payout.pk)


def _of_refund(world: World) -> Any:
    return Refund.objects.filter(pk=world.refund.pk)


def _of_transfer(world: World) -> Any:
    return Transfer.objects.filter(purpose_id=world.payout.pk)


def _of_kept(world: World) -> Any:
    return PaymentIntent.objects.filter(pk=world.kept.pk)


PLANTS: dict[str, tuple[str, Plant]] = {
    "a refund above what arrived, in dollars": ("I1 intent .* gives back 26.* USD of 25", _refund_more),
    "a refund above what arrived, in tokens": (
        "I1 intent .* gives back 25000001 of 25000000 base units, by the public",
        lambda world: _set(_of_refund(world), base_units=25_000_001),
    ),
    "an intent that says less was refunded": (
        "I1 intent .* says 3.* were refunded, its paid refunds 25",
        lambda world: _set(PaymentIntent.objects.filter(pk=world.refund.intent_id), refunded_usd=3),
    ),
    "refunded, with nothing paid back": (
        "I1 intent .* is refunded with 0 of 25",
        lambda world: _set(_of_refund(world), status="failed"),
    ),
    "two transfers for one refund": ("I2 refund .* has 2 transfers that landed or may land", _living_twice),
    "a second round before the first was over": (
        "I2 transfer .* is round 2 though the one before is not over",
        lambda world: transfer_row("refund", world.refund, round=2, status="failed"),
    ),
    "paid by what was never signed": (
        "I2 transfer .* is paid by 0x03, which was never signed for it",
        lambda world: _set(_of_transfer(world), tx_hash="0x03"),
    ),
    "signed bytes with another nonce": (
        "I2 attempt 1 of transfer .* has the nonce 12, its transfer 11",
        lambda world: _signed_by(world, nonce=12),
    ),
    "signed bytes that pay more": (
        "I2 attempt 1 of transfer .* pays something else than was ordered",
        lambda world: _signed_by(world, units=25_000_001),
    ),
    "signed bytes that cannot be read": (
        "I2 attempt 1 of transfer .* holds bytes that cannot be read: broken encoding",
        lambda world: _set(TransferAttempt.objects.filter(transfer=_signed_by(world)), raw="0x02f8"),
    ),
    "a second Solana signature before the first was dead": (
        "I2 transfer .* was signed again while attempt 1 could land",
        lambda world: _second_solana_attempt(world, lapsed=False, height=200),
    ),
    "a second Solana signature that dies no later": (
        "I2 attempt 2 of transfer .* does not outlive the one before",
        lambda world: _second_solana_attempt(world, lapsed=True, height=100),
    ),
    "a payer's leg sent twice": ("I2 leg .* was sent 2 times", _leg_twice),
    "a refund that landed twice on the chain": ("I2 refund:.* landed 2 times on the chain", _again),
    "a paid payout without a transfer": (
        "I2 payout .* is paid by 0 transfers that landed",
        lambda world: _set(_of_transfer(world), status="reverted"),
    ),
    "a payout that landed elsewhere": (
        "I14 payout .* wanted .* landed",
        lambda world: _set(_of_transfer(world), recipient="0x04"),
    ),
    "failed, while it landed": (
        "I2 refund .* is failed while its transfer is paid",
        lambda world: _set(_of_refund(world), status="failed"),
    ),
    "one chain event credited twice": ("I3 chain event .* credited 2 times", _other_case),
    "received more than was credited": (
        "I3 intent .* says it received 26.*, its credits 25000000 micros",
        lambda world: _set(_of_kept(world), received_usd=26, platform_fee_usd=1),
    ),
    "an intent beside its path": (
        "I4 intent .* went from executing by created>settled",
        lambda world: _set(IntentTransition.objects.filter(to_status="settled"), from_status="created"),
    ),
    "a refund beside its path": (
        "I4 refund .* went from queued by queued>paid",
        lambda world: _set(RefundTransition.objects.filter(trigger="dispatch"), to_status="paid"),
    ),
    "a payout whose history ends elsewhere": (
        "I4 payout .* is queued, its history ends in paid",
        lambda world: _set(_of_payout(world), status="queued", next_attempt_at=now()),
    ),
    "a transfer beside its path": (
        "I4 transfer .* went from signed by new>broadcast",
        lambda world: _set(TransferTransition.objects.filter(trigger="broadcast"), from_status="new"),
    ),
    "a refund of which nobody was told": (
        "I5 refund .* told .* its history says",
        lambda world: _set(Event.objects.filter(type="refund.paid"), type="refund.missing_destination"),
    ),
    "a payout told twice": (
        "I5 payout .* told payout.paid 2 times",
        lambda world: _set(Event.objects.filter(type="payout.processing"), type="payout.paid"),
    ),
    "events with a gap": (
        r"I5 payout .* numbered its events \[1, 2, 9\]",
        lambda world: _set(Event.objects.filter(type="payout.paid"), sequence=9),
    ),
    "an event in another's envelope": (
        "I5 event .* of refund .* carries the envelope",
        lambda world: _set(Event.objects.filter(type="refund.paid"), type="refund.failed"),
    ),
    "an event that did not reach its endpoint": (
        "I6 event .* wanted by",
        lambda world: _one(Delivery.objects.all()).delete(),
    ),
    "delivered without an answer": (
        "I6 delivery .* is delivered after",
        lambda world: _set(_one(Delivery.objects.all()), outcome="delivered", next_attempt_at=None),
    ),
    "a refund that nobody will look at": (
        "I7 refund .* is processing and nobody will look at it",
        lambda world: _set(_of_refund(world), status="processing"),
    ),
    "a transfer that nobody drives": (
        "I7 transfer .* is broadcast, and its payout is over or does not exist",
        lambda world: _set(_of_transfer(world), status="broadcast"),
    ),
    "due for long while workers live": ("I7 payout .* is due since .* and nobody looked at it", _late_worker),
    "an answer about what does not exist": ("I8 key k answers with Refund .* does not exist", _broken_promise),
    "a refund of another merchant's intent": (
        "I9/I10 Refund .* and its intent have two owners",
        lambda world: _set(_of_refund(world), merchant_id=world.other.merchant.pk),
    ),
    "a live transfer for a test payout": (
        "I9/I10 transfer .* and its payout have two owners",
        lambda world: _set(_of_transfer(world), mode="live"),
    ),
    "a transfer for nothing": (
        "I10 transfer .* is for payout .* which does not exist",
        lambda world: _set(_of_transfer(world), purpose_id=uuid4()),
    ),
    "an event of another merchant": (
        "I9/I10 event .* belongs to .* its refund to",
        lambda world: _set(Event.objects.filter(type="refund.paid"), merchant_id=world.other.merchant.pk),
    ),
    "test money on a real rail": (
        "I9 transfer .* of test mode goes by the rail evm",
        lambda world: _set(_of_transfer(world), rail="evm"),
    ),
    "a step that nobody took": (
        "I11 payout .* was moved by pay and nobody",
        lambda world: _set(PayoutTransition.objects.filter(trigger="pay"), actor=""),
    ),
    "a secret in the clear": (
        "I13 signing secret .* is stored in the clear",
        lambda world: _set(SigningSecret.objects.all(), ciphertext=b"whsec_plain"),
    ),
    "settled with too little": (
        "I14 intent .* is settled with 1 of 25000000",
        lambda world: _set(Credit.objects.filter(intent=world.kept), base_units=1),
    ),
    "paid, and the chain does not show it": (
        "I14 transfer .* is paid, and the chain does not show it",
        lambda world: SimulatedTransaction.objects.filter(tag=f"payout:{world.payout.pk}").delete(),
    ),
    "called failed, and the chain shows it": (
        "I2 transfer of payout:.* is called failed, and the chain shows it paid",
        lambda world: _set(_of_transfer(world), status="failed"),
    ),
    "direct, by a hash that credited nothing": (
        "I14 payout .* is direct, and no final credit of its intent has its hash",
        lambda world: _set(_of_payout(world), rail="direct"),
    ),
    "a payout and a fee that are not all": (
        "I15 payout .* of 24.* and a fee of .* are not 25",
        lambda world: _set(_of_payout(world), amount_usd=24),
    ),
    "a gap between nonces": (r"I16 .* has the gaps \[12\] below 13", lambda world: _gap(world, 11, 13)),
    "a nonce that would be given twice": (
        "I16 .* would give nonce 11 a second time",
        _nonce_again,
    ),
}


def test_what_cannot_be_true_is_found_and_every_invariant_was_seen_red(world: World) -> None:
    """One plant after the other, each in a savepoint of its own. An invariant that nothing turns red proves nothing."""
    red, missed = set(), {}
    for name, (expected, plant) in PLANTS.items():
        with suppress(_Undone), transaction.atomic():
            plant(world)
            said = {invariant.__name__: list(invariant(Scope())) for invariant in INVARIANTS}
            red |= {invariant for invariant, sentences in said.items() if sentences}
            sentences = [sentence for some in said.values() for sentence in some]
            if not any(re.match(expected, sentence) for sentence in sentences):
                missed[name] = sentences
            raise _Undone
    assert missed == {}
    assert {invariant.__name__ for invariant in INVARIANTS} - red == {"no_amount_is_a_float"}


class _Undone(Exception):
    """Takes a plant back."""


def test_a_float_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    field = Refund._meta.get_field("amount_usd")
    monkeypatch.setattr(field, "__class__", FloatField)
    assert found() == ["I12 Refund.amount_usd is a float"]


def test_signed_bytes_that_are_right_are_not_blamed(world: World) -> None:
    _signed_by(world)
    blamed = [sentence for sentence in found() if sentence.startswith("I2 attempt")]
    assert blamed == []


def test_only_what_was_asked_for_is_looked_at(world: World) -> None:
    _set(_of_refund(world), amount_usd=26)
    mine, later = Scope(merchant_id=world.refund.merchant_id), Scope(since=now() + timedelta(seconds=1))
    assert [sentence[:2] for sentence in found(mine)] == ["I1", "I1", "I1"]
    assert found(replace(mine, merchant_id=world.other.merchant.pk)) == []
    assert found(later) == []


def test_the_command_says_all_is_well(world: World, capsys: pytest.CaptureFixture[str]) -> None:
    call_command("check_invariants")
    assert capsys.readouterr().out == "All invariants hold.\n"


def test_the_command_ends_with_one_and_a_line_per_violation(world: World, capsys: pytest.CaptureFixture[str]) -> None:
    _set(_of_payout(world), amount_usd=24)
    with pytest.raises(CommandError, match=r"^1 violations\.$") as ended:
        call_command("check_invariants", "--json", "--merchant", str(world.payout.merchant_id))
    assert ended.value.returncode == 1
    (line,) = capsys.readouterr().out.splitlines()
    assert json.loads(line)["invariant"] == "I15"


def test_the_command_refuses_a_moment_without_a_zone() -> None:
    with pytest.raises(CommandError, match="not a moment with a time zone"):
        call_command("check_invariants", "--since", "2026-11-20T00:00:00")


@pytest.mark.django_db(transaction=True)
def test_nothing_can_be_written_while_checking() -> None:
    with pytest.raises(DatabaseError), one_moment():
        Heartbeat.objects.create(name="worker", at=now())
    Heartbeat.objects.create(name="worker", at=now())
