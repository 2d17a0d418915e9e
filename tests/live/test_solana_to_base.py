"""A payer on Solana and a merchant on Base, joined by Across: from the door through both chains to the merchant."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import pytest
from pytest_django import Settings
from solders.instruction import Instruction
from solders.pubkey import Pubkey

from chains.instructions.programs import MEMO_PROGRAM
from chains.instructions.transactions import reference_of
from localnet.lifi import Conduct, Lifi, serving
from localnet.lifi.solana import changed
from localnet.nodes import DevChain, fresh_wallet
from localnet.solana.money import USDC
from localnet.solana.server import DevSolana
from localnet.solana.spoke import PROGRAM, STATE
from payments.routing.lifi.status import status
from tests.conftest import ApiClient
from tests.live.buyer import DEEP_ENOUGH
from tests.live.evm_till import BASE_USDC
from tests.live.solana_till import SolanaTill

HELD = 1_000_000_000


@dataclass(kw_only=True)
class Bridger(SolanaTill):
    """A payer with USDC on Solana; the merchant wants it on Base."""

    shop: Lifi
    base: DevChain

    @property
    def pays_with(self) -> tuple[str, str]:
        return "solana", USDC

    def arrive(self) -> dict[str, Any]:
        """Let relayers and workers go on until everything is final; the intent."""
        self.sweep()
        self.shop.relayer.work()
        self.node.finalize()
        self.base.mine(DEEP_ENOUGH)
        return self.sweep(3)

    def held(self, owner: str = "") -> int:
        return int(self.base.balance(BASE_USDC, owner or self.merchant))

    def left(self) -> int:
        return self.node.held(USDC, self.wallet[1])


@pytest.fixture
def bridger(
    live_api: ApiClient,
    network: dict[str, DevChain],
    solana_node: DevSolana,
    nodes: Callable[..., None],
    prices: None,
    settings: Settings,
) -> Iterator[Bridger]:
    """Somebody with 1,000 USDC and one SOL on Solana, who pays on Base through LI.FI."""
    with serving(network, relays=False, solana=solana_node) as shop:
        for chain, node in network.items():
            nodes(chain, node.url)
        nodes("solana", solana_node.url)
        settings.LIFI_URL, settings.LIFI_API_KEY, settings.LIFI_INTEGRATOR = shop.url, "", "causeway"
        made = Bridger(api=live_api, node=solana_node, shop=shop, base=network["base"])
        made.endow(HELD)
        made.chain, made.token, made.merchant = "base", BASE_USDC, fresh_wallet().address
        yield made


def deposit_with(offset: int, content: bytes) -> Callable[[list[Instruction]], list[Instruction]]:
    """A deposit whose data say something else from a byte on."""

    def change(calls: list[Instruction]) -> list[Instruction]:
        [place] = [place for place, call in enumerate(calls) if call.program_id == PROGRAM]
        data = bytes(calls[place].data)
        data = data[:offset] + content + data[offset + len(content) :]
        return [*calls[:place], Instruction(PROGRAM, data, calls[place].accounts), *calls[place + 1 :]]

    return change


def test_usdc_on_solana_pays_on_base(bridger: Bridger) -> None:
    attempt = bridger.issue("25")
    leg, vault = bridger.leg(), bridger.node.held(USDC, str(STATE))
    assert leg.issued["reference"] == reference_of(str(leg.pk))
    assert attempt["transactions"][0]["transaction_base64"] == leg.issued["transaction_base64"]
    signature = bridger.send(attempt)
    bridger.report(attempt, signature)
    assert bridger.sweep()["status"] == "executing"
    assert status(signature, "across", "solana", "base").report == "waiting"
    assert bridger.arrive()["status"] == "settled"
    leg.refresh_from_db()
    delivery = bridger.shop.relayer.of(signature)
    assert delivery is not None
    assert (leg.kind, leg.provider, leg.bridge, leg.status) == ("bridge", "lifi", "across", "confirmed")
    assert (leg.tx_hash, leg.destination_tx_hash) == (signature, delivery.fill_hash)
    assert bridger.held() >= 25_000_000
    assert bridger.credited() == [bridger.held()] == [delivery.paid_units]
    assert HELD - bridger.left() == bridger.node.held(USDC, str(STATE)) - vault == int(leg.input_base_units)
    assert bridger.told() == ["created", "quoted", "executing", "settled"]
    hint = status(signature, "across", "solana", "base")
    assert (hint.report, hint.destination_tx_hash) == ("done", delivery.fill_hash)


def test_an_order_is_known_by_the_legs_own_number(bridger: Bridger) -> None:
    """Not by what LI.FI chose: a number that was used before would open an order that was filled before."""

    def rewrites(body: dict[str, Any]) -> None:
        request = body["transactionRequest"]
        request["data"] = changed(bridger.node, request["data"], "nonce", 7)

    bridger.shop.lie("/quote/toAmount", times=-1, rewrites=rewrites)
    orders = []
    for _ in range(2):
        bridger.send(bridger.issue("25"))
        assert bridger.arrive()["status"] == "settled"
        orders.append(bridger.leg().order_id.split(":"))
    assert {order[1] for order in orders} == {"34268394551451"}
    assert orders[0][2] != orders[1][2]


def test_a_wallet_that_adds_instructions_has_paid(bridger: Bridger) -> None:
    attempt = bridger.issue("25")
    guard = Instruction(Pubkey.from_string(MEMO_PROGRAM), b"guarded", [])
    bridger.report(attempt, bridger.send(attempt, lambda calls: [guard, *calls, guard]))
    assert bridger.arrive()["status"] == "settled"


CHANGES = [
    ("recipient", 8 + 32, bytes(12) + b"\7" * 20),
    ("output token", 8 + 96, bytes(12) + b"\7" * 20),
    ("output amount", 8 + 136, (24_000_000).to_bytes(32)),
    ("destination", 8 + 168, (42161).to_bytes(8, "little")),
    ("nonce", 8 + 208, bytes(8)),
]


@pytest.mark.spec("Rulings C7.1")
@pytest.mark.parametrize(("offset", "content"), [pytest.param(*one[1:], id=one[0]) for one in CHANGES])
def test_another_deposit_is_not_ours(bridger: Bridger, offset: int, content: bytes) -> None:
    bridger.shop.relayer.conduct = Conduct.HOLD
    attempt = bridger.issue("25")
    bridger.report(attempt, bridger.send(attempt, deposit_with(offset, content)))
    assert bridger.arrive()["status"] == "awaiting_signature"
    assert (bridger.leg().error, bridger.leg().order_id, bridger.credited()) == ("tx_not_for_this_intent", "", [])
