"""Both ends of a leg between chains, each read from a node of its own chain and joined by the order's id alone.

A fill counts when the pinned contract of the merchant's chain logged it under the id that the payer's own call got
from the pinned contract of its chain, and the token's own log shows the money. Source: docs/adr/0015.
"""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from chains.clients.across import (
    ACROSS,
    SPOKE_POOLS,
    Fill,
    Order,
    deposit_topic,
    deposits_in,
    fill_topic,
    fills_in,
)
from chains.clients.base import NOBODY, Arrival, Departure, IssuedLeg, Mark, ObservedTransfer, Payer, SeenStatus
from chains.clients.evm_endpoint import Node
from chains.clients.evm_reading import (
    Reading,
    arrivals,
    logged_transfer,
    nowhere,
    read_receipt,
    read_transaction,
    succeeded,
)
from chains.clients.evm_scan import NOTHING_FOUND, Found, Span, found_by_reader, search_logs
from chains.clients.evm_transfers import assert_not_hidden, is_replaced
from chains.clients.gaps import ARRIVALS, SEARCH, Gaps
from chains.clients.outcomes import CannotSay
from chains.registry import chain


def departure_of(node: Node, leg: IssuedLeg) -> Departure:
    """The payer's transaction, found by its hash or by the deposit it made, and the order it opened."""
    gaps = Gaps(leg=leg)
    if leg.read_to is None:
        found = gaps.tried(SEARCH, lambda: _search_deposits(node, leg)) or NOTHING_FOUND
    else:
        found = found_by_reader(node, leg.marked, leg.read_to)
    hashes = dict.fromkeys(tx_hash for tx_hash in (leg.tx_hash, *found.hashes) if tx_hash)
    looked = [gaps.tried(tx_hash, partial(read_transaction, node, leg, tx_hash)) for tx_hash in hashes]
    readings = [reading for reading in looked if reading is not None]
    tagged = [reading for reading in readings if reading.seen.tag]
    own = _deposit_to_follow(node, leg, tagged)
    missing: dict[str, Any] = {"unsaid": gaps.unsaid, "unseen": gaps.parts}
    if own is not None:
        order_id, payer = _order_of(node, leg, own), _depositor(own)
        return Departure(seen=own.seen, order_id=order_id, scanned_to=found.scanned_to, payer=payer, **missing)
    seen = readings[0].seen if readings else None
    if seen is None and not gaps.is_open and is_replaced(node, leg, found):
        seen = nowhere(leg, SeenStatus.REPLACED)
    return Departure(seen=seen, scanned_to=found.scanned_to, **missing)


def _deposit_to_follow(node: Node, leg: IssuedLeg, tagged: Sequence[Reading]) -> Reading | None:
    """The first that stands; of several by the leg's own wallet one whose order is not known yet, for the same call
    again is a deposit of its own.

    Why of that wallet alone: what all orders of a leg bring is said to be from whoever sent the one that is followed,
    and anybody can send a copy.
    """
    standing = [reading for reading in tagged if reading.is_standing]
    if standing and all(_depositor(reading).wallet == leg.sender for reading in standing):
        known = {"", leg.order_id, *leg.orders_before}
        further = (reading for reading in standing if _order_of(node, leg, reading) not in known)
        return next(further, standing[0])
    return next(iter(standing), next(iter(tagged), None))


def arrival_at(node: Node, leg: IssuedLeg, order_id: str) -> Arrival:
    """What the order brought to the merchant, and whether it still can. Raises: EndpointFault."""
    order, gaps = Order.parse(order_id), Gaps(leg=leg)
    orders = frozenset(Order.parse(one) for one in (order_id, leg.order_id, *leg.orders_before) if one)
    if leg.there_read_to is None:
        # Transactions that filled an order with this id, real or invented.
        topics = [fill_topic(), _word(order.origin_chain_id), _word(order.deposit_id)]
        wanted = {"address": SPOKE_POOLS[node.chain.name], "topics": topics}
        span = Span(start=leg.destination_start_block, scanned_to=leg.destination_scanned_to)
        found = gaps.tried(ARRIVALS, lambda: search_logs(node, span, wanted, lambda _: True)) or NOTHING_FOUND
    else:
        found = found_by_reader(node, leg.marked_there, leg.there_read_to)
    transfers = [
        transfer
        for tx_hash in dict.fromkeys((*leg.known_hashes, *found.hashes))
        for transfer in gaps.tried(tx_hash, partial(_filled, node, leg, orders, tx_hash)) or ()
    ]
    assert_not_hidden(node, leg, transfers, gaps.parts)
    is_over = not transfers and found.is_complete and not gaps.is_open
    return Arrival(
        transfers=tuple(transfers),
        # The chain's own clock must have passed the deadline, in a block that it calls final.
        is_void=is_over and int(node.web3.eth.get_block("finalized")["timestamp"]) > order.fill_deadline,
        scanned_to=found.scanned_to,
        unsaid=gaps.unsaid,
        unseen=gaps.parts,
    )


def _search_deposits(node: Node, leg: IssuedLeg) -> Found:
    """Transactions in which the payer opened an order for the merchant's chain."""
    destination = chain(leg.to_chain)
    spoke_pool = SPOKE_POOLS.get(node.chain.name)
    if leg.bridge != ACROSS or destination is None or destination.chain_id is None or spoke_pool is None:
        raise CannotSay(f"no order id on {leg.bridge}")
    topics = [deposit_topic(), _word(destination.chain_id), None, _word(int(leg.sender, 16))]
    span = Span(start=leg.start_block, scanned_to=leg.scanned_to)
    return search_logs(node, span, {"address": spoke_pool, "topics": topics}, lambda _: True)


def _depositor(own: Reading) -> Payer:
    """Who sent the deposit. Why no smart account: whose address it is on the merchant's chain is not known."""
    return own.payer if own.inner is None else NOBODY


def _order_of(node: Node, leg: IssuedLeg, reading: Reading) -> str:
    """The order that the payer's own call opened for this merchant; empty where there is none."""
    destination = chain(leg.to_chain)
    if not reading.is_standing or destination is None or node.chain.chain_id is None:
        return ""
    opened = deposits_in(reading.logs, SPOKE_POOLS[node.chain.name], node.chain.chain_id)
    promised = (destination.chain_id, int(leg.token_address, 16), int(leg.recipient, 16))
    orders = [
        deposit.order
        for deposit in opened
        if (deposit.destination_chain_id, deposit.output_token, deposit.recipient) == promised
    ]
    return str(orders[0]) if len(orders) == 1 else ""


def _filled(node: Node, leg: IssuedLeg, orders: frozenset[Order], tx_hash: str) -> list[ObservedTransfer]:
    """The token's own transfers to the merchant that fills of these orders made in one transaction."""
    receipt = read_receipt(node, tx_hash)
    if receipt is None or not succeeded(receipt):
        return []
    ours = (int(leg.token_address, 16), int(leg.recipient, 16))
    fills = [
        fill
        for fill in fills_in(receipt["logs"], SPOKE_POOLS[node.chain.name])
        if fill.order in orders and (fill.output_token, fill.recipient) == ours
    ]
    logs = arrivals(receipt["logs"], leg)
    matching = [log for fill in fills if (log := _log_of(fill, logs)) is not None]
    sender = str(receipt["from"])
    return [replace(logged_transfer(node, leg, receipt, log, sender), mark=Mark.ORDER) for log in matching]


def _log_of(fill: Fill, logs: list[Any]) -> Any:
    """The transfer that the fill made: of exactly its amount, the first one after it.

    Why the first one: a relayer may fill several orders of one merchant in a single transaction.
    Source: https://github.com/across-protocol/contracts, SpokePool._fillRelayV3, which tells of the fill before it
    moves the token.
    """
    after = [log for log in logs if log["logIndex"] > fill.log_index]
    return next((log for log in after if int.from_bytes(log["data"]) == fill.base_units), None)


def _word(number: int) -> str:
    return f"0x{number:064x}"
