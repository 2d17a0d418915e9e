"""Solana as live mode reads it: through the endpoints that the settings name, or not at all."""

import logging
from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from chains.clients.base import Arrival, Departure, IssuedLeg, LegView
from chains.clients.heads import Heads
from chains.clients.pool import NodeChains
from chains.clients.second_node import departure_with_second, look_with_second
from chains.clients.solana_accounts import read_balances, read_token_program
from chains.clients.solana_departure import departure_of
from chains.clients.solana_endpoint import SolanaEndpoint, SolanaNode
from chains.clients.solana_issue import (
    COIN_TRANSFER_UNITS,
    TOKEN_TRANSFER_UNITS,
    IssuedTransaction,
    TransferCost,
    cost_of_transfer,
    read_terms,
    send,
    try_out,
)
from chains.clients.solana_look import look_at
from chains.clients.solana_reads import NodeReads
from chains.errors import ChainUnavailable, TransferRejected
from chains.instructions.programs import TOKEN_PROGRAM
from chains.instructions.transactions import (
    ExactTransfer,
    compute_budget,
    read_transaction,
    transfer_instructions,
    unsigned_transaction,
)
from chains.registry import SOLANA_NATIVE_ADDRESS, Chain
from core.money import BaseUnits

if TYPE_CHECKING:
    from solders.address_lookup_table_account import AddressLookupTableAccount
    from solders.instruction import Instruction

_LOGGER = logging.getLogger("causeway.chains")


class SolanaChains(NodeChains[SolanaNode]):
    """``chains.clients.live.FamilyClient`` over real nodes, and what making and sending a payment needs besides."""

    def __init__(self) -> None:
        super().__init__()
        self._programs: dict[tuple[str, str], str] = {}

    def look(self, leg: IssuedLeg) -> LegView:
        """What became of a leg that begins and ends on Solana."""
        return look_with_second(self._pool(leg.to_chain), leg, look_at)

    def departure(self, leg: IssuedLeg) -> Departure:
        """The payer's side of a leg that ends on another chain."""
        return departure_with_second(self._pool(leg.chain), leg, departure_of)

    def arrival(self, leg: IssuedLeg, order_id: str) -> Arrival:
        """Nothing: no bridge leads to Solana."""
        return Arrival(transfers=())

    def balances(self, chain: str, owner: str, tokens: Iterable[str]) -> dict[str, BaseUnits]:
        """What a wallet can pay with of these tokens and of the native coin."""
        return self._pool(chain).ask(partial(read_balances, owner=owner, tokens=list(tokens)))

    def token_program(self, chain: str, token: str) -> str:
        """The program that keeps a token; asked once, since that never changes.

        Raises: TransferRejected where there is no such token.
        """
        if token == SOLANA_NATIVE_ADDRESS:
            return TOKEN_PROGRAM
        if (chain, token) not in self._programs:
            found = self._pool(chain).ask(partial(read_token_program, token=token))
            if found is None:
                raise TransferRejected("no such token")
            self._programs[chain, token] = found
        return self._programs[chain, token]

    def transfer_cost(self, chain: str, recipient: str, token: str) -> TransferCost:
        """What a direct payment costs besides itself. Raises: TransferRejected, ChainUnavailable."""
        program = self.token_program(chain, token)
        question = partial(cost_of_transfer, recipient=recipient, token=token, program=program)
        return self._pool(chain).ask(question)

    def issue_transfer(self, chain: str, transfer: ExactTransfer) -> IssuedTransaction:
        """The unsigned direct payment. Raises: TransferRejected where it would fail, ChainUnavailable."""
        units = COIN_TRANSFER_UNITS if transfer.token_address == SOLANA_NATIVE_ADDRESS else TOKEN_TRANSFER_UNITS
        program = self.token_program(chain, transfer.token_address)
        instructions = transfer_instructions(replace(transfer, token_program=program))
        return self.issue(chain, transfer.payer, instructions, units)

    def issue(
        self,
        chain: str,
        payer: str,
        instructions: Sequence["Instruction"],
        units: int,
        lookup_tables: Sequence["AddressLookupTableAccount"] = (),
    ) -> IssuedTransaction:
        """An unsigned transaction over a fresh blockhash, tried on a node; ``units`` of computing are its limit.

        Raises: TransferRejected where it fails in the trial or is too long, ChainUnavailable.
        """
        written = [str(meta.pubkey) for one in instructions for meta in one.accounts if meta.is_writable]
        terms = self._pool(chain).ask(partial(read_terms, written=list(dict.fromkeys([payer, *written]))))
        try:
            budget = compute_budget(units, terms.unit_price)
            unsigned = unsigned_transaction(payer, [*budget, *instructions], terms.blockhash, lookup_tables)
        except ValueError as error:
            raise TransferRejected(str(error)) from error
        failure, taken = self._pool(chain).ask(partial(try_out, unsigned=unsigned))
        if failure is not None:
            raise TransferRejected("fails in a trial")
        return IssuedTransaction(
            transaction_base64=unsigned, last_valid_block_height=terms.last_valid_block_height, units=taken
        )

    def broadcast(self, chain: str, signed_base64: str) -> bool:
        """Send what a wallet signed; the same bytes may be sent again and again, and land at most once.

        Whether a node took it, or knew it already. False proves nothing, and nothing is raised: what became of it
        is seen by looking.
        """
        try:
            read_transaction(signed_base64)
            return self._pool(chain).ask(partial(send, signed_base64=signed_base64))
        except (ChainUnavailable, ValueError):
            _LOGGER.warning("no node of %s took a signed transaction; looking for it goes on", chain)
            return False

    def exchange_reads(self, chain: str) -> NodeReads:
        """What making a payment over an exchange reads."""
        return NodeReads(self._pool(chain).ask)

    def forget(self) -> None:
        """Start anew with the settings as they are."""
        super().forget()
        self._programs.clear()

    def _endpoint(self, known: Chain, url: str, heads: Heads, *, refuse_play_networks: bool) -> SolanaEndpoint:
        return SolanaEndpoint(known, url, heads, refuse_play_networks=refuse_play_networks)
