"""How mail leaves: Django's own names, read from the environment. Nothing set: printed by the worker."""

from urllib.parse import urlsplit

from django.core.exceptions import ImproperlyConfigured, ValidationError
from django.core.validators import validate_email

from config.environment import env, port, switch

PRINTED = "django.core.mail.backends.console.EmailBackend"
MAIL_DELIVERY: str = env.str("EMAIL_BACKEND", default=PRINTED)
EMAIL_HOST: str = env.str("EMAIL_HOST", default="localhost")
EMAIL_PORT = port("EMAIL_PORT", default=25)
EMAIL_HOST_USER: str = env.str("EMAIL_HOST_USER", default="")
EMAIL_HOST_PASSWORD: str = env.str("EMAIL_HOST_PASSWORD", default="")
EMAIL_USE_TLS = switch("EMAIL_USE_TLS", default=False)
EMAIL_USE_SSL = switch("EMAIL_USE_SSL", default=False)
EMAIL_TIMEOUT = 20
"""Units: seconds. Shorter than the lease of ``merchants.mail``."""

if EMAIL_USE_TLS and EMAIL_USE_SSL:
    raise ImproperlyConfigured("EMAIL_USE_TLS and EMAIL_USE_SSL are both on: TLS begins in clear, SSL does not.")


def refuse_printed_mail(base_url: str) -> None:
    """Stop a service that strangers reach and that prints its mail. Raises: ImproperlyConfigured.

    Why: links that set passwords and accept invitations would stand in a log, and nobody would get them.
    """
    if MAIL_DELIVERY == PRINTED and base_url.startswith("https://") and not switch("MAIL_IN_LOG", default=False):
        raise ImproperlyConfigured(
            "EMAIL_BACKEND prints mail into the worker's log, with links that take accounts over. Set it to "
            "django.core.mail.backends.smtp.EmailBackend with EMAIL_HOST, or set MAIL_IN_LOG=true to try things out."
        )


def sender(name: str, base_url: str) -> str:
    """Whom mails come from: an address alone. Raises: ImproperlyConfigured."""
    address: str = env.str(name, default="")
    if not address:
        host = urlsplit(base_url).hostname or ""
        # Nobody at that host. Why not always: a name without a dot makes no address. Source: RFC 5321, 4.1.3.
        address = next(filter(_is_address, (f"no-reply@{host}", f"no-reply@[{host}]")), "no-reply@localhost")
    if not _is_address(address):
        raise ImproperlyConfigured(f"{name} must be an e-mail address, and not {address!r}.")
    return address


def _is_address(text: str) -> bool:
    try:
        validate_email(text)
    except ValidationError:
        return False
    return True
