"""A stranger with the checkout's link does all that the link allows, in random order, while the payer pays beside.

Bounded by the number of his acts and by blocks, never by a clock. The payer needs as many worker rounds as alone.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import timedelta
from random import Random
from typing import Any

import pytest
from django.test import Client
from eth_account import Account
from eth_account.messages import encode_defunct
from eth_account.signers.local import LocalAccount

from chains.clients.evm_claims import claim_text
from chains.models import Transfer
from core.clock import now
from core.modes import Mode
from merchants.models import Merchant
from merchants.principal import Principal
from payments.models import Credit, LatePolicy, Leg, PaymentIntent
from payments.services.advance import sweep_due
from payments.services.policy import WantedPolicy, set_payment_policy
from refunds.models import Refund
from refunds.services import advance as refunds
from refunds.services.late import send_late_money_back
from refunds.services.policy import set_refund_policy
from tests.conftest import Reply, read_reply
from tests.live.conftest import BASE_USDC, Till
from tests.live.test_unlucky_payments import cut_to
from tests.payments.payer import Payer

UNITS = 25_000_000
PAYERS, STRANGERS = "a" * 43, "b" * 43
MOST_ROUNDS, ACTS_A_ROUND = 8, 12
SEEDS = (1, 2, 3)


@pytest.fixture
def generous(merchant: Merchant) -> None:
    """A merchant who lets money go back by itself wherever that is offered."""
    owner = Principal(merchant_id=merchant.pk, mode=Mode.LIVE, actor="user:1")
    set_refund_policy(owner, to_paying_wallet=True)
    set_payment_policy(owner, WantedPolicy(tolerance_bps=None, finality="", late=LatePolicy.REFUND))


@dataclass
class Stranger:
    """Somebody with the link, a browser and a wallet, who sees whatever the page and the chain show."""

    till: Till
    rng: Random
    page: Payer
    wallet: LocalAccount
    own: Till | None = None
    """Where he is a payer himself: a payment of his own at the same merchant."""
    answers: list[Reply] = field(default_factory=list)
    spent: int = 0

    @classmethod
    def at(cls, till: Till, seed: int) -> "Stranger":
        """He opened the link that the payer got."""
        wallet = till.stranger()
        page = Payer.of(till.intent, "evm", wallet.address, browser=STRANGERS)
        return cls(till=till, rng=Random(seed), page=page, wallet=wallet)  # noqa: S311 - told again

    def act(self, times: int) -> None:
        """So many acts by chance. Each is answered, and never with an error of ours."""
        for _ in range(times):
            self.rng.choice(self.acts())()
        assert max(reply.status for reply in self.answers) < 500, [reply.body for reply in self.answers]

    def acts(self) -> list[Callable[[], object]]:
        """All that the link allows, and what a chain allows anybody."""
        return [self.look, self.connect, self.quote, self.start, self.report, self.claim, self.decline, self.solana,
                self.play, self.copy, self.pay_dust, sweep_due]  # fmt: skip

    def look(self) -> None:
        """Read what there is to read."""
        paths = ["", "/state", "/session"]
        path = self.rng.choice(paths)
        self._send("POST" if path == "/session" else "GET", path)
        self.answers.append(read_reply(Client().get(f"/checkout/{self.till.intent['id']}/receipt")))

    def connect(self) -> None:
        """Say that his wallet pays, or that the payer's does."""
        address = self.rng.choice([self.wallet.address, self.till.payer.address])
        self._send("POST", "/wallet", {"family": "evm", "address": address})

    def quote(self) -> None:
        """Ask for a quote in the merchant's token."""
        self._send("POST", "/quote", {"chain": "base", "token_address": BASE_USDC})

    def start(self) -> None:
        """Accept a quote, his or the payer's."""
        self._send("POST", "/start", {"attempt_id": self._attempt()})

    def report(self) -> None:
        """Report a hash: nobody's, or one that he saw on the chain."""
        self._send("POST", "/submitted", self._said(self._hash()))

    def claim(self) -> None:
        """Claim whatever he saw: with his own signature, for any leg."""
        tx_hash, leg = self._hash(), self._leg()
        self._send("POST", "/submitted", self._said(tx_hash, leg) | {"claim": self._signed(tx_hash, leg)})

    def decline(self) -> None:
        """Give an attempt up, his or the payer's."""
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
        leg = self._leg()
        if leg is not None:
            self._spend(leg.issued["request"], self.rng.choice([1, 1, 10 * UNITS]))

    def pay_dust(self) -> None:
        """Send one unit under a mark of his own."""
        leg = Leg.objects.filter(payer_address=self.wallet.address).exclude(issued={}).last()
        if leg is not None:
            self._spend(leg.issued["request"], 1)

    def _spend(self, request: dict[str, str], units: int) -> None:
        self.till.node.send(self.wallet, cut_to(request, units))
        self.spent += units if units == 1 else 0

    def _send(self, method: str, path: str, body: object = None) -> None:
        self.answers.append(self.page.send(method, path, body))

    def _legs(self) -> list[Leg]:
        ours = [till.intent["id"] for till in (self.till, self.own) if till is not None]
        return list(Leg.objects.filter(intent_id__in=ours).exclude(issued={}).order_by("pk"))

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

    def _said(self, tx_hash: str, leg: Leg | None = None) -> dict[str, Any]:
        leg = leg or self._leg()
        place = {"attempt_id": self._attempt(), "leg_sequence": 1}
        if leg is not None:
            place = {"attempt_id": str(leg.attempt_id), "leg_sequence": leg.sequence}
        return {**place, "tx_hash": tx_hash} if tx_hash else place

    def _signed(self, tx_hash: str, leg: Leg | None) -> str:
        text = claim_text("" if leg is None else str(leg.pk), tx_hash)
        return "0x" + bytes(Account.sign_message(encode_defunct(text=text), self.wallet.key).signature).hex()


def rounds_to_settle(till: Till, beside: Callable[[], object] = lambda: None) -> int:
    """The payer pays; how many rounds of workers it takes until it is settled, with what else happens between."""
    till.browser = PAYERS
    if till.page is None:
        till.open("25")
    assert till.page is not None
    till.page.browser = PAYERS
    beside()
    [usdc] = [one for one in till.page.connect() if one["token_address"] == BASE_USDC]
    beside()
    attempt = till.page.choose(usdc)
    beside()
    till.page.act("start", {"attempt_id": attempt["id"]})
    sweep_due()
    attempt = till.page.state()["attempt"]
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


def beginning(till: Till) -> Till:
    """Another payment of the same merchant."""
    return Till(api=till.api, node=till.node, merchant=till.merchant, payer=till.stranger(1_000_000_000))


def given_back(till: Till) -> dict[str, int]:
    """By address what refunds of a payment send there, or will."""
    sums: dict[str, int] = {}
    for one in Refund.objects.filter(intent_id=till.intent["id"]).exclude(status__in=["failed", "cancelled"]):
        sums[one.destination] = sums.get(one.destination, 0) + one.base_units
    return sums


@pytest.mark.usefixtures("generous")
@pytest.mark.parametrize("seed", SEEDS)
def test_the_payer_settles_as_if_alone_and_gets_his_own_back(till: Till, seed: int) -> None:
    alone = rounds_to_settle(beginning(till))
    till.open("25")
    stranger = Stranger.at(till, seed)
    assert rounds_to_settle(till, lambda: stranger.act(ACTS_A_ROUND)) == alone
    [credit] = Credit.objects.filter(leg__intent_id=till.intent["id"], base_units=UNITS, reversed_at=None)
    assert credit.intent_id == PaymentIntent.objects.get(pk=till.intent["id"]).pk
    stranger.act(ACTS_A_ROUND)
    made = till.api.post("/refunds", {"intent_id": till.intent["id"], "amount_usd": 25})
    assert made.status == 201, made.body
    stranger.act(ACTS_A_ROUND)
    refunds.sweep_due()
    assert given_back(till) == {till.payer.address: UNITS}
    assert not Transfer.objects.filter(recipient=stranger.wallet.address).exists()


@pytest.mark.usefixtures("generous")
@pytest.mark.parametrize("seed", SEEDS)
def test_late_money_goes_back_to_who_sent_it(till: Till, seed: int) -> None:
    till.browser = PAYERS
    attempt = till.issue("25")
    stranger = Stranger.at(till, seed)
    # Why an hour: the local chain's clock may be behind this one's, and the payment shall be late by its block.
    over = now() - timedelta(hours=1)
    PaymentIntent.objects.filter(pk=till.intent["id"]).update(expires_at=over, expires_due_at=over)
    assert till.sweep()["status"] == "expired"
    stranger.act(2 * ACTS_A_ROUND)
    till.node.send(till.payer, attempt["transactions"][0]["request"])
    for _ in range(3):
        stranger.act(ACTS_A_ROUND // 2)
        till.pass_time()
        till.sweep()
        send_late_money_back()
        refunds.sweep_due()
    assert UNITS in till.credited()
    back = given_back(till)
    assert back.pop(till.payer.address) == UNITS
    assert sum(back.values()) <= stranger.spent


@pytest.mark.usefixtures("generous")
@pytest.mark.parametrize("seed", SEEDS)
def test_a_second_payer_claims_whatever_he_sees(till: Till, seed: int) -> None:
    alone = rounds_to_settle(beginning(till))
    till.open("25")
    second = Stranger.at(till, seed)
    second.own = beginning(till)
    second.own.payer = second.wallet
    second.own.browser = STRANGERS
    own = second.own.issue("25")
    claims: list[Callable[[], object]] = [
        second.claim,
        second.claim,
        second.report,
        second.look,
        second.decline,
        sweep_due,
    ]

    def beside() -> None:
        for _ in range(ACTS_A_ROUND):
            second.rng.choice(claims)()
            tx_hash, leg = second._hash(), second.own.leg() if second.own else None
            said = second._said(tx_hash, leg) | {"claim": second._signed(tx_hash, leg)}
            assert second.own is not None
            assert second.own.page is not None
            second.answers.append(second.own.page.send("POST", "/submitted", said))

    assert rounds_to_settle(till, beside) == alone
    beside()
    till.finish()
    assert till.credited() == [UNITS]
    assert (second.own.sweep()["status"], second.own.credited()) == ("awaiting_signature", [])
    assert own["status"] == "awaiting_signature"
    assert max(reply.status for reply in second.answers) < 500
