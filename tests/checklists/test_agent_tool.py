"""Adding an agent tool is a module and a line; every rule for tools holds for it by itself."""

import pytest

from tests.checklists.copies import Copy

pytestmark = pytest.mark.slow

TOOL = '''"""Counting payment intents."""

from typing import Any

from mcp.caller import Caller
from mcp.scopes import Scope
from mcp.tool import Arguments, Tool
from mcp.tools import schemas
from payments.models import PaymentIntent

MOST = 1000


def _count(caller: Caller, _arguments: Arguments) -> dict[str, Any]:
    mine = PaymentIntent.objects.visible_to(caller.principal)
    return {"mode": caller.principal.mode.value, "count": mine[:MOST].count()}


COUNT_PAYMENT_INTENTS = Tool(
    name="count_payment_intents",
    title="Count payment intents",
    description=f"Read how many payment intents there are in this connection's mode, {MOST} at most. Changes nothing.",
    scope=Scope.READ_INTENTS,
    input_schema=schemas.some_object({}),
    output_schema=schemas.some_object({"mode": schemas.MODE, "count": {"type": "integer"}}),
    read_only=True,
    destructive=False,
    idempotent=True,
    open_world=False,
    run=_count,
)
'''
OWN_TEST = '''"""Counting payment intents."""

from core.modes import Mode
from merchants.services import NewMerchant
from tests.factories.refunds import paid_intent
from tests.mcp.agents import connected_agent


def test_those_of_its_own_mode_are_counted(account: NewMerchant, other_account: NewMerchant) -> None:
    for merchant in (account.merchant, other_account.merchant):
        paid_intent(merchant, mode=Mode.TEST)
    paid_intent(account.merchant, mode=Mode.LIVE)
    assert connected_agent(account.merchant).call("count_payment_intents", {}).result == {"mode": "test", "count": 1}
'''
ROW = "| count_payment_intents | reads how many intents there are | none | payment_intents:read |\n"


def test_a_tool_is_a_module_and_a_line(copy: Copy) -> None:
    copy.add("mcp/tools/counting.py", TOOL)
    copy.put_before("mcp/tools/registry.py", ")\n_BY_NAME", "    COUNT_PAYMENT_INTENTS,\n")
    imported = "from mcp.tools.counting import COUNT_PAYMENT_INTENTS\n"
    copy.put_before("mcp/tools/registry.py", "from mcp.tools.intent_making", imported)
    label = '    "count_payment_intents": "Count payments",\n'
    copy.put_before("dashboard/agents/words.py", '    "list_tokens": "List', label)
    copy.put_before("docs/guides/agents.md", "\nOne key, one", ROW)
    copy.put_before(
        "tests/mcp/tools/test_every_tool.py",
        "]\nFREE_FORM",
        '    ("count_payment_intents", READ, "payment_intents:read", ""),\n',
    )
    for path, line in (
        ("tests/mcp/tools/test_every_tool.py", '    "list_tokens": {},\n'),
        ("tests/authorization/test_agents.py", '        "list_tokens": {},\n'),
    ):
        copy.put_before(path, line, '    "count_payment_intents": {},\n')
    copy.put_before("tests/mcp/test_manifest.py", ']\n"""Source: agents, Nine tools.', '    "count_payment_intents",\n')
    copy.add("tests/mcp/tools/test_counting.py", OWN_TEST)
    every = ("tests/mcp/tools/test_every_tool.py", "tests/mcp/test_manifest.py", "tests/authorization/test_agents.py")
    rules = "counted or nine or every_tool or own_scope or no_tool or manifest"
    assert copy.passed("tests/mcp/tools/test_counting.py", *every, "-k", rules) > len(every)
