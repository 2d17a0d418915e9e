"""Each answer of the catalogue to all that is asked of one leg; another merchant's payment settles as it does alone."""

import json
from collections.abc import Callable
from typing import Any

import pytest

from localnet.nodes import DevChain
from localnet.solana.server import DevSolana
from merchants.services import NewMerchant
from tests.chains.error_answers import EVM_ANSWERS, SOLANA_ANSWERS, ErrorAnswer
from tests.conftest import ApiClient
from tests.live.evm_till import BASE_USDC, Till
from tests.live.proxy import Proxy, proxied
from tests.live.solana_till import SolanaTill
from tests.live.test_odd_answers import settles_as_usual
from tests.live.till import LiveTill

Nodes = Callable[..., None]


def answering(proxy: Proxy, given: ErrorAnswer, marks: list[str]) -> list[str]:
    """Let the proxy answer so whenever a question names one of these; the methods that it did so to."""
    plain, met = proxy.answer, []

    def answer(body: dict[str, Any]) -> tuple[int, bytes] | None:
        text = json.dumps(body).lower()
        if not any(mark.lower() in text for mark in marks):
            return plain(body)
        met.append(body["method"])
        made = given.to(body["id"])
        return None if made is None else (given.status, made)

    proxy.answer = answer  # type: ignore[method-assign]  # the test's own
    return met


def told(till: LiveTill, attempt: dict[str, Any], tx_hash: str) -> str:
    """A hash that a wallet told, of the right form, and that no node will say anything of."""
    till.report(attempt, tx_hash)
    return tx_hash


@pytest.mark.parametrize("given", EVM_ANSWERS, ids=lambda one: one.name)
def test_on_an_evm_chain(  # noqa: PLR0913, PLR0917 - two merchants, their node, and one answer
    till: Till,
    base_node: DevChain,
    nodes: Nodes,
    other_account: NewMerchant,
    given: ErrorAnswer,
) -> None:
    other = Till(api=ApiClient(other_account.live.secret_key), node=base_node)
    base_node.fund(other.payer.address)
    base_node.mint(BASE_USDC, other.payer.address, 1_000_000_000)
    with proxied(base_node.url) as proxy:
        nodes("base", proxy.url)
        attempt, own = other.issue("25"), till.issue("25")
        marks = [till.merchant[2:], told(till, own, "0x" + "5e" * 32)[2:]]
        met = answering(proxy, given, marks)
        till.sweep(3)
        assert met
        assert settles_as_usual(other, attempt)
        assert (till.sweep()["status"], till.credited()) == ("awaiting_signature", [])


@pytest.mark.parametrize("given", SOLANA_ANSWERS, ids=lambda one: one.name)
def test_on_solana(  # noqa: PLR0913, PLR0917 - as above
    solana_till: SolanaTill,
    solana_node: DevSolana,
    nodes: Nodes,
    other_account: NewMerchant,
    given: ErrorAnswer,
) -> None:
    other = SolanaTill(api=ApiClient(other_account.live.secret_key), node=solana_node)
    other.endow()
    with proxied(solana_node.url) as proxy:
        nodes("solana", proxy.url)
        attempt, own = other.issue("25"), solana_till.issue("25")
        reference = str(solana_till.leg().issued["reference"])
        met = answering(proxy, given, [reference, told(solana_till, own, "5" * 87)])
        solana_till.sweep(3)
        assert met
        assert settles_as_usual(other, attempt)
        assert (solana_till.sweep()["status"], solana_till.credited()) == ("awaiting_signature", [])
