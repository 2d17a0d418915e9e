"""An account on Solana of which nodes tell nothing, or not all, is its own matter, and its payments are found."""

import logging
from collections.abc import Callable

import pytest

from chains.instructions.programs import TOKEN_PROGRAM, token_account
from chains.models import ChainReader, WatchedAddress
from chains.reader import solana
from localnet.solana.money import USDC
from payments.models import MarkedTransaction
from payments.services.advance import sweep_due
from tests.live.proxy import lying, proxied
from tests.live.solana_till import SolanaTill
from tests.live.test_solana_readers import LISTS, OPENS, account, is_due, one_round
from tests.live.till import read_chains

Nodes = Callable[..., None]


def test_an_account_that_no_node_tells_is_left_out_by_itself(
    solana_till: SolanaTill, nodes: Nodes, caplog: pytest.LogCaptureFixture, impatient: None
) -> None:
    """Its payments are searched for one by one meanwhile; another merchant's are read as ever."""
    till = solana_till
    other = SolanaTill(api=till.api, node=till.node)
    other.endow()
    attempt, others = till.issue("25"), other.issue("25")
    till.sweep()
    refused = token_account(till.merchant, USDC, TOKEN_PROGRAM)
    with proxied(till.node.url) as proxy:
        proxy.refuses_of = frozenset({refused})
        nodes("solana", proxy.url)
        till.pay(attempt)
        other.pay(others)
        till.node.advance()
        with caplog.at_level(logging.ERROR, logger="causeway.payments"):
            read_chains()
        [said] = [line for line in caplog.messages if line.startswith("address_unreadable")]
        assert till.merchant in said
        left_out = WatchedAddress.objects.exclude(left_out_until=None)
        assert list(left_out.values_list("address", flat=True)) == [till.merchant]
        assert list(MarkedTransaction.objects.values_list("intent_id", flat=True)) == [other.leg().intent_id]
        assert is_due(till)
        till.node.finalize()
        sweep_due()
        assert (till.sweep(2)["status"], other.sweep(2)["status"]) == ("settled", "settled")
    assert (till.credited(), other.credited()) == ([25_000_000], [25_000_000])


def test_an_account_of_which_nodes_say_garbage_is_left_out_after_three_rounds(
    solana_till: SolanaTill, nodes: Nodes, impatient: None
) -> None:
    """They answer all else, so it is not the chain that is silent."""
    till = solana_till
    attempt = till.issue("25")
    till.sweep()
    with proxied(till.node.url) as proxy:
        nodes("solana", proxy.url)
        till.pay(attempt)
        till.node.advance()
        proxy.bend = lying(LISTS, lambda _: [{"signature": "none", "slot": 1}])
        for turn in range(3):
            assert (turn, account().left_out_until) == (turn, None)
            one_round()
        assert (account().left_out_until is None, is_due(till)) == (False, True)
        assert ChainReader.objects.get(chain="solana").refused == ""
        proxy.bend = None
        till.node.finalize()
        assert (till.sweep(2)["status"], till.credited()) == ("settled", [25_000_000])


def test_a_transaction_that_no_node_shows_is_waited_for_where_it_is_final(
    solana_till: SolanaTill, nodes: Nodes, caplog: pytest.LogCaptureFixture, impatient: None
) -> None:
    """When it is new it holds nothing up; when it is final nothing is passed over."""
    till = solana_till
    attempt = till.issue("25")
    till.sweep()
    with proxied(till.node.url) as proxy:
        proxy.says[OPENS] = None
        nodes("solana", proxy.url)
        till.pay(attempt)
        till.node.advance()
        read_chains()
        assert (account().read_to, account().left_out_until) == (till.node.head() - 1 - solana.MAY_LAG_SLOTS, None)
        final_to = account().final_to
        till.node.finalize()
        read_chains()
        assert (account().final_to, account().left_out_until is None) == (final_to, False)
        proxy.says.clear()
        assert (till.sweep(3)["status"], till.credited()) == ("settled", [25_000_000])
