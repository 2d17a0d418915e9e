"""``causeway verify``: checks a flight record or a receipt; it asks nobody but the nodes that it is given."""

from __future__ import annotations

from pathlib import Path

import click

from causeway_sdk import nodes, records
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
    nodes.ask_nodes(report, node)
    desk.write({"holds": report.holds, **vars(report)})
    if report.problems or report.unasked:
        raise Stop("\n".join([*report.problems, *report.unasked]), UNANSWERED if report.holds else REFUSED)
