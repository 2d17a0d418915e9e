"""Adding a chain is one module with its facts, and its tokens: in a copy of the service that has them, it is paid on.

Why a copy: what is known of chains is read once, when a process starts. Source: CONTRIBUTING.md, Add a chain.
"""

import json
from pathlib import Path

import pytest

from tests.checklists.copies import Copy

USDC, NATIVE = "0xDDAfbb505ad214D7b80b1f830fcCc89B60fb7A83", "0x0000000000000000000000000000000000000000"
MODULE = '''"""Gnosis: every fact of it."""

from decimal import Decimal

from chains.chain import Chain, Family

CHAIN = Chain(
    rank=65,
    name="gnosis",
    display_name="Gnosis",
    short_name="Gnosis",
    family=Family.EVM,
    chain_id=100,
    native_symbol="XDAI",
    native_decimals=18,
    block_seconds=Decimal("5"),
    confirmations_required=4,
    explorer_tx_template="https://gnosisscan.io/tx/{}",
    explorer_address_template="https://gnosisscan.io/address/{}",
    finalized_seconds=180,
    wrapped_coin="0xe91D153E0b41518A2Ce8Dd3D7944Fa863463a97d",
    lifi_contract="0x1231DEB6f5749EF6cE6943a275A1D3E7486F4EaE",
    across_pool="0x7e570000000000000000000000000000000000f1",
    wallet_name="Gnosis",
    public_node="https://rpc.gnosischain.com",
)
'''
TOKENS = [
    {"address": address, "symbol": symbol, "name": name, "decimals": decimals}
    for address, symbol, name, decimals in ((NATIVE, "XDAI", "xDAI", 18), (USDC, "USDC", "USD Coin", 6))
]
PAIR = f'    "gnosis": {{"USDC": "{USDC}"}},\n'
PAID_ON = f'''"""Paid on the planted chain, whole way."""

from collections.abc import Callable

from localnet.nodes import running
from tests.conftest import ApiClient
from tests.live.evm_till import Till


def test_it_is_paid_on_and_settles(live_api: ApiClient, nodes: Callable[..., None], prices: None) -> None:
    with running(100) as node:
        nodes("gnosis", node.url)
        till = Till(api=live_api, node=node, chain="gnosis", token="{USDC}")
        till.endow()
        attempt = till.issue_and_pay("25")
        assert attempt["transactions"][0]["chain_id"] == 100
        assert till.sweep()["status"] == "executing"
        till.pass_time()
        assert (till.sweep(4)["status"], till.credited(), till.held()) == ("settled", [25_000_000], 25_000_000)
'''


@pytest.fixture
def copy(tmp_path: Path) -> Copy:
    return Copy.in_folder(tmp_path)


def plant(copy: Copy) -> None:
    """What CONTRIBUTING.md asks for."""
    copy.add("chains/networks/gnosis.py", MODULE)
    facts = [
        {"chain": "gnosis", **one, "verified": True, "is_native": one["address"] == NATIVE}
        | {"is_usd_stablecoin": one["symbol"] == "USDC", "source": "planted"}
        for one in TOKENS
    ]
    bundled = copy.folder / "tokens/sources/bundled.json"
    bundled.write_text(json.dumps([*json.loads(bundled.read_text()), *facts]))
    copy.put_before("tokens/settlement_pairs.py", '    "solana": {\n', PAIR)
    copy.told("manage.py", "write_structure")
    copy.told("manage.py", "write_networks")


def test_an_eighth_chain_is_a_module_and_its_tokens(copy: Copy) -> None:
    plant(copy)
    shown = '  100: ["Gnosis", "https://rpc.gnosischain.com", "XDAI"],'
    assert shown in copy.read("checkout/static/checkout/wallets/networks.js")
    copy.add("tests/live/test_planted_chain.py", PAID_ON)
    assert copy.passed("tests/live/test_planted_chain.py") == 1
