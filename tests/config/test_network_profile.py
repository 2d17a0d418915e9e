"""A database belongs to one network for ever. Source: rulings, Network profile."""

import pytest
from django.core.exceptions import ImproperlyConfigured
from django.core.management import call_command
from django.core.management.base import SystemCheckError
from django.test import override_settings

from chains.models import NetworkProfile
from config.network_profile import fix_network_profile, foreign_profile, refuse_foreign_network

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _simulated() -> None:
    """A database that was first started on the simulated network."""
    NetworkProfile.objects.all().delete()
    fix_network_profile()
    assert NetworkProfile.objects.get().profile == "simulated"


def test_the_same_network_starts() -> None:
    refuse_foreign_network()
    call_command("check", databases=["default"])
    assert foreign_profile() is None


@pytest.mark.spec("Rulings A3.1")
@pytest.mark.parametrize("profile", ["mainnet", "localnet"])
def test_another_network_is_refused(profile: str) -> None:
    with override_settings(NETWORK_PROFILE=profile):
        with pytest.raises(ImproperlyConfigured) as refusal:
            refuse_foreign_network()
        with pytest.raises(SystemCheckError, match=r"causeway\.E001"):
            call_command("check", databases=["default"])
        fix_network_profile()
    assert str(refusal.value) == (
        f"This database belongs to the network profile simulated, but NETWORK_PROFILE is {profile}. "
        "A database never changes networks: use another database, or set NETWORK_PROFILE back."
    )
    assert [row.profile for row in NetworkProfile.objects.all()] == ["simulated"]


@pytest.mark.spec("Rulings A3.1")
def test_migrating_a_new_database_fixes_its_network() -> None:
    NetworkProfile.objects.all().delete()
    call_command("migrate", verbosity=0)
    assert NetworkProfile.objects.get().profile == "simulated"
