"""The description of the API, the front page and the pages that say no: strict, from here alone, and served short."""

import gzip
import re
from pathlib import Path
from typing import Any

import orjson
import pytest
import yaml
from django.conf import settings
from django.contrib.staticfiles import finders
from django.test import Client
from openapi_spec_validator import OpenAPIV31SpecValidator

from config.minified import is_minified, minified, minified_copy
from config.storage import HashedStaticFiles
from tests.conftest import ApiClient
from tests.merchants.test_sign_in import assert_strict
from webhooks.catalog import EVENT_NAMES

pytestmark = pytest.mark.django_db
DESCRIPTION = "/api/public/openapi.json"
UNAUTHENTICATED = {"/api/public/health", "/api/public/v1/tokens", "/api/public/v1/checkout/{intent_id}"}


@pytest.fixture
def served(anonymous: ApiClient) -> dict[str, Any]:
    answer = anonymous.get(DESCRIPTION)
    assert (answer.status, answer.headers["Content-Type"]) == (200, "application/json")
    body: dict[str, Any] = answer.body
    return body


@pytest.mark.spec("API description: OpenAPI 3.1, version 1.2.0")
@pytest.mark.spec("Versioning: the machine-readable description carries the version 1.2.0; Contract 19.1")
def test_the_document_is_valid_names_its_version_and_is_what_is_committed(served: dict[str, Any]) -> None:
    assert (served["openapi"], served["info"]["version"]) == ("3.1.0", "1.2.0")
    assert [error.message for error in OpenAPIV31SpecValidator(served).iter_errors()] == []
    committed = Path(settings.BASE_DIR, "docs", "openapi.yaml").read_text(encoding="utf-8")
    assert orjson.loads(orjson.dumps(yaml.load(committed, Loader=yaml.CSafeLoader))) == served


def test_programs_ask_again_cheaply_and_the_document_is_only_read(anonymous: ApiClient) -> None:
    first = anonymous.get(DESCRIPTION)
    again = anonymous.get(DESCRIPTION, If_None_Match=first.headers["ETag"])
    assert (again.status, again.raw) == (304, b"")
    answer = anonymous.post(DESCRIPTION, {})
    assert (answer.status, answer.body["code"]) == (405, "method_not_allowed")


def test_who_unpacks_it_is_sent_a_tenth_of_it(client: Client) -> None:
    plain, packed = client.get(DESCRIPTION), client.get(DESCRIPTION, headers={"Accept-Encoding": "gzip, deflate, br"})
    assert (packed.status_code, packed.headers["Content-Encoding"]) == (200, "gzip")
    assert gzip.decompress(packed.content) == plain.content
    assert len(packed.content) < len(plain.content) / 10
    assert "Content-Encoding" not in plain.headers
    assert all("Accept-Encoding" in one.headers["Vary"] for one in (plain, packed))
    again = {"Accept-Encoding": "gzip", "If-None-Match": packed.headers["ETag"]}
    assert client.get(DESCRIPTION, headers=again).status_code == 304
    assert packed.headers["ETag"] != plain.headers["ETag"]


@pytest.mark.spec("Authentication: Authorization: Bearer <SECRET_KEY>; Limits: amount 0.01 to 1000000")
@pytest.mark.spec("Errors: body with error, code, details")
def test_operations_name_their_credential_their_bounds_and_their_refusals(served: dict[str, Any]) -> None:
    scheme = served["components"]["securitySchemes"]["bearerAuth"]
    assert (scheme["type"], scheme["scheme"]) == ("http", "bearer")
    operations = [one for path in served["paths"].values() for one in path.values()]
    names = [one["operationId"] for one in operations]
    assert len(set(names)) == len(names)
    assert [one["operationId"] for one in operations if not one.get("summary")] == []
    assert {tag for one in operations for tag in one["tags"]} <= {tag["name"] for tag in served["tags"]}
    for path in UNAUTHENTICATED:
        for method, operation in served["paths"][path].items():
            assert not any(operation.get("security", [])), (method, path)
    create = served["paths"]["/api/public/v1/payment-intents"]["post"]
    assert create["security"] == [{"bearerAuth": []}]
    amount = served["components"]["schemas"]["CreatePaymentIntentRequest"]["properties"]["amount"]
    assert (amount["type"], amount["minimum"], amount["maximum"]) == ("number", 0.01, 1000000)
    refusals = ("400", "401", "409", "413", "415", "429", "500", "503")
    assert {"201", *refusals} <= create["responses"].keys()
    for status in refusals:
        shape = create["responses"][status]["content"]["application/json"]["schema"]
        assert shape == {"$ref": "#/components/schemas/ErrorBody"}


@pytest.mark.spec("Events: envelope and types")
def test_every_event_is_described(served: dict[str, Any]) -> None:
    assert set(served["webhooks"]) == EVENT_NAMES
    settled = served["webhooks"]["payment_intent.settled"]["post"]
    assert settled["requestBody"]["content"]["application/json"]["schema"] == {
        "$ref": "#/components/schemas/PaymentIntentSettledEvent"
    }
    assert set(settled["responses"]) == {"200", "401", "410"}
    assert {"id", "type", "created_at", "data"} <= set(
        served["components"]["schemas"]["PaymentIntentSettledEvent"]["required"]
    )


def test_the_front_page_leads_everywhere() -> None:
    page = Client().get("/")
    text = page.content.decode()
    assert page.status_code == 200
    assert {'href="/demo/"', 'href="/dashboard/"', 'href="/api/docs/"'} <= set(re.findall(r'href="/[^"]*"', text))
    assert "curl http://localhost:8000/api/public/v1/payment-intents" in text


@pytest.mark.parametrize(("path", "status"), [("/", 200), ("/nowhere", 404), ("/checkout", 404), ("/api/docs/", 200)])
def test_pages_are_strict_and_every_file_they_name_is_here(path: str, status: int) -> None:
    page = Client().get(path)
    text = page.content.decode()
    assert page.status_code == status
    assert_strict(page)
    assert re.findall(r"""(?:src|href)=["'](?:https?:)?//""", text) == []
    files = re.findall(r'(?:src|href)="/static/([^"]+)"', text)
    assert len(files) >= (5 if path == "/api/docs/" else 1)
    assert [name for name in files if finders.find(name) is None] == []
    assert ('data-url="/api/public/openapi.json"' in text) == (path == "/api/docs/")


OTHERS = ("admin/js/core.js", "drf_spectacular_sidecar/swagger-ui-dist/swagger-ui-bundle.js", "checkout/types.d.ts")
FIRST = ("main", "state", "view", "words", "api", "poll", "wallets/discovery")
MOST_BYTES = 8 * 1024
"""Of the scripts before the first press. Why less than the whole budget: the page and its style sheet count too."""


def our_files() -> dict[str, tuple[object, str]]:
    found = ((path, storage) for finder in finders.get_finders() for path, storage in finder.list(None))
    return {path: (storage, path) for path, storage in found if is_minified(path)}


@pytest.fixture
def collected(tmp_path: Path) -> Path:
    storage = HashedStaticFiles(location=str(tmp_path), base_url="/static/")
    files = our_files()
    for name, (source, path) in files.items():
        with source.open(path) as original:  # type: ignore[attr-defined]  # a storage without a type
            storage.save(name, original)
    problems = [one for one in storage.post_process(files) if isinstance(one[2], Exception)]
    assert problems == []
    return tmp_path


def test_every_import_leads_to_a_file_whose_name_tells_its_content(collected: Path) -> None:
    hashed = [path for path in collected.rglob("*.js") if re.search(r"\.[0-9a-f]{12}\.js$", path.name)]
    imports = [
        (path.name, target if target.startswith("/") else path.parent / target)
        for path in hashed
        for target in re.findall(r'(?:from\s*|import\()"([./][^"]+)"', path.read_text(encoding="utf-8"))
    ]
    assert len(imports) > 40
    missing = [(name, str(at)) for name, at in imports if not (collected / str(at).removeprefix("/static/")).is_file()]
    assert missing == []
    assert [name for name, at in imports if not re.search(r"\.[0-9a-f]{12}\.js$", str(at))] == []


def test_what_is_served_has_no_comments_and_the_first_scripts_are_light(collected: Path) -> None:
    texts = {path: path.read_text(encoding="utf-8") for path in [*collected.rglob("*.js"), *collected.rglob("*.css")]}
    assert [path.name for path, text in texts.items() if "/**" in text or "\n\n" in text] == []
    first = [next(collected.joinpath("checkout").glob(f"{name}.????????????.js")) for name in FIRST]
    assert sum(len(gzip.compress(path.read_bytes())) for path in first) <= MOST_BYTES


def test_a_copy_of_ours_is_the_same_text_made_shorter_and_what_others_wrote_stays(tmp_path: Path) -> None:
    assert [name for name in OTHERS if is_minified(name)] == []
    source = tmp_path / "source.js"
    source.write_text("/** Why. */\nexport const one = 1;\n", encoding="utf-8")
    copy = minified_copy("checkout/one.js", source, tmp_path / "static")
    assert copy == tmp_path / "static" / "checkout" / "one.js"
    assert copy.read_text(encoding="utf-8") == "export const one=1;" == minified("checkout/one.js", source.read_text())
    assert [path.name for path in copy.parent.iterdir()] == ["one.js"]
