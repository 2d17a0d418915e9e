"""The answer of ``GET /swap/v2/build``, read strictly and held against the question.

Source: https://github.com/jup-ag/docs, openapi-spec/swap/v2.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from chains.instructions.exchange import Exchange
from chains.instructions.given import address, instruction, instructions
from chains.instructions.refusal import Refusal, TransactionRefused

BLOCKHASH_BYTES, MOST_BYTE = 32, 255
MOST_TABLES, MOST_TABLE_ADDRESSES = 8, 256
_BPS = 10_000
_MOST_DIGITS = 20
_SHARE = re.compile(r"-?[01](\.[0-9]{1,64})?", re.ASCII)
_LONGEST_LABEL, _MOST_LABELS = 40, 8


@dataclass(frozen=True, kw_only=True, slots=True)
class BuildQuestion:
    """What was asked: mints as addresses, the amount in base units of the input."""

    input_mint: str
    output_mint: str
    amount: int
    slippage_bps: int


@dataclass(frozen=True, kw_only=True, slots=True)
class BuildAnswer:
    """A quote and its instructions; ``least_output`` is what it promises at least, after slippage."""

    input_base_units: int
    expected_output: int
    least_output: int
    quoted_impact_bps: int
    labels: tuple[str, ...]
    exchange: Exchange


def build_answer(body: Any, question: BuildQuestion) -> BuildAnswer:
    """Read an answer. Raises: TransactionRefused where its form is wrong or it answers another question."""
    if not isinstance(body, Mapping):
        raise _malformed("body")
    wanted = {"inputMint": question.input_mint, "outputMint": question.output_mint, "swapMode": "ExactIn"}
    for name, value in wanted.items():
        if body.get(name) != value:
            raise TransactionRefused(Refusal.ANSWER_DIFFERS, name)
    paid, expected = _amount(body, "inAmount"), _amount(body, "outAmount")
    least = _amount(body, "otherAmountThreshold")
    if paid != question.amount:
        raise TransactionRefused(Refusal.ANSWER_DIFFERS, "inAmount")
    if _whole(body, "slippageBps") != question.slippage_bps:
        raise TransactionRefused(Refusal.ANSWER_DIFFERS, "slippageBps")
    exact = expected * (_BPS - question.slippage_bps)
    if least not in {exact // _BPS, -(-exact // _BPS)}:  # cut or rounded up: which of the two is not documented
        raise TransactionRefused(Refusal.ANSWER_DIFFERS, "otherAmountThreshold")
    return BuildAnswer(
        input_base_units=paid,
        expected_output=expected,
        least_output=least,
        quoted_impact_bps=_impact(body.get("priceImpactPct")),
        labels=_labels(body.get("routePlan")),
        exchange=_exchange(body),
    )


def _exchange(body: Mapping[str, Any]) -> Exchange:
    if body.get("tipInstruction") is not None:
        raise TransactionRefused(Refusal.UNKNOWN_INSTRUCTION, "tip")
    cleanup = body.get("cleanupInstruction")
    return Exchange(
        compute_budget=instructions(body.get("computeBudgetInstructions")),
        setup=instructions(body.get("setupInstructions")),
        swap=instruction(body.get("swapInstruction")),
        others=instructions(body.get("otherInstructions")),
        cleanup=None if cleanup is None else instruction(cleanup),
        lookup_tables=_tables(body.get("addressesByLookupTableAddress")),
        last_valid_block_height=_last_height(body.get("blockhashWithMetadata")),
    )


def _tables(value: Any) -> dict[str, tuple[str, ...]]:
    if value is None:
        return {}
    if not isinstance(value, Mapping) or len(value) > MOST_TABLES:
        raise _malformed("lookup tables")
    found = {}
    for key, addresses in value.items():
        if not isinstance(addresses, list) or len(addresses) > MOST_TABLE_ADDRESSES:
            raise _malformed("lookup table")
        found[address(key)] = tuple(address(entry) for entry in addresses)
    return found


def _last_height(value: Any) -> int:
    if not isinstance(value, Mapping) or not isinstance(value.get("blockhash"), list):
        raise _malformed("blockhash")
    numbers = value["blockhash"]
    if len(numbers) != BLOCKHASH_BYTES or not all(
        type(number) is int and 0 <= number <= MOST_BYTE for number in numbers
    ):
        raise _malformed("blockhash")
    return _whole(value, "lastValidBlockHeight")


def _amount(body: Mapping[str, Any], name: str) -> int:
    """Base units: digits as text. Raises: TransactionRefused."""
    text = body.get(name)
    if not isinstance(text, str) or not text.isascii() or not text.isdigit() or len(text) > _MOST_DIGITS:
        raise _malformed(name)
    return int(text)


def _whole(body: Mapping[str, Any], name: str) -> int:
    """A whole number of JSON. Raises: TransactionRefused."""
    number = body.get(name)
    if type(number) is not int or number < 0:
        raise _malformed(name)
    return number


def _impact(text: Any) -> int:
    """The share that Jupiter says the trade moves the price, in basis points, rounded up; a loss counts, a gain not."""
    if text is None:
        return 0
    if not isinstance(text, str) or not _SHARE.fullmatch(text):
        raise _malformed("priceImpactPct")
    exact = abs(Fraction(text)) * _BPS
    return -(-exact.numerator // exact.denominator)


def _labels(value: Any) -> tuple[str, ...]:
    """The names of the markets on the way, for people; nothing is decided by them."""
    if not isinstance(value, list) or not value:
        raise _malformed("routePlan")
    steps = [step.get("swapInfo") for step in value[:_MOST_LABELS] if isinstance(step, Mapping)]
    return tuple(str(step.get("label"))[:_LONGEST_LABEL] for step in steps if isinstance(step, Mapping))


def _malformed(what: str) -> TransactionRefused:
    return TransactionRefused(Refusal.MALFORMED_ANSWER, what)
