"""Tokens of the local network that misbehave as real ones do."""

from dataclasses import replace

from localnet.devchain import ONE_COIN
from localnet.market import Asset
from localnet.nodes import DevChain, fresh_wallet
from tests.live.buyer import asset

PLACE = Asset(
    chain="base", address="0x7e57000000000000000000000000000000000feE", symbol="FEE", name="Takes a part", decimals=9
)


def transfer_call(node: DevChain, token: str, to: str, units: int) -> dict[str, str]:
    """What a wallet is asked to sign to send tokens."""
    return {"to": token, "value": "0x0", "data": node.token(token).encode_abi("transfer", args=[to, units])}


def test_a_token_takes_a_part_of_each_transfer(network: dict[str, DevChain]) -> None:
    node, payer, merchant = network["base"], fresh_wallet(), fresh_wallet().address
    node.place_token(PLACE, "FeeToken")
    node.fund(payer.address)
    node.mint(PLACE.address, payer.address, 1_000)
    node.send(payer, transfer_call(node, PLACE.address, merchant, 1_000))
    assert node.balance(PLACE.address, merchant) == 990
    told = node.token(PLACE.address).functions
    assert (told.symbol().call(), told.decimals().call()) == ("FEE", 9)


def test_mainnets_usdt_wants_its_allowance_back_first(network: dict[str, DevChain]) -> None:
    node, payer, spender = network["ethereum"], fresh_wallet(), fresh_wallet().address
    usdt = asset("ethereum", "USDT").address
    node.fund(payer.address, ONE_COIN)
    succeeded = [node.await_receipt(node.approve(payer, usdt, spender, units))["status"] for units in (5, 7, 0, 7)]
    assert (succeeded, node.token(usdt).functions.allowance(payer.address, spender).call()) == ([1, 0, 1, 1], 7)


def test_two_tokens_of_one_symbol_are_two(network: dict[str, DevChain]) -> None:
    fake = replace(PLACE, address="0x7e57000000000000000000000000000000000FA1", symbol="USDC", decimals=6)
    node, owner = network["base"], fresh_wallet().address
    node.place_token(fake)
    node.mint(fake.address, owner, 5)
    assert (node.balance(fake.address, owner), node.balance(asset("base", "USDC").address, owner)) == (5, 0)
