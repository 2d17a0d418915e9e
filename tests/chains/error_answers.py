"""What nodes and their providers really answer where they do not answer, and what must follow from each.

Texts as their programs and documentation give them; ``{id}`` stands for the number of the question.
"""

from dataclasses import dataclass
from enum import StrEnum
from typing import Final

import orjson


class Outcome(StrEnum):
    """What must follow: a fault of the node, a limit of its provider, or that it cannot say."""

    FAULT = "fault"
    LIMIT = "limit"
    CANNOT_SAY = "cannot say"


@dataclass(frozen=True, kw_only=True)
class ErrorAnswer:
    """One answer. ``body`` None hangs up without a word."""

    name: str
    family: str
    outcome: Outcome
    body: bytes | None
    status: int = 200
    retry_after: str = ""

    def to(self, number: object) -> bytes | None:
        """The body as an answer to the question of this number."""
        return None if self.body is None else self.body.replace(b'"{id}"', orjson.dumps(number))


EVM, SOLANA = "evm", "solana"
F, L, C = Outcome.FAULT, Outcome.LIMIT, Outcome.CANNOT_SAY


def _error(code: int, message: str, number: object = "{id}", **more: object) -> bytes:
    return orjson.dumps({"jsonrpc": "2.0", "id": number, "error": {"code": code, "message": message, **more}})


def _rows(family: str, rows: list[tuple[str, Outcome, int, bytes | None]]) -> list[ErrorAnswer]:
    return [
        ErrorAnswer(name=f"{family}: {name}", family=family, outcome=outcome, status=status, body=body)
        for name, outcome, status, body in rows
    ]


def _refused(family: str, rows: list[tuple[str, Outcome, int, int, str]]) -> list[ErrorAnswer]:
    """Error objects: whose, what follows, the status, the code, the text."""
    return _rows(family, [(name, outcome, status, _error(code, text)) for name, outcome, status, code, text in rows])


_HTML = b"<html><head><title>%s</title></head><body></body></html>"
_ENVELOPES: Final = [
    ("status 400 without a word", F, 400, b""),
    ("status 401", F, 401, b'{"error":"invalid project id"}'),
    ("status 402 without an error object", F, 402, b'{"message":"Payment Required"}'),
    ("status 403 from a firewall", F, 403, _HTML % b"Attention Required! | Cloudflare"),
    ("status 404 from a gateway", F, 404, b"404 page not found\n"),
    ("status 405", F, 405, b"Method Not Allowed"),
    ("status 408", F, 408, _HTML % b"Request Timeout"),
    ("status 413 from a proxy", F, 413, _HTML % b"413 Request Entity Too Large"),
    ("status 415", F, 415, b"invalid content type, only application/json is supported"),
    ("status 301", F, 301, b""),
    ("status 500", F, 500, b"Internal Server Error"),
    ("status 500 with an error object", F, 500, _error(-32603, "Internal error")),
    ("status 502", F, 502, _HTML % b"502 Bad Gateway"),
    ("status 503", F, 503, b"upstream connect error or disconnect/reset before headers"),
    ("status 503 with an error object", F, 503, _error(-32000, "Unable to complete request at this time.")),
    ("status 504", F, 504, _HTML % b"504 Gateway Time-out"),
    ("status 520", F, 520, b"error code: 520"),
    ("status 522", F, 522, b"error code: 522"),
    ("status 524", F, 524, b"error code: 524"),
    ("status 429", L, 429, b""),
    ("status 429 as a page", L, 429, _HTML % b"Error 1015: You are being rate limited"),
    ("empty", F, 200, b""),
    ("a page", F, 200, _HTML % b"Welcome to nginx!"),
    ("half a body", F, 200, b'{"jsonrpc":"2.0","id":"{id}","resu'),
    ("null", F, 200, b"null"),
    ("a text", F, 200, b'"OK"'),
    ("an empty object", F, 200, b"{}"),
    ("neither result nor error", F, 200, b'{"jsonrpc":"2.0","id":"{id}"}'),
    ("shaped as a batch", F, 200, b'[{"jsonrpc":"2.0","id":"{id}","result":null}]'),
    ("an empty batch", F, 200, b"[]"),
    ("another question's", F, 200, b'{"jsonrpc":"2.0","id":4711,"result":"0x1"}'),
    ("another question's error", F, 200, _error(-32000, "header not found", 4711)),
    ("an error that is a text", F, 200, b'{"jsonrpc":"2.0","id":"{id}","error":"backend unavailable"}'),
    ("an error without a code", F, 200, b'{"jsonrpc":"2.0","id":"{id}","error":{"message":"oops"}}'),
    ("no number", F, 200, b'{"jsonrpc":"2.0","id":"{id}","result":NaN}'),
    ("not UTF-8", F, 200, b'{"jsonrpc":"2.0","id":"{id}","result":"\xff"}'),
    ("hangs up", F, 200, None),
    ("parse error without a number", C, 200, _error(-32700, "parse error", None)),
    ("invalid request without a number", C, 400, _error(-32600, "invalid request", None)),
    ("deeper than anything", C, 200, b'{"jsonrpc":"2.0","id":"{id}","result":' + b"[" * 400 + b"]" * 400 + b"}"),
]

EVM_ANSWERS: Final = _refused(EVM, [
    ("geth: no such block", C, 200, -32000, "header not found"),
    ("geth: state is gone", C, 200, -32000, "missing trie node 1b3c (path ) state 0x1b3c is not available"),
    ("geth: history is gone", C, 200, 4444, "pruned history unavailable"),
    ("geth: a call takes too long", C, 200, -32000, "execution aborted (timeout = 5s)"),
    ("geth: a request takes too long", C, 200, -32002, "request timed out"),
    ("geth: answer too large", C, 200, -32003, "response too large"),
    ("geth: wrong length", C, 200, -32602, "invalid argument 0: hex string has length 88, want 64 for common.Hash"),
    ("geth: no prefix", C, 200, -32602, "invalid argument 0: json: cannot unmarshal hex string without 0x prefix"),
    ("geth: no such method", C, 200, -32601, "the method debug_traceTransaction does not exist/is not available"),
    ("geth: still indexing", C, 200, -32000, "transaction indexing is in progress"),
    ("geth: nothing to trace", C, 200, -32000, "genesis is not traceable"),
    ("geth: trace takes too long", C, 200, -32000, "execution timeout"),
    ("geth: range beyond the head", C, 200, -32602, "block range extends beyond current head block"),
    ("geth: range backwards", C, 200, -32000, "invalid block range params"),
    ("geth: reverted", C, 200, 3, "execution reverted"),
    ("geth: reverted with a stranger's words", C, 200, 3, "execution reverted: rate limit exceeded, unauthorized"),
    ("geth: out of gas", C, 200, -32000, "out of gas"),
    ("geth: no funds", C, 200, -32000, "insufficient funds for gas * price + value: balance 0"),
    ("geth: crashed", C, 200, -32603, "method handler crashed"),
    ("Erigon: no such block", C, 200, -32000, "block not found: 25000000"),
    ("Erigon: too many logs", C, 200, -32000, "query returned too many logs, reduce the range"),
    ("Erigon: history is gone", C, 200, -32000, "history has been pruned for this block"),
    ("Nethermind: internal", C, 200, -32603, "Internal error"),
    ("Nethermind: not found", C, 200, -32001, "Resource not found"),
    ("Nethermind: reverted", C, 200, -32015, "VM execution error. revert"),
    ("Nethermind: module off", C, 200, -32600, "The method 'debug_traceTransaction' is found but the module is off"),
    ("Nethermind: limit of logs", C, 200, -32005, "Too many logs requested. Max logs per response is 20000."),
    ("Reth: range too wide", C, 200, -32602, "query exceeds max block range 100000"),
    ("Reth: too many logs", C, 200, -32602, "query exceeds max results 20000, retry with the range 100-200"),
    ("Infura: too many logs", C, 200, -32005, "query returned more than 10000 results"),
    ("Infura: no traces", C, 200, -32601, "The method debug_traceTransaction does not exist/is not available"),
    ("Infura: requests a second", L, 429, -32005, "project ID request rate exceeded"),
    ("Infura: requests a day", L, 402, -32005, "daily request count exceeded, request rate limited"),
    ("Infura: by the body alone", L, 200, -32005, "project ID request rate exceeded"),
    ("Infura: wrong secret", F, 403, -32002, "rejected due to project ID settings"),
    ("Alchemy: compute units", L, 429, 429, "Your app has exceeded its compute units per second capacity."),
    ("Alchemy: by the body alone", L, 200, 429, "Your app has exceeded its concurrent requests capacity."),
    ("Alchemy: month is over", L, 429, 429, "Monthly capacity limit exceeded. Visit your dashboard to upgrade."),
    ("Alchemy: key missing", F, 401, -32600, "Must be authenticated!"),
    ("Alchemy: logs too large", C, 400, -32602, "Log response size exceeded. Based on your parameters, try [0x1, 0x2]"),
    ("Alchemy: range too wide", C, 400, -32600, "You can make eth_getLogs requests with up to a 500 block range."),
    ("QuickNode: requests a second", L, 429, -32007, "50/second request limit reached - reduce calls per second"),
    ("QuickNode: by the body alone", L, 200, -32003, "daily request limit reached - upgrade your account"),
    ("QuickNode: range too wide", C, 413, -32614, "eth_getLogs is limited to a 10,000 range"),
    ("QuickNode: logs too large", C, 413, -32602, "eth_getLogs is limited to a 10,000 results"),
    ("QuickNode: no such method", C, 404, -32601, "method debug_traceTransaction is not supported, upgrade your plan"),
    ("Chainstack: requests a second", L, 429, -32005, "You've exceeded the RPS limit available on the current plan."),
    ("Chainstack: by the body alone", L, 200, -32005, "You've exceeded the RPS limit available on the current plan."),
    ("Chainstack: range too wide", C, 400, -32602, "Block range limit exceeded. See more details in the docs."),
    ("Chainstack: an archive is needed", C, 200, -32000, "Archive, Debug and Trace requests are not available"),
    ("Ankr: requests a second", L, 200, -32090, "Too many requests, reason: call rate limit exhausted, retry in 10s"),
    ("Ankr: range too wide", C, 200, -32062, "Block range is too large"),
    ("Ankr: key missing", F, 403, -32000, "Unauthorized: You must authenticate your request with an API key."),
    ("Ankr: key missing, by the body alone", F, 200, -32000, "Unauthorized: You must authenticate your request"),
    ("a gateway: nobody behind it", F, 200, -32603, "no available nodes found"),
    ("a gateway: not so far", F, 200, -32000, "node is not synced"),
    ("anvil: no such block", C, 200, -32001, "block not found"),
    ("anvil: fork is behind", C, 200, -32603, "failed to get storage for 0x0: server returned an error response"),
]) + _rows(EVM, _ENVELOPES)  # fmt: skip

SOLANA_ANSWERS: Final = _refused(SOLANA, [
    ("Agave: signature of another size", C, 200, -32602, "Invalid param: WrongSize"),
    ("Agave: no base58", C, 200, -32602, "Invalid param: Invalid"),
    ("Agave: no such method", C, 200, -32601, "Method not found"),
    ("Agave: block is cleaned up", C, 200, -32001, "Block 100 cleaned up, does not exist on node."),
    ("Agave: block not available", C, 200, -32004, "Block not available for slot 100"),
    ("Agave: slot was skipped", C, 200, -32007, "Slot 100 was skipped, or missing due to ledger jump to a snapshot"),
    ("Agave: slot is gone", C, 200, -32009, "Slot 100 was skipped, or missing in long-term storage"),
    ("Agave: key is not indexed", C, 200, -32010, "excluded from account secondary indexes; unavailable for key"),
    ("Agave: no history", C, 200, -32011, "Transaction history is not available from this node"),
    ("Agave: scan broke off", C, 200, -32012, "scan aborted: The accumulated scan results exceeded the limit"),
    ("Agave: no status yet", C, 200, -32014, "Block status not yet available for slot 100"),
    ("Agave: newer version", C, 200, -32015, "Transaction version (1) is not supported by the requesting client."),
    ("Agave: not there yet", C, 200, -32016, "Minimum context slot has not been reached"),
    ("Agave: epoch rewards", C, 200, -32017, "Epoch rewards period still active at slot 100"),
    ("Agave: trial failed", C, 200, -32002, "Transaction simulation failed: Blockhash not found"),
    ("Agave: unhealthy", F, 200, -32005, "Node is unhealthy"),
    ("Agave: behind", F, 200, -32005, "Node is behind by 42 slots"),
    ("Helius: requests a second", L, 429, -32429, "rate limited"),
    ("Helius: by the body alone", L, 200, -32429, "max usage reached"),
    ("Helius: key missing", F, 401, -32401, "invalid api key provided"),
    ("Helius: too many accounts", C, 400, -32600, "Request deprioritized due to number of accounts requested."),
    ("QuickNode: requests a second", L, 200, -32007, "15/second request limit reached - reduce calls per second"),
    ("Triton: too large", C, 200, -32603, "Response is too big"),
    ("public: too many for one method", L, 429, 429, "Too many requests for a specific RPC call"),
    ("public: blocked", F, 403, 403, "Access forbidden, contact your app developer or support@rpcpool.com."),
]) + _rows(SOLANA, _ENVELOPES)  # fmt: skip

ANSWERS: Final = [*EVM_ANSWERS, *SOLANA_ANSWERS]
