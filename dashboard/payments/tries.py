"""What payers tried, and every route that was weighed for each try, chosen and rejected, with the reasons."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from uuid import UUID

from dashboard.cards import TimelineLine
from dashboard.payments.steps import why
from dashboard.payments.words import Label, chain_name, dollars
from payments.models import PaymentAttempt, RouteCandidate
from payments.states import AttemptStatus as A

TRY = {
    A.QUOTING: Label("a price is being made"),
    A.QUOTED: Label("a price was shown"),
    A.PREPARING: Label("transactions are being prepared"),
    A.AWAITING_SIGNATURE: Label("waits for the wallet"),
    A.EXECUTING: Label("money is moving"),
    A.CONFIRMED: Label("it arrived", "ok"),
    A.FAILED: Label("it failed", "bad"),
    A.ABANDONED: Label("it was given up"),
    A.LAPSED: Label("it ran out of time"),
}
MOST_ROUTES = 400
"""Routes drawn on one page, those of the newest tries first."""


@dataclass(frozen=True, kw_only=True)
class Route:
    """One route as the page shows it."""

    chosen: bool
    advised: bool
    provider: str
    path: str
    brings: str
    fee: str
    network: str
    time: str
    why: str


def tries_lines(attempts: Iterable[PaymentAttempt]) -> Iterator[tuple[TimelineLine, UUID | None]]:
    """A line when each try began, and one when the payer signed; the first with the try it tells of."""
    for attempt in attempts:
        label = TRY[A(attempt.status)]
        paying = f" with {attempt.token} on {chain_name(attempt.chain)}" if attempt.token else ""
        began = TimelineLine(
            at=attempt.created_at,
            kind="route",
            what=f"Try {attempt.number}{paying}: {label.word}",
            why=why(attempt.error_code) or attempt.route_reason,
            by="payer",
            tone=label.tone,
            facts=_facts(attempt),
        )
        yield began, attempt.pk
        if attempt.signed_at:
            signed = TimelineLine(
                at=attempt.signed_at, kind="chain", what=f"Try {attempt.number} was signed", by="payer"
            )
            yield signed, None


def routes_of(attempts: Sequence[UUID]) -> Mapping[UUID, Sequence[Route]]:
    """Every route weighed for these tries, the chosen first, then by score; one query."""
    found: dict[UUID, list[Route]] = defaultdict(list)
    weighed = RouteCandidate.objects.filter(attempt__in=attempts).defer("raw")
    for candidate in weighed.order_by("-attempt__number", "-chosen", "-score", "id")[:MOST_ROUTES]:
        found[candidate.attempt_id].append(_route(candidate))
    return found


def _route(candidate: RouteCandidate) -> Route:
    """Why no figures for one with an error: it was refused before it had any."""
    has_figures = not candidate.error
    here, there = chain_name(candidate.from_chain), chain_name(candidate.to_chain)
    start = f"{candidate.from_token} on {here}"
    return Route(
        chosen=candidate.chosen,
        advised=candidate.ai_pick,
        provider=candidate.provider,
        path=f"{start} to {candidate.to_token}" + (f" on {there}" if there != here else ""),
        brings=dollars(candidate.to_amount_usd) if has_figures else "",
        fee=dollars(candidate.fee_usd) if has_figures else "",
        network=dollars(candidate.gas_usd) if has_figures else "",
        time=duration(candidate.duration_sec) if has_figures else "",
        why=why(candidate.error or candidate.reason or ""),
    )


def duration(seconds: int) -> str:
    """A length of time as people say it."""
    minutes, rest = divmod(seconds, 60)
    if not minutes:
        return f"{rest} s"
    return f"{minutes} min {rest} s" if rest else f"{minutes} min"


def _facts(attempt: PaymentAttempt) -> tuple[tuple[str, str], ...]:
    facts = [
        ("Wallet", attempt.payer_address),
        ("Pays at most", "" if attempt.pay_usd is None else dollars(attempt.pay_usd)),
        ("Fees in it", "" if attempt.fee_usd is None else dollars(attempt.fee_usd)),
        ("Network fee", "" if attempt.gas_usd is None else dollars(attempt.gas_usd)),
        ("Usual time", "" if attempt.duration_sec is None else duration(attempt.duration_sec)),
        ("Scenario", attempt.scenario),
    ]
    return tuple((name, text) for name, text in facts if text)
