"""Telling a history: its steps one after the other, the judge after each of them, and an honest end."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from functools import singledispatch, wraps
from hashlib import sha256
from importlib import import_module
from typing import Any
from unittest.mock import patch

import time_machine
from django.db import transaction

from chains.calldata.erc20 import transfer_call
from chains.clients.evm_calls import native_note, token_transfer
from chains.clients.evm_claims import claim_text
from core.errors import ServiceError
from payments.models import Hint as Row
from payments.models import Reporter
from payments.services.advance import sweep_due
from payments.services.reading import sweep_chains
from payments.services.reports import report_transaction
from tests.confluence.chain import COIN, FINAL_AFTER, Moved, Sent
from tests.confluence.judge import wrong_at_the_end, wrong_now
from tests.confluence.node import Oddity
from tests.confluence.stage import STRANGER, USDC, Claimed, Died, Stage, Told, World, choose, in_memory, staged
from tests.confluence.steps import (
    INSIDE,
    OUTSIDE,
    Branch,
    Brought,
    Claim,
    Hint,
    History,
    Interruption,
    Look,
    Mine,
    Pay,
    PayTogether,
    PayUnmarked,
    Read,
    Step,
    Turn,
    Wait,
    Whose,
)
from tests.stories.stage import claim_signature

LEASE_SECONDS = 61
"""Whoever is interrupted so long has lost its lease."""
BATCH = bytes.fromhex("34fcd5be")
"""Selector of ``executeBatch``, as wallets that are contracts have it."""
ROUNDS_AT_THE_END, SECONDS_A_ROUND = 5, 301
"""Why five: a leg whose transaction a branch took follows what else was reported of it ten minutes later (ADR 66)."""


def tell(history: History, clock: time_machine.Traveller, world: Callable[[], World] = in_memory) -> list[str]:
    """What is wrong with a history, by the first step after which anything was. Nothing of it stays in the database."""
    block = transaction.atomic()
    block._from_testcase = True  # type: ignore[attr-defined]  # commits inside may be durable
    with block:
        try:
            with staged(clock, history.asked, world) as stage, _interruptible(stage):
                return _told(stage, history)
        finally:
            transaction.set_rollback(True)  # noqa: FBT003 - as Django has it


def _told(stage: Stage, history: History) -> list[str]:
    """Why the judge comes after workers alone: nobody else writes what counts, and his questions take time."""
    for number, step in enumerate(history.steps, start=1):
        _take(stage, step)
        if isinstance(step, (Read, Look)) and (wrong := wrong_now(stage)):
            return [f"after step {number}, {step}: {one}" for one in wrong]
    _end(stage)
    return [f"at the end: {one}" for one in [*wrong_now(stage), *wrong_at_the_end(stage)]]


def _take(stage: Stage, step: Step) -> None:
    try:
        take(step, stage)
    except Died:
        pass
    finally:
        stage.cut = None


def _end(stage: Stage) -> None:
    """Both nodes are honest, the chain goes on until all is final, workers come round twice, or more if they must."""
    stage.odd.turn(Oddity.NONE)
    for number in range(ROUNDS_AT_THE_END):
        stage.mine(FINAL_AFTER + 2)
        stage.pass_seconds(SECONDS_A_ROUND)
        choose(odd_first=number % 2 == 1)
        sweep_chains()
        sweep_due()
        if number and not wrong_at_the_end(stage):
            return


@singledispatch
def take(step: Any, stage: Stage) -> None:
    """Have one step happen."""
    raise TypeError(step)


@take.register
def _(step: Pay, stage: Stage) -> None:
    number, leg = _leg(stage, step.leg)
    sender = STRANGER if step.by_stranger else leg.payer
    leg.sent.append(_send(stage, _marked(number, leg, sender, step.brings), succeeds=not step.fails))


@take.register
def _(step: PayTogether, stage: Stage) -> None:
    (number, leg), (further, other) = _leg(stage, step.leg), _leg(stage, step.leg + step.further)
    wallet = leg.payer
    both = (_marked(number, leg, wallet, step.brings), _marked(further, other, wallet, Brought.FULL))
    calls = b"".join(bytes.fromhex(one.to[2:]) + one.value.to_bytes(32) + one.content for one in both)
    sender = STRANGER if step.is_bundled else wallet
    leg.sent.append(stage.chain.send(sender, wallet, BATCH + calls, both, succeeds=not step.fails))


@take.register
def _(step: PayUnmarked, stage: Stage) -> None:
    _, leg = _leg(stage, step.leg)
    plain = "0x" if leg.token == COIN else transfer_call(leg.merchant, leg.units)
    moved = Moved(
        sender=leg.payer, recipient=leg.merchant, units=leg.units, token=leg.token, content=bytes.fromhex(plain[2:])
    )
    stage.unmarked.append(_send(stage, moved))
    if step.is_claimed:
        _claim(stage, leg, stage.unmarked[-1], leg.payer)


@take.register
def _(step: Claim, stage: Stage) -> None:
    number, leg = _leg(stage, step.leg)
    known = _others_sent(stage, number) if step.with_mark else stage.unmarked
    if known:
        _claim(stage, leg, known[step.which % len(known)], STRANGER if step.by_stranger else leg.payer)


@take.register
def _(step: Hint, stage: Stage) -> None:
    number, leg = _leg(stage, step.leg)
    others = [*_others_sent(stage, number), *stage.unmarked]
    known = {Whose.OWN: leg.sent, Whose.ANOTHERS: others, Whose.NOBODYS: []}[step.whose]
    invented = "0x" + sha256(f"nothing {leg.leg_id}".encode()).hexdigest()
    _report(leg, known[-1].tx_hash if known else invented)


@take.register
def _(step: Mine, stage: Stage) -> None:
    stage.mine(step.blocks)


@take.register
def _(step: Branch, stage: Stage) -> None:
    stage.pass_seconds(2)
    merchant = stage.legs[0].merchant
    plain = bytes.fromhex(transfer_call(merchant, 3)[2:])
    moved = Moved(sender=STRANGER, recipient=merchant, units=3, token=USDC, content=plain)
    beside = [[stage.chain.stray(moved) for _ in range(step.beside)] for _ in range(step.depth + 1)]
    stage.chain.branch(step.depth, step.fates, beside, stage.seconds)


@take.register
def _(step: Turn, stage: Stage) -> None:
    stage.odd.turn(step.oddity)


@take.register
def _(step: Wait, stage: Stage) -> None:
    stage.pass_seconds(step.seconds)


@take.register
def _(step: Read, stage: Stage) -> None:
    _work(stage, step, sweep_chains)


@take.register
def _(step: Look, stage: Stage) -> None:
    _work(stage, step, sweep_due)


def _work(stage: Stage, step: Read | Look, sweep: Callable[[], int]) -> None:
    """A sweep, a few seconds after whatever was before."""
    stage.pass_seconds(6)
    choose(odd_first=step.odd_first)
    stage.cut = step.cut
    sweep()


def _leg(stage: Stage, number: int) -> tuple[int, Told]:
    place = number % len(stage.legs)
    return place, stage.legs[place]


def _others_sent(stage: Stage, number: int) -> list[Sent]:
    """What was sent with other legs' marks."""
    return [one for place, other in enumerate(stage.legs) if place != number for one in other.sent]


def _claim(stage: Stage, leg: Told, sent: Sent, signer: str) -> None:
    """Say that a transaction was a leg's payment; remembered is what its own wallet says and the service takes down."""
    claim = claim_signature(signer, claim_text(str(leg.leg_id), sent.tx_hash))
    _report(leg, sent.tx_hash, claim)
    is_kept = Row.objects.filter(leg=leg.leg_id, tx_hash=sent.tx_hash, claim=claim).exists()
    if is_kept and signer == leg.payer:
        stage.claimed.append(Claimed(leg=leg, sent=sent, at=stage.seconds))


def _report(leg: Told, tx_hash: str, claim: str = "") -> None:
    with suppress(ServiceError):  # refused at the door: nothing was said
        report_transaction(leg.intent_id, leg.attempt_id, leg.sequence, tx_hash, claim, by=Reporter.LINK)


def _marked(number: int, leg: Told, sender: str, brings: Brought) -> Moved:
    """A transfer with a leg's mark."""
    units, tag = 1 if brings is Brought.DUST else leg.units * brings.value // 12, str(leg.leg_id)
    data = native_note(tag) if leg.token == COIN else token_transfer(leg.merchant, units, tag)
    return Moved(
        sender=sender, recipient=leg.merchant, units=units, token=leg.token, content=bytes.fromhex(data[2:]), leg=number
    )


def _send(stage: Stage, moved: Moved, *, succeeds: bool = True) -> Sent:
    """Let a wallet send one transfer."""
    return stage.chain.send(moved.sender, moved.to, moved.content, (moved,), succeeds=succeeds)


@contextmanager
def _interruptible(stage: Stage) -> Iterator[None]:
    """Workers stop at the named points, as the history says."""
    with ExitStack() as stack:
        for point in (*OUTSIDE, *INSIDE):
            module, _, name = point.partition(".")
            owner = import_module(f"payments.services.{module}")
            stack.enter_context(patch.object(owner, name, _stopped(stage, point, getattr(owner, name))))
        yield


def _stopped(stage: Stage, point: str, real: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(real)
    def stops(*given: Any, **named: Any) -> Any:
        _stop(stage, Interruption(point))
        answer = real(*given, **named)
        _stop(stage, Interruption(point, after=True))
        return answer

    return stops


def _stop(stage: Stage, here: Interruption) -> None:
    """Die here, or let others go on for longer than a lease, if this is where that was to be."""
    cut = stage.cut
    if cut is None or (cut.point, cut.after) != (here.point, here.after):
        return
    stage.cut = None
    if not cut.meanwhile:
        raise Died
    stage.pass_seconds(LEASE_SECONDS)
    for step in cut.meanwhile:
        take(step, stage)
