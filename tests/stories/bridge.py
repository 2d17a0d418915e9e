"""A bridge between the model chains: what its aggregator offers, and the logs that both ends write.

The words of both events stand where Across has them, so that the service's own reading finds them.
"""

from hashlib import sha256
from typing import Any

from chains.clients.across import ACROSS, SPOKE_POOLS, deposit_topic, fill_topic
from chains.registry import chain
from core.money import ZERO_USD, BaseUnits, usd
from payments.routing.assets import dollars_down, key_of, value_usd
from payments.routing.base import LegKind, Prepared, RouteOffer, RouteProvider, RouteRequest, SigningOrder
from tests.stories.chain import Event, transfer_event, word_of

FEE_UNITS = 50_000
_LIFETIME = 4 * 3600
_WORD = 32


class ModelBridge(RouteProvider):
    """The same token on another chain, for a small fee."""

    name = "model-bridge"

    def offers(self, request: RouteRequest) -> list[RouteOffer]:
        if key_of(request.source) == key_of(request.destination) or request.source.chain == request.destination.chain:
            return []
        target = request.target_base_units
        return [
            RouteOffer(
                provider=self.name,
                request=request,
                kind=LegKind.BRIDGE,
                input_base_units=BaseUnits(target + FEE_UNITS),
                min_output_base_units=target,
                expected_output_base_units=target,
                to_amount_usd=dollars_down(value_usd(request.destination, target)),
                fee_usd=usd("0.05"),
                gas_usd=ZERO_USD,
                duration_sec=10,
                raw={"tool": ACROSS},
            )
        ]

    def prepare(self, order: SigningOrder) -> Prepared:
        request, known = order.request, chain(order.request.source.chain)
        assert known is not None
        data = "0x" + sha256(order.tag.encode()).hexdigest()
        call = {"from": request.payer_address, "to": SPOKE_POOLS[known.name], "value": "0x0", "data": data}
        unsigned: dict[str, Any] = {
            "family": "evm", "chain": known.name, "chain_id": known.chain_id, "request": call, "approvals": [],
        }  # fmt: skip
        units = request.target_base_units
        return Prepared(
            unsigned=unsigned, input_base_units=BaseUnits(units + FEE_UNITS), min_output_base_units=units, bridge=ACROSS
        )


def deposit(source: str, target: str, order: "Opened") -> list[Event]:
    """What the payer's chain logs: its money goes to the pool, and an order is open."""
    words = [0] * 10
    words[1], words[2], words[3] = int(order.output_token, 16), order.units + FEE_UNITS, order.units
    words[5], words[7] = order.deadline, int(order.recipient, 16)
    topics = [_topic(deposit_topic()), _number(_id(target)), _number(order.deposit_id), word_of(order.depositor)]
    opened = Event(address=SPOKE_POOLS[source], topics=tuple(topics), data=b"".join(map(_number, words)))
    paid = transfer_event(order.input_token, order.depositor, SPOKE_POOLS[source], order.units + FEE_UNITS)
    return [paid, opened]


def fill(source: str, target: str, order: "Opened", relayer: str) -> list[Event]:
    """What the merchant's chain logs: the order is closed, and the relayer's money is with the merchant."""
    words = [0] * 15
    words[1], words[2], words[3] = int(order.output_token, 16), order.units + FEE_UNITS, order.units
    words[5], words[11], words[13] = order.deadline, int(order.recipient, 16), order.units
    topics = [_topic(fill_topic()), _number(_id(source)), _number(order.deposit_id), word_of(relayer)]
    closed = Event(address=SPOKE_POOLS[target], topics=tuple(topics), data=b"".join(map(_number, words)))
    return [closed, transfer_event(order.output_token, relayer, order.recipient, order.units)]


class Opened:
    def __init__(  # noqa: PLR0913, PLR0917 - what an order is made of
        self, deposit_id: int, depositor: str, recipient: str, units: int, tokens: tuple[str, str], opened_at: int
    ) -> None:
        self.deposit_id, self.depositor, self.recipient, self.units = deposit_id, depositor, recipient, units
        self.input_token, self.output_token = tokens
        self.deadline = opened_at + _LIFETIME


def _id(name: str) -> int:
    known = chain(name)
    assert known is not None
    assert known.chain_id is not None
    return known.chain_id


def _topic(text: str) -> bytes:
    return bytes.fromhex(text[2:])


def _number(value: int) -> bytes:
    return value.to_bytes(_WORD)
