"""Who calls: people, merchants, their keys, and the answers already given to them."""

from typing import Any, ClassVar

from django.contrib.auth.models import AbstractBaseUser, BaseUserManager, PermissionsMixin
from django.db import models

from core.clock import now
from core.modes import Mode
from merchants.querysets import MerchantScoped


class UserManager(BaseUserManager["User"]):
    """Creates people by e-mail address."""

    def create_user(self, email: str, password: str | None = None, **fields: Any) -> "User":
        """A person who can sign in to the dashboard."""
        user = self.model(email=self.normalize_email(email).lower(), **fields)
        user.set_password(password)
        user.save(using=self._db)
        return user

    def create_superuser(self, email: str, password: str | None = None, **fields: Any) -> "User":
        """An operator who can sign in to ``/admin/``."""
        return self.create_user(email, password, is_staff=True, is_superuser=True, **fields)


class User(  # type: ignore[django-manager-missing]  # the agents' tables point here; their library is untyped
    AbstractBaseUser, PermissionsMixin
):
    """A person, known by e-mail address."""

    email = models.EmailField(unique=True)
    name = models.CharField(max_length=120, blank=True)
    is_staff = models.BooleanField(default=False)
    is_active = models.BooleanField(default=True)
    created_at = models.DateTimeField(default=now)

    objects: ClassVar[UserManager] = UserManager()

    USERNAME_FIELD = "email"
    EMAIL_FIELD = "email"

    def __str__(self) -> str:
        """The address."""
        return self.email


class Merchant(models.Model):
    """A business that is paid through the service."""

    name = models.CharField(max_length=120)
    created_at = models.DateTimeField(default=now)
    platform_fee_bps = models.PositiveIntegerField(default=0)

    def __str__(self) -> str:
        """The business's name."""
        return self.name


class Role(models.TextChoices):
    """What a person may do for a merchant."""

    OWNER = "owner"
    ADMIN = "admin"
    DEVELOPER = "developer"
    SUPPORT = "support"
    VIEWER = "viewer"


class Membership(models.Model):
    """A person's role in a merchant's team."""

    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="memberships")
    merchant = models.ForeignKey(Merchant, on_delete=models.CASCADE, related_name="memberships")
    role = models.CharField(max_length=16, choices=Role.choices)
    created_at = models.DateTimeField(default=now)

    class Meta:
        constraints: ClassVar = [models.UniqueConstraint(fields=["user", "merchant"], name="one_role_per_merchant")]

    def __str__(self) -> str:
        """Who may do what, by number: names would cost two more reads."""
        return f"user {self.user_id} is {self.role} of merchant {self.merchant_id}"


class KeyKind(models.TextChoices):
    """Secret keys act for the merchant, publishable ones start a checkout, restricted ones have scopes."""

    SECRET = "sk"  # noqa: S105 - a prefix
    PUBLISHABLE = "pk"
    RESTRICTED = "rk"


class ApiKey(models.Model):
    """A credential. Secret and restricted keys are kept as a digest only; publishable ones also in clear."""

    merchant = models.ForeignKey(Merchant, on_delete=models.CASCADE, related_name="api_keys")
    mode = models.CharField(max_length=4, choices=Mode.choices)
    kind = models.CharField(max_length=2, choices=KeyKind.choices)
    digest = models.CharField(max_length=64, unique=True)
    last_four = models.CharField(max_length=4)
    publishable_value = models.CharField(max_length=80, blank=True)
    name = models.CharField(max_length=80, blank=True)
    scopes = models.JSONField(default=list, blank=True)
    origins = models.JSONField(default=list, blank=True)
    allowed_addresses = models.JSONField(default=list, blank=True)
    created_at = models.DateTimeField(default=now)
    expires_at = models.DateTimeField(null=True, blank=True)
    revoked_at = models.DateTimeField(null=True, blank=True)
    rolled_from = models.ForeignKey("self", on_delete=models.SET_NULL, null=True, blank=True, related_name="+")
    last_used_at = models.DateTimeField(null=True, blank=True)

    objects: ClassVar = MerchantScoped.as_manager()

    class Meta:
        constraints: ClassVar = [
            models.CheckConstraint(condition=models.Q(mode__in=Mode.values), name="api_key_mode_known"),
            models.CheckConstraint(condition=models.Q(kind__in=KeyKind.values), name="api_key_kind_known"),
        ]
        indexes: ClassVar = [models.Index(fields=["merchant", "mode", "kind"], name="api_key_of_merchant")]

    def __str__(self) -> str:
        """Enough to recognise the key, not enough to use it."""
        return f"{self.kind}_{self.mode}_…{self.last_four}"


class IdempotencyRecord(models.Model):
    """The answer that a caller's idempotency key stands for.

    ``scope`` keeps callers apart: ``m<merchant>:<mode>`` for a merchant, ``checkout:<intent>`` for a payer.
    ``answer`` is encrypted, because it may hold a webhook secret. Source: contract, Idempotency.
    """

    scope = models.CharField(max_length=64)
    key = models.CharField(max_length=255)
    fingerprint = models.CharField(max_length=64)
    http_status = models.PositiveSmallIntegerField()
    answer = models.BinaryField()
    created_at = models.DateTimeField(default=now)
    expires_at = models.DateTimeField(db_index=True)

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["scope", "key"], name="one_answer_per_idempotency_key"),
        ]

    def __str__(self) -> str:
        """Whose key it is, not what was answered."""
        return f"{self.scope} {self.key}"
