"""The collection in the files of Bruno. Source: https://docs.usebruno.com/bru-lang/overview."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence

from sdks.generator.collection_requests import BASE_URL, KEY, LOCAL, TRIES, Group, Request

NAME = "Causeway"
ENVIRONMENT = "Local"


def files(groups: Sequence[Group]) -> dict[str, str]:
    """Each file by its path within the collection, numbered, so that every list has their order."""
    written = {
        "bruno.json": json.dumps({"version": "1", "name": NAME, "type": "collection"}, indent=2) + "\n",
        "collection.bru": "\n".join(
            [*_pairs("auth", {"mode": "bearer"}), *_pairs("auth:bearer", {"token": f"{{{{{KEY}}}}}"})]
        ),
        f"environments/{ENVIRONMENT}.bru": "\n".join(
            [*_pairs("vars", {BASE_URL: LOCAL}), "vars:secret [", f"  {KEY}", "]", ""]
        ),
    }
    for place, group in enumerate(groups, 1):
        home = f"{place} {group.folder.name}"
        meta: dict[str, str | int] = {"name": group.folder.name, "seq": place}
        written[f"{home}/folder.bru"] = "\n".join(
            [*_pairs("meta", meta), *_pairs("auth", {"mode": "inherit"}), *_text("docs", group.folder.about)]
        )
        for number, request in enumerate(group.requests, 1):
            title = re.sub(r"[^\w ]", "", request.name)
            written[f"{home}/{number:02} {title}.bru"] = "\n".join(_request(request, number))
    return written


def _request(request: Request, number: int) -> Iterator[str]:
    yield from _pairs("meta", {"name": request.name, "type": "http", "seq": number})
    asked = "&".join(f"{name}={value}" for name, value in request.step.query.items())
    about = {
        "url": request.url + (f"?{asked}" if asked else ""),
        "body": "json" if request.body else "none",
        "auth": "inherit" if request.method.needs_key else "none",
    }
    yield from _pairs(request.method.verb.lower(), about)
    query = {("" if value is not None else "~") + part.name: value or "" for part, value in request.query}
    yield from _pairs("params:query", query)
    if request.method.is_idempotent:
        yield from _pairs("headers", {"Idempotency-Key": "{{$guid}}"})
    if request.body:
        yield from _text("body:json", request.body)
    yield from _pairs("vars:post-response", {name: f"res.body.{path}" for name, path in request.step.keeps.items()})
    yield from _pairs("assert", {"res.status": f"eq {request.status}"})
    if request.step.needs:
        yield from _text("script:pre-request", _skips(request.step.needs))
    if request.step.until:
        yield from _text("script:post-response", _asks_again(request))
        yield from _text("tests", _ends_so(request))
    yield from _text("docs", request.about)


def _skips(name: str) -> str:
    return f'if (!bru.getVar("{name}")) bru.runner.skipRequest();'


def _asks_again(request: Request) -> str:
    return (
        'const tries = Number(bru.getVar("tries") || 0) + 1;\n'
        f'const again = res.status === {request.status} && res.body.status !== "{request.step.until}" '
        f"&& tries < {TRIES};\n"
        'bru.setVar("tries", again ? tries : 0);\n'
        f'if (again) bru.runner.setNextRequest("{request.name}");'
    )


def _ends_so(request: Request) -> str:
    return (
        f'if (!bru.getVar("tries")) test("it is {request.step.until}", () => '
        f'expect(res.body.status).to.equal("{request.step.until}"));'
    )


def _pairs(name: str, pairs: Mapping[str, str | int]) -> list[str]:
    """A block of keys and values; nothing where there are none."""
    if not pairs:
        return []
    return [f"{name} {{", *(f"  {key}: {value}".rstrip() for key, value in pairs.items()), "}", ""]


def _text(name: str, text: str) -> list[str]:
    return [f"{name} {{", *(f"  {line}".rstrip() for line in text.splitlines()), "}", ""]
