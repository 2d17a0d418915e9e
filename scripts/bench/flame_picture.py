"""Draws stacks with their samples as one picture: each box a function, as wide as its share of the samples."""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from html import escape

WIDTH, ROW, MARGIN = 1200, 17, 10
LEAST_SHARE = 0.004
"""What is narrower is not drawn; its time stays in its caller's box."""
LETTER = 6.3
COLOURS = ("#7fb7be", "#b9a6d3", "#8fb3e0", "#d9b38c", "#f0a35e", "#c9ced6", "#e7cf7a", "#e58f7b")
"""Of the layers, in their order; what belongs to none is light grey."""
NOBODYS = "#ebebeb"


@dataclass
class Box:
    """A function where it was called from the box below it."""

    name: str
    samples: int = 0
    children: dict[str, "Box"] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class Placed:
    """A box at its depth and its left edge, in samples."""

    box: Box
    depth: int
    left: int


def draw(stacks: Counter[tuple[str, ...]], title: str, layers: Mapping[str, tuple[str, ...]]) -> str:
    """The picture as SVG without scripts; a box shows its function and its share where the pointer rests on it."""
    root = grow(stacks)
    boxes = list(place(root, least=root.samples * LEAST_SHARE))
    rows = 1 + max(one.depth for one in boxes)
    colours = dict(zip(layers, COLOURS, strict=True))
    height = (rows + 3) * ROW + 2 * MARGIN
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" font-family="monospace" '
        'font-size="10.5">',
        f'<rect width="{WIDTH}" height="{height}" fill="#fff"/>',
        f'<text x="{MARGIN}" y="{MARGIN + 10}" font-size="13">{escape(title)}</text>',
        *legend(colours),
    ]
    for one in boxes:
        layer = layer_of(one.box.name, layers)
        x = MARGIN + (WIDTH - 2 * MARGIN) * one.left / root.samples
        width = (WIDTH - 2 * MARGIN) * one.box.samples / root.samples
        y = MARGIN + (rows - one.depth + 2) * ROW
        lines.append(
            f"<g><title>{escape(one.box.name)}: {100 * one.box.samples / root.samples:.1f} %</title>"
            f'<rect x="{x:.1f}" y="{y}" width="{width:.1f}" height="{ROW - 1}" fill="{colours.get(layer, NOBODYS)}"/>'
            f'<text x="{x + 2:.1f}" y="{y + 12}">{escape(shortened(one.box.name, width))}</text></g>'
        )
    return "\n".join([*lines, "</svg>\n"])


def grow(stacks: Counter[tuple[str, ...]]) -> Box:
    """One tree of all stacks."""
    root = Box(name="all")
    for stack, samples in stacks.items():
        here = root
        here.samples += samples
        for name in stack:
            here = here.children.setdefault(name, Box(name=name))
            here.samples += samples
    return root


def place(root: Box, *, least: float) -> Iterator[Placed]:
    """Every box that is wide enough, callers before what they call, the widest at the left."""
    waiting = [Placed(box=root, depth=0, left=0)]
    while waiting:
        one = waiting.pop()
        yield one
        left = one.left
        for child in sorted(one.box.children.values(), key=lambda box: -box.samples):
            if child.samples >= least:
                waiting.append(Placed(box=child, depth=one.depth + 1, left=left))
            left += child.samples


def layer_of(frame: str, layers: Mapping[str, tuple[str, ...]]) -> str:
    """Whose a frame is, as ``function (file)``; empty where it is nobody's."""
    file = frame.rpartition("(")[2].removesuffix(")")
    return next((layer for layer, beginnings in layers.items() if file.startswith(beginnings)), "")


def legend(colours: Mapping[str, str]) -> list[str]:
    """What the colours mean."""
    lines, x = [], float(MARGIN)
    for layer, colour in colours.items():
        lines.append(f'<rect x="{x:.0f}" y="{MARGIN + 18}" width="10" height="10" fill="{colour}"/>')
        lines.append(f'<text x="{x + 13:.0f}" y="{MARGIN + 27}">{escape(layer)}</text>')
        x += 26 + LETTER * len(layer)
    return lines


def shortened(name: str, width: float) -> str:
    """As much of a name as a box has room for."""
    room = int((width - 4) / LETTER)
    if len(name) <= room:
        return name
    return f"{name[: room - 1]}…" if room > 3 else ""  # noqa: PLR2004  Why: three letters say nothing.
