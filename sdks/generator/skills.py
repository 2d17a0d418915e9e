"""Writes the SKILL.md that lies in each package: what an agent must know to integrate, and every method by name.

Why generated: an agent believes a list of methods, so the list must be the package's own. Where the package itself
holds its source with every method in it, the skill leads there.
"""

from collections.abc import Callable
from dataclasses import dataclass

from sdks.generator.ir import Api, Method, Service

MUST = (
    "Amounts are dollars as text with at most two decimals, such as `19.99`. Never compute them with binary floats.",
    "Send the payer to `checkout_url`. Give goods out when a verified `payment_intent.settled` came, or the payment, "
    "read again, is `settled`; once for each payment, since an event can come twice.",
    "Give an idempotency key of your own, made from your order, to what moves money. The same key has effect once.",
    "Verify webhooks over the raw body, before any JSON parser, and answer 401 where that fails.",
    "Statuses, codes and types of events may be added: treat an unknown one as news that needs nothing.",
    "The secret key stays on the server. In test mode nothing real moves; `testHelpers` pays for you.",
)
"""What integrations get wrong. ``testHelpers`` is respelled as the language does."""


@dataclass(frozen=True)
class Words:
    """How a language says it: a name, the first program, the receiver, and a method's signature or where all stand."""

    language: str
    install: str
    program: str
    receiver: str
    respell: Callable[[str], str]
    signature: Callable[[Method], str] | None = None
    methods: str = ""


def skill(api: Api, words: Words) -> str:
    """The file's text."""
    must = "\n".join(f"- {rule.replace('testHelpers', words.respell('test_helpers'))}" for rule in MUST)
    services = "\n\n".join(_service(service, words, words.signature) for service in api.services if words.signature)
    return f"""---
name: causeway-{words.language.lower()}
description: Take payments with Causeway from {words.language}, with payment intents, webhooks, refunds and payouts.
---

Written by sdks/generator/skills.py. API {api.version}.

{words.install}

## What must hold

{must}

## A payment

{words.program}

## A webhook

{words.receiver}

## Every method

{services or words.methods}
"""


def _service(service: Service, words: Words, signature: Callable[[Method], str]) -> str:
    lines = [f"- `{signature(method)}`: {method.summary.rstrip('.')}." for method in service.methods]
    return f"### {words.respell(service.name)}\n\n" + "\n".join(lines)
