"""People, merchants, and who belongs to whose team or was asked into it."""

from typing import Any, ClassVar

from django.conf import settings
from django.contrib.auth.models import AbstractBaseUser, BaseUserManager, PermissionsMixin
from django.db import models

from core.clock import now


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
    """A business that is paid through the service. ``suspended_at``: an operator stopped it then."""

    name = models.CharField(max_length=120)
    created_at = models.DateTimeField(default=now)
    platform_fee_bps = models.PositiveIntegerField(default=0)
    suspended_at = models.DateTimeField(null=True, blank=True)

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


class Invitation(models.Model):
    """One address asked to join with a role. Of the link only a digest is kept; sending it again makes a new one.

    Open until it is accepted, withdrawn, or past ``expires_at``.
    """

    merchant = models.ForeignKey(Merchant, on_delete=models.CASCADE, related_name="invitations")
    email = models.EmailField()
    role = models.CharField(max_length=16, choices=Role.choices)
    digest = models.CharField(max_length=64, unique=True)
    invited_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")
    created_at = models.DateTimeField(default=now)
    expires_at = models.DateTimeField()
    accepted_at = models.DateTimeField(null=True)
    withdrawn_at = models.DateTimeField(null=True)

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["merchant", "email"],
                condition=models.Q(accepted_at=None, withdrawn_at=None),
                name="one_open_invitation_per_address",
            ),
            models.CheckConstraint(condition=models.Q(role__in=Role.values), name="invitation_role_known"),
        ]

    def __str__(self) -> str:
        """Who was asked to be what, by number."""
        return f"invitation {self.pk} to be {self.role} of merchant {self.merchant_id}"
