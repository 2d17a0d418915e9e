"""A merchant's own look: chosen on the page, seen by payers, read in both schemes; what is hostile is harmless."""

import random
import re
import struct
import zlib
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from hypothesis import given
from hypothesis import strategies as st

from checkout.branding.colours import LEAST_CONTRAST, LIGHT, Colour, accent_of, contrast, shown_contrast
from checkout.branding.pictures import MOST_BYTES, NoPicture, read_picture
from checkout.branding.sheets import Style, checkout_sheet
from checkout.models import Branding
from merchants.models import Change
from merchants.services import NewMerchant
from tests.checkout.pages import LIVE, read_page, visit
from tests.conftest import ApiClient
from tests.merchants.people import OWNER, send_form, sign_in, text_of
from tests.payments.world import create

pytestmark = pytest.mark.slow

LOOK = "/dashboard/test/look/"
PLAIN = {"accent": "#1f4fd1", "shape": "round", "font": "system", "deed": "save"}


def chunk(kind: bytes, body: bytes) -> bytes:
    return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))


def png(width: int = 64, height: int = 32, extra: bytes = b"", end: bytes = b"") -> bytes:
    """A real PNG, one colour all over."""
    rows = zlib.compress(b"".join(b"\0" + b"\x33\x66\x99" * width for _ in range(height)))
    head = chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0))
    return b"\x89PNG\r\n\x1a\n" + head + extra + chunk(b"IDAT", rows) + chunk(b"IEND", b"") + end


def jpeg(width: int = 64, height: int = 32, extra: bytes = b"", end: bytes = b"") -> bytes:
    """The frame of a JPEG."""
    size = b"\xff\xc0" + struct.pack(">HBHHB", 11, 8, height, width, 1) + b"\x01\x11\x00"
    scan = b"\xff\xda" + struct.pack(">H", 8) + b"\x01\x01\x00\x00\x3f\x00" + b"\x12\x34\xff\x00\x56"
    return b"\xff\xd8" + extra + size + scan + b"\xff\xd9" + end


def webp(kind: bytes = b"VP8L", body: bytes | None = None, extra: bytes = b"", end: bytes = b"") -> bytes:
    """The frame of a WebP, 64 by 32."""
    picture = b"\x2f" + struct.pack("<I", 63 | 31 << 14) + b"\0" if body is None else body
    inside = b"WEBP" + kind + struct.pack("<I", len(picture)) + picture + b"\0" * (len(picture) % 2) + extra
    return b"RIFF" + struct.pack("<I", len(inside)) + inside + end


@pytest.fixture
def owner(account: NewMerchant) -> Client:
    return sign_in(OWNER)


def choose(client: Client, **fields: str) -> Any:
    return send_form(client, LOOK, **(PLAIN | fields))


def upload(client: Client, content: bytes, name: str = "logo.png", kind: str = "image/png") -> Any:
    return send_form(client, LOOK, deed="logo", logo=SimpleUploadedFile(name, content, kind))  # type: ignore[arg-type]  # a file


def checkout_of(api: ApiClient) -> tuple[Any, str]:
    answer = visit(create(api)["id"])
    return answer, text_of(answer)


def linked(page: str, ending: str) -> str:
    found = re.search(rf'"(/checkout/brand/[0-9a-f-]+/\d+/{ending})"', page)
    assert found is not None, f"no {ending} on the page"
    return found.group(1)


def test_payers_see_the_name_colour_and_links(api: ApiClient, owner: Client, other_api: ApiClient) -> None:
    assert "/checkout/brand/" not in checkout_of(api)[1], "without a look the page is the service's own"
    addresses = {name: f"https://shop.example/{name}" for name in ("support_url", "terms_url", "privacy_url")}
    looks = {"display_name": "Ann’s Corner", "accent": "#B0005A", "shape": "pill", "font": "serif"}
    assert choose(owner, **looks, **addresses, support_email="help@shop.example").status_code == 302
    upload(owner, png())
    answer, page = checkout_of(api)
    assert read_page(answer).text("merchant-name") == "Ann’s Corner"
    for address in ("mailto:help@shop.example", addresses["support_url"], addresses["terms_url"]):
        assert f'<a href="{address}" rel="noopener noreferrer">' in page
    assert "unsafe" not in answer.headers["Content-Security-Policy"], "the page stays strict"
    sheet = Client().get(linked(page, "look.css"))
    assert sheet.headers["Content-Type"] == "text/css; charset=utf-8"
    assert sheet.headers["Cache-Control"] == "public, max-age=31536000, immutable"
    text = text_of(sheet)
    for rule in (":root{--accent:#b0005a;--on-accent:#ffffff}", "border-radius:28px", "ui-serif"):
        assert rule in text
    assert len(text) < 1024
    assert "/checkout/brand/" not in checkout_of(other_api)[1], "other merchants keep theirs"


def test_each_change_has_a_new_address_and_old_ones_are_not_kept(api: ApiClient, owner: Client) -> None:
    choose(owner, accent="#aa0000")
    first = linked(checkout_of(api)[1], "look.css")
    choose(owner, accent="#00aa00")
    second = linked(checkout_of(api)[1], "look.css")
    assert first != second
    assert Client().get(first).headers["Cache-Control"] == "no-store"
    choose(owner, accent="#00aa00")
    assert linked(checkout_of(api)[1], "look.css") == second


def test_both_modes_share_the_look(account: NewMerchant, owner: Client, live_api: ApiClient) -> None:
    choose(owner, display_name="Ann")
    assert read_page(visit(create(live_api, **LIVE)["id"])).text("merchant-name") == "Ann"


def test_a_preview_changes_nothing(api: ApiClient, owner: Client) -> None:
    answer = choose(owner, deed="preview", accent="#ffff00", display_name="Tried")
    assert answer.status_code == 200
    page = text_of(answer)
    assert "Tried" in page
    assert "too faint for small text as chosen, so it is drawn darker" in page
    sheet = re.search(r'id="preview-sheet" href="([^"]+)"', page)
    assert sheet is not None
    drawn = text_of(owner.get(sheet.group(1).replace("&amp;", "&")))
    assert '.mini[data-scheme="dark"]{--accent:#ffff00;--on-accent:#000000}' in drawn
    assert written() == NOTHING


def test_a_preview_of_nonsense_is_the_services_own(owner: Client) -> None:
    plain = text_of(owner.get(f"{LOOK}preview.css"))
    colours = ("red", "%23fff", "%231f4fd1}*{display:none", "9" * 5000)
    for asked in (*(f"accent={colour}" for colour in colours), "shape=x&font=y"):
        assert text_of(owner.get(f"{LOOK}preview.css?{asked}")) == plain, asked[:80]


HOSTILE = {
    "display_name": ["x" * 61, "x" * 10_000, "two\nlines", "a\u202eb", "a\u200bb"],
    "accent": ["red", "#fff", "#1f4fd1;}", "#1f4fd١", ""],
    "shape": ["9px}"],
    "font": ["Comic Sans"],
    "support_email": ["javascript:alert(1)", "a@b", "a@shop.example?cc=b@evil.example"],
    "support_url": ["http://shop.example", "javascript:alert(1)", "https://shop.example/" + "x" * 2048],
    "terms_url": ["https://ann:secret@shop.example", "https://", "//shop.example", 'https://shop.example/"onclick="x'],
    "privacy_url": [
        *("data:text/html,<script>alert(1)</script>", "https://shop.example:99999"),
        "https://xn--80ak6aa92e.example\u202e/",
    ],
}
NOTHING = (0, 0)


def written() -> tuple[int, int]:
    """How many looks there are, and how many changes were put down."""
    return Branding.objects.count(), Change.objects.exclude(action__startswith="person.").count()


def test_what_is_hostile_changes_nothing(owner: Client) -> None:
    for field, values in HOSTILE.items():
        for value in values:
            answer = choose(owner, **{field: value})
            assert answer.status_code == 400, (field, value[:80])
            assert "Nothing was changed" in text_of(answer)
            assert "<script>alert" not in text_of(answer)
    assert written() == NOTHING


def test_a_name_is_text_and_nothing_else(api: ApiClient, owner: Client) -> None:
    for name in ("<script>alert(1)</script>", '"><img src=x onerror=alert(1)>', "{{ 7|add:7 }}", "اسم"):
        assert choose(owner, display_name=name).status_code == 302
        for page in (checkout_of(api)[1], text_of(owner.get(LOOK))):
            assert [tag for tag in ("<script>alert", "<img src=x") if tag in page] == []
        assert Branding.objects.get().display_name == name


def test_a_logo_is_served_as_what_it_is_until_it_is_removed(api: ApiClient, owner: Client) -> None:
    for content, kind in ((png(), "image/png"), (jpeg(), "image/jpeg"), (webp(), "image/webp")):
        assert upload(owner, content, "evil.html", "text/html").status_code == 302
        _, page = checkout_of(api)
        assert re.search(r'<img class="logo" src="[^"]+" width="64" height="32" alt=""', page)
        address = linked(page, "logo")
        answer = Client().get(address)
        assert (answer.status_code, answer.headers["Content-Type"], answer.content) == (200, kind, content)
        assert answer.headers["X-Content-Type-Options"] == "nosniff"
        assert answer.headers["Content-Security-Policy"] == "default-src 'none'; sandbox"
        line = Change.objects.filter(action="look.logo_changed").latest("pk")
        assert line.after == {"logo": f"{kind}, 64 × 32, {len(content)} bytes"}
        assert line.before == {"logo": "none"}
        assert send_form(owner, LOOK, deed="remove_logo").status_code == 302
        assert 'class="logo"' not in checkout_of(api)[1]
        assert Client().get(address).status_code == 404


def test_what_is_no_part_of_the_picture_is_left_out() -> None:
    hidden = b"<script>alert(1)</script>"
    assert read_picture(png(extra=chunk(b"tEXt", b"Comment\0" + hidden))).content == png()
    assert read_picture(jpeg(extra=b"\xff\xfe" + struct.pack(">H", 2 + len(hidden)) + hidden)).content == jpeg()
    remark = b"EXIF" + struct.pack("<I", len(hidden)) + hidden + b"\0" * (len(hidden) % 2)
    assert read_picture(webp(extra=remark)).content == webp()


SVG = b'<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>'
NO_PICTURES = {
    "nothing": b"",
    "svg": SVG,
    "svg with a prolog": b"<?xml version='1.0'?>" + SVG,
    "gif": b"GIF89a" + b"\0" * 100,
    "html": b"<html><script>alert(1)</script>",
    "png and html": png(end=b"<script>alert(1)</script>"),
    "png and zip": png(end=b"PK\x03\x04"),
    "jpeg and html": jpeg(end=b"<script>alert(1)</script>"),
    "webp and html": webp(end=b"<script>alert(1)</script>"),
    "png cut": png()[:-20],
    "jpeg cut": jpeg()[:-2],
    "webp cut": webp()[:-3],
    "png damaged": png().replace(b"IDAT", b"JDAT"),
    "png head alone": b"\x89PNG\r\n\x1a\n",
    "jpeg head alone": b"\xff\xd8\xff",
    "webp head alone": b"RIFF\x04\0\0\0WEBP",
    "png that moves": png(extra=chunk(b"acTL", b"\0" * 8)),
    "webp that moves": webp(extra=b"ANIM" + struct.pack("<I", 6) + b"\0" * 6),
    "too narrow": png(15, 32),
    "too high": png(32, 2049),
    "no size": jpeg(0, 0),
    "too large": png(extra=chunk(b"tEXt", b"x" * MOST_BYTES)),
}


def test_what_is_no_picture_is_refused(owner: Client) -> None:
    for name, content in NO_PICTURES.items():
        answer = upload(owner, content)
        assert answer.status_code == 400, name
        assert 'id="logo-fault"' in text_of(answer), name
    assert written() == NOTHING


@given(
    content=st.one_of(
        st.binary(max_size=200),
        st.sampled_from([png(), jpeg(), webp()]).flatmap(
            lambda whole: st.tuples(st.integers(0, len(whole) - 1), st.integers(0, 255)).map(
                lambda change: whole[: change[0]] + bytes([change[1]]) + whole[change[0] + 1 :]
            )
        ),
    )
)
def test_no_bytes_break_the_reader(content: bytes) -> None:
    try:
        picture = read_picture(content)
    except NoPicture:
        return
    assert read_picture(picture.content) == picture


def test_contrast_is_that_of_the_standard_and_what_can_be_read_stays_as_chosen() -> None:
    assert contrast((0, 0, 0), (255, 255, 255)) == 21
    assert LEAST_CONTRAST < contrast((0x76, 0x76, 0x76), (255, 255, 255)) < 4.6
    assert contrast((0x77, 0x77, 0x77), (255, 255, 255)) < LEAST_CONTRAST
    pure = {"4.00": (255, 0, 0), "1.37": (0, 255, 0), "8.59": (0, 0, 255)}
    assert [f"{float(contrast(one, (255, 255, 255))):.2f}" for one in pure.values()] == list(pure)
    assert shown_contrast("#ffffff", LIGHT) == "1.0"
    assert (accent_of("#1f4fd1").light, accent_of("#91b1ff").dark) == ("#1f4fd1", "#91b1ff")


def test_every_change_is_put_down(owner: Client) -> None:
    choose(owner, display_name="Ann")
    choose(owner, display_name="Ann")
    choose(owner, display_name="Anna", font="mono")
    lines = Change.objects.exclude(action__startswith="person.").order_by("pk")
    assert list(lines.values_list("action", "mode", "before", "after")) == [
        ("look.changed", "", {"display_name": ""}, {"display_name": "Ann"}),
        ("look.changed", "", {"display_name": "Ann", "font": "system"}, {"display_name": "Anna", "font": "mono"}),
    ]


def test_unknown_looks_do_not_exist(db: None) -> None:
    for path in ("look.css", "logo"):
        nothing = f"/checkout/brand/00000000-0000-4000-8000-000000000000/1/{path}"
        assert (Client().get(nothing).status_code, Client().post(nothing).status_code) == (404, 405)


STATIC = Path(__file__).resolve().parents[2] / "checkout/static/checkout"
TINT = 0.12
"""How much accent is in the ground of small marks. Source: checkout.css, ``color-mix``."""
GROUNDS = ("paper", "card", "soft")


def colours_in(sheet: str) -> list[dict[str, Colour]]:
    """The colours of each block that gives some, by name: light, dark, and both again for a frame's page to choose."""
    blocks = [re.findall(r"--([a-z-]+): ?#([0-9a-f]{6}|[0-9a-f]{3})\b", block) for block in sheet.split("}")]
    return [{name: whole(code) for name, code in block} for block in blocks if block]


def whole(code: str) -> Colour:
    """A colour of six digits, or of three that stand for two each."""
    red, green, blue = bytes.fromhex(code if len(code) == 6 else "".join(2 * digit for digit in code))
    return red, green, blue


def least_contrast(accent: dict[str, Colour], page: dict[str, Colour]) -> Fraction:
    """Of the text on the accent, and of the accent on every ground and on its own tint."""
    shares = zip(accent["accent"], page["card"], strict=True)
    red, green, blue = (round(TINT * mine + (1 - TINT) * card) for mine, card in shares)
    grounds: list[Colour] = [(red, green, blue), *(page[name] for name in GROUNDS)]
    return min(contrast(accent["accent"], other) for other in [accent["on-accent"], *grounds])


def test_a_hundred_colours_are_read_on_every_sheet() -> None:
    chance = random.Random(7)  # noqa: S311 - the same colours in every run
    chosen = [f"#{chance.randrange(0x1000000):06x}" for _ in range(100)]
    own = colours_in((STATIC / "checkout.css").read_text(encoding="utf-8"))
    framed = colours_in((STATIC / "embed.css").read_text(encoding="utf-8"))
    pages = [*own, *framed]
    assert [page["paper"] for page in own] == [(0xF4, 0xF6, 0xF9), (0x0E, 0x11, 0x16)]
    assert len(pages) == 4
    assert min(least_contrast(page, page) for page in own) >= LEAST_CONTRAST, "the service's own colour"
    for colour in [*chosen, "#000000", "#ffffff", "#777777", "#ff0000", "#00ff00", "#0000ff", "#ffff00"]:
        drawn = colours_in(checkout_sheet(Style(accent=colour)))
        assert len(drawn) == 4, colour
        for accent, page in zip(drawn, pages, strict=True):
            assert least_contrast(accent, page) >= LEAST_CONTRAST, (colour, accent)
