"""Where the service speaks to the outside, and the points around each call. One table; nothing in the service knows.

``http``: every synchronous request of every library that is used (requests, web3, boto3) ends in one function of
urllib3. Webhooks go by aiohttp. A key may be far away, so signing is a call outside, wherever the key is. The simulated
chain is outside, too: it is a chain, though it lives in a table.
"""

import importlib
import inspect
import json
from collections.abc import Callable
from dataclasses import dataclass
from functools import wraps
from typing import Any

PassPoint = Callable[[str, str], None]


@dataclass(frozen=True, kw_only=True)
class Boundary:
    module: str
    owner: str
    function: str
    name: str

    def found(self) -> tuple[Any, Any]:
        module = importlib.import_module(self.module)
        holder = getattr(module, self.owner) if self.owner else module
        return holder, inspect.getattr_static(holder, self.function)


SIGNERS = ("evm.LocalEvmSigner", "kms.EvmKmsSigner", "solana.LocalSolanaSigner", "kms.SolanaKmsSigner")
BOUNDARIES = (
    *(
        Boundary(module=f"chains.signers.{module}", owner=owner, function=function, name="signing")
        for module, _, owner in (signer.partition(".") for signer in SIGNERS)
        for function in ("sign_evm", "sign_solana")
    ),
    Boundary(module="core.outbound.client", owner="GuardedClient", function="post", name="sending a webhook"),
    Boundary(module="urllib3.connectionpool", owner="HTTPConnectionPool", function="urlopen", name="asking"),
    Boundary(module="chains.clients.simulated", owner="SimulatedChain", function="send", name="sending a transfer"),
    Boundary(module="chains.clients.simulated", owner="SimulatedChain", function="broadcast", name="sending a payment"),
    Boundary(module="core.dispatch", owner="_Sender", function="want", name="waking a worker"),
)


def arm_boundaries(pass_point: PassPoint) -> None:
    for boundary in BOUNDARIES:
        holder, function = boundary.found()
        if not hasattr(function, "armed"):
            setattr(holder, boundary.function, _armed(boundary, function, pass_point))


def _armed(boundary: Boundary, function: Any, pass_point: PassPoint) -> Any:
    armed = _around_coroutine if inspect.iscoroutinefunction(function) else _around
    wrapped = armed(boundary, function, pass_point)
    wrapped.armed = True
    return wrapped


def _around(boundary: Boundary, function: Any, pass_point: PassPoint) -> Any:
    @wraps(function)
    def call(*arguments: Any, **named: Any) -> Any:
        name = _name(boundary, arguments, named)
        pass_point("before", name)
        result = function(*arguments, **named)
        pass_point("after", name)
        return result

    return call


def _around_coroutine(boundary: Boundary, function: Any, pass_point: PassPoint) -> Any:
    @wraps(function)
    async def call(*arguments: Any, **named: Any) -> Any:
        name = _name(boundary, arguments, named)
        pass_point("before", name)
        result = await function(*arguments, **named)
        pass_point("after", name)
        return result

    return call


def _name(boundary: Boundary, arguments: tuple[Any, ...], named: dict[str, Any]) -> str:
    if boundary.name != "asking":
        return boundary.name
    body = named.get("body", arguments[3] if len(arguments) > 3 else None)
    try:
        asked = json.loads(body or "")["method"]
    except (TypeError, ValueError, KeyError):
        asked = str(named.get("method", arguments[1] if len(arguments) > 1 else "")).upper()
    return f"asking {asked}"
