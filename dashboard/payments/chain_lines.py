"""What happened on chains: transactions that payers signed, and money that arrived."""

from collections.abc import Iterable, Iterator
from datetime import datetime

from chains.registry import explorer_tx_url
from core.modes import Mode
from dashboard.cards import TimelineLine
from dashboard.payments.steps import why
from dashboard.payments.words import Label, chain_name, dollars, quantity
from payments.models import Credit, Hint, Leg, PaymentIntent, Reporter, Verdict
from payments.selectors import leg_explorer_url
from payments.states import LegStatus as L
from payments.strays import stray_body

LEG = {
    L.PLANNED: Label("is prepared"),
    L.AWAITING_SIGNATURE: Label("waits for a signature"),
    L.SUBMITTED: Label("was sent"),
    L.CONFIRMING: Label("is in a block"),
    L.CONFIRMED: Label("was sent"),
    L.FAILED: Label("did not go through", "bad"),
    L.REFUNDED: Label("was given back by the bridge", "warn"),
    L.IN_DOUBT: Label("is out of sight", "warn"),
}
HINT = {
    "": Label("was not seen yet"),
    "unchecked": Label("was not looked for yet"),
    Verdict.FOREIGN: Label("is not this payment's", "warn"),
    Verdict.REVERTED: Label("failed on its chain", "bad"),
    Verdict.LOST: Label("was nowhere for ten minutes", "warn"),
    Verdict.REPLACED: Label("lost its place to another one", "warn"),
    Verdict.UNREADABLE: Label("could be read by nobody for ten minutes", "warn"),
}
"""By its verdict, or that it has none yet: what became of a hash that was reported and is not the payment's own."""
REPORTERS = {
    Reporter.BROWSER: "Reported by the payer's browser",
    Reporter.WALLET: "Reported with the wallet's signature",
    Reporter.LINK: "Reported by somebody with the payment's link",
    Reporter.SIMULATED_PAYER: "Reported by the simulated payer",
}
_KINDS = {"swap": "swap", "bridge": "bridge", "transfer": "transfer"}
Facts = tuple[tuple[str, str], ...]
MOST_APART = 50
"""Lines of what does not count for the payment. Why bounded: anybody can make more of them."""


def legs_lines(legs: Iterable[Leg]) -> Iterator[TimelineLine]:
    """A line when a transaction was prepared or sent, and one when it was final enough to count."""
    for leg in legs:
        label, name = LEG[L(leg.status)], f"Transaction {leg.sequence}, a {_KINDS.get(leg.kind, leg.kind)}"
        url = leg_explorer_url(leg) or ""
        yield TimelineLine(
            at=leg.submitted_at or leg.created_at,
            kind="chain",
            what=f"{name} on {chain_name(leg.chain)}, {label.word}",
            why=why(leg.error),
            by="payer" if leg.submitted_at else "",
            url=url,
            tone=label.tone,
            facts=_leg_facts(leg),
        )
        if leg.confirmed_at:
            arrived = quantity(leg.output_base_units, leg.to_token_decimals, leg.to_token)
            what = f"Transaction {leg.sequence} is confirmed" + (f": {arrived} arrived" if arrived else "")
            yield TimelineLine(at=leg.confirmed_at, kind="chain", what=what, url=url, tone="ok")


def hints_lines(legs: Iterable[Leg]) -> Iterator[TimelineLine]:
    """A line for each hash that was reported, with what became of it. What was found is told with its transaction."""
    known = {leg.pk: leg for leg in legs}
    wrong = Hint.objects.filter(leg__in=list(known)).exclude(verdict=Verdict.FOUND)
    for hint in wrong.order_by("reported_at", "pk")[:MOST_APART]:
        leg = known[hint.leg_id]
        label = HINT[hint.verdict if hint.checked_at else "unchecked"]
        yield TimelineLine(
            at=hint.reported_at,
            kind="chain",
            what=f"A hash reported for transaction {leg.sequence} {label.word}",
            why=REPORTERS[Reporter(hint.by)],
            by="payer",
            url=(explorer_tx_url(leg.chain, hint.tx_hash) or "") if leg.mode == Mode.LIVE else "",
            tone=label.tone,
            facts=(("Transaction", hint.tx_hash),),
        )


def credits_lines(intent: PaymentIntent, credits: Iterable[Credit]) -> Iterator[TimelineLine]:
    """A line when money was seen, and one for each turn it took after."""
    for credit in credits:
        amount = _amount(intent, credit)
        seen = ("arrived after expiry", "warn") if credit.late else ("arrived", "")
        if credit.purpose != "settlement":
            seen = ("arrived and counts for nothing", "warn")
        url = _url(credit)
        yield _turn(credit.observed_at, f"{amount} {seen[0]}", seen[1], url, _credit_facts(intent, credit))
        if credit.final_at:
            stands = "counts now: deep" if credit.purpose == "settlement" else "is deep"
            yield _turn(credit.final_at, f"{amount} {stands} enough in the chain", "ok", url)
        if credit.finalized_at and credit.finalized_at != credit.final_at:
            yield _turn(credit.finalized_at, f"{amount} is final: nothing can take it back", "ok", url)
        if credit.reversed_at:
            yield _turn(credit.reversed_at, f"{amount} is gone again: its block was replaced", "bad", url)
        if credit.vanished_at:
            yield _turn(credit.vanished_at, f"{amount} vanished after it had counted. A person must look", "bad", url)


def unattributed_lines(intent: PaymentIntent) -> Iterator[TimelineLine]:
    """A line for each transfer that moved inside a transaction of this payment, and is nobody's."""
    rows = Credit.objects.filter(leg__intent=intent, intent=None, purpose="unattributed").order_by("pk")
    for credit in rows[:MOST_APART]:
        amount = quantity(credit.base_units, intent.settlement_decimals, intent.settlement_token)
        what = (
            f"{amount} moved to the address inside the payer's transaction, and counts for nobody. A person must look"
        )
        yield _turn(credit.observed_at, what, "bad", _url(credit), _credit_facts(intent, credit))


def elsewhere_lines(intent: PaymentIntent) -> Iterator[TimelineLine]:
    """A line for each transaction with the mark of this payment that counts for another one."""
    for loss in intent.counted_elsewhere.order_by("pk")[:MOST_APART]:
        amount = quantity(loss.base_units, intent.settlement_decimals, intent.settlement_token)
        what = f"{amount} came with this payment's mark, and counts for another one. A person must look"
        url = (explorer_tx_url(loss.chain, loss.tx_hash) or "") if loss.mode == Mode.LIVE else ""
        yield _turn(loss.noticed_at, what, "bad", url, (("Transaction", loss.tx_hash),))


def _turn(at: datetime, what: str, tone: str, url: str, facts: Facts = ()) -> TimelineLine:
    return TimelineLine(at=at, kind="chain", what=what, tone=tone, url=url, facts=facts)


def _url(credit: Credit) -> str:
    return (explorer_tx_url(credit.chain, credit.tx_hash) or "") if credit.mode == Mode.LIVE else ""


def _amount(intent: PaymentIntent, credit: Credit) -> str:
    """The amount in the settlement token. Why otherwise without a name: any token may be sent to an address."""
    if credit.purpose == "settlement":
        return quantity(credit.base_units, intent.settlement_decimals, intent.settlement_token)
    stray = stray_body(credit)
    if stray["token"] is not None:
        return f"{stray['amount']} {stray['token']}, which was not asked for,"
    return f"Another token ({credit.base_units} base units of {credit.token_address[:64]})"


def _leg_facts(leg: Leg) -> Facts:
    facts = [
        ("From", leg.payer_address),
        ("Sends at most", quantity(leg.input_base_units, leg.token_decimals, leg.token)),
        ("Brings at least", quantity(leg.min_output_base_units, leg.to_token_decimals, leg.to_token)),
        ("Worth", dollars(leg.amount_usd)),
        ("Route", f"{leg.provider} {leg.tool}".strip()),
        ("To", chain_name(leg.to_chain) if leg.to_chain != leg.chain else ""),
        ("Confirmations", f"{leg.confirmations} of {leg.confirmations_required}" if leg.submitted_at else ""),
        ("Block", "" if leg.block_number is None else str(leg.block_number)),
        ("Transaction", leg.tx_hash),
        ("On the other chain", leg.destination_tx_hash if leg.destination_tx_hash != leg.tx_hash else ""),
    ]
    return tuple((name, text) for name, text in facts if text)


def _credit_facts(intent: PaymentIntent, credit: Credit) -> Facts:
    worth = credit.value_usd
    facts = [
        ("Worth", dollars(worth) if worth else ""),
        ("From", credit.sender),
        ("To", credit.recipient if credit.recipient != intent.settlement_address else ""),
        ("Chain", chain_name(credit.chain)),
        ("Block", str(credit.block_number)),
        ("Transaction", credit.tx_hash),
    ]
    return tuple((name, text) for name, text in facts if text)
