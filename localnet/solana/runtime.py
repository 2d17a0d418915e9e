"""The ledger: what landed in which slot, over a runtime that runs the real token, account and memo programs.

A transaction lands as soon as it is sent, and the slot ends with it. Slots also pass with the clock, unless that was
stopped. Not modelled: votes, leaders, forks between nodes, fees that go up.
"""

import hashlib
import json
import sqlite3
import time
from contextlib import closing
from dataclasses import dataclass, field
from typing import Any

from solders.account import Account
from solders.address_lookup_table_account import AddressLookupTable
from solders.hash import Hash
from solders.litesvm import LiteSVM
from solders.pubkey import Pubkey
from solders.transaction import VersionedTransaction
from solders.transaction_metadata import FailedTransactionMetadata, TransactionMetadata

SLOT_MILLISECONDS = 400
FIRST_SLOT = 300_000_000
SKIPPED_SLOTS = 21_000_000
"""Slots without a block before the first one here. Why so many: a height that is taken for a slot is noticed."""
BLOCKHASH_LIFETIME = 150
"""Blocks in which a transaction may land after its blockhash. Source: chains, Chains (Solana facts)."""
DEPTHS = {"processed": 0, "confirmed": 1, "finalized": 32}
"""Slots behind the newest one at which a commitment is reached."""
_LANDING_ERRORS = ("InstructionError", "InsufficientFundsForRent")
"""Failures that are written into a block and cost the fee; with any other one a transaction never lands."""

Snapshot = dict[Pubkey, Account | None]


def free_registers() -> None:
    """Read a fraction that nobody wants, after programs ran.

    Why: their machine code leaves the processor's x87 registers in use, so the next fraction that a thread reads comes
    to nothing: SQLite read a NULL from a column that has none.
    """
    with closing(sqlite3.connect(":memory:")) as nowhere:
        nowhere.execute("SELECT '1.5' + 0.0").fetchone()


class Refused(Exception):
    """What a node answers as an error."""

    def __init__(self, code: int, message: str, data: Any = None) -> None:
        self.code, self.data = code, data
        super().__init__(message)


@dataclass
class Landed:
    """One transaction in a block."""

    transaction: VersionedTransaction
    slot: int
    block_time: int
    outcome: TransactionMetadata
    error: Any
    keys: list[Pubkey]
    loaded: tuple[list[Pubkey], list[Pubkey]]
    before: Snapshot
    after: Snapshot = field(default_factory=dict)

    @property
    def signature(self) -> str:
        """Its name."""
        return str(self.transaction.signatures[0])


class Ledger:
    """One network. Not safe for several threads: the server takes turns."""

    def __init__(self, *, ticking: bool = True, seed: bytes = b"causeway localnet") -> None:
        self.svm = LiteSVM().with_blockhash_check(False).with_transaction_history(0).with_sigverify(False)  # noqa: FBT003 - the library's signature
        self.genesis = str(Hash(hashlib.sha256(seed).digest()))
        self.landed: list[Landed] = []
        self.priority_fee = 0
        self.drops = 0
        """How many of the next transactions are taken and then lost."""
        self.holds = 0
        """How many of the next transactions travel on without landing, until they emerge."""
        self.held: dict[str, VersionedTransaction] = {}
        self.next_block_time: int | None = None
        self.lag = 0
        """How many slots behind its answers are."""
        self.oldest = 0
        """From which slot on it remembers what landed."""
        self._started = time.monotonic() if ticking else None
        self._advanced = 0
        self._forks: dict[int, int] = {}
        self._slots: dict[str, int] = {}

    def head(self, commitment: str = "processed") -> int:
        """The newest slot that reached a commitment."""
        return self._newest() - self.lag - DEPTHS[commitment]

    def advance(self, slots: int = 1) -> int:
        """Let so many slots pass; the newest one."""
        self._advanced += slots
        return self._newest()

    def height(self, slot: int) -> int:
        """How many blocks there are up to a slot."""
        return slot - SKIPPED_SLOTS

    def blockhash(self, slot: int) -> str:
        """The name of a slot's block, remembered, so that transactions over it are known."""
        name = f"{self.genesis}|{slot}|{self._forks.get(slot, 0)}"
        made = str(Hash(hashlib.sha256(name.encode()).digest()))
        self._slots[made] = slot
        return made

    def is_alive(self, blockhash: str) -> bool:
        """Whether a transaction over this blockhash can still land."""
        slot = self._slots.get(blockhash)
        return slot is not None and self._newest() <= slot + BLOCKHASH_LIFETIME

    def find(self, signature: str) -> Landed | None:
        """What landed under this signature."""
        return next((one for one in self.landed if one.signature == signature), None)

    def simulate(self, transaction: VersionedTransaction) -> tuple[Any, TransactionMetadata]:
        """What it would do now: the error or None, and the traces."""
        outcome: Any = self.svm.simulate_transaction(transaction)
        free_registers()
        return _error_of(outcome), outcome.meta()

    def land(self, transaction: VersionedTransaction) -> str:
        """Put it into the next block, or lose or hold it as it was told; the signature. Raises: Refused."""
        signature = str(transaction.signatures[0])
        if self.drops > 0:
            self.drops -= 1
        elif self.holds > 0:
            self.holds -= 1
            self.held[signature] = transaction
        elif self.is_alive(str(transaction.message.recent_blockhash)) and self.find(signature) is None:
            self._execute(transaction, self._newest())
            self.advance()
        return signature

    def emerge(self, signature: str, slot: int) -> None:
        """Show that a held transaction stands in a block, of which its node hears only now.

        Raises: ValueError for a block that is final, or to come, or too old or young for the transaction.
        """
        transaction = self.held.pop(signature)
        made_at = self._slots[str(transaction.message.recent_blockhash)]
        is_open = self.head("finalized") < slot <= self._newest()
        if not is_open or not made_at < slot <= made_at + BLOCKHASH_LIFETIME or self.find(signature) is not None:
            raise ValueError("no block can hold it")
        self._execute(transaction, slot)
        self.landed.sort(key=lambda one: one.slot)

    def roll_back(self, signature: str) -> None:
        """Take it out of the chain again, as a fork that lost does; what landed after it lands anew.

        Raises: ValueError if it is final, or never landed.
        """
        lost = self.find(signature)
        if lost is None or lost.slot <= self.head("finalized"):
            raise ValueError("only what landed and is not final is ever taken back")
        place = self.landed.index(lost)
        later, self.landed = self.landed[place:], self.landed[:place]
        for one in reversed(later):
            self._restore(one.before)
        for slot in range(lost.slot, self._newest() + 1):
            self._forks[slot] = self._forks.get(slot, 0) + 1
        for one in later[1:]:
            self._execute(one.transaction, one.slot)

    def keys_of(self, transaction: VersionedTransaction) -> tuple[list[Pubkey], tuple[list[Pubkey], list[Pubkey]]]:
        """All accounts of a transaction in their order, and those among them that came from tables. Raises: Refused."""
        writable: list[Pubkey] = []
        readable: list[Pubkey] = []
        for lookup in getattr(transaction.message, "address_table_lookups", []):
            table = self.svm.get_account(lookup.account_key)
            if table is None:
                raise Refused(-32602, "Address lookup table not found")
            addresses = AddressLookupTable.deserialize(table.data).addresses
            writable += [addresses[index] for index in lookup.writable_indexes]
            readable += [addresses[index] for index in lookup.readonly_indexes]
        return [*transaction.message.account_keys, *writable, *readable], (writable, readable)

    def _newest(self) -> int:
        passed = 0 if self._started is None else int((time.monotonic() - self._started) * 1000) // SLOT_MILLISECONDS
        return FIRST_SLOT + self._advanced + passed

    def _execute(self, transaction: VersionedTransaction, slot: int) -> None:
        keys, loaded = self.keys_of(transaction)
        before = self._snapshot(keys)
        block_time, self.next_block_time = self.next_block_time or int(time.time()), None
        clock = self.svm.get_clock()
        clock.slot, clock.unix_timestamp = slot, block_time
        self.svm.set_clock(clock)
        outcome: Any = self.svm.send_transaction(transaction)
        free_registers()
        error = _error_of(outcome)
        if isinstance(error, str) or (error is not None and not any(name in error for name in _LANDING_ERRORS)):
            return
        self.landed.append(
            Landed(
                transaction=transaction,
                slot=slot,
                block_time=block_time,
                outcome=outcome.meta() if isinstance(outcome, FailedTransactionMetadata) else outcome,
                error=error,
                keys=keys,
                loaded=loaded,
                before=before,
                after=self._snapshot(keys),
            )
        )

    def _snapshot(self, keys: list[Pubkey]) -> Snapshot:
        return {key: self.svm.get_account(key) for key in keys}

    def _restore(self, snapshot: Snapshot) -> None:
        for key, account in snapshot.items():
            if account is None or not account.executable:
                self.svm.set_account(key, account or Account(0, b"", Pubkey.default()))


def _error_of(outcome: Any) -> Any:
    """The failure as JSON-RPC writes it, or None."""
    return json.loads(outcome.to_json())["err"] if isinstance(outcome, FailedTransactionMetadata) else None
