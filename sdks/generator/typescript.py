"""Writes sdks/typescript/src/generated.ts: a table of operations, which costs few bytes, and types, which cost none.

And sdks/typescript/SKILL.md, for agents.
"""

import json
from collections.abc import Iterable, Iterator
from pathlib import Path

from sdks.generator.ir import ERROR_CODE, Api, Enum, Event, Field, Method, Parameter, Service, Type
from sdks.generator.skills import Words, skill

PACKAGE = Path(__file__).resolve().parent.parent / "typescript"
TARGET = PACKAGE / "src" / "generated.ts"
SKILL = PACKAGE / "SKILL.md"
WIDTH = 120
_OPEN = "(string & {})"
"""Keeps the known words in an editor's list and takes every other one."""
_SIMPLE = {
    "text": "string",
    "moment": "string",
    "integer": "number",
    "boolean": "boolean",
    "any": "unknown",
    "null": "null",
}


def files(api: Api) -> dict[Path, str]:
    """Each file that is written from the description, with its text."""
    return {TARGET: generated(api), SKILL: skill(api, WORDS)}


def generated(api: Api) -> str:
    """The module's text.

    Raises: ValueError where one name has two numbers of decimals in requests, or a POST takes no idempotency key.
    """
    version = json.loads((PACKAGE / "package.json").read_text(encoding="utf-8"))["version"]
    names = Names(api)
    parts = [
        "// Written by sdks/generator/typescript.py from docs/openapi.yaml. Do not edit.",
        'import type { CallOptions, List } from "./core.js";',
        f'export const VERSION = "{version}";\n'
        f"/** Of the API that these types describe. */\nexport const API_VERSION = {json.dumps(api.version)};",
        _operations(api),
        _decimals(api),
        "/** An amount in dollars: a number, or its text, with no more decimals than the field takes. */\n"
        "export type Amount = number | string;\n"
        "/** A moment: a Date, or RFC 3339 text. */\nexport type Moment = Date | string;",
        _words(ERROR_CODE, api.codes, "What was refused; a code never changes its meaning."),
        *(_enum(enum) for enum in api.enums.values()),
        *(
            _interface(model.name, model.about, (names.field(part) for part in model.fields))
            for model in api.models.values()
            if model.name not in names.events
        ),
        *_events(api, names),
        *_services(api, names),
    ]
    return "\n\n".join(parts) + "\n"


class Names:
    """Writes types, and knows which models are events."""

    def __init__(self, api: Api) -> None:
        self.events = frozenset(event.model for event in api.events)

    def type(self, type_: Type, word: str = "") -> str:
        """Of a value in an answer. Dollars are text there, whatever the wire has: src/money.ts."""
        written = self._bare(type_, word)
        return f"{written} | null" if type_.nullable and written not in ("unknown", "null") else written

    def asked(self, type_: Type, word: str) -> str:
        """Of a value in a request. An amount that a query takes as text is one too."""
        written = {"decimal": "Amount", "moment": "Moment"}.get(type_.kind) or self._bare(type_, word)
        return f"{written} | null" if type_.nullable and written != "unknown" else written

    def field(self, part: Field) -> str:
        """A key of an answer."""
        written = self.type(part.type, part.name) if part.constant is None else json.dumps(part.constant)
        optional = "" if part.is_required else "?"
        return f"{_comment(part.about, '  ')}  {part.name}{optional}: {written};"

    def parameter(self, part: Field | Parameter) -> str:
        """A key of a request."""
        written = self.asked(part.type, part.name)
        end = f": {written};" if part.is_required else f"?: {written} | undefined;"
        return f"{_comment(part.about, '  ')}  {part.name}{end}"

    def _bare(self, type_: Type, word: str) -> str:
        inner = self.type(type_.items) if type_.items else "unknown"
        match type_.kind:
            case "decimal":
                written = "number" if type_.wire == "number" and not word.endswith("_usd") else "string"
            case "map":
                written = f"Record<string, {inner}>"
            case "list":
                written = f"({inner})[]" if " " in inner else f"{inner}[]"
            case "enum":
                written = type_.name
            case "model" | "union":
                named = type_.options or (type_.name,)
                written = " | ".join(dict.fromkeys("Event" if name in self.events else name for name in named))
            case simple:
                written = _SIMPLE[simple]
        return written


def camel(name: str) -> str:
    """``snake_case`` as ``camelCase``."""
    first, *others = name.split("_")
    return first + "".join(word.capitalize() for word in others)


def _operations(api: Api) -> str:
    said = (
        "What core.ts sends. A block for each resource: its name and where most of it is, which `.` stands for below; "
        "then a line for each operation: method, verb or LIST, path, and `+` or the list's cursor where parameters are "
        "taken. Why text: it is smaller than objects."
    )
    blocks = [_block(api, service) for service in api.services if service.methods]
    return f"{_comment(said)}export const OPERATIONS = `" + "\n\n".join(blocks) + "`;"


def _block(api: Api, service: Service) -> str:
    paths = [_path(api, method) for method in service.methods]
    roots = ["../" * path.startswith("../") + path.removeprefix("../").partition("/")[0] for path in paths]
    root = max(roots, key=roots.count)
    lines = [_operation(method, path, root) for method, path in zip(service.methods, paths, strict=True)]
    return "\n".join([f"{camel(service.name)} {root}", *lines])


def _path(api: Api, method: Method) -> str:
    path = method.path
    for part in method.in_path:
        path = path.replace(f"{{{part.name}}}", "{}")
    if path.startswith(api.base_path):
        return path.removeprefix(f"{api.base_path}/")
    return "../" + path.removeprefix(api.base_path.rsplit("/", 1)[0] + "/")


def _operation(method: Method, path: str, root: str) -> str:
    if method.verb == "POST" and not method.is_idempotent:
        raise ValueError(f"{method.operation_id} takes no idempotency key, and the core sends each POST again with one")
    verb = "LIST" if method.page else method.verb
    takes = (method.page.cursor or "-") if method.page and method.in_query else "+" * _takes(method)
    is_below = path == root or path.startswith(f"{root}/")
    return f"{camel(method.name)} {verb} {'.' + path.removeprefix(root) if is_below else path} {takes}".strip()


def _takes(method: Method) -> bool:
    return bool(_given(method))


def _given(method: Method) -> list[Parameter | Field]:
    return [*method.in_query, *(method.body.fields if method.body else ())]


def _decimals(api: Api) -> str:
    found: dict[str, int] = {}
    for method in (method for service in api.services for method in service.methods):
        for part in method.body.fields if method.body else ():
            if part.decimals is not None and found.setdefault(part.name, part.decimals) != part.decimals:
                raise ValueError(f"{part.name} has {found[part.name]} decimals in one request and {part.decimals} here")
    words = ", ".join(f"{name}: {places}" for name, places in sorted(found.items()))
    return f"/** How many decimals the amounts of requests take. */\nexport const DECIMALS = {{ {words} }};"


def _enum(enum: Enum) -> str:
    return _words(enum.name, enum.values, enum.about, is_open=enum.is_open)


def _words(name: str, values: Iterable[str], about: str, *, is_open: bool = True) -> str:
    words = [*(json.dumps(value) for value in values), *([_OPEN] if is_open else [])]
    one = f"export type {name} = {' | '.join(words)};"
    return _comment(about) + (one if len(one) <= WIDTH else f"export type {name} =\n  | " + "\n  | ".join(words) + ";")


def _interface(name: str, about: str, keys: Iterable[str]) -> str:
    return _comment(about) + "\n".join([f"export interface {name} {{", *keys, "}"])


def _comment(text: str, indent: str = "") -> str:
    """The text as a comment, no line longer than it may be."""
    said = " ".join(text.replace("*/", "* /").split())
    if not said:
        return ""
    if len(indent) + len(said) + 7 <= WIDTH:
        return f"{indent}/** {said} */\n"
    lines = [""]
    for word in said.split(" "):
        if len(indent) + 4 + len(lines[-1]) + len(word) > WIDTH:
            lines.append("")
        lines[-1] += f" {word}"
    return f"{indent}/**\n" + "".join(f"{indent} *{line}\n" for line in lines) + f"{indent} */\n"


def _events(api: Api, names: Names) -> Iterator[str]:
    """Why the pattern: a type that may be any text would stay in the union when a known type is asked for.

    With a brand (``string & { ... }``) the compiler tells no members apart at all.
    """
    envelope = api.models[api.events[0].model].fields
    keys = [names.field(part) for part in envelope if part.name not in ("type", "data")]
    yield _interface("EventOf<Type, Data>", "What every event has.", ["  type: Type;", "  data: Data;", *keys])
    said = (
        "Of a type that this SDK does not know: what is left in `default:` of a `switch` on `event.type`. Its type is "
        "any text; it is written as what no event has, so that it overlaps with none. Compare `String(event.type)`."
    )
    yield f"{_comment(said)}export type UnknownEvent = EventOf<`?${{string}}`, Record<string, unknown>>;"
    for event in api.events:
        data = event.data or "Record<string, unknown>"
        yield f"{_comment(event.about)}export type {event_name(event)} = EventOf<{json.dumps(event.type)}, {data}>;"
    union = "\n  | ".join([*(event_name(event) for event in api.events), "UnknownEvent"])
    said = "Everything that can arrive; `event.type` says which, and narrows `event.data`."
    yield f"{_comment(said)}export type Event =\n  | {union};"


def event_name(event: Event) -> str:
    """``payment_intent.settled`` as ``PaymentIntentSettledEvent``."""
    words = event.type.replace(".", "_").split("_")
    return "".join(word.capitalize() for word in words) + "Event"


def _services(api: Api, names: Names) -> Iterator[str]:
    for service in api.services:
        for method in service.methods:
            if _takes(method):
                yield _params(method, names)
        keys = [_signature(method, names) for method in service.methods]
        yield _interface(interface_name(service.name), service.about, keys)
    resources = [f"  readonly {camel(service.name)}: {interface_name(service.name)};" for service in api.services]
    yield _interface("Resources", "The whole API.", resources)


def interface_name(service: str) -> str:
    """``payment_intents`` as ``PaymentIntents``."""
    return camel(f"_{service}")


def _params(method: Method, names: Names) -> str:
    keys = [names.parameter(part) for part in _given(method)]
    name = _params_name(method)
    if not method.body or not method.body.variants:
        return _interface(name, f"What {method.operation_id} takes.", keys)
    whole = _interface(f"{name}Keys", f"All that {method.operation_id} takes.", keys)
    always = set.intersection(*(set(needed) for needed in method.body.variants))
    choices = [" | ".join(json.dumps(one) for one in needed if one not in always) for needed in method.body.variants]
    either = " | ".join(f"Required<Pick<{name}Keys, {choice}>>" for choice in choices)
    said = _comment(f"What {method.operation_id} takes: one of these forms.")
    return f"{whole}\n{said}export type {name} = {name}Keys & ({either});"


def _params_name(method: Method) -> str:
    return method.operation_id[:1].upper() + method.operation_id[1:] + "Params"


def _signature(method: Method, names: Names) -> str:
    answer = names.type(method.answer) if method.answer else "unknown"
    answer = f"List<{names.type(method.page.item)}, {answer}>" if method.page else f"Promise<{answer}>"
    said = method.summary + (f". {method.about}" if method.about and method.about != method.summary else "")
    deprecated = " @deprecated" if method.is_deprecated else ""
    given = ", ".join([*_arguments(method), "options?: CallOptions"])
    return f"{_comment(said + deprecated, '  ')}  {camel(method.name)}({given}): {answer};"


def _arguments(method: Method) -> list[str]:
    given = [f"{camel(part.name)}: string" for part in method.in_path]
    if _takes(method):
        required = any(part.is_required for part in _given(method))
        given.append(f"params{'' if required else '?'}: {_params_name(method)}")
    return given


def _called(method: Method) -> str:
    """A method as a reader writes it, with the names of what it takes."""
    given = [camel(part.name) for part in method.in_path]
    keys = ", ".join(part.name + "?" * (not part.is_required) for part in _given(method))
    return f"{camel(method.name)}({', '.join([*given, *([f'{{ {keys} }}'] if keys else [])])})"


WORDS = Words(
    language="TypeScript",
    install="`npm install causeway-sdk`; `CAUSEWAY_API_KEY`, `CAUSEWAY_BASE_URL`, `CAUSEWAY_WEBHOOK_SECRET` are read.",
    program="""```ts
import { Causeway } from "causeway-sdk";

const causeway = new Causeway();
const order = { amount: "19.99", reference: "order-42" };
const intent = await causeway.paymentIntents.create(order, { idempotencyKey: order.reference });
await causeway.testHelpers.payPaymentIntent(intent.id);
const paid = await causeway.paymentIntents.wait(intent.id, { until: ["settled"], timeout: 60_000 });
console.log(paid.status, paid.amount_received);
```

Lists are read by `for await`; errors are `APIError`s with `code`, `details` and `docUrl`.""",
    receiver="""```ts
import { webhooks } from "causeway-sdk/next"; // or causeway-sdk/express, before express.json(), or causeway-sdk/hono

export const POST = webhooks(async (event) => {
  if (event.type === "payment_intent.settled") console.log(event.data.id, event.data.amount_received);
});
```""",
    respell=camel,
    signature=_called,
)
