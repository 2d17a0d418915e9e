"""An address of which no node tells all is left out by its chain's reader, and its payments are found all the same."""

from collections.abc import Callable

from chains.models import WatchedAddress
from payments.services.advance import sweep_due
from tests.live.evm_till import Till
from tests.live.proxy import proxied
from tests.live.test_readers import is_due
from tests.live.till import read_chains


def test_payments_to_an_address_that_is_left_out_are_looked_for_at_once(till: Till, nodes: Callable[..., None]) -> None:
    """They were left to the reader, and would have slept until their end."""
    attempt = till.issue("25")
    read_chains()
    sweep_due()
    assert not is_due(till)
    with proxied(till.node.url) as proxy:
        proxy.refuses = {"eth_getLogs": "query returned more than 10000 results"}
        nodes("base", proxy.url)
        till.pay(attempt)
        till.node.mine(8)
        read_chains()
        assert WatchedAddress.objects.get(chain="base").left_out_until is not None
        assert is_due(till)
        proxy.refuses = {}
        sweep_due()
        assert (till.sweep()["status"], till.credited()) == ("settled", [25_000_000])
