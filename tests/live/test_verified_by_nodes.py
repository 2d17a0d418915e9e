"""What a record says of a chain is held against a node of that chain, by the verifier that shares nothing with us."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from causeway_sdk import records
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from django.test import Client

from chains.models import GasAccount
from chains.registry import EVM_NATIVE_ADDRESS, SOLANA_NATIVE_ADDRESS
from proofs.canonical import canonical
from proofs.keys import sign
from records.services import sweep_due
from tests.live.buyer import Buyer
from tests.live.evm_till import Till
from tests.live.proxy import Proxy, proxied
from tests.live.test_x402 import UNITS, bought, goes_on, signed
from tests.live.till import LiveTill
from tests.sdks.door import Terminal

Seal = dict[str, Any]
NOWHERE = {"base": "0x" + "5" * 64, "solana": "1" * 64}
SILENT = "http://127.0.0.1:1"


class Paper:
    """A merchant's own files, and the program that checks them."""

    def __init__(self, folder: Path) -> None:
        self.record, self.keys = folder / "record.json", folder / "keys.json"

    def fetch(self, till: LiveTill) -> "Paper":
        """Once it is signed."""
        sweep_due()
        self.record.write_bytes(till.api.get(f"/payment-intents/{till.intent['id']}/flight-record").raw)
        self.keys.write_bytes(Client().get("/.well-known/causeway-receipt-keys.json").content)
        return self

    @property
    def seal(self) -> Seal:
        """The receipt alone."""
        found: Seal = json.loads(self.record.read_bytes())["seals"][0]
        return found

    def put(self, seal: Seal) -> None:
        """Have a receipt of somebody's own making."""
        self.record.write_bytes(canonical(seal))

    def check(self, *nodes: str) -> tuple[int, dict[str, Any]]:
        """The exit code and the report of ``causeway verify``."""
        line = " ".join(f"--node {node}" for node in nodes)
        ended = Terminal("").run(f"verify {self.record} --keys {self.keys} {line}")
        return ended.exit_code, json.loads(ended.stdout)


@pytest.fixture
def paper(tmp_path: Path) -> Paper:
    return Paper(tmp_path)


def settled(till: LiveTill) -> LiveTill:
    till.issue_and_pay("25")
    assert till.finish()["status"] == "settled"
    return till


def outcome(checked: tuple[int, dict[str, Any]]) -> tuple[int, list[str], list[str]]:
    code, report = checked
    return code, report["problems"], report["unasked"]


TRUE: tuple[int, list[str], list[str]] = (0, [], [])


def test_a_true_record_holds_before_its_chain(any_till: LiveTill, paper: Paper) -> None:
    paper.fetch(settled(any_till))
    assert outcome(paper.check(f"{any_till.chain}={any_till.url()}")) == TRUE


@pytest.mark.parametrize("family", ["base", "solana"])
def test_so_does_one_of_the_chains_own_coin(family: str, paper: Paper, request: pytest.FixtureRequest) -> None:
    till: LiveTill = request.getfixturevalue({"base": "till", "solana": "solana_till"}[family])
    till.token = {"base": EVM_NATIVE_ADDRESS, "solana": SOLANA_NATIVE_ADDRESS}[family]
    till.symbol = {"base": "ETH", "solana": "SOL"}[family]
    paper.fetch(settled(till))
    place = f"{till.chain}={till.url()}"
    assert outcome(paper.check(place)) == TRUE
    seal = changed(paper.seal, "base_units", "10000000000000001" if family == "base" else "10000001")
    paper.put(resealed(seal))
    code, [problem], _ = outcome(paper.check(place))
    assert (code, problem.endswith(f"holds no such transfer to {till.merchant}")) == (1, True)


def test_so_does_what_an_exchange_paid(swapper: Buyer, paper: Paper) -> None:
    swapper.report(attempt := swapper.issue("25"), swapper.pay(attempt))
    assert swapper.arrive()["status"] == "settled"
    paper.fetch(swapper)
    assert outcome(paper.check(f"base={swapper.node.url}")) == TRUE


def test_so_does_what_came_over_a_bridge(buyer: Buyer, paper: Paper) -> None:
    buyer.report(attempt := buyer.issue("25"), buyer.pay(attempt))
    assert buyer.arrive()["status"] == "settled"
    paper.fetch(buyer)
    assert outcome(paper.check(f"base={buyer.node.url}")) == TRUE


def test_so_does_what_the_service_sent_for_a_payer_and_it_held_nothing(
    till: Till, gas: GasAccount, paper: Paper
) -> None:
    intent = bought(till)
    program, payment = signed(till, intent)
    assert program.brings(intent, payment).status == 202
    assert goes_on(till, intent) == "settled"
    paper.fetch(till)
    assert outcome(paper.check(f"base={till.url()}")) == TRUE
    statement = paper.seal["statement"]
    assert (statement["transactions"][0]["sender"], statement["transactions"][0]["base_units"]) == (
        *(gas.address, str(UNITS)),
    )
    custody = statement["custody"]
    hops = [(hop["role"], hop["address"]) for hop in custody["paths"][0]]
    assert (custody["held_by_service"], hops) == (
        False,
        [("payer", till.payer.address), ("merchant", till.merchant)],
    )


def changed(seal: Seal, name: str, value: object) -> Seal:
    """The receipt with another word about its first transaction."""
    statement = seal["statement"]
    first, *others = statement["transactions"]
    return {**seal, "statement": {**statement, "transactions": [{**first, name: value}, *others]}}


def resealed(seal: Seal) -> Seal:
    """Signed by the service's own key, as if the service lied."""
    statement = seal["statement"]
    signature = sign(statement["type"], canonical(statement))
    return {"statement": statement, "key_id": signature.key_id, "signature": signature.value}


def signed_by_a_stranger(seal: Seal) -> Seal:
    """The same statement under a key that the service never had."""
    key = Ed25519PrivateKey.generate()
    message = seal["statement"]["type"].encode() + b"\n" + canonical(seal["statement"])
    return {**seal, "signature": key.sign(message).hex()}


LIES: dict[str, tuple[str, Callable[[LiveTill], object], str]] = {
    "hash": ("tx_hash", lambda till: NOWHERE[till.chain], "no transaction {value} that went through"),
    "amount": ("base_units", lambda _: "25000001", "{tx_hash} holds no such transfer to {recipient}"),
    "less": ("base_units", lambda _: "24999999", "{tx_hash} holds no such transfer to {recipient}"),
    "receiver": ("recipient", lambda till: till.new_key()[0], "{tx_hash} holds no such transfer to {value}"),
    "sender": ("sender", lambda till: till.new_key()[0], "{tx_hash} was not sent by {value}"),
    "block": ("block_number", lambda _: 1, "{tx_hash} stands in another block than 1, {block_hash}"),
}
"""By what is untrue: which word, what it says then, and the sentence that names it."""


@pytest.mark.parametrize("lie", LIES)
def test_what_is_untrue_of_the_chain_is_named_whoever_signed_it(lie: str, any_till: LiveTill, paper: Paper) -> None:
    """Under a stranger's key the signature shows it already; under the service's own, the chain alone."""
    paper.fetch(settled(any_till))
    name, value_of, sentence = LIES[lie]
    value = value_of(any_till)
    place = f"{any_till.chain}={any_till.url()}"
    seal = changed(paper.seal, name, value)
    facts = seal["statement"]["transactions"][0]
    expected = f"{any_till.chain}: " + sentence.format(value=value, **facts)
    paper.put(resealed(seal))
    assert paper.check()[0] == 0
    assert outcome(paper.check(place)) == (1, [expected], [])
    paper.put(signed_by_a_stranger(seal))
    assert outcome(paper.check(place)) == (1, ["the receipt: the signature is not over this statement", expected], [])


def test_a_node_that_is_down_refutes_nothing(any_till: LiveTill, paper: Paper) -> None:
    paper.fetch(settled(any_till))
    chain = any_till.chain
    code, problems, [unasked] = outcome(paper.check(f"{chain}={SILENT}"))
    assert (code, problems, unasked.startswith(f"{chain}: could not ask its node: ")) == (3, [], True)
    program = [str(paper.record), "--keys", str(paper.keys), "--node", f"{chain}={SILENT}"]
    assert records.main(program) == 3
    assert records.main([*program[:-1], f"{chain}={any_till.url()}"]) == 0


@pytest.mark.parametrize("fault", ["500", "garbage", "hang-up", "error", "null"])
def test_nor_does_one_that_answers_nothing_sensible(fault: str, any_till: LiveTill, paper: Paper, proxy: Proxy) -> None:
    paper.fetch(settled(any_till))
    proxy.fault = fault
    code, problems, unasked = outcome(paper.check(f"{any_till.chain}={proxy.url}"))
    assert (code, problems, len(unasked)) == (3, [], 1)


def test_nor_does_one_that_has_not_come_so_far(any_till: LiveTill, paper: Paper, proxy: Proxy) -> None:
    paper.fetch(settled(any_till))
    proxy.fault, proxy.says = "behind", {"getTransaction": None, "eth_getTransactionReceipt": None}
    code, problems, [unasked] = outcome(paper.check(f"{any_till.chain}={proxy.url}"))
    stands = paper.seal["statement"]["transactions"][0]["block_number"]
    assert (code, problems, unasked.endswith(f"and the transaction stands in {stands}")) == (3, [], True)


def test_nor_does_one_of_another_chain_or_without_old_blocks(till: Till, paper: Paper) -> None:
    paper.fetch(settled(till))
    with proxied(till.url()) as proxy:
        proxy.fault = "wrong chain"
        another = outcome(paper.check(f"base={proxy.url}"))
        proxy.fault, proxy.says = "", {"eth_getTransactionReceipt": None}
        forgetful = outcome(paper.check(f"base={proxy.url}"))
    number = paper.seal["statement"]["transactions"][0]["block_number"]
    reason = "base: could not ask its node: it"
    assert another == (3, [], [f"{reason} is a node of another chain"])
    assert forgetful == (3, [], [f"{reason} keeps nothing of block {number} any more"])
