"""Somebody else has the checkout's link: nothing of the payer's is in reach, and the payer's money counts.

At the end he does all that the link allows, in random order, while the payer pays beside: bounded by the number of his
acts and by blocks, never by a clock. The payer needs as many worker rounds as alone.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from random import Random
from typing import Any

import pytest
from django.test import Client
from eth_account import Account
from eth_account.messages import encode_defunct
from eth_account.signers.local import LocalAccount

from chains.clients.evm_claims import claim_text
from chains.models import Transfer
from localnet.solana.server import signed
from merchants.principal import Principal
from payments.models import Credit, Leg, PaymentAttempt
from payments.services.advance import sweep_due
from refunds.models import Refund
from refunds.services import advance as refunds
from refunds.services.policy import set_refund_policy
from tests.conftest import Reply, read_reply
from tests.core.error_form import assert_refused
from tests.live.evm_till import BASE_USDC, Till
from tests.live.solana_till import SolanaTill
from tests.live.test_unlucky_payments import cut_to
from tests.live.till import tried
from tests.payments.payer import Payer

UNITS = 25_000_000
PAYERS, STRANGERS = "a" * 43, "b" * 43
NOWHERE = "0x" + "cd" * 32
MOST_ROUNDS, ACTS_A_ROUND = 8, 12
SEEDS = (1, 2, 3)


@pytest.fixture
def till(till: Till) -> Till:
    """The payer's page has a secret, as the real one."""
    till.browser = PAYERS
    return till


def stranger_at(till: Till) -> tuple[Payer, LocalAccount]:
    """Another browser that opened the same link, with a wallet that holds enough."""
    wallet = till.stranger()
    return Payer.of(till.intent, "evm", wallet.address, browser=STRANGERS), wallet


def tell(page: Payer, attempt: dict[str, Any], **said: str) -> Reply:
    """Report something of an attempt's first transaction."""
    return page.send("POST", "/submitted", {"attempt_id": attempt["id"], "leg_sequence": 1, **said})


def test_a_strangers_report_leaves_the_payers_claim(till: Till) -> None:
    """A claim that the wallet signed needs no browser: say on another device, where the wallet is."""
    attempt = till.issue("25")
    request = attempt["transactions"][0]["request"]
    paid = till.node.send(till.payer, {**request, "data": request["data"][:138]})
    claim = till.claim(paid)
    stranger, wallet = stranger_at(till)
    for not_his in ({"tx_hash": NOWHERE}, {"claim": till.claim(paid, wallet)}, {"claim": till.claim(NOWHERE)}):
        reply = tell(stranger, attempt, **{"tx_hash": paid} | not_his)
        assert_refused(reply, 403, "attempt_of_another_browser")
    assert (till.leg().tx_hash, till.leg().payer_claim) == ("", "")
    assert tell(stranger, attempt, tx_hash=paid, claim=claim).status == 202
    assert_refused(tell(stranger, attempt, tx_hash=NOWHERE), 403, "attempt_of_another_browser")
    assert (till.leg().tx_hash, till.leg().payer_claim, till.end()["status"]) == (paid, claim, "settled")
    assert (till.held(), till.credited()) == (UNITS, [UNITS])


@pytest.mark.parametrize("units", [1, UNITS], ids=["a unit", "in full"])
def test_the_payers_money_counts_beside_a_stranger_who_pays_too(till: Till, units: int) -> None:
    """The stranger declines for the payer, then pays by a try of his own, before the payer signs."""
    mine = till.issue("25")
    stranger, wallet = stranger_at(till)
    reply = stranger.send("POST", "/rejected", {"attempt_id": mine["id"]})
    assert_refused(reply, 403, "attempt_of_another_browser")
    theirs = tried(stranger, BASE_USDC)
    assert PaymentAttempt.objects.get(pk=mine["id"]).status == "awaiting_signature"
    [wanted] = theirs["transactions"]
    stranger.report(theirs, wanted["leg_sequence"], till.node.send(wallet, cut_to(wanted["request"], units)))
    till.node.send(till.payer, mine["transactions"][0]["request"])
    till.finish()
    body = till.sweep()
    assert (body["status"], till.held()) == ("settled", UNITS + units)
    credited = {str(one.leg.attempt_id): one.base_units for one in Credit.objects.select_related("leg") if one.leg}
    assert credited == {mine["id"]: UNITS, theirs["id"]: units}
    if units > 1:
        assert (body["amount_received"], body["overpaid_usd"]) == ("50.00", "25.00")
        assert not PaymentAttempt.objects.filter(status__in=["awaiting_signature", "executing"]).exists()


def test_on_solana_what_the_wallet_signed_needs_no_browser(solana_till: SolanaTill) -> None:
    till = solana_till
    till.browser = PAYERS
    attempt = till.issue("25")
    elsewhere = Payer.of(till.intent, *till.wallet, browser=STRANGERS)
    unsigned, named = till.unsigned(attempt), "1" * 88
    for said in ({"signed_transaction": unsigned}, {}):
        assert_refused(tell(elsewhere, attempt, tx_hash=named, **said), 403, "attempt_of_another_browser")
    assert till.leg().status == "awaiting_signature"
    whole = signed(till.payer, unsigned)
    assert tell(elsewhere, attempt, tx_hash=named, signed_transaction=whole).status == 202
    assert till.finish()["status"] == "settled"


@dataclass
class Stranger:
    """Somebody with the link, a browser and a wallet, who sees whatever the page and the chain show."""

    till: Till
    seed: int
    answers: list[Reply] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.rng = Random(self.seed)  # noqa: S311 - told again
        self.page, self.wallet = stranger_at(self.till)

    def act(self, times: int) -> None:
        """So many acts by chance: all that the link allows, and what a chain allows anybody. Each is answered, and
        never with an error of ours."""
        acts: list[Callable[[], object]] = [
            self.look, self.connect, self.quote, self.start, self.report, self.claim, self.decline, self.solana,
            self.play, self.copy, self.pay_dust, sweep_due,
        ]  # fmt: skip
        for _ in range(times):
            self.rng.choice(acts)()
        assert max(reply.status for reply in self.answers) < 500, [reply.body for reply in self.answers]

    def look(self) -> None:
        path = self.rng.choice(["", "/state", "/session"])
        self._send("POST" if path == "/session" else "GET", path)
        self.answers.append(read_reply(Client().get(f"/checkout/{self.till.intent['id']}/receipt")))

    def connect(self) -> None:
        """Say that his wallet pays, or that the payer's does."""
        address = self.rng.choice([self.wallet.address, self.till.payer.address])
        self._send("POST", "/wallet", {"family": "evm", "address": address})

    def quote(self) -> None:
        self._send("POST", "/quote", {"chain": "base", "token_address": BASE_USDC})

    def start(self) -> None:
        self._send("POST", "/start", {"attempt_id": self._attempt()})

    def report(self) -> None:
        """Report a hash: nobody's, or one that he saw on the chain."""
        self._send("POST", "/submitted", self._said(self._hash(), self._leg()))

    def claim(self, own: Till | None = None) -> None:
        """Claim whatever he saw, with his own signature: for any leg, or for that of a payment of his own."""
        tx_hash, leg = self._hash(), self._leg() if own is None else own.leg()
        text = claim_text("" if leg is None else str(leg.pk), tx_hash)
        signature = Account.sign_message(encode_defunct(text=text), self.wallet.key).signature
        said = self._said(tx_hash, leg) | {"claim": "0x" + bytes(signature).hex()}
        self.answers.append((self.page if own is None else own.page).send("POST", "/submitted", said))

    def decline(self) -> None:
        self._send("POST", "/rejected", {"attempt_id": self._attempt()})

    def solana(self) -> None:
        """Ask as a wallet of Solana does."""
        method, body = self.rng.choice([("GET", None), ("POST", {"account": "1" * 32})])
        self._send(method, "/solana-pay", body)

    def play(self) -> None:
        """Try the network of test mode."""
        self._send("POST", "/simulated-wallet/transactions", self._said("", self._leg()))

    def copy(self) -> None:
        """Send the payer's call himself: one unit, or so that it fails."""
        self._spend(self._leg(), self.rng.choice([1, 1, 10 * UNITS]))

    def pay_dust(self) -> None:
        """Send one unit under a mark of his own."""
        self._spend(Leg.objects.filter(payer_address=self.wallet.address).exclude(issued={}).last(), 1)

    def _spend(self, leg: Leg | None, units: int) -> None:
        if leg is not None:
            self.till.node.send(self.wallet, cut_to(leg.issued["request"], units))

    def _send(self, method: str, path: str, body: object = None) -> None:
        self.answers.append(self.page.send(method, path, body))

    def _legs(self) -> list[Leg]:
        return list(Leg.objects.filter(intent_id=self.till.intent["id"]).exclude(issued={}).order_by("pk"))

    def _leg(self) -> Leg | None:
        legs = self._legs()
        return self.rng.choice(legs) if legs else None

    def _attempt(self) -> str:
        ids = [str(one.attempt_id) for one in self._legs()]
        return self.rng.choice([*ids, "7e570000-0000-4000-8000-000000000001"])

    def _hash(self) -> str:
        seen = [leg.tx_hash for leg in self._legs() if leg.tx_hash]
        seen += Credit.objects.values_list("tx_hash", flat=True)
        return self.rng.choice([*seen, "0x" + self.rng.randbytes(32).hex()])

    def _said(self, tx_hash: str, leg: Leg | None) -> dict[str, Any]:
        place = {"attempt_id": self._attempt(), "leg_sequence": 1}
        if leg is not None:
            place = {"attempt_id": str(leg.attempt_id), "leg_sequence": leg.sequence}
        return {**place, "tx_hash": tx_hash} if tx_hash else place


def rounds_to_settle(till: Till, beside: Callable[[], object] = lambda: None) -> int:
    """The payer pays; how many rounds of workers it takes until it is settled, with what else happens between."""
    if not till.intent:
        till.open("25")
    till.page.browser = PAYERS
    beside()
    [usdc] = [one for one in till.page.connect() if one["token_address"] == BASE_USDC]
    beside()
    attempt = till.page.choose(usdc)
    beside()
    attempt = till.accept(attempt)
    assert attempt["status"] == "awaiting_signature", attempt
    beside()
    [asked] = attempt["transactions"]
    till.page.report(attempt, asked["leg_sequence"], till.node.send(till.payer, asked["request"]))
    for rounds in range(1, MOST_ROUNDS):
        beside()
        if till.sweep()["status"] == "settled":
            return rounds
        till.pass_time()
    raise AssertionError(till.sweep())


def beginning(till: Till, payer: LocalAccount) -> Till:
    """Another payment of the same merchant."""
    return Till(api=till.api, node=till.node, merchant=till.merchant, payer=payer)


@pytest.mark.parametrize("seed", SEEDS)
def test_the_payer_settles_as_if_alone_and_gets_his_own_back(till: Till, caller: Principal, seed: int) -> None:
    """Where money goes back by itself."""
    set_refund_policy(caller, to_paying_wallet=True)
    alone = rounds_to_settle(beginning(till, till.stranger()))
    till.open("25")
    stranger = Stranger(till, seed)
    assert rounds_to_settle(till, lambda: stranger.act(ACTS_A_ROUND)) == alone
    [credit] = Credit.objects.filter(leg__intent_id=till.intent["id"], base_units=UNITS, reversed_at=None)
    assert str(credit.intent_id) == till.intent["id"]
    stranger.act(ACTS_A_ROUND)
    made = till.api.post("/refunds", {"intent_id": till.intent["id"], "amount_usd": 25})
    assert made.status == 201, made.body
    stranger.act(ACTS_A_ROUND)
    refunds.sweep_due()
    sent = Refund.objects.filter(intent_id=till.intent["id"]).exclude(status__in=["failed", "cancelled"])
    assert list(sent.values_list("destination", "base_units")) == [(till.payer.address, UNITS)]
    assert not Transfer.objects.filter(recipient=stranger.wallet.address).exists()


@pytest.mark.parametrize("seed", SEEDS)
def test_a_second_payer_claims_whatever_he_sees(till: Till, seed: int) -> None:
    alone = rounds_to_settle(beginning(till, till.stranger()))
    till.open("25")
    second = Stranger(till, seed)
    own = beginning(till, second.wallet)
    own.browser = STRANGERS
    issued = own.issue("25")

    acts: list[Callable[[], object]] = [second.claim, second.claim, second.report, second.look, second.decline]

    def beside() -> None:
        for _ in range(ACTS_A_ROUND):
            second.rng.choice([*acts, sweep_due])()
            second.claim(own)

    assert rounds_to_settle(till, beside) == alone
    beside()
    till.finish()
    assert till.credited() == [UNITS]
    assert (own.sweep()["status"], own.credited()) == ("awaiting_signature", [])
    assert issued["status"] == "awaiting_signature"
    assert max(reply.status for reply in second.answers) < 500
