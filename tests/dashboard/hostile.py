"""Forty texts that somebody may put wherever a text is taken, and how one tells that a page wrote them as text."""

import html
import re

MARK = "zq7"
"""In every text that could run, so that a page is searched for it and nothing else."""
TEXTS: tuple[str, ...] = (
    f"<script>window.{MARK}=1</script>",
    f"</script><script>window.{MARK}=1</script>",
    f"<img src=x onerror=window.{MARK}=1>",
    f"<svg/onload=window.{MARK}=1>",
    f"<details open ontoggle=window.{MARK}=1>",
    f"<iframe srcdoc='<script>parent.{MARK}=1</script>'></iframe>",
    f'"><b data-{MARK}>bold</b>',
    f"'><b data-{MARK}>bold</b>",
    f'" autofocus onfocus="window.{MARK}=1',
    f"' autofocus onfocus='window.{MARK}=1",
    f"` onmouseover=window.{MARK}=1 `",
    f"</title><script>window.{MARK}=1</script>",
    f"</textarea><script>window.{MARK}=1</script>",
    f"</pre></code><script>window.{MARK}=1</script>",
    f"-->\n<script>window.{MARK}=1</script><!--",
    f"<!--{MARK}",
    f"<style>body{{display:none}}</style>{MARK}",
    f"<base href=//evil.example/>{MARK}",
    f"<meta http-equiv=refresh content=0;url=//evil.example>{MARK}",
    f"<form action=//evil.example><button>{MARK}</button></form>",
    f"<a href=javascript:window.{MARK}=1>here</a>",
    f"javascript:window.{MARK}=1",
    f"data:text/html,<script>window.{MARK}=1</script>",
    "{{ 7|add:7 }}",
    "{% url 'admin:keys' %}",
    "{{ visit.person.password }}",
    "${7*7} #{7*7} %(mode)s {mode}",
    "&lt;script&gt;&amp;amp;",
    "&#60;script&#62;",
    "\u202egnihtyreve dna evil.exe\u202c",
    "\u2066\u2067\u2068 isolates left open",
    "\u200bzero\u200c\u200d\ufeffwidth\u2060",
    "שלום עולם: הכול נכתב מימין לשמאל",
    "e" + "\u0301\u0316\u0360" * 40,
    "\U0001f468\u200d\U0001f469\u200d\U0001f467\u200d\U0001f466" * 20,
    "=cmd|' /C calc'!A0",
    "+1+1; @SUM(A1:A9); -2+3",
    "W" * 10_000,
    "word " * 2_000,
    "\\u003cscript\\u003e \\x3cscript\\x3e \x07\x1b[31m",
)
assert len(TEXTS) == 40

OPENED = re.compile(rf"<[^<>]*{MARK}|<script>|<[^<>]*\son\w+=|<(?:base|iframe|svg/|style|meta http)", re.IGNORECASE)
"""What no page of ours has inside a tag, or as a tag: a text that got out of its place."""


def escapes(page: str, text: str) -> list[str]:
    """Where a page wrote a text as something else than text."""
    found = [match[0] for match in OPENED.finditer(_without_values(page))]
    raw = text in page and html.escape(text) != text and "<" in text
    return [*found, *(["the text stands there as it came"] if raw else [])]


def _without_values(page: str) -> str:
    """The page without what stands between the quotes of an attribute: there a text may be, if it stays there."""
    return re.sub(r'="[^"]*"', '=""', page)
