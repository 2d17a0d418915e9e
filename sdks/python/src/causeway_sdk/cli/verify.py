"""``causeway verify``: checks a flight record or a receipt by ``causeway_sdk.records``, which asks nobody."""

from __future__ import annotations

from pathlib import Path

import click

from causeway_sdk import records
from causeway_sdk.cli.desk import REFUSED, UNANSWERED, Desk, Stop

_FILE = click.Path(exists=True, dir_okay=False, path_type=Path)


@click.command
@click.argument("record", type=_FILE)
@click.option("--keys", type=_FILE, required=True, help="The service's causeway-receipt-keys.json, as you keep it.")
@click.option("--node", multiple=True, metavar="CHAIN=URL", help="Also ask this node whether the chain holds it.")
@click.pass_obj
def verify(desk: Desk, /, record: Path, keys: Path, node: tuple[str, ...]) -> None:
    """Check a flight record or a receipt without the service. No key is needed.

    The keys are published at /.well-known/causeway-receipt-keys.json.
    """
    report = records.verify(record.read_bytes(), keys.read_bytes())
    for chain, _, url in (one.partition("=") for one in node):
        try:
            report.problems += records.check_chain(report.facts.get("transactions", ()), chain, records.node(url))
        except (OSError, ValueError) as error:
            raise Stop(f"The node of {chain} did not answer: {error}", UNANSWERED) from None
    desk.write({"holds": report.holds, **vars(report)})
    if not report.holds:
        raise Stop("\n".join(report.problems), REFUSED)
