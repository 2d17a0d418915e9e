"""A refund's claim by a wallet that is a contract: its chain is asked by a worker, and its word moves what it paid."""

from collections.abc import Callable, Iterator
from datetime import timedelta

import pytest
import time_machine
from pytest_django import Settings

from core.buckets import Limit
from core.clock import now
from localnet.nodes import DevChain, fresh_wallet, running
from merchants.models import Merchant
from payments.models import WalletWord
from payments.services.wallet_words import PAUSES, sweep_wallet_words
from refunds.models import Refund
from refunds.services.contract_claims import act_on_word, sweep_contract_claims
from tests.conftest import ApiClient, Reply
from tests.factories.refunds import paid_intent
from tests.live.evm_till import Till
from tests.live.proxy import Proxy, proxied
from tests.live.vault import NEVER_ENDS, YES_TO_EVERYTHING, Vault
from tests.refunds.claiming import ELSEWHERE, claim, everything, paid_by, paid_in_parts, text_for, waiting_refund

ASKED = (202, "asking_wallet")
FORGED, SILENT = (400, "refund_claim_signature_invalid"), (409, "refund_claim_wallet_silent")


@pytest.fixture
def node(base_node: DevChain, nodes: Callable[..., None], impatient: None) -> Iterator[Proxy]:
    """The way to Base's node, which says what it was asked."""
    with proxied(base_node.url) as made:
        nodes("base", made.url)
        yield made


@pytest.fixture
def vault(base_node: DevChain, node: Proxy, db: None) -> Vault:
    made = Vault(node=base_node)
    made.stand()
    return made


def refund_of(merchant: Merchant, wallet: str, chain: str = "base") -> Refund:
    """A refund of 25 USDC on Base that this contract paid: the trace showed that it made the call."""
    intent = paid_intent(merchant)
    paid_by(intent, wallet, chain=chain)
    intent.credits.update(payer_proof="call")
    return waiting_refund(merchant, intent=intent)


class Claim:
    """A claim as its page sends it, once and again."""

    def __init__(self, refund: Refund, vault: Vault, destination: str = ELSEWHERE) -> None:
        self.refund, self.vault = refund, vault
        self.told = text_for(refund, wallet=vault.address, destination=destination)
        self.signature = "0x" + vault.signed(text=self.told["message"]).hex()

    def forge(self) -> "Claim":
        """Somebody else's key signs."""
        self.signature = "0x" + self.vault.signed(fresh_wallet(), self.told["message"]).hex()
        return self

    def send(self) -> tuple[int, str]:
        """Status, and the code or status that the answer names."""
        reply = self.reply()
        return reply.status, reply.body.get("code") or reply.body["status"]

    def reply(self) -> Reply:
        path = f"/api/public/refunds/{self.refund.pk}/claim"
        return ApiClient("").post(path, {"nonce": self.told["nonce"], "signature": self.signature, "by_contract": True})


def work() -> None:
    """A worker comes round."""
    sweep_wallet_words()
    sweep_contract_claims()


def test_a_contract_that_paid_says_where_its_refund_goes(merchant: Merchant, vault: Vault, node: Proxy) -> None:
    made = Claim(refund_of(merchant, vault.address), vault)
    assert (made.send(), made.send()) == (ASKED, ASKED)
    assert "eth_call" not in node.heard
    work()
    assert (made.send(), made.send()) == ((200, "pending"), (200, "pending"))
    made.refund.refresh_from_db()
    assert (made.refund.status, made.refund.destination) == ("queued", ELSEWHERE)
    used, word = made.refund.claims.get(), WalletWord.objects.get()
    assert (used.signature, word.signature, word.word) == (f"word:{word.pk}", made.signature, "yes")
    last = made.refund.history.latest("pk")
    assert (last.actor, last.reason) == (f"payer:…{vault.address[-6:]}", "claimed")
    before = everything()
    act_on_word(word.pk)
    work()
    assert everything() == before


def ends_in(made: Claim) -> tuple[int, str]:
    """What a claim comes to that moves nothing."""
    before = [row for row in everything() if row]
    assert made.send() == ASKED
    work()
    said = made.send()
    assert (made.send(), [row for row in everything() if row]) == (said, before)
    return said


def test_what_it_did_not_sign_moves_nothing(merchant: Merchant, vault: Vault) -> None:
    assert ends_in(Claim(refund_of(merchant, vault.address), vault).forge()) == FORGED


def test_a_contract_that_says_yes_to_everything_did_not_pay_by_that(
    merchant: Merchant, vault: Vault, node: Proxy
) -> None:
    """And whoever asks does not learn from the answer who did."""
    vault.node.rpc("anvil_setCode", vault.address, YES_TO_EVERYTHING)
    refund = refund_of(merchant, fresh_wallet().address)
    assert ends_in(Claim(refund, vault)) == FORGED
    assert "eth_call" not in node.heard


def test_it_claims_what_it_paid_and_no_more(merchant: Merchant, vault: Vault) -> None:
    intent = paid_in_parts(merchant, (15, vault.address), (10, fresh_wallet().address))
    refund = waiting_refund(merchant, "20", intent=intent)
    assert ends_in(Claim(refund, vault)) == (403, "refund_claim_exceeds_payment")


def test_the_same_address_elsewhere_has_no_say(merchant: Merchant, vault: Vault, nodes: Callable[..., None]) -> None:
    """It paid on Arbitrum. On Base anybody may have put a contract of his own at the address."""
    thief = Claim(refund_of(merchant, vault.address, "arbitrum"), vault)
    with running(42161) as arbitrum:
        nodes("arbitrum", arbitrum.url)
        payer = Vault(node=arbitrum, address=vault.address)
        payer.stand()
        assert ends_in(thief) == FORGED
        assert ends_in(Claim(thief.refund, payer, vault.address)) == FORGED
        vault.belong_to(payer.owner.address)
        honest = Claim(thief.refund, payer, vault.address)
        assert honest.send() == ASKED
        work()
        assert honest.send() == (200, "pending")


def test_a_contract_that_never_answers_is_asked_for_a_while(merchant: Merchant, vault: Vault, node: Proxy) -> None:
    vault.node.rpc("anvil_setCode", vault.address, NEVER_ENDS)
    made = Claim(refund_of(merchant, vault.address), vault)
    assert made.send() == ASKED
    for tries, pause in enumerate(PAUSES, start=1):
        assert made.send() == ASKED
        work()
        asked = node.heard.count("eth_call")
        work()
        assert (WalletWord.objects.get().attempts, node.heard.count("eth_call")) == (tries, asked)
        WalletWord.objects.filter(next_attempt_at__lte=now() + timedelta(seconds=pause)).update(next_attempt_at=now())
    assert (made.send(), made.send()) == (SILENT, SILENT)
    work()
    assert made.refund.claims.get().used_at is None


def test_a_claim_that_came_in_time_does_not_end_while_it_is_asked(merchant: Merchant, vault: Vault) -> None:
    made = Claim(refund_of(merchant, vault.address), vault)
    late = Claim(made.refund, vault)
    assert made.send() == ASKED
    with time_machine.travel(now() + timedelta(minutes=10, seconds=1)):
        assert late.send() == (409, "refund_claim_expired")
        Claim(made.refund, vault)
        work()
        assert made.send() == (200, "pending")


def test_it_costs_its_merchant_so_much_and_no_more(
    merchant: Merchant, vault: Vault, monkeypatch: pytest.MonkeyPatch, settings: Settings
) -> None:
    """Put back, and no try of it is lost."""
    made = Claim(refund_of(merchant, vault.address), vault)
    assert made.send() == ASKED
    scale, settings.RATE_LIMIT_SCALE = settings.RATE_LIMIT_SCALE, 1
    with monkeypatch.context() as scarce:
        scarce.setattr("payments.services.budgets.WALLET_QUESTIONS_A_MINUTE", Limit(count=2, window_seconds=60))
        work()
    row = WalletWord.objects.get()
    assert (row.word, row.attempts, row.next_attempt_at is not None and row.next_attempt_at > now()) == ("", 0, True)
    settings.RATE_LIMIT_SCALE = scale
    WalletWord.objects.update(next_attempt_at=now())
    work()
    assert made.send() == (200, "pending")


def test_the_first_signature_stands_while_it_is_asked(merchant: Merchant, vault: Vault) -> None:
    made = Claim(refund_of(merchant, vault.address), vault)
    assert made.send() == ASKED
    assert made.forge().send() == ASKED
    work()
    assert made.send() == (200, "pending")


def test_of_two_claims_one_moves_it(merchant: Merchant, vault: Vault) -> None:
    refund = refund_of(merchant, vault.address)
    first, second = Claim(refund, vault), Claim(refund, vault, fresh_wallet().address)
    assert (first.send(), second.send()) == (ASKED, ASKED)
    work()
    assert (first.send(), second.send()) == ((200, "pending"), (409, "refund_destination_not_needed"))
    refund.refresh_from_db()
    assert refund.destination == ELSEWHERE


def test_nobody_is_asked_unless_the_payer_says_so(merchant: Merchant, vault: Vault) -> None:
    made = Claim(refund_of(merchant, vault.address), vault)
    reply = claim(made.refund, made.told["nonce"], made.signature)
    assert (reply.status, reply.body["code"], WalletWord.objects.count()) == (*FORGED, 0)
    reply = claim(made.refund, made.told["nonce"], made.signature + "00")
    assert (reply.status, reply.body["code"], WalletWord.objects.count()) == (400, "refund_claim_contract_wallet", 0)


def test_a_key_needs_no_contract(merchant: Merchant, vault: Vault) -> None:
    """Whoever says that it is a contract, and signs as a key does, is taken at once."""
    payer = fresh_wallet()
    made = Claim(refund_of(merchant, payer.address), Vault(node=vault.node, address=payer.address, owner=payer))
    assert (made.send(), WalletWord.objects.count()) == ((200, "pending"), 0)


def test_test_mode_asks_no_chain(merchant: Merchant, vault: Vault) -> None:
    intent = paid_intent(merchant, mode="test")
    paid_by(intent, vault.address)
    made = Claim(waiting_refund(merchant, intent=intent, mode="test"), vault)
    assert (made.send(), WalletWord.objects.count()) == (FORGED, 0)


def test_from_the_payment_in_a_bundle_to_the_claim(till: Till) -> None:
    """A stranger carries the wallet's call into a block. What the trace shows to be the wallet's own it claims back."""
    vault, bundler = Vault(node=till.node, address=till.payer.address), fresh_wallet()
    till.node.fund(bundler.address)
    attempt = till.issue("25")
    asked = attempt["transactions"][0]["request"]
    till.node.place("SmartAccount", vault.address)
    account = till.node.contract("SmartAccount", vault.address)
    data = account.encode_abi("execute", args=[[(asked["to"], int(asked["value"], 16), asked["data"])]])
    till.report(attempt, till.node.send(bundler, {"to": vault.address, "value": "0x0", "data": data}, gas=500_000))
    assert till.end()["status"] == "settled"
    credit = till.leg().credits.get()
    assert (credit.payer, credit.payer_proof) == (vault.address, "call")
    made = till.api.post("/refunds", {"intent_id": till.intent["id"], "amount_usd": 25.0})
    assert (made.status, made.body["failure_reason"]) == (201, "missing_destination")
    refund = Refund.objects.get(pk=made.body["id"])
    vault.stand()
    thief = Claim(refund, Vault(node=till.node, address=bundler.address, owner=bundler))
    assert thief.send() == (403, "refund_claim_not_payer")
    mine = Claim(refund, vault)
    assert mine.send() == ASKED
    work()
    assert mine.send() == (200, "pending")
