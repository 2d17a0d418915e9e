"""What an operator's first factor takes beside the password: a word that a terminal of the service printed.

Why: else a stolen password is enough, for whoever has it adds an authenticator of their own.
Source: docs/operators.md.
"""

from hashlib import sha256
from typing import Final

from allauth.mfa.models import Authenticator
from django.core import signing

from merchants.accounts import has_second_factor
from merchants.models import User

GOOD_FOR_SECONDS: Final = 3600
_SALT: Final = "merchants.first_factor"


def needs_word(person: User) -> bool:
    """Whether the next factor is an operator's first."""
    return person.is_staff and not has_second_factor(person)


def word_for(person: User) -> str:
    """A word for this person, good for an hour, until a factor is added."""
    return signing.TimestampSigner(salt=_SALT).sign(_state(person))


def is_word_of(person: User, word: str) -> bool:
    """Whether it was printed for this person, and nothing was added or changed since."""
    try:
        return signing.TimestampSigner(salt=_SALT).unsign(word.strip(), max_age=GOOD_FOR_SECONDS) == _state(person)
    except signing.BadSignature:
        return False


def _state(person: User) -> str:
    """What changes with the first factor, and with the password."""
    factors = list(Authenticator.objects.filter(user=person).order_by("pk").values_list("pk", flat=True))
    return sha256(f"{person.pk} {person.password} {factors}".encode()).hexdigest()[:16]
