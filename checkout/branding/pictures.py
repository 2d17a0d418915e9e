"""Logos: read by their own bytes, never by what an upload says of itself, and kept as the picture alone.

What is no part of the picture (remarks, places, programs hidden behind its end) is left out or refused.
Why no image library: nothing is decoded here, so nothing can be made to decode.
"""

import struct
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

MOST_BYTES: Final = 256 * 1024
LEAST_SIDE, MOST_SIDE = 16, 2048
PNG, JPEG, WEBP = "image/png", "image/jpeg", "image/webp"
_PNG_START: Final = b"\x89PNG\r\n\x1a\n"
_PNG_KEPT: Final = frozenset({b"IHDR", b"PLTE", b"tRNS", b"sRGB", b"gAMA", b"IDAT", b"IEND"})
_JPEG_SIZES: Final = frozenset({0xC0, 0xC1, 0xC2})
_JPEG_LEFT_OUT: Final = frozenset({*range(0xE1, 0xEE), 0xEF, 0xFE})
"""Remarks and what programs add; 0xEE says how colours are meant."""
_WEBP_KEPT: Final = frozenset({b"VP8 ", b"VP8L", b"VP8X", b"ALPH"})
_WEBP_MOVES: Final = 0x02


class NoPicture(ValueError):
    """The bytes are no picture that is taken; the message is for the person who sent them."""


@dataclass(frozen=True, kw_only=True)
class Picture:
    """A logo as it is kept and served."""

    content: bytes
    media_type: str
    width: int
    height: int


def read_picture(content: bytes) -> Picture:
    """The picture in these bytes, without what is none of it. Raises: NoPicture."""
    if len(content) > MOST_BYTES:
        raise NoPicture("The picture must be at most 256 KiB.")
    try:
        picture = _read(content)
    except (struct.error, IndexError, zlib.error):
        raise NoPicture("The picture is damaged: it ends too early, or is none.") from None
    sides = (picture.width, picture.height)
    if not all(LEAST_SIDE <= side <= MOST_SIDE for side in sides):
        raise NoPicture(f"Each side must have {LEAST_SIDE} to {MOST_SIDE} pixels.")
    return picture


def _read(content: bytes) -> Picture:
    if content.startswith(_PNG_START):
        return _png(content)
    if content.startswith(b"\xff\xd8\xff"):
        return _jpeg(content)
    if content[:4] == b"RIFF" and content[8:12] == b"WEBP":
        return _webp(content)
    raise NoPicture("Only PNG, JPEG and WebP pictures are taken. SVG can carry programs.")


def _png(content: bytes) -> Picture:
    kept, width, height = [_PNG_START], 0, 0
    kinds = []
    for kind, body in _png_chunks(content):
        kinds.append(kind)
        if kind == b"IHDR":
            width, height = struct.unpack(">II", body[:8])
        if kind in _PNG_KEPT:
            kept.append(struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body)))
    if kinds[0] != b"IHDR" or b"IDAT" not in kinds or kinds[-1] != b"IEND":
        raise NoPicture("The PNG is damaged.")
    if b"acTL" in kinds:
        raise NoPicture("A logo does not move: send a still picture.")
    return Picture(content=b"".join(kept), media_type=PNG, width=width, height=height)


def _png_chunks(content: bytes) -> Iterator[tuple[bytes, bytes]]:
    place = len(_PNG_START)
    while True:
        length, kind = struct.unpack(">I4s", content[place : place + 8])
        body = content[place + 8 : place + 8 + length]
        (check,) = struct.unpack(">I", content[place + 8 + length : place + 12 + length])
        if check != zlib.crc32(kind + body):
            raise NoPicture("The PNG is damaged: a check sum is wrong.")
        yield kind, body
        place += 12 + length
        if kind == b"IEND":
            break
    if place != len(content):
        raise NoPicture("Something hides behind the end of the picture.")


def _jpeg(content: bytes) -> Picture:
    kept, place, size = [content[:2]], 2, (0, 0)
    while True:
        start, marker, length = struct.unpack(">BBH", content[place : place + 4])
        if start != 0xFF:  # noqa: PLR2004  (what each segment begins with)
            raise NoPicture("The JPEG is damaged.")
        segment = content[place : place + 2 + length]
        if marker in _JPEG_SIZES:
            height, width = struct.unpack(">HH", segment[5:9])
            size = (width, height)
        if marker not in _JPEG_LEFT_OUT:
            kept.append(segment)
        place += 2 + length
        if marker == 0xDA:  # noqa: PLR2004  (the scan: the picture itself follows)
            break
    end = content.find(b"\xff\xd9", place)
    if end < 0 or len(content) != end + 2:
        raise NoPicture("Something hides behind the end of the picture, or it has none.")
    return Picture(content=b"".join(kept) + content[place:], media_type=JPEG, width=size[0], height=size[1])


def _webp(content: bytes) -> Picture:
    (length,) = struct.unpack("<I", content[4:8])
    if length + 8 != len(content):
        raise NoPicture("Something hides behind the end of the picture, or it ends too early.")
    kept, size = [], (0, 0)
    for kind, body in _webp_chunks(content):
        if kind == b"ANIM" or (kind == b"VP8X" and body[0] & _WEBP_MOVES):
            raise NoPicture("A logo does not move: send a still picture.")
        size = _webp_size(kind, body) or size
        if kind in _WEBP_KEPT:
            plain = bytes([body[0] & 0x10]) + body[1:] if kind == b"VP8X" else body
            kept.append(kind + struct.pack("<I", len(plain)) + plain + b"\0" * (len(plain) % 2))
    inside = b"WEBP" + b"".join(kept)
    return Picture(
        content=b"RIFF" + struct.pack("<I", len(inside)) + inside, media_type=WEBP, width=size[0], height=size[1]
    )


def _webp_chunks(content: bytes) -> Iterator[tuple[bytes, bytes]]:
    place = 12
    while place < len(content):
        kind, length = struct.unpack("<4sI", content[place : place + 8])
        body = content[place + 8 : place + 8 + length]
        if len(body) != length:
            raise NoPicture("The WebP ends too early.")
        yield kind, body
        place += 8 + length + length % 2


def _webp_size(kind: bytes, body: bytes) -> tuple[int, int] | None:
    """Width and height where this chunk holds the picture."""
    if kind == b"VP8L":
        (bits,) = struct.unpack("<I", body[1:5])
        return (bits & 0x3FFF) + 1, ((bits >> 14) & 0x3FFF) + 1
    if kind == b"VP8 ":
        width, height = struct.unpack("<HH", body[6:10])
        return width & 0x3FFF, height & 0x3FFF
    return None
