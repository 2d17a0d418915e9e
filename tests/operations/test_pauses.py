"""What an operator pauses: by command, once, said wherever somebody looks, and no failure of anything."""

import logging
from datetime import timedelta
from io import StringIO

import pytest
from django.core.mail import send_mail
from django.core.management import CommandError, call_command
from pytest_django import Settings

from chains.models import GasAccount
from core.clock import now
from core.dispatch import BEAT, WORKERS
from core.heartbeats import note_alive
from core.models import Pause
from core.pauses import Paused, is_paused, pause
from core.tasks import tell_pauses
from merchants.models import Change, OutgoingMail, User
from operations.exporter import _pauses
from operations.readiness import DUE_ROW_MAY_BE_OLD
from tests.conftest import ApiClient
from tests.merchants.people import PASSWORD, add_second_factor, sign_in

pytestmark = pytest.mark.django_db
READY = "/api/public/health/ready"
ROOT = "root@service.example"
WHY = "the signing key of a merchant may have leaked"


def run(name: str, *words: str) -> str:
    out = StringIO()
    call_command(name, *words, stdout=out)
    return out.getvalue()


def test_what_the_commands_pause_and_resume_stands_once_with_its_history() -> None:
    with pytest.raises(CommandError, match=r"^Say why: --reason\.$"):
        run("pause", "signing")
    with pytest.raises(CommandError, match=r"^payouts cannot be paused: say one or more of signing, sending\.$"):
        run("pause", "payouts", "--reason", WHY)
    assert run("pause") == "signing   goes on\nsending   goes on\n"
    shown = run("pause", "signing", "--reason", WHY, "--by", "Ada")
    since = Pause.objects.get().since
    assert shown == f"signing   paused since {since:%Y-%m-%d %H:%M} UTC by Ada: {WHY}\nsending   goes on\n"
    run("pause", "signing", "sending", "--reason", "again")
    assert list(Pause.objects.order_by("pk").values_list("kind", "reason", "by")) == [
        ("signing", WHY, "Ada"),
        ("sending", "again", "terminal"),
    ]
    assert run("resume", "signing", "--by", "Grace") == "signing   goes on\n"
    assert (is_paused(Paused.SIGNING), is_paused(Paused.SENDING)) == (False, True)
    assert run("resume", "signing") == "signing   was not paused\n"
    ended = Pause.objects.get(kind="signing")
    assert (ended.since, ended.reason, ended.by, ended.ended_by) == (since, WHY, "Ada", "Grace")
    run("pause", "signing", "--reason", "another day")
    assert Pause.objects.filter(kind="signing").count() == 2


def test_a_gas_account_is_paused_alone_and_named_wherever_pauses_are(
    anonymous: ApiClient, settings: Settings, caplog: pytest.LogCaptureFixture
) -> None:
    for network, chain in ((settings.NETWORK_PROFILE, "base"), (settings.NETWORK_PROFILE, "polygon"), ("other", "op")):
        GasAccount.objects.create(network=network, chain=chain, address=chain, backend="keystore")
    known = "say one or more of signing, sending, gas:base, gas:polygon"
    with pytest.raises(CommandError, match=rf"^gas:op cannot be paused: {known}\.$"):
        run("pause", "gas:op", "--reason", WHY)
    with pytest.raises(CommandError, match=rf"^gas:op is never paused: {known}\.$"):
        run("resume", "gas:op")
    shown = run("pause", "gas:base", "--reason", WHY, "--by", "Ada").splitlines()
    since = f"{Pause.objects.get().since:%Y-%m-%d %H:%M} UTC"
    assert shown == [
        *("signing   goes on", "sending   goes on"),
        *(f"gas:base  paused since {since} by Ada: {WHY}", "gas:polygon  goes on"),
    ]
    assert [is_paused(one) for one in ("gas:base", "gas:polygon", Paused.SIGNING)] == [True, False, False]
    assert is_paused(Paused.SIGNING, "gas:base")
    assert list(Change.objects.values_list("actor", "action", "after")) == [
        ("operator:Ada", "gas:base.paused", {"reason": WHY})
    ]
    checks = anonymous.get(READY).body["checks"]
    stands = checks["gas.base"]
    assert (stands["status"], stands["detail"][:32]) == ("ok", "Paused by an operator since 2026"[:32])
    assert (checks["gas.polygon"]["status"], WHY in str(checks)) == ("ok", False)
    metric = next(one for one in _pauses() if one.name == "causeway_paused_seconds")
    assert {sample.labels["kind"] for sample in metric.samples} == {"signing", "sending", "gas:base", "gas:polygon"}
    caplog.clear()
    with caplog.at_level(logging.WARNING, "causeway.pauses"):
        tell_pauses()
    assert caplog.messages == [f"gas:base is paused since {since} by Ada: {WHY}"]
    assert run("resume", "gas:base", "gas:polygon") == "gas:base  goes on\ngas:polygon  was not paused\n"
    assert not is_paused("gas:base")


def test_readiness_names_it_without_its_reason_and_calls_nobody(anonymous: ApiClient) -> None:
    for kind in (*WORKERS, BEAT):
        note_alive(kind)
    reply = anonymous.get(READY)
    assert (reply.status, reply.body["checks"]["signing"], reply.body["checks"]["sending"]) == (
        200,
        {"status": "ok"},
        {"status": "ok"},
    )
    send_mail("subject", "body", None, ["a@x.example"])
    OutgoingMail.objects.create(next_attempt_at=now() - DUE_ROW_MAY_BE_OLD - timedelta(seconds=2))
    assert anonymous.get(READY).status == 503
    stands = pause(Paused.SENDING, reason=WHY, by=ROOT)
    Pause.objects.update(since=now() - timedelta(seconds=70))
    stands.refresh_from_db()
    reply = anonymous.get(READY)
    check = reply.body["checks"]["sending"]
    assert (reply.status, check["status"], check["age_seconds"] in {70, 71}) == (200, "ok", True)
    since = f"{stands.since:%Y-%m-%d %H:%M}"
    assert check["detail"] == f"Paused by an operator since {since} UTC. What is due waits. Operators read why."
    assert reply.body["checks"]["queue.mail"]["detail"] == "It waits: sending is paused."
    assert WHY not in reply.raw.decode()
    pause(Paused.SIGNING, reason=WHY, by=ROOT)
    assert anonymous.get(READY).status == 200


def test_the_log_and_the_metric_say_how_long(caplog: pytest.LogCaptureFixture) -> None:
    pause(Paused.SIGNING, reason=WHY, by=ROOT)
    Pause.objects.update(since=now() - timedelta(seconds=3600))
    since = Pause.objects.get().since
    caplog.clear()
    with caplog.at_level(logging.WARNING, "causeway.pauses"):
        tell_pauses()
    assert caplog.messages == [f"signing is paused since {since:%Y-%m-%d %H:%M} UTC by {ROOT}: {WHY}"]
    metric = next(one for one in _pauses() if one.name == "causeway_paused_seconds")
    values = {sample.labels["kind"]: int(sample.value) for sample in metric.samples}
    assert (metric.name, values["sending"], values["signing"] in {3600, 3601}) == ("causeway_paused_seconds", 0, True)


def test_operators_see_it_on_every_page() -> None:
    User.objects.create_superuser(ROOT, PASSWORD)
    add_second_factor(ROOT)
    root = sign_in(ROOT)
    assert "pause-band" not in root.get("/admin/").content.decode()
    pause(Paused.SIGNING, reason="<b>why</b>", by=ROOT)
    for page in ("/admin/", "/admin/queues/", "/admin/merchants/merchant/"):
        text = root.get(page).content.decode()
        assert text.count("pause-band") == 1, page
        assert "<strong>SIGNING PAUSED</strong>" in text
        assert "&lt;b&gt;why&lt;/b&gt;" in text
