"""What the pages tell a wallet that has yet to add a chain, as the script that they load."""

import json
from pathlib import Path
from typing import Final

from chains.registry import CHAINS

SCRIPT: Final = Path(__file__).parent / "static/checkout/wallets/networks.js"
_HEAD = """/** Written by `make networks` from chains/networks. By id: name, node, coin; see EIP-3085. */
/** @type {Record<number, string[]>} */
export const NETWORKS = {
"""


def written() -> str:
    """The script, chain by chain."""
    known = [one for one in CHAINS if one.chain_id is not None and one.public_node]
    rows = [
        f"  {one.chain_id}: {json.dumps([one.wallet_name, one.public_node, one.native_symbol])},\n" for one in known
    ]
    return f"{_HEAD}{''.join(rows)}}};\n"
