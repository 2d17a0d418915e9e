"""The guides as the service serves them: every page, its links, its twin, its search, and whose key stands in it."""

import re
from html import unescape
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from django.conf import settings
from django.test import Client

from config import demo_merchant
from core.modes import Mode
from guides import reader
from guides.library import Page, groups, page_at, pages
from guides.markup import Drawn, drawn, target_of
from guides.search import search
from guides.views import PLACEHOLDER_KEY
from merchants.models import ApiKey, Membership, Role
from merchants.services import NewMerchant, create_merchant
from tests.merchants.test_sign_in import assert_strict

pytestmark = pytest.mark.django_db
DOCS = Path(settings.BASE_DIR, "docs")
NAMED = re.compile(r'\sid="([^"]+)"')
LED_TO = re.compile(r'<a href="([^"]+)"')
OURS = ("/docs/", "/docs/verify.html", "/api/", "/dashboard/", "/agents/", "/demo/", "/llms")


def shown(url: str, client: Client | None = None) -> str:
    answer = (client or Client()).get(url)
    assert answer.status_code == 200, url
    return answer.content.decode()


def test_the_index_lists_every_file_once_in_three_groups() -> None:
    assert [group.title for group in groups()] == ["Merchants", "Operators", "Contributors"]
    listed = [page.file for group in groups() for page in group.pages]
    written = {path.relative_to(DOCS).as_posix() for path in DOCS.rglob("*.md")} - {"README.md"}
    records = {name for name in written if re.match(r"adr/\d", name)}
    assert sorted(listed) == sorted(written - records)
    assert len({page.slug for page in pages().values()}) == len(written)
    index = unescape(shown("/docs/"))
    assert [page.url for group in groups() for page in group.pages if f'href="{page.url}"' not in index] == []


def test_every_page_is_strict_and_leads_nowhere_in_vain() -> None:
    """Links to places are compared with the names that the page they lead to has."""
    names = {page.url: set(NAMED.findall(drawn(page).html)) for page in pages().values()}
    dead = [
        f"{page.file}: {link}"
        for page in pages().values()
        for link in LED_TO.findall(drawn(page).html)
        if (at := urlsplit(unescape(link))).scheme == ""
        if not is_there(at.path or page.url, at.fragment, names)
    ]
    assert dead == []
    answer = Client().get("/docs/webhooks")
    assert_strict(answer)
    assert not is_there("/docs/webhooks", "nowhere", names)
    assert not is_there("/docs/nobody", "", names)


def is_there(path: str, fragment: str, names: dict[str, set[str]]) -> bool:
    if path in names:
        return not fragment or fragment in names[path]
    return path == "/docs/" or path.startswith("/docs/images/") or path.startswith(OURS[1:])


def test_links_of_the_repository_lead_to_files_that_are_there() -> None:
    links = [(page, link) for page in pages().values() for link in re.findall(r"\]\(([^)\s]+)\)", text_of(page))]
    dead = [f"{page.file}: {link}" for page, link in links if not is_file(page, link)]
    assert dead == []
    assert len(links) > 300


def text_of(page: Page) -> str:
    return re.sub(r"```.*?```|`[^`\n]*`", "", (DOCS / page.file).read_text(encoding="utf-8"), flags=re.DOTALL)


def is_file(page: Page, link: str) -> bool:
    path = link.partition("#")[0]
    return not path or urlsplit(link).scheme != "" or (DOCS / page.file).parent.joinpath(path).exists()


def test_nothing_that_a_page_holds_is_taken_for_html(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = '# T\n\n<script>x</script> <a id="here"></a>\n\n<a id="x" onclick="y"></a> [l](javascript:x) <b>b</b>\n'
    assert draw(text, tmp_path, monkeypatch).html == (
        '<h1 id="t">T</h1>\n<p>&lt;script&gt;x&lt;/script&gt; <span id="here"></span></p>\n'
        "<p>&lt;a id=&quot;x&quot; onclick=&quot;y&quot;&gt;&lt;/a&gt; [l](javascript:x) &lt;b&gt;b&lt;/b&gt;</p>\n"
    )


def draw(text: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> Drawn:
    name = f"planted-{len(text)}"  # pages are read once
    folder.joinpath(f"{name}.md").write_text(text)
    monkeypatch.setattr("guides.library.folder", lambda: folder)
    return drawn(Page(slug=name, title="T", summary="", file=f"{name}.md", group="", section=""))


def test_one_step_in_three_languages_is_one_choice(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = "```sh\ncurl x\n```\n\n```python\ny\n```\n\n```ts\nz\n```\n\n"
    text += "```json\n{}\n```\n\n```python\nalone\n```\n\n```\nplain\n```\n"
    html = draw(text, tmp_path, monkeypatch).html
    assert re.findall(r'<label for="tabs-1-\d">(\w+)</label>', html) == ["curl", "Python", "TypeScript"]
    assert html.count("<fieldset") == 1
    assert html.count("checked") == 1
    assert html.count("data-copies") == 5  # what has no language is an output, and is not copied
    assert html.index("</fieldset>") < html.index("alone")


def test_every_error_code_has_a_place_of_its_own_name() -> None:
    """``doc_url`` of an error leads there."""
    page = pages()["errors"]
    codes = set(re.findall(r"^\| \d{3} \| (?:<a id=\"\w+\"></a>)? ?`(\w+)`", (DOCS / page.file).read_text(), re.M))
    names = NAMED.findall(drawn(page).html)
    assert len(codes) > 80
    assert codes - set(names) == set()
    assert len(names) == len(set(names))


def test_the_twin_is_the_page_as_markdown_and_leads_to_twins() -> None:
    answer = Client().get("/docs/errors.md")
    assert (answer.status_code, answer.headers["Content-Type"]) == (200, "text/markdown; charset=utf-8")
    assert answer.content.decode().startswith("# Errors\n")
    assert answer.headers["Access-Control-Allow-Origin"] == "*"
    assert Client().get("/docs/errors.md", headers={"If-None-Match": answer.headers["ETag"]}).status_code == 304
    linked = re.findall(r"\]\((/docs/[^)]+)\)", shown("/docs/refunds.md"))
    assert linked
    assert [link for link in linked if not link.partition("#")[0].endswith(".md")] == []
    assert [link for link in linked if Client().get(link).status_code != 200] == []


def test_all_of_it_in_one_text() -> None:
    text = shown("/llms-full.txt")
    assert re.findall(r"^Source: http://localhost:8000(/docs/\S+)$", text, re.M) == [
        page.url for page in groups()[0].pages
    ]
    listed = re.findall(r"<loc>http://localhost:8000([^<]+)</loc>", shown("/docs/sitemap.xml"))
    assert listed == ["/docs/", *(page.url for page in pages().values())]


def test_search_needs_every_word_and_no_script() -> None:
    first = search("signature fail")[0]
    assert first.place.page.group == "Merchants"
    assert search("webhook secret")[0].place.page.slug == "webhooks"
    assert search("intent_not_settled")
    assert search("nothingislikethis") == search("") == []
    page = shown("/docs/search?q=%3Cscript%3E+refund")
    assert "<script>" not in page.partition("<main")[2].partition("</main>")[0]
    assert 'action="/docs/search"' in page
    assert 'method="get"' in page


@pytest.mark.parametrize("question", ["idempotency", "refund address", "intent_not_settled"])
def test_what_is_shown_of_a_place_is_a_sentence_where_one_has_a_word_and_cuts_none(question: str) -> None:
    for one in search(question):
        excerpt = (one.before + one.hit + one.after).removeprefix("… ").removesuffix(" …")
        has_sentence = any(word in one.place.text.lower() for word in question.split())
        source = one.place.text if has_sentence else one.place.code or one.place.text
        assert set(excerpt.split()) <= set(source.split()), one.url


def test_code_is_found_where_no_sentence_has_the_word() -> None:
    [found] = search("quickstart-refund-1001")
    assert (found.place.page.slug, found.hit) == ("quickstart", "quickstart-refund-1001")
    assert "The best 30 places" in shown("/docs/search?q=refund")
    assert "The best" not in shown("/docs/search?q=quickstart-refund-1001")


def test_a_page_is_asked_for_again_and_answered_in_short() -> None:
    answer = Client().get("/docs/webhooks")
    assert answer.headers["Cache-Control"] == "private, no-cache"
    assert "Cookie" in answer.headers["Vary"]
    again = Client().get("/docs/webhooks", headers={"If-None-Match": answer.headers["ETag"]})
    assert (again.status_code, again.content) == (304, b"")


@pytest.mark.parametrize("path", ["nobody", "images/nobody.png", "images/..%2Fopenapi.yaml", "../README", "nobody.md"])
def test_what_is_not_there_is_not_found(path: str) -> None:
    assert Client().get(f"/docs/{path}").status_code == 404


def test_neighbours_stay_within_their_reader() -> None:
    first, last = groups()[1].pages[0], groups()[1].pages[-1]
    assert 'rel="prev"' not in shown(first.url)
    assert 'rel="next"' not in shown(last.url)
    assert f'rel="prev" href="{first.url}"' in shown(groups()[1].pages[1].url)
    page = pages()["refunds"]
    assert page_at("guides/refunds.md") is page
    assert target_of(page, "../../CONTRIBUTING.md") is None
    assert target_of(page, "../README.md") == "/docs/"


@pytest.fixture
def made() -> NewMerchant:
    return create_merchant("Shop", "owner@shop.example")


@pytest.fixture
def _kept(made: NewMerchant, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(settings, "KEPT_TEST_KEY", "config.demo_merchant.kept_test_key")
    monkeypatch.setattr(demo_merchant, "kept_test_key", lambda: made.test.secret_key)


def signed_in(made: NewMerchant) -> Client:
    client = Client()
    client.force_login(made.owner)
    return client


@pytest.mark.usefixtures("_kept")
def test_a_reader_who_is_signed_in_sees_the_own_test_key_in_what_nobody_keeps(made: NewMerchant) -> None:
    answer = signed_in(made).get("/docs/quickstart")
    assert made.test.secret_key in answer.content.decode()
    assert PLACEHOLDER_KEY not in answer.content.decode()
    assert answer.headers["Cache-Control"] == "private, no-store"
    assert "ETag" not in answer.headers
    page = shown("/docs/quickstart")
    assert made.test.secret_key not in page
    assert PLACEHOLDER_KEY in page


@pytest.mark.usefixtures("_kept")
@pytest.mark.parametrize("role", [Role.OWNER, Role.ADMIN, Role.DEVELOPER, Role.SUPPORT, Role.VIEWER])
def test_only_who_may_change_keys_sees_one(made: NewMerchant, role: Role) -> None:
    Membership.objects.filter(user=made.owner).update(role=role)
    is_shown = made.test.secret_key in shown("/docs/quickstart", signed_in(made))
    assert is_shown == (role in {Role.OWNER, Role.ADMIN, Role.DEVELOPER})


@pytest.mark.usefixtures("_kept")
def test_a_stranger_sees_none_and_a_revoked_key_is_shown_to_nobody(made: NewMerchant) -> None:
    other = create_merchant("Other", "owner@other.example")
    assert made.test.secret_key not in shown("/docs/quickstart", signed_in(other))
    ApiKey.objects.filter(mode=Mode.TEST, merchant=made.merchant).update(revoked_at="2026-01-01T00:00:00Z")
    assert made.test.secret_key not in shown("/docs/quickstart", signed_in(made))


@pytest.mark.usefixtures("_kept")
def test_a_live_key_is_never_shown(made: NewMerchant, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(demo_merchant, "kept_test_key", lambda: made.live.secret_key)
    assert made.live.secret_key not in shown("/docs/quickstart", signed_in(made))
    monkeypatch.setattr(reader, "TEST_KEY_STARTS", "sk_")
    assert made.live.secret_key not in shown("/docs/quickstart", signed_in(made))
