"""The look of the checkout: a form, what it would look like in both schemes, and the logo."""

from dataclasses import asdict, replace
from urllib.parse import urlencode

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect

from checkout.brand import shown_brand
from checkout.branding.colours import DARK, LIGHT, accent_of, read_colour, shown_contrast
from checkout.branding.pictures import MOST_BYTES
from checkout.branding.sheets import DEFAULT_ACCENT, FONTS, SHAPES, Style, preview_sheet
from checkout.models import Branding
from checkout.selectors import branding_of
from checkout.services.branding import LONGEST_NAME, WantedLook, look_problems, remove_logo, set_logo, set_look
from core.errors import InvalidRequest
from dashboard.page import draw
from dashboard.visit import Visit

_SHOWN_LENGTH = 2100
"""Of what was typed, when it is shown again."""
_FIELDS = tuple(asdict(WantedLook(accent="", shape="", font="")))


def change_look(request: HttpRequest, visit: Visit) -> HttpResponse:
    """Show how the checkout looks; preview, save, or change the logo."""
    branding = branding_of(visit.merchant.pk) or Branding(merchant=visit.merchant)
    if request.method != "POST":
        return _drawn(request, visit, branding, _wanted_now(branding), [])
    if "logo" in request.POST.get("deed", ""):
        return _logo(request, visit, branding)
    typed = WantedLook(**{name: request.POST.get(name, "").strip() for name in _FIELDS})
    wanted = replace(typed, accent=typed.accent.lower())
    problems = look_problems(wanted)
    if problems or request.POST.get("deed") != "save":
        return _drawn(request, visit, branding, wanted, problems)
    set_look(visit.principal, wanted)
    messages.success(request, "Saved. Payers see it from their next page on, in test and in live mode.")
    return redirect(visit.url("look"))


def preview_look(request: HttpRequest, visit: Visit) -> HttpResponse:
    """The sheet of a look that is only tried. What is none is drawn as the service's own."""
    style = _style(request.GET.get("accent", ""), request.GET.get("shape", ""), request.GET.get("font", ""))
    answer = HttpResponse(preview_sheet(style), content_type="text/css; charset=utf-8")
    answer.headers["Cache-Control"] = "no-store"
    return answer


def _logo(request: HttpRequest, visit: Visit, branding: Branding) -> HttpResponse:
    """Why one byte more than is taken is read: what is too large is said to be, not cut."""
    try:
        if request.POST.get("deed") == "remove_logo":
            remove_logo(visit.principal)
            words = "The logo is gone from the checkout."
        else:
            sent = request.FILES.get("logo")
            set_logo(visit.principal, sent.read(MOST_BYTES + 1) if sent else b"")
            words = "Payers see the logo from their next page on."
    except InvalidRequest as refusal:
        return _drawn(request, visit, branding, _wanted_now(branding), refusal.details["fields"])
    messages.success(request, words)
    return redirect(visit.url("look"))


def _drawn(
    request: HttpRequest, visit: Visit, branding: Branding, wanted: WantedLook, problems: list[dict[str, str]]
) -> HttpResponse:
    style = _style(wanted.accent, wanted.shape, wanted.font)
    preview = visit.url("look_preview")
    drawn = accent_of(style.accent)
    # How well the colour is read in both schemes, in words, and what is drawn instead where it is not.
    meter = [
        _reading("On light pages", style.accent, drawn.light, shown_contrast(style.accent, LIGHT), "darker"),
        _reading("On dark pages", style.accent, drawn.dark, shown_contrast(style.accent, DARK), "lighter"),
    ]
    context = {
        "typed": {name: value[:_SHOWN_LENGTH] for name, value in asdict(wanted).items()},
        "faults": {problem["field"]: problem["message"] for problem in problems},
        "shapes": [(key, shape.label) for key, shape in SHAPES.items()],
        "fonts": [(key, label) for key, (label, _) in FONTS.items()],
        "accent": style.accent,
        "meter": meter,
        "brand": shown_brand(branding, visit.merchant.name) if branding.pk else None,
        "business_name": visit.merchant.name,
        "name": (wanted.display_name or visit.merchant.name)[:LONGEST_NAME],
        "preview": preview,
        "sheet": f"{preview}?{urlencode(style._asdict())}",
    }
    return draw(request, visit, "dashboard/look/page.html", context, status=400 if problems else 200)


def _reading(where: str, chosen: str, drawn: str, contrast: str, moved: str) -> dict[str, str]:
    if chosen == drawn:
        return {"where": where, "tone": "ok", "words": f"{contrast} to 1: easy to read, drawn as chosen"}
    words = f"{contrast} to 1: too faint for small text as chosen, so it is drawn {moved}, as {drawn}"
    return {"where": where, "tone": "warn", "words": words}


def _style(accent: str, shape: str, font: str) -> Style:
    return Style(
        accent=accent if read_colour(accent) else DEFAULT_ACCENT,
        shape=shape if shape in SHAPES else "round",
        font=font if font in FONTS else "system",
    )


def _wanted_now(branding: Branding) -> WantedLook:
    return WantedLook(**{name: getattr(branding, name) for name in _FIELDS})
