"""Money that goes elsewhere: to a stranger, to an address of another time, by nobody's word, on another rail."""

from datetime import datetime, timedelta
from typing import Any

from core.clock import now
from merchants.models import Change
from payments.models import SettlementChange, SettlementProfile
from refunds.models import RefundClaim, RefundTransition
from tests.invariants_plants.ground import (
    STRANGER,
    WALLET,
    Ground,
    change,
    copy_of,
    fresh_hash,
    only_credit,
    shown_of,
    transfer_of,
)
from webhooks.models import Event

HOUR = timedelta(hours=1)


def _moved(ground: Ground, address: str) -> list[str]:
    change(ground.payout, destination=address)
    change(transfer_of(ground.payout), recipient=address)
    change(shown_of(ground.payout), recipient=address)
    return [f"I19 payout {ground.payout.pk} goes to {address}, which was no address of its merchant's"]


def line(ground: Ground, address: str, at: datetime, before: str = "") -> Change:
    return Change.objects.create(
        **_owner(ground), actor="user:1", action="settlement.changed", subject="evm", created_at=at,
        before={"address": before} if before else {}, after={"chain": "base", "token": "USDC", "address": address},
    )  # fmt: skip


def profile(ground: Ground, address: str) -> SettlementProfile:
    made: SettlementProfile = SettlementProfile.objects.create(
        **_owner(ground), family="evm", chain="base", token="USDC", address=address, is_default=True
    )
    return made


def _owner(ground: Ground) -> dict[str, Any]:
    return {"merchant_id": ground.payout.merchant_id, "mode": ground.payout.mode}


def a_payout_to_a_stranger(ground: Ground) -> list[str]:
    return _moved(ground, STRANGER)


def a_payout_to_an_address_that_held_only_later(ground: Ground) -> list[str]:
    line(ground, WALLET, ground.payout.created_at + HOUR)
    profile(ground, WALLET)
    return _moved(ground, WALLET)


def a_payout_to_an_address_that_held_no_more(ground: Ground) -> list[str]:
    made = ground.payout.created_at
    line(ground, WALLET, made - 2 * HOUR)
    line(ground, STRANGER, made - HOUR, before=WALLET)
    profile(ground, STRANGER)
    return _moved(ground, WALLET)


def a_payout_to_the_other_modes_address(ground: Ground) -> list[str]:
    row = profile(ground, WALLET)
    change(row, mode="live")
    return _moved(ground, WALLET)


def a_refund_by_itself_to_a_stranger(ground: Ground) -> list[str]:
    refund = ground.live_refund
    _by_itself(ground)
    return [f"I19 refund {refund.pk} goes by itself to {refund.destination}, which paid 0 base units and gets 10000000"]


def a_refund_by_itself_to_who_paid_one_unit(ground: Ground) -> list[str]:
    refund, credit = ground.live_refund, only_credit(ground.live)
    _by_itself(ground)
    change(credit, base_units=24_999_999)
    copy_of(credit, tx_hash=fresh_hash(), base_units=1, payer=refund.destination, leg=None)
    return [f"I19 refund {refund.pk} goes by itself to {refund.destination}, which paid 1 base units and gets 10000000"]


def _by_itself(ground: Ground) -> None:
    _addressed(ground, reason="to the paying wallet")


def _addressed(ground: Ground, **fields: Any) -> None:
    change(RefundTransition.objects.filter(subject=ground.live_refund, trigger="address"), **fields)


def a_refund_by_nobodys_word(ground: Ground) -> list[str]:
    _addressed(ground, actor="worker")
    return [f"I19 refund {ground.live_refund.pk} goes to {ground.live_refund.destination}, and nobody said so"]


def a_claim_without_a_signature(ground: Ground) -> list[str]:
    _addressed(ground, actor="payer:…38070D", reason="claimed")
    return [f"I19 refund {ground.live_refund.pk} was claimed, and no signature says so"]


def a_claim_for_another_address(ground: Ground) -> list[str]:
    refund = ground.live_refund
    _addressed(ground, actor="payer:…38070D", reason="claimed")
    RefundClaim.objects.create(
        merchant_id=refund.merchant_id, mode=refund.mode, refund=refund, nonce="n", family="evm", wallet=WALLET,
        destination=STRANGER, message="m", signature="0x01", ends_at=now(), used_at=now(),
    )  # fmt: skip
    return [f"I19 refund {refund.pk} goes to {refund.destination}, its payer signed for {STRANGER}"]


def _under_way(ground: Ground) -> Any:
    """The live refund as it was while its transfer was on its way; the rows of the transfer."""
    refund, sent = ground.live_refund, transfer_of(ground.live_refund)
    sent.get().proof.delete()
    sent.get().history.filter(trigger__in=["include", "pay"]).delete()
    refund.history.filter(trigger="pay").delete()
    Event.objects.filter(resource_id=refund.pk, type="refund.paid").delete()
    change(sent, status="broadcast", paid_at=None)
    facts = {"status": "processing", "paid_at": None, "tx_hash": "", "event_sequence": 2, "next_attempt_at": now()}
    change(refund, **facts)
    change(ground.live, refunded_usd=0)
    return sent


def _facts(row: Any, where: str, units: int) -> tuple[object, ...]:
    return row.chain, row.token_address, where, units


def a_transfer_ordered_to_elsewhere(ground: Ground) -> list[str]:
    refund = ground.live_refund
    change(_under_way(ground), recipient=STRANGER)
    wanted, ordered = _facts(refund, refund.destination, 10_000_000), _facts(refund, STRANGER, 10_000_000)
    return [f"I19 refund {refund.pk} wants {wanted}, and its transfer is ordered as {ordered}"]


def a_transfer_ordered_with_more(ground: Ground) -> list[str]:
    refund = ground.live_refund
    change(_under_way(ground), base_units=11_000_000)
    wanted, ordered = (_facts(refund, refund.destination, units) for units in (10_000_000, 11_000_000))
    return [f"I19 refund {refund.pk} wants {wanted}, and its transfer is ordered as {ordered}"]


def a_refund_that_names_anothers_transfer(ground: Ground) -> list[str]:
    theirs = transfer_of(ground.payout).get()
    change(ground.refund, transfer=theirs)
    return [f"I19 refund {ground.refund.pk} names transfer {theirs.pk}, which is for another"]


def an_address_changed_in_secret(ground: Ground) -> list[str]:
    line(ground, WALLET, now() - HOUR)
    row = profile(ground, STRANGER)
    return [f"I11 settlement profile {row.pk} says {STRANGER}, and no line of the audit does"]


def a_change_in_effect_without_a_line(ground: Ground) -> list[str]:
    row = SettlementChange.objects.create(
        merchant_id=ground.payout.merchant_id, mode="live", part="evm", status="in_effect", requested_by="user:1",
        after={"chain": "base", "token": "USDC", "address": STRANGER}, effective_at=now(), ended_at=now(),
        ended_by="worker",
    )  # fmt: skip
    return [f"I11 settlement change {row.pk} is in effect, and no line of the audit says so"]


def live_money_by_the_simulated_rail(ground: Ground) -> list[str]:
    change(ground.live_refund, rail="simulated")
    return [f"I9 refund {ground.live_refund.pk} of live mode goes by the simulated rail"]


def play_money_by_a_real_rail(ground: Ground) -> list[str]:
    change(ground.refund, rail="evm")
    return [f"I9 refund {ground.refund.pk} of test mode goes by a real rail"]
