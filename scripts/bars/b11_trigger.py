"""B11: each event type, by ``causeway trigger``, is as it is described, and is read again by its id."""

import json
import sys
from typing import Any

import jsonschema_rs
import yaml

from scripts.bars.figures import Figure, exactly
from scripts.bars.served import Service, command, service
from sdks.generator.python import PACKAGE
from sdks.generator.read import DESCRIPTION

_POLICY = (
    "from core.modes import Mode; from merchants.models import Merchant; from merchants.principal import Principal; "
    "from payouts.services import pause_payouts, set_payout_at_settle; "
    "who = Principal(merchant_id=Merchant.objects.get().pk, mode=Mode.TEST, actor='bars'); "
)
PAUSED = "payout.paused"


def measure() -> list[Figure]:
    """How many types came, valid and found, and how many of them by being done."""
    sys.path.insert(0, str(PACKAGE.parent))
    from causeway_sdk.cli.trigger import IMPOSSIBLE, STORIES  # noqa: PLC0415 - found by the line above

    document = yaml.load(DESCRIPTION.read_text(encoding="utf-8"), Loader=yaml.CSafeLoader)
    with service() as running:
        running.manage("shell", "-c", _POLICY + "set_payout_at_settle(who, enabled=True)")
        done = sum(_is_whole(running, document, name) for name in STORIES if name != PAUSED)
        running.manage("shell", "-c", _POLICY + "pause_payouts(who)")
        done += _is_whole(running, document, PAUSED)
        samples = sum(_is_whole(running, document, name, "--sample") for name in IMPOSSIBLE)
    types = len(document["webhooks"])
    what = f"event types that trigger brings, valid and read by GET ({done} by doing, {samples} as samples)"
    return [exactly("B11", what, done + samples, types, "")]


def _is_whole(running: Service, document: dict[str, Any], name: str, *more: str) -> bool:
    environment = running.terminal()
    made = command(environment, "trigger", name, *more)
    if made.returncode:
        sys.stderr.write(f"{name}: {made.stderr}\n")
        return False
    event = json.loads(made.stdout)
    found = command(environment, "events", "get", event["id"])
    described = document["webhooks"][name]["post"]["requestBody"]["content"]["application/json"]["schema"]
    judge = jsonschema_rs.Draft202012Validator({**described, "components": document["components"]})
    return event["type"] == name and judge.is_valid(event) and json.loads(found.stdout) == event
