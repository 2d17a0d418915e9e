"""Pages and frames that lie to each other: nothing is believed, nothing is sent, no wallet is asked."""

import json

from playwright.sync_api import Frame, Page, Request, Route, expect

from tests.browser.conftest import Visit
from tests.browser.hosts import SHOP, Host, until
from tests.browser.payer import new_intent
from tests.journeys.http_caller import Caller
from tests.journeys.programs import Embedded

EVIL = "http://evil.localhost:8899"
STOLEN = "stolen-token"
OPEN = "default-src * 'unsafe-inline' data:"
ROUNDS = 3
"""How often a false page must have spoken before its silence says something."""
HEARD = "window.heard = []; addEventListener('message', ({ data }) => heard.push(data));"
HELLO = """
  const channel = new MessageChannel();
  window.rounds = (window.rounds ?? 0) + 1;
  window.ports = [...(window.ports || []), channel.port1];
  channel.port1.onmessage = ({ data }) => heard.push(data);
  channel.port1.postMessage({ v: 1, type: "token", token: "stolen-token" });
  target.postMessage({ causeway: 1, type: "hello", token, bridge: true, modal: true }, "*", [channel.port2]);
"""
FALSE_HOST = f"""<script>{HEARD}
const [target, token] = [parent.frames[0], "{STOLEN}"];
setInterval(() => {{ {HELLO} }}, 100);
</script>"""
FALSE_FRAME = f"""<script>{HEARD}
setInterval(() => {{
  parent.postMessage({{ causeway: 1, type: "here" }}, "*");
  window.rounds = (window.rounds ?? 0) + 1;
}}, 100);
</script>"""
HOST = f"""<!doctype html><script>
{HEARD}
window.say = (token) => {{ const target = frames[0]; {HELLO} }};
</script><iframe src="%s" width="900" height="700"></iframe>"""
BESIDE = f"""<iframe src="{EVIL}/"></iframe><iframe src="{SHOP}/beside"></iframe>"""
MALFORMED = f"""
  for (const data of [null, "hello", 7, [], {{}}, {{ causeway: 2, type: "hello", token: "{STOLEN}" }},
    {{ causeway: 1, type: "here" }}, {{ causeway: 1, type: "hello", token: {{}} }},
    {{ type: "hello", token: "{STOLEN}" }}]) {{
    frames[0].postMessage(data, "*", [new MessageChannel().port2]);
  }}
  frames[0].postMessage({{ causeway: 1, type: "hello", token: "{STOLEN}" }}, "*");
"""
JUNK = """
  const text = '{"v": 1, "type": "wallets", "__proto__": {"polluted": 1}, "wallets": [{"__proto__": {"polluted": 1}}]}';
  const many = [...Array(500)].map((_, n) => ({ id: `evm-${n}`, family: "evm", name: "<img src=x>", rdns: "a.b" }));
  const signing = { wallet: "evm-0", method: "personal_sign", params: ["0x00", "0x00"] };
  for (const data of [null, 1, "leave", [], { type: "leave" }, { v: 2, type: "leave" },
    { v: 1, type: "__proto__" }, { v: 1, type: "constructor" }, { v: 1, type: "request", id: 1, ...signing },
    { v: 1, type: "answer", id: 1, result: [] }, { v: 1, type: "answer", id: "__proto__" },
    { v: 1, type: "walletEvent", wallet: "__proto__", event: "accountsChanged", value: [] },
    { v: 1, type: "update", appearance: { theme: "'><script>" } }, { v: 1, type: "update" },
    JSON.parse(text), { v: 1, type: "wallets", wallets: many }]) {
    ports[0].postMessage(data);
  }
"""
FRAME = """<!doctype html><script>
window.answers = [];
addEventListener("message", ({ data, ports: [port] }) => {
  window.port = port;
  port.onmessage = ({ data }) => answers.push(data);
});
parent.postMessage({ causeway: 1, type: "here" }, "*");
</script>"""
TELL_WHO_LISTENS = """
const add = window.addEventListener;
window.addEventListener = function (name, ...rest) {
  add.call(this, name, ...rest);
  if (name === "message") window.listens = true;
};"""
BESIDE_IT = "(src) => document.body.append(Object.assign(document.createElement('iframe'), { src }))"
WALLETS = """
window.calls = [];
const info = { uuid: "1", name: "Wallet", icon: "", rdns: "a.wallet" };
const provider = { request: async ({ method }) => { calls.push(method); return ["0x01"]; }, on() {} };
const detail = Object.freeze({ info, provider });
addEventListener("eip6963:requestProvider", () =>
  dispatchEvent(new CustomEvent("eip6963:announceProvider", { detail })));
const [version, chains] = ["1.0.0", ["solana:mainnet"]];
const does = (name) => ({ version, [name]: async () => { calls.push(name); return []; } });
const wallet = { version, name: "Sol", icon: "", chains, accounts: [], features: {
  "standard:connect": does("connect"), "solana:signMessage": does("signMessage"), "solana:signIn": does("signIn"),
  "solana:signTransaction": does("signTransaction"),
} };
addEventListener("wallet-standard:app-ready", ({ detail }) => detail.register(wallet));
"""
DEMANDS = """
  const refused = ["personal_sign", "eth_sign", "eth_signTypedData_v4", "eth_signTransaction",
    "wallet_requestPermissions", "eth_sendRawTransaction", "standard:connect", "__proto__", "constructor", "toString",
    "", null, 7, {}, ["personal_sign"]];
  const solana = ["solana:signMessage", "solana:signIn", "standard:disconnect", "eth_accounts", "__proto__", "at"];
  let id = 0;
  const say = (message) => port.postMessage({ v: 1, ...message });
  const ask = (wallet, method, params = [{}]) => say({ type: "request", id: ++id, wallet, method, params });
  for (const method of refused) ask("evm-0", method);
  for (const method of solana) ask("solana-1", method);
  for (const wallet of ["evm-9", "__proto__", "length", 0, null, {}]) ask(wallet, "eth_accounts");
  ask("evm-0", "eth_accounts", "no list");
  port.postMessage(null);
  say({ type: "request" });
  say(JSON.parse('{"type": "event", "name": "__proto__", "detail": {"__proto__": {"polluted": 1}}}'));
  for (const type of ["__proto__", "constructor", "valueOf", "hello", "eval"]) say({ type });
"""


def serve(page: Page, start: str, body: str) -> None:
    page.context.route(f"{start}**", lambda route: route.fulfill(content_type="text/html", body=body))


def frame_of(page: Page, start: str) -> Frame:
    return next(frame for frame in page.frames if frame.url.startswith(start))


def tokens_sent(page: Page) -> list[str]:
    """The checkout tokens that leave the browser from now on."""
    sent: list[str] = []

    def note(request: Request) -> None:
        if token := request.headers.get("checkout-token"):
            sent.append(token)

    page.on("request", note)
    return sent


def has_spoken(*false: Frame) -> None:
    """Wait until each of these pages has said its lies a few times more."""
    for one in false:
        one.evaluate("window.rounds = 0")
    for one in false:
        until(one, f"rounds >= {ROUNDS}")


def expect_all_heard(speaker: Page | Frame, target: str, hearer: Page | Frame) -> None:
    """Wait until the hearer has heard all that was said to it, and sent what it sends because of it.

    Why this tells: messages between two windows come in order, and so do the requests of a page.
    """
    hearer.evaluate("addEventListener('message', ({ data }) => { window.marked ||= data === 'the last'; })")
    speaker.evaluate(f"{target}.postMessage('the last', '*')")
    until(hearer, "window.marked")
    hearer.evaluate("new Promise((turn) => setTimeout(turn))")


def session(service: Embedded, key: str, intent: str) -> str:
    caller = Caller(base_url=service.base_url, key=key)
    made = caller.post(f"/api/public/v1/checkout/{intent}/session", {})
    assert made.status == 200, made.raw
    token: str = made.body["checkout_token"]
    return token


def test_a_frame_hears_the_first_hello_of_its_host_and_no_other(
    visit: Visit, service: Embedded, shop: Caller, key: str
) -> None:
    page, intent = visit.page, new_intent(shop)["id"]
    page.context.grant_permissions(["local-network-access"])
    embedded = f"{service.base_url}/embed/{intent}"
    serve(page, SHOP, HOST % f"{embedded}?origin={SHOP}" + BESIDE)
    serve(page, EVIL, FALSE_HOST)
    serve(page, f"{SHOP}/beside", FALSE_HOST)
    sent = tokens_sent(page)
    visit.open(SHOP)
    frame, beside = frame_of(page, embedded), [frame_of(page, EVIL), frame_of(page, f"{SHOP}/beside")]
    page.evaluate(MALFORMED)
    has_spoken(*beside)
    expect_all_heard(page, "frames[0]", frame)
    assert (sent, [one.evaluate("heard") for one in beside]) == ([], [[], []])
    assert {json.dumps(message) for message in page.evaluate("heard")} == {'{"causeway": 1, "type": "here"}'}
    token = session(service, key, intent)
    page.evaluate("say", token)
    until(page, "heard.some(({ type, name }) => type === 'event' && name === 'ready')")
    page.evaluate("say", STOLEN)
    page.evaluate(JUNK)
    has_spoken(*beside)
    assert frame.evaluate("[({}).polluted, document.documentElement.dataset.theme]") == [None, None]
    page.evaluate("ports[0].postMessage({ v: 1, type: 'update', appearance: { theme: 'dark' } })")
    until(frame, "document.documentElement.dataset.theme === 'dark'")
    assert [one.evaluate("heard") for one in beside] == [[], []]
    assert set(sent) <= {token}
    assert frame.evaluate("({}).polluted") is None
    assert {message["type"] for message in page.evaluate("heard")} == {"here", "event", "resize"}
    expect(page.frame_locator("iframe >> nth=0").get_by_test_id("wallet-option")).to_have_count(2)


def test_a_frame_under_a_foreign_page_says_and_hears_nothing(
    visit: Visit, service: Embedded, shop: Caller, key: str
) -> None:
    page, intent = visit.page, new_intent(shop)["id"]
    page.context.grant_permissions(["local-network-access"])
    embedded = f"{service.base_url}/embed/{intent}"
    serve(page, EVIL, HOST % f"{embedded}?origin={SHOP}")
    sent = tokens_sent(page)
    visit.open(EVIL)
    visit.forgive("frame-ancestors")

    def without_policy(route: Route) -> None:
        answer = route.fetch()
        headers = {name: value for name, value in answer.headers.items() if name != "content-security-policy"}
        route.fulfill(response=answer, headers=headers)

    page.context.route(f"{embedded}**", without_policy)
    page.add_init_script(TELL_WHO_LISTENS)
    visit.open(EVIL)
    until(frame_of(page, embedded), "window.listens")
    page.evaluate("say", session(service, key, intent))
    expect_all_heard(page, "frames[0]", frame_of(page, embedded))
    assert (page.evaluate("heard"), sent) == ([], [])
    assert all("does not match the recipient window's origin" in text for text in visit.complaints), visit.complaints
    visit.complaints.clear()


def test_a_host_lends_its_wallets_to_its_frame_and_only_for_what_is_listed(
    visit: Visit, service: Embedded, shop: Caller, key: str
) -> None:
    page, intent = visit.page, new_intent(shop)["id"]
    page.add_init_script(f"if (window === window.top) {{ {WALLETS} }}")
    serve(page, f"{service.base_url}/embed/{intent}", FRAME)
    serve(page, EVIL, FALSE_FRAME)
    serve(page, f"{service.base_url}/embed/beside", FALSE_FRAME)
    sessions: list[Request] = []
    page.on("request", lambda request: sessions.append(request) if request.url.endswith("/session?locale=") else None)
    host = Host(page.context, service.base_url, policy=OPEN)
    host.open(page, key, intent)
    page.wait_for_selector("iframe", state="attached")  # why: the frames beside it must not be the first
    beside = (f"{EVIL}/", f"{service.base_url}/embed/beside")
    for address in beside:
        page.evaluate(BESIDE_IT, address)
    frame = page.locator("iframe").first.element_handle().content_frame()
    assert frame is not None
    until(frame, "window.port")
    frame.evaluate("port.postMessage({ v: 1, type: 'discover' })")
    until(frame, "answers.some(({ wallets }) => wallets?.length === 2)")
    frame.evaluate(DEMANDS)
    has_spoken(*(frame_of(page, address) for address in beside))
    frame.evaluate(
        "port.postMessage({ v: 1, type: 'request', id: 99, wallet: 'evm-0', method: 'eth_accounts', params: [] })"
    )
    until(frame, "answers.some(({ id, result }) => id === 99 && result[0] === '0x01')")
    refused = frame.evaluate("answers.filter(({ type, id }) => type === 'answer' && id !== 99)")
    assert [answer.get("error", {}).get("code") for answer in refused] == [4200] * 29
    assert page.evaluate("[calls, ({}).polluted, told]") == [["eth_accounts"], None, []]
    assert [frame_of(page, address).evaluate("heard") for address in beside] == [[], []]
    frame.evaluate(f"location.replace('{EVIL}/')")
    frame.wait_for_url(f"{EVIL}/")
    has_spoken(*page.frames[1:])
    expect_all_heard(frame, "parent", page)
    assert ([each.evaluate("heard") for each in page.frames[1:]], len(sessions)) == ([[], [], []], 1)
