"""What second layers pay to Ethereum for a transaction's bytes is part of the network fee that the payer is shown."""

from collections.abc import Callable, Iterator
from decimal import ROUND_UP, Decimal

import pytest

from chains.clients.registry import EVM
from localnet.nodes import DevChain, running
from payments.routing.direct import TOKEN_TRANSFER_BYTES, TOKEN_TRANSFER_GAS
from payments.routing.network_fees import network_fee_usd
from tests.live.evm_till import Till
from tests.live.proxy import proxied

ORACLE = "0x420000000000000000000000000000000000000F"
NODE_INTERFACE = "0x00000000000000000000000000000000000000C8"
WEI_A_BYTE = 10**12


def answering(selector: str, answer: str) -> str:
    """Code of a contract that answers one question, and refuses every other."""
    return f"0x60003560e01c63{selector}14601457" + "60006000fd" + "5b" + answer


A_BYTES_FEE = answering("f1c7a58b", "600435" + "64e8d4a51000" + "02" + "600052" + "60206000f3")
"""As the oracle of the OP stack: its bound for so many bytes, here a fixed fee for each."""
AN_ARBITRUM_ANSWER = answering("77d488a2", "36600052" + "633b9aca00602052" + "6001604052" + "60606000f3")
"""As Arbitrum's node: units of gas for the bytes, here one for each of the whole question, and what one costs."""
GWEI = 10**9


def expected(gas_price: int, data_wei: int) -> Decimal:
    """In dollars, at 2,500 a coin and with a quarter to spare, rounded up."""
    wei = (gas_price * TOKEN_TRANSFER_GAS + data_wei) * 5
    return (Decimal(wei) * 2500 / 4 / 10**18).quantize(Decimal("0.000001"), ROUND_UP)


def shown(chain: str = "base") -> Decimal | None:
    """The network fee of a token's transfer, as a worker that has yet to ask works it out."""
    EVM.forget()
    return network_fee_usd(chain, TOKEN_TRANSFER_GAS, TOKEN_TRANSFER_BYTES)


@pytest.fixture
def oracle(base_node: DevChain) -> Iterator[DevChain]:
    """Base's node with the oracle that the real chain has."""
    base_node.rpc("anvil_setCode", ORACLE, A_BYTES_FEE)
    yield base_node
    base_node.rpc("anvil_setCode", ORACLE, "0x")


def test_the_payer_is_shown_what_the_bytes_cost(till: Till, oracle: DevChain) -> None:
    price = till.node.web3.eth.gas_price
    assert Decimal(till.quoted("25")["gas_usd"]) == expected(price, TOKEN_TRANSFER_BYTES * WEI_A_BYTE)


def test_arbitrum_says_it_in_units_of_gas(nodes: Callable[..., None], prices: None) -> None:
    with running(42161) as node:
        nodes("arbitrum", node.url)
        without = shown("arbitrum")
        node.rpc("anvil_setCode", NODE_INTERFACE, AN_ARBITRUM_ANSWER)
        asked = 4 + 4 * 32 + -(-TOKEN_TRANSFER_BYTES // 32) * 32
        price = node.web3.eth.gas_price
        assert (without, shown("arbitrum")) == (expected(price, 0), expected(price, asked * GWEI))


@pytest.mark.parametrize(
    "code",
    ["0x", "0x60006000fd", "0x5b600056", "0x60006000f3", "0x600160005260016000f3", "0x60001960005260206000f3"],
    ids=["nobody there", "refuses", "never ends", "nothing", "no number", "absurd"],
)
def test_an_oracle_that_cannot_say_holds_up_no_quote(till: Till, oracle: DevChain, code: str) -> None:
    """The fee is shown without that part."""
    oracle.rpc("anvil_setCode", ORACLE, code)
    price = till.node.web3.eth.gas_price
    assert Decimal(till.quoted("25")["gas_usd"]) == expected(price, 0)


def test_what_it_last_said_stands_while_it_is_silent(
    till: Till, oracle: DevChain, nodes: Callable[..., None], monkeypatch: pytest.MonkeyPatch
) -> None:
    """For an hour: a fee of before is nearer than none."""
    with proxied(oracle.url) as proxy:
        nodes("base", proxy.url)
        seconds = 0
        monkeypatch.setattr("chains.clients.evm_fees.ticks", lambda: seconds)
        before = network_fee_usd("base", TOKEN_TRANSFER_GAS, TOKEN_TRANSFER_BYTES)
        proxy.refuses["eth_call"] = "execution timeout"
        answers = []
        for seconds in (60, 3600, 3606):  # noqa: B007 - read by the clock above
            answers.append(network_fee_usd("base", TOKEN_TRANSFER_GAS, TOKEN_TRANSFER_BYTES))
        price = oracle.web3.eth.gas_price
        assert before == answers[0] == answers[1] == expected(price, TOKEN_TRANSFER_BYTES * WEI_A_BYTE)
        assert answers[2] == expected(price, 0)


def test_a_chain_of_its_own_is_not_asked(nodes: Callable[..., None], prices: None, base_node: DevChain) -> None:
    with running(1) as node, proxied(node.url) as proxy:
        nodes("ethereum", proxy.url)
        assert shown("ethereum") == expected(node.web3.eth.gas_price, 0)
        assert "eth_call" not in proxy.heard


def test_it_is_asked_once_for_all_tokens_of_a_wallet(
    oracle: DevChain, nodes: Callable[..., None], prices: None
) -> None:
    with proxied(oracle.url) as proxy:
        nodes("base", proxy.url)
        first = [network_fee_usd("base", TOKEN_TRANSFER_GAS, TOKEN_TRANSFER_BYTES) for _ in range(5)]
        assert (len(set(first)), proxy.heard.count("eth_call")) == (1, 1)
