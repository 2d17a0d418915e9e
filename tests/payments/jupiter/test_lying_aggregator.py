"""An honest answer of Jupiter, each of its parts changed one at a time: none gets through.

Every leaf of the JSON is changed in every way that fits its kind, and every answer is lied in the same way. Either the
payment is refused, or what the wallet would sign still does exactly what was agreed; then its place is on a short list.
"""

import base64
import copy
import re
from functools import partial
from typing import Any

from solders.keypair import Keypair

from payments.routing.base import Prepared, RouteWithdrawn
from tests.payments.jupiter.scene import TARGET, Body, Scene, gained
from tests.payments.lifi.honest import changed, parts

STRANGER = str(Keypair().pubkey())
HARMLESS = (
    # What people may read, and nothing is decided by; the service's own blockhash is used.
    *(r"routePlan.*", r"blockhashWithMetadata\.(blockhash|fetchedAt|lastValidBlockHeight).*"),
    # A higher word of Jupiter is believed up to 3 %, a lower one never.
    r"priceImpactPct",
    # A cheaper place in a block, or a dearer one within what a payer gives at most.
    r"computeBudgetInstructions.*",
    # The places of a table that the chain confirms are used or not: the accounts are the same.
    r"addressesByLookupTableAddress.*",
    # Fewer or more promises about writing and signing than are needed: the runtime refuses what is missing.
    r".*\.(isWritable|isSigner)",
    # A maker that gives a unit more or less than it said, and still enough.
    r"otherInstructions\.0\.data",
    # Create instead of CreateIdempotent, or none for an account that exists.
    r"setupInstructions.*",
)
"""Where a changed answer may still lead to the agreed payment. What it then does is checked on the ledger."""


def _changes(path: str, value: Any) -> list[Any]:
    if isinstance(value, bool):
        return [not value, None]
    if isinstance(value, int):
        return [value + 1, value - 1, value * 2 + 1, 0, -1, str(value), None]
    if isinstance(value, str):
        return _changed_bytes(value) if path.endswith("data") else _changed_text(value)
    if isinstance(value, list):
        return [[], None, value[1:], value[:-1], value + value, value[::-1]] if value else [None, [{}]]
    return [None, {}, [], "x", {"programId": STRANGER, "accounts": [], "data": ""}]


def _changed_text(value: str) -> list[Any]:
    if value.isdigit() and len(value) < 25:
        number = int(value)
        return [str(number + 1), str(number - 1), str(number * 2), str(number // 2), "0", "-1", number, "1e9", None]
    return [STRANGER, "", value + "1", value[:-1], None, 7]


def _changed_bytes(text: str) -> list[Any]:
    raw = base64.b64decode(text)
    flipped = [raw[:at] + bytes([raw[at] ^ bit]) + raw[at + 1 :] for at in range(len(raw)) for bit in (1, 128)]
    return [*(base64.b64encode(one).decode() for one in [*flipped, raw[:-1], raw + b"\0", b""]), "%", None]


def _does_what_was_agreed(scene: Scene, prepared: Prepared, most: int) -> bool:
    """Carried out on the ledger: the merchant gets the target, the payer pays no more than agreed, nobody else gains.

    Why rolled back: the next lie finds the same accounts.
    """
    before, theirs = scene.held(scene.wallet), scene.held(scene.merchant)
    signature = scene.pay(prepared)
    mine, merchant = gained(before, scene.held(scene.wallet)), gained(theirs, scene.held(scene.merchant))
    scene.node.roll_back(signature)
    fees = 8 * 2_039_280 + 2_005_000
    lost = {symbol: -change for symbol, change in mine.items() if change < 0}
    return merchant == {"USDC": TARGET} and all(lost[symbol] <= {"SOL": fees + most}.get(symbol, 0) for symbol in lost)


def test_no_lie_gets_through(scene: Scene) -> None:
    """From SOL to a token: that has every part that other pairs have."""
    request = scene.request("SOL")
    most = scene.offer(request).input_base_units
    kept: list[Body] = []

    def noted(body: Body) -> Body:
        kept.append(copy.deepcopy(body))
        return body

    scene.jupiter.lie = noted
    assert scene.prepare(request, most).input_base_units <= most
    tried, through = 0, set()
    for path, honest in parts(kept[-1]):
        for value in _changes(path, honest):
            if type(value) is type(honest) and value == honest:
                continue
            tried += 1
            scene.jupiter.lie = partial(changed, path=path, value=value)
            try:
                prepared = scene.prepare(request, most)
            except RouteWithdrawn:
                continue
            assert _does_what_was_agreed(scene, prepared, most), (path, value)
            through.add(path)
    unlisted = {place for place in through if not any(re.fullmatch(allowed, place) for allowed in HARMLESS)}
    assert unlisted == set()
    assert tried > 400
