"""The command and its parts. Each is loaded when it is asked for, so that ``--help`` is quick."""

from __future__ import annotations

import importlib
from typing import Any

import click

from causeway_sdk._core import CausewayError
from causeway_sdk.cli.desk import MISUSED, Desk, Stop, stop_for
from causeway_sdk.cli.resources import ServiceGroup, services

BY_HAND: dict[str, tuple[str, str, str]] = {
    "clock": ("here", "clock", "Move the test clock."),
    "doctor": ("doctor", "doctor", "Look for what usually is wrong, and say what to do."),
    "listen": ("listen", "listen", "Show events as they happen, and post them to your machine."),
    "login": ("here", "login", "Keep a key on this machine."),
    "logs": ("logs", "logs", "What your keys asked, and were answered."),
    "replay": ("replay", "replay", "Replay scenario files, and say which came to another end."),
    "scenario": ("replay", "scenario", "Write what happened to a payment as a scenario file."),
    "skill": ("here", "skill", "What an agent must know to integrate."),
    "trigger": ("trigger", "trigger", "Make an event happen in test mode, by doing what leads to it."),
    "verify": ("verify", "verify", "Check a flight record or a receipt without the service."),
    "webhooks": ("hooks", "webhooks", "Verify what came, send again what did not, and test a receiver."),
}
"""Commands written by hand: their module, their name in it, and what each does."""


class Causeway(click.Group):
    """The services of the SDK, and what was written by hand."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """All their names."""
        return sorted({*services(), *BY_HAND})

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """One of them."""
        if cmd_name in BY_HAND:
            module, name, _ = BY_HAND[cmd_name]
            found: click.Command = getattr(importlib.import_module(f"causeway_sdk.cli.{module}"), name)
            return found
        about = services().get(cmd_name)
        return None if about is None else ServiceGroup(cmd_name, help=about)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write them without loading them."""
        with formatter.section("Commands"):
            formatter.write_dl(sorted({**services(), **{name: one[2] for name, one in BY_HAND.items()}}.items()))

    def invoke(self, ctx: click.Context) -> Any:
        """Run a command. An error of the SDK ends it with words and an exit code."""
        try:
            return super().invoke(ctx)
        except CausewayError as error:
            stop_for(error)
        except ValueError as error:  # Why: the SDK refuses an amount or an id that cannot be one before it is sent
            raise Stop(str(error), MISUSED) from None


@click.group(cls=Causeway)
@click.option("--base-url", help="The service's address, instead of CAUSEWAY_BASE_URL.")
@click.option("--dry-run", is_flag=True, help="Show the request as curl, and send nothing.")
@click.option("--yes", is_flag=True, help="Do not ask before something is changed with a live key.")
@click.option("--live", is_flag=True, help="With the live key of `causeway login`.")
@click.option("--json", "as_json", is_flag=True, help="JSON lines on a terminal as well.")
@click.version_option(package_name="causeway-sdk")
@click.pass_context
def causeway(ctx: click.Context, /, base_url: str | None, **chosen: bool) -> None:
    """Causeway from a terminal. The key is read from CAUSEWAY_API_KEY, or kept by `causeway login`.

    Answers are JSON lines when they are piped. Exit codes: 0 done, 1 refused or failed, 2 wrong use,
    3 no answer or busy (ask again), 4 the key is missing or may not.
    """
    desk = ctx.ensure_object(Desk)
    desk.address = base_url
    desk.dry_run, desk.yes, desk.as_json = chosen["dry_run"], chosen["yes"], chosen["as_json"]
    desk.live = chosen["live"]
