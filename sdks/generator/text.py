"""Words and lines that the emitters of Python share. Line lengths and imports are left to the formatter."""

import textwrap

WIDTH = 120


def sentence(text: str) -> str:
    """The description's words as one paragraph that ends with a full stop."""
    said = " ".join(text.split())
    return said if not said or said[-1] in ".!?…:" else f"{said}."


def docstring(paragraphs: list[str], indent: int) -> list[str]:
    """A docstring's lines, wrapped, the first paragraph on its own."""
    said = [text.replace("\\", "\\\\").replace('"""', "'''") for text in paragraphs if text]
    space = " " * indent
    if len(said) == 1 and len(said[0]) + indent + 7 <= WIDTH:
        return [f'{space}"""{said[0]}{" " if said[0].endswith(chr(34)) else ""}"""']
    lines = _wrapped(said[0], WIDTH - indent - 3)
    for number, text in enumerate(said[1:]):
        lines += [*([""] if number == 0 else []), *_wrapped(text, WIDTH - indent)]
    return [f'{space}"""{lines[0]}', *(f"{space}{line}" if line else "" for line in lines[1:]), f'{space}"""']


def _wrapped(text: str, width: int) -> list[str]:
    return textwrap.wrap(text, width, break_long_words=False, break_on_hyphens=False, subsequent_indent="") or [""]


def quoted(text: str) -> str:
    """The text as a Python string with double quotes."""
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def cap(name: str) -> str:
    """``snake_case`` as ``CapWords``."""
    return "".join(word[:1].upper() + word[1:] for word in name.split("_"))
