"""What operators do to merchants and accounts: by page and by command, at once, audited, mailed to whom it concerns."""

from datetime import timedelta
from io import StringIO

import pytest
from allauth.mfa.models import Authenticator
from django.core import mail
from django.core.management import CommandError, call_command
from django.test import Client

from core.models import Pause
from core.modes import Mode
from core.pauses import Paused, is_paused, make_quiet
from merchants.audit import SERVICE
from merchants.first_factor import is_word_of
from merchants.models import ApiKey, Change, Merchant, User
from merchants.principal import Principal
from merchants.services import NewMerchant, roll_key_pair
from tests.conftest import ApiClient
from tests.merchants.people import OWNER, PASSWORD, add_second_factor, confirm_identity, send_form, sign_in, text_of

pytestmark = pytest.mark.django_db
ROOT, NEW = "root@service.example", "new@shop.example"
WHY = "it stood in a public repository"


def run(name: str, *words: str) -> str:
    out = StringIO()
    call_command(name, *words, stdout=out)
    return out.getvalue()


@pytest.fixture
def root() -> Client:
    User.objects.create_superuser(ROOT, PASSWORD)
    add_second_factor(ROOT)
    client = sign_in(ROOT)
    confirm_identity(client)
    return client


def lines(merchant_id: int) -> list[tuple[str, str, str]]:
    found = Change.objects.filter(merchant_id=merchant_id, actor__startswith="operator").order_by("pk")
    return list(found.values_list("actor", "action", "mode"))


def letters() -> list[tuple[list[str], str]]:
    sent = [(list(one.to), str(one.subject)) for one in mail.outbox]
    mail.outbox.clear()
    return sent


def test_keys_are_stopped_by_command_and_the_next_request_is_refused(account: NewMerchant) -> None:
    test, live = ApiClient(account.test.secret_key), ApiClient(account.live.secret_key)
    assert (test.get("/payment-intents").status, live.get("/payment-intents").status) == (200, 200)
    number = str(account.merchant.pk)
    with pytest.raises(CommandError, match=r"^Say why\.$"):
        run("revoke_keys", "--merchant", number, "--mode", "live", "--reason", " ")
    with pytest.raises(CommandError):
        run("revoke_keys", "--merchant", "999999", "--mode", "live", "--reason", WHY)
    assert letters() == []
    shown = run("revoke_keys", "--merchant", number, "--mode", "live", "--reason", WHY, "--by", "ada")
    assert shown.endswith(f"2 keys of merchant {number} were stopped in live mode.\n")
    refused = live.get("/payment-intents")
    assert (refused.status, refused.body["code"], test.get("/payment-intents").status) == (401, "revoked_api_key", 200)
    assert account.live.secret_key not in shown
    assert lines(account.merchant.pk) == lines(SERVICE) == [("operator:ada", "keys.revoked_by_operator", "live")]
    line = Change.objects.get(merchant_id=SERVICE)
    assert line.after == {"reason": WHY, "merchants": [account.merchant.pk]}
    [letter] = mail.outbox
    assert (letter.to, WHY in str(letter.body), f"_…{account.live.secret_key[-4:]}" in str(letter.body)) == (
        [OWNER],
        True,
        True,
    )
    principal = Principal(merchant_id=account.merchant.pk, mode=Mode.LIVE, actor="user:1")
    made = roll_key_pair(principal, timedelta(0), shown_key_id=0)
    assert ApiClient(made.secret_key).get("/payment-intents").status == 200


def test_keys_are_stopped_on_the_page_of_a_merchant(root: Client, account: NewMerchant) -> None:
    path = f"/admin/merchants/{account.merchant.pk}/acts/"
    assert path in text_of(root.get(f"/admin/merchants/merchant/{account.merchant.pk}/change/"))
    assert send_form(root, path, act="revoke_keys", mode="test", reason="").status_code == 302
    assert not ApiKey.objects.exclude(revoked_at=None).exists()
    assert send_form(root, path, act="revoke_keys", mode="test", reason=WHY).status_code == 302
    assert set(ApiKey.objects.exclude(revoked_at=None).values_list("mode", flat=True)) == {"test"}
    me = User.objects.get(email=ROOT)
    assert lines(account.merchant.pk) == [(f"operator:{me.pk}", "keys.revoked_by_operator", "test")]
    assert "keys.revoked_by_operator" in text_of(root.get("/admin/acts/"))
    page = text_of(sign_in(OWNER).get("/dashboard/test/audit/"))
    assert "All keys stopped by the operator" in page
    assert "the operator of this service" in page.lower()


def test_a_merchant_is_suspended_and_that_is_ended_on_its_page(root: Client, account: NewMerchant) -> None:
    path, mine = f"/admin/merchants/{account.merchant.pk}/acts/", Merchant.objects.filter(pk=account.merchant.pk)
    send_form(root, path, act="suspend", reason="")
    assert mine.filter(suspended_at=None).exists()
    send_form(root, path, act="suspend", reason=WHY)
    assert not mine.filter(suspended_at=None).exists()
    assert "End the suspension" in text_of(root.get(path))
    send_form(root, path, act="end_suspension", reason=WHY)
    assert mine.filter(suspended_at=None).exists()


def test_an_old_proof_of_identity_changes_nothing(account: NewMerchant) -> None:
    User.objects.create_superuser(ROOT, PASSWORD)
    add_second_factor(ROOT)
    root = sign_in(ROOT)
    root.handler.enforce_csrf_checks = False
    session = root.session
    session["account_authentication_methods"] = [
        {**one, "at": 1.0} for one in session["account_authentication_methods"]
    ]
    session.save()
    pages = {f"/admin/merchants/{account.merchant.pk}/acts/": "revoke_keys"}
    pages |= {f"/admin/people/{account.owner.pk}/acts/": "reset_second_factor"}
    for path, act in pages.items():
        form = {"mode": "live", "act": act, "reason": WHY}
        assert root.get(path).headers["Location"].startswith("/accounts/")
        assert (root.post(path, form).status_code, root.post(path, form).headers["Location"]) == (302, path)
    root.post("/admin/pauses/", {"kind": "signing", "act": "pause", "reason": WHY})
    assert (ApiKey.objects.exclude(revoked_at=None).count(), Pause.objects.count(), mail.outbox) == (0, 0, [])


def test_a_lost_second_factor_is_taken_away_and_every_session_with_it(root: Client, account: NewMerchant) -> None:
    add_second_factor(OWNER)
    theirs = sign_in(OWNER)
    assert theirs.get("/dashboard/test/").status_code == 200
    path = f"/admin/people/{account.owner.pk}/acts/"
    assert send_form(root, path, act="reset_second_factor", reason="phone lost").status_code == 302
    assert not Authenticator.objects.filter(user=account.owner).exists()
    me = User.objects.get(email=ROOT)
    assert lines(SERVICE) == lines(account.merchant.pk) == [(f"operator:{me.pk}", "person.second_factor_reset", "")]
    assert letters() == [([OWNER], "Your second factor was taken away")]


def test_an_operators_own_factor_is_taken_away_at_a_terminal_alone(root: Client) -> None:
    me = User.objects.get(email=ROOT)
    send_form(root, f"/admin/people/{me.pk}/acts/", at="/admin/pauses/", act="reset_second_factor", reason=WHY)
    assert Authenticator.objects.filter(user=me).exists()
    shown = run("reset_second_factor", ROOT, "--reason", "phone lost")
    assert not Authenticator.objects.filter(user=me).exists()
    assert is_word_of(me, shown.rpartition(" ")[2].strip())
    assert lines(SERVICE) == [("operator:terminal", "person.second_factor_reset", "")]


def test_an_address_is_changed_and_both_are_written_to(root: Client, account: NewMerchant) -> None:
    path = f"/admin/people/{account.owner.pk}/acts/"
    for wrong, words in (("nonsense", "That is no e-mail address."), (ROOT, f"{ROOT} has an account already.")):
        send_form(root, path, act="change_address", address=wrong, reason=WHY)
        assert words in text_of(root.get(path))
    assert (User.objects.get(pk=account.owner.pk).email, letters()) == (OWNER, [])
    assert send_form(root, path, act="change_address", address=f" {NEW.upper()} ", reason=WHY).status_code == 302
    assert User.objects.get(pk=account.owner.pk).email == NEW
    assert letters() == [([OWNER], "Your address here was changed"), ([NEW], "Your address here was changed")]
    [line] = Change.objects.filter(merchant_id=account.merchant.pk, action="person.address_changed")
    assert (line.subject, line.before, line.after) == (NEW, {"email": OWNER}, {"email": NEW, "reason": WHY})
    assert run("change_address", NEW, OWNER, "--reason", WHY) == f"{NEW} signs in as {OWNER} from now on.\n"


def test_the_first_operator_the_second_and_how_one_leaves(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DJANGO_SUPERUSER_PASSWORD", PASSWORD)
    shown = run("create_operator", ROOT, "--no-input")
    first = User.objects.get(email=ROOT)
    assert (first.is_staff, first.check_password(PASSWORD)) == (True, True)
    assert is_word_of(first, shown.rpartition(" ")[2].strip())
    with pytest.raises(CommandError, match=r"^This is the last operator\."):
        run("remove_operator", ROOT, "--reason", "leaves")
    run("create_operator", NEW, "--no-input", "--by", "root")
    run("remove_operator", ROOT, "--reason", "leaves")
    assert list(User.objects.filter(is_staff=True).values_list("email", flat=True)) == [NEW]
    assert [(actor, action) for actor, action, _ in lines(SERVICE)] == [
        ("operator:terminal", "operator.made"),
        ("operator:root", "operator.made"),
        ("operator:terminal", "operator.removed"),
    ]
    assert letters() == [([ROOT], "You are no operator any more")]


def test_an_operator_without_a_merchant_is_led_to_the_operators_pages(root: Client) -> None:
    reply = root.get("/dashboard/test/", follow=True)
    assert (reply.status_code, reply.request["PATH_INFO"]) == (200, "/admin/")
    User.objects.create_user("nobody@service.example", PASSWORD)
    assert sign_in("nobody@service.example").get("/dashboard/test/", follow=True).status_code == 403


def test_what_is_quiet_after_a_restore_is_not_resumed_past_the_reading_of_chains(root: Client) -> None:
    make_quiet("a snapshot", by="ada")
    send_form(root, "/admin/pauses/", kind="signing", act="resume")
    assert "let it go by manage.py restored --let-go." in text_of(root.get("/admin/pauses/"))
    with pytest.raises(CommandError, match=r"^This database was put back from a backup"):
        run("resume", "signing", "sending")
    assert (is_paused(Paused.SIGNING), is_paused(Paused.SENDING), lines(SERVICE)) == (True, True, [])


def test_all_signing_is_paused_and_resumed_on_its_page(root: Client) -> None:
    send_form(root, "/admin/pauses/", kind="signing", act="pause", reason="")
    assert not is_paused(Paused.SIGNING)
    send_form(root, "/admin/pauses/", kind="signing", act="pause", reason=WHY)
    assert (is_paused(Paused.SIGNING), is_paused(Paused.SENDING)) == (True, False)
    assert (Pause.objects.get().by, Pause.objects.get().reason) == (ROOT, WHY)
    send_form(root, "/admin/pauses/", kind="signing", act="resume")
    assert (is_paused(Paused.SIGNING), Pause.objects.get().ended_by) == (False, ROOT)
    assert [action for _, action, _ in lines(SERVICE)] == ["signing.paused", "signing.resumed"]
