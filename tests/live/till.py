"""A merchant's live intent, its payer and the chain between them, whichever chain that is."""

from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from typing import Any

import orjson

from chains.models import ChainReader
from chains.registry import CHAINS, EVM_NATIVE_ADDRESS, SOLANA_NATIVE_ADDRESS
from core.clock import now
from core.modes import Mode
from merchants.authentication import known_key
from payments.models import Credit, Leg, RouteCandidate, SettlementProfile
from payments.services.advance import sweep_due
from payments.services.reading import sweep_chains
from tests.conftest import ApiClient
from tests.factories.queue import queue
from tests.payments.payer import Payer
from tests.payments.world import create, events, history, read

COINS = (EVM_NATIVE_ADDRESS, SOLANA_NATIVE_ADDRESS)
FAMILY_OF = {chain.name: chain.family.value for chain in CHAINS}


@dataclass(kw_only=True)
class LiveTill(ABC):
    """What a test does at the service's doors. How the chain moves on is each family's own."""

    api: ApiClient
    node: Any
    chain: str
    token: str
    symbol: str = "USDC"
    merchant: str
    intent: dict[str, Any] = field(default_factory=dict)
    page: Payer = field(init=False)
    browser: str = ""

    @property
    @abstractmethod
    def wallet(self) -> tuple[str, str]:
        """The family and the address of the payer's wallet."""

    @abstractmethod
    def pay(self, attempt: dict[str, Any]) -> str:
        """Sign and send what the wallet was asked to; its hash."""

    @abstractmethod
    def pass_time(self) -> None:
        """Let the chain go on until all that is on it is final."""

    @abstractmethod
    def pass_for_good(self) -> None:
        """Let the chain go on until it calls all that is on it final, for amounts of any size."""

    @abstractmethod
    def held(self, owner: str = "") -> int:
        """What the merchant, or another owner, holds of the token on the chain."""

    @abstractmethod
    def new_key(self) -> tuple[str, str]:
        """An address that holds nothing, and its key as an operator has it."""

    def url(self) -> str:
        """Where the chain's honest node listens."""
        return str(self.node.url)

    def open(self, amount: str = "25", **fields: Any) -> Payer:
        """Create the intent and open its page with the payer's wallet. Coins settle at a proven address only."""
        if self.token in COINS:
            self.prove_address()
        place = {"settlement_chain": self.chain, "settlement_token": self.symbol, "settlement_address": self.merchant}
        self.intent = create(self.api, amount=orjson.Fragment(amount), **place, **fields)
        self.page = Payer.of(self.intent, *self.wallet, browser=self.browser)
        return self.page

    def prove_address(self) -> None:
        """Let the merchant have signed with the address where its payments settle."""
        place = {"chain": self.chain, "token": "USDC", "address": self.merchant, "proven_at": now()}
        SettlementProfile.objects.update_or_create(
            merchant_id=known_key(self.api.key).principal.merchant_id,
            mode=Mode.LIVE,
            family=FAMILY_OF[self.chain],
            defaults=place,
        )

    @property
    def pays_with(self) -> tuple[str, str]:
        """The chain and the token that the payer pays with: unless said otherwise what the merchant wants."""
        return self.chain, self.token

    def quoted(self, amount: str = "25", **fields: Any) -> dict[str, Any]:
        """A new intent's attempt with its quote."""
        return self._chosen(self.open(amount, **fields))

    def _chosen(self, page: Payer) -> dict[str, Any]:
        tokens = page.connect()
        [wanted] = [one for one in tokens if (one["chain"], one["token_address"]) == self.pays_with]
        return page.choose(wanted)

    def accept(self, attempt: dict[str, Any]) -> dict[str, Any]:
        """Press pay, and let a worker prepare; the attempt then."""
        self.page.act("start", {"attempt_id": attempt["id"]})
        sweep_due()
        now: dict[str, Any] = self.page.state()["attempt"]
        return now

    def issue(self, amount: str = "25", **fields: Any) -> dict[str, Any]:
        """The whole way to what the wallet is asked to sign; the attempt."""
        return self._issued(self.quoted(amount, **fields))

    def again(self) -> dict[str, Any]:
        """Another attempt on the same intent, as far as the wallet."""
        return self._issued(self._chosen(self.page))

    def _issued(self, attempt: dict[str, Any]) -> dict[str, Any]:
        assert attempt["status"] == "quoted", self.page.state()
        issued = self.accept(attempt)
        assert issued["status"] == "awaiting_signature", issued
        return issued

    def decline(self, attempt: dict[str, Any]) -> None:
        self.page.act("rejected", {"attempt_id": attempt["id"]})

    def weighed(self) -> list[tuple[str, bool, str | None]]:
        """Every route that was weighed: provider, whether it was chosen, and why not."""
        rows = RouteCandidate.objects.filter(intent_id=self.intent["id"])
        return list(rows.values_list("provider", "chosen", "error"))

    def report(self, attempt: dict[str, Any], tx_hash: str) -> None:
        self.page.report(attempt, 1, tx_hash)

    def issue_and_pay(self, amount: str = "25", **fields: Any) -> dict[str, Any]:
        attempt = self.issue(amount, **fields)
        self.report(attempt, self.pay(attempt))
        return attempt

    def sweep(self, times: int = 1) -> dict[str, Any]:
        """Let workers come round so often; the intent as the API shows it then."""
        for _ in range(times):
            queue(pk=self.intent["id"])
            self.end_pauses()
            read_chains()
            sweep_due()
        return read(self.api, self.intent)

    def end_pauses(self) -> None:
        """So much later that what no node could say is asked again."""
        for leg in Leg.objects.filter(intent_id=self.intent["id"]).exclude(unsaid={}):
            leg.unsaid = {part: (tries, now().isoformat()) for part, (tries, _) in leg.unsaid.items()}
            leg.save(update_fields=["unsaid"])

    def finish(self) -> dict[str, Any]:
        """Let the chain go on until everything on it is final, with workers at work."""
        self.sweep()
        self.pass_time()
        return self.sweep(2)

    def end(self) -> dict[str, Any]:
        """Let the chain itself call all that is on it final, with workers at work; the intent then."""
        self.sweep()
        self.pass_for_good()
        return self.sweep(3)

    def leg(self) -> Leg:
        return Leg.objects.get(intent_id=self.intent["id"])

    def credited(self) -> list[int]:
        """What was credited to the intent, reversed credits left out."""
        rows = Credit.objects.filter(intent_id=self.intent["id"], reversed_at=None).order_by("id")
        return list(rows.values_list("base_units", flat=True))

    def told(self) -> list[str]:
        return events(self.intent)

    def passed(self) -> list[str]:
        return history(self.intent)


def read_chains() -> None:
    """Let the readers of all chains come round, the second time too."""
    ChainReader.objects.update(next_attempt_at=now(), final_at=None)
    sweep_chains()


def tried(page: Payer, token: str) -> dict[str, Any]:
    """Whoever has this page begins a try of its own: the attempt, ready to sign."""
    [wanted] = [one for one in page.connect() if one["token_address"] == token]
    page.act("start", {"attempt_id": page.choose(wanted)["id"]})
    sweep_due()
    attempt: dict[str, Any] = page.state()["attempt"]
    return attempt
