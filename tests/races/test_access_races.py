"""What lets people and programs in, at the same moment: keys, teams, links, pages of consent, codes and tokens."""

from collections.abc import Callable
from datetime import timedelta
from functools import partial
from typing import Any

import pytest
from django.test import Client

from core.modes import Mode
from core.secrets import lookup_digest
from mcp.models import AccessToken, AgentConnection, AgentRecord, Grant, RefreshToken, UsedCode
from mcp.services.connections import revoke_connection
from merchants.errors import KeyPairChanged
from merchants.models import Invitation, KeyKind, Membership, Merchant, Role, User
from merchants.principal import Principal
from merchants.services import NewMerchant, create_merchant, current_keys, roll_key_pair
from merchants.services.invitations import invite, join_as_new_user
from merchants.services.team import change_role, leave_team, remove_member
from tests.conftest import ApiClient
from tests.mcp.consent.person import Person, Shown
from tests.mcp.oauth.flow import Agent, new_application, new_connection
from tests.merchants.people import add_member
from tests.races.lineup import Act, Ending, at_once, queued

pytestmark = [pytest.mark.postgres, pytest.mark.django_db(transaction=True)]

PASSWORD = "a new horse battery"
REFUSED = (400, "invalid_grant")


def principal_of(made: NewMerchant, person: User) -> Principal:
    return Principal(merchant_id=made.merchant.pk, mode=Mode.TEST, actor=f"user:{person.pk}")


def test_two_rolls_of_one_pair_make_one(account: NewMerchant) -> None:
    shown = current_keys(account.merchant, Mode.TEST).get(kind=KeyKind.SECRET).pk
    roll = partial(roll_key_pair, principal_of(account, account.owner), timedelta(0), shown_key_id=shown)
    first, second = queued(Merchant.objects.filter(pk=account.merchant.pk), [roll, roll])
    assert isinstance(second.refusal, KeyPairChanged)
    assert current_keys(account.merchant, Mode.TEST).count() == 2
    assert ApiClient(first.result.secret_key).get("/payment-intents").status == 200


DEEDS: dict[str, Callable[[NewMerchant, User, Membership], object]] = {
    "demote the other": lambda made, me, other: change_role(principal_of(made, me), me, other.pk, Role.ADMIN),
    "remove the other": lambda made, me, other: remove_member(principal_of(made, me), me, other.pk),
    "leave": lambda made, me, _: leave_team(principal_of(made, me), me),
}


@pytest.mark.parametrize("name", DEEDS)
def test_two_owners_at_once_leave_one(name: str, rounds: range) -> None:
    deed = DEEDS[name]
    for number in rounds:
        made = create_merchant("Shop", f"first{number}@shop.example", "correct horse battery")
        first, second = made.owner, add_member(made.merchant, f"second{number}@shop.example", Role.OWNER)
        seats = {person: Membership.objects.get(user=person) for person in (first, second)}
        endings = at_once([partial(deed, made, first, seats[second]), partial(deed, made, second, seats[first])])
        assert Membership.objects.filter(merchant=made.merchant, role=Role.OWNER).count() == 1, number
        assert sum(ending.refusal is not None for ending in endings) == 1


def test_a_link_opened_often_at_once_makes_one_member(account: NewMerchant, rounds: range) -> None:
    """Why the link is put there: the mailed one is kept as a digest."""
    for number in rounds:
        email, token = f"new{number}@shop.example", f"inv_known_to_this_test_{number}"
        invite(principal_of(account, account.owner), account.owner, email, Role.VIEWER)
        Invitation.objects.filter(email=email).update(digest=lookup_digest(token))
        at_once([partial(join_as_new_user, token, PASSWORD)] * 8)
        assert Membership.objects.filter(user__email=email).count() == 1
        assert User.objects.filter(email=email).count() == 1


@pytest.fixture
def person(merchant: Merchant) -> Person:
    return Person(user=Membership.objects.get(merchant=merchant).user).sign_in()


def presses(person: Person, page: Any) -> Callable[[], Shown]:
    """Consent to a page in another window of the same browser."""
    client = Client()
    client.cookies = person.client.cookies
    return partial(Person(user=person.user, client=client, verifier=person.verifier).presses, page)


def outcomes(endings: list[Ending]) -> list[str]:
    answers: list[Shown] = [ending.result for ending in endings]
    return [
        "refused" if one.status == 400 else "code" if "code" in one.answer else f"to {one.target}" for one in answers
    ]


@pytest.mark.parametrize("is_one_page", [True, False], ids=["one page twice", "two pages"])
def test_consent_given_twice_at_once_makes_one_connection(person: Person, is_one_page: bool) -> None:
    application = new_application()
    page = person.opens(application)
    pages = [page, page if is_one_page else person.opens(application)]
    endings = queued(Membership.objects.all(), [presses(person, one) for one in pages])
    assert outcomes(endings) == ["code", "refused" if is_one_page else "to /oauth/authorize"]
    assert (AgentConnection.objects.count(), Grant.objects.count(), AgentRecord.objects.count()) == (1, 1, 1)


def test_a_step_up_that_waited_for_a_revocation_widens_nothing(person: Person) -> None:
    application = new_application()
    person.presses(person.opens(application))
    page = person.opens(application, scope="payouts:write")
    connection = AgentConnection.objects.get()
    acts: list[Act] = [partial(revoke_connection, connection, actor="user:1"), presses(person, page)]
    assert outcomes(queued(AgentConnection.objects.all(), acts)[1:]) == ["to /oauth/authorize"]
    assert (Grant.objects.count(), AgentConnection.objects.get().scopes) == (0, connection.scopes)


@pytest.fixture
def agent(account: NewMerchant) -> Agent:
    application = new_application()
    return Agent(application, new_connection(account, application))


def check_one_is_answered(endings: list[Ending]) -> None:
    """One of eight got tokens, and what the others showed ended them again."""
    told = sorted((ending.result.status, ending.result.body.get("error", "")) for ending in endings)
    assert told == [(200, "")] + [REFUSED] * 7
    assert not AccessToken.objects.exists()
    assert not RefreshToken.objects.filter(revoked__isnull=True).exists()


def test_of_eight_exchanges_of_one_code_one_is_answered(agent: Agent) -> None:
    code = agent.consent()
    check_one_is_answered(queued(Grant.objects.all(), [partial(agent.exchange, code)] * 8))
    assert UsedCode.objects.count() == 1
    assert AgentRecord.objects.get().code == "authorization_code_reused"


def test_of_eight_refreshes_with_one_token_one_is_answered(agent: Agent) -> None:
    spent = agent.signed_in()["refresh_token"]
    check_one_is_answered(queued(RefreshToken.objects.all(), [partial(agent.refresh, spent)] * 8))
    assert AgentRecord.objects.get().code == "refresh_token_reused"
