"""Which tables operators look at, and the one thing they may change: whether a person may sign in."""

from typing import Any

from django.contrib import admin
from django.db import models
from django.db.models import Count, OuterRef, Subquery
from django.db.models.functions import Coalesce
from django.http import HttpRequest
from django.utils.safestring import SafeString

from chains.gas_accounts import coins_of
from chains.models import (
    ChainReader,
    GasAccount,
    NetworkProfile,
    SigningAccount,
    Transfer,
    TransferAttempt,
    TransferTransition,
)
from chains.reader.lag import blocks_behind
from chains.restored import undecided_hashes
from chains.states import TransferStatus
from chains.transfers import RailName
from core.money import to_decimal_string
from core.pauses import is_paused
from merchants.models import Membership, Merchant, User
from operations.readiness import FEW_CALLS
from operations.screens.rows import ReadOnlyAdmin, ReadOnlyRows, WordsFilter, code, inert, pill
from webhooks.models import WebhookEndpoint

_TRANSFER_TONES = {"paid": "ok", "failed": "bad", "reverted": "bad"}


class MerchantAdmin(ReadOnlyAdmin):
    """Who is served. ``manage.py create_merchant`` makes one."""

    label, about = "Merchants", "Who is served, with their people, endpoints and accounts."
    acts = "admin:merchant_acts"
    list_display = ("number", "called", "state", "people", "endpoints", "accounts", "created_at")
    list_display_links = ("number", "called")
    fields = ("number", "called", "state", "platform_fee_bps", "created_at")
    readonly_fields = fields
    ordering = ("-pk",)
    exact, numbers = ("name",), ("pk",)

    def get_queryset(self, request: HttpRequest) -> "models.QuerySet[Any]":
        """With what is counted of each; all of these are small tables."""
        counts = {"people": Membership, "endpoints": WebhookEndpoint, "accounts": SigningAccount}
        counted = {}
        for name, model in counts.items():
            mine = model._default_manager.filter(merchant=OuterRef("pk")).order_by().values("merchant")
            counted[f"{name}_count"] = Coalesce(Subquery(mine.annotate(many=Count("pk")).values("many")), 0)
        merchants: models.QuerySet[Any] = super().get_queryset(request).annotate(**counted)
        return merchants

    @admin.display(description="name")
    def called(self, merchant: Merchant) -> SafeString:
        """The business's name, which it wrote itself."""
        return inert(merchant.name)

    @admin.display(description="state")
    def state(self, merchant: Merchant) -> SafeString:
        """Whether an operator has stopped it."""
        return pill("Served", "ok") if merchant.suspended_at is None else pill("Suspended", "warn")

    @admin.display(description="people")
    def people(self, merchant: Any) -> int:
        """How many belong to its team."""
        return int(merchant.people_count)

    @admin.display(description="endpoints")
    def endpoints(self, merchant: Any) -> int:
        """How many webhook endpoints it has."""
        return int(merchant.endpoints_count)

    @admin.display(description="signing accounts")
    def accounts(self, merchant: Any) -> int:
        """How many accounts sign for it."""
        return int(merchant.accounts_count)


class TeamRows(ReadOnlyRows):
    """Where a person belongs."""

    model = Membership
    fields = ("merchant", "role", "created_at")
    readonly_fields = fields
    verbose_name_plural = "Teams"

    def get_queryset(self, request: HttpRequest) -> "models.QuerySet[Any]":
        """With the merchants' names."""
        return super().get_queryset(request).select_related("merchant")


class PersonAdmin(ReadOnlyAdmin):
    """Who signs in. Only whether they may can be changed here, never their own; no password is seen or set."""

    label, about = "People", "Who signs in. An account can be shut here and opened again."
    acts = "admin:person_acts"
    list_display = ("address", "called", "signs_in", "operates", "created_at")
    fields = ("address", "called", "is_active", "operates", "last_login", "created_at")
    readonly_fields = ("address", "called", "operates", "last_login", "created_at")
    inlines = (TeamRows,)
    ordering = ("-pk",)
    exact, numbers = ("email",), ("pk",)

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Of others; nobody locks themselves out."""
        return obj is not None and obj.pk != request.user.pk

    def get_form(self, request: HttpRequest, obj: Any = None, change: bool = False, **more: Any) -> Any:  # noqa: FBT001, FBT002
        """The one field, in the words of the list."""
        return super().get_form(request, obj, change=change, labels={"is_active": "May sign in"}, **more)

    @admin.display(description="e-mail")
    def address(self, person: User) -> SafeString:
        """The address they sign in with."""
        return inert(person.email)

    @admin.display(description="name")
    def called(self, person: User) -> SafeString:
        """The name they gave."""
        return inert(person.name or "–")

    @admin.display(description="may sign in")
    def signs_in(self, person: User) -> SafeString:
        """Whether the account is open."""
        return pill("Yes", "ok") if person.is_active else pill("No", "bad")

    @admin.display(description="operator")
    def operates(self, person: User) -> str:
        """Whether this site opens to them."""
        return "Yes" if person.is_staff else "No"


class SigningAccountAdmin(ReadOnlyAdmin):
    """Accounts that sign. ``manage.py change_signing_account`` changes one; no key is in the database."""

    label, about = "Signing accounts", "What signs refunds and payouts: caps, and whether it is paused."
    list_display = ("number", "shown_address", "chain", "mode", "merchant_id", "state", "per_transfer", "per_day")
    list_display_links = ("number", "shown_address")
    fields = (
        "number", "shown_address", "chain", "network", "mode", "merchant_id", "state", "per_transfer", "per_day",
        "allowed_destinations", "backend", "next_nonce", "final_nonce", "created_at",
    )  # fmt: skip
    readonly_fields = fields
    ordering = ("-pk",)
    exact, numbers = ("address",), ("pk",)

    @admin.display(description="address")
    def shown_address(self, account: SigningAccount) -> SafeString:
        """Its address."""
        return code(account.address)

    @admin.display(description="state")
    def state(self, account: SigningAccount) -> SafeString:
        """Whether it signs."""
        if account.retired_at is not None:
            return pill("Retired")
        return pill("Signs", "ok") if account.paused_at is None else pill(f"Paused: {account.paused_reason}", "warn")

    @admin.display(description="cap per transfer")
    def per_transfer(self, account: SigningAccount) -> str:
        """The most that one transfer may be worth."""
        return f"{to_decimal_string(account.cap_per_transfer_usd)} USD"

    @admin.display(description="cap per day")
    def per_day(self, account: SigningAccount) -> str:
        """The most that a day's transfers may be worth."""
        return f"{to_decimal_string(account.cap_per_day_usd)} USD"


class GasAccountAdmin(ReadOnlyAdmin):
    """What pays for gas where programs only sign. ``manage.py create_gas_account`` makes one; no key is here."""

    label, about = "Gas accounts", "What pays for gas on each chain where programs only sign, and what it still holds."
    list_display = ("number", "shown_address", "chain", "network", "state", "coins", "calls", "read_at")
    list_display_links = ("number", "shown_address")
    fields = (*list_display, "backend", "created_at")
    readonly_fields = fields
    ordering = ("-pk",)
    exact, numbers = ("address",), ("pk",)

    @admin.display(description="address")
    def shown_address(self, account: GasAccount) -> SafeString:
        """Its address, where coin is sent to."""
        return code(account.address)

    @admin.display(description="state")
    def state(self, account: GasAccount) -> SafeString:
        """Whether it sends."""
        if is_paused(account.pause_kind):
            return pill("Paused", "warn")
        if account.calls_left is None:
            return pill("Not read yet")
        return pill("Few calls left", "bad") if account.calls_left < FEW_CALLS else pill("Sends", "ok")

    @admin.display(description="coin")
    def coins(self, account: GasAccount) -> str:
        """What it held when it was last read."""
        return "–" if account.coin_balance is None else f"{coins_of(account):.6f}"

    @admin.display(description="calls left")
    def calls(self, account: GasAccount) -> int | str:
        """How many it could still pay, at the fees of then."""
        return "–" if account.calls_left is None else account.calls_left


class AttemptRows(ReadOnlyRows):
    """What was signed for a transfer. The bytes themselves are not shown."""

    model = TransferAttempt
    fields = ("sequence", "kind", "tx_hash", "gas_limit", "first_broadcast_at", "created_at")
    readonly_fields = fields
    verbose_name_plural = "Signed transactions"


class StepRows(ReadOnlyRows):
    """A transfer's history."""

    model = TransferTransition
    fields = ("created_at", "from_status", "trigger", "to_status", "actor", "reason")
    readonly_fields = fields
    verbose_name_plural = "History"


class StatusFilter(WordsFilter):
    """By how far it is."""

    title, parameter_name, words = "status", "status", TransferStatus.values


class RailFilter(WordsFilter):
    """By who sends."""

    title, parameter_name, words = "rail", "rail", tuple(rail.value for rail in RailName)


class TransferAdmin(ReadOnlyAdmin):
    """Money that the service made move."""

    label, about = "Transfers", "Money that the service makes move, with all that was signed for it."
    list_display = ("number", "purpose", "state", "rail", "chain", "worth", "blocker", "failure", "created_at")
    fields = (
        "number", "purpose", "purpose_id", "round", "state", "rail", "network", "chain", "mode", "merchant_id", "worth",
        "shown_recipient", "sender", "nonce", "shown_hash", "block_number", "blocker", "blocked_times", "failure",
        "maybe_paid_by", "withdrawn_at", "created_at", "updated_at", "paid_at",
    )  # fmt: skip
    readonly_fields = fields
    inlines = (AttemptRows, StepRows)
    ordering = ("-created_at", "-pk")
    list_filter = (StatusFilter, "mode", RailFilter)
    exact, exact_ids = ("tx_hash", "attempts__tx_hash"), ("pk", "purpose_id")

    @admin.display(description="status")
    def state(self, transfer: Transfer) -> SafeString:
        """How far it is."""
        return pill(transfer.status.capitalize(), _TRANSFER_TONES.get(transfer.status, ""))

    @admin.display(description="worth")
    def worth(self, transfer: Transfer) -> str:
        """Dollars."""
        return f"{to_decimal_string(transfer.value_usd)} USD"

    @admin.display(description="recipient")
    def shown_recipient(self, transfer: Transfer) -> SafeString:
        """Where it goes."""
        return code(transfer.recipient)

    @admin.display(description="transaction")
    def shown_hash(self, transfer: Transfer) -> SafeString:
        """The hash of the one that landed, or of the newest."""
        return code(transfer.tx_hash)

    @admin.display(description="may have been paid by")
    def maybe_paid_by(self, transfer: Transfer) -> SafeString:
        """What somebody must look at before it is sent: see docs/money-out.md."""
        return code(", ".join(undecided_hashes(transfer)))


class AttemptAdmin(ReadOnlyAdmin):
    """Every transaction that was signed, newest first."""

    label, about = "Signed transactions", "Each one, by hash."
    list_display = ("number", "transfer_id", "sequence", "kind", "shown_hash", "first_broadcast_at", "created_at")
    fields = (
        "number",
        "transfer_id",
        "sequence",
        "kind",
        "shown_hash",
        "gas_limit",
        "first_broadcast_at",
        "created_at",
    )
    readonly_fields = fields
    ordering = ("-pk",)
    exact, exact_ids, numbers = ("tx_hash",), ("transfer_id",), ("pk",)

    @admin.display(description="transaction")
    def shown_hash(self, attempt: TransferAttempt) -> SafeString:
        """Its hash."""
        return code(attempt.tx_hash)


class EndpointAdmin(ReadOnlyAdmin):
    """Where merchants are told. Secrets are not shown."""

    label, about = "Webhook endpoints", "Where merchants are told, and which of them fail."
    list_display = ("shown_url", "mode", "merchant_id", "state", "failing_since", "created_at")
    fields = ("number", "shown_url", "mode", "merchant_id", "state", "failing_since", "disabled_reason", "created_at")
    readonly_fields = fields
    ordering = ("-created_at", "-pk")
    list_filter = (("failing_since", admin.EmptyFieldListFilter), "enabled", "mode")
    exact, exact_ids = ("url",), ("pk",)

    @admin.display(description="address")
    def shown_url(self, endpoint: WebhookEndpoint) -> SafeString:
        """Where events go, as the merchant wrote it."""
        return inert(endpoint.title)

    @admin.display(description="state")
    def state(self, endpoint: WebhookEndpoint) -> SafeString:
        """Whether events go there."""
        if endpoint.deleted_at is not None:
            return pill("Deleted")
        if not endpoint.enabled:
            return pill("Disabled", "bad")
        return pill("Failing", "warn") if endpoint.failing_since else pill("Works", "ok")


class ReaderAdmin(ReadOnlyAdmin):
    """How far each chain was read for payments, and how far behind its newest block that is."""

    label, about = "Chains", "How far each chain was read for payments."
    list_display = ("chain", "lane", "network", "read_to", "head", "behind", "final_to", "read_at", "refused")
    fields = readonly_fields = (*list_display, "final_at", "width", "points", "attempts", "next_attempt_at")
    ordering = ("network", "chain", "lane", "pk")
    exact = ("chain",)

    @admin.display(description="behind")
    def behind(self, reader: ChainReader) -> int | None:
        """How many blocks it had not read when it was last there."""
        return blocks_behind(reader)


class ProfileAdmin(ReadOnlyAdmin):
    """The network that this database belongs to, and what was pinned of its nodes."""

    label, about = "Network", "The network of this database, and what is pinned of its nodes."
    list_display = ("profile", "fixed_at")
    fields = readonly_fields = ("profile", "fixed_at", "pins")
    ordering = ("profile", "pk")


TABLES: tuple[tuple[type[models.Model], type[ReadOnlyAdmin]], ...] = (
    (Merchant, MerchantAdmin),
    (User, PersonAdmin),
    (SigningAccount, SigningAccountAdmin),
    (GasAccount, GasAccountAdmin),
    (Transfer, TransferAdmin),
    (TransferAttempt, AttemptAdmin),
    (WebhookEndpoint, EndpointAdmin),
    (ChainReader, ReaderAdmin),
    (NetworkProfile, ProfileAdmin),
)


def show_tables(site: admin.AdminSite) -> None:
    """Put every table on the site. There is no other: what libraries bring stays closed."""
    for model, shown in TABLES:
        site.register(model, shown)
