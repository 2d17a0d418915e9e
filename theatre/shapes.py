"""What merchants are shown of scenarios and replays: each a shape and the function that writes it."""

from typing import Annotated, Any, TypedDict

from core.clock import optional_wire_time, wire_time
from core.shapes import Code, Moment, Uuid
from theatre.models import Replay, Verdict


class ScenarioFileShape(TypedDict):
    """What happened to a payment, without anything from which a person or a wallet can be recognised.

    Moments are milliseconds since it was created; base units and dollars are text.
    """

    causeway_scenario: Annotated[int, "The version of the form: 1."]
    mode: Annotated[Code, "Where it happened: `live` or `test`."]
    amount_usd: Annotated[Code, "How much was asked for, in dollars."]
    settlement_chain: Code
    settlement_token: Code
    settlement_token_address: Annotated[Code, "The contract of the token; a token is nobody's secret."]
    settlement_decimals: Annotated[int, "How many digits of that token are behind the point."]
    target_base_units: Annotated[Code | None, "How much of the token had to arrive; null before a payer chose a route."]
    tolerance_bps: Annotated[int | None, "How much less was accepted, in hundredths of a percent; null: the usual."]
    late_policy: Annotated[Code, "What the merchant did with money that came late."]
    expires_ms: Annotated[int, "When its time was over, as it was shown."]
    due_ms: Annotated[int, "The same by the service's clock, which a test clock moves."]
    tries: Annotated[list[dict[str, Any]], "What payers tried: what providers answered, and what chains showed."]
    acts: Annotated[list[dict[str, Any]], "What else people did."]
    history: Annotated[list[dict[str, Any]], "The statuses it went through."]
    end: Annotated[dict[str, Any], "How it stood in the end."]


class ReplayDifferenceShape(TypedDict):
    """Where a replay came to another end than the file says."""

    field: Annotated[Code, "What is different, by its place in `end`."]
    expected: Annotated[Code, "What the file says."]
    came: Annotated[Code, "What the replay came to."]


class ReplayShape(TypedDict):
    """A scenario that is played in test mode, and what it showed."""

    id: Uuid
    name: Annotated[str, "As it was given, such as the file's name."]
    verdict: Annotated[str | None, Verdict, "Null until it was played."]
    differences: Annotated[list[ReplayDifferenceShape], "Empty where it came to the same end."]
    took_the_same_way: Annotated[bool, "Whether it went through the same statuses too."]
    problem: Annotated[str, "Why it broke, or empty."]
    steps: Annotated[list[dict[str, Any]], "What it showed at each moment of the file."]
    created_at: Moment
    played_at: Annotated[Moment | None, "When a worker played it; null until then."]


def replay_body(replay: Replay) -> ReplayShape:
    """A replay on the wire."""
    return {
        "id": str(replay.pk),
        "name": replay.name,
        "verdict": replay.verdict or None,
        "differences": replay.differences,
        "took_the_same_way": replay.took_the_same_way,
        "problem": replay.problem,
        "steps": replay.steps,
        "created_at": wire_time(replay.created_at),
        "played_at": optional_wire_time(replay.played_at),
    }
