"""What pages tell a wallet that has yet to add a chain is what is known of the chain."""

from checkout.wallet_networks import SCRIPT, written


def test_the_script_is_written_from_the_chains() -> None:
    assert SCRIPT.read_text(encoding="utf-8") == written(), "networks.js is not current: run `make networks`"
    assert '  137: ["Polygon", "https://polygon-rpc.com", "POL"],\n' in written()
