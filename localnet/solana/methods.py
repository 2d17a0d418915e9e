"""The JSON-RPC methods of the local Solana node. Source: solana.com/docs/rpc."""

import base64
from collections.abc import Callable
from typing import Any

from solders.pubkey import Pubkey
from solders.transaction import VersionedTransaction
from solders.transaction_metadata import FailedTransactionMetadata

from chains.base58 import from_base58
from chains.registry import is_signature
from localnet.solana import shapes
from localnet.solana.money import fund
from localnet.solana.runtime import BLOCKHASH_LIFETIME, DEPTHS, Landed, Ledger, Refused, free_registers

MOST_BYTES = 1232
MOST_SIGNATURES, MOST_ACCOUNTS, MOST_MENTIONS = 256, 100, 1000
INVALID_PARAMS, METHOD_NOT_FOUND = -32602, -32601
PREFLIGHT_FAILED, BAD_SIGNATURE, BLOCK_NOT_AVAILABLE, BEHIND, UNKNOWN_VERSION = -32002, -32003, -32004, -32016, -32015

Options = dict[str, Any]


class Methods:
    """One node over a ledger: answers a method, or raises Refused."""

    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger

    def call(self, method: str, parameters: list[Any]) -> Any:
        """The result of a method."""
        found: Callable[..., Any] | None = getattr(self, f"on_{method}", None)
        if found is None:
            raise Refused(METHOD_NOT_FOUND, "Method not found")
        # Options as given. Why: clients write what they do not ask for as null.
        given = [
            {name: value for name, value in one.items() if value is not None} if isinstance(one, dict) else one
            for one in parameters
        ]
        return found(*given)

    def on_getHealth(self) -> str:
        return "ok"

    def on_getVersion(self) -> dict[str, Any]:
        return {"solana-core": "3.0.0", "feature-set": 1}

    def on_getGenesisHash(self) -> str:
        return self._ledger.genesis

    def on_getSlot(self, options: Options | None = None) -> int:
        return self._head(options)

    def on_getBlockHeight(self, options: Options | None = None) -> int:
        return self._ledger.height(self._head(options))

    def on_getFirstAvailableBlock(self) -> int:
        return self._ledger.oldest

    def on_getLatestBlockhash(self, options: Options | None = None) -> Any:
        slot = self._head(options)
        last = self._ledger.height(slot) + BLOCKHASH_LIFETIME
        return self._now({"blockhash": self._ledger.blockhash(slot), "lastValidBlockHeight": last}, options)

    def on_isBlockhashValid(self, blockhash: str, options: Options | None = None) -> Any:
        return self._now(self._ledger.is_alive(blockhash), options)

    def on_getBalance(self, address: str, options: Options | None = None) -> Any:
        return self._now(self._ledger.svm.get_balance(_key(address)) or 0, options)

    def on_getAccountInfo(self, address: str, options: Options | None = None) -> Any:
        return self._now(self._account(address, options), options)

    def on_getMultipleAccounts(self, addresses: list[str], options: Options | None = None) -> Any:
        if len(addresses) > MOST_ACCOUNTS:
            raise Refused(INVALID_PARAMS, f"Too many inputs provided; max {MOST_ACCOUNTS}")
        return self._now([self._account(address, options) for address in addresses], options)

    def on_getTokenAccountsByOwner(self, owner: str, only: Options, options: Options | None = None) -> Any:
        if "mint" in only:
            token = self._ledger.svm.get_account(_key(only["mint"]))
            if token is None:
                raise Refused(INVALID_PARAMS, "Invalid param: could not find mint")
            programs = [token.owner]
        else:
            programs = [_key(only["programId"])]
        found = [
            {"pubkey": str(address), "account": self._account(str(address), options)}
            for program in programs
            for address, state in self._ledger.svm.get_program_accounts(program)
            if (held := shapes.token_account(state)) is not None
            and str(held.owner) == owner
            and only.get("mint") in {None, str(held.mint)}
        ]
        return self._now(found, options)

    def on_getSignatureStatuses(self, signatures: list[str], options: Options | None = None) -> Any:
        if len(signatures) > MOST_SIGNATURES:
            raise Refused(INVALID_PARAMS, f"Too many inputs provided; max {MOST_SIGNATURES}")
        searches = (options or {}).get("searchTransactionHistory", False)
        found = [self._visible(signature, "processed") for signature in signatures]
        oldest = 0 if searches else self._ledger.head() - BLOCKHASH_LIFETIME
        return self._now(
            [None if one is None or one.slot < oldest else shapes.status(self._ledger, one) for one in found],
            {"commitment": "processed"},
        )

    def on_getSignaturesForAddress(self, address: str, options: Options | None = None) -> Any:
        """The newest first. One that stands in no block is nowhere to begin ``before``, and ``until`` no end."""
        wanted, key = options or {}, _key(address)
        head, limit = self._head(self._past(wanted)), wanted.get("limit", MOST_MENTIONS)
        if not 0 < limit <= MOST_MENTIONS:
            raise Refused(INVALID_PARAMS, f"Invalid limit; max {MOST_MENTIONS}")
        before, until = (self._marker(wanted.get(name)) for name in ("before", "until"))
        chain = [one for one in self._ledger.landed if self._oldest() <= one.slot <= head]
        places = {one.signature: place for place, one in enumerate(chain)}
        if before and before not in places:
            return []
        first, end = places.get(until, -1) + 1, places.get(before, len(chain))
        found = [one for one in reversed(chain[first:end]) if key in one.keys]
        return [shapes.mention(self._ledger, one) for one in found[:limit]]

    def on_getTransaction(self, signature: str, options: Options | str | None = None) -> Any:
        wanted = options if isinstance(options, dict) else {"encoding": options or "json"}
        found = self._visible(signature, _commitment(self._past(wanted)))
        if found is None:
            return None
        if found.transaction.version() == 0 and wanted.get("maxSupportedTransactionVersion") is None:
            text = "Transaction version (0) is not supported by the requesting client."
            raise Refused(UNKNOWN_VERSION, text)
        return shapes.transaction(self._ledger, found, wanted.get("encoding") or "json")

    def on_getBlock(self, slot: int, options: Options | None = None) -> Any:
        if slot > self._head(options):
            raise Refused(BLOCK_NOT_AVAILABLE, f"Block not available for slot {slot}")
        inside = [one for one in self._ledger.landed if one.slot == slot]
        block: dict[str, Any] = {
            "blockhash": self._ledger.blockhash(slot),
            "previousBlockhash": self._ledger.blockhash(slot - 1),
            "parentSlot": slot - 1,
            "blockHeight": self._ledger.height(slot),
            "blockTime": inside[0].block_time if inside else None,
        }
        details = (options or {}).get("transactionDetails", "full")
        return block if details == "none" else block | {"signatures": [one.signature for one in inside]}

    def on_getRecentPrioritizationFees(self, _addresses: list[str] | None = None) -> Any:
        head = self._ledger.head()
        return [
            {"slot": slot, "prioritizationFee": self._ledger.priority_fee}
            for slot in range(head - BLOCKHASH_LIFETIME + 1, head + 1)
        ]

    def on_getMinimumBalanceForRentExemption(self, size: int, _options: Options | None = None) -> int:
        return int(self._ledger.svm.minimum_balance_for_rent_exemption(size))

    def on_simulateTransaction(self, text: str, options: Options | None = None) -> Any:
        wanted = options or {}
        transaction = _transaction(text, wanted.get("encoding"))
        if wanted.get("sigVerify") and not all(transaction.verify_with_results()):
            raise Refused(BAD_SIGNATURE, "Transaction signature verification failure")
        error, traces = self._simulated(transaction, replaces_blockhash=bool(wanted.get("replaceRecentBlockhash")))
        accounts = self._afterwards(transaction, wanted["accounts"]) if "accounts" in wanted else None
        return self._now(shapes.simulation(error, traces, accounts), options)

    def _afterwards(self, transaction: VersionedTransaction, watched: Options) -> list[Any]:
        """Accounts as a transaction would leave them; as they are, where it does not touch them."""
        outcome: Any = self._ledger.svm.simulate_transaction(transaction)
        free_registers()
        changed = {} if isinstance(outcome, FailedTransactionMetadata) else dict(outcome.post_accounts())
        keys = [_key(address) for address in watched["addresses"]]
        states = [changed.get(key) or self._ledger.svm.get_account(key) for key in keys]
        return [shapes.account(self._ledger, state, watched.get("encoding") or "base64") for state in states]

    def on_sendTransaction(self, text: str, options: Options | None = None) -> str:
        wanted = options or {}
        transaction = _transaction(text, wanted.get("encoding"))
        if not all(transaction.verify_with_results()):
            raise Refused(BAD_SIGNATURE, "Transaction signature verification failure")
        if not wanted.get("skipPreflight"):
            self._preflight(transaction)
        return self._ledger.land(transaction)

    def on_requestAirdrop(self, address: str, lamports: int, _options: Options | None = None) -> str:
        """As on test networks, but nothing of it is a transaction."""
        fund(self._ledger, address, lamports + (self._ledger.svm.get_balance(_key(address)) or 0))
        return "1" * 64

    def on_advanceSlots(self, slots: int) -> int:
        """Only here: let slots pass."""
        return self._ledger.advance(slots)

    def _preflight(self, transaction: VersionedTransaction) -> None:
        error, traces = self._simulated(transaction, replaces_blockhash=False)
        if self._ledger.find(str(transaction.signatures[0])) is not None:
            error = "AlreadyProcessed"
        if error is None:
            return
        known = {"BlockhashNotFound": "Blockhash not found", "AlreadyProcessed": _ALREADY}
        text = known.get(error, "custom program error") if isinstance(error, str) else "Error processing Instruction"
        raise Refused(PREFLIGHT_FAILED, f"Transaction simulation failed: {text}", shapes.simulation(error, traces))

    def _simulated(self, transaction: VersionedTransaction, *, replaces_blockhash: bool) -> Any:
        self._ledger.keys_of(transaction)
        error, traces = self._ledger.simulate(transaction)
        alive = replaces_blockhash or self._ledger.is_alive(str(transaction.message.recent_blockhash))
        return (error if alive else "BlockhashNotFound"), traces

    def _head(self, options: Options | None) -> int:
        """The newest slot under the wanted commitment. Raises: Refused where the caller knows a newer one."""
        head = self._ledger.head(_commitment(options or {}))
        if head < (options or {}).get("minContextSlot", 0):
            raise Refused(BEHIND, "Minimum context slot has not been reached", {"contextSlot": head})
        return head

    def _now(self, value: Any, options: Options | None) -> Any:
        return {"context": {"apiVersion": "3.0.0", "slot": self._head(options)}, "value": value}

    def _visible(self, signature: str, commitment: str) -> Landed | None:
        found = self._ledger.find(signature)
        is_there = found is not None and self._oldest() <= found.slot <= self._ledger.head(commitment)
        return found if is_there else None

    def _oldest(self) -> int:
        return min(self._ledger.oldest, self._ledger.head() - BLOCKHASH_LIFETIME)

    def _past(self, options: Options) -> Options:
        """Options of a question about what landed. Raises: Refused for what is not voted on yet."""
        if _commitment(options) == "processed":
            raise Refused(INVALID_PARAMS, "Method does not support commitment below `confirmed`")
        return options

    def _marker(self, signature: str | None) -> str:
        """Raises: Refused for what is no signature."""
        if signature is not None and not is_signature(signature):
            raise Refused(INVALID_PARAMS, "Invalid param: Invalid")
        return signature or ""

    def _account(self, address: str, options: Options | None) -> Any:
        encoding = (options or {}).get("encoding") or "base64"
        return shapes.account(self._ledger, self._ledger.svm.get_account(_key(address)), encoding)


_ALREADY = "This transaction has already been processed"


def _commitment(options: Options) -> str:
    named = str(options.get("commitment") or "finalized")
    if named not in DEPTHS:
        raise Refused(INVALID_PARAMS, f"Invalid params: unknown variant `{named}`.")
    return named


def _key(text: str) -> Pubkey:
    try:
        return Pubkey.from_string(text)
    except ValueError:
        raise Refused(INVALID_PARAMS, "Invalid param: Invalid") from None


def _transaction(text: str, encoding: str | None) -> VersionedTransaction:
    """A transaction from base64, or from base58 as nodes take it when nothing is said."""
    try:
        raw = base64.b64decode(text, validate=True) if encoding == "base64" else from_base58(text)
        if len(raw) > MOST_BYTES:
            raise Refused(INVALID_PARAMS, f"{encoding} encoded transaction too large: {len(raw)} bytes")
        return VersionedTransaction.from_bytes(raw)
    except ValueError:
        raise Refused(INVALID_PARAMS, "failed to deserialize solana_transaction::versioned::Transaction") from None
