"""The reader's own test key, for samples that can be pasted as they stand.

Keys are kept as digests, so only a key that is kept elsewhere can be shown: that of the embedded default's first
merchant, in a private file. ``KEPT_TEST_KEY`` names who reads it; it is shown to members who may change keys, and only
while it works and is one of test mode. A live key is never looked at.
"""

from django.conf import settings
from django.db.models import Q
from django.http import HttpRequest
from django.utils.module_loading import import_string

from core.clock import now
from core.modes import Mode
from core.secrets import lookup_digest
from merchants.accounts import CHOSEN_MERCHANT
from merchants.acts import Act, may
from merchants.models import ApiKey, Membership, Role

TEST_KEY_STARTS = "sk_test_"


def own_test_key(request: HttpRequest) -> str:
    """The key to write into samples for who asks; empty where none may be."""
    if not (settings.KEPT_TEST_KEY and request.user.is_authenticated and request.user.is_active):
        return ""
    teams = list(Membership.objects.filter(user=request.user).order_by("pk"))
    chosen = request.session.get(CHOSEN_MERCHANT)
    team = next((team for team in teams if team.merchant_id == chosen), next(iter(teams), None))
    if team is None or not may(Role(team.role), Act.CHANGE_KEYS):
        return ""
    key: str = import_string(settings.KEPT_TEST_KEY)()
    return key if _works(key, team.merchant_id) else ""


def _works(key: str, merchant_id: int) -> bool:
    """Whether it is a key of test mode of this merchant that is neither revoked nor over."""
    if not key.startswith(TEST_KEY_STARTS):
        return False
    lasts = Q(expires_at__isnull=True) | Q(expires_at__gt=now())
    mine = ApiKey.objects.filter(lasts, digest=lookup_digest(key), merchant_id=merchant_id, mode=Mode.TEST)
    return mine.filter(revoked_at__isnull=True).exists()
