"""The dashboard's pages of scenarios: a file is saved, sent in, and looked at moment by moment."""

import json
from typing import Any

import pytest

from tests.conftest import ApiClient
from tests.merchants.people import OWNER, add_second_factor, send_form, sign_in, text_of
from tests.payments.world import World, create
from tests.theatre.files import LAPSED
from tests.theatre.test_replays import file_of, lived
from theatre.models import Replay
from theatre.services import sweep_due

pytestmark = pytest.mark.django_db
PAGE = "/dashboard/test/scenarios/"


def test_a_payment_is_saved_sent_in_and_looked_at(world: World, api: ApiClient) -> None:
    intent = lived(world, api, "partial")
    client = sign_in(OWNER)
    payment = f"/dashboard/test/payments/{intent['id']}/"
    assert f'href="{payment}scenario/"' in client.get(payment).content.decode()
    saved = client.get(f"{payment}scenario/")
    assert saved["Content-Disposition"] == 'attachment; filename="scenario.json"'
    assert json.loads(saved.content) == file_of(api, intent)
    sent = send_form(client, f"{PAGE}new/", at=PAGE, pasted=saved.content.decode())
    replay = Replay.objects.get()
    assert (sent.status_code, sent["Location"]) == (302, f"{PAGE}{replay.pk}/")
    assert "A worker plays it within seconds." in text_of(client.get(sent["Location"]))
    sweep_due()
    page = client.get(sent["Location"])
    words = text_of(page)
    assert "Same end" in words
    assert "Transaction 1. Money arrives at the merchant’s address: 15000000 base units." in words
    assert "Receivers would be told: <code>payment_intent.partially_filled</code>" in words
    assert page.content.decode().count("data-step=") == len(replay_of(api, replay)["steps"])
    assert "Pasted" in text_of(client.get(PAGE))


def replay_of(api: ApiClient, replay: Replay) -> dict[str, Any]:
    body: dict[str, Any] = api.get(f"/test-helpers/scenarios/replays/{replay.pk}").body
    return body


def test_another_end_is_shown_with_both_figures(world: World, api: ApiClient) -> None:
    client = sign_in(OWNER)
    told = LAPSED | {"end": LAPSED["end"] | {"status": "cancelled"}}
    where = send_form(client, f"{PAGE}new/", at=PAGE, pasted=json.dumps(told))["Location"]
    sweep_due()
    words = text_of(client.get(where))
    assert "Another end" in words
    assert '<td data-label="In the file">cancelled</td><td data-label="Here">expired</td>' in words


@pytest.mark.parametrize(
    ("pasted", "words"),
    [
        ("", "one JSON object in UTF-8"),
        ("[]", "one JSON object in UTF-8"),
        ("{}", "This is no scenario file. scenario.causeway_scenario: Must be 1."),
        (" " * 205_000, "at most 204800 bytes"),
    ],
    ids=["nothing", "a list", "another object", "too much"],
)
def test_what_is_no_file_is_said_and_not_kept(api: ApiClient, pasted: str, words: str) -> None:
    client = sign_in(OWNER)
    assert send_form(client, f"{PAGE}new/", at=PAGE, pasted=pasted)["Location"] == PAGE
    assert words in text_of(client.get(PAGE))
    assert not Replay.objects.exists()


def test_a_payment_to_which_nothing_happened_offers_no_file(api: ApiClient) -> None:
    intent = create(api)
    page = sign_in(OWNER).get(f"/dashboard/test/payments/{intent['id']}/")
    assert "Export scenario" not in text_of(page)


def test_live_mode_leads_to_test_mode(api: ApiClient) -> None:
    add_second_factor(OWNER)
    words = text_of(sign_in(OWNER).get("/dashboard/live/scenarios/"))
    assert "Scenarios are played in test mode" in words
