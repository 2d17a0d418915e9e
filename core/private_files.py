"""Files that hold a secret: read only while nobody else can read or change them."""

import os
import stat
from pathlib import Path

from core.secrets import Sealed

MOST_BYTES = 16 * 1024
"""More is no key and no passphrase."""
_OPEN_TO_OTHERS = stat.S_IRWXO | stat.S_IWGRP


class NotPrivate(Exception):
    """The file cannot be used as it is; the sentence says why, and nothing of what is inside."""


def read_private(path: Path) -> Sealed:
    """What a file holds, without the line break at its end.

    The group may read it, since that is how orchestrators hand secrets to a user without rights.
    Raises: NotPrivate.
    """
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        try:
            reason = _fault(os.fstat(descriptor))
            held = Sealed(b"" if reason else os.read(descriptor, MOST_BYTES).rstrip(b"\r\n"))
        finally:
            os.close(descriptor)
    except OSError as error:
        raise NotPrivate(f"{path} cannot be used: {error.strerror}.") from None
    if reason or not held.reveal():
        raise NotPrivate(f"{path} cannot be used: {reason or 'it is empty'}.")
    return held


def refuse_open_folder(folder: Path) -> None:
    """Refuse a folder in which others could put files of theirs. Raises: NotPrivate."""
    try:
        found = folder.stat()
    except OSError as error:
        raise NotPrivate(f"{folder} cannot be used: {error.strerror}.") from None
    if not stat.S_ISDIR(found.st_mode):
        raise NotPrivate(f"{folder} cannot be used: it is not a folder.")
    is_open = found.st_mode & (stat.S_IWOTH | stat.S_IWGRP) and not found.st_mode & stat.S_ISVTX
    if is_open:
        raise NotPrivate(f"{folder} cannot be used: others may write in it. Run chmod 700 on it.")


def write_private(path: Path, content: Sealed) -> None:
    """Make a new file that only this user may read; an existing one is never touched. Raises: NotPrivate."""
    try:
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
        with os.fdopen(descriptor, "wb") as file:
            file.write(content.reveal())
            file.flush()
            os.fsync(descriptor)
    except FileExistsError:
        raise NotPrivate(f"{path} cannot be used: it is there already, and a key is never overwritten.") from None
    except OSError as error:
        raise NotPrivate(f"{path} cannot be used: {error.strerror}.") from None


def _fault(found: os.stat_result) -> str:
    if not stat.S_ISREG(found.st_mode):
        return "it is not a file"
    if found.st_mode & _OPEN_TO_OTHERS:
        return "others may read or change it. Run chmod 600 on it"
    if found.st_uid not in {0, os.geteuid()}:
        return "it belongs to another user"
    return "it is too long" if found.st_size > MOST_BYTES else ""
