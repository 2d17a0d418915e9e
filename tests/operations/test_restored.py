"""A database that was put back finds out by itself, and nothing leaves it until a person lets it go."""

from datetime import timedelta
from io import StringIO

import pytest
from django.core.management import CommandError, call_command
from django.db import connection
from pytest_django import Settings

from chains.models import ChainReader, Lane, Transfer
from core.clock import now
from core.heartbeats import note_alive
from core.identity import Identity, known_identity, seen_identity, why_put_back
from core.models import DatabaseIdentity, Heartbeat
from core.pauses import Paused, is_paused, pause, standing
from operations.exporter import _restored
from tests.conftest import ApiClient
from tests.payments.world import World
from tests.refunds.stories import PAYEE, refund, settled, work

READY = "/api/public/health/ready"
MOMENT = "2026-11-27 23:10:00+00"
KNOWN = Identity(system="7000000000000000001", database=16_384, timeline=1, target="")
AGES = {"failover": timedelta(seconds=40), "restore": timedelta(seconds=121), "never": None}
on_postgresql = pytest.mark.postgres


def run(*words: str) -> str:
    out = StringIO()
    call_command("restored", *words, stdout=out)
    return out.getvalue()


@pytest.mark.parametrize(
    ("known", "seen", "age", "why"),
    [
        (KNOWN, KNOWN, "restore", ""),
        (None, KNOWN, "restore", ""),
        (KNOWN, KNOWN._replace(timeline=2), "failover", ""),
        (KNOWN, KNOWN._replace(timeline=2), "never", ""),
        (KNOWN, KNOWN._replace(timeline=2), "restore", "its log began anew, 121 seconds after the last sign of life"),
        (KNOWN, KNOWN._replace(timeline=2, target=MOMENT), "failover", f"it was restored to {MOMENT}"),
        (None, KNOWN._replace(timeline=2, target=MOMENT), "never", f"it was restored to {MOMENT}"),
        (KNOWN._replace(target=MOMENT), KNOWN._replace(timeline=2, target=MOMENT), "failover", ""),
        (KNOWN._replace(target=MOMENT), KNOWN._replace(timeline=2), "failover", ""),
        (KNOWN, KNOWN._replace(system="2"), "failover", "it is a copy in another place than the database that it was"),
        (KNOWN, KNOWN._replace(database=2), "failover", "it is a copy in another place than the database that it was"),
    ],
)
def test_what_counts_as_put_back(known: Identity | None, seen: Identity, age: str, why: str) -> None:
    """A failover of Patroni takes 20 to 40 seconds, and its new leader holds the signs of life until then."""
    assert why_put_back(known, seen, AGES[age]) == why


@pytest.mark.django_db
@on_postgresql
def test_every_role_may_ask_which_database_it_is() -> None:
    with connection.cursor() as cursor:
        cursor.execute("CREATE ROLE nobody_special")
        cursor.execute("SET LOCAL ROLE nobody_special")
        seen = seen_identity()
        cursor.execute("RESET ROLE")
        cursor.execute("SELECT system_identifier::text FROM pg_control_system()")
        assert seen is not None
        assert (cursor.fetchone(), seen.timeline, seen.target) == ((seen.system,), 1, "")


@pytest.mark.django_db
@on_postgresql
def test_the_first_sign_of_life_writes_down_which_one_it_is() -> None:
    assert (is_paused(Paused.SENDING), known_identity()) == (False, None)
    note_alive("money")
    assert known_identity() == seen_identity() is not None
    note_alive("money")
    assert (DatabaseIdentity.objects.count(), standing()) == (1, {})


@pytest.mark.django_db
@on_postgresql
@pytest.mark.parametrize("asks", ["a signature", "a sign of life"])
def test_a_copy_is_quiet_from_the_first_question_on(asks: str, caplog: pytest.LogCaptureFixture) -> None:
    """Whoever comes first sees it: one that signs or sends, or one that says that it is alive."""
    note_alive("money")
    DatabaseIdentity.objects.update(database=1)
    if asks == "a signature":
        assert is_paused(Paused.SIGNING)
    else:
        note_alive("beat")
    reasons = {kind: (one.reason, one.by) for kind, one in standing().items()}
    why = ("restored: it is a copy in another place than the database that it was", "service")
    assert reasons == {Paused.SIGNING: why, Paused.SENDING: why}
    assert (is_paused(Paused.SIGNING), is_paused(Paused.SENDING)) == (True, True)
    assert "database_restored: it is a copy" in caplog.text
    assert known_identity() == seen_identity()


@pytest.mark.django_db
@on_postgresql
@pytest.mark.parametrize(("seconds", "is_quiet"), [(40, False), (121, True)])
def test_a_failover_goes_on_and_a_restore_does_not(seconds: int, *, is_quiet: bool) -> None:
    note_alive("money")
    DatabaseIdentity.objects.update(timeline=0)
    Heartbeat.objects.update(at=now() - timedelta(seconds=seconds))
    note_alive("money")
    assert (bool(standing()), is_paused(Paused.SIGNING)) == (is_quiet, is_quiet)
    assert known_identity() == seen_identity()


@pytest.mark.django_db
@on_postgresql
def test_what_was_let_go_stays_so() -> None:
    note_alive("money")
    DatabaseIdentity.objects.update(database=1)
    assert is_paused(Paused.SENDING)
    run("--let-go")
    note_alive("money")
    assert (standing(), is_paused(Paused.SENDING)) == ({}, False)


@pytest.mark.django_db
def test_a_person_says_it_of_a_snapshot_and_lets_it_go(api: ApiClient) -> None:
    assert run() == "It was not put back from a backup, or was let go: it signs and sends.\n"
    with pytest.raises(CommandError, match=r"^It is not quiet: nothing is to be let go\.$"):
        run("--let-go")
    assert "restored" not in api.get(READY).body["checks"]
    said = run("--quiet", "snapshot of 23:10", "--by", "ada")
    assert ("restored: snapshot of 23:10" in said, is_paused(Paused.SIGNING), is_paused(Paused.SENDING)) == (True,) * 3
    check = api.get(READY).body["checks"]["restored"]
    assert (check["status"], check["detail"].partition(":")[0]) == ("ok", "quiet")
    [figure] = _restored()
    assert (figure.name, figure.samples[0].value) == ("causeway_restored_quiet", 1)
    assert "Let go: it signs and sends." in run("--let-go", "--by", "ada")
    assert (is_paused(Paused.SIGNING), is_paused(Paused.SENDING)) == (False, False)


@pytest.mark.django_db
def test_it_is_not_let_go_before_the_chains_were_read(settings: Settings) -> None:
    """What a reader has not come to is not known yet."""
    settings.NETWORK_PROFILE, settings.RPC_URLS = "localnet", {"base": ["http://127.0.0.1:1"]}
    reader = ChainReader.objects.create(
        network="localnet", chain="base", lane=Lane.values[0], width=1, read_to=10, head=1_000, read_at=now()
    )
    run("--quiet", "snapshot")
    with pytest.raises(CommandError, match="A chain is not read yet"):
        run("--let-go")
    assert is_paused(Paused.SIGNING)
    ChainReader.objects.filter(pk=reader.pk).update(read_to=1_000)
    run("--let-go")
    assert not is_paused(Paused.SIGNING)


@pytest.mark.django_db
def test_what_a_person_paused_stays_paused() -> None:
    pause(Paused.SENDING, reason="a receiver is in trouble", by="ada")
    run("--quiet", "snapshot")
    run("--let-go")
    assert (is_paused(Paused.SIGNING), is_paused(Paused.SENDING)) == (False, True)


@pytest.mark.parametrize("is_ordered", [False, True], ids=["before its transfer", "with a transfer"])
def test_a_refund_is_not_cancelled_before_the_chain_was_asked_for_it(
    world: World, api: ApiClient, *, is_ordered: bool
) -> None:
    """It may have been paid, and its money would be free for another one."""
    made = refund(api, settled(world, api), 10, destination=PAYEE)
    run("--quiet", "snapshot")
    if is_ordered:
        work(world, 2)
    assert Transfer.objects.count() == int(is_ordered)
    refused = api.post(f"/refunds/{made['id']}/cancel")
    assert (refused.status, refused.body["code"]) == (409, "refund_not_cancellable")
    run("--let-go")
    assert api.post(f"/refunds/{made['id']}/cancel").body["status"] == "cancelled"
