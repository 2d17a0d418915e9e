"""The stage of a story: a merchant with live keys, wallets, two chains in memory, and what happened so far.

The service runs as it is, down to how it reads a node. Replaced are only the nodes themselves, keys, and the bridge's
aggregator.
"""

import logging
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from hashlib import sha256
from random import Random
from typing import Any
from unittest.mock import patch
from uuid import UUID

import orjson
import time_machine
from django.test import Client, override_settings

from chains.clients.registry import EVM
from chains.errors import ChainUnavailable
from chains.models import SigningAccount
from chains.registry import Chain, Family, chain
from chains.signers.base import EvmTransaction, SignedEvm
from core.clock import now
from core.modes import Mode
from core.money import usd
from ledger.models import Opening
from mcp.models import AgentConnection
from merchants.models import Merchant
from merchants.principal import Principal
from merchants.services import create_merchant
from payments.models import SettlementProfile
from payments.routing.direct import LIVE_DIRECT
from payments.routing.registry import PROVIDERS
from tests.conftest import API, Reply, read_reply
from tests.factories.refunds import sends_anywhere
from tests.stories.bridge import ModelBridge, Opened
from tests.stories.chain import ModelChain, Sent, address_of
from tests.stories.node import ModelPool, hash_of, sealed
from tokens.models import Token, TokenPrice
from tokens.services import record_usd_price

START = datetime(2026, 5, 4, 12, 0, tzinfo=UTC)
NETWORK = "localnet"
HOME, ABROAD = "base", "arbitrum"
RICH = 10**12
SECONDS_A_BLOCK = 2
_CLIENT = Client(raise_request_exception=False)
"""Why one for all: each would load the middleware anew."""


class Died(BaseException):
    """A worker's process ended here. Why no Exception: nothing in the service may catch it."""


@dataclass(kw_only=True)
class Leg:
    """What a payer was given to sign. ``order`` is the bridge's order that it opened."""

    leg_id: UUID
    intent_id: UUID
    attempt_id: str
    sequence: int
    payer: str
    browser: str
    request: dict[str, str]
    units: int
    is_bridge: bool
    hashes: list[Sent] = field(default_factory=list)


@dataclass(kw_only=True)
class Story:
    seed: int
    rng: Random
    clock: time_machine.Traveller
    merchant: Merchant
    principal: Principal
    owner: Principal
    key: str
    chains: dict[str, ModelChain]
    tokens: dict[str, str]
    account: str
    treasuries: list[str]
    payers: list[str]
    stranger: str
    relayer: str
    intents: list[UUID] = field(default_factory=list)
    legs: list[Leg] = field(default_factory=list)
    told: list[str] = field(default_factory=list)
    meanwhile: Callable[[str], None] = lambda _: None
    addressed: set[UUID] = field(default_factory=set)
    """Refunds whose destination a person named."""
    plain: list[Sent] = field(default_factory=list)
    """Transfers that wallets made without a mark."""
    fills: list[Sent] = field(default_factory=list)
    orders: list[tuple[Leg, Opened]] = field(default_factory=list)
    """Open orders of the bridge."""
    deposits: int = 0
    agent: AgentConnection | None = None
    logged: list[str] = field(default_factory=list)
    peaks: dict[UUID, int] = field(default_factory=dict)
    """By intent: the most that ever counted of what came in."""
    judged: int = 0
    """After how many steps the judge looked."""

    @property
    def home(self) -> ModelChain:
        return self.chains[HOME]

    @property
    def coin(self) -> str:
        return self.tokens[HOME]

    def ask(self, path: str, body: object = None) -> Reply:
        return self.door(path, body, Authorization=f"Bearer {self.key}")

    def door(self, path: str, body: object = None, **headers: str) -> Reply:
        """POST to the API; header names are written with underscores."""
        raw = b"" if body is None else orjson.dumps(body)
        sent: Any = {f"HTTP_{name.upper()}": value for name, value in headers.items()}
        return read_reply(_CLIENT.generic("POST", API + path, raw, content_type="application/json", **sent))

    def name(self, address: str) -> str:
        cast = {"the account": self.account, "a stranger": self.stranger, "the relayer": self.relayer}
        cast |= {f"treasury {place}": one for place, one in enumerate(self.treasuries, 1)}
        cast |= {f"payer {place}": one for place, one in enumerate(self.payers, 1)}
        return next((name for name, one in cast.items() if one == address), address)

    def number(self, intent_id: UUID) -> str:
        return f"payment {self.intents.index(intent_id) + 1}"

    def go_on(self, point: str) -> None:
        self.meanwhile(point)

    def tell(self, sentence: str) -> None:
        self.told.append(sentence)

    def pass_time(self, seconds: float) -> None:
        """Let time pass; prices stay fresh."""
        self.clock.shift(timedelta(seconds=seconds))
        TokenPrice.objects.update(priced_at=now())

    def pass_blocks(self, blocks: int) -> None:
        for one in self.chains.values():
            one.mine(blocks)
        self.pass_time(blocks * SECONDS_A_BLOCK)


class AtOnce:
    """Reads a wallet's chains in the worker's own thread.

    Why: where it asks a chain, others go on meanwhile, or it dies. In a thread of its own that would happen on another
    connection, beside the test's transaction.
    """

    def submit(self, work: Callable[..., Any], *given: object) -> Future[Any]:
        done: Future[Any] = Future()
        try:
            done.set_result(work(*given))
        except ChainUnavailable as silent:
            done.set_exception(silent)
        return done


@contextmanager
def staged() -> Iterator[time_machine.Traveller]:
    """The service over chains in memory, under a stopped clock, for any number of stories."""
    urls = {name: ["http://model"] for name in (HOME, ABROAD)}
    places: list[AbstractContextManager[object]] = [
        patch.dict(PROVIDERS, {(Mode.LIVE, Family.EVM): (LIVE_DIRECT, ModelBridge())}),
        patch("payments.routing.live_balances._reader", lambda _chain: AtOnce()),
        patch("chains.signers.policy.signer_of", ModelSigner),
        patch("chains.clients.evm_claims._signer", claimant_of),
        override_settings(NETWORK_PROFILE=NETWORK, RPC_URLS=urls, LIFI_URL="http://model", JUPITER_URL=""),
    ]
    with ExitStack() as stack:
        stack.callback(EVM.forget)
        for place in places:
            stack.enter_context(place)
        yield stack.enter_context(time_machine.travel(START, tick=False))


def open_story(seed: int, clock: time_machine.Traveller) -> Story:
    clock.move_to(START)
    rng = Random(seed)  # noqa: S311 - a story must be told again
    chains = {name: ModelChain(_known(name), rng) for name in (HOME, ABROAD)}
    tokens = {name: Token.objects.get(chain=name, symbol="USDC", verified=True).address for name in chains}
    made = create_merchant(f"Story {seed}", f"owner-{seed}@story.example")
    account, *treasuries = (wallet(rng) for _ in range(3))
    story = Story(
        seed=seed, rng=rng, clock=clock, merchant=made.merchant,
        principal=Principal(merchant_id=made.merchant.pk, mode=Mode.LIVE, actor="key:story"),
        owner=Principal(merchant_id=made.merchant.pk, mode=Mode.LIVE, actor=f"user:{made.owner.pk}"),
        key=made.live.secret_key, chains=chains, tokens=tokens, account=account, treasuries=treasuries,
        payers=[wallet(rng) for _ in range(3)], stranger=wallet(rng), relayer=wallet(rng),
    )  # fmt: skip
    _endow(story)
    Opening.objects.create(finished_at=now())
    pools: dict[str, Any] = {name: ModelPool(one, story.go_on) for name, one in chains.items()}
    EVM.forget()
    EVM._pools.update(pools)  # noqa: SLF001 - the one place where nodes are exchanged
    return story


def _endow(story: Story) -> None:
    """Every wallet is rich; the merchant's account holds other funds, so that paying too much would succeed."""
    for name, one in story.chains.items():
        for holder in (*story.payers, story.stranger, story.relayer, story.account):
            one.endow(story.tokens[name], holder, RICH)
    sends_anywhere(story.merchant)
    SigningAccount.objects.create(
        merchant=story.merchant, mode=Mode.LIVE, network=NETWORK, chain=HOME, address=story.account, backend="secret",
        key_reference=f"story-{story.seed}", cap_per_transfer_usd=usd("1000000"), cap_per_day_usd=usd("10000000"),
    )  # fmt: skip
    place = {"chain": HOME, "token": "USDC", "address": story.treasuries[0], "is_default": True, "proven_at": now()}
    SettlementProfile.objects.create(merchant=story.merchant, mode=Mode.LIVE, family="evm", **place)


def set_prices() -> None:
    """What things cost, by two sources that agree. Once for all stories."""
    for token in Token.objects.filter(verified=True, chain__in=[HOME, ABROAD]):
        for source in ("one", "other"):
            record_usd_price(token, Decimal(1 if token.is_usd_stablecoin else 2500), now(), source)


def wallet(rng: Random) -> str:
    return address_of(rng.randbytes(20))


class ModelSigner:
    """A key of the merchant's account: what it signs, only the model chains take."""

    def __init__(self, account: SigningAccount) -> None:
        self.address = account.address

    def sign_evm(self, transaction: EvmTransaction) -> SignedEvm:
        raw = sealed(self.address, transaction.nonce, transaction.to, transaction.data, transaction.max_fee)
        return SignedEvm(raw=raw, tx_hash=hash_of(raw))


def claim_signature(signer: str, text: str) -> str:
    """What a wallet signs to claim a transaction, as ``claimant_of`` reads it. 65 bytes like a real one."""
    return "0x" + (bytes.fromhex(signer[2:]) + sha256(text.encode()).digest()).ljust(65, b"\0").hex()


def claimant_of(text: str, signature: bytes) -> str:
    return address_of(signature[:20]) if signature[20:52] == sha256(text.encode()).digest() else ""


def _known(name: str) -> Chain:
    known = chain(name)
    assert known is not None
    return known


class Listener(logging.Handler):
    """Hears what the service says of its own faults: an exception in a worker is a finding, too."""

    def __init__(self, story: Story) -> None:
        super().__init__(logging.ERROR)
        self._story = story

    def emit(self, record: logging.LogRecord) -> None:
        if record.exc_info and record.exc_info[0] is not None:
            self._story.logged.append(f"{record.getMessage()}: {record.exc_info[1]!r}")
