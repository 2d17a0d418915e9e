"""What one merchant, payer or stranger may do to a chain that all merchants share, each held on while a block runs.

First what makes a node's answer odd for one payment, in the seven ways that once took the chain out for all.
"""

import os
import secrets
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, ExitStack, contextmanager
from threading import Event, Thread
from typing import Any

from solders.signature import Signature

from localnet.devchain import fresh_wallet
from tests.journeys.crowd import Crowd
from tests.journeys.live_payer import LivePayer
from tests.journeys.live_stage import EVM, SOLANA, LiveStage
from tests.journeys.odd_nodes import as_agave, refusing, told_of
from tests.machine import PATIENCE_SECONDS, wait_until

LEGS = 3
AGAIN_SECONDS = 1.0
"""From one time to the next. Each time asks for several payments: together more than one address may ask."""
TAKEN_OR_TOO_MANY = (202, 429)
"""Of a leg so many hashes are looked for at once, and one more is refused."""
BASE58, NINETY = "3" * 88, "1" * 90
LOOPS = "0x5b600056"
"""Code that never ends."""
CALLS_ITSELF_3000_TIMES = "0x610bb85b5f5f5f5f5f60995af150600190038060035700"
"""Code that makes so many calls to nobody, one after the other."""
MUCH_GAS = 5_000_000
_PROVE = (
    "from core.clock import now; from core.modes import Mode; from payments.models import SettlementProfile;"
    "SettlementProfile.objects.update_or_create(merchant_id={merchant_id}, mode=Mode.LIVE, family='evm',"
    "defaults=dict(chain='base', token='USDC', address='{address}', proven_at=now()))"
)
_SECOND_PRICE = (
    "INSERT INTO tokens_tokenprice (token_id, source, price_usd, priced_at)"
    " SELECT token_id, 'second', price_usd, now() + interval '50 seconds' FROM tokens_tokenprice WHERE source = 'lifi'"
    " ON CONFLICT (token_id, source) DO UPDATE SET priced_at = excluded.priced_at"
)
"""Of a coin that a merchant is paid in two sources must say what it costs; here is one."""

ChainAttack = Callable[[LiveStage, Crowd], AbstractContextManager[None]]


def attacker(stage: LiveStage, chain: str = EVM, **more: Any) -> LivePayer:
    """A payer of the attacker's own shop, who can pay."""
    made = LivePayer(stage=stage, shop=stage.shop("attacker"), chain=chain, **more)
    made.endow()
    return made


def issued(stage: LiveStage, chain: str = EVM, legs: int = LEGS, **more: Any) -> list[LivePayer]:
    """The attacker's payments, each as far as its wallet."""
    made = [attacker(stage, chain, **more) for _ in range(legs)]
    with ThreadPoolExecutor(legs) as pool:
        list(pool.map(LivePayer.issue, made))
    return made


@contextmanager
def again_and_again(*acts: Callable[[], object], pause: float = AGAIN_SECONDS) -> Iterator[None]:
    """Each act in a thread of its own, with a pause after each time. Raises: what any of them raised."""
    is_over, failures, done = Event(), list[BaseException](), [0] * len(acts)

    def insist(number: int, act: Callable[[], object]) -> None:
        try:
            while not is_over.is_set():
                act()
                done[number] += 1
                is_over.wait(pause)
        except BaseException as error:
            failures.append(error)

    threads = [Thread(target=insist, args=one, daemon=True) for one in enumerate(acts)]
    for thread in threads:
        thread.start()
    yield
    wait_until(lambda: failures or all(done), "every act done once: else this proves nothing")
    is_over.set()
    for thread in threads:
        thread.join(PATIENCE_SECONDS)
    if failures:
        raise failures[0]


@contextmanager
def _nonsense(stage: LiveStage, chain: str, nonsense: str, formed: Callable[[], str]) -> Iterator[None]:
    """A hash of another form is refused at the door; some stand in the rows as if they had been taken before that,
    and others tell ever new hashes of the right form."""
    told, planted = issued(stage, chain), issued(stage, chain)

    def plant() -> None:
        with stage.service.connection() as connection:
            ids = [one.intent_id for one in planted]
            connection.execute(
                "UPDATE payments_leg SET tx_hash = %s WHERE intent_id = ANY(%s::uuid[])", [nonsense, ids]
            )
            connection.execute(
                "UPDATE payments_queuedintent SET due_at = now(), listed_at = now() WHERE intent_id = ANY(%s::uuid[])",
                [ids],
            )

    def tell() -> None:
        for one in told:
            assert one.report(one.issued, nonsense).status == 400
            assert one.report(one.issued, formed()).status in TAKEN_OR_TOO_MANY

    with again_and_again(tell, plant):
        yield


@contextmanager
def a_nonsense_hash(stage: LiveStage, _: Crowd) -> Iterator[None]:
    """Text of Solana's form is told of a payment on an EVM chain."""
    with _nonsense(stage, EVM, BASE58, lambda: "0x" + secrets.token_hex(32)):
        yield


@contextmanager
def _nonsense_signature(stage: LiveStage, nonsense: str) -> Iterator[None]:
    with as_agave(stage.solana) as refused:
        with _nonsense(stage, SOLANA, nonsense, lambda: str(Signature(os.urandom(64)))):
            yield
        assert nonsense not in " ".join(refused), "a node was asked for what no signature is"


@contextmanager
def an_evm_hash_on_solana(stage: LiveStage, _: Crowd) -> Iterator[None]:
    """A hash of an EVM chain is told of a payment on Solana, whose node refuses such."""
    with _nonsense_signature(stage, "0x" + "11" * 32):
        yield


@contextmanager
def ninety_ones(stage: LiveStage, _: Crowd) -> Iterator[None]:
    """Ninety ones are told of a payment on Solana, whose node refuses such."""
    with _nonsense_signature(stage, NINETY):
        yield


@contextmanager
def a_tree_of_calls(stage: LiveStage, _: Crowd) -> Iterator[None]:
    """A payer sends ever new transactions of 3,000 calls under his payment's mark, and tells them."""
    [one], [coin] = issued(stage, legs=1), issued_in_coin(stage, legs=1)
    bomb = fresh_wallet().address
    stage.node.rpc("anvil_setCode", bomb, CALLS_ITSELF_3000_TIMES)

    def send() -> None:
        for payer in (one, coin):
            mark = payer.issued["transactions"][0]["request"]["data"][-32:]
            request = {"to": bomb, "value": "0x0", "data": "0x" + mark}
            payer.report(payer.issued, stage.node.send(payer.wallet, request, gas=MUCH_GAS))

    with told_of(stage.evm, "debug_traceTransaction") as asked, again_and_again(send):
        yield
    assert asked, "no tree of calls was asked for: this proves nothing"


@contextmanager
def a_wallet_that_loops(stage: LiveStage, _: Crowd) -> Iterator[None]:
    """A contract that never ends is the payer's wallet, and ever new claims are told that it should prove."""
    one = attacker(stage)
    stage.node.rpc("anvil_setCode", one.address, LOOPS)
    one.issue()
    stranger = fresh_wallet()
    stage.node.fund(stranger.address)

    def claim() -> None:
        tx_hash = stage.node.send(stranger, {"to": stranger.address, "value": "0x0", "data": "0x"})
        assert one.report(one.issued, tx_hash, claim="0x" + secrets.token_hex(65)).status in TAKEN_OR_TOO_MANY

    with told_of(stage.evm, f'"to": "{one.address}"') as asked, again_and_again(claim):
        yield
    assert not asked, "a node was to run what the payer wrote"


def issued_in_coin(stage: LiveStage, legs: int = LEGS) -> list[LivePayer]:
    """Payments by a swap to the chain's coin, at the one address that the attacker has proven."""
    address, shop = fresh_wallet().address, stage.shop("attacker")
    stage.service.manage("shell", "-c", _PROVE.format(merchant_id=shop.merchant_id, address=address))
    with stage.service.connection() as connection:
        connection.execute(_SECOND_PRICE)
    return issued(stage, legs=legs, wanted="ETH", settles_at=address)


@contextmanager
def a_swap_without_traces(stage: LiveStage, _: Crowd) -> Iterator[None]:
    """What was swapped to coin arrives, where no node tells what a transaction moved inside."""
    stage.evm.lacks = frozenset({"debug_traceTransaction"})
    mine = issued_in_coin(stage)
    hashes = [one.sign(one.issued) for one in mine]

    def tell() -> None:
        for one, tx_hash in zip(mine, hashes, strict=True):
            one.report(one.issued, tx_hash)

    with told_of(stage.evm, "debug_traceTransaction") as asked, again_and_again(tell):
        yield
    assert asked, "no trace was asked for: this proves nothing"
    stage.evm.lacks = frozenset()


@contextmanager
def busy_addresses(stage: LiveStage, _: Crowd) -> Iterator[None]:
    """A merchant settles at ever new addresses of which his provider will not tell all, as Infura says it."""
    busy: list[str] = []

    def name() -> None:
        address = fresh_wallet().address
        busy.append(address[2:])
        attacker(stage, settles_at=address).issue()

    said = {"code": -32005, "message": "query returned more than 10000 results"}
    with refusing(stage.evm, "eth_getLogs", busy, said) as refused:
        with again_and_again(name):
            yield
        wait_until(lambda: refused, "a refusal: else this proves nothing")


@contextmanager
def solana_pay_at_a_silent_node(stage: LiveStage, _: Crowd) -> Iterator[None]:
    """Wallets of Solana ask for what to sign, over many connections, while Solana's node says nothing."""
    mine = [attacker(stage, SOLANA) for _ in range(LEGS)]
    for one in mine:
        one.open()
    answers: list[int] = []

    def ask(one: LivePayer) -> Callable[[], None]:
        def scan() -> None:
            answers.append(one.send("POST", "solana-pay", {"account": attacker(stage, SOLANA).address}).status)

        return scan

    stage.solana.fault = "silence"
    try:
        with again_and_again(*(ask(one) for one in mine for _ in range(2))):
            yield
    finally:
        ended, stage.solana.fault, stage.solana.is_over = stage.solana.is_over, "", Event()
        ended.set()
    assert 503 in answers, answers


CHAIN_ATTACKS: dict[str, tuple[str, ChainAttack]] = {
    "a nonsense hash on an EVM payment": (EVM, a_nonsense_hash),
    "an EVM hash on a Solana payment": (SOLANA, an_evm_hash_on_solana),
    "ninety ones on a Solana payment": (SOLANA, ninety_ones),
    "a tree of 3,000 calls": (EVM, a_tree_of_calls),
    "a wallet contract that loops": (EVM, a_wallet_that_loops),
    "a swap to coin without traces": (EVM, a_swap_without_traces),
    "busy settlement addresses": (EVM, busy_addresses),
    "Solana Pay at a silent node": (EVM, solana_pay_at_a_silent_node),
}
"""Where the others pay meanwhile, and what is done."""


@contextmanager
def all_at_once(stage: LiveStage, crowd: Crowd) -> Iterator[None]:
    """Every one of them, the silent node last."""
    with ExitStack() as stack:
        for _, attack in CHAIN_ATTACKS.values():
            stack.enter_context(attack(stage, crowd))
        yield
