"""LI.FI's answers for payers on Solana: a transaction in base64 that deposits into Across, and nothing beside it.

How LI.FI takes a fee of its own there is not known, so it takes none. Source: docs.li.fi, Solana transaction example.
"""

import base64
import time
from dataclasses import replace
from decimal import Decimal
from secrets import randbits, token_hex
from typing import Any

from solders.compute_budget import set_compute_unit_limit, set_compute_unit_price
from solders.hash import Hash
from solders.instruction import AccountMeta, Instruction
from solders.message import MessageV0
from solders.pubkey import Pubkey
from solders.signature import Signature
from solders.transaction import VersionedTransaction

from localnet.lifi.calldata import FILL_SECONDS, word
from localnet.lifi.orders import BRIDGE, SOLANA, Order
from localnet.lifi.plans import Plan, Terms
from localnet.lifi.refusals import FAILED_TO_BUILD, Refusal, no_route
from localnet.lifi.steps import step_json, token_json
from localnet.market import Market
from localnet.solana import spoke
from localnet.solana.server import DevSolana

COIN = "11111111111111111111111111111111"
UNITS, UNIT_PRICE, LAMPORTS = 200_000, 10_000, 7_000
_APPROVE_CHECKED = b"\x0d"
_CREATE_IDEMPOTENT = b"\x01"


def terms_for(order: Order, terms: Terms) -> Terms:
    """What is taken on the way of this order."""
    return replace(terms, lifi_fee=Decimal(0)) if order.taken.chain == SOLANA else terms


def quote(made: Plan, node: DevSolana, market: Market, terms: Terms, step_id: str) -> dict[str, Any]:
    """The whole answer. Raises: Refusal."""
    order = made.order
    if made.has_swap or order.fee:
        raise no_route(order.path, BRIDGE, "NO_POSSIBLE_ROUTE", "Only what Across takes can be bridged from here")
    if terms.checks_balances and node.held(order.taken.address, order.payer) < made.amount:
        raise Refusal(FAILED_TO_BUILD, "None of the available routes could successfully generate a tx")
    figures = {"transactionId": "0x" + token_hex(32), "transactionRequest": {"gasPrice": "0x0"}}
    body = step_json(made, market, step_id, figures)
    body["transactionRequest"] = {"data": transaction(node, fields_of(made))}
    body["estimate"]["gasCosts"] = [_gas_cost(market)]
    return body


def fields_of(made: Plan) -> dict[str, Any]:
    """The deposit that carries a plan out."""
    order, now = made.order, int(time.time())
    return {
        "depositor": bytes(Pubkey.from_string(order.payer)),
        "recipient": word(order.receiver),
        "inputToken": bytes(Pubkey.from_string(order.taken.address)),
        "outputToken": word(order.wanted.address),
        "inputAmount": made.amount,
        "outputAmount": made.delivered_least,
        "destinationChainId": order.wanted.chain_id,
        "exclusiveRelayer": bytes(32),
        "nonce": randbits(64),
        "quoteTimestamp": now,
        "fillDeadline": now + FILL_SECONDS,
        "exclusivityParameter": 0,
        "messageLength": 0,
    }


def transaction(node: DevSolana, fields: dict[str, Any]) -> str:
    """The unsigned transaction: its budget, the payer's account, the approval, the deposit."""
    payer, token = Pubkey(fields["depositor"]), Pubkey(fields["inputToken"])
    latest = node.rpc("getLatestBlockhash", {"commitment": "confirmed"})["value"]["blockhash"]
    calls = [
        set_compute_unit_limit(UNITS),
        set_compute_unit_price(UNIT_PRICE),
        _open(payer, token),
        _approve(payer, token, fields["inputAmount"]),
        spoke.deposit_instruction(fields),
    ]
    message = MessageV0.try_compile(payer, calls, [], Hash.from_string(latest))
    return base64.b64encode(bytes(VersionedTransaction.populate(message, [Signature.default()]))).decode()


def changed(node: DevSolana, text: str, name: str, value: Any) -> str:
    """The same transaction with one field of its deposit changed, or made of what it was."""
    message = VersionedTransaction.from_bytes(base64.b64decode(text)).message
    fields = spoke.read_deposit(bytes(message.instructions[-1].data))
    assert fields is not None
    return transaction(node, fields | {name: value(fields[name]) if callable(value) else value})


def _open(payer: Pubkey, token: Pubkey) -> Instruction:
    keys = [payer, spoke.account_of(payer, token), payer, token, spoke.SYSTEM, spoke.TOKENS]
    metas = [AccountMeta(key, place == 0, place < 2) for place, key in enumerate(keys)]  # noqa: PLR2004 - both first
    return Instruction(spoke.TOKEN_ACCOUNTS, _CREATE_IDEMPOTENT, metas)


def _approve(payer: Pubkey, token: Pubkey, units: int) -> Instruction:
    keys = [spoke.account_of(payer, token), token, spoke.DELEGATE.pubkey(), payer]
    metas = [AccountMeta(key, place == 3, place == 0) for place, key in enumerate(keys)]  # noqa: PLR2004 - the owner
    return Instruction(spoke.TOKENS, _APPROVE_CHECKED + units.to_bytes(8, "little") + bytes([6]), metas)


def _gas_cost(market: Market) -> dict[str, Any]:
    coin = market.find(SOLANA, COIN)
    assert coin is not None
    return {
        "type": "SEND",
        "price": str(UNIT_PRICE),
        "estimate": str(UNITS),
        "limit": str(UNITS),
        "amount": str(LAMPORTS),
        "amountUSD": market.usd_of(coin, LAMPORTS),
        "token": token_json(coin, market),
    }
