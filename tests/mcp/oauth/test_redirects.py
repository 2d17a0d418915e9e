"""Every trick with a redirect URI, at each of the three ways to write a client."""

import pytest
from django.core.exceptions import ValidationError

from mcp.oauth.redirects import RedirectRefused, check_redirect_uri
from tests.mcp.oauth.flow import new_application

REFUSED = {
    "plain http": "http://evil.example/callback",
    "http on a private address": "http://10.0.0.1/callback",
    "http on another loopback address": "http://127.0.0.2/callback",
    "a name that begins like localhost": "http://localhost.evil.example/callback",
    "the same with https": "https://localhost.evil.example/callback",
    "a name that ends like localhost": "https://evil-localhost.example/callback",
    "an address that goes on as a name": "http://127.0.0.1.evil.example/callback",
    "the same address with https": "https://127.0.0.1.evil.example/callback",
    "localhost with a dot after it": "http://localhost./callback",
    "localhost in capitals": "http://LOCALHOST/callback",
    "loopback as one number": "http://2130706433/callback",
    "loopback as one number with https": "https://2130706433/callback",
    "loopback in hexadecimal": "https://0x7f.0.0.1/callback",
    "loopback in octal": "https://0177.0.0.1/callback",
    "loopback in short": "http://127.1/callback",
    "loopback inside an IPv6 address": "http://[::ffff:127.0.0.1]/callback",
    "any address": "http://0.0.0.0/callback",
    "a user before the host": "https://agent.example@evil.example/callback",
    "an empty user": "https://@evil.example/callback",
    "a user before localhost": "http://localhost@evil.example/callback",
    "a backslash before the host": "https://evil.example\\@agent.example/callback",
    "a backslash in the path": "https://agent.example/\\evil.example",
    "an escaped host": "https://agent%2eexample/callback",
    "a fragment": "https://agent.example/callback#token",
    "an empty fragment": "https://agent.example/callback#",
    "dot segments": "https://agent.example/callback/../steal",
    "escaped dot segments": "https://agent.example/callback/%2e%2e/steal",
    "a blank": "https://agent.example/call back",
    "a new line": "https://agent.example/callback\nhttps://evil.example/",
    "a tab": "https://agent.example/call\tback",
    "a control character": "https://agent.example/call\x00back",
    "a letter that is not ASCII": "https://аgent.example/callback",
    "a full-width dot": "https://agent。example/callback",
    "a script": "javascript:alert(1)",
    "a script with an authority": "javascript://agent.example/%0aalert(1)",
    "data": "data:text/html,hello",
    "a file": "file:///etc/passwd",
    "a scheme nobody allowed": "evilapp://callback",
    "an allowed scheme's neighbour": "cursors://callback",
    "a scheme in capitals": "HTTPS://agent.example/callback",
    "no scheme": "//agent.example/callback",
    "a path": "/callback",
    "no host": "https:///callback",
    "a single slash": "https:/agent.example/callback",
    "a wildcard": "https://*.example/callback",
    "an out-of-band word": "urn:ietf:wg:oauth:2.0:oob",
    "a port out of range": "https://agent.example:65536/callback",
    "port zero": "http://localhost:0/callback",
    "an empty port": "http://localhost:/callback",
    "nothing": "",
    "far too long": "https://agent.example/" + "a" * 1024,
}
ALLOWED = (
    "https://claude.ai/api/mcp/auth_callback",
    "https://agent.example:8443/callback?tenant=a",
    "http://localhost:33418/callback",
    "http://localhost/callback",
    "http://127.0.0.1/",
    "http://127.0.0.1:7777/oauth/callback",
    "http://[::1]:9000/callback",
    "cursor://anysphere.cursor-mcp/oauth/callback",
    "https://vscode.dev/redirect",
)


def is_refused(uri: str) -> bool:
    """Whether no code is ever sent there."""
    try:
        check_redirect_uri(uri)
    except RedirectRefused:
        return True
    return False


def test_what_no_code_is_sent_to() -> None:
    assert [name for name, uri in REFUSED.items() if not is_refused(uri)] == []


@pytest.mark.django_db
def test_what_clients_really_use() -> None:
    for uri in ALLOWED:
        check_redirect_uri(uri)
        new_application().__class__(
            redirect_uris=uri, client_type="public", authorization_grant_type="authorization-code"
        ).clean()


WORSE: list[tuple[str, object]] = [
    ("redirect_uris", "http://evil.example/callback"),
    ("redirect_uris", "https://agent.example/a https://localhost.evil.example/b"),
    ("redirect_uris", ""),
    *(("authorization_grant_type", grant) for grant in ("password", "client-credentials", "implicit")),
    ("skip_authorization", True),
]


@pytest.mark.django_db
def test_an_operator_writes_no_worse_client() -> None:
    for field, value in WORSE:
        application = new_application()
        setattr(application, field, value)
        with pytest.raises(ValidationError) as refused:
            application.full_clean()
        assert field in refused.value.message_dict
