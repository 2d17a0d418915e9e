"""The embedded default's first merchant: made once, its keys and password kept in one private file."""

import json
import os
import secrets
from pathlib import Path

from django.conf import settings

from checkout.demo.services import open_shop
from core.modes import Mode
from core.secrets import lookup_digest
from merchants.models import ApiKey
from merchants.principal import Principal
from merchants.services import NewMerchant, create_merchant

NAME = "Demo Shop"
EMAIL = "owner@demo.localhost"
SECRET = "test_secret_key"  # noqa: S105 - the name of a line in the file


def ensure_demo_merchant() -> None:
    """Make the merchant and the file, unless the file's keys already belong to this database."""
    kept = read_demo_file()
    if kept and ApiKey.objects.filter(digest=lookup_digest(kept[SECRET])).exists():
        kept |= _addresses()
    else:
        password = secrets.token_urlsafe(12)
        kept = _addresses() | _credentials(create_merchant(NAME, EMAIL), password)
    _write(kept)


def open_demo_shop() -> None:
    """Open the merchant's shop at the address of this start. Why by digest: the key may have been rolled since."""
    if settings.DEMO_SHOP:
        key = ApiKey.objects.get(digest=lookup_digest(read_demo_file()[SECRET]))
        principal = Principal(merchant_id=key.merchant_id, mode=Mode.TEST, actor="demo-shop")
        open_shop(principal, settings.BASE_URL)


def demo_file() -> Path:
    """Where the file is."""
    return Path(settings.LOCAL_DIR) / "demo.json"


def read_demo_file() -> dict[str, str]:
    """What the file says; empty when there is none, or when it cannot be read as one."""
    try:
        kept = json.loads(demo_file().read_text())
    except (FileNotFoundError, ValueError):
        return {}
    return kept if isinstance(kept, dict) and isinstance(kept.get(SECRET), str) else {}


def kept_test_key() -> str:
    """The first merchant's test key, which the guides show to its own people; empty without its file."""
    return read_demo_file().get(SECRET, "")


def _addresses() -> dict[str, str]:
    return {"base_url": settings.BASE_URL, "dashboard_url": f"{settings.BASE_URL}/dashboard/"}


def _credentials(made: NewMerchant, password: str) -> dict[str, str]:
    made.owner.set_password(password)  # the person may be older than a file that was lost
    made.owner.save(update_fields=["password"])
    return {
        "merchant_email": made.owner.email,
        "merchant_password": password,
        "test_secret_key": made.test.secret_key,
        "test_publishable_key": made.test.publishable_key,
        "live_secret_key": made.live.secret_key,
        "live_publishable_key": made.live.publishable_key,
    }


def _write(kept: dict[str, str]) -> None:
    """Replace the file whole, readable by its owner only."""
    unfinished = demo_file().with_suffix(".new")
    unfinished.unlink(missing_ok=True)
    descriptor = os.open(unfinished, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "w") as file:
        json.dump(kept, file, indent=2)
        file.write("\n")
    unfinished.replace(demo_file())
