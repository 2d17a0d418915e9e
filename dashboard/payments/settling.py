"""Settings of where payments settle: an address per chain family, the default, the lock, and changes that wait.

Payments that still settle at an address that was given up are ended here too.
"""

from collections.abc import Callable, Mapping
from uuid import UUID

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect

from chains.clients.evm_wallets import WalletWord as Word
from chains.registry import Family
from core.errors import InvalidRequest, ServiceError
from core.modes import Mode
from dashboard.page import draw
from dashboard.payments.settling_lines import (
    FAMILIES,
    NAMED,
    asset_choices,
    change_line,
    leftover_line,
    waiting_changes,
)
from dashboard.visit import Visit
from payments.models import SettlementChange, SettlementProfile
from payments.services.settlement_changes import (
    change_default_family,
    change_lock,
    change_settlement,
    confirm_change,
    money_waits_for,
    withdraw_change,
)
from payments.services.settlement_leftovers import MOST_AT_ONCE, Ended, cancel_at_old_address
from payments.services.settlement_proof import MOVED, last_question, proof_text, prove_address

_DECISIONS = frozenset({"confirm", "withdraw"})
_CONTRACT_LINES = {
    "asked": "Its chain is being asked whether the contract takes the signature. Load this page again in a moment.",
    Word.NO: (
        "The contract at this address did not take the last signature for its own, or does not take the chain’s own "
        "coin with a payment’s mark behind it. Nothing was changed."
    ),
    Word.UNSAID: "Nobody could say whether it takes the last signature. Nothing was changed. Try again later.",
    MOVED: "The address or its chain was changed while the contract was asked. Nothing else was changed.",
}
_AT_ONCE = "Saved. New payments settle by it from now on."


def change_address(request: HttpRequest, visit: Visit, *, family: str) -> HttpResponse:
    """Ask for chain, token and address of a family, and have them changed."""
    choices = dict(asset_choices(family))
    profile = SettlementProfile.objects.visible_to(visit.principal).filter(family=family).first()
    current = "" if profile is None else f"{profile.chain}:{profile.token}"
    asset = request.POST.get("asset", current)
    address = request.POST.get("address", "" if profile is None else profile.address).strip()
    context = {
        "family": family,
        "name": FAMILIES[family],
        "profile": profile,
        "choices": choices.items(),
        "asset": asset,
        "address": address[:200],
        "money_waits": profile is None and money_waits_for(visit.principal, family),
    }

    def change(replaces: UUID | None) -> SettlementChange | None:
        chain_name, _, token = (asset if asset in choices else ":").partition(":")
        return change_settlement(visit.principal, chain_name, token, address, replaces=replaces)

    return _asked(request, visit, family, "dashboard/settlement/address.html", context, change)


def prove(request: HttpRequest, visit: Visit, *, family: str) -> HttpResponse:
    """Ask for a signature made with a family's address, and note that it was proven, or have its contract asked."""
    profile = SettlementProfile.objects.visible_to(visit.principal).filter(family=family).first()
    signature, fault = request.POST.get("signature", "").strip(), ""
    if request.method == "POST":
        try:
            proven = prove_address(visit.principal, family, signature, by_contract="by_contract" in request.POST)
        except ServiceError as refusal:
            fault = refusal.message
        else:
            if proven is None:
                return redirect(request.path)
            messages.success(request, "Proven: you hold the key of that address.")
            return redirect(visit.url("settings"))
    context = {
        "name": FAMILIES[family],
        "profile": profile,
        "text": proof_text(profile) if profile else "",
        "signature": signature[:10_000],
        "may_be_contract": visit.mode == Mode.LIVE and family == Family.EVM.value,
        "contract": _contract_line(profile) if profile else "",
        "fault": fault,
        "change_url": visit.url(f"settlement_{family}"),
    }
    return draw(request, visit, "dashboard/settlement/prove.html", context, status=400 if fault else 200)


def _contract_line(profile: SettlementProfile) -> str:
    """How the newest question to the address as a contract stands; empty where it said yes, or was never put."""
    asked = last_question(profile)
    if asked is None:
        return ""
    return _CONTRACT_LINES.get(asked.outcome if asked.done_at else "asked", "")


def change_default(request: HttpRequest, visit: Visit) -> HttpResponse:
    """Ask which family takes payments that name no chain."""
    profiles = SettlementProfile.objects.visible_to(visit.principal).order_by("family")
    choices = {profile.family: FAMILIES[profile.family] for profile in profiles}
    now_default = next((profile.family for profile in profiles if profile.is_default), "")
    family = request.POST.get("family", now_default)

    def change(replaces: UUID | None) -> SettlementChange | None:
        return change_default_family(visit.principal, family, replaces=replaces)

    context = {"choices": choices.items(), "family": family}
    return _asked(request, visit, "default", "dashboard/settlement/default.html", context, change)


def switch_lock(request: HttpRequest, visit: Visit) -> HttpResponse:
    """Ask whether live payments may name addresses of their own."""
    is_locked = SettlementProfile.objects.visible_to(visit.principal).filter(locked=True).exists()

    def change(replaces: UUID | None) -> SettlementChange | None:
        wanted = request.POST.get("locked")
        if wanted not in ("yes", "no"):
            raise InvalidRequest("Say whether to turn it on or off.")
        return change_lock(visit.principal, on=wanted == "yes", replaces=replaces)

    return _asked(request, visit, "lock", "dashboard/settlement/lock.html", {"is_locked": is_locked}, change)


def decide_change(request: HttpRequest, visit: Visit, change_id: UUID) -> HttpResponse:
    """Show a change that waits; confirm it, or withdraw it."""
    mine = SettlementChange.objects.visible_to(visit.principal)
    change = mine.filter(pk=change_id).first()
    if change is None:
        raise Http404
    if request.method != "POST" or request.POST.get("deed") not in _DECISIONS:
        context = {"line": change_line(visit, change), "leftover": leftover_line(visit, change)}
        return draw(request, visit, "dashboard/settlement/change.html", context)
    try:
        messages.success(request, _decide(request, visit, change_id))
    except ServiceError as refusal:
        messages.error(request, refusal.message)
    return redirect(visit.url("settings"))


def _decide(request: HttpRequest, visit: Visit, change_id: UUID) -> str:
    if request.POST.get("deed") == "confirm":
        confirm_change(visit.principal, change_id)
        return f"Confirmed. {_AT_ONCE} All owners and admins were told by mail."
    withdraw_change(visit.principal, change_id)
    return "Withdrawn. Nothing was changed. All owners and admins were told by mail."


def _asked(  # noqa: PLR0913  (what every form of this page needs, once)
    request: HttpRequest,
    visit: Visit,
    part: str,
    template: str,
    context: Mapping[str, object],
    change: Callable[[UUID | None], SettlementChange | None],
) -> HttpResponse:
    """A form with what waits for the same part; where it was sent, the change and the way back."""
    fault = ""
    if request.method == "POST":
        try:
            made = change(_uuid(request.POST.get("replaces", "")))
        except ServiceError as refusal:
            fault = refusal.message
        else:
            messages.success(request, _AT_ONCE if made is None else _waits(made))
            return redirect(visit.url("settings"))
    waiting = [change_line(visit, one) for one in waiting_changes(visit) if one.part == part]
    whole = {**context, "fault": fault, "waiting": waiting[0] if waiting else None, "is_live": visit.mode == Mode.LIVE}
    return draw(request, visit, template, whole, status=400 if fault else 200)


def _waits(change: SettlementChange) -> str:
    at = f"{change.effective_at:%-d %b %Y, %H:%M} UTC"
    return (
        f"Nothing has changed yet: it takes effect at {at}, or when a second person confirms it. Everybody was mailed."
    )


def _uuid(text: str) -> UUID | None:
    try:
        return UUID(text)
    except ValueError:
        return None


def cancel_leftovers(request: HttpRequest, visit: Visit, change_id: UUID) -> HttpResponse:
    """Ask, then cancel what nobody has paid of them, and name what stays."""
    change = SettlementChange.objects.visible_to(visit.principal).filter(pk=change_id).first()
    if change is None:
        raise Http404
    if request.method != "POST":
        context = {"line": leftover_line(visit, change), "most": MOST_AT_ONCE}
        return draw(request, visit, "dashboard/settlement/leftovers.html", context)
    messages.success(request, _outcome_message(cancel_at_old_address(visit.principal, change_id)))
    return redirect(visit.url("settlement_leftovers", change_id=change.pk))


def _outcome_message(ended: Ended) -> str:
    plural = "" if ended.cancelled == 1 else "s"
    words = f"{ended.cancelled} payment{plural} cancelled. Checkout links of those take no money any more."
    if not ended.stayed:
        return words
    return f"{words} Money is on its way for {', '.join(map(str, ended.stayed[:NAMED]))}: it stays."
