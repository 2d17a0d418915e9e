"""Invitations: a link that works once, for one address, for a week, and tells a guess nothing."""

import re
from typing import Any

import pytest
from django.core import mail
from django.test import Client

from core.modes import Mode
from core.secrets import lookup_digest
from merchants.models import Change, Invitation, Membership, Role, User
from merchants.principal import Principal
from merchants.services import NewMerchant, create_merchant
from merchants.services.invitations import MOST_OPEN, invite
from tests.merchants.people import OWNER, PASSWORD, add_member, browser, proven, send_form, sign_in_by_page, text_of
from tests.payments.world import World

pytestmark = pytest.mark.slow

TEAM = "/dashboard/test/team/"
NEW = "new@shop.example"
LINK = re.compile(r"http://localhost:8000(/accounts/invitation/\S+)")
WEEK = 7 * 86_400


@pytest.fixture
def leader(account: NewMerchant) -> Client:
    return proven(factor=True)


def asked(leader: Client, email: str = NEW, role: Role = Role.DEVELOPER) -> str:
    """Invite an address on the page; the path behind the mailed link."""
    answer = send_form(leader, f"{TEAM}invite/", email=email, role=role)
    assert (answer.status_code, answer.headers.get("Location")) == (302, TEAM)
    return link_mailed()


def link_mailed() -> str:
    found = LINK.search(str(mail.outbox[-1].body))
    assert found is not None
    return found.group(1)


def members(account: NewMerchant) -> set[str]:
    return set(Membership.objects.filter(merchant=account.merchant).values_list("user__email", flat=True))


def is_over(link: str) -> bool:
    """Whether the link says that it no longer works, to a look and to a form, and lets nobody in."""
    before = Membership.objects.count(), User.objects.count()
    look, sent = browser().get(link), send_form(browser(), link, at="/accounts/login/", password=PASSWORD)
    assert (Membership.objects.count(), User.objects.count()) == before
    says = ["This link no longer works." in text_of(answer) for answer in (look, sent)]
    return says == [True, True] and look.status_code == sent.status_code == 409


def test_a_newcomer_joins_with_a_password_of_their_own(leader: Client, account: NewMerchant) -> None:
    link = asked(leader, " New@Shop.example ")
    token = link.rstrip("/").rpartition("/")[2]
    assert (Invitation.objects.get().digest, len(token) >= 43) == (lookup_digest(token), True)
    assert token not in str(Invitation.objects.values().get())
    assert mail.outbox[0].to == [NEW]
    assert (mail.outbox[0].subject, f"{OWNER} invites you" in str(mail.outbox[0].body)) == (
        "Join Corner Shop on Causeway",
        True,
    )
    client = browser()
    assert "invites you as" in text_of(client.get(link))
    assert send_form(browser(), link, password="12345678").status_code == 400
    assert members(account) == {OWNER}
    answer = send_form(client, link, password=PASSWORD)
    assert (answer.status_code, answer.headers["Location"]) == (302, "/dashboard/test/")
    assert "<title>[TEST] Home · Corner Shop</title>" in text_of(client.get("/dashboard/test/"))
    assert Membership.objects.get(user__email=NEW).role == Role.DEVELOPER
    assert sign_in_by_page(NEW).get("/dashboard/test/").status_code == 200
    assert is_over(link)


def test_what_happens_is_put_down(leader: Client, account: NewMerchant) -> None:
    link = asked(leader)
    number = Invitation.objects.get().pk
    send_form(leader, f"{TEAM}invitations/{number}/resend/")
    link = link_mailed()
    send_form(browser(), link, password=PASSWORD)
    asked(leader, "other@shop.example")
    send_form(leader, f"{TEAM}invitations/{Invitation.objects.order_by('pk')[1].pk}/withdraw/")
    lines = Change.objects.exclude(action__startswith="person.").order_by("pk")
    assert list(lines.values_list("action", "subject", "mode")) == [
        ("invitation.sent", NEW, ""),
        ("invitation.sent_again", NEW, ""),
        ("member.joined", NEW, ""),
        ("invitation.sent", "other@shop.example", ""),
        ("invitation.withdrawn", "other@shop.example", ""),
    ]
    assert lines[2].actor == f"user:{User.objects.get(email=NEW).pk}"


def test_somebody_who_has_an_account_signs_in_first(leader: Client, account: NewMerchant) -> None:
    theirs = create_merchant("Other Shop", NEW, PASSWORD)
    link = asked(leader)
    stranger = browser()
    page = text_of(stranger.get(link))
    assert "has an account already" in page
    assert send_form(stranger, link, at="/accounts/login/", password="a password of mine").status_code == 200
    assert NEW not in members(account)
    assert User.objects.get(email=NEW).check_password(PASSWORD)
    way = re.search(r'href="(/accounts/login/\?next=[^"]+)"', page)
    assert way is not None
    entered = send_form(stranger, way[1].replace("&amp;", "&"), login=NEW, password=PASSWORD, next=link)
    assert entered.headers["Location"] == link
    assert "Join" in text_of(stranger.get(link))
    assert NEW not in members(account)
    send_form(stranger, link)
    assert NEW in members(account)
    assert "Home · Corner Shop</title>" in text_of(stranger.get("/dashboard/test/"))
    assert theirs.merchant.memberships.count() == 1


def test_a_link_is_for_its_address_alone(leader: Client, account: NewMerchant, other_account: NewMerchant) -> None:
    link = asked(leader)
    for client in (sign_in_by_page(other_account.owner.email), leader):
        look, sent = client.get(link), send_form(client, link, password=PASSWORD)
        assert (look.status_code, sent.status_code) == (403, 403)
        assert "for another address" in text_of(sent)
        assert NEW not in text_of(sent)
    assert members(account) == {OWNER}
    assert Invitation.objects.get().accepted_at is None


def test_a_link_ends_after_a_week_or_when_it_is_sent_again(world: World, leader: Client) -> None:
    first, number = asked(leader), Invitation.objects.get().pk
    world.wait(300)
    send_form(leader, f"{TEAM}invitations/{number}/resend/")
    second = link_mailed()
    assert (first != second, is_over(first)) == (True, True)
    world.wait(WEEK - 1)
    assert browser().get(second).status_code == 200
    world.wait(1)
    assert is_over(second)


def test_a_withdrawn_and_a_replaced_link_are_over(leader: Client) -> None:
    link = asked(leader)
    send_form(leader, f"{TEAM}invitations/{Invitation.objects.get().pk}/withdraw/")
    assert is_over(link)
    assert "Nobody is invited." in text_of(leader.get(TEAM))
    first = asked(leader, role=Role.ADMIN)
    second = asked(leader, role=Role.VIEWER)
    assert is_over(first)
    send_form(browser(), second, password=PASSWORD)
    assert Membership.objects.get(user__email=NEW).role == Role.VIEWER


@pytest.mark.parametrize("mine", [Role.VIEWER, Role.ADMIN, None], ids=str)
def test_an_invitation_ends_with_the_right_to_write_it(account: NewMerchant, mine: Role | None) -> None:
    """An admin of whom an owner's right was taken leaves no owner behind, and whoever is removed leaves nothing."""
    person = add_member(account.merchant, "second@shop.example", Role.OWNER)
    seat = Membership.objects.get(user=person)
    for number, role in enumerate((Role.OWNER, Role.VIEWER)):
        by = Principal(merchant_id=account.merchant.pk, mode=Mode.TEST, actor=f"user:{person.pk}")
        invite(by, person, f"asked{number}@shop.example", role)
    client = proven(factor=True)
    path = "remove/" if mine is None else "role/"
    send_form(client, f"{TEAM}{seat.pk}/{path}", **({} if mine is None else {"role": mine}))
    still = list(Invitation.objects.filter(withdrawn_at=None).values_list("role", flat=True))
    assert still == ([Role.VIEWER] if mine == Role.ADMIN else [])


def test_guesses_are_answered_like_old_links(leader: Client) -> None:
    asked(leader)
    for token in ("x", "inv_", "inv_" + "A" * 43, "٣", "%00", "A" * 5000, "..%2f"):
        answer = browser().get(f"/accounts/invitation/{token}/")
        assert (answer.status_code in {404, 409}, "Corner Shop" in text_of(answer)) == (True, False), token


def test_what_is_no_address_is_named_and_sends_nothing(leader: Client, account: NewMerchant) -> None:
    """Nor is a member invited."""
    header = "a@b.example\nBcc: c@d.example"
    for email in ("", "nobody", header, "a@b.example,c@d.example", f"{'a' * 250}@b.example", "a@b\0.example"):
        answer = send_form(leader, f"{TEAM}invite/", email=email, role="viewer")
        assert (answer.status_code, "That is no e-mail address." in text_of(answer)) == (400, True), email
    add_member(account.merchant, NEW, Role.VIEWER)
    answer = send_form(leader, f"{TEAM}invite/", email=NEW, role="viewer")
    assert (answer.status_code, "belongs to the team already" in text_of(answer)) == (409, True)
    assert (Invitation.objects.count(), mail.outbox) == (0, [])


def test_a_link_of_somebody_who_joined_otherwise_says_so(leader: Client, account: NewMerchant) -> None:
    link = asked(leader)
    add_member(account.merchant, NEW, Role.VIEWER)
    client = sign_in_by_page(NEW)
    answer = send_form(client, link)
    assert (answer.status_code, "belongs to the team already" in text_of(answer)) == (409, True)
    assert Membership.objects.get(user__email=NEW).role == Role.VIEWER


def test_invitations_are_counted(leader: Client, account: NewMerchant, settings: Any) -> None:
    settings.RATE_LIMIT_SCALE = 1
    answers = [send_form(leader, f"{TEAM}invite/", email=NEW, role="viewer") for _ in range(6)]
    assert [answer.status_code for answer in answers] == [302] * 5 + [429]
    assert "Too many mails were sent" in text_of(answers[-1])
    assert len(mail.outbox) == 5


def test_no_more_are_open_than_a_team_needs(leader: Client, account: NewMerchant) -> None:
    by = Principal(merchant_id=account.merchant.pk, mode=Mode.TEST, actor="user:1")
    for number in range(MOST_OPEN):
        invite(by, account.owner, f"person{number}@shop.example", Role.VIEWER)
    answer = send_form(leader, f"{TEAM}invite/", email=NEW, role="viewer")
    assert (answer.status_code, "too many open invitations" in text_of(answer)) == (409, True)
    assert (Invitation.objects.count(), len(mail.outbox)) == (MOST_OPEN, MOST_OPEN)


def test_hostile_names_of_merchants_are_only_names(leader: Client, account: NewMerchant) -> None:
    template = "{{ 7|add:7 }}{% now 'Y' %}"
    for name in ("<script>alert(1)</script>", template, "Bank\u202etxet", "evil.example/login", "x" * 120):
        account.merchant.name = name
        account.merchant.save()
        link = asked(leader)
        written = f"{mail.outbox[-1].subject} {mail.outbox[-1].body}"
        assert ("evil.example" in written, "\u202e" in written) == (False, False)
        assert "\n" not in mail.outbox[-1].subject
        page = text_of(browser().get(link))
        assert "<script>alert" not in page
        assert "{{ 7|add:7 }}" in page or name != template
