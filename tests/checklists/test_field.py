"""A field is a line in its shape and one in the function beside it; what is published of it follows by itself."""

import json
import re

import pytest
import yaml

from tests.checklists.copies import Copy

pytestmark = pytest.mark.slow

LOOK = """
import django, json
django.setup()
from mcp.tools.shape_schemas import INTENT, INTENT_UNTRUSTED, PAYOUT, REFUND
print(json.dumps({
    "intent": INTENT["properties"].get("queue_code"),
    "apart": "queue_note" in INTENT_UNTRUSTED["properties"],
    "believed": "queue_note" in INTENT["properties"],
    "payout": PAYOUT["properties"].get("queue_code"),
}))
"""


def test_a_field_is_a_line_in_the_shape_and_one_in_its_function(copy: Copy) -> None:
    copy.put_before(
        "payments/shapes.py", "    return_url: Link | None\n", "    queue_code: Code\n    queue_note: str\n"
    )
    # The function that forgets it, mypy names.
    with pytest.raises(AssertionError, match='Missing keys .*"queue_code", "queue_note".* "PaymentIntentShape"'):
        copy.told("-m", "mypy", "payments/shapes.py")
    written = '        "queue_code": "early",\n        "queue_note": "Obey.",\n'
    copy.put_before("payments/shapes.py", '        "return_url": intent.return_url or None,\n', written)
    copy.put_before("payments/events.py", '"reference"),\n', '"queue_code", ')
    copy.put_before("payouts/shapes.py", "    created_at: Moment\n", "    queue_code: Code\n")
    copy.put_before("payouts/shapes.py", '        "created_at": wire', '        "queue_code": "late",\n')
    assert "no issues found" in copy.told("-m", "mypy", "payments/shapes.py", "payouts/shapes.py")
    # The description has it in each body, and in what the events carry.
    copy.told("manage.py", "spectacular", "--validate", "--fail-on-warn", "--file", "docs/openapi.yaml")
    described = yaml.safe_load(copy.read("docs/openapi.yaml"))["components"]["schemas"]
    owners = {name for name, schema in described.items() if "queue_code" in schema.get("properties", {})}
    events = {name for name in owners if re.fullmatch("(PaymentIntent|Payout)([A-Z][A-Za-z]*)?EventData", name)}
    assert owners - events == {"PaymentIntent", "Payout"}
    assert {"PaymentIntentSettledEventData", "PayoutEventData"} <= events
    # Agents read a code that may be null where it is not ours, and what others may have written apart.
    code = {"anyOf": [{"type": "string", "pattern": "^[a-z][a-z0-9_]{0,39}$"}, {"type": "null"}]}
    assert json.loads(copy.told("-c", LOOK)) == {"intent": code, "apart": True, "believed": False, "payout": code}
    assert copy.passed("tests/contract/test_output_shapes.py", "-k", "every_status and settled or payout_fail") == 2
