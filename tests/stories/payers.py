"""What payers, strangers and relayers do: at the payer's door, and on the chains."""

from hashlib import sha256
from uuid import UUID

import orjson

from chains.calldata.erc20 import transfer_call
from chains.clients.across import SPOKE_POOLS
from chains.clients.evm_calls import token_transfer
from chains.clients.evm_claims import claim_text
from checkout.views.access import issue_token
from core.clock import now
from payments.models import Leg as LegRow
from payments.models import PayerWallet, PaymentAttempt, PaymentIntent
from payments.services import advance as payments
from tests.conftest import Reply
from tests.stories.bridge import FEE_UNITS, Opened, deposit, fill
from tests.stories.chain import Sent, transfer_event
from tests.stories.stage import ABROAD, HOME, Leg, Story, claim_signature

AMOUNTS = ("10", "25", "25", "25", "40.01", "99")
LIFETIMES = (300, 3600, 86_400)
_PAYABLE = ("created", "requires_payment", "partially_filled")


def open_payment(story: Story) -> None:
    rng = story.rng
    address = story.account if rng.random() < 0.8 else story.treasuries[0]
    ask_for(story, rng.choice(AMOUNTS), address, rng.choice(LIFETIMES))


def ask_for(story: Story, amount: str, address: str, seconds: int) -> UUID:
    place = {"settlement_chain": HOME, "settlement_token": "USDC", "settlement_address": address}
    reply = story.ask("/payment-intents", {**place, "amount": orjson.Fragment(amount), "expires_in_seconds": seconds})
    assert reply.status == 201, reply.body
    story.intents.append(UUID(reply.body["id"]))
    story.tell(f"{story.number(story.intents[-1])} over {amount} at {story.name(address)}, {seconds} s")
    return story.intents[-1]


def begin_attempt(story: Story) -> None:
    rng = story.rng
    payable = PaymentIntent.objects.filter(pk__in=story.intents, status__in=_PAYABLE)
    unpaid = sorted(payable.values_list("pk", flat=True), key=story.intents.index)
    if not unpaid and rng.random() < 0.8:
        return
    payer = rng.choice([*story.payers * 3, story.stranger, story.account] if story.legs else story.payers)
    begin(story, rng.choice(unpaid or story.intents), payer, ABROAD if rng.random() < 0.3 else HOME)


def begin(story: Story, intent_id: UUID, payer: str, chain: str = HOME) -> Leg | None:
    """Connect a wallet, take the quote and get a transaction to sign; None where the service does not go along."""
    browser = browser_of(payer, intent_id)
    story.tell(f"{story.name(payer)} begins to pay {story.number(intent_id)} from {chain}")
    if knock(story, intent_id, "wallet", {"family": "evm", "address": payer}, browser).status != 202:
        return None
    _list_tokens(story, intent_id)
    place = {"chain": chain, "token_address": story.tokens[chain]}
    if knock(story, intent_id, "quote", place, browser).status != 202:
        return None
    payments.advance_intent(intent_id)
    attempt = PaymentAttempt.objects.filter(intent_id=intent_id, payer_address=payer).order_by("-number").first()
    if attempt is None or attempt.status != "quoted":
        return None
    if knock(story, intent_id, "start", {"attempt_id": str(attempt.pk)}, browser).status != 202:
        return None
    payments.advance_intent(intent_id)
    row = LegRow.objects.filter(attempt=attempt).exclude(issued={}).first()
    if row is None:
        return None
    story.legs.append(_given(row, payer, browser))
    return story.legs[-1]


def pay(story: Story) -> None:
    """A wallet sends what somebody was given to sign: as asked, short, more, twice, failing, or as a copy of it."""
    if not story.legs:
        return
    rng, leg = story.rng, story.rng.choice(story.legs[-4:])
    if leg.is_bridge and not leg.hashes:
        open_order(story, leg)
    elif leg.is_bridge or leg.payer == story.account:
        return
    elif rng.random() < 0.2:
        send(story, leg, rng.choice([1, 1, leg.units // 4, leg.units]), story.stranger)
    else:
        units = rng.choice([leg.units] * 6 + [leg.units // 2, leg.units - 1, leg.units * 2, 1])
        send(story, leg, units, leg.payer, succeeds=rng.random() > 0.06)


def send(story: Story, leg: Leg, units: int, sender: str, *, succeeds: bool = True) -> Sent:
    recipient = recipient_of(leg)
    calldata = bytes.fromhex(token_transfer(recipient, units, str(leg.leg_id))[2:])
    made = story.home.send(
        sender, story.coin, calldata, events=[transfer_event(story.coin, sender, recipient, units)], succeeds=succeeds,
        payer=sender, meant_for=leg.intent_id,
    )  # fmt: skip
    leg.hashes.append(made)
    fate = "" if succeeds else ", and it fails"
    mark = f"under the mark of {story.number(leg.intent_id)}"
    story.tell(f"{story.name(sender)} sends {units} {mark}{fate}: {made.tx_hash[:8]}")
    if story.rng.random() < 0.6:
        tell_hash(story, leg, made.tx_hash, leg.browser)
    return made


def pay_unmarked(story: Story) -> None:
    direct = [leg for leg in story.legs if not leg.is_bridge and leg.payer != story.account]
    if direct:
        send_plain(story, story.rng.choice(direct))


def send_plain(story: Story, leg: Leg) -> Sent:
    recipient = recipient_of(leg)
    calldata = bytes.fromhex(transfer_call(recipient, leg.units)[2:])
    events = [transfer_event(story.coin, leg.payer, recipient, leg.units)]
    made = story.home.send(leg.payer, story.coin, calldata, events=events, payer=leg.payer)
    story.plain.append(made)
    story.tell(f"{story.name(leg.payer)} sends {leg.units} without a mark: {made.tx_hash[:8]}")
    return made


def relay(story: Story) -> None:
    if story.orders:
        leg, order = story.orders.pop(story.rng.randrange(len(story.orders)))
        others = [one for one in story.payers if one != leg.payer]
        fill_order(story, leg, order, story.rng.choice([story.relayer, *others]))


def fill_order(story: Story, leg: Leg, order: Opened, relayer: str) -> Sent:
    made = story.home.send(
        relayer, SPOKE_POOLS[HOME], b"fill" + order.deposit_id.to_bytes(8), events=fill(ABROAD, HOME, order, relayer),
        payer=leg.payer, meant_for=leg.intent_id,
    )  # fmt: skip
    story.fills.append(made)
    story.tell(f"{story.name(relayer)} fills the order of {story.number(leg.intent_id)}: {made.tx_hash[:8]}")
    return made


def report(story: Story) -> None:
    if not story.legs:
        return
    rng, leg = story.rng, story.rng.choice(story.legs)
    known = [*leg.hashes, *story.plain, *story.fills, *(one for other in story.legs for one in other.hashes)]
    nowhere = "0x" + sha256(str(rng.random()).encode()).hexdigest()
    tx_hash = rng.choice(known).tx_hash if known and rng.random() < 0.8 else nowhere
    browser = leg.browser if rng.random() < 0.6 else browser_of(story.stranger, leg.intent_id)
    tell_hash(story, leg, tx_hash, browser)


def claim(story: Story) -> None:
    direct = [leg for leg in story.legs if not leg.is_bridge]
    if not direct:
        return
    rng, leg = story.rng, story.rng.choice(direct)
    theirs = [one for one in (*story.plain, *story.fills) if one.sender == leg.payer]
    sent = [one for block in story.home.blocks for one in block.transactions if one.sender == story.account]
    seen = theirs or [*story.plain, *story.fills, *(one for other in story.legs for one in other.hashes)]
    if leg.payer == story.account:
        seen = sent
    if not seen:
        return
    made = rng.choice(seen)
    claim_as_paid(story, leg, made)


def claim_as_paid(story: Story, leg: Leg, made: Sent) -> None:
    text = claim_text(str(leg.leg_id), made.tx_hash)
    story.tell(f"{story.name(leg.payer)} claims {made.tx_hash[:8]} for {story.number(leg.intent_id)}")
    tell_hash(story, leg, made.tx_hash, leg.browser, claim_signature(leg.payer, text))


def decline(story: Story) -> None:
    if not story.legs:
        return
    leg = story.rng.choice(story.legs)
    browser = leg.browser if story.rng.random() < 0.5 else browser_of(story.stranger, leg.intent_id)
    reply = knock(story, leg.intent_id, "rejected", {"attempt_id": leg.attempt_id}, browser)
    story.tell(f"an attempt of {story.number(leg.intent_id)} is declined: {reply.status}")


def decline_own(story: Story, leg: Leg) -> None:
    knock(story, leg.intent_id, "rejected", {"attempt_id": leg.attempt_id}, leg.browser)


def browser_of(who: str, intent_id: UUID) -> str:
    return sha256(f"{who}|{intent_id}".encode()).hexdigest()


def knock(story: Story, intent_id: UUID, path: str, body: object, browser: str) -> Reply:
    headers = {"Checkout_Token": issue_token(intent_id), "Checkout_Browser": browser}
    reply = story.door(f"/checkout/{intent_id}/{path}", body, **headers)
    assert reply.status < 500, reply.body
    return reply


def tell_hash(story: Story, leg: Leg, tx_hash: str, browser: str, signature: str = "") -> None:
    body = {"attempt_id": leg.attempt_id, "leg_sequence": leg.sequence, "tx_hash": tx_hash}
    body |= {"claim": signature} if signature else {}
    reply = knock(story, leg.intent_id, "submitted", body, browser)
    story.tell(f"reported {tx_hash[:8]} for {story.number(leg.intent_id)}: {reply.status}")


def open_order(story: Story, leg: Leg) -> Opened:
    story.deposits += 1
    tokens = (story.tokens[ABROAD], story.coin)
    order = Opened(story.deposits, leg.payer, recipient_of(leg), leg.units - FEE_UNITS, tokens, int(now().timestamp()))
    made = story.chains[ABROAD].send(
        leg.payer, leg.request["to"], bytes.fromhex(leg.request["data"][2:]), events=deposit(ABROAD, HOME, order),
        payer=leg.payer, meant_for=leg.intent_id,
    )  # fmt: skip
    leg.hashes.append(made)
    story.orders.append((leg, order))
    story.tell(f"{story.name(leg.payer)} opens an order over {order.units} for {story.number(leg.intent_id)}")
    if story.rng.random() < 0.7:
        tell_hash(story, leg, made.tx_hash, leg.browser)
    return order


def _given(row: LegRow, payer: str, browser: str) -> Leg:
    return Leg(
        leg_id=row.pk, intent_id=row.intent_id, attempt_id=str(row.attempt_id), sequence=row.sequence, payer=payer,
        browser=browser, request=row.issued["request"], units=row.input_base_units, is_bridge=row.chain != row.to_chain,
    )  # fmt: skip


def _list_tokens(story: Story, intent_id: UUID) -> None:
    """Spare the worker's look into the wallet: this is about what happens after it."""
    listed = [{**_TOKEN, "chain": name, "token_address": address} for name, address in story.tokens.items()]
    PayerWallet.objects.filter(intent_id=intent_id).update(tokens=listed, looked_at=now())


def recipient_of(leg: Leg) -> str:
    return str(PaymentIntent.objects.values_list("settlement_address", flat=True).get(pk=leg.intent_id))


_TOKEN = {
    "chain_name": "", "symbol": "USDC", "name": "USDC", "balance": "1000000", "balance_usd": "1000000",
    "sufficient": True, "pay_amount": None, "pay_usd": None, "fee_usd": None, "gas_usd": None, "duration_sec": None,
    "recommended": False, "why": {"code": "exact", "facts": {}},
}  # fmt: skip
