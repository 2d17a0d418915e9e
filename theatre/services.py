"""Writes of replays: somebody asks for one, and a worker plays it."""

import logging
from datetime import timedelta
from typing import Any, Final
from uuid import UUID

from django.conf import settings
from django.db import InterfaceError, OperationalError, transaction

from core.clock import now
from core.dispatch import nudge
from core.errors import InvalidRequest, NotFound, ServiceError, field_problem
from core.leases import take_due, time_limit
from core.locks import Turn
from core.modes import Mode
from core.purges import AT_ONCE, IsOver, purge
from core.renderers import to_json
from core.sweeps import Claim, Sweep
from merchants.principal import Principal
from payments.models import PaymentIntent
from theatre.errors import ReplayTooLong, ScenarioTooLarge, TooManyReplays
from theatre.export import scenario_of
from theatre.models import Replay, Verdict
from theatre.play import Played, play
from theatre.scenario import Scenario, from_file, to_file
from theatre.wire import Malformed

_LOGGER = logging.getLogger("causeway.theatre")
MOST_BYTES: Final = 200 * 1024
"""Of a file, written without blanks."""
MOST_WAITING, MOST_KEPT = 5, 200
"""Of one merchant: replays that wait, and replays at all; an old one goes for each new one."""
MOST_PLAYS: Final = 3
"""Of one replay, where the worker died or the database was away meanwhile."""
LEASE: Final = timedelta(seconds=60)
BATCH, SWEEP_SECONDS = 10, 5
CANNOT_BE: Final = "The file asks for something that cannot be."


def scenario_file(intent: PaymentIntent) -> dict[str, Any]:
    """What happened to a payment, as a file."""
    return to_file(scenario_of(intent))


def read_scenario(content: Any) -> Scenario:
    """The scenario in a file that anybody may have written. Raises: ScenarioTooLarge, InvalidRequest."""
    try:
        if len(to_json(content)) > MOST_BYTES:
            raise ScenarioTooLarge(MOST_BYTES)
        return from_file(content)
    except TypeError:  # an integer that the writer cannot carry
        problem = field_problem("scenario", "format", "Must hold no integer beyond 64 bits.")
        raise InvalidRequest(details={"fields": [problem]}) from None
    except Malformed as error:
        raise InvalidRequest(details={"fields": [field_problem(error.where, error.code, error.sentence)]}) from None


@transaction.atomic
def ask_replay(principal: Principal, content: Any, name: str = "") -> Replay:
    """Have a worker play a scenario file in test mode.

    Raises: NotFound in live mode; ScenarioTooLarge, InvalidRequest, TooManyReplays.
    """
    if principal.mode != Mode.TEST:
        raise NotFound("path")
    scenario = read_scenario(content)
    own = Replay.objects.visible_to(principal)
    if own.filter(next_attempt_at__isnull=False).count() >= MOST_WAITING:
        raise TooManyReplays(MOST_WAITING)
    old = own.filter(next_attempt_at=None).order_by("-created_at", "-id").values_list("pk", flat=True)
    Replay.objects.filter(pk__in=list(old[MOST_KEPT - 1 :])).delete()
    replay = Replay(
        merchant_id=principal.merchant_id,
        mode=principal.mode,
        name=name[:120],
        scenario=to_file(scenario),
        created_by=principal.actor,
        next_attempt_at=now(),
    )
    replay.save(force_insert=True)
    nudge("theatre.sweep_due")
    return replay


def sweep_due(seconds: int = SWEEP_SECONDS) -> int:
    """Play what waits, for about so many seconds; returns how many. None while another worker plays.

    Why one worker: upkeep has other work and few workers, and anybody may send in files that take their time.
    """
    turn = Turn("theatre.replays")
    if not turn.take():
        return 0
    try:
        return SWEEP.run(time_limit(seconds))
    finally:
        turn.give_up()


def play_claimed(claim: Claim[UUID]) -> None:
    """Play one claimed replay and write down what it showed.

    Why counted first: a worker that dies must not try for ever.

    Raises: OperationalError, InterfaceError where the database is away; then it is played again.
    """
    mine = Replay.objects.filter(pk=claim.key, next_attempt_at=claim.until)
    replay = mine.first()
    if replay is None:
        return
    mine.update(attempts=replay.attempts + 1)
    played, problem = Played(), ""
    try:
        if replay.attempts >= MOST_PLAYS:
            problem = "It was begun several times and never came to its end."
        else:
            played = play(replay.merchant_id, from_file(replay.scenario))
    except (OperationalError, InterfaceError):
        raise
    except (ServiceError, ReplayTooLong) as error:
        problem = f"{CANNOT_BE} {error.message}"
    except Exception as error:
        # Why no traceback: files are anybody's, and each would call operators.
        _LOGGER.info("replay %s broke: %s", replay.pk, type(error).__name__)
        problem = f"{CANNOT_BE} ({type(error).__name__})"
    verdict = Verdict.BROKEN if problem else Verdict.DIFFERS if played.differences else Verdict.SAME
    mine.update(
        verdict=verdict,
        problem=problem[:300],
        steps=played.steps,
        differences=played.differences,
        took_the_same_way=played.took_the_same_way,
        played_at=now(),
        next_attempt_at=None,
    )


def purge_replays(is_over: IsOver | None = None, at_once: int = AT_ONCE) -> int:
    """Delete replays that are as old as test mode's transactions may get; returns how many."""
    ended = now() - timedelta(days=settings.KEEP_SIMULATED_DAYS)
    old = Replay.objects.filter(created_at__lt=ended)
    return purge(old, age="created_at", is_over=is_over, at_once=at_once)


SWEEP = Sweep[UUID](
    model=Replay,
    take=lambda until: take_due(Replay.objects.all(), most=BATCH, until=until),
    advance=play_claimed,
    lease=LEASE,
)
