"""Who calls: people, merchants, their keys and pages, what they asked and were answered, and what they changed."""

from merchants.models.answers import IdempotencyRecord
from merchants.models.audit import Change
from merchants.models.invitations import Invitation
from merchants.models.keys import ApiKey, KeyKind
from merchants.models.mail import OutgoingMail
from merchants.models.origins import AllowedOrigin, RefusedOrigin
from merchants.models.people import Membership, Merchant, Role, User, UserManager
from merchants.models.requests import RequestRecord

__all__ = [
    "AllowedOrigin",
    "ApiKey",
    "Change",
    "IdempotencyRecord",
    "Invitation",
    "KeyKind",
    "Membership",
    "Merchant",
    "OutgoingMail",
    "RefusedOrigin",
    "RequestRecord",
    "Role",
    "User",
    "UserManager",
]
