"""Every real chain behind one door: each leg is read by the client of its chain's family, and joined between chains."""

from dataclasses import replace
from typing import Protocol

from chains.clients.base import NOBODY, Arrival, BridgeReport, Departure, IssuedLeg, LegView, SeenStatus
from chains.errors import ChainUnavailable
from chains.registry import Family, chain


class FamilyClient(Protocol):
    """What the chains of one family must be able to tell. Raises: ChainUnavailable from each."""

    def head(self, chain: str) -> int:
        """The number of the newest block."""

    def look(self, leg: IssuedLeg) -> LegView:
        """What became of a leg that begins and ends on one chain."""

    def departure(self, leg: IssuedLeg) -> Departure:
        """The payer's side of a leg that ends on another chain."""

    def arrival(self, leg: IssuedLeg, order_id: str) -> Arrival:
        """The merchant's side of a leg that began on another chain."""


class LiveChains:
    """``chains.clients.base.ChainClient`` over all families."""

    def __init__(self, families: dict[Family, FamilyClient]) -> None:
        self._families = families

    def head(self, chain: str) -> int:
        """The number of the newest block, or slot."""
        return self._client(chain).head(chain)

    def look(self, leg: IssuedLeg) -> LegView:
        """What became of a leg, on whichever chains it runs."""
        if leg.chain == leg.to_chain:
            return self._client(leg.chain).look(leg)
        departure = self._client(leg.chain).departure(leg)
        order_id = departure.order_id or leg.order_id
        arrival = self._client(leg.to_chain).arrival(leg, order_id) if order_id else Arrival(transfers=())
        payer = departure.payer if departure.order_id else NOBODY
        return LegView(
            seen=departure.seen,
            transfers=tuple(replace(transfer, payer=payer) for transfer in arrival.transfers),
            refund=None,
            report=_report(departure, arrival),
            order_id=order_id,
            scanned_to=departure.scanned_to,
            destination_scanned_to=arrival.scanned_to,
            unsaid={**departure.unsaid, **arrival.unsaid},
            unseen=departure.unseen | arrival.unseen,
        )

    def _client(self, chain_name: str) -> FamilyClient:
        known = chain(chain_name)
        if known is None or known.family not in self._families:
            raise ChainUnavailable(chain_name)
        return self._families[known.family]


def _report(departure: Departure, arrival: Arrival) -> BridgeReport:
    """Only what the chains prove; what an operator says is asked elsewhere."""
    if arrival.transfers:
        return BridgeReport.DONE
    is_open = departure.seen is not None and departure.seen.status == SeenStatus.INCLUDED
    return BridgeReport.VOID if arrival.is_void and is_open else BridgeReport.WAITING
