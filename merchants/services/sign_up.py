"""Signing up: an address is mailed a link, and the link's holder chooses the password. No account before that.

Why the password comes last: an address that has an account must be answered as one that has none, and nobody may choose
the password of an account that the owner of the address then opens.
"""

import json
from datetime import timedelta
from typing import Final, NamedTuple

from django.conf import settings
from django.core.mail import send_mail
from django.db import transaction
from django.template.loader import render_to_string

from core.buckets import Limit
from core.clock import now
from core.rate_limits import take_each
from core.secrets import decrypt_text, encrypt_text, lookup_digest
from merchants.audit import record_audit_for_both_modes
from merchants.errors import AccountExists, InvitationOver
from merchants.models import User
from merchants.services import NewMerchant, create_merchant
from merchants.services.team import acting

LIFETIME = timedelta(days=1)
FROM_ADDRESS: Final = (Limit(count=10, window_seconds=3600),)
"""Sign-ups from one network address."""
MAILS_TO_ADDRESS: Final = (Limit(count=5, window_seconds=3600),)
_KIND = "sign_up"
_LONGEST_TOKEN = 2000


class Asked(NamedTuple):
    """What a sign-up link stands for."""

    email: str
    business: str


def ask_for_account(email: str, business: str, network_address: str) -> None:
    """Mail a link with which the account can be opened; an address that has one is told so by mail, and nobody else is.

    Raises: RateLimited.
    """
    email = email.strip().lower()
    from_here = [(f"sign_ups:{network_address}", limit) for limit in FROM_ADDRESS]
    take_each([*from_here, *((f"mails_to:{lookup_digest(email)}", limit) for limit in MAILS_TO_ADDRESS)])
    if User.objects.filter(email=email).exists():
        words = {
            "sign_in": f"{settings.BASE_URL}/accounts/login/",
            "reset": f"{settings.BASE_URL}/accounts/password/reset/",
        }
        send_mail("Your Causeway account", render_to_string("mail/account_exists.txt", words), None, [email])
        return
    until = int((now() + LIFETIME).timestamp())
    kept = {"kind": _KIND, "until": until, **Asked(email, business)._asdict()}
    token = encrypt_text(json.dumps(kept))
    words = {"link": f"{settings.BASE_URL}/accounts/signup/{token}/"}
    send_mail("Open your Causeway account", render_to_string("mail/sign_up.txt", words), None, [email])


def read_link(token: str) -> Asked:
    """What a link stands for. Raises: InvitationOver where it is none of ours or too old."""
    try:
        kept = json.loads(decrypt_text(token)) if len(token) <= _LONGEST_TOKEN else {}
    except ValueError:
        kept = {}
    if not isinstance(kept, dict) or kept.get("kind") != _KIND or kept["until"] <= now().timestamp():
        raise InvitationOver("This link no longer works. Ask for a new one.")
    return Asked(kept["email"], kept["business"])


@transaction.atomic
def open_account(asked: Asked, password: str) -> NewMerchant:
    """Create the person and the merchant, whose address is proven by the link.

    Raises: AccountExists when the link was used, or the address came to an account otherwise.
    """
    _, is_new = User.objects.get_or_create(email=asked.email)
    if not is_new:
        raise AccountExists
    made = create_merchant(asked.business, asked.email)
    made.owner.set_password(password)
    made.owner.save(update_fields=["password"])
    record_audit_for_both_modes(
        acting(made.owner, made.merchant.pk), "merchant.created", made.merchant.name, after={"owner": made.owner.email}
    )
    return made
