"""The stage of a history: two merchants' intents as rows, their legs handed out, and a chain with two nodes.

The service runs as it is, from web3 down to the database. Replaced are the answers of nodes, and the clock. Legs are
put in as rows, as ``payments.services.prepare`` leaves them. Why: a way through the checkout takes longer than all
that is judged.
"""

import logging
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from functools import cache
from unittest.mock import patch
from uuid import UUID

import time_machine
from django.test import override_settings

from chains.clients import evm_endpoint
from chains.clients.evm_calls import native_note, token_transfer
from chains.clients.registry import EVM
from chains.models import ChainReader, Lane
from chains.reader.evm import WIDEST
from chains.registry import EVM_NATIVE_ADDRESS, confirmations_required
from core.buckets import MemoryBuckets
from core.clock import now
from core.modes import Mode
from core.money import UsdAmount, usd
from merchants.models import Merchant
from merchants.services import create_merchant
from payments.models import Leg, PaymentAttempt, PaymentIntent
from payments.services.attempts import SIGNATURE_TIME
from payments.services.marks import mark_of, watch_address
from tests.confluence.chain import COIN, ModelChain, Sent
from tests.confluence.node import CHAIN_ID, HONEST_URL, ODD_URL, ModelNode, exchange_with
from tests.confluence.steps import Asked, Interruption, Way
from tests.confluence.wallets import wallet
from tests.factories.queue import queue
from tests.stories.stage import claimant_of

HOME, NETWORK = "base", "localnet"
USDC = "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913"
START = datetime(2026, 5, 4, 12, 0, tzinfo=UTC)
BEGAN = int(START.timestamp()) - 100
"""When the chain's first block was made, in seconds."""
SECONDS_A_BLOCK = 2
READERS_RAN_BEFORE = True
"""Whether a history finds the readers at work, as nearly all do."""
NEVER_REACHED = 10**9
_CLOCKS = ("chains.clients.endpoints", "chains.clients.heads", "chains.clients.pool")
"""Who counts real seconds: here they pass with the clock of the history."""
SECONDS_A_QUESTION = 0.001
SECONDS_A_TURN = 0.1
"""What it takes to ask a node, and to work on one row. Why: a sweep ends by the seconds that it took."""


@dataclass(frozen=True, kw_only=True)
class PaidIn:
    """What an intent is settled in, and at which rate."""

    symbol: str
    address: str
    decimals: int
    units_a_dollar: int


PAID_IN = {
    Way.TOKEN: PaidIn(symbol="USDC", address=USDC, decimals=6, units_a_dollar=10**6),
    Way.COIN: PaidIn(symbol="ETH", address=EVM_NATIVE_ADDRESS, decimals=18, units_a_dollar=10**18 // 2_500),
}


class Died(BaseException):
    """A worker's process ended here. Why no Exception: nothing in the service may catch it."""


class Seconds:
    """The seconds of a stopped clock; nobody rests by them."""

    @staticmethod
    def monotonic() -> float:
        return now().timestamp()

    @staticmethod
    def sleep(seconds: float) -> None:
        """Go on at once."""


class Turns:
    """The seconds of workers, who take some for each turn."""

    @staticmethod
    def monotonic() -> float:
        _stages[0].pass_seconds(SECONDS_A_TURN)
        return now().timestamp()


@dataclass(kw_only=True)
class Told:
    """A leg as its wallet has it, and what was sent with its mark."""

    leg_id: UUID
    intent_id: UUID
    attempt_id: UUID
    sequence: int
    payer: str
    merchant: str
    token: str
    units: int
    sent: list[Sent] = field(default_factory=list)


@dataclass(frozen=True, kw_only=True)
class Claimed:
    """What a leg's own wallet signed to be its payment, and when."""

    leg: Told
    sent: Sent
    at: int

    @property
    def is_bare(self) -> bool:
        """Whether it is a transfer by that wallet of exactly what the leg asks, and nothing besides."""
        leg = self.leg
        asked = (leg.payer, leg.payer, leg.merchant, leg.token, leg.units, None)
        return [asked] == [
            (self.sent.sender, one.sender, one.recipient, one.token, one.units, one.leg) for one in self.sent.moved
        ]


@dataclass(kw_only=True)
class Stage:
    """One history as it goes: its chain, its nodes, its legs, and whoever is to be interrupted."""

    clock: time_machine.Traveller
    chain: ModelChain
    nodes: dict[str, ModelNode]
    legs: list[Told] = field(default_factory=list)
    unmarked: list[Sent] = field(default_factory=list)
    claimed: list[Claimed] = field(default_factory=list)
    """What legs' own wallets signed to be their payments, and the service took down."""
    cut: Interruption | None = None
    broken: list[str] = field(default_factory=list)
    """Exceptions that a worker met and wrote down."""

    def pass_seconds(self, seconds: float) -> None:
        self.clock.shift(timedelta(seconds=seconds))

    def mine(self, blocks: int) -> None:
        for _ in range(blocks):
            self.pass_seconds(SECONDS_A_BLOCK)
            self.chain.mine(self.seconds)

    @property
    def seconds(self) -> int:
        return int(now().timestamp())

    @property
    def odd(self) -> ModelNode:
        return self.nodes[ODD_URL]


STRANGER = wallet("a stranger")
MERCHANTS = (wallet("one merchant"), wallet("another merchant"))
_stages: list[Stage] = []
"""The history that is told now."""


def _node_at(url: str) -> ModelNode:
    _stages[0].pass_seconds(SECONDS_A_QUESTION)
    return _stages[0].nodes[url]


class _Listener(logging.Handler):
    """Hears of exceptions that a worker met: each is a finding."""

    def emit(self, record: logging.LogRecord) -> None:
        if record.exc_info and record.exc_info[0] is not None and _stages:
            _stages[0].broken.append(f"{record.getMessage()}: {record.exc_info[1]!r}")


@contextmanager
def set_up() -> Iterator[time_machine.Traveller]:
    """The service over two nodes of a chain in memory, under a stopped clock, for any number of histories."""
    logger, listener = logging.getLogger("causeway"), _Listener(logging.ERROR)
    urls = {HOME: [HONEST_URL, ODD_URL]}
    places: list[AbstractContextManager[object]] = [
        patch("chains.clients.channel.Channel.exchange", exchange_with(_node_at)),
        patch("chains.clients.evm_claims._signer", claimant_of),
        patch("chains.clients.evm_endpoint._connect", cache(evm_endpoint._connect)),
        *(patch(f"{module}.time", Seconds) for module in _CLOCKS),
        patch("core.leases.time", Turns),
        patch.object(logger, "propagate", new=False),
        patch.object(logger, "level", logging.ERROR),
        override_settings(NETWORK_PROFILE=NETWORK, RPC_URLS=urls),
    ]
    with ExitStack() as stack:
        stack.callback(EVM.forget)
        for place in places:
            stack.enter_context(place)
        logger.addHandler(listener)
        stack.callback(logger.removeHandler, listener)
        clock = stack.enter_context(time_machine.travel(START, tick=False))
        for name in ("One", "Other"):
            create_merchant(f"{name} Merchant", f"{name.lower()}@confluence.example")
        yield clock


World = tuple[ModelChain, ModelNode]
"""A chain, and the node of it that is always honest."""


def in_memory() -> World:
    """A world that is nowhere else."""
    chain = ModelChain(began=BEGAN)
    return chain, ModelNode(chain=chain)


@contextmanager
def staged(clock: time_machine.Traveller, asked: tuple[Asked, ...], world: Callable[[], World]) -> Iterator[Stage]:
    """The stage with these intents; the caller takes back what is written."""
    clock.move_to(START)
    EVM.forget()
    chain, honest = world()
    stage = Stage(clock=clock, chain=chain, nodes={HONEST_URL: honest, ODD_URL: ModelNode(chain=chain)})
    merchants = list(Merchant.objects.order_by("pk"))
    for number, one in enumerate(asked):
        _ask_for(stage, merchants[one.merchant], number, one)
    _begin_to_read(chain, with_coin=any(one.way is Way.COIN for one in asked))
    _stages[:] = [stage]
    with patch("payments.services.budgets._BUCKETS", MemoryBuckets()):
        yield stage


def choose(*, odd_first: bool) -> None:
    """Have this node asked before the other one."""
    EVM.pool(HOME)._endpoints.sort(key=lambda one: (one._url == ODD_URL) != odd_first)


def _begin_to_read(chain: ModelChain, *, with_coin: bool) -> None:
    """The readers as they are after a while. Why blocks for ever where nothing is paid in coin: it takes time."""
    row = {"network": NETWORK, "chain": HOME}
    if not with_coin:
        ChainReader.objects.create(**row, lane=Lane.BLOCKS, width=1, read_to=NEVER_REACHED, final_to=NEVER_REACHED)
    if READERS_RAN_BEFORE:
        newest = [chain.head, chain.blocks[-1].block_hash]
        far = {"read_to": chain.head, "final_to": chain.final, "points": [newest], "next_attempt_at": now()}
        for lane, width in [(Lane.LOGS, WIDEST), *([(Lane.BLOCKS, 1)] if with_coin else [])]:
            ChainReader.objects.create(**row, lane=lane, width=width, **far)


def _ask_for(stage: Stage, merchant: Merchant, number: int, asked: Asked) -> None:
    """An intent, with a leg for each wallet."""
    paid, ends_at = PAID_IN[asked.way], now() + timedelta(seconds=asked.seconds)
    units = asked.dollars * paid.units_a_dollar
    intent: PaymentIntent = PaymentIntent.objects.create(
        id=UUID(int=0x1000 + number), merchant=merchant, mode=Mode.LIVE, status="awaiting_signature",
        amount=usd(str(asked.dollars)), settlement_chain=HOME, settlement_token=paid.symbol,
        settlement_decimals=paid.decimals, settlement_token_address=paid.address,
        settlement_address=MERCHANTS[asked.merchant], target_base_units=units,
        expires_at=ends_at, expires_due_at=ends_at,
    )  # fmt: skip
    queue(pk=intent.pk)
    watch_address(intent)
    for place in range(asked.wallets):
        _hand_out(stage, intent, place + 1, units)


def _hand_out(stage: Stage, intent: PaymentIntent, sequence: int, units: int) -> None:
    number = len(stage.legs) + 1
    payer = wallet(f"payer {sequence}")  # Why the same in each intent: a wallet pays more than once
    attempt = PaymentAttempt.objects.create(
        id=UUID(int=0x2000 + number), intent=intent, merchant=intent.merchant, mode=Mode.LIVE, number=sequence,
        browser=str(number), family="evm", payer_address=payer, chain=HOME, token=intent.settlement_token,
        token_address=intent.settlement_token_address,
        status="awaiting_signature", signature_due_at=now() + SIGNATURE_TIME,
    )  # fmt: skip
    leg_id = UUID(int=0xA5A5_0000_0000_0000_0000_0000_0000_0000 + number)
    is_coin = intent.settlement_token_address == EVM_NATIVE_ADDRESS
    call = {"from": payer, "to": USDC, "value": "0x0"}
    call["data"] = token_transfer(intent.settlement_address, units, str(leg_id))
    if is_coin:
        call |= {"to": intent.settlement_address, "value": hex(units), "data": native_note(str(leg_id))}
    issued = {"family": "evm", "chain": HOME, "chain_id": CHAIN_ID, "request": call, "approvals": []}
    leg = Leg(
        id=leg_id, intent=intent, attempt=attempt, merchant=intent.merchant, mode=Mode.LIVE, sequence=sequence,
        kind="transfer", provider="direct", chain=HOME, to_chain=HOME, token=intent.settlement_token,
        to_token=intent.settlement_token, token_address=intent.settlement_token_address,
        token_decimals=intent.settlement_decimals, to_token_decimals=intent.settlement_decimals, input_base_units=units,
        min_output_base_units=units, amount_usd=UsdAmount(intent.amount), payer_address=payer,
        confirmations_required=confirmations_required(HOME), issued=issued, status="awaiting_signature",
        start_block=stage.chain.head, destination_start_block=stage.chain.head,
    )  # fmt: skip
    leg.mark = mark_of(leg, issued)
    leg.save(force_insert=True)
    told = Told(
        leg_id=leg_id, intent_id=intent.pk, attempt_id=attempt.pk, sequence=sequence, payer=payer,
        merchant=intent.settlement_address, token=COIN if is_coin else USDC, units=units,
    )  # fmt: skip
    stage.legs.append(told)
