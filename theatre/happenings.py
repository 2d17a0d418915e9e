"""What a scenario says happened at one moment, as codes; the words for them are on the pages that show them."""

from collections.abc import Iterator
from typing import Any

from theatre.scenario import Arrival, Leg, Scenario, Try


def happenings_at(scenario: Scenario, at: int) -> Iterator[dict[str, Any]]:
    """Each with its ``code``, and ``leg`` (counted from 1), ``amount`` (base units) or ``detail`` where it has one."""
    for act in scenario.acts:
        if act.at_ms == at:
            yield {"code": act.what}
    number = 0
    for one in scenario.tries:
        yield from _of_try(one, at)
        for leg in one.legs:
            number += 1
            for happening in _of_leg(leg, at):
                yield {**happening, "leg": number}


def _of_try(one: Try, at: int) -> Iterator[dict[str, Any]]:
    if one.quoted_ms == at:
        yield {"code": "refused", "detail": one.refused} if one.refused else {"code": "quoted"}
        for answer in one.answers:
            code = "answer_refused" if answer.error else "answer_chosen" if answer.chosen else "answer"
            yield {"code": code, "detail": f"{answer.provider} {answer.from_token} {answer.error}".strip()}
    if one.handed_out_ms == at:
        yield {"code": "handed_out"}
    if one.ended_ms == at:
        yield {"code": f"ended_by_{one.ended_by or 'clock'}"}


def _of_leg(leg: Leg, at: int) -> Iterator[dict[str, Any]]:
    moments = (
        ("sent", leg.sent_ms),
        ("included", leg.included_ms),
        (f"failed_{leg.failed_as or 'reverted'}", leg.failed_ms),
        ("in_doubt", leg.in_doubt_ms),
        ("returned", leg.returned_ms),
    )
    yield from ({"code": code} for code, moment in moments if moment == at)
    for came in leg.arrivals:
        yield from ({"code": code, "amount": str(came.base_units)} for code in _of_arrival(came, at))


def _of_arrival(came: Arrival, at: int) -> Iterator[str]:
    moments = (
        ("arrived", came.seen_ms),
        ("counts", came.counts_ms),
        ("final", came.final_ms),
        ("gone", came.gone_ms),
        ("back", came.back_ms),
    )
    yield from (code for code, moment in moments if moment == at)
