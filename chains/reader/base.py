"""What a chain is read for, what a round of reading found, and where it ended. Facts; what follows is the caller's."""

from collections.abc import Callable
from dataclasses import dataclass

Point = tuple[int, str]
"""A block's number and hash."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Watch:
    """What may be somebody's payment on one chain.

    ``transfers`` are tokens with the addresses where they may arrive, ``coin_recipients`` those of the native coin;
    ``depositors`` are wallets that may open a bridge's order, ``orders`` those that may be filled here (the id of the
    chain where one was opened, and its deposit's). Addresses with their checksum.
    """

    transfers: frozenset[tuple[str, str]] = frozenset()
    coin_recipients: frozenset[str] = frozenset()
    depositors: frozenset[str] = frozenset()
    orders: frozenset[tuple[int, int]] = frozenset()


@dataclass(frozen=True, kw_only=True, slots=True)
class Opened:
    """A transaction that may be somebody's. Its marks are to be looked for in ``content``; ``orders`` it filled.

    On Solana ``marks`` are all its keys, one of which may be a leg's reference.
    """

    tx_hash: str
    block_number: int
    block_hash: str
    content: bytes = b""
    orders: tuple[str, ...] = ()
    marks: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True, slots=True)
class Progress:
    """Where reading goes on: after block ``read_to``, by so many blocks a question; ``points`` as it was there.

    Blocks up to ``final_to`` are final: no branch begins before.
    """

    read_to: int
    width: int
    points: tuple[Point, ...] = ()
    final_to: int = 0


@dataclass(frozen=True, kw_only=True, slots=True)
class Bite:
    """What one round read: blocks after ``parted_at``, up to ``read_to``. ``head`` is the newest block there is.

    Blocks up to ``parted_at`` are those of the round before; what was found after it is found again, or is gone.
    ``refused`` are addresses of which the node has more to tell than it tells of one block: they were left out.
    """

    opened: tuple[Opened, ...]
    parted_at: int
    read_to: int
    head: int
    width: int
    points: tuple[Point, ...] = ()
    refused: frozenset[str] = frozenset()


WatchOf = Callable[[], Watch]
"""Says what to watch. Why asked once the newest block is known: what is paid in a block was issued before it."""
