"""Wallets with play money on the local network, made anew at each start: no key is kept anywhere."""

from collections.abc import Mapping

from solders.keypair import Keypair

from localnet.devchain import DevChain
from localnet.market import bundled
from localnet.nodes import fresh_wallet
from localnet.solana.money import USDC, USDT
from localnet.solana.server import DevSolana

COINS, TOKENS = 100, 100_000
LAMPORTS, MICRO = 10**9, 10**6


def evm_wallet(nodes: Mapping[str, DevChain]) -> dict[str, str]:
    """Somebody with a lot of everything on every chain: address and private key."""
    wallet = fresh_wallet()
    for chain, node in nodes.items():
        node.fund(wallet.address, COINS * 10**18)
        for asset in [one for one in bundled() if one.chain == chain and not one.is_native]:
            node.mint(asset.address, wallet.address, TOKENS * 10**asset.decimals)
    return {"EVM payer": wallet.address, "  private key": "0x" + wallet.key.hex().removeprefix("0x")}


def solana_wallet(node: DevSolana) -> dict[str, str]:
    """The same on Solana: address and secret key."""
    wallet = Keypair()
    owner = str(wallet.pubkey())
    node.fund(owner, COINS * LAMPORTS)
    for token in (USDC, USDT):
        node.mint(token, owner, TOKENS * MICRO)
    return {"Solana payer": owner, "  secret key": str(wallet)}


def merchant_address() -> str:
    """An address that nobody uses yet."""
    return fresh_wallet().address
