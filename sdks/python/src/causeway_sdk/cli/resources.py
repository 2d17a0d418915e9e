"""A command for every method of the SDK, made from its signature and its docstring when it is asked for."""

from __future__ import annotations

import inspect
import json
import re
from collections.abc import Callable
from typing import Any, cast

import click

from causeway_sdk import _generated
from causeway_sdk._core import as_object
from causeway_sdk._resource import Pages
from causeway_sdk.cli.desk import Desk

_ABOUT = re.compile(r"^``(\w+)``: (.*)$", re.MULTILINE)
_SCALARS = {"int": click.INT, "bool": click.BOOL, "float": click.FLOAT}


def services() -> dict[str, str]:
    """The names of the services as commands, with what each is for."""
    return {dashed(name): _class_of(name).__doc__ or "" for name in _generated.Services.__annotations__}


def _class_of(name: str) -> type[object]:
    found: type[object] = getattr(_generated, "".join(word.capitalize() for word in name.split("_")) + "Service")
    return found


def dashed(name: str) -> str:
    """A name of Python as one of a command."""
    return name.replace("_", "-")


def methods(service: str) -> dict[str, Callable[..., Any]]:
    """The methods of a service, by the names of their commands."""
    found = cast("dict[str, Callable[..., Any]]", vars(_class_of(service.replace("-", "_"))))
    return {dashed(title): one for title, one in found.items() if inspect.isfunction(one) and title[0] != "_"}


class ServiceGroup(click.Group):
    """The commands of one service. Its module is loaded when one of them is looked at."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Their names."""
        return sorted(methods(self.name or ""))

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """One of them."""
        method = methods(self.name or "").get(cmd_name)
        return None if method is None else command_of(self.name or "", cmd_name, method)


def command_of(service: str, name: str, method: Callable[..., Any]) -> click.Command:
    """The command of a method: what must be given by place is an argument, all else an option."""
    text = inspect.getdoc(method) or ""
    about = {match[1]: match[2] for match in _ABOUT.finditer(text)}
    given = [one for one in inspect.signature(method).parameters.values() if one.name != "self"]
    help_text = _ABOUT.sub("", text.partition("Refusals:")[0]).strip().replace("``", "`")

    def run(**values: Any) -> None:
        desk: Desk = click.get_current_context().obj
        owner = getattr(desk.client, service.replace("-", "_"))
        sent = {one.name: _read(values[one.name], str(one.annotation)) for one in given}
        sent = {title: value for title, value in sent.items() if value is not None}
        show(desk, getattr(owner, name.replace("-", "_"))(**sent), only_one="limit" in sent)

    return click.Command(name, callback=run, params=[_parameter(one, about) for one in given], help=help_text)


def _parameter(one: inspect.Parameter, about: dict[str, str]) -> click.Parameter:
    kind = str(one.annotation)
    if one.kind is not inspect.Parameter.KEYWORD_ONLY:
        return click.Argument([one.name])
    words = "The same key again gets the same answer." if one.name == "idempotency_key" else about.get(one.name, "")
    if one.name == "limit":
        words += " With it, only one page is read; without, all of them."
    usual: dict[str, Any] = {} if one.default in {inspect.Parameter.empty, None} else {"default": one.default}
    several = "Mapping" in kind or "Sequence" in kind or "Collection" in kind
    return click.Option(
        [f"--{dashed(one.name)}", one.name],
        type=next((kept for word, kept in _SCALARS.items() if kind.startswith(word)), click.STRING),
        required=one.default is inspect.Parameter.empty,
        multiple=several,
        metavar="KEY=VALUE" if "Mapping" in kind else None,
        help=words.replace("``", "`") or None,
        **usual,
    )


def _read(value: Any, kind: str) -> Any:
    """What was typed as the method takes it. Raises: BadParameter for what is no pair and no JSON object."""
    if not isinstance(value, (tuple, list)):
        return value
    typed = [str(one) for one in cast("list[object]", value)]
    if not typed:
        return None
    if "Mapping" not in kind:
        return [part for one in typed for part in one.split(",")]
    return {name: one for text in typed for name, one in _pairs(text)}


def _pairs(text: str) -> list[tuple[str, Any]]:
    if text.startswith("{"):
        try:
            return list(as_object(json.loads(text)).items())
        except ValueError:
            raise click.BadParameter(f"{text!r} is not JSON") from None
    name, separator, value = text.partition("=")
    if not separator:
        raise click.BadParameter(f"{text!r} is not KEY=VALUE")
    return [(name, value)]


def show(desk: Desk, found: Any, *, only_one: bool = False) -> None:
    """Write what a method answered: a list row by row, an object as one."""
    if isinstance(found, Pages):
        pages = cast("Pages[Any]", found)  # type: ignore[redundant-cast]  # pyright knows the class alone
        rows = (row for page in pages.pages() for row in page) if not only_one else iter(next(pages.pages()))
        desk.write_rows(row.to_dict() for row in rows)
    else:
        desk.write(found.to_dict())
