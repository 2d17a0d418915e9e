"""Scenario files written by hand."""

from typing import Any

from config.description.requests import SCENARIO

LAPSED: dict[str, Any] = dict(SCENARIO)
"""Somebody looked, and nobody paid."""
LEG: dict[str, Any] = {
    "kind": "transfer",
    "provider": "direct",
    "chain": "base",
    "to_chain": "base",
    "token": "USDC",
    "to_token": "USDC",
    "token_address": "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913",
    "token_decimals": 6,
    "to_token_decimals": 6,
    "input_base_units": "25000000",
    "min_output_base_units": "25000000",
    "amount_usd": "25.00",
    "fee_usd": "0.00",
    "gas_usd": "0.01",
    "typical_seconds": 20,
    "sent_ms": 9000,
    "included_ms": 10000,
    "block_ms": None,
    "failed_ms": None,
    "failed_as": "",
    "in_doubt_ms": None,
    "returned_ms": None,
    "arrivals": [],
}
TRY: dict[str, Any] = {
    "payer": 1,
    "browser": 0,
    "family": "evm",
    "hopeless": False,
    "quoted_ms": 2000,
    "refused": "",
    "handed_out_ms": 5000,
    "ended_ms": None,
    "ended_by": "",
    "answers": [],
    "legs": [LEG],
}
ARRIVAL: dict[str, Any] = {
    "seen_ms": 10000,
    "counts_ms": 14000,
    "final_ms": 14000,
    "gone_ms": None,
    "back_ms": None,
    "block_ms": 9500,
    "base_units": "25000000",
}


def one_try(leg: dict[str, Any], end: dict[str, Any], leg_end: dict[str, Any], **story: Any) -> dict[str, Any]:
    """A payment of 25 dollars that was tried once, by one transaction, and came to this end."""
    tries = [TRY | {"legs": [LEG | leg]}]
    return LAPSED | {
        "target_base_units": "25000000",
        "tries": tries,
        "history": [],
        "end": LAPSED["end"] | end | {"legs": [leg_end]},
        **story,
    }
