"""People in front of the dashboard, as browsers: every click is an HTTP request with cookies and CSRF checks."""

import re
from typing import Any

from allauth.account.internal.flows.login import record_authentication
from allauth.mfa.totp.internal.auth import TOTP
from django.contrib.auth import SESSION_KEY
from django.test import Client, RequestFactory

from core.modes import Mode
from merchants.accounts import has_second_factor
from merchants.models import ApiKey, Membership, Merchant, Role, User
from merchants.services import NewMerchant
from tests.conftest import ApiClient

OWNER = "owner@shop.example"
PASSWORD = "correct horse battery"
ROLL = "/dashboard/test/keys/roll/"


def browser(**options: Any) -> Client:
    """A browser nobody is signed in with; forged forms are refused as in production."""
    return Client(enforce_csrf_checks=True, **options)


def send_form(client: Client, path: str, at: str = "", **fields: str) -> Any:
    """Open the page ``at`` (by default the form's own address), then send its form to ``path``."""
    page = client.get(at or path)
    token = re.search(r'name="csrfmiddlewaretoken" value="([^"]+)"', page.content.decode())
    hidden = {"csrfmiddlewaretoken": token.group(1)} if token else {}
    return client.post(path, hidden | fields)


def sign_in_by_page(email: str, password: str = PASSWORD) -> Client:
    """A browser in which that person signed in through the login page. For tests of just that, and of its lines."""
    client = browser()
    send_form(client, "/accounts/login/", login=email, password=password)
    return client


def sign_in(email: str) -> Client:
    """A browser as signing in leaves it, second factor included."""
    client, person = browser(), User.objects.get(email=email)
    client.force_login(person)
    if has_second_factor(person):
        prove_factor(client)
    return client


def confirm_identity(client: Client) -> None:
    """Have the person there proven again who they are, as the page for it leaves the session."""
    request = RequestFactory().get("/")
    request.session = client.session
    person = User.objects.get(pk=request.session[SESSION_KEY])
    record_authentication(request, person, method="password", email=person.email, reauthenticated=True)
    request.session.save()


def prove_factor(client: Client) -> None:
    """Have the person there proven a second factor, as signing in with one leaves the session."""
    request = RequestFactory().get("/")
    request.session = client.session
    person = User.objects.get(pk=request.session[SESSION_KEY])
    record_authentication(request, person, method="mfa", type="totp")
    request.session.save()


def add_second_factor(email: str) -> None:
    TOTP.activate(User.objects.get(email=email), "JBSWY3DPEHPK3PXP")


def proven(email: str = OWNER, *, factor: bool = False) -> Client:
    """A browser in which somebody just proved who they are, with a second factor or without."""
    client = sign_in(email)
    confirm_identity(client)
    if factor:
        add_second_factor(email)
    return client


def add_member(merchant: Merchant, email: str, role: Role) -> User:
    person = User.objects.create_user(email, PASSWORD)
    Membership.objects.create(user=person, merchant=merchant, role=role)
    return person


AS_IT_IS = re.compile(r"(<(?:pre|textarea|script)\b.*?</(?:pre|textarea|script)>)", re.DOTALL)
BLOCKS = (
    "html|head|title|body|main|header|footer|section|article|aside|nav|div|p|h[1-6]|ul|ol|li|dl|dt|dd|table|thead|tbody"
    "|tfoot|tr|td|th|form|fieldset|legend|details|summary|figure|option|optgroup|br"
)
IN_BOXES = re.compile(r'(<(?:(?:a|button|label)\b|span class="pill")[^>]*>) ?(.*?) ?(</(?:a|button|label|span)>)')
BESIDE_BLOCKS = re.compile(rf" ?(</?(?:{BLOCKS})\b[^>]*>) ?")


def text_of(response: Any) -> str:
    """What the page says, tags included, without the line breaks and indents of its template."""
    content: str = response.content.decode()
    if not response.headers.get("Content-Type", "").startswith("text/html"):
        return content
    parts = AS_IT_IS.split(content)
    return "".join(part if number % 2 else in_one_line(part) for number, part in enumerate(parts))


def in_one_line(html: str) -> str:
    """Tags with one space between attributes, and no space beside a tag where no browser draws one."""
    html = re.sub(r"[ \n]+", " ", re.sub(r"<[^>]*>", lambda tag: re.sub(r"[ \n]+>$", ">", tag[0]), html))
    return IN_BOXES.sub(r"\1\2\3", BESIDE_BLOCKS.sub(r"\1", html))


def field_value(response: Any, name: str) -> str:
    """The value of a form field by name or id."""
    found = re.search(rf'(?:name|id)="{name}"[^>]* value="([^"]*)"', text_of(response))
    assert found is not None, f"no field {name}"
    return found.group(1)


def works(key: str) -> bool:
    return ApiClient(key).get("/payment-intents").status == 200


def keys_of(account: NewMerchant, mode: Mode = Mode.TEST) -> list[tuple[Any, ...]]:
    return list(ApiKey.objects.filter(merchant=account.merchant, mode=mode).order_by("pk").values_list())


def roll(client: Client, grace: str = "24", path: str = ROLL) -> Any:
    shown = field_value(client.get(path), "shown_key_id")
    return send_form(client, path, shown_key_id=shown, grace=grace)
