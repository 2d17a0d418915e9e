"""The same on real chains: refunds and payouts by a merchant's own signing account, over an EVM node and over the
Solana program runtime. What landed is read from the chains themselves.

The ground is an intent that was settled in test mode and then becomes live with all its rows: how money came in is
not what is broken here.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import requests
from django.apps import apps
from django.conf import settings
from django.db.models import F, Value
from django.db.models.functions import Replace

from chains.models import SigningAccount
from core.modes import Mode
from core.money import usd
from core.secrets import Sealed
from localnet.addresses import CHAIN_IDS
from localnet.nodes import DevChain, fresh_wallet, running
from localnet.solana.server import running as solana_running
from merchants.models import Merchant
from merchants.services import issue_key_pair
from operations.invariants import Scope
from operations.invariants.on_chain import chains_agree
from payments.models import Credit
from tests.conftest import ApiClient
from tests.crash.matrix.operations import Operation, Shop
from tests.crash.matrix.processes import Crew, is_ending
from tests.factories.refunds import sends_anywhere
from tests.machine import PATIENCE_SECONDS, own_port, pause
from webhooks.models import Event

ENDOWED = 1_000_000_000
UNITS = 25_000_000
BLOCKS_IN_A_TICK, SLOTS_IN_A_TICK = 5, 2
"""Final after 64 and 32 of them. Why so few slots: what is signed dies after 150."""
MOST_SOLANA_ACCOUNTS = 80
OF_MONEY = ("payments", "refunds", "payouts", "webhooks", "chains")


@dataclass
class Net:
    chain: str
    go_on: Callable[[], None]
    held: Callable[[str], int]
    new_key: Callable[[], tuple[str, str]]
    new_recipient: Callable[[], str]
    recipients: dict[int, str] = field(default_factory=dict)

    def make_live(self, shop: Shop) -> None:
        merchant = Merchant.objects.get(pk=shop.principal.merchant_id)
        _move_to_live(merchant.pk)
        address, key = self.new_key()
        name = f"matrix{merchant.pk}"
        settings.SIGNER_SECRETS = {**settings.SIGNER_SECRETS, name: Sealed(key.encode())}
        caps = {"cap_per_transfer_usd": usd("1000"), "cap_per_day_usd": usd("1000")}
        place = {"network": "localnet", "chain": self.chain, "backend": "secret", "key_reference": name}
        sends_anywhere(merchant)
        SigningAccount.objects.create(merchant=merchant, mode="live", address=address, **place, **caps)
        shop.api = ApiClient(issue_key_pair(merchant, Mode.LIVE).secret_key)
        shop.principal = replace(shop.principal, mode=Mode.LIVE)

    def refund(self, shop: Shop) -> None:
        """Ask for everything back, to an address that holds nothing yet."""
        recipient = self.recipients[shop.principal.merchant_id] = self.new_recipient()
        wish = {"intent_id": str(shop.intent_id), "amount_usd": 25, "destination": recipient}
        reply = shop.api.post("/refunds", wish, Idempotency_Key=shop.key)
        assert reply.status == 201, reply.body

    def disagreements(self, shop: Shop) -> list[str]:
        """What the chain itself contradicts: each signed transaction is asked for, and the recipient's balance."""
        merchant = shop.principal.merchant_id
        held = self.held(self.recipients[merchant])
        wrong = [] if held == UNITS else [f"I2 the recipient on {self.chain} holds {held} of {UNITS}"]
        return [*chains_agree(Scope(merchant_id=merchant)), *wrong]


def operations_on(net: Net) -> list[Operation]:
    def prepare(shop: Shop) -> None:
        net.make_live(shop)
        net.refund(shop)

    return [
        Operation(
            name=f"send refund on {net.chain}",
            ground=lambda shop: shop.begin(settlement_chain=net.chain, settlement_token="USDC"),
            stands=Shop.has_settled,
            prepare=prepare,
            is_over=lambda shop: shop.refunds() == ["paid"] and shop.intent.status == "refunded",
            go_on=net.go_on,
            contradicted=net.disagreements,
            subscribed=False,
        )
    ]


@contextmanager
def nets(crew: Crew, log: Path) -> Iterator[list[Net]]:
    port = own_port()
    keys = _solana_keys()
    crew.start(lambda: _serve_solana(port, keys), log)
    with running(CHAIN_IDS["base"]) as node:
        solana = f"http://127.0.0.1:{port}"
        settings.NETWORK_PROFILE = "localnet"
        settings.RPC_URLS = {**settings.RPC_URLS, "base": [node.url], "solana": [solana]}
        yield [_base(node), _solana(solana, keys)]


def _base(node: DevChain) -> Net:
    token = _usdc("base")

    def new_key() -> tuple[str, str]:
        wallet = fresh_wallet()
        node.fund(wallet.address)
        node.mint(token, wallet.address, ENDOWED)
        return wallet.address, "0x" + wallet.key.hex().removeprefix("0x")

    return Net(
        chain="base", go_on=lambda: node.mine(BLOCKS_IN_A_TICK), held=lambda owner: node.balance(token, owner),
        new_key=new_key, new_recipient=lambda: str(fresh_wallet().address),
    )  # fmt: skip


def _solana(url: str, keys: list[Any]) -> Net:
    from solders.keypair import Keypair  # noqa: PLC0415  (slow import)

    session, unused = requests.Session(), iter(keys)

    def ask(method: str, *parameters: Any) -> Any:
        asked: Any = {"jsonrpc": "2.0", "id": 1, "method": method, "params": parameters}
        answer = session.post(url, json=asked, timeout=PATIENCE_SECONDS)
        return answer.json()["result"]

    def held(owner: str) -> int:
        found = ask("getTokenAccountsByOwner", owner, {"mint": _usdc("solana")}, {"encoding": "jsonParsed"})
        amounts = [one["account"]["data"]["parsed"]["info"]["tokenAmount"]["amount"] for one in found["value"]]
        return sum(map(int, amounts))

    def new_key() -> tuple[str, str]:
        key = next(unused)
        return str(key.pubkey()), str(key)

    return Net(
        chain="solana", go_on=lambda: ask("advanceSlots", SLOTS_IN_A_TICK), held=held, new_key=new_key,
        new_recipient=lambda: str(Keypair().pubkey()),
    )  # fmt: skip


def _solana_keys() -> list[Any]:
    from solders.keypair import Keypair  # noqa: PLC0415  (slow import)

    return [Keypair() for _ in range(MOST_SOLANA_ACCOUNTS)]


def _serve_solana(port: int, keys: list[Any]) -> None:
    """A process's work. Why in one of its own: its threads must not be there where processes are forked."""
    with solana_running(ticking=False, port=port) as node:
        for key in keys:
            node.fund(str(key.pubkey()))
            node.mint(_usdc("solana"), str(key.pubkey()), ENDOWED)
        while not is_ending():
            pause(0.05)


def _usdc(chain: str) -> str:
    from localnet.market import bundled  # noqa: PLC0415 - reads the token list

    return next(one.address for one in bundled() if (one.chain, one.symbol) == (chain, "USDC"))


def _move_to_live(merchant_id: int) -> None:
    """Every row of money of a merchant changes its mode, and its events say so."""
    for label in OF_MONEY:
        for model in apps.get_app_config(label).get_models():
            if {"merchant", "mode"} <= {one.name for one in model._meta.get_fields()}:
                model._default_manager.filter(merchant_id=merchant_id).update(mode="live")
    Credit.objects.filter(merchant_id=merchant_id).update(network="localnet")
    told = Event.objects.filter(merchant_id=merchant_id)
    told.update(payload=Replace(F("payload"), Value('"mode":"test"'), Value('"mode":"live"')))
