"""What a node answers, in the shapes of Solana's JSON-RPC. Source: solana.com/docs/rpc."""

import base64
from decimal import Decimal
from typing import Any

from solders.account import Account
from solders.instruction import CompiledInstruction
from solders.pubkey import Pubkey
from solders.token.state import Mint, TokenAccount
from solders.transaction_metadata import TransactionMetadata

from chains.base58 import base58
from chains.instructions.programs import MEMO_PROGRAM, TOKEN_2022_PROGRAM, TOKEN_PROGRAM
from localnet.solana.money import MINT_BYTES, TOKEN_ACCOUNT_BYTES
from localnet.solana.runtime import DEPTHS, Landed, Ledger, Refused, Snapshot

PROGRAM_NAMES = {TOKEN_PROGRAM: "spl-token", TOKEN_2022_PROGRAM: "spl-token-2022"}
EXTENDED_TOKEN_ACCOUNT = 2
"""What Token-2022 writes behind the first form of an account that goes on; behind a mint's it is 1."""
STATES = ("uninitialized", "initialized", "frozen")


def account(ledger: Ledger, found: Account | None, encoding: str) -> dict[str, Any] | None:
    """One account, or null."""
    if found is None or (found.lamports == 0 and not found.data):
        return None
    shown: dict[str, Any] = {
        "lamports": found.lamports,
        "owner": str(found.owner),
        "executable": found.executable,
        "rentEpoch": 2**64 - 1,
        "space": len(found.data),
    }
    parsed = _parsed(ledger, found) if encoding == "jsonParsed" else None
    if parsed is not None:
        return shown | {"data": {"program": PROGRAM_NAMES[str(found.owner)], "parsed": parsed, "space": shown["space"]}}
    if encoding == "base58":
        return shown | {"data": [base58(found.data), "base58"]}
    return shown | {"data": [base64.b64encode(found.data).decode(), "base64"]}


def token_account(found: Account | None) -> TokenAccount | None:
    """The token account that an account is, if it is one."""
    if found is None or str(found.owner) not in PROGRAM_NAMES or len(found.data) < TOKEN_ACCOUNT_BYTES:
        return None
    if len(found.data) > TOKEN_ACCOUNT_BYTES and found.data[TOKEN_ACCOUNT_BYTES] != EXTENDED_TOKEN_ACCOUNT:
        return None
    return TokenAccount.from_bytes(found.data[:TOKEN_ACCOUNT_BYTES])


def amount(ledger: Ledger, token: Pubkey, units: int) -> dict[str, Any]:
    """So much of a token."""
    state = ledger.svm.get_account(token)
    decimals = 0 if state is None else Mint.from_bytes(state.data[:MINT_BYTES]).decimals
    written = format((Decimal(units).scaleb(-decimals)).normalize(), "f")
    return {"amount": str(units), "decimals": decimals, "uiAmount": float(written), "uiAmountString": written}


def transaction(ledger: Ledger, landed: Landed, encoding: str) -> dict[str, Any]:
    """A landed transaction with all that it changed."""
    return {
        "slot": landed.slot,
        "blockTime": landed.block_time,
        "version": landed.transaction.version() if isinstance(landed.transaction.version(), int) else "legacy",
        "transaction": _body(landed, encoding),
        "meta": _meta(ledger, landed, encoding),
    }


def status(ledger: Ledger, landed: Landed) -> dict[str, Any]:
    """How deep a transaction stands."""
    reached = commitment_of(ledger, landed.slot)
    return {
        "slot": landed.slot,
        "confirmations": None if reached == "finalized" else ledger.head() - landed.slot,
        "err": landed.error,
        "status": _result(landed),
        "confirmationStatus": reached,
    }


def mention(ledger: Ledger, landed: Landed) -> dict[str, Any]:
    """A line of an address's history."""
    message = landed.transaction.message
    notes = [one.data for one in message.instructions if str(landed.keys[one.program_id_index]) == MEMO_PROGRAM]
    return {
        "signature": landed.signature,
        "slot": landed.slot,
        "err": landed.error,
        "memo": "; ".join(f"[{len(note)}] {note.decode()}" for note in notes) or None,
        "blockTime": landed.block_time,
        "confirmationStatus": commitment_of(ledger, landed.slot),
    }


def simulation(error: Any, traces: TransactionMetadata, accounts: list[Any] | None = None) -> dict[str, Any]:
    """What a transaction would do; ``accounts`` as they would be afterwards."""
    return {
        "err": error,
        "logs": list(traces.logs()),
        "accounts": accounts,
        "unitsConsumed": traces.compute_units_consumed(),
        "returnData": None,
        "innerInstructions": None,
        "replacementBlockhash": None,
    }


def commitment_of(ledger: Ledger, slot: int) -> str:
    """The highest commitment that a slot reached."""
    return max((name for name in DEPTHS if slot <= ledger.head(name)), key=DEPTHS.__getitem__, default="processed")


def _parsed(ledger: Ledger, found: Account) -> dict[str, Any] | None:
    if str(found.owner) in PROGRAM_NAMES and len(found.data) == MINT_BYTES:
        token = Mint.from_bytes(found.data)
        info = {"decimals": token.decimals, "isInitialized": True, "supply": str(token.supply)}
        return {"type": "mint", "info": info | {"mintAuthority": str(token.mint_authority), "freezeAuthority": None}}
    held = token_account(found)
    if held is None:
        return None
    info = {
        "isNative": held.is_native is not None,
        "mint": str(held.mint),
        "owner": str(held.owner),
        "state": STATES[int(held.state)],
        "tokenAmount": amount(ledger, held.mint, held.amount),
    }
    return {"type": "account", "info": info}


def _body(landed: Landed, encoding: str) -> Any:
    if encoding in {"base64", "base58"}:
        raw = bytes(landed.transaction)
        return [base64.b64encode(raw).decode() if encoding == "base64" else base58(raw), encoding]
    if encoding not in {"json", "jsonParsed"}:
        raise Refused(-32602, f"Invalid params: unknown encoding {encoding}.")
    message = landed.transaction.message
    parsed = encoding == "jsonParsed"
    body: dict[str, Any] = {
        "accountKeys": _parsed_keys(landed) if parsed else [str(key) for key in message.account_keys],
        "recentBlockhash": str(message.recent_blockhash),
        "instructions": [_instruction(landed, one, 1, parsed=parsed) for one in message.instructions],
    }
    if not parsed:
        header = message.header
        body["header"] = {
            "numRequiredSignatures": header.num_required_signatures,
            "numReadonlySignedAccounts": header.num_readonly_signed_accounts,
            "numReadonlyUnsignedAccounts": header.num_readonly_unsigned_accounts,
        }
    lookups = getattr(message, "address_table_lookups", None)
    if lookups is not None:
        body["addressTableLookups"] = [
            {
                "accountKey": str(one.account_key),
                "writableIndexes": list(one.writable_indexes),
                "readonlyIndexes": list(one.readonly_indexes),
            }
            for one in lookups
        ]
    return {"signatures": [str(one) for one in landed.transaction.signatures], "message": body}


def _parsed_keys(landed: Landed) -> list[dict[str, Any]]:
    message, (writable, _) = landed.transaction.message, landed.loaded
    own = len(message.account_keys)
    return [
        {
            "pubkey": str(key),
            "signer": place < own and message.is_signer(place),
            "writable": _is_writable(message, place) if place < own else place < own + len(writable),
            "source": "transaction" if place < own else "lookupTable",
        }
        for place, key in enumerate(landed.keys)
    ]


def _is_writable(message: Any, place: int) -> bool:
    header, signers = message.header, message.header.num_required_signatures
    if place < signers:
        return bool(place < signers - header.num_readonly_signed_accounts)
    return bool(place < len(message.account_keys) - header.num_readonly_unsigned_accounts)


def _instruction(landed: Landed, one: CompiledInstruction, height: int, *, parsed: bool) -> dict[str, Any]:
    """As it stands in the message; jsonParsed only names the accounts, as for programs that a node cannot read."""
    if parsed:
        accounts: list[Any] = [str(landed.keys[index]) for index in one.accounts]
        named: dict[str, Any] = {"programId": str(landed.keys[one.program_id_index])}
    else:
        accounts, named = list(one.accounts), {"programIdIndex": one.program_id_index}
    return named | {"accounts": accounts, "data": base58(one.data), "stackHeight": height}


def _meta(ledger: Ledger, landed: Landed, encoding: str) -> dict[str, Any]:
    parsed = encoding == "jsonParsed"
    writable, readable = landed.loaded
    shown = {
        "err": landed.error,
        "status": _result(landed),
        "fee": landed.outcome.fee(),
        "preBalances": _lamports(landed, landed.before),
        "postBalances": _lamports(landed, landed.after),
        "preTokenBalances": _token_balances(ledger, landed, landed.before),
        "postTokenBalances": _token_balances(ledger, landed, landed.after),
        "innerInstructions": [
            {
                "index": place,
                "instructions": [
                    _instruction(landed, one.instruction(), one.stack_height() or 2, parsed=parsed) for one in inner
                ],
            }
            for place, inner in enumerate(landed.outcome.inner_instructions())
            if inner
        ],
        "logMessages": list(landed.outcome.logs()),
        "rewards": [],
        "computeUnitsConsumed": landed.outcome.compute_units_consumed(),
    }
    if parsed:
        return shown
    loaded = {"writable": [str(key) for key in writable], "readonly": [str(key) for key in readable]}
    return shown | {"loadedAddresses": loaded}


def _lamports(landed: Landed, moment: Snapshot) -> list[int]:
    accounts = [moment[key] for key in landed.keys]
    return [0 if found is None else found.lamports for found in accounts]


def _token_balances(ledger: Ledger, landed: Landed, moment: Snapshot) -> list[dict[str, Any]]:
    found = []
    for place, key in enumerate(landed.keys):
        held = token_account(moment[key])
        if held is not None:
            found.append(
                {
                    "accountIndex": place,
                    "mint": str(held.mint),
                    "owner": str(held.owner),
                    "programId": str(moment[key].owner),  # type: ignore[union-attr]  # it is a token account
                    "uiTokenAmount": amount(ledger, held.mint, held.amount),
                }
            )
    return found


def _result(landed: Landed) -> dict[str, Any]:
    return {"Ok": None} if landed.error is None else {"Err": landed.error}
