"""How people sign in: by e-mail, invited by a merchant; nobody signs up alone. Knows allauth, nothing of payments."""

from typing import Any, NamedTuple
from urllib.parse import urlsplit

from allauth.account.adapter import DefaultAccountAdapter
from allauth.account.authentication import get_authentication_records
from allauth.mfa.adapter import DefaultMFAAdapter
from allauth.mfa.utils import is_mfa_enabled
from django.conf import settings
from django.http import HttpRequest

from core.caller import client_address
from core.secrets import decrypt_text, encrypt_text
from merchants.models import User

CHOSEN_MERCHANT = "dashboard_merchant"
"""Where a session keeps which of a person's merchants is looked at."""


class Site(NamedTuple):
    """Where mails say they come from, as the library's templates ask for it."""

    name: str
    domain: str


class AccountAdapter(DefaultAccountAdapter):
    """Closes self-registration. Why: an account without a merchant can do nothing."""

    def is_open_for_signup(self, request: HttpRequest) -> bool:
        """Always closed."""
        return False

    def send_mail(self, template_prefix: str, email: str, context: dict[str, Any]) -> None:
        """Name BASE_URL in links and as the site. Why: the library takes the host that the caller's request named."""
        named = self.request.build_absolute_uri("/").rstrip("/")
        ours = {
            name: settings.BASE_URL + value.removeprefix(named)
            if isinstance(value, str) and value.startswith(f"{named}/")
            else value
            for name, value in context.items()
        }
        host = urlsplit(settings.BASE_URL).netloc
        super().send_mail(template_prefix, email, {**ours, "current_site": Site(name=host, domain=host)})

    def get_client_ip(self, request: HttpRequest) -> str:
        """Who is counted when passwords are guessed."""
        return client_address(request)


class SecondFactorAdapter(DefaultMFAAdapter):
    """Seals what the second factors are made of. Why: a copy of the database must not let anyone sign in."""

    def get_totp_issuer(self) -> str:
        """The name that authenticator apps show."""
        return "Causeway"

    def encrypt(self, text: str) -> str:
        """Seal an authenticator's secret for storage."""
        return encrypt_text(text)

    def decrypt(self, encrypted_text: str) -> str:
        """Open what ``encrypt`` sealed."""
        return decrypt_text(encrypted_text)


SEALED_OF_A_FACTOR = ("secret", "seed", "migrated_codes")
"""What of a factor's data is sealed: an app's secret, what recovery codes are made of, or they themselves.

A passkey has nothing to hide.
"""


def has_proven_factor(request: HttpRequest) -> bool:
    """Whether this session proved more than a password: a code, a passkey, a recovery code."""
    return any(record.get("method") == "mfa" for record in get_authentication_records(request, request.user))


def has_second_factor(user: User) -> bool:
    """Whether this person signs in with more than a password."""
    return bool(is_mfa_enabled(user))


def may_go_live(person: User) -> bool:
    """Whether a person has what live mode asks for, wherever they see, change or lend something of it."""
    return not settings.REQUIRE_SECOND_FACTOR_FOR_LIVE or has_second_factor(person)
