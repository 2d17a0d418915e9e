"""The collection in one file for Postman. Source: https://schema.postman.com/collection/json/v2.1.0/draft-07/docs/index.html."""

import json
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from sdks.generator.collection_requests import BASE_URL, KEY, LOCAL, TRIES, Group, Request

FILE = "causeway.postman_collection.json"
SCHEMA = "https://schema.getpostman.com/json/collection/v2.1.0/collection.json"


def files(groups: Sequence[Group]) -> dict[str, str]:
    """The file by its name."""
    collection = {
        "info": {"name": "Causeway", "description": f"Set {BASE_URL} and {KEY}, then run it whole.", "schema": SCHEMA},
        "auth": {"type": "bearer", "bearer": [{"key": "token", "value": f"{{{{{KEY}}}}}", "type": "string"}]},
        "variable": [{"key": BASE_URL, "value": LOCAL}, {"key": KEY, "value": ""}],
        "item": [
            {
                "name": group.folder.name,
                "description": group.folder.about,
                "item": [_item(request) for request in group.requests],
            }
            for group in groups
        ],
    }
    return {FILE: json.dumps(collection, indent=2, ensure_ascii=False) + "\n"}


def _item(request: Request) -> dict[str, Any]:
    events = [_script("test", _after(request))]
    if request.step.needs:
        skips = f'if (!pm.collectionVariables.get("{request.step.needs}")) pm.execution.skipRequest();'
        events.append(_script("prerequest", [skips]))
    return {"name": request.name, "event": events, "request": _request(request)}


def _request(request: Request) -> dict[str, Any]:
    headers = [{"key": "Idempotency-Key", "value": "{{$guid}}"}] if request.method.is_idempotent else []
    written: dict[str, Any] = {"method": request.method.verb, "header": headers, "url": _url(request)}
    if not request.method.needs_key:
        written["auth"] = {"type": "noauth"}
    if request.body:
        written["body"] = {"mode": "raw", "raw": request.body, "options": {"raw": {"language": "json"}}}
    return {**written, "description": request.about}


def _url(request: Request) -> dict[str, Any]:
    sent = "&".join(f"{name}={value}" for name, value in request.step.query.items())
    host, *path = request.url.split("/")
    query = [
        {"key": part.name, "value": value or "", "description": part.about, **({} if value else {"disabled": True})}
        for part, value in request.query
    ]
    url = {"raw": request.url + (f"?{sent}" if sent else ""), "host": [host], "path": path}
    return {**url, "query": query} if query else url


def _script(listen: str, lines: Iterable[str]) -> dict[str, Any]:
    return {"listen": listen, "script": {"type": "text/javascript", "exec": list(lines)}}


def _after(request: Request) -> Iterator[str]:
    yield f'pm.test("it is answered {request.status}", () => pm.response.to.have.status({request.status}));'
    if not (request.step.keeps or request.step.until):
        return
    yield "const body = pm.response.json();"
    for name, path in request.step.keeps.items():
        yield f'pm.collectionVariables.set("{name}", body.{path});'
    if request.step.until:
        wanted = json.dumps(request.step.until)
        yield 'const tries = Number(pm.collectionVariables.get("tries") || 0) + 1;'
        yield (f"const again = pm.response.code === {request.status} && body.status !== {wanted} && tries < {TRIES};")
        yield 'pm.collectionVariables.set("tries", again ? tries : 0);'
        yield f'if (again) pm.execution.setNextRequest("{request.name}");'
        yield f'else pm.test("it is {request.step.until}", () => pm.expect(body.status).to.equal({wanted}));'
