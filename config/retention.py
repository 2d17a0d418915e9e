"""What is kept how long: the one table, of every model of every app. docs/operators.md shows it.

``make retention`` writes it there; a test says when it is no longer that, and of which model nobody decided.
"""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final, NamedTuple

from django.conf import settings

PAGE = Path(__file__).resolve().parent.parent / "docs" / "operators.md"
FOR_EVER: Final = "for ever"
_SHOWN: Final = re.compile(r"(?<=<!-- what is kept -->\n).*?(?=<!-- end -->)", re.DOTALL)


class Kept(NamedTuple):
    """Models that are kept alike. ``setting`` names the days, ``job`` the work of the clock that purges.

    ``until``: for how long, where no setting says it. ``why``: the reason to keep it, or what bounds it.
    """

    what: str
    models: tuple[str, ...]
    until: str = ""
    setting: str = ""
    job: str = ""
    why: str = ""


KEPT: Final = (
    Kept(
        what="Events, deliveries, attempts to deliver",
        models=("webhooks.Event", "webhooks.Delivery", "webhooks.DeliveryAttempt"),
        setting="KEEP_EVENTS_DAYS",
        job="webhooks.purge_old_events",
        why="30 days are promised to merchants; what is being sent again stays until it arrived;"
        " on PostgreSQL each week is a partition, dropped whole once all of it ended",
    ),
    Kept(
        what="Signing secrets after they ended, subscriptions of before, endpoints that were deleted",
        models=("webhooks.SigningSecret", "webhooks.Subscription", "webhooks.WebhookEndpoint"),
        setting="KEEP_EVENTS_DAYS",
        job="webhooks.purge_old_events",
        why="those in use stay",
    ),
    Kept(
        what="What an endpoint's receiver was found to do when it was last tested",
        models=("webhooks.ReceiverCertificate",),
        until="as long as its endpoint",
        why="one row for each endpoint, written over by the next test",
    ),
    Kept(
        what="Up to which place events were given theirs",
        models=("webhooks.EventOrder",),
        until=FOR_EVER,
        why="one row",
    ),
    Kept(
        what="Request log",
        models=("merchants.RequestRecord",),
        setting="KEEP_REQUESTS_DAYS",
        job="merchants.purge_request_records",
        why="at the end of the day; on PostgreSQL each day is a partition, dropped whole",
    ),
    Kept(
        what="Routes that were weighed",
        models=("payments.RouteCandidate",),
        setting="KEEP_ROUTES_DAYS",
        job="payments.purge_routes",
        why="counted from the last change of a payment that is over; the leg says which route was taken",
    ),
    Kept(
        what="What became of routes, by day",
        models=("payments.RouteFigures",),
        setting="KEEP_ROUTE_FIGURES_DAYS",
        job="payments.count_routes",
        why="sums that name nobody; the public scoreboard shows the last 30 days",
    ),
    Kept(
        what="Failure shares of routes that were learned",
        models=("payments.RouteRisks",),
        until=FOR_EVER,
        why="one row each time somebody runs `manage.py learn_routes`: what the score counted with, and since when",
    ),
    Kept(
        what="The simulated chain of test mode",
        models=("chains.SimulatedTransaction",),
        setting="KEEP_SIMULATED_DAYS",
        job="payments.purge_simulated",
        why="what a payment, refund or payout still waits for stays",
    ),
    Kept(
        what="Scenario files that were sent in, and what their replays showed",
        models=("theatre.Replay",),
        setting="KEEP_SIMULATED_DAYS",
        job="theatre.purge_replays",
        why="at most 200 of each merchant",
    ),
    Kept(
        what="Mails",
        models=("merchants.OutgoingMail",),
        setting="KEEP_MAIL_DAYS",
        job="merchants.purge_mail",
        why="their text goes when they were sent or given up",
    ),
    Kept(
        what="Answers under idempotency keys",
        models=("merchants.IdempotencyRecord",),
        until="24 hours",
        job="merchants.purge_idempotency_records",
        why="promised to merchants",
    ),
    Kept(
        what="Sessions of people, and where they are signed in",
        models=("sessions.Session", "usersessions.UserSession"),
        until="until they end",
        job="merchants.purge_sessions",
    ),
    Kept(
        what="Tokens and codes of agents, clients that nobody agreed to, their documents",
        models=(
            *("mcp_server.AccessToken", "mcp_server.RefreshToken", "mcp_server.Grant", "mcp_server.IDToken"),
            *("mcp_server.UsedCode", "mcp_server.ClientDocument", "mcp_server.Application"),
        ),
        until="until they end; clients 7 days",
        job="mcp.purge_oauth",
        why="clients with an agreement stay",
    ),
    Kept(
        what="Which payments a worker looks at, and when",
        models=("payments.QueuedIntent",),
        until="until nothing more is looked for",
        why="a payment that is over leaves the queue by itself",
    ),
    Kept(
        what="Who awaits a payment at which address",
        models=("payments.AwaitedBy",),
        until="a day after the end of the last payment there",
        why="the next round over its chain takes it away",
    ),
    Kept(
        what="Answers to the page of agreement",
        models=("mcp_server.AnsweredConsent",),
        until="an hour",
        why="the next answer takes them away",
    ),
    Kept(
        what="What wallets that are contracts said",
        models=("payments.WalletWord",),
        until="a day where they refused",
        why="the merchant's next question takes them away; what was agreed proves an address or a claim",
    ),
    Kept(
        what="Counters of who guesses passwords",
        models=("core.CacheEntry",),
        until="the newest 100,000",
        why="Django takes away what ended when there are more",
    ),
    Kept(
        what="Checks of the invariants",
        models=("core.InvariantCheck", "core.InvariantWalk"),
        until="the newest 100, and 30 walks",
        why="each takes older ones away",
    ),
    Kept(
        what="Origins that were refused",
        models=("merchants.RefusedOrigin",),
        until="the newest 50 of a merchant and mode",
        why="each that comes takes older ones away",
    ),
    Kept(
        what="The demo shop",
        models=("checkout.DemoShop", "checkout.DemoOrder", "checkout.DemoDelivery"),
        until="deliveries: the newest 200 of a shop",
        why="only where `DEMO_SHOP` is on; orders stay with their payments",
    ),
    Kept(
        what="Payments: what was asked, tried, promised and received, and how each step was decided",
        models=(
            *("payments.PaymentIntent", "payments.IntentTransition", "payments.PaymentAttempt", "payments.Leg"),
            *("payments.BridgeOrder", "payments.MarkedTransaction", "payments.Credit", "payments.CountedElsewhere"),
            *("payments.Hint", "payments.PayerAuthorization", "payments.PayerWallet"),
        ),
        until=FOR_EVER,
        why="books of money; money may come late to any address that was ever shown",
    ),
    Kept(
        what="Refunds, payouts, transfers, what was signed, and their histories",
        models=(
            *("refunds.Refund", "refunds.RefundTransition", "refunds.RefundClaim"),
            *("payouts.Payout", "payouts.PayoutTransition"),
            *("chains.Transfer", "chains.TransferTransition", "chains.TransferAttempt", "chains.TransferProof"),
            *("chains.EventOwner", "chains.AuthorizedCall"),
        ),
        until=FOR_EVER,
        why="books of money: what was ever signed is never paid again",
    ),
    Kept(
        what="The books",
        models=("ledger.Posting", "ledger.Statement", "ledger.StatementDay", "ledger.Opening"),
        until=FOR_EVER,
        why="postings and statements only grow: the database refuses to change or remove one",
    ),
    Kept(
        what="Audits, their seals, operators' changes",
        models=("merchants.Change", "mcp_server.AgentRecord", "core.AuditSeal", "admin.LogEntry"),
        until=FOR_EVER,
        why="they only grow: the database refuses to remove a line of the first three",
    ),
    Kept(
        what="What was signed of payments' records, and the keys that signed it",
        models=("records.RecordSeal", "records.SealBacklog", "proofs.ProofKey"),
        until=FOR_EVER,
        why="checked for ever; the private half of a key goes when it is rotated",
    ),
    Kept(
        what="Which payments' records are to be sealed",
        models=("records.AwaitedSeal",),
        until="a day or two",
        why="a worker takes it away when nothing new happened",
    ),
    Kept(
        what="What agents may, asked for and did",
        models=(
            *("mcp_server.AgentConnection", "mcp_server.AgentPolicy", "mcp_server.AgentEffect"),
            *("mcp_server.ApprovalRequest", "mcp_server.ApprovalTransition"),
        ),
        until=FOR_EVER,
        why="says who allowed which movement of money",
    ),
    Kept(
        what="Merchants, people, keys, invitations",
        models=(
            *("merchants.Merchant", "merchants.User", "merchants.User_groups", "merchants.User_user_permissions"),
            *("merchants.Membership", "merchants.Invitation", "merchants.ApiKey"),
            *("account.EmailAddress", "mfa.Authenticator"),
        ),
        until=FOR_EVER,
        why="audits and histories name them; as many as there are people and keys",
    ),
    Kept(
        what="Settings of merchants and signing accounts",
        models=(
            *("payments.SettlementProfile", "payments.SettlementChange", "payments.PaymentPolicy"),
            *("refunds.RefundPolicy", "payouts.PayoutPolicy", "checkout.Branding", "merchants.AllowedOrigin"),
            *("chains.SigningAccount", "chains.GasAccount"),
        ),
        until=FOR_EVER,
        why="in use, or the history of where money was to go; few rows a merchant",
    ),
    Kept(
        what="Chains, tokens, signs of life",
        models=(
            *("chains.NetworkProfile", "chains.ChainReader"),
            *("tokens.Token", "tokens.TokenPrice", "core.Heartbeat", "core.MetricTotal", "core.Pause"),
            "core.DatabaseIdentity",
        ),
        until=FOR_EVER,
        why="a row for each chain, token and worker, written over",
    ),
    Kept(
        what="Addresses where payments settle",
        models=("chains.WatchedAddress",),
        until=FOR_EVER,
        why="one for each chain, token and address, so one an order where a merchant takes a new address each time; "
        "what is paid there late is looked for by them ([how often](live.md#when-nothing-is-awaited-any-more))",
    ),
    Kept(
        what="Django's and its libraries' own",
        models=(
            *("auth.Permission", "auth.Group", "auth.Group_permissions", "contenttypes.ContentType"),
            *("account.EmailConfirmation", "oauth2_provider.DeviceGrant"),
        ),
        until=FOR_EVER,
        why="a fixed number; nothing writes the last two",
    ),
)


def written(page: str) -> str:
    """The page with the table as it is now."""
    return _SHOWN.sub(lambda _: "\n".join(_lines()) + "\n", page)


def _lines() -> Iterator[str]:
    yield "| What | Tables | How long | How, or why |\n|---|---|---|---|"
    for kept in KEPT:
        tables = ", ".join(f"`{name.partition('.')[2]}`" for name in kept.models)
        until = f"{getattr(settings, kept.setting)} days (`{kept.setting}`)" if kept.setting else kept.until
        how = "; ".join(part for part in (f"`{kept.job}`" if kept.job else "", kept.why) if part)
        yield f"| {kept.what} | {tables} | {until} | {how} |"
