"""The samples of a page as they are written: cut out, and run from top to bottom in one session of each language.

A block's first word says its language; what follows says what is to be done with it: ``skip`` (it starts what runs
already, or never ends) and ``error`` (the service refuses it). A block of JSON below a block of a terminal is what that
answers: every key of it must be in the real answer.
"""

import json
import re
import subprocess
import sys
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from guides.views import PLACEHOLDER_KEY, PLACEHOLDER_URL
from tests.journeys.http_caller import Caller
from tests.machine import PATIENCE_SECONDS

_FENCE = re.compile(r"^( *)```(?P<info>[^\n`]*)\n(?P<text>.*?)^\1```$", re.MULTILINE | re.DOTALL)
TERMINAL, PYTHON, TYPESCRIPT = ("sh", "bash"), ("python",), ("ts", "js")
ALWAYS_SAID = frozenset({"status", "code", "mode", "amount", "currency", "type", "failure_reason", "kind"})
"""Keys whose value an answer must have as well. Others are examples of their kind."""
MARK = "@@@ "
PROLOGUE = """\
set -euo pipefail
curl() { command curl --silent --show-error --fail-with-body "$@"; }
"""
REFUSED = 'code=0; {\n%s\n} || code=$?; [ "$code" = 22 ]'
"""What the terminal's way is of saying that the service answered with an error: 22 is curl's."""


@dataclass(frozen=True, kw_only=True)
class Block:
    """One block of a page: where it stands, what it is, and how it reads."""

    line: int
    language: str
    words: frozenset[str]
    text: str


@dataclass(frozen=True, kw_only=True)
class Ran:
    """What came of a session: how it ended, and what was said after each block's line."""

    code: int
    said: str

    def after(self, block: Block) -> str:
        """What a block said."""
        return self.said.partition(f"{MARK}{block.line}\n")[2].partition(MARK)[0]


def blocks_of(text: str) -> list[Block]:
    """The blocks of a page, indented ones too."""
    return [_block(text, found) for found in _FENCE.finditer(text)]


def of(blocks: Iterable[Block], languages: tuple[str, ...]) -> list[Block]:
    """Those of a language that are to be run."""
    return [block for block in blocks if block.language in languages and "skip" not in block.words]


def with_own(text: str, service: Caller) -> str:
    """A sample as its reader sees it: with the own key and the service's address."""
    return text.replace(PLACEHOLDER_KEY, service.key).replace(PLACEHOLDER_URL, service.base_url)


def run_in_terminal(blocks: Iterable[Block], service: Caller, folder: Path) -> Ran:
    """Every block in one bash."""
    lines = [PROLOGUE]
    for block in blocks:
        text = with_own(block.text, service)
        lines += [f'echo; echo "{MARK}{block.line}"', REFUSED % text if "error" in block.words else text]
    script = folder / "page.sh"
    script.write_text("\n".join(lines))
    return _run(("bash", str(script)), service, folder, {})


def run_in_python(blocks: Iterable[Block], service: Caller, folder: Path, sdk: Path) -> Ran:
    """Every block in one interpreter, with the SDK as it stands in the repository."""
    cells = [(block.line, with_own(block.text, service)) for block in blocks]
    script = folder / "page.py"
    script.write_text(
        f"world = {{'__name__': 'page'}}\nfor line, text in {cells!r}:\n"
        f"    print('\\n{MARK}' + str(line), flush=True)\n    exec(compile(text, f'line {{line}}', 'exec'), world)\n"
    )
    return _run((sys.executable, "-W", "error", str(script)), service, folder, {"PYTHONPATH": str(sdk)})


def run_in_typescript(blocks: Iterable[Block], service: Caller, folder: Path, bun: Path) -> Ran:
    """Every block in one module. Imports may stand anywhere, and are hoisted."""
    script = folder / "page.ts"
    script.write_text(
        "\n".join(f'console.log("\\n{MARK}{block.line}");\n{with_own(block.text, service)}' for block in blocks)
    )
    return _run((str(bun), "run", str(script)), service, folder, {})


def wrong_answers(blocks: list[Block], ran: Ran) -> Iterator[str]:
    """Answers shown on a page that lack something, or say something else, beside what really came."""
    for block, shown in zip(blocks, blocks[1:], strict=False):
        if shown.language != "json" or block.language not in TERMINAL or "skip" in block.words:
            continue
        yield from (f"line {shown.line}: {fault}" for fault in _faults(json.loads(shown.text), _last(ran.after(block))))


def _last(said: str) -> Any:
    """The last JSON value that a block said; None where there is none."""
    for start in (match.start() for match in re.finditer(r"^[{\[]", said, re.MULTILINE)):
        try:
            return json.loads(said[start:])
        except ValueError:
            continue
    return None


def _faults(shown: Any, came: Any, key: str = "") -> Iterator[str]:
    if isinstance(shown, dict):
        missing = sorted(shown.keys() - came.keys()) if isinstance(came, dict) else sorted(shown)
        yield from (f"{name} is not in the answer" for name in missing)
        yield from (f for name in shown.keys() - set(missing) for f in _faults(shown[name], came[name], name))
    elif isinstance(shown, list):
        if shown and not (isinstance(came, list) and came):
            yield f"{key} has nothing in it"
        elif shown and isinstance(shown[0], dict):
            yield from _faults(shown[0], came[0], key)
    elif key in ALWAYS_SAID and shown != came:
        yield f"{key} is {came!r}"


def _run(command: tuple[str, ...], service: Caller, folder: Path, more: Mapping[str, str]) -> Ran:
    environment = {
        **{"PATH": "/usr/local/bin:/usr/bin:/bin", "HOME": str(folder), "CAUSEWAY_BASE_URL": service.base_url},
        **{"CAUSEWAY_API_KEY": service.key, "CAUSEWAY_WEBHOOK_SECRET": "whsec_for_samples", **more},
    }
    done = subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, timeout=PATIENCE_SECONDS, check=False
    )
    return Ran(code=done.returncode, said=done.stdout + (done.stderr if done.returncode else ""))


def _block(text: str, found: re.Match[str]) -> Block:
    indent, info = found[1], found["info"].split() or [""]
    body = re.sub(rf"^{indent}", "", found["text"], flags=re.MULTILINE)
    line = text.count("\n", 0, found.start()) + 1
    return Block(line=line, language=info[0], words=frozenset(info[1:]), text=body)
