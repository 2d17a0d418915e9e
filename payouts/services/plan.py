"""How a settled intent is paid out: to whom, how much, and whether anything must be sent at all.

Source: docs/guides/payouts.md, Which rail.
"""

from dataclasses import dataclass

from chains.addresses import parse_address
from chains.errors import InvalidAddress
from chains.models import SigningAccount
from chains.registry import Chain, chain
from chains.transfers import RailName, TransferOrder, rail_of, signing_account
from core.modes import Mode
from core.money import ZERO_USD, BaseUnits, UsdAmount
from payments.models import PaymentIntent, SettlementProfile
from payments.services.balance import NOTHING, Balance, Sum, balance
from payments.services.credits import network_of
from payments.states import IntentStatus
from payouts.errors import PayoutNotPossible
from payouts.models import Payout
from payouts.states import OVER

PURPOSE = "payout"
_SCRIPTS = {"payout_retry": "retry", "payout_fail": "fail", "payout_unknown": "unknown"}
"""How the simulated chain behaves by the scenario that a test intent asks for."""


@dataclass(frozen=True, kw_only=True)
class Plan:
    """A complete answer. ``tx_hash`` is the settlement's own, on the rail ``direct`` only.

    ``less_refunds_usd`` is what refunds hold or have sent back, and the payout leaves to them.
    """

    rail: RailName
    destination: str
    base_units: BaseUnits
    amount_usd: UsdAmount
    less_refunds_usd: UsdAmount = ZERO_USD
    tx_hash: str = ""


def plan_payout(intent: PaymentIntent) -> Plan:
    """How what this settled intent still holds is paid out.

    Raises: PayoutNotPossible. Locks: the caller holds the intent's lock.
    """
    held = balance(intent)
    if not held.received.units or not intent.net_settlement_usd:
        raise PayoutNotPossible("settlement_missing")
    if intent.mode == Mode.TEST:
        return _from_holder(RailName.SIMULATED, intent.settlement_address, held)
    known = chain(intent.settlement_chain)
    if known is None:
        raise PayoutNotPossible("chain_unsupported")
    account = own_signer(intent)
    destination = intent.settlement_address if account is None else _profile_address(intent, known)
    if account is None or _same(known, destination, account.address):
        return _recognised(intent, destination, held)
    return _from_holder(rail_of(account), destination, held)


def rest_of(intent: PaymentIntent) -> UsdAmount:
    """What could be paid out by another payout now; zero while one is open, or where nothing is left.

    Without a lock it may be gone in the next moment.
    """
    is_open = Payout.objects.filter(intent=intent).exclude(status__in=OVER).exists()
    if is_open or intent.status != IntentStatus.SETTLED:
        return ZERO_USD
    try:
        return plan_payout(intent).amount_usd
    except PayoutNotPossible:
        return ZERO_USD


def own_signer(intent: PaymentIntent) -> SigningAccount | None:
    """The merchant's own signing account, if this intent settled there."""
    found = signing_account(intent.merchant_id, intent.mode, network_of(intent.mode), intent.settlement_chain)
    known = chain(intent.settlement_chain)
    is_there = found is not None and known is not None and _same(known, found.address, intent.settlement_address)
    return found if is_there else None


def order_for(payout: Payout) -> TransferOrder | None:
    """What its rail is asked to send; None where the account that signs is gone.

    Test mode plays what the intent's scenario says. Why ``fail`` once only: a replay then succeeds.
    """
    intent = payout.intent
    account = own_signer(intent) if intent and payout.rail != RailName.SIMULATED else None
    if intent is None or (account is None and payout.rail != RailName.SIMULATED):
        return None
    return TransferOrder(
        merchant_id=payout.merchant_id,
        mode=payout.mode,
        network=network_of(payout.mode),
        purpose=PURPOSE,
        purpose_id=payout.pk,
        rail=RailName(payout.rail),
        chain=payout.chain,
        token_address=payout.token_address,
        token_decimals=payout.token_decimals,
        recipient=payout.destination,
        base_units=payout.base_units,
        value_usd=payout.amount_usd,
        account_id=account.pk if account else None,
        sender=account.address if account else "",
        behaviour=_script(payout, intent),
    )


def _from_holder(rail: RailName, destination: str, held: Balance) -> Plan:
    """What neither refunds hold nor earlier payouts took: every unit of it."""
    left = held.available
    if left.usd <= 0 or left.units <= 0:
        raise PayoutNotPossible("nothing_left")
    return Plan(
        rail=rail,
        destination=destination,
        base_units=left.units,
        amount_usd=left.usd,
        less_refunds_usd=held.returned.usd,
    )


def _recognised(intent: PaymentIntent, destination: str, held: Balance) -> Plan:
    """What reached the merchant's own address and no payout has recognised yet, refunded or not."""
    mine = Payout.objects.filter(intent=intent, rail=RailName.DIRECT).values_list("amount_usd", "base_units")
    earlier = sum((Sum(usd=usd, units=BaseUnits(units)) for usd, units in mine), NOTHING)
    left = held.received.less(earlier)
    if left.usd <= 0 or left.units <= 0:
        raise PayoutNotPossible("nothing_left")
    counted = intent.credits.filter(purpose="settlement", reversed_at=None, final_at__isnull=False)
    # Of several, the last that counted is the one that completed the settlement.
    settlement_hash = counted.order_by("-final_at", "-pk").values_list("tx_hash", flat=True)[0]
    return Plan(
        rail=RailName.DIRECT,
        destination=destination,
        base_units=left.units,
        amount_usd=left.usd,
        tx_hash=settlement_hash,
    )


def _profile_address(intent: PaymentIntent, known: Chain) -> str:
    profiles = SettlementProfile.objects.filter(merchant_id=intent.merchant_id, mode=intent.mode)
    profile = profiles.filter(family=known.family.value).first()
    if profile is None:
        raise PayoutNotPossible("destination_missing")
    return profile.address


def _same(known: Chain, one: str, other: str) -> bool:
    try:
        return parse_address(known, one) == parse_address(known, other)
    except InvalidAddress:
        return one == other


def _script(payout: Payout, intent: PaymentIntent) -> str:
    if payout.mode != Mode.TEST:
        return ""
    played = intent.payment_attempts.order_by("-number").values_list("scenario", flat=True).first()
    asked = played if played in _SCRIPTS else intent.metadata.get("simulate")
    script = _SCRIPTS.get(asked, "") if isinstance(asked, str) else ""
    return "" if script == "fail" and payout.attempts_before else script
