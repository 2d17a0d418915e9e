"""Runs what touches a key so that its failure tells nothing of the key."""

import logging
from collections.abc import Callable
from typing import TypeVar

Made = TypeVar("Made")

logger = logging.getLogger("causeway.signers")


def kept_quiet(make: Callable[[], Made]) -> Made | None:
    """What it makes; None where it fails in any way, of which only the kind is logged.

    Why nothing is raised from here: a library's message may quote a key, and the frames of its traceback hold one.
    The caller raises anew, where neither can be reached any more.
    """
    try:
        return make()
    except Exception as error:
        logger.warning("a key could not be used: %s", type(error).__name__)
    return None
