"""What the audit's dotted words say to people. An action without words here is still readable."""

from collections.abc import Iterable, Mapping
from typing import Any, Final, NamedTuple

ACTION_WORDS: Final[Mapping[str, str]] = {
    "person.signed_in": "Signed in",
    "person.sign_in_failed": "Sign-in failed: wrong password",
    "person.signed_out": "Signed out",
    "person.second_factor_failed": "Second factor failed: wrong code",
    "person.second_factor_added": "Second factor added",
    "person.second_factor_removed": "Second factor removed",
    "person.recovery_codes_made": "New recovery codes made",
    "person.password_changed": "Password changed",
    "person.password_reset": "Password reset by mail",
    "person.sessions_ended": "Sessions ended",
    "person.second_factor_reset": "Second factor taken away by the operator",
    "person.address_changed": "Address changed by the operator",
    "merchant.created": "Merchant account opened",
    "merchant.renamed": "Business renamed",
    "merchant.suspended": "Suspended by the operator",
    "merchant.suspension_ended": "Suspension ended by the operator",
    "invitation.sent": "Invitation sent",
    "invitation.sent_again": "Invitation sent again",
    "invitation.withdrawn": "Invitation withdrawn",
    "member.joined": "Joined the team",
    "member.role_changed": "Role changed",
    "member.removed": "Removed from the team",
    "member.left": "Left the team",
    "owner.handed_over": "Ownership handed over",
    "key.created": "Key created",
    "key.changed": "Key changed",
    "key.rolled": "Key rolled",
    "key.revoked": "Key revoked",
    "keys.rolled": "Key pair rolled",
    "keys.panic": "All keys stopped",
    "keys.revoked_by_operator": "All keys stopped by the operator",
    "origin.allowed": "Origin allowed",
    "origin.removed": "Origin removed",
    "endpoint.created": "Webhook endpoint created",
    "endpoint.changed": "Webhook endpoint changed",
    "endpoint.deleted": "Webhook endpoint deleted",
    "endpoint.secret_rotated": "Signing secret rotated",
    "settlement.requested": "Change of settlement asked for",
    "settlement.confirmed": "Change of settlement confirmed",
    "settlement.withdrawn": "Change of settlement withdrawn",
    "settlement.replaced": "Change of settlement replaced by a newer one",
    "settlement.changed": "Settlement changed",
    "settlement.open_cancelled": "Open payments at the old address cancelled",
    "settlement.proven": "Settlement address proven",
    "payment_policy.changed": "Judging of payments changed",
    "refund_policy.changed": "Refunds without an address changed",
    "look.changed": "Look of the checkout changed",
    "look.logo_changed": "Logo of the checkout changed",
    "payouts.at_settle": "Payout at settlement switched",
    "payouts.paused": "Payouts paused",
    "payouts.resumed": "Payouts resumed",
    "payout.released": "Payout let go to an address that was given up",
    "payout.readdressed": "Payout sent to the present address instead",
}
BAD: Final = frozenset(
    {
        "person.sign_in_failed",
        "person.second_factor_failed",
        "keys.panic",
        "keys.revoked_by_operator",
        "merchant.suspended",
    }
)
SHORT_AGENTS: Final = (("Edg/", "Edge"), ("OPR/", "Opera"), ("Firefox/", "Firefox"), ("Chrome/", "Chrome"))
_SYSTEMS: Final = (
    *(("iPhone", "iPhone"), ("iPad", "iPad"), ("Android", "Android")),
    *(("Windows", "Windows"), ("Mac OS X", "Mac"), ("CrOS", "ChromeOS"), ("Linux", "Linux")),
)
_LONGEST = 200


class Difference(NamedTuple):
    """One thing that changed, before and after; empty where it was not there."""

    name: str
    before: str
    after: str


def action_words(action: str) -> str:
    """What was done, as a person would say it."""
    return ACTION_WORDS.get(action) or action.replace(".", ": ").replace("_", " ").capitalize()


def differences(before: Mapping[str, Any], after: Mapping[str, Any]) -> list[Difference]:
    """What differs between two sets of values, each once; what stayed is left out."""
    names = sorted({*before, *after})
    changed = [name for name in names if name not in before or name not in after or before[name] != after[name]]
    return [
        Difference(str(name).replace("_", " ")[:_LONGEST], _value(before, name), _value(after, name))
        for name in changed
    ]


def device_words(user_agent: str) -> str:
    """A browser and a system, like ``Firefox on Linux``; the program's first word where it is no browser."""
    browser = _first(user_agent, (*SHORT_AGENTS, ("Safari/", "Safari")))
    system = _first(user_agent, _SYSTEMS)
    if browser and system:
        return f"{browser} on {system}"
    return browser or user_agent.partition(" ")[0][:40]


def _first(text: str, known: Iterable[tuple[str, str]]) -> str:
    return next((word for sign, word in known if sign in text), "")


def _value(values: Mapping[str, Any], name: str) -> str:
    if name not in values:
        return ""
    value = values[name]
    if value is None or value == "":
        return "nothing"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list):
        return ", ".join(str(one) for one in value)[:_LONGEST] or "nothing"
    return str(value)[:_LONGEST]
