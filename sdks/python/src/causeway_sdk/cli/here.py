"""Small commands: the key that is kept on this machine, the test clock, and what an agent must know."""

from __future__ import annotations

from pathlib import Path

import click

import causeway_sdk
from causeway_sdk._client import LOCAL_ADDRESS, read_address, read_key
from causeway_sdk.cli.desk import LOGIN, MISUSED, Client, Desk, Stop, keep_in, kept_in, say
from causeway_sdk.cli.hooks import needed_span


@click.command
@click.option("--base-url", "address", help=f"The service's address. [default: {LOCAL_ADDRESS}]")
@click.option("--forget", is_flag=True, help="Take every key away again.")
@click.pass_obj
def login(desk: Desk, /, address: str | None, *, forget: bool) -> None:
    """Keep a key on this machine, in a file that only you can read.

    The key is asked for and not shown, or read from stdin. One of each mode is kept: the live one is taken with
    `causeway --live`. What the environment says comes first.
    """
    if forget:
        keep_in(LOGIN, {})
        say("No key is kept here any more.")
        return
    key = click.prompt("Secret key (sk_…)", hide_input=True, err=True).strip()
    url = read_address(address or desk.address, read_key(key))
    account = Client(desk, key, url).account.get()
    if key.startswith("sk_") and f"_{account.mode}_" not in key[:8]:
        raise Stop("The key and the service do not agree on the mode.", MISUSED)
    keep_in(LOGIN, {**kept_in(LOGIN), account.mode: {"api_key": key, "base_url": url}})
    desk.write({"merchant": account.merchant.name, "mode": account.mode, "base_url": url})


@click.group
def clock() -> None:
    """Move the test clock."""


@clock.command
@click.argument("span", metavar="TIME")
@click.pass_obj
def advance(desk: Desk, /, span: str) -> None:
    """Let so much TIME pass in your test world: 90, 30m, 2h, 1d."""
    desk.write(desk.client.test_helpers.advance_clock(seconds=needed_span(span)).to_dict())


@click.group
def skill() -> None:
    """What an agent must know to integrate."""


@skill.command
@click.option("--into", default=".agents/skills", show_default=True, help="The folder of skills that your agent reads.")
@click.pass_obj
def install(desk: Desk, /, into: str) -> None:
    """Put this package's skill where your agent finds it."""
    target = Path(into, "causeway-python", "SKILL.md")
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_bytes(Path(causeway_sdk.__file__).with_name("SKILL.md").read_bytes())
    desk.write({"skill": "causeway-python", "file": str(target)})
