"""Adding a chain is one module with its facts, and its tokens: in a copy of the service that has them, it is paid on.

Why a copy: what is known of chains is read once, when a process starts. Source: CONTRIBUTING.md, Add a chain.
"""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
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
def copy(tmp_path: Path) -> Path:
    """All that is under version control or about to be, and the node."""
    command = ("git", "ls-files", "-z", "--cached", "--others", "--exclude-standard")
    listed = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    for name in filter(None, listed.split("\0")):
        if (ROOT / name).exists():
            (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(ROOT / name, tmp_path / name)
            (tmp_path / name).chmod((ROOT / name).stat().st_mode)
    (tmp_path / ".local").mkdir()
    (tmp_path / ".local" / "node").symlink_to(ROOT / ".local" / "node")
    return tmp_path


def told(copy: Path, *command: str) -> str:
    """What a program of the copy says. Its database is its own."""
    kept = {name: value for name, value in os.environ.items() if name not in {"DATABASE_URL", "REDIS_URL", "LOCAL_DIR"}}
    given = {**kept, "DJANGO_SETTINGS_MODULE": "config.settings_test", "PYTHONPATH": str(copy)}
    done = subprocess.run((sys.executable, *command), cwd=copy, env=given, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def plant(copy: Path) -> None:
    """What CONTRIBUTING.md asks for."""
    (copy / "chains/networks/gnosis.py").write_text(MODULE)
    bundled = copy / "tokens/sources/bundled.json"
    facts = [
        {"chain": "gnosis", **one, "verified": True, "is_native": one["address"] == NATIVE}
        | {"is_usd_stablecoin": one["symbol"] == "USDC", "source": "planted"}
        for one in TOKENS
    ]
    bundled.write_text(json.dumps([*json.loads(bundled.read_text()), *facts]))
    pairs = copy / "tokens/settlement_pairs.py"
    pairs.write_text(pairs.read_text().replace('    "solana": {\n', f'{PAIR}    "solana": {{\n', 1))
    told(copy, "manage.py", "write_structure")
    told(copy, "manage.py", "write_networks")


def test_an_eighth_chain_is_a_module_and_its_tokens(copy: Path) -> None:
    plant(copy)
    assert (
        '  100: ["Gnosis", "https://rpc.gnosischain.com", "XDAI"],'
        in (copy / "checkout/static/checkout/wallets/networks.js").read_text()
    )
    (copy / "tests/live/test_planted_chain.py").write_text(PAID_ON)
    words = ("-m", "pytest", "-q", "-n", "0", "-p", "no:cacheprovider", "tests/live/test_planted_chain.py")
    assert "1 passed" in told(copy, *words)
