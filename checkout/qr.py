"""Addresses as QR codes, drawn here so that they work without scripts."""

from io import BytesIO

import segno
from django.utils.safestring import SafeString, mark_safe


def drawn(address: str) -> SafeString:
    """The address as an SVG drawing of our own."""
    drawing = BytesIO()
    segno.make(address, error="m").save(
        drawing, kind="svg", xmldecl=False, svgns=True, nl=False, border=2, omitsize=True
    )
    return mark_safe(drawing.getvalue().decode())  # noqa: S308 - modules and numbers alone, no text of the address
