"""Reading one EVM chain's blocks from one node: by the logs of its contracts, or block by block for the native coin.

A transaction is opened once a round, however many may be meant by it; a block with many of them is read whole, so that
no number of a stranger's transfers holds the reading up.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any

from chains.clients.across import SPOKE_POOLS, deposit_topic, fill_topic, fills_in
from chains.clients.evm_endpoint import Node
from chains.clients.evm_reading import TRANSFER_TOPIC
from chains.clients.outcomes import EndpointFault, is_odd
from chains.reader.base import Bite, Opened, Point, Progress, Watch, WatchOf

WIDEST = 500
"""Blocks in one question. Nodes and their providers refuse more, or answer slowly."""
MOST_RANGES, MOST_BLOCKS = 8, 60
"""Questions for logs, and whole blocks, in one round. Why bounded: an hour behind is read in bites."""
AGAIN_BLOCKS = 5
"""So many of the newest blocks are read again: logs of a block may be known to a node later than the block."""
MOST_POINTS = 32
MOST_TOPICS = 100
"""Addresses or ids in one question. Why: providers bound them."""
FEW, MOST_OPENED = 3, 200
"""Up to so many transactions of a block are asked for one by one, and so many questions in a range before it is cut."""
_WORD, _TOPICS, _ADDRESS = 32, 3, 20

Found = dict[int, dict[str, Opened]]
"""What a range holds, by block and hash; not opened yet."""
Ask = Callable[[Any, list[Any]], Iterable[Any]]
"""For logs of these contracts with these topics."""


@dataclass(kw_only=True)
class _Blocks:
    """Where blocks stand, and what they follow."""

    node: Node

    def point(self, number: int) -> Point:
        return number, "0x" + bytes(self.node.block(number)["hash"]).hex()

    def follows(self, number: int, before: Point) -> bool:
        """Whether a block's parent is this one."""
        return number == before[0] + 1 and "0x" + bytes(self.node.block(number)["parentHash"]).hex() == before[1]


def read_new(node: Node, progress: Progress, watch_of: WatchOf, *, whole_blocks: bool = False) -> Bite:
    """Read on up to the newest block, as far as a round goes; nothing where that is as it was. Raises: NoAnswer.

    Where the chain took another branch, from the newest block on that is still as it was. Why nothing from a node that
    is not so far: it lags, and what it does not have yet is not gone. A branch that wins grows longer.
    """
    if node.head <= progress.read_to and progress.points:
        return Bite(
            opened=(),
            parted_at=progress.read_to,
            read_to=progress.read_to,
            head=progress.read_to,
            width=progress.width,
            points=progress.points,
        )
    blocks = _Blocks(node=node)
    parted_at = _common(blocks, progress)
    again = AGAIN_BLOCKS if parted_at == progress.read_to and not whole_blocks else 0
    bite = _read(node, progress, watch_of(), max(parted_at - again, 0) + 1, whole_blocks=whole_blocks)
    kept = [point for point in progress.points if point[0] <= parted_at]
    newest = [] if bite.read_to <= parted_at else [blocks.point(bite.read_to)]
    return replace(
        bite,
        parted_at=parted_at,
        read_to=max(bite.read_to, parted_at),
        points=(*kept, *newest)[-MOST_POINTS:],
    )


def read_final(node: Node, progress: Progress, watch_of: WatchOf, last: int, *, whole_blocks: bool = False) -> Bite:
    """Read on up to block ``last``, all of which the chain calls final. Raises: NoAnswer."""
    return _read(node, progress, watch_of(), progress.read_to + 1, last=last, whole_blocks=whole_blocks)


def _read(
    node: Node, progress: Progress, watch: Watch, first: int, *, last: int | None = None, whole_blocks: bool
) -> Bite:
    last = node.head if last is None else last
    opened: list[Opened] = []
    read_to, width, refused = first - 1, progress.width, set[str]()
    logs = _by_logs(node, watch, first, last, width, refused)
    ranges = _by_blocks(node, watch, first, last) if whole_blocks else logs
    for part, end, taken in ranges:
        opened += part
        read_to, width = end, taken
    return Bite(
        opened=tuple(opened),
        parted_at=first - 1,
        read_to=read_to,
        head=node.head,
        width=width,
        refused=frozenset(refused),
    )


def _common(blocks: _Blocks, progress: Progress) -> int:
    """The newest block that is still as it was when it was read; where none is remembered, the newest final one."""
    head = blocks.node.head
    if not progress.points:
        return min(progress.read_to, head)
    if blocks.follows(head, progress.points[-1]):
        return progress.read_to
    standing = (known for known in reversed(progress.points) if known[0] <= head and blocks.point(known[0]) == known)
    found = next(standing, None)
    return found[0] if found is not None else min(progress.final_to, head)


def _by_blocks(node: Node, watch: Watch, first: int, last: int) -> Iterator[tuple[list[Opened], int, int]]:
    """Whole blocks, one after the other, with what in each may be a payment of the native coin."""
    if not watch.coin_recipients:
        yield [], last, 1
        return
    named = [bytes.fromhex(address[2:]) for address in watch.coin_recipients]
    for number in range(first, min(last, first + MOST_BLOCKS - 1) + 1):
        block = _whole(node, number)
        content = ((one, bytes(one["input"])) for one in block["transactions"])
        mine = [
            Opened(
                tx_hash="0x" + bytes(one["hash"]).hex(),
                block_number=int(block["number"]),
                block_hash="0x" + bytes(block["hash"]).hex(),
                content=text,
            )
            for one, text in content
            if (one["to"] in watch.coin_recipients and text) or any(name in text for name in named)
        ]
        yield mine, number, 1


def _by_logs(
    node: Node, watch: Watch, first: int, last: int, width: int, refused: set[str]
) -> Iterator[tuple[list[Opened], int, int]]:
    """Range by range, shorter ones where the node has too much to tell, and longer ones where it had not."""
    start, ranges = first, 0
    while start <= last and ranges < MOST_RANGES:
        ranges += 1
        end = min(start + width - 1, last)
        try:
            found = _logged(node, watch, start, end, refused if start == end else None)
        except Exception as error:
            if not is_odd(error) or start == end:
                raise
            width = (end - start + 1) // 2
            continue
        if end - start + 1 == width:
            width = min(width + max(width // 4, 1), WIDEST)
        opened, reached = _open(node, found, end)
        yield opened, reached, width
        start = reached + 1


def _logged(node: Node, watch: Watch, first: int, last: int, refused: set[str] | None) -> Found:
    """Which transactions of a range may be payments, by the logs that they left."""
    found: Found = defaultdict(dict)
    pool = SPOKE_POOLS.get(node.chain.name, "")
    for log in _logs(node, watch, first, last, refused):
        number, tx_hash = int(log["blockNumber"]), "0x" + bytes(log["transactionHash"]).hex()
        before = found[number].get(tx_hash)
        orders = tuple(str(fill.order) for fill in fills_in([log], pool))
        found[number][tx_hash] = Opened(
            tx_hash=tx_hash,
            block_number=number,
            block_hash="0x" + bytes(log["blockHash"]).hex(),
            orders=(*(before.orders if before else ()), *orders),
        )
    return found


def _logs(node: Node, watch: Watch, first: int, last: int, refused: set[str] | None) -> Iterator[Any]:
    ask = _asker(node, first, last)
    tokens = sorted({token for token, _ in watch.transfers})
    recipients = sorted({recipient for _, recipient in watch.transfers})
    for start in range(0, len(recipients), MOST_TOPICS):
        some = recipients[start : start + MOST_TOPICS]
        yield from (log for log in _arrived(ask, tokens, some, refused) if _is_arrival(log, watch))
    pool = SPOKE_POOLS.get(node.chain.name)
    if pool is None:
        return
    yield from _at_bridge(ask, pool, watch)


def _at_bridge(ask: Ask, pool: str, watch: Watch) -> Iterator[Any]:
    """Orders that these wallets opened, and fills of these orders, by two questions however many there are.

    Where there are more than one question names, all of the bridge's are asked for, and own ones are picked here. Why:
    else whoever begins very many payments over bridges would hold up everybody's on this chain. Source: docs/adr/0119.
    """
    wallets = {_word(int(wallet, 16)) for wallet in watch.depositors}
    orders = {(_word(origin), _word(deposit)) for origin, deposit in watch.orders}
    if wallets:
        named = sorted(wallets) if len(wallets) <= MOST_TOPICS else None
        for log in ask(pool, [deposit_topic(), None, None, named]):
            if _topic(log, 3) in wallets:
                yield log
    if orders:
        origins = sorted({origin for origin, _ in orders})
        named = sorted({deposit for _, deposit in orders}) if len(orders) <= MOST_TOPICS else None
        for log in ask(pool, [fill_topic(), origins, named]):
            if (_topic(log, 1), _topic(log, 2)) in orders:
                yield log


def _topic(log: Any, place: int) -> str:
    """A topic as questions name it; empty where the log has none there."""
    topics = log["topics"]
    return "0x" + bytes(topics[place]).hex() if len(topics) > place else ""


def _arrived(ask: Ask, tokens: list[str], recipients: list[str], refused: set[str] | None) -> Iterable[Any]:
    """Transfers to these. Where even one block is too much, each half by itself: one address is nobody else's matter.

    ``refused`` collects what is too much alone; None where the caller asks for fewer blocks first.
    """
    words = [_word(int(recipient, 16)) for recipient in recipients]
    try:
        return ask(tokens, ["0x" + TRANSFER_TOPIC.hex(), None, words])
    except Exception as error:
        if refused is None or not is_odd(error):
            raise
        if len(recipients) == 1:
            refused.update(recipients)
            return []
        half = len(recipients) // 2
        parts = (recipients[:half], recipients[half:])
        return [log for part in parts for log in _arrived(ask, tokens, part, refused)]


def _asker(node: Node, first: int, last: int) -> Ask:
    def ask(address: Any, topics: list[Any]) -> Iterable[Any]:
        wanted: Any = {"address": address, "topics": topics, "fromBlock": first, "toBlock": last}
        logs: Iterable[Any] = node.web3.eth.get_logs(wanted)
        return logs

    return ask


def _is_arrival(log: Any, watch: Watch) -> bool:
    """Whether more than nothing went from somebody else to where it is watched for. Why: nothing costs nothing."""
    from eth_utils.address import to_checksum_address  # noqa: PLC0415  (slow import, see chains.clients.evm_endpoint)

    topics, units = [bytes(topic) for topic in log["topics"]], bytes(log["data"])
    if len(topics) != _TOPICS or len(units) != _WORD or not any(units) or topics[1] == topics[2]:
        return False
    return (log["address"], str(to_checksum_address(topics[2][-_ADDRESS:]))) in watch.transfers


def _open(node: Node, found: Found, last: int) -> tuple[list[Opened], int]:
    """What each of them says, and up to which block. Raises: EndpointFault where a log's transaction is not there."""
    opened: list[Opened] = []
    asked = 0
    for number, ones in sorted(found.items()):
        if asked >= MOST_OPENED:
            return opened, number - 1
        asked += 1 if len(ones) > FEW else len(ones)
        contents = _contents(node, number, ones)
        if not ones.keys() <= contents.keys():
            raise EndpointFault("a log without its transaction")
        opened += [replace(one, content=contents[one.tx_hash]) for one in ones.values()]
    return opened, last


def _contents(node: Node, number: int, ones: Iterable[str]) -> dict[str, bytes]:
    hashes = list(ones)
    if len(hashes) > FEW:
        block = _whole(node, number)
        return {"0x" + bytes(one["hash"]).hex(): bytes(one["input"]) for one in block["transactions"]}
    sent = [node.web3.eth.get_transaction(tx_hash) for tx_hash in hashes]  # type: ignore[arg-type]  # text is a HexStr
    return {"0x" + bytes(one["hash"]).hex(): bytes(one["input"]) for one in sent}


def _whole(node: Node, number: int) -> Any:
    block: Any = node.web3.eth.get_block(number, full_transactions=True)
    return block


def _word(number: int) -> str:
    return f"0x{number:064x}"
