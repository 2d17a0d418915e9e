"""Who calls: people, merchants, their keys and pages, what they asked and were answered, and what they changed."""

from merchants.models.audit import Change
from merchants.models.keys import AllowedOrigin, ApiKey, KeyKind, RefusedOrigin
from merchants.models.mail import OutgoingMail
from merchants.models.people import Invitation, Membership, Merchant, Role, User, UserManager
from merchants.models.requests import IdempotencyRecord, RequestRecord

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
