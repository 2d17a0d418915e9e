"""The team: every role against every act, the last owner, and what falls with somebody who is removed."""

from itertools import product
from typing import Any

import pytest
from django.core import mail
from django.test import Client
from django.utils.html import escape

from core.modes import Mode
from merchants.acts import PERMISSIONS, Act, may
from merchants.errors import LastOwner, RoleNotAllowed
from merchants.models import Change, Invitation, Membership, Role, User
from merchants.principal import Principal
from merchants.services import NewMerchant
from merchants.services.invitations import invite
from merchants.services.team import change_role, hand_over, leave_team, may_give
from tests.merchants.people import OWNER, add_member, proven, send_form, sign_in, text_of

pytestmark = pytest.mark.slow

TEAM = "/dashboard/test/team/"
LEADS = {Role.OWNER, Role.ADMIN}


def seat(account: NewMerchant, role: Role, name: str = "target") -> Membership:
    person = add_member(account.merchant, f"{name}-{role}@shop.example", role)
    return Membership.objects.get(user=person)


def roles(account: NewMerchant) -> dict[str, str]:
    team = Membership.objects.filter(merchant=account.merchant)
    return dict(team.values_list("user__email", "role"))


def principal_of(account: NewMerchant, person: User) -> Principal:
    return Principal(merchant_id=account.merchant.pk, mode=Mode.TEST, actor=f"user:{person.pk}")


def last_deed(account: NewMerchant) -> Change:
    """The newest line of the audit that is no sign-in."""
    found = Change.objects.filter(merchant_id=account.merchant.pk).exclude(action__startswith="person.").order_by("pk")
    return found[len(found) - 1]


@pytest.mark.parametrize("target", list(Role))
@pytest.mark.parametrize("mine", list(Role))
def test_every_role_against_every_act(account: NewMerchant, mine: Role, target: Role) -> None:
    """What each may do to whoever is something, written out anew: owners all, admins all but owners, others nothing."""
    add_member(account.merchant, "me@shop.example", mine)
    client, other = proven("me@shop.example", factor=True), seat(account, target)
    asked = invite(principal_of(account, account.owner), account.owner, "asked@shop.example", target)
    may = mine == Role.OWNER or (mine == Role.ADMIN and target != Role.OWNER)

    send_form(client, f"{TEAM}invite/", at=TEAM, email="new@shop.example", role=target)
    assert Invitation.objects.filter(email="new@shop.example", role=target).exists() == may
    digest = asked.digest
    send_form(client, f"{TEAM}invitations/{asked.pk}/resend/", at=TEAM)
    asked.refresh_from_db()
    assert (asked.digest != digest) == may
    send_form(client, f"{TEAM}invitations/{asked.pk}/withdraw/", at=TEAM)
    asked.refresh_from_db()
    assert (asked.withdrawn_at is not None) == may
    before = roles(account)
    wanted = Role.VIEWER if target != Role.VIEWER else Role.SUPPORT
    send_form(client, f"{TEAM}{other.pk}/role/", at=TEAM, role=wanted)
    assert roles(account) == (before | {other.user.email: wanted} if may else before)
    Membership.objects.filter(pk=other.pk).update(role=target)
    send_form(client, f"{TEAM}{other.pk}/owner/", at=TEAM)
    hands_over = {other.user.email: Role.OWNER, "me@shop.example": Role.ADMIN}
    assert roles(account) == (before | hands_over if mine == Role.OWNER else before)
    Membership.objects.filter(pk=other.pk).update(role=target)
    Membership.objects.filter(user__email="me@shop.example").update(role=mine)
    send_form(client, f"{TEAM}{other.pk}/remove/", at=TEAM)
    assert Membership.objects.filter(pk=other.pk).exists() != may


def test_who_may_make_somebody_what(account: NewMerchant) -> None:
    for mine, to in product(Role, Role):
        me, other = (add_member(account.merchant, f"{who}-{mine}-{to}@shop.example", Role.SUPPORT) for who in "ab")
        Membership.objects.filter(user=me).update(role=mine)
        theirs = Membership.objects.get(user=other)
        may = mine == Role.OWNER or (mine == Role.ADMIN and to != Role.OWNER)
        assert may_give(mine, to) == may
        try:
            change_role(principal_of(account, me), me, theirs.pk, to)
        except RoleNotAllowed:
            assert not may
        assert roles(account)[other.email] == (to if may else Role.SUPPORT), (mine, to)


def test_everybody_sees_the_team_and_only_those_who_lead_its_buttons(
    owner: Client, account: NewMerchant, django_assert_max_num_queries: Any
) -> None:
    for role in Role:
        page = text_of(proven(seat(account, role).user.email, factor=True).get(TEAM))
        assert OWNER in page
        assert (f'href="{TEAM}invite/"' in page) == (role in LEADS)
        assert ("Open invitations" in page) == (role in LEADS)
    for number in range(40):
        add_member(account.merchant, f"person{number}@shop.example", Role.VIEWER)
    with django_assert_max_num_queries(15):
        page = text_of(owner.get(TEAM))
    assert page.count('data-tone="ok">Yes</span>') == len(Role), "who has a second factor"
    assert page.count('data-tone="warn">No</span>') == 41
    for permission in PERMISSIONS.values():
        line = page[page.index(escape(permission.words)) :]
        assert line[: line.index("</tr>")].count("<td data-yes>") == len(permission.roles), permission.words


def test_a_change_of_role_is_put_down_and_holds_at_once(account: NewMerchant) -> None:
    other = seat(account, Role.ADMIN)
    theirs = proven(other.user.email, factor=True)
    assert theirs.get(f"{TEAM}invite/").status_code == 200
    client = proven(factor=True)
    answer = send_form(client, f"{TEAM}{other.pk}/role/", role="viewer")
    assert (answer.status_code, answer.headers["Location"]) == (302, TEAM)
    assert theirs.get(f"{TEAM}invite/").status_code == 403
    line = last_deed(account)
    assert (line.action, line.subject, line.mode) == ("member.role_changed", other.user.email, "")
    assert line.actor == f"user:{account.owner.pk}"
    assert (line.before, line.after) == ({"role": "admin"}, {"role": "viewer"})


def test_roles_that_are_none_change_nothing(account: NewMerchant) -> None:
    other, client = seat(account, Role.VIEWER), proven(factor=True)
    for role in ("", "boss", "OWNER", "owner\0", "x" * 10_000):
        for answer in (
            send_form(client, f"{TEAM}{other.pk}/role/", role=role),
            send_form(client, f"{TEAM}invite/", email="new@shop.example", role=role),
        ):
            assert (answer.status_code, "Please choose one of the roles." in text_of(answer)) == (400, True)
    assert roles(account)[other.user.email] == Role.VIEWER
    assert (Invitation.objects.count(), mail.outbox) == (0, [])


def test_the_last_owner_stays(account: NewMerchant) -> None:
    """An owner whose account is closed does not count; with two owners one may go."""
    client, mine = proven(factor=True), Membership.objects.get(user=account.owner)
    for path, fields in (("role/", {"role": "admin"}), ("remove/", {})):
        answer = send_form(client, f"{TEAM}{mine.pk}/{path}", at=TEAM, **fields)
        assert answer.headers["Location"] == TEAM
        assert "A team needs an owner." in text_of(client.get(TEAM))
    send_form(client, f"{TEAM}leave/", leave="yes")
    assert "A team needs an owner." in text_of(client.get(TEAM))
    assert roles(account) == {OWNER: Role.OWNER}
    other = seat(account, Role.OWNER)
    User.objects.filter(pk=other.user_id).update(is_active=False)
    with pytest.raises(LastOwner):
        leave_team(principal_of(account, account.owner), account.owner)
    User.objects.filter(pk=other.user_id).update(is_active=True)
    answer = send_form(client, f"{TEAM}leave/", leave="yes")
    assert answer.headers["Location"] == "/accounts/login/"
    assert roles(account) == {other.user.email: Role.OWNER}
    assert client.get(TEAM, follow=True).status_code == 403
    assert last_deed(account).action == "member.left"


def test_handing_over_swaps_the_two(account: NewMerchant) -> None:
    other, client = seat(account, Role.DEVELOPER), proven(factor=True)
    assert "become an admin" in text_of(client.get(f"{TEAM}{other.pk}/owner/"))
    send_form(client, f"{TEAM}{other.pk}/owner/")
    assert roles(account) == {OWNER: Role.ADMIN, other.user.email: Role.OWNER}
    line = last_deed(account)
    assert (line.action, line.after) == ("owner.handed_over", {OWNER: "admin", other.user.email: "owner"})
    with pytest.raises(RoleNotAllowed):
        hand_over(principal_of(account, account.owner), account.owner, other.pk)
    with pytest.raises(RoleNotAllowed):
        hand_over(principal_of(account, other.user), other.user, other.pk)


def test_whoever_is_removed_is_out_everywhere_at_once(account: NewMerchant) -> None:
    other = seat(account, Role.ADMIN)
    theirs, client = proven(other.user.email, factor=True), proven(factor=True)
    invite(principal_of(account, other.user), other.user, "friend@shop.example", Role.ADMIN)
    send_form(client, f"{TEAM}{other.pk}/remove/")
    assert theirs.get("/dashboard/test/").headers["Location"].startswith("/dashboard/test/login/")
    assert Invitation.objects.get().withdrawn_at is not None
    assert last_deed(account).action == "member.removed"
    again = sign_in(other.user.email)
    assert again.get("/dashboard/test/").status_code in {302, 403}


def test_changing_the_team_needs_a_second_factor_also_in_test_mode(owner: Client, account: NewMerchant) -> None:
    other = seat(account, Role.VIEWER)
    before = roles(account)
    for path in ("invite/", *(f"{other.pk}/{name}/" for name in ("role", "remove", "owner"))):
        sent = send_form(owner, TEAM + path, at=TEAM, email="new@shop.example", role="admin")
        for answer in (owner.get(TEAM + path), sent):
            assert (answer.status_code, answer.headers["Location"]) == (302, "/accounts/2fa/")
    assert (roles(account), Invitation.objects.count(), mail.outbox) == (before, 0, [])
    assert "needs a second factor on your own account" in text_of(owner.get(TEAM))


INSIDERS = {"owner", "admin", "developer", "support"}
BUILDERS = {"owner", "admin", "developer"}
ACTS: dict[str, tuple[set[Role] | set[str], bool]] = {
    "see_customers": (INSIDERS, False),
    "see_requests": (INSIDERS, False),
    "see_audit": (LEADS, False),
    "export": (INSIDERS, False),
    "resend": (INSIDERS, False),
    "ask_payer": (INSIDERS, False),
    "change_payments": (BUILDERS, False),
    "change_endpoints": (BUILDERS, True),
    "change_keys": (BUILDERS, True),
    "change_look": (BUILDERS, False),
    "change_settlement": (LEADS, True),
    "move_money": (LEADS, True),
    "steer_agents": (LEADS, True),
    "change_team": (LEADS, True),
}
"""By act: the roles, and whether who it is must be proven afresh."""


def test_the_table_of_acts() -> None:
    """Written out: the pages and the team's table are drawn from the code's own."""
    held = {str(act): ({str(role) for role in Role if may(role, act)}, PERMISSIONS[act].fresh) for act in Act}
    assert held == ACTS
