"""The command ``causeway``: the service from a terminal. Needs the extra: ``pip install 'causeway-sdk[cli]'``."""

import sys


def main() -> None:
    """Run the command with the arguments of this process, and exit with its code."""
    try:
        from causeway_sdk.cli.app import causeway
    except ModuleNotFoundError as error:
        if error.name != "click":
            raise
        sys.exit("The command needs click: pip install 'causeway-sdk[cli]'")
    causeway(prog_name="causeway")
