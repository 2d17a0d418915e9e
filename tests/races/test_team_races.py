"""Owners who act upon each other, and links opened twice, at the same moment, each on a connection of its own."""

from collections.abc import Callable
from functools import partial

import pytest

from core.modes import Mode
from core.secrets import lookup_digest
from merchants.models import Invitation, Membership, Role, User
from merchants.principal import Principal
from merchants.services import NewMerchant, create_merchant
from merchants.services.invitations import invite, join_anew
from merchants.services.team import change_role, leave_team, remove_member
from tests.merchants.people import add_member
from tests.races.lineup import at_once

pytestmark = [pytest.mark.postgres, pytest.mark.django_db(transaction=True)]

PASSWORD = "a new horse battery"


def principal_of(made: NewMerchant, person: User) -> Principal:
    """A member, acting."""
    return Principal(merchant_id=made.merchant.pk, mode=Mode.TEST, actor=f"user:{person.pk}")


def demote(made: NewMerchant, me: User, other: Membership) -> None:
    """Make the other an admin."""
    change_role(principal_of(made, me), me, other.pk, Role.ADMIN)


def remove(made: NewMerchant, me: User, other: Membership) -> None:
    """Take the other out."""
    remove_member(principal_of(made, me), me, other.pk)


def leave(made: NewMerchant, me: User, other: Membership) -> None:
    """Go, believing that the other stays."""
    leave_team(principal_of(made, me), me)


@pytest.mark.parametrize("deed", [demote, remove, leave], ids=["demote", "remove", "leave"])
def test_two_owners_at_once_leave_one(deed: Callable[[NewMerchant, User, Membership], None], rounds: range) -> None:
    for number in rounds:
        made = create_merchant("Shop", f"first{number}@shop.example", "correct horse battery")
        first, second = made.owner, add_member(made.merchant, f"second{number}@shop.example", Role.OWNER)
        seats = {person: Membership.objects.get(user=person) for person in (first, second)}
        endings = at_once([partial(deed, made, first, seats[second]), partial(deed, made, second, seats[first])])
        owners = Membership.objects.filter(merchant=made.merchant, role=Role.OWNER)
        assert owners.count() == 1, number
        assert sum(ending.refusal is not None for ending in endings) == 1


def test_a_link_opened_often_at_once_makes_one_member(account: NewMerchant, rounds: range) -> None:
    for number in rounds:
        email = f"new{number}@shop.example"
        invite(principal_of(account, account.owner), account.owner, email, Role.VIEWER)
        token = f"inv_known_to_this_test_{number}"
        _give_link(email, token)
        at_once([partial(join_anew, token, PASSWORD)] * 8)
        assert Membership.objects.filter(user__email=email).count() == 1
        assert User.objects.filter(email=email).count() == 1


def _give_link(email: str, token: str) -> None:
    """Have an invitation open by a link that the test knows. Why: the mailed one is kept as a digest."""
    Invitation.objects.filter(email=email).update(digest=lookup_digest(token))
